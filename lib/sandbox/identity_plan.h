/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  process.user → the ids, groups and umask of the payload.
 * Runs in  any (pure)
 * Owns     groups live in the arena
 * Source   OCI config.md "User"
 *
 * Why: without process.user.umask the mask is 0022, as runc and crun have it; the caller's own, as the specification
 * words it, would make file modes depend on who started the runtime.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct arena;
struct buf;
struct error;
struct oci_user;

#define IDENTITY_GROUPS_MAX    65536 /* NGROUPS_MAX of the kernel */
#define IDENTITY_UMASK_DEFAULT 0022

struct identity_plan {
    uid_t uid;
    gid_t gid;
    bool
        has_setgroups; /* false: the user namespace denies setgroups(2), the caller's groups cannot be shed */
    gid_t *groups; /* exactly these, each once, ascending */
    size_t n_groups;
    mode_t umask;
};

/* has_setgroups false with additional groups asked for is an error: they could not be given. */
int identity_plan_build(struct arena *arena, const struct oci_user *user, bool has_setgroups,
    struct identity_plan *ret, struct error *err);
void identity_plan_print(const struct identity_plan *plan, struct buf *out);
