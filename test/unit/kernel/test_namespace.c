/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces by fd: proved before use; maps; a user namespace without a process. */
#include <errno.h>

#include "file.h"
#include "kernel_const.h"
#include "kernel_unit.h"
#include "namespace.h"
#include "process_call.h"
#include "procfs.h"

START_TEST(path_is_opened_only_when_it_is_of_the_type)
{
    autoclose int fd = namespace_open(AT_FDCWD, "/proc/self/ns/uts", CLONE_NEWUTS);
    ck_assert_int_ge(fd, 0);
    ck_assert(kernel_unit_is_cloexec(fd));
    ck_assert_int_eq(namespace_type(fd), CLONE_NEWUTS);
    autoclose int any = namespace_open(AT_FDCWD, "/proc/self/ns/net", 0);
    ck_assert_int_ge(any, 0);
    ck_assert_int_eq(namespace_open(AT_FDCWD, "/proc/self/ns/uts", CLONE_NEWNET), -EINVAL);
    ck_assert_int_eq(namespace_open(AT_FDCWD, "/dev/null", 0), -EINVAL);
    ck_assert_int_eq(namespace_open(AT_FDCWD, "/etc/passwd", CLONE_NEWNET), -EINVAL);
    ck_assert_int_eq(namespace_open(AT_FDCWD, "/no/such", CLONE_NEWNET), -ENOENT);
    ck_assert_int_eq(namespace_type(STDIN_FILENO), -EINVAL);
}
END_TEST

START_TEST(fifo_as_namespace_does_not_block)
{
    autoclose int tmp = kernel_unit_private_directory();
    ck_assert_int_eq(mkfifoat(tmp, "fifo", 0600), 0);
    ck_assert_int_eq(namespace_open(tmp, "fifo", CLONE_NEWNET), -EINVAL);
}
END_TEST

START_TEST(every_type_of_own_process_opens)
{
    static const int types[] = { CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET,
        CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, CLONE_NEWTIME };
    struct procfs procfs = PROCFS_INIT;
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    autoclose int self = procfs_open_pid(&procfs, getpid(), -1);
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        autoclose int a = namespace_open_pid(self, types[i]);
        autoclose int b = namespace_open_pid(self, types[i]);
        autoclose int other =
            namespace_open_pid(self, types[i] == CLONE_NEWNET ? CLONE_NEWUTS : CLONE_NEWNET);
        ck_assert_int_ge(a, 0);
        ck_assert_int_eq(file_is_same(a, b), 1);
        ck_assert_int_eq(file_is_same(a, other), 0);
    }
    ck_assert_int_eq(namespace_open_pid(self, CLONE_VM), -EINVAL);
    ck_assert_ptr_null(namespace_proc_name(0));
    autoclose int net = namespace_open_pid(self, CLONE_NEWNET);
    autoclose int owner = namespace_owner(net);
    ck_assert_int_eq(namespace_type(owner), CLONE_NEWUSER);
    ck_assert(kernel_unit_is_cloexec(owner));
    procfs_done(&procfs);
}
END_TEST

START_TEST(new_user_namespace_has_its_maps_and_no_process)
{
    struct procfs procfs = PROCFS_INIT;
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    unsigned before = kernel_unit_count_fds();
    autoclose int fd = namespace_new_user(&procfs, "0 100000 65536\n", "0 200000 65536\n");
    ck_assert_int_ge(fd, 0);
    ck_assert_uint_eq(kernel_unit_count_fds(), before + 1);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    pid_t pid = fork();
    if (pid == 0) {
        char map[128] = "";
        if (kernel_setns(fd, CLONE_NEWUSER) < 0)
            _exit(1);
        int map_fd = open("/proc/self/gid_map", O_RDONLY | O_CLOEXEC);
        if (read(map_fd, map, sizeof(map) - 1) <= 0 || !strstr(map, "200000"))
            _exit(2);
        _exit(0);
    }
    ck_assert_int_eq(kernel_unit_exit_status(pid), 0);
    procfs_done(&procfs);
}
END_TEST

START_TEST(bad_map_fails_and_leaves_nothing)
{
    struct procfs procfs = PROCFS_INIT;
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    unsigned before = kernel_unit_count_fds();
    ck_assert_int_eq(namespace_new_user(&procfs, "nonsense", "0 0 1"), -EINVAL);
    char huge[NAMESPACE_MAP_BYTES_MAX + 2];
    memset(huge, '1', sizeof(huge) - 1);
    huge[sizeof(huge) - 1] = '\0';
    ck_assert_int_eq(namespace_new_user(&procfs, huge, "0 0 1"), -E2BIG);
    ck_assert_uint_eq(kernel_unit_count_fds(), before);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    procfs_done(&procfs);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { path_is_opened_only_when_it_is_of_the_type,
        fifo_as_namespace_does_not_block, every_type_of_own_process_opens,
        new_user_namespace_has_its_maps_and_no_process, bad_map_fails_and_leaves_nothing };

    if (kernel_unit_lacks_root("namespace"))
        return SKIPPED;
    return unit_run("namespace", tests, ARRAY_SIZE(tests));
}
