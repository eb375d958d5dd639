/* SPDX-License-Identifier: Apache-2.0 */
/* Filters are loaded; a listener's notifications are answered. */
#include <errno.h>
#include <sys/syscall.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "channel.h"
#include "credential.h"
#include "kernel_const.h"
#include "kernel_unit.h"
#include "seccomp_call.h"

/* getppid gets the action, all else is allowed. */
static size_t make_filter(struct sock_filter program[4], uint32_t action)
{
    program[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
    program[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1);
    program[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
    program[3] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return 4 * sizeof(struct sock_filter);
}

START_TEST(filter_denies_with_its_errno)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct sock_filter program[4];
        size_t n_bytes = make_filter(program, SECCOMP_RET_ERRNO | EMLINK);
        if (kernel_set_no_new_privs() < 0 || kernel_seccomp_load(program, n_bytes, 0) < 0)
            _exit(1);
        _exit(syscall(SYS_getppid) == -1 && errno == EMLINK ? 0 : 2);
    }
    ck_assert_int_eq(kernel_unit_exit_status(pid), 0);
}
END_TEST

START_TEST(malformed_program_is_refused)
{
    struct sock_filter program[4];
    size_t n_bytes = make_filter(program, SECCOMP_RET_ALLOW);
    ck_assert_int_eq(kernel_seccomp_load(program, 0, 0), -EINVAL);
    ck_assert_int_eq(kernel_seccomp_load(program, n_bytes - 1, 0), -EINVAL);
    ck_assert_int_eq(kernel_seccomp_load(program, 5000 * sizeof(program[0]), 0), -EINVAL);
    ck_assert_int_eq(kernel_seccomp_action_available(SECCOMP_RET_USER_NOTIF), 0);
    ck_assert_int_eq(kernel_seccomp_action_available(0x12340000), -EOPNOTSUPP);
}
END_TEST

static _Noreturn void watched_main(int socket)
{
    struct sock_filter program[4];
    size_t n_bytes = make_filter(program, SECCOMP_RET_USER_NOTIF);
    if (kernel_set_no_new_privs() < 0)
        _exit(1);
    int listener = kernel_seccomp_load(program, n_bytes, KERNEL_SECCOMP_FLAG_NEW_LISTENER);
    if (listener < 0 || !kernel_unit_is_cloexec(listener) ||
        channel_send(socket, 1, NULL, 0, &listener, 1) < 0)
        _exit(2);
    if (syscall(SYS_getppid) != -1 || errno != EXDEV)
        _exit(3);
    if (syscall(SYS_getppid) != 4242)
        _exit(4);
    int fd = (int)syscall(SYS_getppid);
    _exit(fd >= 0 && kernel_unit_is_cloexec(fd) ? 0 : 5);
}

START_TEST(notifications_are_answered)
{
    int pair[2];
    ck_assert_int_eq(channel_open_pair(pair), 0);
    pid_t pid = fork();
    if (pid == 0)
        watched_main(pair[1]);
    struct channel_message message;
    ck_assert_int_eq(channel_recv(pair[0], 5000, NULL, 0, &message), 0);
    ck_assert_uint_eq(message.n_fds, 1);
    int listener = message.fds[0];
    struct kernel_notify notify;
    ck_assert_int_eq(kernel_notify_recv(listener, &notify), 0);
    ck_assert_int_eq(notify.pid, pid);
    ck_assert_int_eq(notify.number, SYS_getppid);
    ck_assert_int_eq(kernel_notify_valid(listener, notify.id), 0);
    ck_assert_int_eq(kernel_notify_error(listener, notify.id, EXDEV), 0);
    ck_assert_int_eq(kernel_notify_valid(listener, notify.id), -ENOENT);
    ck_assert_int_eq(kernel_notify_recv(listener, &notify), 0);
    ck_assert_int_eq(kernel_notify_value(listener, notify.id, 4242), 0);
    ck_assert_int_eq(kernel_notify_recv(listener, &notify), 0);
    ck_assert_int_ge(kernel_notify_add_fd(listener, notify.id, STDIN_FILENO, true, true), 0);
    ck_assert_int_eq(kernel_unit_exit_status(pid), 0);
    channel_message_done(&message);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { filter_denies_with_its_errno, malformed_program_is_refused,
        notifications_are_answered };

    return unit_run("seccomp_call", tests, ARRAY_SIZE(tests));
}
