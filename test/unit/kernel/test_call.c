/* SPDX-License-Identifier: Apache-2.0 */
/* The wrappers: negative errno, close-on-exec from birth, no standard stream taken by accident. */
#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "call.h"
#include "kernel_const.h"
#include "kernel_unit.h"

START_TEST(every_new_fd_is_close_on_exec)
{
    int pipe_fds[2];
    ck_assert_int_eq(kernel_pipe2(pipe_fds, 0), 0);
    int fds[] = { kernel_open("/", O_PATH, 0), kernel_openat(AT_FDCWD, "/", O_RDONLY, 0),
        kernel_openat2(AT_FDCWD, "/", O_PATH, 0, 0), kernel_memfd_create("x", 0), pipe_fds[0],
        pipe_fds[1], kernel_dup_above(0, 0), kernel_inotify_init(0), kernel_eventfd(0, 0),
        kernel_timerfd(CLOCK_MONOTONIC) };
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        ck_assert_int_ge(fds[i], 3);
        ck_assert(kernel_unit_is_cloexec(fds[i]));
        (void)close(fds[i]);
    }
}
END_TEST

START_TEST(copy_of_an_fd_stays_off_standard_streams)
{
    int in = kernel_dup_above(0, 0);
    (void)close(0);
    int copy = kernel_dup_above(in, 0);
    ck_assert_int_ge(copy, 3);
    ck_assert_int_ge(kernel_dup_above(in, 100), 100);
    ck_assert_int_eq(kernel_dup3(in, 0, 0), 0);
    ck_assert(!kernel_unit_is_cloexec(0));
}
END_TEST

START_TEST(failure_is_negative_errno)
{
    char link[4];
    struct stat st;
    ck_assert_int_eq(kernel_open("/no/such", O_RDONLY, 0), -ENOENT);
    ck_assert_int_eq((int)kernel_read(999, link, 1), -EBADF);
    ck_assert_int_eq(kernel_fstat(999, &st), -EBADF);
    ck_assert_int_eq((int)kernel_lseek(STDIN_FILENO, -1, 99), -EINVAL);
    ck_assert_int_eq(kernel_readlinkat(AT_FDCWD, "/proc/self", link, 1), -ENAMETOOLONG);
    ck_assert_int_eq(kernel_faccessat(AT_FDCWD, "/no/such", F_OK, 0), -ENOENT);
}
END_TEST

START_TEST(seals_and_flags_are_read_back)
{
    autoclose int fd = kernel_memfd_create("x", MFD_ALLOW_SEALING);
    ck_assert_int_eq((int)kernel_write(fd, "abc", 3), 3);
    ck_assert_int_eq(kernel_add_seals(fd, F_SEAL_WRITE | F_SEAL_SEAL), 0);
    ck_assert_int_eq(kernel_get_seals(fd) & F_SEAL_WRITE, F_SEAL_WRITE);
    ck_assert_int_eq((int)kernel_write(fd, "abc", 3), -EPERM);
    ck_assert_int_eq(kernel_add_seals(fd, F_SEAL_GROW), -EPERM);
    ck_assert_int_eq(kernel_set_flags(fd, O_NONBLOCK), 0);
    ck_assert_int_ne(kernel_get_flags(fd) & O_NONBLOCK, 0);
    ck_assert_int_eq(kernel_set_cloexec(fd, 0), 0);
    ck_assert(!kernel_unit_is_cloexec(fd));
}
END_TEST

START_TEST(close_range_ends_what_is_above)
{
    int a = kernel_dup_above(0, 200);
    int b = kernel_dup_above(0, 200);
    ck_assert_int_eq(kernel_close_range(200, ~0U, 0), 0);
    ck_assert_int_eq(fcntl(a, F_GETFD), -1);
    ck_assert_int_eq(fcntl(b, F_GETFD), -1);
}
END_TEST

START_TEST(names_and_attributes_by_fd)
{
    char path[] = "/tmp/call-test-XXXXXX", text[8], cwd[256];
    struct stat st;
    ck_assert_ptr_nonnull(mkdtemp(path));
    autoclose int dir = kernel_open(path, O_PATH | O_DIRECTORY, 0);
    (void)kernel_umask(0);
    ck_assert_int_eq(kernel_mkdirat(dir, "d", 0711), 0);
    ck_assert_int_eq(kernel_mknodat(dir, "f", S_IFREG | 0600, 0), 0);
    ck_assert_int_eq(kernel_symlinkat("f", dir, "l"), 0);
    ck_assert_int_eq(kernel_linkat(dir, "f", dir, "h", 0), 0);
    ck_assert_int_eq(kernel_renameat2(dir, "h", dir, "l", RENAME_NOREPLACE), -EEXIST);
    ck_assert_int_eq(kernel_readlinkat(dir, "l", text, sizeof(text)), 1);
    ck_assert_str_eq(text, "f");
    autoclose int handle = kernel_openat(dir, "l", O_PATH | O_NOFOLLOW, 0);
    ck_assert_int_eq(kernel_readlinkat(handle, "", text, sizeof(text)), 1);
    struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 2 } };
    autoclose int file = kernel_openat(dir, "f", O_PATH, 0);
    ck_assert_int_eq(kernel_utimensat(file, "", times, AT_EMPTY_PATH), 0);
    ck_assert_int_eq(kernel_fchownat(file, "", getuid(), getgid(), AT_EMPTY_PATH), 0);
    ck_assert_int_eq(kernel_fchmodat(dir, "f", 0640), 0);
    ck_assert_int_eq(kernel_fstatat(dir, "f", &st, 0), 0);
    ck_assert_int_eq(st.st_mtim.tv_sec, 2);
    ck_assert_uint_eq(st.st_mode & 07777, 0640);
    ck_assert_uint_eq(st.st_nlink, 2);
    ck_assert_int_eq(kernel_fchdir(dir), 0);
    ck_assert_int_eq(kernel_getcwd(cwd, sizeof(cwd)), 0);
    ck_assert_str_eq(cwd, path);
    static const char *const names[] = { "f", "l", "h" };
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        ck_assert_int_eq(kernel_unlinkat(dir, names[i], 0), 0);
    ck_assert_int_eq(kernel_unlinkat(dir, "d", AT_REMOVEDIR), 0);
    ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

START_TEST(poll_times_out_with_zero)
{
    int fds[2];
    ck_assert_int_eq(kernel_pipe2(fds, 0), 0);
    struct pollfd poll_fd = { .fd = fds[0], .events = POLLIN };
    ck_assert_int_eq(kernel_poll(&poll_fd, 1, 5), 0);
    ck_assert_int_eq((int)kernel_write(fds[1], "x", 1), 1);
    ck_assert_int_eq(kernel_poll(&poll_fd, 1, -1), 1);
    (void)close(fds[0]);
    (void)close(fds[1]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { every_new_fd_is_close_on_exec,
        copy_of_an_fd_stays_off_standard_streams, failure_is_negative_errno,
        seals_and_flags_are_read_back, close_range_ends_what_is_above, names_and_attributes_by_fd,
        poll_times_out_with_zero };

    return unit_run("call", tests, ARRAY_SIZE(tests));
}
