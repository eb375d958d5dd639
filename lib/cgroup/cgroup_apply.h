/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Makes a cgroup as planned, and finds it again later.
 *
 *     cgroup_hierarchy_open → [cgroup_own_path] → cgroup_plan_build → cgroup_create
 *     → clone3 into cgroup.dir_fd → cgroup_devices_apply → cgroup_limit_late
 *
 * Runs in  parent, on the host; root, or the owner of a delegated subtree
 * Owns     struct cgroup holds a fd and a heap string: cgroup_done. The hierarchy is lib/kernel's.
 * Fails    CGROUP_NONE. A failed cgroup_create has removed what it made.
 * Source   cgroup-v2.rst "Organizing Processes and Threads", "Controlling Controllers"; clone3(2)
 *
 * CLONE_NEWCGROUP in the same clone3 as CLONE_INTO_CGROUP roots the new namespace at this cgroup: init
 * need not unshare it again (tested; cgroup_post_fork, Linux 5.7).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct arena;
struct cgroup_limit_plan;
struct cgroup_limits_now;
struct cgroup_plan;
struct cgroupfs;
struct device_filter;
struct error;

/* cgroup_create: none could be had and none was asked for. cgroup_open: it does not exist. */
#define CGROUP_NONE 1

struct cgroup {
    int dir_fd; /* -1: there is none */
    char *path; /* absolute: what the state keeps */
    size_t kept_bytes; /* of path: up to here it was there before; cgroup_discard removes the rest */
};

#define CGROUP_INIT { .dir_fd = -1 }

/* cgroupfs_open, with words for what it may meet. */
int cgroup_hierarchy_open(struct cgroupfs *h, struct error *err);
/* The caller's own cgroup, "/a/b" below the top of the mount. Only for cgroup_plan_build. */
int cgroup_own_path(
    struct arena *arena, const struct cgroupfs *h, const char **ret_path, struct error *err);

void cgroup_done(struct cgroup *c);
/* Makes it, anew when an empty one of that name is left from earlier; hands the controllers that the
 * limits need down from the root, writes the limits. One with processes or
 * cgroups in it is refused (-EEXIST).
 * may_lack: the caller is no root of the host. When the kernel then refuses, and the plan neither names
 * a path nor sets a limit, the outcome is CGROUP_NONE: the container stays in the caller's cgroup. */
int cgroup_create(struct cgroup *c, const struct cgroupfs *h, const struct cgroup_plan *plan,
    bool may_lack, struct error *err);
/* Attaches the device filter. Any time before the payload runs: loading takes the kernel a while, in which init can
 * work. may_lack: without a right to it there is no filter; such a caller cannot make device nodes, and opens
 * those that the files' modes let it open anyway. */
int cgroup_devices_apply(
    const struct cgroup *c, const struct device_filter *filter, bool may_lack, struct error *err);
/* The writes that must wait until init is inside. Nothing to do in most cases. */
int cgroup_limit_late(
    const struct cgroup *c, const struct cgroup_limit_plan *limits, struct error *err);
/* Takes back a cgroup_create: kills what is inside, removes it and the parents made for it. For undo:
 * no error. Done with c afterwards. */
void cgroup_discard(struct cgroup *c);

/* By the path that the state keeps: 0, CGROUP_NONE, or negative. */
int cgroup_open(struct cgroup *c, const char *path, struct error *err);
/* For update: what is in force, to plan with; then the change. */
int cgroup_limits_read(
    const struct cgroup *c, struct cgroup_limits_now *ret, struct error *err);
int cgroup_limits_write(const struct cgroup *c, const struct cgroupfs *h,
    const struct cgroup_limit_plan *limits, struct error *err);
