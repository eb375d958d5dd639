/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Namespaces as fds: open by path, by process; verify what they are; join; write a user
 *          namespace's id maps.
 * Runs in  parent, relay, init
 * Trusts   path comes from the bundle: it is opened, then proved to be a namespace of the type
 *          asked for
 * Owns     a returned fd is the caller's
 * Fails    -EINVAL not a namespace, or of another type
 * Source   namespaces(7), ioctl_ns(2), user_namespaces(7)
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct procfs;
struct stat;

#define NAMESPACE_MAP_BYTES_MAX 4096

/* type: one CLONE_NEW*, or 0 for any. */
int namespace_open(int dirfd, const char *path, int type);
/* Of a process directory (procfs_open_pid, or "self" opened by procfs_openat). */
int namespace_open_pid(int pid_dirfd, int type);
int namespace_type(int fd);          /* CLONE_NEW*, or -EINVAL */
int namespace_owner(int fd);         /* fd of the user namespace that owns it */
/* 1 when the caller is in the initial user namespace (as its uid_map tells), whose root the host's root is; else 0. */
int namespace_is_initial_user(void);
/* "mnt", "pid", "pid_for_children" is not one, ... NULL for an unknown type */
const char *namespace_proc_name(int type);

/* text: "inside outside count\n" lines, one write. */
int namespace_write_uid_map(int pid_dirfd, const char *text);
int namespace_write_gid_map(int pid_dirfd, const char *text);
int namespace_deny_setgroups(int pid_dirfd);
/* "monotonic SEC NSEC\nboottime SEC NSEC\n" to timens_offsets: before the first process is in it. */
int namespace_write_time_offsets(int pid_dirfd, const char *text);
/* A user namespace with these maps and no process in it, e.g. for idmapped mounts. */
int namespace_new_user(const struct procfs *procfs, const char *uid_map, const char *gid_map);
