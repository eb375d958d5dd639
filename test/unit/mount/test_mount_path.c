/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tests of mount_path. */
#include "mount_path.h"

#include "arena.h"
#include "cleanup.h"
#include "unit.h"

START_TEST(clean_when_odd_forms_then_one_form)
{
    static const char *const table[][2] = {
        { "/", "/" },
        { "", "/" },
        { "proc", "/proc" },
        { "//a//b/", "/a/b" },
        { "/a/./b/.", "/a/b" },
        { "/a/../b", "/b" },
        { "/../../x", "/x" },
        { "/a/b/../..", "/" },
        { "/..a/...", "/..a/..." },
        { "/a/..//../proc/x", "/proc/x" },
    };
    struct arena arena = ARENA_INIT;

    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        ck_assert_str_eq(mount_path_clean(&arena, table[i][0]), table[i][1]);
    arena_done(&arena);
}
END_TEST

START_TEST(within_when_prefix_is_half_a_name_then_false)
{
    ck_assert(mount_path_is_within("/proc", "/proc"));
    ck_assert(mount_path_is_within("/proc/sys", "/proc"));
    ck_assert(!mount_path_is_within("/process", "/proc"));
    ck_assert(!mount_path_is_within("/pro", "/proc"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        clean_when_odd_forms_then_one_form,
        within_when_prefix_is_half_a_name_then_false,
    };

    return unit_run("mount_path", tests, ARRAY_SIZE(tests));
}
