/* SPDX-License-Identifier: Apache-2.0 */
/* Whole small files: limits hold, replacing is all or nothing. */
#include <errno.h>
#include <stdint.h>

#include "call.h"
#include "fault.h"
#include "file.h"
#include "kernel_unit.h"

static int new_directory(void)
{
    char path[] = "/tmp/file-test-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(path));
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

static void remove_directory(int fd, const char *const *names, size_t n)
{
    char link[32], path[256];
    for (size_t i = 0; i < n; i++)
        (void)unlinkat(fd, names[i], 0);
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof(path) - 1);
    ck_assert_int_gt((int)len, 0);
    path[len] = '\0';
    ck_assert_int_eq(rmdir(path), 0); /* so nothing else was left */
    (void)close(fd);
}

START_TEST(read_stops_at_the_limit)
{
    int dir = new_directory();
    kernel_unit_write(dir, "f", "12345");
    autofree char *data = NULL;
    size_t len = 0;
    ck_assert_int_eq(file_read(dir, "f", 4, &data, &len), -EFBIG);
    ck_assert_ptr_null(data);
    ck_assert_int_eq(file_read(dir, "f", 5, &data, &len), 0);
    ck_assert_uint_eq(len, 5);
    ck_assert_str_eq(data, "12345");
    ck_assert_int_eq(file_read(dir, "absent", 5, &data, &len), -ENOENT);
    remove_directory(dir, (const char *[]){ "f" }, 1);
}
END_TEST

START_TEST(file_without_a_size_is_read_whole)
{
    autofree char *data = NULL;
    size_t len = 0;
    ck_assert_int_eq(file_read(AT_FDCWD, "/proc/self/maps", 1 << 20, &data, &len), 0);
    ck_assert_uint_gt(len, 100);
    autofree char *big = NULL;
    autoclose int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    ck_assert_int_eq(file_read_fd(zero, 100000, &big, NULL), -EFBIG);
}
END_TEST

START_TEST(line_fits_with_its_nul_or_fails)
{
    int dir = new_directory();
    char line[6];
    kernel_unit_write(dir, "f", "1234\n");
    ck_assert_int_eq((int)file_read_line(dir, "f", line, 6), 4);
    ck_assert_str_eq(line, "1234");
    ck_assert_int_eq((int)file_read_line(dir, "f", line, 5), -EFBIG);
    ck_assert_int_eq((int)file_read_line(dir, "f", line, 0), -EFBIG);
    kernel_unit_write(dir, "f", "");
    ck_assert_int_eq((int)file_read_line(dir, "f", line, 6), 0);
    ck_assert_str_eq(line, "");
    remove_directory(dir, (const char *[]){ "f" }, 1);
}
END_TEST

START_TEST(control_write_follows_no_link)
{
    int dir = new_directory();
    kernel_unit_write(dir, "f", "old");
    ck_assert_int_eq(symlinkat("f", dir, "link"), 0);
    ck_assert_int_eq(file_write_control(dir, "f", "new"), 0);
    ck_assert_int_eq(file_write_control(dir, "link", "evil"), -ELOOP);
    ck_assert_int_eq(file_write_control(dir, "absent", "x"), -ENOENT);
    remove_directory(dir, (const char *[]){ "f", "link" }, 2);
}
END_TEST

START_TEST(replace_keeps_old_file_when_any_call_fails)
{
    int dir = new_directory();
    kernel_unit_write(dir, "f", "old");
    int r = -1;
#ifdef RUNA_FAULT_TABLE
    for (int n = 1; n < 50 && r != 0; n++) {
        char order[32];
        (void)snprintf(order, sizeof(order), "%d:ENOSPC", n);
        (void)setenv("RUNA_FAULT", order, 1);
        kernel_fault_reset();
        unsigned before = kernel_unit_count_fds();
        r = file_replace(dir, "f", "new text", 8, 0600, 1);
        (void)unsetenv("RUNA_FAULT");
        kernel_fault_reset();
        ck_assert_uint_eq(kernel_unit_count_fds(), before);
        char line[16];
        ck_assert_int_gt((int)file_read_line(dir, "f", line, sizeof(line)), 0);
        ck_assert(strcmp(line, "old") == 0 || strcmp(line, "new text") == 0);
    }
#else
    r = file_replace(dir, "f", "new text", 8, 0600, 1);
#endif
    ck_assert_int_eq(r, 0);
    char line[16];
    struct stat st;
    ck_assert_int_eq((int)file_read_line(dir, "f", line, sizeof(line)), 8);
    ck_assert_int_eq(fstatat(dir, "f", &st, 0), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    remove_directory(dir, (const char *[]){ "f" }, 1);
}
END_TEST

START_TEST(lock_is_exclusive_until_closed)
{
    int dir = new_directory();
    int lock = file_lock(dir, "lock", 0);
    ck_assert_int_ge(lock, 0);
    ck_assert_int_eq(file_lock(dir, "lock", 0), -EWOULDBLOCK);
    (void)close(lock);
    autoclose int again = file_lock(dir, "lock", 1);
    ck_assert_int_ge(again, 0);
    remove_directory(dir, (const char *[]){ "lock" }, 1);
}
END_TEST

START_TEST(copy_is_whole_by_every_way)
{
    int dir = new_directory();
    static const char *const sources[] = { "/proc/self/exe", "/proc/cpuinfo" };
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
        autofree char *a = NULL;
        autofree char *b = NULL;
        size_t len_a, len_b;
        autoclose int in = open(sources[i], O_RDONLY | O_CLOEXEC);
        autoclose int out = openat(dir, "f", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        ck_assert_int_eq(file_copy(in, out, 100 << 20), 0);
        ck_assert_int_eq(file_read(AT_FDCWD, sources[i], 100 << 20, &a, &len_a), 0);
        ck_assert_int_eq(file_read(dir, "f", 100 << 20, &b, &len_b), 0);
        if (i == 0) {
            ck_assert_uint_eq(len_a, len_b);
            ck_assert_int_eq(memcmp(a, b, len_a), 0);
        }
        ck_assert_uint_gt(len_b, 0);
    }
    int pipe_fds[2];
    ck_assert_int_eq(pipe(pipe_fds), 0);
    ck_assert_int_eq((int)write(pipe_fds[1], "abc", 3), 3);
    (void)close(pipe_fds[1]);
    autoclose int out = openat(dir, "f", O_RDWR | O_TRUNC | O_CLOEXEC);
    ck_assert_int_eq(file_copy(pipe_fds[0], out, 2), -EFBIG);
    (void)close(pipe_fds[0]);
    remove_directory(dir, (const char *[]){ "f" }, 1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { read_stops_at_the_limit, file_without_a_size_is_read_whole,
        line_fits_with_its_nul_or_fails, control_write_follows_no_link,
        replace_keeps_old_file_when_any_call_fails, lock_is_exclusive_until_closed,
        copy_is_whole_by_every_way };

    return unit_run("file", tests, ARRAY_SIZE(tests));
}
