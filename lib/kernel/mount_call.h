/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The mount system calls, old and new. The new ones make a mount as a detached object that
 *          is then placed on an fd.
 * Runs in  parent, init; CAP_SYS_ADMIN in the user namespace that owns the mount namespace
 * Owns     a returned fd is the caller's; closing the fd of a detached mount unmounts it
 * Source   fsopen(2) fsconfig(2) fsmount(2) fspick(2) open_tree(2) move_mount(2) Linux 5.2,
 *          mount_setattr(2) 5.12
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define KERNEL_MOUNT_LOG_MAX 512

/* The layout is the kernel's struct mount_attr. */
struct kernel_mount_attr {
    uint64_t set;
    uint64_t clear;
    uint64_t propagation; /* MS_SHARED, MS_SLAVE, MS_PRIVATE, MS_UNBINDABLE or 0 */
    uint64_t userns_fd;   /* with MOUNT_ATTR_IDMAP */
};

int kernel_mount(const char *source, const char *target, const char *type, unsigned long flags,
    const char *data);
int kernel_umount2(const char *target, int flags);
int kernel_pivot_root(const char *new_root, const char *put_old);

/* flags: OPEN_TREE_CLONE, AT_EMPTY_PATH, AT_RECURSIVE, AT_SYMLINK_NOFOLLOW. "" with AT_EMPTY_PATH
   takes dirfd itself. */
int kernel_open_tree(int dirfd, const char *path, unsigned flags);
int kernel_move_mount(
    int from_dirfd, const char *from_path, int to_dirfd, const char *to_path, unsigned flags);
/* Both by fd: the F_ and T_EMPTY_PATH form. */
int kernel_move_mount_fd(int mount_fd, int target_fd);
/* flags: AT_EMPTY_PATH, AT_RECURSIVE, AT_SYMLINK_NOFOLLOW */
int kernel_mount_setattr(
    int dirfd, const char *path, unsigned flags, const struct kernel_mount_attr *attr);

int kernel_fsopen(const char *type);
int kernel_fsconfig_string(int fs_fd, const char *key, const char *value);
int kernel_fsconfig_flag(int fs_fd, const char *key);
int kernel_fsconfig_fd(int fs_fd, const char *key, int fd);
int kernel_fsconfig_create(int fs_fd);
int kernel_fsmount(int fs_fd, unsigned mount_attrs); /* MOUNT_ATTR_* without IDMAP */
/* The next line that the file system wrote about its failure, without the "e "/"w "/"i ". Bytes, 0
   when there is none. */
int kernel_fs_log(int fs_fd, char *ret, size_t size);
