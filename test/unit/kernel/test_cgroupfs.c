/* SPDX-License-Identifier: Apache-2.0 */
/* The cgroup v2 hierarchy: found wherever it is mounted, used by fd, never left by a path. */
#include <errno.h>
#include <signal.h>

#include "cgroupfs.h"
#include "kernel_unit.h"
#include "process.h"
#include "process_call.h"

static struct cgroupfs hierarchy;

START_TEST(path_is_the_v2_line)
{
    char path[32];
    static const char both[] = "12:pids:/v1\n1:name=systemd:/s\n0::/v2/a b\n";
    ck_assert_int_eq(cgroupfs_path_parse(both, sizeof(both) - 1, path, sizeof(path)), 0);
    ck_assert_str_eq(path, "/v2/a b");
    ck_assert_int_eq(cgroupfs_path_parse("0::/", 4, path, sizeof(path)), 0);
    ck_assert_str_eq(path, "/");
    ck_assert_int_eq(cgroupfs_path_parse("12:pids:/v1\n10::/x\n", 19, path, sizeof(path)), -ENOENT);
    ck_assert_int_eq(cgroupfs_path_parse("", 0, path, sizeof(path)), -ENOENT);
    ck_assert_int_eq(cgroupfs_path_parse("0::x\n", 5, path, sizeof(path)), -ENOENT);
    ck_assert_int_eq(cgroupfs_path_parse(both, sizeof(both) - 1, path, 4), -ENAMETOOLONG);
}
END_TEST

START_TEST(own_path_is_absolute)
{
    char path[PATH_MAX], other[PATH_MAX];
    ck_assert_int_eq(cgroupfs_path_of(0, path, sizeof(path)), 0);
    ck_assert_int_eq(path[0], '/');
    ck_assert_int_eq(cgroupfs_path_of(getpid(), other, sizeof(other)), 0);
    ck_assert_str_eq(path, other);
}
END_TEST

/* A cgroup of this test in the hierarchy; the name in ret_name. */
static void make_group(char ret_name[32])
{
    (void)snprintf(ret_name, 32, "runa-unit-%d", getpid());
    ck_assert_int_eq(cgroupfs_open(&hierarchy), 0);
    ck_assert_int_eq(cgroupfs_mkdir(hierarchy.fd, ret_name), 0);
}

START_TEST(paths_do_not_leave_the_hierarchy)
{
    char name[32];
    make_group(name);
    ck_assert_int_lt(cgroupfs_open_dir(hierarchy.fd, "../.."), 0);
    ck_assert_int_lt(cgroupfs_open_dir(hierarchy.fd, "/../etc"), 0);
    autoclose int top = cgroupfs_open_dir(hierarchy.fd, "/");
    ck_assert_int_ge(top, 0);
    ck_assert_int_eq(cgroupfs_mkdir(hierarchy.fd, name), -EEXIST);
    static const char *const bad[] = { "", "..", ".", "a/b" };
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_int_eq(cgroupfs_mkdir(hierarchy.fd, bad[i]), -EINVAL);
    ck_assert_int_eq(cgroupfs_rmdir(hierarchy.fd, "a/.."), -EINVAL);
    ck_assert_int_eq(cgroupfs_rmdir(hierarchy.fd, "/"), -EINVAL);
    ck_assert_int_eq(cgroupfs_rmdir(hierarchy.fd, name), 0);
    ck_assert_int_eq(cgroupfs_rmdir(hierarchy.fd, name), 0);
    ck_assert_int_eq(cgroupfs_rmdir(hierarchy.fd, "no/such/thing"), 0);
    cgroupfs_done(&hierarchy);
}
END_TEST

START_TEST(process_born_in_group_is_seen_and_killed)
{
    char name[32], path[PATH_MAX];
    make_group(name);
    autoclose int group = cgroupfs_open_dir(hierarchy.fd, name);
    ck_assert_int_eq(cgroupfs_mkdir(group, "sub"), 0);
    autoclose int sub = cgroupfs_open_dir(group, "sub");
    autoclose int pidfd = -1;
    struct kernel_clone clone = { .ret_pidfd = &pidfd, .cgroup_fd = sub, .exit_signal = SIGCHLD };
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0)
        for (;;)
            (void)pause();
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(cgroupfs_path_of(pid, path, sizeof(path)), 0);
    const char *end = strstr(path, name);
    ck_assert_ptr_nonnull(end);
    ck_assert_str_eq(end + strlen(name), "/sub");
    ck_assert_int_eq(cgroupfs_rmdir(group, "sub"), -EBUSY);
    ck_assert_int_eq(cgroupfs_remove(hierarchy.fd, name, 20), -EBUSY);
    ck_assert(cgroupfs_has(group, "cgroup.kill"));
    ck_assert(!cgroupfs_has(group, "cgroup.nonsense"));
    ck_assert_int_eq(cgroupfs_kill(group), 0);
    int status = 0;
    ck_assert_int_eq(process_wait(pidfd, 5000, &status), 0);
    ck_assert_int_eq(process_exit_code(status), 137);
    ck_assert_int_eq(cgroupfs_remove(hierarchy.fd, name, 2000), 0);
    ck_assert_int_eq(cgroupfs_remove(hierarchy.fd, name, 0), 0);
    cgroupfs_done(&hierarchy);
}
END_TEST

START_TEST(control_file_reads_and_writes)
{
    char name[32], text[64];
    make_group(name);
    autoclose int group = cgroupfs_open_dir(hierarchy.fd, name);
    ck_assert_int_gt((int)cgroupfs_read(group, "cgroup.type", text, sizeof(text)), 0);
    ck_assert_str_eq(text, "domain");
    ck_assert_int_eq(cgroupfs_write(group, "cgroup.max.depth", "7"), 0);
    ck_assert_int_gt((int)cgroupfs_read(group, "cgroup.max.depth", text, sizeof(text)), 0);
    ck_assert_str_eq(text, "7");
    ck_assert_int_eq(cgroupfs_write(group, "cgroup.max.depth", "nonsense"), -EINVAL);
    ck_assert_int_eq(cgroupfs_write(group, "cgroup.absent", "1"), -ENOENT);
    ck_assert_int_eq(cgroupfs_remove(hierarchy.fd, name, 1000), 0);
    cgroupfs_done(&hierarchy);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { path_is_the_v2_line, own_path_is_absolute,
        paths_do_not_leave_the_hierarchy, process_born_in_group_is_seen_and_killed,
        control_file_reads_and_writes };

    if (kernel_unit_lacks_root("cgroupfs"))
        return SKIPPED;
    int r = cgroupfs_open(&hierarchy);
    if (r < 0 || faccessat(hierarchy.fd, ".", W_OK, 0) < 0) {
        printf("cgroupfs: skipped: no writable cgroup2 mount here\n");
        return SKIPPED;
    }
    cgroupfs_done(&hierarchy);
    return unit_run("cgroupfs", tests, ARRAY_SIZE(tests));
}
