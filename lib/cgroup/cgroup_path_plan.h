/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Where below the cgroup v2 hierarchy a container lives.
 *            "/a/b"   a/b below the root of the hierarchy (of the caller's cgroup namespace), as runc
 *                     and crun do
 *            "a/b"    beside the caller's own cgroup: PARENT-OF-OWN/a/b, as runc does
 *            absent   PARENT-OF-OWN/runa-ID
 * Why:     beside and not below (2026-12): a cgroup with processes cannot hand controllers to its
 *          children ("no internal processes"), and the caller's own has one at least, the caller.
 * Runs in  parent (pure)
 * Trusts   path and id are a stranger's. ".." and control bytes are refused: nothing leaves the place
 *          that a manager has set aside.
 * Source   OCI runtime-spec config-linux.md "Cgroups Path"
 */
#pragma once
#include <stdbool.h>

struct arena;
struct error;

#define CGROUP_PATH_MAX  2048
#define CGROUP_DEPTH_MAX 32

/* True when cgroup_path_plan will look at own_path. */
bool cgroup_path_needs_own(const char *cgroups_path);
/* cgroups_path: linux.cgroupsPath or NULL. own_path: of the caller, "/user.slice/x"; may be NULL when it
 * is not needed. *ret_path is relative to the root of the hierarchy, without "." and empty parts. */
int cgroup_path_plan(struct arena *arena, const char *cgroups_path, const char *own_path,
    const char *id, const char **ret_path, struct error *err);
