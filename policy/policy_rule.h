/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  One network rule of a policy, { "host" or "cidr", "ports", "protocol", "private" }, as canonical text: equal
 *          rules are equal strings.
 * Runs in  parent (pure)
 * Trusts   nothing
 */
#pragma once

struct arena;
struct json;

#define POLICY_RULE_PORTS_MAX 256

/* The text, or NULL: *ret_place is wrong in the way that *ret_what says. */
const char *policy_rule_text(struct arena *arena, const struct json *rule,
    const struct json **ret_place, const char **ret_what);
