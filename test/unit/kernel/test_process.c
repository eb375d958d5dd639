/* SPDX-License-Identifier: Apache-2.0 */
/* Programs run to their end: input, output, limits, and nothing of ours reaches them. */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "kernel_unit.h"
#include "process.h"
#include "process_call.h"
#include "procfs.h"
#include "signals.h"

static char output[4096];

static int run_shell(const char *script, struct process_run *run, int *ret_status)
{
    char *argv[] = { (char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)script,
        NULL };
    char *envp[] = { (char *)(uintptr_t) "PATH=/usr/bin:/bin", NULL };
    run->path = "/bin/sh";
    run->argv = argv;
    run->envp = envp;
    run->output = output;
    run->output_size = sizeof(output);
    return process_run(run, ret_status);
}

START_TEST(status_is_decoded)
{
    struct process_run run = PROCESS_RUN_INIT;
    int status = -1;
    ck_assert_int_eq(run_shell("exit 7", &run, &status), 0);
    ck_assert_int_eq(process_exit_code(status), 7);
    ck_assert_int_eq(run_shell("kill -9 $$", &run, &status), 0);
    ck_assert_int_eq(process_exit_code(status), 137);
}
END_TEST

START_TEST(input_and_output_pass_through)
{
    struct process_run run = {
        .dirfd = -1, .timeout_ms = 5000, .input = "{\"a\":1}", .n_input = 7
    };
    size_t n = 0;
    int status = -1;
    run.ret_n_output = &n;
    ck_assert_int_eq(run_shell("cat; echo; echo err >&2; cat /dev/stdin", &run, &status), 0);
    ck_assert_str_eq(output, "{\"a\":1}\nerr\n{\"a\":1}");
    ck_assert_uint_eq(n, strlen(output));
}
END_TEST

START_TEST(much_output_is_cut_but_read_to_the_end)
{
    struct process_run run = PROCESS_RUN_INIT;
    int status = -1;
    ck_assert_int_eq(run_shell("head -c 3000000 /dev/zero | tr '\\0' x; exit 3", &run, &status), 0);
    ck_assert_int_eq(process_exit_code(status), 3);
    ck_assert_uint_eq(strlen(output), sizeof(output) - 1);
}
END_TEST

/* Within a second; a zombie that its new parent has not waited for has ended, too. */
static bool has_ended(pid_t pid)
{
    struct procfs procfs = PROCFS_INIT;
    unsigned long long ticks;
    char state = 0;
    int r = procfs_open_host(&procfs);
    for (int i = 0; i < 100 && r == 0 && state != 'Z'; i++) {
        r = procfs_start_time(&procfs, pid, &ticks, &state);
        (void)nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    procfs_done(&procfs);
    return r == -ESRCH || state == 'Z';
}

START_TEST(time_limit_kills_the_group)
{
    struct process_run run = { .dirfd = -1, .timeout_ms = 100 };
    int status = 42;
    unsigned before = kernel_unit_count_fds();
    ck_assert_int_eq(run_shell("sleep 1000 & echo $!; wait", &run, &status), -ETIMEDOUT);
    ck_assert_int_eq(status, 42);
    ck_assert_uint_eq(kernel_unit_count_fds(), before);
    pid_t sleeper = (pid_t)strtol(output, NULL, 10);
    ck_assert_int_gt(sleeper, 0);
    ck_assert(has_ended(sleeper));
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* reaped */
}
END_TEST

START_TEST(background_descendant_is_not_waited_for)
{
    struct process_run run = { .dirfd = -1, .timeout_ms = 20000 };
    struct timespec start, end;
    int status = -1;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    ck_assert_int_eq(run_shell("sleep 5 & echo $$ begun", &run, &status), 0);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    ck_assert_int_lt(end.tv_sec - start.tv_sec, 4);
    ck_assert_ptr_nonnull(strstr(output, "begun"));
    (void)kill(-(pid_t)strtol(output, NULL, 10), SIGKILL);
}
END_TEST

START_TEST(failing_exec_gives_its_errno)
{
    struct process_run run = PROCESS_RUN_INIT;
    char *argv[] = { (char *)(uintptr_t) "x", NULL };
    int status = 42;
    run.path = "/no/such/program";
    run.argv = argv;
    run.envp = argv + 1;
    unsigned before = kernel_unit_count_fds();
    ck_assert_int_eq(process_run(&run, &status), -ENOENT);
    run.path = "/etc/passwd";
    ck_assert_int_eq(process_run(&run, &status), -EACCES);
    run.path = "sh";
    ck_assert_int_eq(process_run(&run, &status), -EINVAL);
    ck_assert_int_eq(status, 42);
    ck_assert_uint_eq(kernel_unit_count_fds(), before);
}
END_TEST

START_TEST(child_gets_default_signals_and_no_fds)
{
    struct process_run run = { .dirfd = -1, .timeout_ms = 5000 };
    int status = -1;
    int leaked = open("/dev/null", O_RDONLY); /* without close-on-exec, on purpose */
    ck_assert_int_ge(leaked, 3);
    ck_assert_int_eq(signals_ignore(SIGPIPE), 0);
    ck_assert_int_eq(signals_block_all(NULL), 0);
    ck_assert_int_eq(
        run_shell("grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd", &run, &status), 0);
    /* 3: ls reads the directory */
    ck_assert_str_eq(output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0\n1\n2\n3\n");
    (void)close(leaked);
}
END_TEST

START_TEST(working_directory_is_the_fd)
{
    struct process_run run = { .dirfd = open("/usr", O_PATH | O_CLOEXEC), .timeout_ms = 5000 };
    int status = -1;
    ck_assert_int_eq(run_shell("pwd -P", &run, &status), 0);
    ck_assert_str_eq(output, "/usr\n");
    (void)close(run.dirfd);
}
END_TEST

START_TEST(wait_times_out_and_kill_reaps)
{
    int pidfd = -1, status = 0;
    struct kernel_clone clone = { .ret_pidfd = &pidfd, .cgroup_fd = -1, .exit_signal = SIGCHLD };
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0)
        for (;;)
            (void)pause();
    ck_assert_int_eq(process_is_alive(pidfd), 1);
    ck_assert_int_eq(process_wait(pidfd, 20, &status), -ETIMEDOUT);
    process_kill(pidfd);
    ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), -1);
    process_kill(pidfd); /* a second time does no harm */
    (void)close(pidfd);
}
END_TEST

/* bubblewrap-705: a caller that ignores SIGCHLD. */
START_TEST(ignored_sigchld_does_not_lose_the_status)
{
    struct process_run run = { .dirfd = -1, .timeout_ms = 5000 };
    int status = -1;
    ck_assert_int_eq(signals_ignore(SIGCHLD), 0);
    ck_assert_int_eq(signals_reset(), 0); /* what a main does first */
    ck_assert_int_eq(run_shell("exit 7", &run, &status), 0);
    ck_assert_int_eq(process_exit_code(status), 7);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { status_is_decoded, input_and_output_pass_through,
        much_output_is_cut_but_read_to_the_end, time_limit_kills_the_group,
        background_descendant_is_not_waited_for, failing_exec_gives_its_errno,
        child_gets_default_signals_and_no_fds, working_directory_is_the_fd,
        wait_times_out_and_kill_reaps, ignored_sigchld_does_not_lose_the_status };

    return unit_run("process", tests, ARRAY_SIZE(tests));
}
