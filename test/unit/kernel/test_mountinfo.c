/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of mountinfo, escapes, hostile ones; the real file. */
#include <errno.h>

#include "kernel_unit.h"
#include "mountinfo.h"

static int parse(const char *line, struct mountinfo *ret)
{
    static char copy[1024];
    (void)snprintf(copy, sizeof(copy), "%s", line);
    return mountinfo_parse_line(copy, ret);
}

START_TEST(line_with_all_fields_is_taken_apart)
{
    struct mountinfo m;
    ck_assert_int_eq(parse("36 35 98:0 /mnt1 /mnt2 rw,noatime shared:1 master:2 - ext3 /dev/root "
                           "rw,errors=continue",
                         &m),
        0);
    ck_assert_uint_eq(m.id, 36);
    ck_assert_uint_eq(m.parent, 35);
    ck_assert_uint_eq(m.major, 98);
    ck_assert_uint_eq(m.minor, 0);
    ck_assert_str_eq(m.root, "/mnt1");
    ck_assert_str_eq(m.target, "/mnt2");
    ck_assert_str_eq(m.options, "rw,noatime");
    ck_assert_str_eq(m.fields, "shared:1 master:2");
    ck_assert_str_eq(m.type, "ext3");
    ck_assert_str_eq(m.source, "/dev/root");
    ck_assert_str_eq(m.super_options, "rw,errors=continue");
}
END_TEST

START_TEST(no_optional_fields_are_an_empty_string)
{
    struct mountinfo m;
    ck_assert_int_eq(parse("1 1 0:1 / / ro - tmpfs  rw", &m), 0);
    ck_assert_str_eq(m.fields, "");
    ck_assert_str_eq(m.source, "");
    ck_assert_str_eq(m.super_options, "rw");
}
END_TEST

START_TEST(octal_escapes_are_undone)
{
    struct mountinfo m;
    ck_assert_int_eq(
        parse("1 1 0:1 /a\\040b /t\\011\\012\\134x\\04 rw - overlay a\\040-\\040b lowerdir=a\\040b",
            &m),
        0);
    ck_assert_str_eq(m.root, "/a b");
    ck_assert_str_eq(m.target, "/t\t\n\\x\\04");
    ck_assert_str_eq(m.source, "a - b");
    ck_assert_str_eq(m.super_options, "lowerdir=a b");
}
END_TEST

START_TEST(what_is_no_line_is_refused)
{
    static const char *const lines[] = { "", " ", "1", "1 1 0:1 / /", "1 1 0:1 / / rw",
        "1 1 0:1 / / rw shared:1", "x 1 0:1 / / rw - t s o", "1 -1 0:1 / / rw - t s o",
        "1 1 01 / / rw - t s o", "1 1 0:x / / rw - t s o", "1 1 0:1 / / rw - tmpfs",
        "1 1 0:1 / / rw -" };
    struct mountinfo m = { .id = 77 };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        ck_assert_int_eq(parse(lines[i], &m), -EINVAL);
    ck_assert_uint_eq(m.id, 77);
}
END_TEST

static int count(const struct mountinfo *mount, void *context)
{
    unsigned *n = context;
    (*n)++;
    return strcmp(mount->target, "/proc") == 0 && strcmp(mount->type, "proc") == 0 ? 5 : 0;
}

START_TEST(own_mounts_are_walked_until_told_to_stop)
{
    autoclose int self = open("/proc/self", O_PATH | O_CLOEXEC);
    unsigned n = 0;
    ck_assert_int_eq(mountinfo_each(self, count, &n), 5);
    ck_assert_uint_gt(n, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { line_with_all_fields_is_taken_apart,
        no_optional_fields_are_an_empty_string, octal_escapes_are_undone,
        what_is_no_line_is_refused, own_mounts_are_walked_until_told_to_stop };

    return unit_run("mountinfo", tests, ARRAY_SIZE(tests));
}
