/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  A policy document as data: one value for each key of one table, each knowing the place that it was written
 *          at. The table (policy_key_table) drives parser, merge, check and `policy show`; a key is a row there and
 *          nothing else.
 * Runs in  any (pure)
 * Units    numbers: bytes, thousandths of a CPU, seconds, or a count, as the key's kind says
 * Owns     everything lives in the arena of the document; constant texts apart
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;

#define POLICY_VERSION   1
#define POLICY_UNLIMITED UINT64_MAX /* "unlimited": this policy sets no limit, another layer may */

enum policy_key {
    POLICY_FILESYSTEM_WORKSPACE,
    POLICY_FILESYSTEM_READ,
    POLICY_FILESYSTEM_WRITE,
    POLICY_FILESYSTEM_HIDE,
    POLICY_FILESYSTEM_PROTECT,
    POLICY_NETWORK_MODE,
    POLICY_NETWORK_ALLOW,
    POLICY_NETWORK_DENY,
    POLICY_PROCESS_CAPABILITIES,
    POLICY_PROCESS_NO_NEW_PRIVILEGES,
    POLICY_PROCESS_SECCOMP,
    POLICY_PROCESS_ENV,
    POLICY_RESOURCES_MEMORY,
    POLICY_RESOURCES_CPUS,
    POLICY_RESOURCES_PIDS,
    POLICY_RESOURCES_DISK,
    POLICY_RESOURCES_FILES,
    POLICY_RESOURCES_WALL_CLOCK,
    POLICY_IDENTITY_AGENT,
    POLICY_IDENTITY_ON_BEHALF_OF,
    POLICY_AUDIT_SINK,
    POLICY_KEYS
};

/* How the value of a key is written, and which of two is the narrower. */
enum policy_kind {
    POLICY_WORD,    /* number: place in the key's words, which begin with the narrowest */
    POLICY_TRUE,    /* number: 1 true, the narrower, or 0 */
    POLICY_BYTES,   /* number, as the next three: the smaller; written "2GiB" */
    POLICY_COUNT,   /* written 512 */
    POLICY_CPUS,    /* written 1.5 */
    POLICY_SECONDS, /* written 3600 */
    POLICY_GRANTS,  /* list: a name less is narrower */
    POLICY_DENIALS, /* list: a name more is narrower */
    POLICY_ALLOWED, /* list of network rules, as grants; POLICY_REFUSED as denials */
    POLICY_REFUSED,
    POLICY_LABEL /* text: grants nothing; two layers may not say different things */
};

enum { POLICY_WORKSPACE_NONE, POLICY_WORKSPACE_READ, POLICY_WORKSPACE_COW, POLICY_WORKSPACE_WRITE };
enum { POLICY_NETWORK_NONE, POLICY_NETWORK_FILTERED, POLICY_NETWORK_HOST };

#define POLICY_ORIGIN_BUILT_IN "(built-in)" /* least access, as nothing was said */

struct policy_origin {
    const char *file; /* NULL: the value is absent */
    uint32_t line;
    uint32_t column;
};

struct policy_item {
    const char *text; /* a name; of a network rule its canonical JSON */
    struct policy_origin origin;
};

struct policy_value {
    struct policy_origin origin;
    uint64_t number;
    const char *text;
    struct policy_item *items; /* sorted by text, none twice */
    size_t n_items;
};

struct policy {
    const char *name;    /* of the document, for messages */
    const char *extends; /* NULL: stands alone */
    struct policy_origin extends_origin;
    struct policy_value values[POLICY_KEYS];
};

struct policy_key_row {
    const char *section; /* "process" */
    const char *name;    /* "noNewPrivileges" */
    enum policy_kind kind;
    const char *const *
        words; /* all that a word, item or label may be, NULL at the end; or NULL: what item_fault passes */
    const char *(*item_fault)(const char *item); /* what is wrong with an item or label, or NULL */
    uint64_t min;                                /* of numbers */
    uint64_t max;
    uint64_t
        least; /* number that an absent key counts as in a policy that grants; lists are empty then */
    const char *summary;
};

extern const struct policy_key_row policy_key_table[POLICY_KEYS];

static inline bool policy_has(const struct policy *policy, enum policy_key key)
{
    return policy->values[key].origin.file != NULL;
}

bool policy_value_has(const struct policy_value *value, const char *item);
/* "FILE:LINE:COLUMN: ", without numbers where there are none */
void policy_origin_put(struct buf *out, const struct policy_origin *origin);
/* "process.env" */
void policy_key_put(struct buf *out, enum policy_key key);
/* Origins do not count. */
bool policy_value_equal(const struct policy_value *a, const struct policy_value *b);
bool policy_equal(const struct policy *a, const struct policy *b);
