/* SPDX-License-Identifier: Apache-2.0 */
/* Listing and removing trees: no link is followed, no mount is entered. */
#include <errno.h>

#include "directory.h"
#include "kernel_unit.h"

static struct directory walker;

START_TEST(every_entry_is_listed_once)
{
    autoclose int tmp = kernel_unit_private_directory();
    ck_assert_int_eq(mkdirat(tmp, "d", 0755), 0);
    ck_assert_int_eq(directory_open(&walker, tmp, "d"), 0);
    ck_assert(directory_is_empty(walker.fd));
    char name[32];
    for (int i = 0; i < 500; i++) {
        (void)snprintf(name, sizeof(name), "d/entry-with-a-name-%d", i);
        kernel_unit_write(tmp, name, "");
    }
    struct directory_entry entry;
    int n = 0, r;
    while ((r = directory_next(&walker, &entry)) == 0) {
        ck_assert_int_eq(strncmp(entry.name, "entry-with-a-name-", 18), 0);
        ck_assert_int_eq(entry.type, DT_REG);
        n++;
    }
    ck_assert_int_eq(r, DIRECTORY_END);
    ck_assert_int_eq(n, 500);
    ck_assert(!directory_is_empty(walker.fd));
    directory_done(&walker);
    directory_done(&walker);
}
END_TEST

START_TEST(link_as_directory_is_refused)
{
    autoclose int tmp = kernel_unit_private_directory();
    ck_assert_int_eq(symlinkat("/", tmp, "link"), 0);
    ck_assert_int_lt(directory_open(&walker, tmp, "link"), 0);
}
END_TEST

START_TEST(tree_is_removed_but_not_what_links_point_to)
{
    autoclose int tmp = kernel_unit_private_directory();
    unsigned before = kernel_unit_count_fds();
    ck_assert_int_eq(mkdirat(tmp, "keep", 0755), 0);
    kernel_unit_write(tmp, "keep/file", "x");
    ck_assert_int_eq(mkdirat(tmp, "t", 0755), 0);
    ck_assert_int_eq(mkdirat(tmp, "t/a", 0755), 0);
    ck_assert_int_eq(mkdirat(tmp, "t/a/b", 0), 0);
    ck_assert_int_eq(symlinkat("../keep", tmp, "t/link"), 0);
    ck_assert_int_eq(symlinkat("../../keep", tmp, "t/a/link"), 0);
    kernel_unit_write(tmp, "t/a/file", "x");
    ck_assert_int_eq(directory_remove(tmp, "t"), 0);
    ck_assert_int_eq(faccessat(tmp, "t", F_OK, 0), -1);
    ck_assert_int_eq(faccessat(tmp, "keep/file", F_OK, 0), 0);
    ck_assert_int_eq(directory_remove(tmp, "t"), 0); /* not there is fine */
    ck_assert_int_eq(directory_remove(tmp, ".."), -EINVAL);
    ck_assert_int_eq(directory_remove(tmp, "a/b"), -EINVAL);
    ck_assert_uint_eq(kernel_unit_count_fds(), before);
}
END_TEST

START_TEST(mount_inside_is_not_entered)
{
    autoclose int tmp = kernel_unit_private_directory();
    ck_assert_int_eq(mkdirat(tmp, "t", 0755), 0);
    ck_assert_int_eq(mkdirat(tmp, "t/m", 0755), 0);
    ck_assert_int_eq(mkdirat(tmp, "victim", 0755), 0);
    kernel_unit_write(tmp, "victim/file", "x");
    ck_assert_int_eq(mount("/tmp/victim", "/tmp/t/m", NULL, MS_BIND, NULL), 0);
    int r = directory_remove(tmp, "t");
    ck_assert(r == -EXDEV || r == -EBUSY);
    ck_assert_int_eq(faccessat(tmp, "victim/file", F_OK, 0), 0);
}
END_TEST

START_TEST(tree_too_deep_is_refused)
{
    autoclose int tmp = kernel_unit_private_directory();
    int fd = dup(tmp);
    for (unsigned i = 0; i < DIRECTORY_DEPTH_MAX + 5; i++) {
        ck_assert_int_eq(mkdirat(fd, "d", 0755), 0);
        int next = openat(fd, "d", O_PATH | O_CLOEXEC);
        (void)close(fd);
        fd = next;
    }
    (void)close(fd);
    ck_assert_int_eq(directory_remove(tmp, "d"), -ELOOP);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { every_entry_is_listed_once, link_as_directory_is_refused,
        tree_is_removed_but_not_what_links_point_to, mount_inside_is_not_entered,
        tree_too_deep_is_refused };

    if (kernel_unit_lacks_root("directory"))
        return SKIPPED;
    return unit_run("directory", tests, ARRAY_SIZE(tests));
}
