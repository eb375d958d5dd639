/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: extended attributes. */
#include "xattr.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include "call.h"
#include "cleanup.h"
#include "kernel_internal.h"
#include "procfs.h"

ssize_t kernel_fgetxattr(int fd, const char *name, void *ret, size_t size)
{
    KERNEL_CALL("fgetxattr");
    return kernel_size_result(fgetxattr(fd, name, ret, size));
}

int kernel_fsetxattr(int fd, const char *name, const void *value, size_t len, int flags)
{
    KERNEL_CALL("fsetxattr");
    return kernel_result(fsetxattr(fd, name, value, len, flags));
}

ssize_t kernel_flistxattr(int fd, char *ret, size_t size)
{
    KERNEL_CALL("flistxattr");
    return kernel_size_result(flistxattr(fd, ret, size));
}

int kernel_fremovexattr(int fd, const char *name)
{
    KERNEL_CALL("fremovexattr");
    return kernel_result(fremovexattr(fd, name));
}

/* The path forms of Linux 6.13, relative to a directory fd. The numbers are the same on every
   architecture. */
enum { SYS_SETXATTRAT = 463, SYS_GETXATTRAT = 464, SYS_LISTXATTRAT = 465 };

struct xattr_arguments {
    uint64_t value __attribute__((aligned(8)));
    uint32_t size;
    uint32_t flags;
};

/* The directory of our fds in procfs, and the fd's name in it. xattr calls refuse an O_PATH fd, but
   follow its magic link. */
static int open_link(const struct procfs *procfs, int fd, char name[16])
{
    struct stat st;
    int r = kernel_fstat(fd, &st);
    if (r < 0)
        return r;
    if (S_ISLNK(st.st_mode))
        return -ELOOP;
    (void)snprintf(name, 16, "%d", fd);
    return procfs_openat(procfs, "self/fd", O_PATH | O_DIRECTORY);
}

/* Before 6.13: a true open file, for the types whose opening has no effect. */
static int reopen_plain(const struct procfs *procfs, int path_fd)
{
    struct stat st;
    int r = kernel_fstat(path_fd, &st);
    if (r < 0)
        return r;
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return -EOPNOTSUPP;
    return procfs_reopen(procfs, path_fd, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

ssize_t xattr_get_path(
    const struct procfs *procfs, int path_fd, const char *name, void *ret, size_t size)
{
    char link[16];
    autoclose int dirfd = open_link(procfs, path_fd, link);
    if (dirfd < 0)
        return dirfd;
    KERNEL_CALL("getxattrat");
    struct xattr_arguments arguments = { .value = (uint64_t)(uintptr_t)ret,
        .size = (uint32_t)size };
    ssize_t n = kernel_size_result(
        syscall(SYS_GETXATTRAT, dirfd, link, 0, name, &arguments, sizeof(arguments)));
    if (n != -ENOSYS)
        return n;
    autoclose int fd = reopen_plain(procfs, path_fd);
    return fd < 0 ? fd : kernel_fgetxattr(fd, name, ret, size);
}

int xattr_set_path(
    const struct procfs *procfs, int path_fd, const char *name, const void *value, size_t len)
{
    char link[16];
    autoclose int dirfd = open_link(procfs, path_fd, link);
    if (dirfd < 0)
        return dirfd;
    KERNEL_CALL("setxattrat");
    struct xattr_arguments arguments = { .value = (uint64_t)(uintptr_t)value,
        .size = (uint32_t)len };
    int r =
        kernel_result(syscall(SYS_SETXATTRAT, dirfd, link, 0, name, &arguments, sizeof(arguments)));
    if (r != -ENOSYS)
        return r;
    autoclose int fd = reopen_plain(procfs, path_fd);
    return fd < 0 ? fd : kernel_fsetxattr(fd, name, value, len, 0);
}

ssize_t xattr_list_path(const struct procfs *procfs, int path_fd, char *ret, size_t size)
{
    char link[16];
    autoclose int dirfd = open_link(procfs, path_fd, link);
    if (dirfd < 0)
        return dirfd;
    KERNEL_CALL("listxattrat");
    ssize_t n = kernel_size_result(syscall(SYS_LISTXATTRAT, dirfd, link, 0, ret, size));
    if (n != -ENOSYS)
        return n;
    autoclose int fd = reopen_plain(procfs, path_fd);
    return fd < 0 ? fd : kernel_flistxattr(fd, ret, size);
}
