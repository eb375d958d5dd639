/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The cgroup v2 hierarchy as directory fds: find it, find one's own place, make, read,
 *          write, remove.
 * Runs in  parent, init
 * Trusts   paths may come from a bundle: resolved beneath the mount, no symlinks, no ".."
 * Owns     struct cgroupfs owns its fd; returned fds are the caller's
 * Fails    -ENOENT no cgroup2 file system is mounted anywhere in sight
 * Source   cgroups(7), admin-guide/cgroup-v2; cgroup.kill Linux 5.14
 */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>


struct cgroupfs {
    int fd;              /* directory of the mount, O_RDONLY */
    char path[PATH_MAX]; /* where it is mounted, for messages and mounts */
    /* which cgroup its top is, as /proc/self/cgroup names cgroups; "/" as a rule */
    char root[PATH_MAX];
    bool is_unified; /* mounted at /sys/fs/cgroup: the host uses v2 alone */
};

#define CGROUPFS_INIT                                                                              \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

int cgroupfs_open(struct cgroupfs *ret);
void cgroupfs_done(struct cgroupfs *cgroupfs);

/* The v2 path ("/a/b") in the text of /proc/PID/cgroup; -ENOENT when there is no "0::" line. Pure. */
int cgroupfs_path_parse(const char *text, size_t len, char *ret, size_t size);
/* The caller's own v2 path (pid 0) or that of a process; as the caller's cgroup namespace shows it. */
int cgroupfs_path_of(pid_t pid, char *ret, size_t size);

/* path: "a/b" or "/a/b", beneath dirfd; "" or "/": dirfd again. An O_RDONLY|O_DIRECTORY fd, fit for
   clone and attach. */
int cgroupfs_open_dir(int dirfd, const char *path);
/* One component. -EEXIST as mkdir. */
int cgroupfs_mkdir(int dirfd, const char *name);
/* 0 too when it is not there; -EBUSY while there are processes or children. */
int cgroupfs_rmdir(int dirfd, const char *path);
/* Removes the cgroup and its descendants, deepest first; waits up to timeout_ms for the kernel to
   let go. */
int cgroupfs_remove(int dirfd, const char *path, int timeout_ms);
/* A control file, text without its last newline, NUL-terminated; bytes. */
ssize_t cgroupfs_read(int dirfd, const char *name, char *ret, size_t size);
int cgroupfs_write(int dirfd, const char *name, const char *text);
bool cgroupfs_has(int dirfd, const char *name);
/* Kills every process in it and below: cgroup.kill. */
int cgroupfs_kill(int dirfd);
