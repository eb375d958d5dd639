/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: policies and configurations for the tests of policy: from text, and at random. */
#pragma once
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "oci_config_parse.h"
#include "oci_config_write.h"
#include "policy_doc.h"
#include "policy_find.h"
#include "policy_parse.h"
#include "unit.h"

static inline struct policy *policy_of(struct arena *arena, const char *text)
{
    struct error err = ERR_INIT;
    struct policy *policy = NULL;

    ck_assert_msg(
        policy_parse(arena, "test", text, strlen(text), &policy, NULL, &err) == 0, "%s", err.text);
    return policy;
}

static inline struct policy *policy_opened(struct arena *arena, const char *text)
{
    const struct policy_text document = { "test", text, strlen(text) };
    struct error err = ERR_INIT;
    struct policy *policy = NULL;

    ck_assert_msg(
        policy_open(arena, NULL, &document, &policy, NULL, NULL, &err) == 0, "%s", err.text);
    return policy;
}

static inline struct policy *policy_shipped_open(struct arena *arena, const char *name)
{
    return policy_opened(arena, arena_printf(arena, "{\"version\":1,\"extends\":\"%s\"}", name));
}

static inline struct oci_config *config_of(struct arena *arena, const char *text)
{
    struct error err = ERR_INIT;
    struct oci_config *config = NULL;

    ck_assert_msg(
        oci_config_parse(arena, "config", text, strlen(text), &config, &err) == 0, "%s", err.text);
    return config;
}

static inline char *config_text(struct arena *arena, const struct oci_config *config)
{
    AUTO(buf) struct buf text = BUF_INIT;

    oci_config_write(config, 2, &text);
    ck_assert(buf_ok(&text));
    return arena_strdup(arena, buf_str(&text));
}

/* The same numbers on every machine. */
static inline uint32_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*state >> 33);
}

static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
    return random_next(state) % n;
}

/* Some of a small stock, so that lists meet; sorted as the parser leaves them. */
static inline void random_items(
    struct arena *arena, uint64_t *state, const char *const *stock, struct policy_value *value)
{
    value->items = arena_new_array(arena, 16, struct policy_item);
    for (size_t i = 0; stock[i]; i++) {
        if (random_below(state, 2) == 0)
            value->items[value->n_items++] =
                (struct policy_item){ .text = stock[i], .origin = value->origin };
    }
}

static inline void random_value(struct arena *arena, uint64_t *state,
    const struct policy_key_row *row, struct policy_value *value)
{
    static const char *const stock[] = { "A", "B", "C", "D", NULL };
    uint32_t n_words = 0;

    value->origin = (struct policy_origin){ "random", 1 + random_below(state, 9), 1 };
    switch (row->kind) {
    case POLICY_WORD:
        while (row->words[n_words])
            n_words++;
        value->number = random_below(state, n_words);
        break;
    case POLICY_TRUE:
        value->number = random_below(state, 2);
        break;
    case POLICY_BYTES:
    case POLICY_COUNT:
    case POLICY_CPUS:
    case POLICY_SECONDS:
        value->number =
            random_below(state, 4) == 0 ? POLICY_UNLIMITED : row->min + random_below(state, 9);
        break;
    case POLICY_LABEL:
        value->text = row->words ? row->words[0] : "who";
        break;
    case POLICY_GRANTS:
    case POLICY_DENIALS:
    case POLICY_ALLOWED:
    case POLICY_REFUSED:
    default:
        random_items(arena, state, row->words ? row->words : stock, value);
        break;
    }
}

/* Any key may be absent. Labels are the same in all, as else two cannot be merged. */
static inline struct policy *policy_random(struct arena *arena, uint64_t *state)
{
    struct policy *policy = arena_new(arena, struct policy);

    policy->name = "random";
    for (size_t key = 0; key < POLICY_KEYS; key++) {
        if (random_below(state, 4) != 0)
            random_value(arena, state, &policy_key_table[key], &policy->values[key]);
    }
    return policy;
}
