/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Extended attributes of an open file; of an O_PATH fd through the procfs handle.
 * Runs in  parent, init, worker; CAP_SYS_ADMIN for trusted.*
 * Trusts   values come from images: bytes, not strings
 * Source   xattr(7)
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>


struct procfs;

ssize_t kernel_fgetxattr(int fd, const char *name, void *ret, size_t size);
int kernel_fsetxattr(int fd, const char *name, const void *value, size_t len, int flags);
ssize_t kernel_flistxattr(int fd, char *ret, size_t size); /* names, each with its NUL */
int kernel_fremovexattr(int fd, const char *name);

/* The same for an O_PATH fd (of a file of any type but a symlink). */
ssize_t xattr_get_path(
    const struct procfs *procfs, int path_fd, const char *name, void *ret, size_t size);
int xattr_set_path(
    const struct procfs *procfs, int path_fd, const char *name, const void *value, size_t len);
ssize_t xattr_list_path(const struct procfs *procfs, int path_fd, char *ret, size_t size);
