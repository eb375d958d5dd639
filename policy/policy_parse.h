/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Text of a policy (JSON, in which comments and trailing commas are allowed) → document. Strict: an unknown
 *          key, a wrong type, null, an empty or unknown word is a fault, told with the nearest known word; nothing is
 *          ignored.
 * Runs in  parent (pure)
 * Trusts   nothing
 * Owns     the document lives in the arena, with its strings; text and name may go
 * Fails    -EINVAL with the first fault, "NAME:LINE:COLUMN: what", in err
 */
#pragma once
#include <stddef.h>

#define POLICY_SIZE_MAX   (256U << 10) /* bytes of a text */
#define POLICY_ITEMS_MAX  4096         /* of one list */
#define POLICY_FAULTS_MAX 100          /* told of one text */

struct arena;
struct buf;
struct error;
struct policy;

/* name: the file's. faults: NULL, or gets every fault, a line each, with what policy_unsupported says of the values
 * that could be read. extends is read but not followed: policy_open does. */
int policy_parse(struct arena *arena, const char *name, const char *text, size_t len,
    struct policy **ret, struct buf *faults, struct error *err);
