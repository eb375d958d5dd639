/* SPDX-License-Identifier: Apache-2.0 */
/* A procfs that nobody can have mounted over. */
#include <errno.h>
#include <signal.h>
#include <sys/vfs.h>

#include "kernel_const.h"
#include "kernel_unit.h"
#include "mount_call.h"
#include "process_call.h"
#include "procfs.h"

START_TEST(own_instance_is_detached_and_limited_to_processes)
{
    struct procfs procfs = PROCFS_INIT;
    struct stat st;
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    ck_assert(procfs.is_own);
    ck_assert(kernel_unit_is_cloexec(procfs.fd));
    ck_assert_int_eq(fstatat(procfs.fd, "sys", &st, 0), -1);
    ck_assert_int_eq(fstatat(procfs.fd, "self/status", &st, 0), 0);
    procfs_done(&procfs);
    procfs_done(&procfs);
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_WHOLE), 0);
    ck_assert_int_eq(fstatat(procfs.fd, "sys/kernel", &st, 0), 0);
    procfs_done(&procfs);
}
END_TEST

START_TEST(false_proc_is_refused)
{
    struct procfs procfs = PROCFS_INIT;
    (void)close(kernel_unit_private_directory());
    ck_assert_int_eq(procfs_open_host(&procfs), 0);
    procfs_done(&procfs);
    ck_assert_int_eq(mount("/proc/self", "/proc", NULL, MS_BIND, NULL), 0);
    ck_assert_int_eq(procfs_open_host(&procfs), -EXDEV);
    ck_assert_int_eq(umount2("/proc", MNT_DETACH), 0);
    ck_assert_int_eq(mount("tmpfs", "/proc", "tmpfs", 0, NULL), 0);
    ck_assert_int_eq(procfs_open_host(&procfs), -EXDEV);
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0); /* our own is not touched by that */
    procfs_done(&procfs);
    ck_assert_int_eq(umount2("/proc", MNT_DETACH), 0); /* the leak checker needs it */
}
END_TEST

START_TEST(mount_over_an_entry_is_met_with_exdev)
{
    struct procfs procfs = PROCFS_INIT;
    autoclose int tmp = kernel_unit_private_directory();
    kernel_unit_write(tmp, "false", "Name: liar\n");
    ck_assert_int_eq(mount("/tmp/false", "/proc/self/status", NULL, MS_BIND, NULL), 0);
    /* Over the link itself, not over what it leads to. */
    int tree = kernel_open_tree(tmp, "false", OPEN_TREE_CLONE);
    int r = kernel_move_mount(tree, "", AT_FDCWD, "/proc/self/exe", MOVE_MOUNT_F_EMPTY_PATH);
    (void)close(tree);
    ck_assert_int_eq(procfs_open_host(&procfs), 0);
    ck_assert_int_eq(procfs_openat(&procfs, "self/status", O_RDONLY), -EXDEV);
    if (r == 0) /* newer kernels do not let it happen */
        ck_assert_int_eq(procfs_follow(&procfs, "self/exe", O_RDONLY), -EXDEV);
    struct procfs own = PROCFS_INIT;
    ck_assert_int_eq(procfs_open(&own, PROCFS_PIDS), 0);
    autoclose int exe = procfs_follow(&own, "self/exe", O_RDONLY);
    char magic[4] = "";
    ck_assert_int_eq((int)read(exe, magic, sizeof(magic)), 4);
    ck_assert_int_eq(memcmp(magic, "\177ELF", 4), 0);
    procfs_done(&own);
    (void)umount2("/proc/self/status", MNT_DETACH);
    procfs_done(&procfs);
}
END_TEST

START_TEST(lookups_stay_beneath_and_off_magic_links)
{
    struct procfs procfs = PROCFS_INIT;
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_WHOLE), 0);
    ck_assert_int_eq(procfs_openat(&procfs, "../etc/passwd", O_RDONLY), -EXDEV);
    ck_assert_int_eq(procfs_openat(&procfs, "self/root/etc/passwd", O_RDONLY), -ELOOP);
    ck_assert_int_eq(procfs_openat(&procfs, "self/exe", O_RDONLY), -ELOOP);
    autoclose int exe = procfs_follow(&procfs, "self/exe", O_RDONLY);
    ck_assert_int_ge(exe, 0);
    ck_assert_int_eq(procfs_follow(&procfs, "self", O_RDONLY), -EINVAL);
    procfs_done(&procfs);
}
END_TEST

