/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in the running kernel, each in a child of its own. */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arena.h"
#include "cleanup.h"
#include "oci_config.h"
#include "process_attr_apply.h"
#include "process_attr_plan.h"
#include "sandbox_unit.h"
#include "seccomp_call.h"
#include "syscall_filter_apply.h"
#include "syscall_filter_build.h"
#include "syscall_filter_plan.h"

static struct arena arena = ARENA_INIT;

/* Loads a profile that allows all but one call. */
static int load(
    const char *name, enum oci_seccomp_action action, int *ret_listener, struct error *err)
{
    char *names[] = { arena_strdup(&arena, name), NULL };
    struct oci_seccomp_syscall call = { .names = names,
        .n_names = 1,
        .action = action,
        .has_errno_ret = action == OCI_SECCOMP_ERRNO,
        .errno_ret = action == OCI_SECCOMP_ERRNO ? EDOM : 0 };
    const struct oci_seccomp seccomp = { .default_action = OCI_SECCOMP_ALLOW,
        .syscalls = &call,
        .n_syscalls = 1,
        .listener_path = "/run/agent.sock",
        .has_flags = true,
        .flags = OCI_SECCOMP_FLAG_TSYNC | OCI_SECCOMP_FLAG_LOG };
    const struct process_attr_plan attr = { .has_no_new_privs = true };
    struct syscall_filter_plan plan;
    struct syscall_filter filter;
    int r = syscall_filter_plan_build(&arena, &seccomp, true, &plan, err);
    if (r == 0)
        r = syscall_filter_build(&arena, &plan, &filter, err);
    if (r == 0)
        r = no_new_privs_apply(&attr, err);
    return r < 0 ? r : syscall_filter_apply(&filter, ret_listener, err);
}

static int deed_errno(void)
{
    struct error err = ERR_INIT;
    int listener = 0;
    DEED_OK(load("getppid", OCI_SECCOMP_ERRNO, &listener, &err));
    DEED_CHECK(listener == -1);
    DEED_CHECK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    DEED_CHECK(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2);
    DEED_CHECK(syscall(SYS_getppid) == -1 && errno == EDOM);
    DEED_CHECK(syscall(SYS_getpid) > 0);
    return 0;
}

static int deed_kill(void)
{
    struct error err = ERR_INIT;
    int listener;
    DEED_OK(load("getppid", OCI_SECCOMP_KILL_PROCESS, &listener, &err));
    (void)syscall(SYS_getppid);
    return 1;
}

static int deed_notify(void)
{
    struct error err = ERR_INIT;
    int listener = -1;
    DEED_OK(load("getppid", OCI_SECCOMP_NOTIFY, &listener, &err));
    DEED_CHECK(listener > 2);
    pid_t pid = fork();
    if (pid == 0)
        _exit(syscall(SYS_getppid) == 4711 ? 0 : 1);
    struct kernel_notify notify;
    DEED_CHECK(kernel_notify_recv(listener, &notify) == 0);
    DEED_CHECK(notify.number == SYS_getppid);
    DEED_CHECK(kernel_notify_value(listener, notify.id, 4711) == 0);
    int status = 1;
    DEED_CHECK(waitpid(pid, &status, 0) == pid);
    return status;
}

static int deed_refused(void)
{
    struct error err = ERR_INIT;
    int listener = 7;
    const struct syscall_filter filter = { .bytes = (const uint8_t *)"\0\0\0\0\0\0\0\0",
        .n_insns = 1 };
    DEED_CHECK(syscall_filter_apply(&filter, &listener, &err) < 0);
    DEED_CHECK(listener == 7);
    DEED_CHECK(err.code == EINVAL);
    return 0;
}

START_TEST(errno_rule_when_loaded_then_in_force)
{
    ck_assert_int_eq(sandbox_unit_run(deed_errno), 0);
}
END_TEST

START_TEST(kill_rule_when_called_then_sigsys)
{
    ck_assert_int_eq(sandbox_unit_run(deed_kill), 128 + SIGSYS);
}
END_TEST

START_TEST(notify_rule_when_loaded_then_listener_answers)
{
    ck_assert_int_eq(sandbox_unit_run(deed_notify), 0);
}
END_TEST

START_TEST(broken_program_when_loaded_then_error)
{
    ck_assert_int_eq(sandbox_unit_run(deed_refused), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        errno_rule_when_loaded_then_in_force,
        kill_rule_when_called_then_sigsys,
        notify_rule_when_loaded_then_listener_answers,
        broken_program_when_loaded_then_error,
    };
    int r = unit_run("syscall_filter_apply", tests, ARRAY_SIZE(tests));
    arena_done(&arena);
    return r;
}
