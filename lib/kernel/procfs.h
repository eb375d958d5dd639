/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  A procfs that nobody can have mounted over: a detached instance of our own, or, where
 *          that is not permitted, /proc verified to be the root of a procfs. Never a container's
 *          /proc.
 * Runs in  parent (before it joins anything), init by inheritance
 * Trusts   nothing below a container root
 * Owns     struct procfs owns its fd
 * Fails    -EXDEV: a lookup met a mount point, that is, something lay over procfs
 * Source   fsopen(2) Linux 5.2, proc(5) subset=pid 5.8
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct procfs {
    int fd;      /* O_PATH or mount fd of the root of procfs */
    bool is_own; /* a detached instance: nobody else can mount on it */
};

#define PROCFS_INIT                                                                                \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

/* PROCFS_PIDS: only the process directories; enough for reopen, namespaces and maps. */
enum procfs_scope { PROCFS_PIDS, PROCFS_WHOLE };

int procfs_open(struct procfs *ret, enum procfs_scope scope);
/* /proc itself, verified, without trying a detached one: 1 against 100 us. For host-side work
   outside any container. */
int procfs_open_host(struct procfs *ret);
void procfs_done(struct procfs *procfs);

/* "self/status", "sys/net/...": magic links are not followed, mounts not crossed. */
int procfs_openat(const struct procfs *procfs, const char *path, int flags);
/* The magic link at path (e.g. "self/exe", "self/ns/net") followed. Its parent is verified as
   above. */
int procfs_follow(const struct procfs *procfs, const char *path, int flags);
/* A new open file of what fd (O_PATH too) names. -ELOOP for a symlink. */
int procfs_reopen(const struct procfs *procfs, int fd, int flags);
/* The directory of a process: it is the one that pidfd names, checked after the open. pidfd -1: the
   caller's own child, not yet waited for, whose number cannot have been used again. */
int procfs_open_pid(const struct procfs *procfs, pid_t pid, int pidfd);
/* Start time in clock ticks since boot (field 22 of stat): with the pid it names a process for
   good. */
int procfs_start_time(
    const struct procfs *procfs, pid_t pid, unsigned long long *ret_ticks, char *ret_state);
/* One number-or-text field of status, e.g. "NSpid", "CapBnd": the text behind the colon and blanks. */
int procfs_status_field(int pid_dirfd, const char *field, char *ret, size_t size);
