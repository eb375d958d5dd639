/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  A name or a text → the policy that holds: what it extends is merged in, absent keys mean least access, what
 *          this version cannot enforce is refused.
 * Runs in  parent (pure: files are read by the caller's function)
 * Trusts   not the texts
 * Owns     all results live in the arena
 * Fails    -EINVAL faults of a text, a name that is none, extends in a ring; -ENOENT no such policy; -ENOTSUP not
 *          enforced yet
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct arena;
struct buf;
struct error;
struct policy;

#define POLICY_NAME_MAX    64
#define POLICY_EXTENDS_MAX 8 /* documents in a row */
#define POLICY_NOT_FOUND   1

/* A document as bytes, and the name by which messages call it. */
struct policy_text {
    const char *name;
    const char *text;
    size_t len;
};

/* Where installed policies come from (/etc/runa/policies/NAME.jsonc): 0, POLICY_NOT_FOUND, or negative with err set.
 * The text must live as long as the arena. */
struct policy_source {
    int (*load)(void *context, struct arena *arena, const char *name, struct policy_text *ret,
        struct error *err);
    void *context;
};

extern const struct policy_text
    policy_shipped[]; /* by name; ends with an entry whose name is NULL */

/* [a-z0-9-], beginning with a letter, at most POLICY_NAME_MAX: never a path. */
bool policy_name_is_valid(const char *name);
/* The text of a name: installed, else shipped. */
int policy_find(struct arena *arena, const struct policy_source *source, const char *name,
    struct policy_text *ret, struct error *err);
/* The policy in force of a document. source may be NULL: shipped ones only. faults: NULL, or gets each fault of the
 * texts, a line each; notes: NULL, or gets a line for each key that asks for more than what it extends, which has no
 * effect. */
int policy_open(struct arena *arena, const struct policy_source *source,
    const struct policy_text *text, struct policy **ret, struct buf *faults, struct buf *notes,
    struct error *err);
