/* SPDX-License-Identifier: Apache-2.0 */
/* CVE-2019-5736: neither copy of our binary can be written, and a process that runs from one knows
   it. */
#include <errno.h>
#include <time.h>

#include "call.h"
#include "kernel_unit.h"
#include "process_call.h"
#include "procfs.h"
#include "self_exe.h"

#define ASK "--is-protected"

/* Opens the file behind fd for writing in each way there is. */
static void check_cannot_write(const struct procfs *procfs, int fd)
{
    static const int flags[] = { O_WRONLY, O_RDWR, O_WRONLY | O_TRUNC, O_WRONLY | O_APPEND };
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
        autoclose int again = procfs_reopen(procfs, fd, flags[i]);
        if (again >= 0)
            /* a sealed memfd opens, but does not write */
            ck_assert_int_eq((int)write(again, "x", 1), -1);
        ck_assert(again < 0 || errno == EPERM);
        ck_assert_int_eq(ftruncate(again, 0), -1);
    }
}

/* The exit status of this very program run from fd with ASK: 10 + self_exe_is_protected. */
static int ask_copy(int fd)
{
    pid_t pid = fork();
    if (pid == 0) {
        char *argv[] = { (char *)(uintptr_t) "self", (char *)(uintptr_t)ASK, NULL };
        (void)kernel_execveat(fd, "", argv, environ, AT_EMPTY_PATH);
        _exit(99);
    }
    return kernel_unit_exit_status(pid);
}

START_TEST(plain_binary_is_not_protected)
{
    struct procfs procfs = PROCFS_INIT;
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    ck_assert_int_eq(self_exe_is_protected(&procfs), 0);
    procfs_done(&procfs);
}
END_TEST

START_TEST(memfd_copy_is_sealed_and_runs)
{
    struct procfs procfs = PROCFS_INIT;
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    autoclose int fd = self_exe_open_memfd(&procfs);
    ck_assert_int_ge(fd, 0);
    ck_assert(kernel_unit_is_cloexec(fd));
    check_cannot_write(&procfs, fd);
    ck_assert_int_eq(fchmod(fd, 0644), -1);
    ck_assert_int_eq(ask_copy(fd), 11);
    procfs_done(&procfs);
}
END_TEST

START_TEST(overlay_copy_is_read_only_and_runs)
{
    struct procfs procfs = PROCFS_INIT;
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    unsigned before = kernel_unit_count_fds();
    autoclose int fd = self_exe_open_overlay(&procfs);
    ck_assert_int_ge(fd, 0);
    ck_assert_uint_eq(kernel_unit_count_fds(), before + 1);
    check_cannot_write(&procfs, fd);
    ck_assert_int_eq(ask_copy(fd), 11);
    procfs_done(&procfs);
}
END_TEST

static double microseconds(int (*open_copy)(const struct procfs *), const struct procfs *procfs)
{
    struct timespec start, end;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < 20; i++) {
        autoclose int fd = open_copy(procfs);
        ck_assert_int_ge(fd, 0);
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    return ((double)(end.tv_sec - start.tv_sec) * 1e6 +
               (double)(end.tv_nsec - start.tv_nsec) / 1e3) /
           20;
}

START_TEST(first_choice_works_and_cost_is_printed)
{
    struct procfs procfs = PROCFS_INIT;
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    autoclose int fd = self_exe_open(&procfs);
    ck_assert_int_ge(fd, 0);
    printf("self_exe: overlay %.0f us, memfd %.0f us\n",
        microseconds(self_exe_open_overlay, &procfs), microseconds(self_exe_open_memfd, &procfs));
    procfs_done(&procfs);
}
END_TEST

int main(int argc, char **argv)
{
    const TTest *const tests[] = { plain_binary_is_not_protected, memfd_copy_is_sealed_and_runs,
        overlay_copy_is_read_only_and_runs, first_choice_works_and_cost_is_printed };

    if (argc == 2 && strcmp(argv[1], ASK) == 0) {
        struct procfs procfs = PROCFS_INIT;
        int r = procfs_open(&procfs, PROCFS_PIDS);
        r = r < 0 ? r : self_exe_is_protected(&procfs);
        procfs_done(&procfs);
        return 10 + r;
    }
    if (kernel_unit_lacks_root("self_exe"))
        return SKIPPED;
    return unit_run("self_exe", tests, ARRAY_SIZE(tests));
}