START_TEST(reopen_gives_the_same_file_with_other_flags)
{
    struct procfs procfs = PROCFS_INIT;
    autoclose int tmp = kernel_unit_private_directory();
    kernel_unit_write(tmp, "file", "text");
    ck_assert_int_eq(symlinkat("file", tmp, "link"), 0);
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    autoclose int handle = openat(tmp, "file", O_PATH | O_CLOEXEC);
    ck_assert_int_eq(renameat(tmp, "file", tmp, "moved"), 0);
    autoclose int fd = procfs_reopen(&procfs, handle, O_RDONLY);
    char text[8] = "";
    ck_assert_int_eq((int)read(fd, text, sizeof(text)), 4);
    ck_assert_str_eq(text, "text");
    ck_assert(kernel_unit_is_cloexec(fd));
    autoclose int link = openat(tmp, "link", O_PATH | O_NOFOLLOW | O_CLOEXEC);
    ck_assert_int_eq(procfs_reopen(&procfs, link, O_RDONLY), -ELOOP);
    ck_assert_int_eq(procfs_reopen(&procfs, 999, O_RDONLY), -EBADF);
    procfs_done(&procfs);
}
END_TEST

START_TEST(process_directory_is_bound_to_pidfd)
{
    struct procfs procfs = PROCFS_INIT;
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            (void)pause();
    autoclose int pidfd = kernel_pidfd_open(pid);
    autoclose int dirfd = procfs_open_pid(&procfs, pid, pidfd);
    ck_assert_int_ge(dirfd, 0);
    char value[64], state = 0;
    unsigned long long ticks = 0;
    ck_assert_int_eq(procfs_status_field(dirfd, "Pid", value, sizeof(value)), 0);
    ck_assert_int_eq(strtol(value, NULL, 10), pid);
    ck_assert_int_eq(procfs_status_field(dirfd, "Pi", value, sizeof(value)), -ENOENT);
    ck_assert_int_eq(procfs_status_field(dirfd, "CapBnd", value, 4), -ENOSPC);
    ck_assert_int_eq(procfs_start_time(&procfs, pid, &ticks, &state), 0);
    ck_assert_uint_gt(ticks, 0);
    ck_assert(state == 'S' || state == 'R');
    (void)kill(pid, SIGKILL);
    ck_assert_int_eq(kernel_unit_exit_status(pid), 128 + SIGKILL);
    ck_assert_int_eq(procfs_open_pid(&procfs, pid, pidfd), -ESRCH);
    ck_assert_int_eq(procfs_open_pid(&procfs, getpid(), pidfd), -ESRCH); /* a number used again */
    ck_assert_int_eq(procfs_start_time(&procfs, pid, &ticks, NULL), -ESRCH);
    ck_assert_int_eq(procfs_open_pid(&procfs, -1, pidfd), -ESRCH);
    procfs_done(&procfs);
}
END_TEST

START_TEST(start_time_survives_a_hostile_name)
{
    struct procfs procfs = PROCFS_INIT;
    unsigned long long before, after;
    ck_assert_int_eq(procfs_open_host(&procfs), 0);
    ck_assert_int_eq(procfs_start_time(&procfs, getpid(), &before, NULL), 0);
    ck_assert_int_eq(kernel_set_name(") R 1 1 (x 9"), 0);
    ck_assert_int_eq(procfs_start_time(&procfs, getpid(), &after, NULL), 0);
    ck_assert_uint_eq(before, after);
    procfs_done(&procfs);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { own_instance_is_detached_and_limited_to_processes,
        false_proc_is_refused, mount_over_an_entry_is_met_with_exdev,
        lookups_stay_beneath_and_off_magic_links, reopen_gives_the_same_file_with_other_flags,
        process_directory_is_bound_to_pidfd, start_time_survives_a_hostile_name };

    if (kernel_unit_lacks_root("procfs"))
        return SKIPPED;
    return unit_run("procfs", tests, ARRAY_SIZE(tests));
}
