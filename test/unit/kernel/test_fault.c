/* SPDX-License-Identifier: Apache-2.0 */
/* The fault table: the Nth call fails, in whichever process it happens. */
#include <errno.h>

#include "call.h"
#include "cgroupfs.h"
#include "fault.h"
#include "kernel_unit.h"
#include "namespace.h"
#include "process.h"
#include "process_call.h"
#include "procfs.h"
#include "role.h"
#include "root.h"
#include "self_exe.h"
#include "socket_call.h"

#ifdef RUNA_FAULT_TABLE
static void order(const char *fault, const char *log)
{
    (void)unsetenv("RUNA_FAULT");
    (void)unsetenv("RUNA_FAULT_LOG");
    if (fault)
        (void)setenv("RUNA_FAULT", fault, 1);
    if (log)
        (void)setenv("RUNA_FAULT_LOG", log, 1);
    kernel_fault_reset();
}

static int stat_once(void)
{
    struct stat st;
    return kernel_fstat(0, &st);
}

START_TEST(nothing_fails_without_order)
{
    order(NULL, NULL);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(stat_once(), 0);
}
END_TEST

START_TEST(nth_call_fails_once_with_eio)
{
    order("3", NULL);
    ck_assert_int_eq(stat_once(), 0);
    ck_assert_int_eq(stat_once(), 0);
    ck_assert_int_eq(stat_once(), -EIO);
    ck_assert_int_eq(stat_once(), 0);
}
END_TEST

START_TEST(errno_by_name_and_number)
{
    order("1:EPERM", NULL);
    ck_assert_int_eq(stat_once(), -EPERM);
    order("1:28", NULL);
    ck_assert_int_eq(stat_once(), -ENOSPC);
}
END_TEST

START_TEST(named_call_fails_at_its_own_count)
{
    order("memfd_create:ENFILE:2", NULL);
    int first = kernel_memfd_create("a", 0);
    ck_assert_int_ge(first, 0);
    ck_assert_int_eq(stat_once(), 0);
    ck_assert_int_eq(kernel_memfd_create("b", 0), -ENFILE);
    int third = kernel_memfd_create("c", 0);
    ck_assert_int_ge(third, 0);
    order("fstat:EACCES", NULL);
    ck_assert_int_eq(stat_once(), -EACCES);
    (void)close(first);
    (void)close(third);
}
END_TEST

START_TEST(calls_of_other_roles_do_not_count)
{
    order("init/2:EPERM", NULL);
    role_set(ROLE_PARENT);
    ck_assert_int_eq(stat_once(), 0);
    ck_assert_int_eq(stat_once(), 0);
    role_set(ROLE_INIT);
    ck_assert_int_eq(stat_once(), 0);
    role_set(ROLE_PARENT);
    ck_assert_int_eq(stat_once(), 0);
    role_set(ROLE_INIT);
    ck_assert_int_eq(stat_once(), -EPERM);
    order("init/fstat:EACCES", NULL);
    (void)kernel_get_dumpable();
    ck_assert_int_eq(stat_once(), -EACCES);
}
END_TEST

START_TEST(order_is_gone_once_carried_out)
{
    order("1", NULL);
    ck_assert_int_eq(stat_once(), -EIO);
    ck_assert_ptr_null(getenv("RUNA_FAULT"));
}
END_TEST

START_TEST(kill_ends_the_process_before_the_call)
{
    order("2:KILL", NULL);
    struct kernel_clone clone = KERNEL_CLONE_INIT;
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0) {
        (void)stat_once();
        _exit(0);
    }
    ck_assert_int_gt(pid, 0);
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGKILL);
}
END_TEST

START_TEST(child_counts_on_in_the_same_counter)
{
    order("4", NULL);
    ck_assert_int_eq(stat_once(), 0);
    struct kernel_clone clone = KERNEL_CLONE_INIT;
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0)
        _exit(stat_once() == 0 && stat_once() == -EIO ? 0 : 1);
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(kernel_unit_exit_status(pid), 0);
    ck_assert_int_eq(stat_once(), 0);
}
END_TEST

