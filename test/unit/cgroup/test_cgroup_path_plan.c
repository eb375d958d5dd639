/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup_path_plan.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "err.h"
#include "unit.h"

static struct arena arena = ARENA_INIT;
static struct error err = ERR_INIT;

static const char *planned(const char *path, const char *own)
{
    const char *ret = NULL;

    return cgroup_path_plan(&arena, path, own, "box", &ret, &err) == 0 ? ret : err.text;
}

START_TEST(absolute_when_planned_then_below_the_root)
{
    ck_assert(!cgroup_path_needs_own("/docker/1a2b"));
    ck_assert_str_eq(planned("/docker/1a2b", NULL), "docker/1a2b");
    ck_assert_str_eq(planned("//docker/./1a2b/", NULL), "docker/1a2b");
    ck_assert_str_eq(planned("/system.slice:docker:1a2b", NULL), "system.slice:docker:1a2b");
}
END_TEST

START_TEST(relative_when_planned_then_beside_the_own_one)
{
    ck_assert(cgroup_path_needs_own("a/b"));
    ck_assert_str_eq(planned("a/b", "/user.slice/session-1.scope"), "user.slice/a/b");
    ck_assert_str_eq(planned("a/b", "/init"), "a/b");
    ck_assert_str_eq(planned("a/b", "/"), "a/b");
}
END_TEST

START_TEST(absent_when_planned_then_has_a_name_of_its_own)
{
    ck_assert(cgroup_path_needs_own(NULL));
    ck_assert_str_eq(planned(NULL, "/"), "runa-box");
    ck_assert_str_eq(planned(NULL, "/user.slice/session-1.scope"), "user.slice/runa-box");
}
END_TEST

START_TEST(own_one_outside_of_the_namespace_when_planned_then_root)
{
    ck_assert_str_eq(planned(NULL, "/../other"), "runa-box");
    ck_assert_str_eq(planned(NULL, "/.."), "runa-box");
}
END_TEST

START_TEST(parent_in_path_when_planned_then_refused)
{
    const char *const paths[] = { "/..", "/a/../b", "../a", "a/..", "/a/b/.." };
    const char *ret = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        ck_assert_int_eq(cgroup_path_plan(&arena, paths[i], "/own", "box", &ret, &err), -EINVAL);
        ck_assert_ptr_null(ret);
        ck_assert_str_eq(err.text, "linux.cgroupsPath: \"..\" is not allowed in it");
    }
    ck_assert_str_eq(planned("/a..b/...", NULL), "a..b/...");
}
END_TEST

START_TEST(path_without_a_name_when_planned_then_refused)
{
    ck_assert_str_eq(planned("/", NULL), "linux.cgroupsPath: names no cgroup of its own");
    ck_assert_str_eq(planned("./", "/a/b"), "linux.cgroupsPath: names no cgroup of its own");
}
END_TEST

START_TEST(control_bytes_when_planned_then_refused)
{
    ck_assert_str_eq(
        planned("/a\nb", NULL), "linux.cgroupsPath: control characters are not allowed in it");
    ck_assert_str_eq(
        planned("/a\x7f", NULL), "linux.cgroupsPath: control characters are not allowed in it");
}
END_TEST

START_TEST(sizes_when_above_the_maximum_then_refused)
{
    char text[CGROUP_PATH_MAX + 16];
    const char *ret = NULL;

    memset(text, 'a', sizeof(text));
    text[0] = '/';
    text[257] = '\0';
    ck_assert_int_eq(cgroup_path_plan(&arena, text, NULL, "box", &ret, &err), -ENAMETOOLONG);
    text[256] = '\0';
    ck_assert_int_eq(cgroup_path_plan(&arena, text, NULL, "box", &ret, &err), 0);
    text[256] = 'a';
    for (size_t i = 0; i < sizeof(text) - 1; i += 2)
        text[i] = '/';
    text[2 * CGROUP_DEPTH_MAX + 2] = '\0';
    ck_assert_int_eq(cgroup_path_plan(&arena, text, NULL, "box", &ret, &err), -EINVAL);
    text[2 * CGROUP_DEPTH_MAX] = '\0';
    ck_assert_int_eq(cgroup_path_plan(&arena, text, NULL, "box", &ret, &err), 0);
    for (size_t i = 0; i < sizeof(text) - 1; i++)
        text[i] = i % 100 == 0 ? '/' : 'a';
    text[sizeof(text) - 1] = '\0';
    ck_assert_int_eq(cgroup_path_plan(&arena, text, NULL, "box", &ret, &err), -ENAMETOOLONG);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        absolute_when_planned_then_below_the_root,
        relative_when_planned_then_beside_the_own_one,
        absent_when_planned_then_has_a_name_of_its_own,
        own_one_outside_of_the_namespace_when_planned_then_root,
        parent_in_path_when_planned_then_refused,
        path_without_a_name_when_planned_then_refused,
        control_bytes_when_planned_then_refused,
        sizes_when_above_the_maximum_then_refused,
    };

    return unit_run("cgroup_path_plan", tests, ARRAY_SIZE(tests));
}
