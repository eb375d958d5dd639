/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  process.capabilities → five sets of bits. Nothing is inherited from the caller: what is not named is
 *          dropped.
 * Runs in  any (pure)
 * Trusts   nothing; an unknown name grants nothing and is reported, as engines send names that are newer than the
 *          kernel
 * Owns     names in ret_unknown are borrowed from the document
 * Source   OCI config.md "Linux Process"; capabilities(7)
 */
#pragma once
#include <stdint.h>

struct arena;
struct buf;
struct oci_capabilities;
struct strv;

#define CAPS_LAST_MAX  63 /* of any kernel: the sets are 64 bits wide */
#define CAPS_NAME_SIZE 32

struct caps_plan {
    uint64_t bounding;
    uint64_t effective;
    uint64_t inheritable;
    uint64_t permitted;
    uint64_t ambient; /* within permitted and inheritable: the kernel has no other */
};

/* capabilities NULL: no capability in any set. last: the newest capability of the running kernel
 * (kernel.cap_last_cap). Each name that is unknown, newer than that, or ambient without being permitted and inheritable
 * is put into *ret_unknown once (NULL: not wanted). Never fails. */
void caps_plan_build(struct arena *arena, const struct oci_capabilities *capabilities,
    unsigned last, struct caps_plan *ret, struct strv *ret_unknown);
/* Takes out of all sets what the runtime itself does not have to give; the names go to *ret_lacking. The specification
 * wants a warning for them, not a failure (config.md, "capabilities"). */
void caps_plan_limit(struct arena *arena, struct caps_plan *plan, uint64_t available, struct strv *ret_lacking);
void caps_plan_print(const struct caps_plan *plan, struct buf *out);

/* "CAP_CHOWN", or "CAP_63" where libcap has no name for the number. */
void caps_name(unsigned number, char ret[CAPS_NAME_SIZE]);
/* The number of exactly such a name, or -1. */
int caps_number(const char *name);
