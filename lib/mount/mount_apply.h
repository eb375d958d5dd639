/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Phase 2 of mounting: makes the root and everything in it. Mounts are detached objects placed on fds that
 *          were resolved in-root; no path inside the root is ever used by name twice.
 * Runs in  init, in its new mount namespace (and pid, net, cgroup, user namespaces), ids mapped, all capabilities there
 * Trusts   the plan; the root's content is hostile
 * Owns     struct mount_root: mount_root_done closes its fds (all close-on-exec)
 * Fails    the namespace is half made: the process must end
 * Source   fsopen(2), fsmount(2), move_mount(2), open_tree(2), openat2(2)
 */
#pragma once
#include "root.h"

struct error;
struct mount_plan;
struct mount_sources;

struct mount_root {
    struct root root; /* the container's root directory, valid before and after the switch */
    int dev_fd;       /* its /dev; -1 until needed */
    int devpts_fd;    /* the devpts that a step put on /dev/pts; -1: none */
    int proc_fd;      /* what a step put on /proc, and on /sys, last; -1: nothing */
    int sys_fd;
    int null_fd; /* detached clone of the host's null device, for masks; -1: nothing is masked */
};

#define MOUNT_ROOT_INIT                                                                            \
    {                                                                                              \
        .root = ROOT_INIT, .dev_fd = -1, .devpts_fd = -1, .proc_fd = -1, .sys_fd = -1,             \
        .null_fd = -1                                                                              \
    }

/* Root, mounts, devices, links. *ret is emptied on failure. The umask of the process is 0 meanwhile and put back. */
int mount_apply(const struct mount_plan *plan, struct mount_sources *sources,
    struct mount_root *ret, struct error *err);
/* A new pty of the container's own devpts. */
int console_open_apply(
    const struct mount_root *root, int *ret_controller, int *ret_terminal, struct error *err);
/* Binds the terminal, which must come from console_open_apply, on /dev/console. */
int console_mount_apply(struct mount_root *root, int terminal_fd, struct error *err);
/* Masked paths, read-only paths, read-only root. Before or after the switch; last of all that writes into the root. */
int mount_protect_apply(const struct mount_plan *plan, struct mount_root *root, struct error *err);
void mount_root_done(struct mount_root *root);
