/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Names inside a container root: everything is resolved by the kernel with the root's fd
 *          as "/", so that no link, "..", or concurrent rename leads outside. Results are handles;
 *          nobody joins path strings.
 * Runs in  parent, init
 * Trusts   the whole tree is hostile and may change during each call; path is the bundle's text
 * Owns     struct root owns its fd; returned fds are the caller's
 * Fails    -ELOOP too many or magic links; -EAGAIN the tree would not hold still for
 *          ROOT_RETRIES_MAX tries; root_mkdirs: directories made so far stay
 * Source   openat2(2) RESOLVE_IN_ROOT Linux 5.6; its EAGAIN on concurrent rename
 */
#pragma once
#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#define ROOT_RETRIES_MAX 128
#define ROOT_LINKS_MAX   40 /* as the kernel's MAXSYMLINKS */

struct procfs;

struct root {
    int fd; /* O_PATH|O_DIRECTORY */
};

#define ROOT_INIT                                                                                  \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

/* path: a host path, the last component not a symlink. */
int root_open(struct root *ret, int dirfd, const char *path);
void root_done(struct root *root);

/* flags: O_PATH, O_RDONLY ..., with O_NOFOLLOW, O_DIRECTORY; not O_CREAT. */
int root_resolve(const struct root *root, const char *path, uint64_t flags);
/* The directory that holds the last component (links before it followed), and that component in
   ret_name. -EINVAL when there is none ("/", "..", "."). */
int root_parent(const struct root *root, const char *path, char ret_name[NAME_MAX + 1]);
/* mkdir -p: the O_PATH fd of the directory path. A dangling link is followed and its target made,
   inside the root. -ENOTDIR when something else is in the way. Made directories get mode (under the
   umask) and the caller's fsuid. */
int root_mkdirs(const struct root *root, const char *path, mode_t mode);
/* What path names as an O_PATH fd, links followed; an empty regular file is made when there is
   nothing (parents by root_mkdirs with 0755, dangling links as there). -EISDIR when it is a
   directory. */
int root_create_file(const struct root *root, const char *path, mode_t mode);
