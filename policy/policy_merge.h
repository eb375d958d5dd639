/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Documents as a lattice: what two of them together allow is what each of them allows.
 * Runs in  any (pure)
 * Owns     results live in the arena and borrow the strings of the inputs
 *
 * In a document that only restricts (the machine floor, one that extends another) an absent key says nothing. In one
 * that grants it means least access: policy_close puts that in.
 */
#pragma once
#include <stdbool.h>

struct arena;
struct buf;
struct error;
struct policy;

/* The meet: commutative, associative, idempotent, within both. -EINVAL: they bear different labels. Each value and item
 * keeps the origin of the narrower side, of a when both say the same. */
int policy_merge(struct arena *arena, const struct policy *a, const struct policy *b,
    struct policy **ret, struct error *err);
/* Absent keys get least access; their origin is POLICY_ORIGIN_BUILT_IN. */
void policy_close(struct policy *policy);
/* True: inner allows nothing that outer does not. wider: NULL, or gets a line for each value written in
 * inner that does. */
bool policy_within(const struct policy *inner, const struct policy *outer, struct buf *wider);
