/* SPDX-License-Identifier: Apache-2.0 */
/* Mounts as detached objects, placed on fds. */
#include <errno.h>

#include "call.h"
#include "kernel_const.h"
#include "kernel_unit.h"
#include "mount_call.h"
#include "namespace.h"
#include "procfs.h"

static int new_tmpfs(const char *size)
{
    autoclose int fs_fd = kernel_fsopen("tmpfs");
    ck_assert_int_ge(fs_fd, 0);
    ck_assert(kernel_unit_is_cloexec(fs_fd));
    int r = kernel_fsconfig_string(fs_fd, "size", size);
    if (r == 0)
        r = kernel_fsconfig_create(fs_fd);
    return r < 0 ? r : kernel_fsmount(fs_fd, MOUNT_ATTR_NOSUID);
}

START_TEST(detached_tmpfs_is_placed_on_an_fd)
{
    autoclose int tmp = kernel_unit_private_directory();
    ck_assert_int_eq(mkdirat(tmp, "d", 0755), 0);
    autoclose int mount_fd = new_tmpfs("64k");
    ck_assert(kernel_unit_is_cloexec(mount_fd));
    kernel_unit_write(mount_fd, "file", "x");
    autoclose int target = openat(tmp, "d", O_PATH | O_CLOEXEC);
    ck_assert_int_eq(kernel_move_mount_fd(mount_fd, target), 0);
    ck_assert_int_eq(faccessat(tmp, "d/file", F_OK, 0), 0);
    struct kernel_mount_attr attr = { .set = MOUNT_ATTR_RDONLY };
    ck_assert_int_eq(kernel_mount_setattr(tmp, "d", 0, &attr), 0);
    ck_assert_int_eq(unlinkat(tmp, "d/file", 0), -1);
    ck_assert_int_eq(errno, EROFS);
    ck_assert_int_eq(kernel_umount2("/tmp/d", MNT_DETACH), 0);
}
END_TEST

START_TEST(refused_option_is_in_the_log)
{
    char line[128] = "";
    autoclose int fs_fd = kernel_fsopen("tmpfs");
    ck_assert_int_eq(kernel_fs_log(fs_fd, line, sizeof(line)), 0);
    ck_assert_int_eq(kernel_fsconfig_string(fs_fd, "nonsense", "1"), -EINVAL);
    ck_assert_int_gt(kernel_fs_log(fs_fd, line, sizeof(line)), 0);
    ck_assert_ptr_nonnull(strstr(line, "nonsense"));
    ck_assert_int_ne(line[1], ' ');
    ck_assert_int_eq(kernel_fsopen("no-such-type"), -ENODEV);
}
END_TEST

START_TEST(cloned_tree_takes_an_id_map)
{
    struct procfs procfs = PROCFS_INIT;
    struct stat st;
    autoclose int tmp = kernel_unit_private_directory();
    kernel_unit_write(tmp, "file", "x");
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    autoclose int user = namespace_new_user(&procfs, "0 100000 65536\n", "0 100000 65536\n");
    ck_assert_int_ge(user, 0);
    autoclose int tree = kernel_open_tree(tmp, "", OPEN_TREE_CLONE | AT_EMPTY_PATH | AT_RECURSIVE);
    ck_assert_int_ge(tree, 0);
    struct kernel_mount_attr attr = { .set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)user };
    ck_assert_int_eq(kernel_mount_setattr(tree, "", AT_EMPTY_PATH, &attr), 0);
    ck_assert_int_eq(fstatat(tree, "file", &st, 0), 0);
    ck_assert_uint_eq(st.st_uid, 100000);
    procfs_done(&procfs);
}
END_TEST

START_TEST(root_is_switched_and_old_one_detached)
{
    autoclose int tmp = kernel_unit_private_directory();
    kernel_unit_write(tmp, "only", "x");
    pid_t pid = fork();
    if (pid == 0) {
        if (kernel_fchdir(tmp) < 0 || kernel_pivot_root(".", ".") < 0 ||
            kernel_umount2(".", MNT_DETACH) < 0)
            _exit(1);
        _exit(faccessat(AT_FDCWD, "/only", F_OK, 0) == 0 && faccessat(AT_FDCWD, "/etc", F_OK, 0) < 0
                  ? 0
                  : 2);
    }
    /* LeakSanitizer does not run in the child: it leaves by _exit. */
    ck_assert_int_eq(kernel_unit_exit_status(pid), 0);
    int old = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    /* the namespace's root is the new one for every process in it: no /proc there */
    ck_assert_int_eq(old, -1);
    ck_assert_int_eq(mkdirat(tmp, "proc", 0755), 0);
    ck_assert_int_eq(mount("proc", "/proc", "proc", 0, NULL), 0); /* for the leak checker */
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { detached_tmpfs_is_placed_on_an_fd, refused_option_is_in_the_log,
        cloned_tree_takes_an_id_map, root_is_switched_and_old_one_detached };

    if (kernel_unit_lacks_root("mount_call"))
        return SKIPPED;
    return unit_run("mount_call", tests, ARRAY_SIZE(tests));
}
