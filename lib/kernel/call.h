/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  One thin wrapper per system call on descriptors and names: a value >= 0, or -errno. No
 *          policy, no logging, no retry but of EINTR where nothing has happened yet. Every
 *          descriptor is close-on-exec from birth. Siblings: mount_call.h, process_call.h,
 *          credential.h, seccomp_call.h, socket_call.h, xattr.h, keyring.h, bpf.h.
 * Runs in  any
 * Trusts   the caller: names inside a container root go through root.h, never through kernel_open.
 * Owns     a returned fd is the caller's
 * Source   man 2 pages of the same name; openat2(2) Linux 5.6, close_range(2) 5.9
 *
 * Longer than 120 lines: a list.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct iovec;
struct pollfd;
struct stat;
struct statfs;
struct statx;

/* --- open --- */
int kernel_open(const char *host_path, int flags, mode_t mode);
int kernel_openat(int dirfd, const char *path, int flags, mode_t mode);
int kernel_openat2(int dirfd, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve);
int kernel_memfd_create(const char *name, unsigned flags);
int kernel_pipe2(int ret_fds[2], int flags);
/* A copy with a number of at least floor; floor is 3 or more, so that it never becomes a standard
   stream. */
int kernel_dup_above(int fd, int floor);
/* flags: 0 for a standard stream of the payload, or O_CLOEXEC */
int kernel_dup3(int fd, int new_fd, int flags);
int kernel_close_range(unsigned first, unsigned last, unsigned flags);
int kernel_set_cloexec(int fd, int is_on);
int kernel_get_flags(int fd); /* F_GETFL */
int kernel_set_flags(int fd, int flags);
int kernel_add_seals(int fd, int seals);
int kernel_get_seals(int fd);

/* --- data --- */
ssize_t kernel_read(int fd, void *data, size_t size);
ssize_t kernel_pread(int fd, void *data, size_t size, off_t offset);
ssize_t kernel_write(int fd, const void *data, size_t len);
ssize_t kernel_sendfile(int out_fd, int in_fd, size_t len);
ssize_t kernel_copy_file_range(int in_fd, int out_fd, size_t len);
ssize_t kernel_getrandom(void *data, size_t size);
off_t kernel_lseek(int fd, off_t offset, int whence);
int kernel_ftruncate(int fd, off_t length);
int kernel_fsync(int fd);
int kernel_syncfs(int fd);
int kernel_flock(int fd, int operation); /* LOCK_EX|LOCK_NB: -EWOULDBLOCK when held */
/* -1: for ever. 0 on timeout; an EINTR is returned, as time has passed. */
int kernel_poll(struct pollfd *fds, size_t n_fds, int timeout_ms);

/* --- facts --- */
int kernel_fstat(int fd, struct stat *ret);
int kernel_fstatat(int dirfd, const char *path, struct stat *ret, int flags);
int kernel_statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *ret);
int kernel_fstatfs(int fd, struct statfs *ret);
int kernel_faccessat(int dirfd, const char *path, int mode, int flags);
/* The target as a string. -ENAMETOOLONG when it does not fit with its NUL. "" as path reads the
   link that fd is. */
int kernel_readlinkat(int dirfd, const char *path, char *ret, size_t size);

/* --- names --- */
int kernel_mkdirat(int dirfd, const char *path, mode_t mode);
int kernel_mknodat(int dirfd, const char *path, mode_t mode, dev_t dev);
int kernel_symlinkat(const char *target, int dirfd, const char *path);
int kernel_linkat(
    int old_dirfd, const char *old_path, int new_dirfd, const char *new_path, int flags);
int kernel_unlinkat(int dirfd, const char *path, int flags);
int kernel_renameat2(
    int old_dirfd, const char *old_path, int new_dirfd, const char *new_path, unsigned flags);

/* --- attributes --- */
int kernel_fchmod(int fd, mode_t mode);
/* follows a symlink: for names just made with O_EXCL */
int kernel_fchmodat(int dirfd, const char *path, mode_t mode);
int kernel_fchown(int fd, uid_t uid, gid_t gid);
/* works on O_PATH with AT_EMPTY_PATH */
int kernel_fchownat(int dirfd, const char *path, uid_t uid, gid_t gid, int flags);
int kernel_utimensat(int dirfd, const char *path, const struct timespec times[2], int flags);
mode_t kernel_umask(mode_t mask); /* never fails */

/* --- directories --- */
int kernel_fchdir(int fd);
int kernel_chroot(const char *path);
int kernel_getcwd(char *ret, size_t size);
/* Raw entries (struct dirent64 records); see directory.h for the comfortable form. */
ssize_t kernel_getdents(int fd, void *data, size_t size);

/* --- watches --- */
int kernel_inotify_init(int flags);
int kernel_eventfd(unsigned value, int flags);
int kernel_timerfd(int clock);
