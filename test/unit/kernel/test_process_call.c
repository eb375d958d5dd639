/* SPDX-License-Identifier: Apache-2.0 */
/* clone3, pidfds, limits, scheduling. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "kernel_const.h"
#include "kernel_unit.h"
#include "process_call.h"

START_TEST(child_of_clone3_has_its_own_memory_and_a_pidfd)
{
    static int shared = 1;
    int pidfd = -1, status = -1;
    struct kernel_clone clone = { .ret_pidfd = &pidfd, .cgroup_fd = -1, .exit_signal = SIGCHLD };
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0) {
        shared = 2;
        _exit(shared + 3);
    }
    ck_assert_int_gt(pid, 0);
    ck_assert_int_ge(pidfd, 3);
    ck_assert(kernel_unit_is_cloexec(pidfd));
    ck_assert_int_eq(kernel_wait(pidfd, WNOWAIT, &status), 0);
    ck_assert_int_eq(kernel_wait(pidfd, 0, &status), 0);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 5);
    ck_assert_int_eq(shared, 1);
    ck_assert_int_eq(kernel_wait(pidfd, 0, &status), -ECHILD);
    ck_assert_int_eq(kernel_pidfd_send_signal(pidfd, 0), -ESRCH);
    (void)close(pidfd);
}
END_TEST

START_TEST(signalled_child_is_decoded_like_waitpid)
{
    int pidfd = -1, status = -1;
    struct kernel_clone clone = { .ret_pidfd = &pidfd, .cgroup_fd = -1, .exit_signal = SIGCHLD };
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0)
        for (;;)
            (void)pause();
    ck_assert_int_eq(kernel_wait(pidfd, WNOHANG, &status), -EAGAIN);
    ck_assert_int_eq(kernel_pidfd_send_signal(pidfd, SIGUSR1), 0);
    ck_assert_int_eq(kernel_wait(pidfd, 0, &status), 0);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGUSR1);
    (void)close(pidfd);
}
END_TEST

START_TEST(failed_clone_leaves_pidfd_untouched)
{
    int pidfd = -7;
    struct kernel_clone clone = {
        .flags = CLONE_SIGHAND, .ret_pidfd = &pidfd, .cgroup_fd = -1, .exit_signal = SIGCHLD
    };
    ck_assert_int_eq(kernel_clone3(&clone), -EINVAL);
    ck_assert_int_eq(pidfd, -7);
}
END_TEST

START_TEST(limits_and_priorities_are_read_back)
{
    struct rlimit limit = { .rlim_cur = 100, .rlim_max = 100 }, old = { 0 };
    ck_assert_int_eq(kernel_prlimit(0, RLIMIT_NOFILE, &limit, NULL), 0);
    ck_assert_int_eq(kernel_prlimit(0, RLIMIT_NOFILE, NULL, &old), 0);
    ck_assert_uint_eq(old.rlim_max, 100);
    struct kernel_sched_attr attr = { .policy = SCHED_BATCH, .nice = 5 };
    ck_assert_int_eq(kernel_sched_setattr(0, &attr), 0);
    struct kernel_sched_attr now = { 0 };
    ck_assert_int_eq(kernel_sched_getattr(0, &now), 0);
    ck_assert_uint_eq(now.policy, SCHED_BATCH);
    ck_assert_int_eq(now.nice, 5);
    int value = KERNEL_IOPRIO_VALUE(KERNEL_IOPRIO_CLASS_BE, 6);
    ck_assert_int_eq(kernel_ioprio_set(0, value), 0);
    ck_assert_int_eq(kernel_ioprio_get(0), value);
    ck_assert_int_eq(kernel_personality(0xffffffff), 0);
}
END_TEST

START_TEST(non_dumpable_is_read_back)
{
    ck_assert_int_eq(kernel_get_dumpable(), 1);
    ck_assert_int_eq(kernel_set_dumpable(0), 0);
    ck_assert_int_eq(kernel_get_dumpable(), 0);
    ck_assert_int_eq(kernel_set_dumpable(1), 0); /* the leak checker traces us */
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { child_of_clone3_has_its_own_memory_and_a_pidfd,
        signalled_child_is_decoded_like_waitpid, failed_clone_leaves_pidfd_untouched,
        limits_and_priorities_are_read_back, non_dumpable_is_read_back };

    return unit_run("process_call", tests, ARRAY_SIZE(tests));
}
