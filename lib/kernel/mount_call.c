/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: wrappers of the mount system calls. */
#include "mount_call.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "kernel_const.h"
#include "kernel_internal.h"

int kernel_mount(
    const char *source, const char *target, const char *type, unsigned long flags, const char *data)
{
    KERNEL_CALL("mount");
    return kernel_result(mount(source, target, type, flags, data));
}

int kernel_umount2(const char *target, int flags)
{
    KERNEL_CALL("umount2");
    return kernel_result(umount2(target, flags));
}

int kernel_pivot_root(const char *new_root, const char *put_old)
{
    KERNEL_CALL("pivot_root");
    return kernel_result(syscall(SYS_pivot_root, new_root, put_old));
}

int kernel_open_tree(int dirfd, const char *path, unsigned flags)
{
    KERNEL_CALL("open_tree");
    return kernel_result(syscall(SYS_open_tree, dirfd, path, flags | OPEN_TREE_CLOEXEC));
}

int kernel_move_mount(
    int from_dirfd, const char *from_path, int to_dirfd, const char *to_path, unsigned flags)
{
    KERNEL_CALL("move_mount");
    return kernel_result(syscall(SYS_move_mount, from_dirfd, from_path, to_dirfd, to_path, flags));
}

int kernel_move_mount_fd(int mount_fd, int target_fd)
{
    return kernel_move_mount(
        mount_fd, "", target_fd, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

int kernel_mount_setattr(
    int dirfd, const char *path, unsigned flags, const struct kernel_mount_attr *attr)
{
    KERNEL_CALL("mount_setattr");
    return kernel_result(syscall(SYS_mount_setattr, dirfd, path, flags, attr, sizeof(*attr)));
}

int kernel_fsopen(const char *type)
{
    KERNEL_CALL("fsopen");
    return kernel_result(syscall(SYS_fsopen, type, FSOPEN_CLOEXEC));
}

static int configure(int fs_fd, unsigned command, const char *key, const void *value, int aux)
{
    return kernel_result(KERNEL_RETRY(syscall(SYS_fsconfig, fs_fd, command, key, value, aux)));
}

int kernel_fsconfig_string(int fs_fd, const char *key, const char *value)
{
    KERNEL_CALL("fsconfig_string");
    return configure(fs_fd, FSCONFIG_SET_STRING, key, value, 0);
}

int kernel_fsconfig_flag(int fs_fd, const char *key)
{
    KERNEL_CALL("fsconfig_flag");
    return configure(fs_fd, FSCONFIG_SET_FLAG, key, NULL, 0);
}

int kernel_fsconfig_fd(int fs_fd, const char *key, int fd)
{
    KERNEL_CALL("fsconfig_fd");
    return configure(fs_fd, FSCONFIG_SET_FD, key, NULL, fd);
}

int kernel_fsconfig_create(int fs_fd)
{
    KERNEL_CALL("fsconfig_create");
    return configure(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
}

int kernel_fsmount(int fs_fd, unsigned mount_attrs)
{
    KERNEL_CALL("fsmount");
    return kernel_result(syscall(SYS_fsmount, fs_fd, FSMOUNT_CLOEXEC, mount_attrs));
}

int kernel_fs_log(int fs_fd, char *ret, size_t size)
{
    char line[KERNEL_MOUNT_LOG_MAX];
    ssize_t n = read(fs_fd, line, sizeof(line));
    if (n < 0)
        return errno == ENODATA ? 0 : -errno;
    size_t skip = n >= 2 && line[1] == ' ' ? 2 : 0;
    size_t len = (size_t)n - skip;
    if (size == 0)
        return -ENOSPC;
    if (len >= size)
        len = size - 1;
    memcpy(ret, line + skip, len);
    while (len > 0 && ret[len - 1] == '\n')
        len--;
    ret[len] = '\0';
    return (int)len;
}
