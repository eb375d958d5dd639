/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose: wrappers of the system calls on descriptors and names.
 * Longer than 300 lines: a list of one-line functions.
 */
#include "call.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include <linux/openat2.h>

#include "kernel_internal.h"

#define SEND_CHUNK_MAX 0x7ffff000U /* what one read or write moves at most */

int kernel_open(const char *host_path, int flags, mode_t mode)
{
    KERNEL_CALL("open");
    return kernel_result(KERNEL_RETRY(open(host_path, flags | O_CLOEXEC, mode)));
}

int kernel_openat(int dirfd, const char *path, int flags, mode_t mode)
{
    KERNEL_CALL("openat");
    return kernel_result(KERNEL_RETRY(openat(dirfd, path, flags | O_CLOEXEC, mode)));
}

int kernel_openat2(int dirfd, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve)
{
    KERNEL_CALL("openat2");
    struct open_how how = { .flags = flags | O_CLOEXEC, .mode = mode, .resolve = resolve };
    return kernel_result(KERNEL_RETRY(syscall(SYS_openat2, dirfd, path, &how, sizeof(how))));
}

int kernel_memfd_create(const char *name, unsigned flags)
{
    KERNEL_CALL("memfd_create");
    return kernel_result(memfd_create(name, flags | MFD_CLOEXEC));
}

int kernel_pipe2(int ret_fds[2], int flags)
{
    KERNEL_CALL("pipe2");
    return kernel_result(pipe2(ret_fds, flags | O_CLOEXEC));
}

int kernel_dup_above(int fd, int floor)
{
    KERNEL_CALL("dup_above");
    return kernel_result(fcntl(fd, F_DUPFD_CLOEXEC, floor < 3 ? 3 : floor));
}

int kernel_dup3(int fd, int new_fd, int flags)
{
    KERNEL_CALL("dup3");
    return kernel_result(KERNEL_RETRY(dup3(fd, new_fd, flags)));
}

int kernel_close_range(unsigned first, unsigned last, unsigned flags)
{
    KERNEL_CALL("close_range");
    return kernel_result(syscall(SYS_close_range, first, last, flags));
}

int kernel_set_cloexec(int fd, int is_on)
{
    KERNEL_CALL("set_cloexec");
    return kernel_result(fcntl(fd, F_SETFD, is_on ? FD_CLOEXEC : 0));
}

int kernel_get_flags(int fd)
{
    KERNEL_CALL("get_flags");
    return kernel_result(fcntl(fd, F_GETFL));
}

int kernel_set_flags(int fd, int flags)
{
    KERNEL_CALL("set_flags");
    return kernel_result(fcntl(fd, F_SETFL, flags));
}

int kernel_add_seals(int fd, int seals)
{
    KERNEL_CALL("add_seals");
    return kernel_result(fcntl(fd, F_ADD_SEALS, seals));
}

int kernel_get_seals(int fd)
{
    KERNEL_CALL("get_seals");
    return kernel_result(fcntl(fd, F_GET_SEALS));
}

ssize_t kernel_read(int fd, void *data, size_t size)
{
    KERNEL_CALL("read");
    return kernel_size_result(KERNEL_RETRY(read(fd, data, size)));
}

ssize_t kernel_pread(int fd, void *data, size_t size, off_t offset)
{
    KERNEL_CALL("pread");
    return kernel_size_result(KERNEL_RETRY(pread(fd, data, size, offset)));
}

ssize_t kernel_write(int fd, const void *data, size_t len)
{
    KERNEL_CALL("write");
    return kernel_size_result(KERNEL_RETRY(write(fd, data, len)));
}

ssize_t kernel_sendfile(int out_fd, int in_fd, size_t len)
{
    KERNEL_CALL("sendfile");
    return kernel_size_result(
        KERNEL_RETRY(sendfile(out_fd, in_fd, NULL, len < SEND_CHUNK_MAX ? len : SEND_CHUNK_MAX)));
}

ssize_t kernel_copy_file_range(int in_fd, int out_fd, size_t len)
{
    KERNEL_CALL("copy_file_range");
    return kernel_size_result(KERNEL_RETRY(copy_file_range(in_fd, NULL, out_fd, NULL, len, 0)));
}

ssize_t kernel_getrandom(void *data, size_t size)
{
    KERNEL_CALL("getrandom");
    return kernel_size_result(KERNEL_RETRY(getrandom(data, size, 0)));
}

off_t kernel_lseek(int fd, off_t offset, int whence)
{
    KERNEL_CALL("lseek");
    return kernel_size_result(lseek(fd, offset, whence));
}

int kernel_ftruncate(int fd, off_t length)
{
    KERNEL_CALL("ftruncate");
    return kernel_result(KERNEL_RETRY(ftruncate(fd, length)));
}

int kernel_fsync(int fd)
{
    KERNEL_CALL("fsync");
    return kernel_result(KERNEL_RETRY(fsync(fd)));
}

int kernel_syncfs(int fd)
{
    KERNEL_CALL("syncfs");
    return kernel_result(syncfs(fd));
}

int kernel_flock(int fd, int operation)
{
    KERNEL_CALL("flock");
    return kernel_result(KERNEL_RETRY(flock(fd, operation)));
}