START_TEST(log_names_call_and_role)
{
    char path[] = "/tmp/fault-log-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    order(NULL, path);
    role_set(ROLE_INIT);
    ck_assert_int_eq(stat_once(), 0);
    (void)kernel_get_dumpable();
    char record[513] = "";
    ck_assert_int_eq((int)pread(fd, record, 512, 0), 512);
    ck_assert_ptr_nonnull(strstr(record, "1 fstat init "));
    ck_assert_ptr_nonnull(strstr(record + 256, "2 get_dumpable init "));
    ck_assert_ptr_null(strchr(record, '!'));
    (void)close(fd);
    (void)unlink(path);
}
END_TEST

/* Operations that make several calls: whichever of them fails, no fd and no process is left. */
static struct procfs procfs = PROCFS_INIT;
static struct root root = ROOT_INIT;

static int run_program(void)
{
    char *argv[] = { (char *)(uintptr_t) "true", NULL };
    char output[64];
    struct process_run run = { .path = "/bin/true",
        .argv = argv,
        .envp = argv + 1,
        .dirfd = root.fd,
        .input = "x",
        .n_input = 1,
        .output = output,
        .output_size = sizeof(output),
        .timeout_ms = 5000 };
    int status = 0;
    int r = process_run(&run, &status);
    return r < 0 ? r : process_exit_code(status);
}

static int make_directories(void)
{
    return root_mkdirs(&root, "link/a/../b", 0755);
}

static int make_file(void)
{
    return root_create_file(&root, "link/c/file", 0644);
}

static int new_user(void)
{
    return namespace_new_user(&procfs, "0 0 1\n", "0 0 1\n");
}

static int copy_self(void)
{
    return self_exe_open_memfd(&procfs);
}

static int overlay_self(void)
{
    return self_exe_open_overlay(&procfs);
}

static int listen_at_name(void)
{
    (void)unlinkat(root.fd, "socket", 0);
    return unix_listen(root.fd, "socket", SOCK_STREAM, 0600, 1);
}

static int open_proc(void)
{
    struct procfs own = PROCFS_INIT;
    int r = procfs_open(&own, PROCFS_PIDS);
    procfs_done(&own);
    return r;
}

static int find_cgroups(void)
{
    struct cgroupfs cgroupfs = CGROUPFS_INIT;
    int r = cgroupfs_open(&cgroupfs);
    cgroupfs_done(&cgroupfs);
    return r == -ENOENT ? 0 : r;
}

static void sweep(const char *name, int (*operation)(void))
{
    int r = -1;
    int n = 0;
    order(NULL, NULL);
    unsigned before = kernel_unit_count_fds();
    while (r < 0) {
        char text[32];
        ck_assert_msg(++n < 200, "%s: never succeeds: %d", name, r);
        (void)snprintf(text, sizeof(text), "%d:ENOMEM", n);
        order(text, NULL);
        r = operation();
        order(NULL, NULL);
        if (r > 2)
            (void)close(r);
        ck_assert_msg(kernel_unit_count_fds() == before, "%s: call %d: fds are left", name, n);
        ck_assert_msg(
            waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "%s: call %d: a child", name, n);
    }
}

START_TEST(every_failing_call_leaves_nothing)
{
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    sweep("self_exe_open_memfd", copy_self);
    sweep("self_exe_open_overlay", overlay_self); /* before the build's directory is hidden */
    autoclose int tmp = kernel_unit_private_directory();
    ck_assert_int_eq(root_open(&root, tmp, "."), 0);
    ck_assert_int_eq(symlinkat("/target", tmp, "link"), 0);
    sweep("process_run", run_program);
    sweep("root_mkdirs", make_directories);
    sweep("root_create_file", make_file);
    sweep("namespace_new_user", new_user);
    sweep("unix_listen", listen_at_name);
    sweep("procfs_open", open_proc);
    sweep("cgroupfs_open", find_cgroups);
    root_done(&root);
    procfs_done(&procfs);
}
END_TEST
#endif

int main(void)
{
#ifdef RUNA_FAULT_TABLE
    if (kernel_unit_lacks_root("fault"))
        return SKIPPED;
    const TTest *const tests[] = { nothing_fails_without_order, nth_call_fails_once_with_eio,
        errno_by_name_and_number, named_call_fails_at_its_own_count,
        calls_of_other_roles_do_not_count, order_is_gone_once_carried_out,
        kill_ends_the_process_before_the_call, child_counts_on_in_the_same_counter,
        log_names_call_and_role,
        every_failing_call_leaves_nothing };

    return unit_run("fault", tests, ARRAY_SIZE(tests));
#else
    printf("fault: skipped: this build has no fault table\n");
    return SKIPPED;
#endif
}
