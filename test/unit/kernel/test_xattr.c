/* SPDX-License-Identifier: Apache-2.0 */
/* Extended attributes as bytes, of files that are only held as handles. */
#include <errno.h>

#include "kernel_unit.h"
#include "keyring.h"
#include "procfs.h"
#include "xattr.h"

START_TEST(handle_of_any_type_takes_attributes)
{
    struct procfs procfs = PROCFS_INIT;
    char value[16], names[256];
    autoclose int tmp = kernel_unit_private_directory();
    kernel_unit_write(tmp, "file", "x");
    ck_assert_int_eq(mkdirat(tmp, "dir", 0755), 0);
    ck_assert_int_eq(mkfifoat(tmp, "fifo", 0600), 0);
    ck_assert_int_eq(symlinkat("file", tmp, "link"), 0);
    ck_assert_int_eq(procfs_open(&procfs, PROCFS_PIDS), 0);
    static const char *const paths[] = { "file", "dir", "fifo" };
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        autoclose int fd = openat(tmp, paths[i], O_PATH | O_CLOEXEC);
        int r = xattr_set_path(&procfs, fd, "trusted.test", "a\0b", 3);
        if (i == 2 && r == -EOPNOTSUPP)
            continue; /* before Linux 6.13 */
        ck_assert_int_eq(r, 0);
        ck_assert_int_eq((int)xattr_get_path(&procfs, fd, "trusted.test", value, sizeof(value)), 3);
        ck_assert_int_eq(memcmp(value, "a\0b", 3), 0);
        ck_assert_int_eq((int)xattr_get_path(&procfs, fd, "trusted.test", value, 2), -ERANGE);
        ck_assert_int_eq((int)xattr_get_path(&procfs, fd, "trusted.absent", value, 2), -ENODATA);
        ck_assert_int_ge((int)xattr_list_path(&procfs, fd, names, sizeof(names)), 13);
    }
    autoclose int link = openat(tmp, "link", O_PATH | O_NOFOLLOW | O_CLOEXEC);
    ck_assert_int_eq(xattr_set_path(&procfs, link, "trusted.test", "x", 1), -ELOOP);
    procfs_done(&procfs);
}
END_TEST

START_TEST(open_file_sets_and_removes)
{
    char value[16];
    autoclose int tmp = kernel_unit_private_directory();
    kernel_unit_write(tmp, "file", "x");
    autoclose int fd = openat(tmp, "file", O_RDONLY | O_CLOEXEC);
    ck_assert_int_eq(kernel_fsetxattr(fd, "trusted.test", "abc", 3, 0), 0);
    ck_assert_int_eq((int)kernel_fgetxattr(fd, "trusted.test", value, sizeof(value)), 3);
    ck_assert_int_gt((int)kernel_flistxattr(fd, value, sizeof(value)), 0);
    ck_assert_int_eq(kernel_fremovexattr(fd, "trusted.test"), 0);
    ck_assert_int_eq(kernel_fremovexattr(fd, "trusted.test"), -ENODATA);
}
END_TEST

START_TEST(session_keyring_is_a_new_one)
{
    int first = kernel_keyring_join(NULL);
    if (first == -ENOSYS)
        return;
    int second = kernel_keyring_join("_ses.unit");
    ck_assert_int_gt(first, 0);
    ck_assert_int_gt(second, 0);
    ck_assert_int_ne(first, second);
    ck_assert_int_eq(kernel_keyring_allow(second, 0x80000), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { handle_of_any_type_takes_attributes, open_file_sets_and_removes,
        session_keyring_is_a_new_one };

    if (kernel_unit_lacks_root("xattr"))
        return SKIPPED;
    return unit_run("xattr", tests, ARRAY_SIZE(tests));
}