int kernel_poll(struct pollfd *fds, size_t n_fds, int timeout_ms)
{
    KERNEL_CALL("poll");
    return kernel_result(poll(fds, n_fds, timeout_ms));
}

int kernel_fstat(int fd, struct stat *ret)
{
    KERNEL_CALL("fstat");
    return kernel_result(fstat(fd, ret));
}

int kernel_fstatat(int dirfd, const char *path, struct stat *ret, int flags)
{
    KERNEL_CALL("fstatat");
    return kernel_result(fstatat(dirfd, path, ret, flags));
}

int kernel_statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *ret)
{
    KERNEL_CALL("statx");
    return kernel_result(statx(dirfd, path, flags, mask, ret));
}

int kernel_fstatfs(int fd, struct statfs *ret)
{
    KERNEL_CALL("fstatfs");
    return kernel_result(KERNEL_RETRY(fstatfs(fd, ret)));
}

int kernel_faccessat(int dirfd, const char *path, int mode, int flags)
{
    KERNEL_CALL("faccessat");
    /* The C library emulates flags on old kernels; faccessat2 (5.8) does not need that. */
    return kernel_result(syscall(SYS_faccessat2, dirfd, path, mode, flags));
}

int kernel_readlinkat(int dirfd, const char *path, char *ret, size_t size)
{
    KERNEL_CALL("readlinkat");
    ssize_t n = kernel_size_result(readlinkat(dirfd, path, ret, size));
    if (n < 0)
        return (int)n;
    if ((size_t)n >= size)
        return -ENAMETOOLONG;
    ret[n] = '\0';
    return (int)n;
}

int kernel_mkdirat(int dirfd, const char *path, mode_t mode)
{
    KERNEL_CALL("mkdirat");
    return kernel_result(mkdirat(dirfd, path, mode));
}

int kernel_mknodat(int dirfd, const char *path, mode_t mode, dev_t dev)
{
    KERNEL_CALL("mknodat");
    return kernel_result(mknodat(dirfd, path, mode, dev));
}

int kernel_symlinkat(const char *target, int dirfd, const char *path)
{
    KERNEL_CALL("symlinkat");
    return kernel_result(symlinkat(target, dirfd, path));
}

int kernel_linkat(
    int old_dirfd, const char *old_path, int new_dirfd, const char *new_path, int flags)
{
    KERNEL_CALL("linkat");
    return kernel_result(linkat(old_dirfd, old_path, new_dirfd, new_path, flags));
}

int kernel_unlinkat(int dirfd, const char *path, int flags)
{
    KERNEL_CALL("unlinkat");
    return kernel_result(unlinkat(dirfd, path, flags));
}

int kernel_renameat2(
    int old_dirfd, const char *old_path, int new_dirfd, const char *new_path, unsigned flags)
{
    KERNEL_CALL("renameat2");
    return kernel_result(renameat2(old_dirfd, old_path, new_dirfd, new_path, flags));
}

int kernel_fchmod(int fd, mode_t mode)
{
    KERNEL_CALL("fchmod");
    return kernel_result(fchmod(fd, mode));
}

int kernel_fchmodat(int dirfd, const char *path, mode_t mode)
{
    KERNEL_CALL("fchmodat");
    return kernel_result(fchmodat(dirfd, path, mode, 0));
}

int kernel_fchown(int fd, uid_t uid, gid_t gid)
{
    KERNEL_CALL("fchown");
    return kernel_result(fchown(fd, uid, gid));
}

int kernel_fchownat(int dirfd, const char *path, uid_t uid, gid_t gid, int flags)
{
    KERNEL_CALL("fchownat");
    return kernel_result(fchownat(dirfd, path, uid, gid, flags));
}

int kernel_utimensat(int dirfd, const char *path, const struct timespec times[2], int flags)
{
    KERNEL_CALL("utimensat");
    /* The C library refuses "" with AT_EMPTY_PATH, which the kernel takes. */
    return kernel_result(syscall(SYS_utimensat, dirfd, path, times, flags));
}

mode_t kernel_umask(mode_t mask)
{
    return umask(mask);
}

int kernel_fchdir(int fd)
{
    KERNEL_CALL("fchdir");
    return kernel_result(fchdir(fd));
}

int kernel_chroot(const char *path)
{
    KERNEL_CALL("chroot");
    return kernel_result(chroot(path));
}

int kernel_getcwd(char *ret, size_t size)
{
    KERNEL_CALL("getcwd");
    long n = syscall(SYS_getcwd, ret, size);
    if (n < 0)
        return -errno;
    /* "(unreachable)/..." : the directory is not below our root. */
    return ret[0] == '/' ? 0 : -ENOENT;
}

ssize_t kernel_getdents(int fd, void *data, size_t size)
{
    KERNEL_CALL("getdents");
    return kernel_size_result(syscall(SYS_getdents64, fd, data, size));
}

int kernel_inotify_init(int flags)
{
    KERNEL_CALL("inotify_init");
    return kernel_result(inotify_init1(flags | IN_CLOEXEC));
}

int kernel_eventfd(unsigned value, int flags)
{
    KERNEL_CALL("eventfd");
    return kernel_result(eventfd(value, flags | EFD_CLOEXEC));
}

int kernel_timerfd(int clock)
{
    KERNEL_CALL("timerfd");
    return kernel_result(timerfd_create(clock, TFD_CLOEXEC | TFD_NONBLOCK));
}
