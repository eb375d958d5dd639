/* SPDX-License-Identifier: Apache-2.0 */
/* Names of entries: what they mean, and which of them mean nothing good. */
#include <errno.h>
#include <string.h>

#include "layer_path_parse.h"
#include "unit.h"

static void expect(const char *text, enum layer_name kind, const char *directory, const char *name)
{
    struct layer_path path;
    struct error err = ERR_INIT;
    ck_assert_msg(layer_path_parse(text, 1, &path, &err) == 0, "%s: %s", text, err.text);
    ck_assert_int_eq(path.kind, kind);
    ck_assert_str_eq(path.directory, directory);
    if (name == NULL)
        ck_assert_ptr_null(path.name);
    else
        ck_assert_str_eq(path.name, name);
}

static void refuse(const char *text, int code)
{
    struct layer_path path;
    struct error err = ERR_INIT;
    ck_assert_msg(
        layer_path_parse(text, 1, &path, &err) == -code, "%s: not refused as it should be", text);
}

START_TEST(plain_names_are_taken_apart)
{
    expect("a", LAYER_NAME_PLAIN, "", "a");
    expect("./a", LAYER_NAME_PLAIN, "", "a");
    expect("a/b/c", LAYER_NAME_PLAIN, "a/b", "c");
    expect("./a//b/./c/", LAYER_NAME_PLAIN, "a/b", "c");
    expect("..a/b..", LAYER_NAME_PLAIN, "..a", "b..");
    expect(".", LAYER_NAME_ROOT, "", NULL);
    expect("./", LAYER_NAME_ROOT, "", NULL);
    expect("/", LAYER_NAME_ROOT, "", NULL);
}
END_TEST

START_TEST(whiteouts_are_recognised)
{
    expect(".wh.a", LAYER_NAME_WHITEOUT, "", "a");
    expect("d/.wh.a", LAYER_NAME_WHITEOUT, "d", "a");
    expect("d/.wh....", LAYER_NAME_WHITEOUT, "d", "...");
    expect("d/.wh..wh..opq", LAYER_NAME_OPAQUE, "d", NULL);
    expect("d/.wh..wh..opq/", LAYER_NAME_OPAQUE, "d", NULL);
    expect("d/x.wh.a", LAYER_NAME_PLAIN, "d", "x.wh.a");
}
END_TEST

START_TEST(whiteout_of_nothing_is_refused)
{
    refuse(".wh.", EINVAL);
    refuse("etc/.wh..", EINVAL);
    refuse("etc/.wh...", EINVAL);
    refuse(".wh.a/b", EINVAL);
    refuse("d/.wh..wh..opq/b", EINVAL);
    refuse(".wh..wh.plnk", EINVAL);
}
END_TEST

START_TEST(names_that_leave_are_refused)
{
    refuse("", EINVAL);
    refuse("..", EINVAL);
    refuse("../a", EINVAL);
    refuse("./../a", EINVAL);
    refuse("a/../../b", EINVAL);
    refuse("a/..", EINVAL);
    refuse("/a", EINVAL);
    refuse("//a", EINVAL);
}
END_TEST

START_TEST(long_and_deep_names_are_refused)
{
    char text[UNPACK_PATH_MAX + 8] = { 0 };
    memset(text, 'a', UNPACK_NAME_MAX);
    expect(text, LAYER_NAME_PLAIN, "", text);
    memset(text, 'a', UNPACK_NAME_MAX + 1);
    refuse(text, ENAMETOOLONG);
    for (size_t i = 0; i < UNPACK_PATH_MAX + 2; i += 2)
        memcpy(text + i, "a/", 2);
    refuse(text, ENAMETOOLONG);
    text[2 * UNPACK_DEPTH_MAX] = '\0';
    struct layer_path path;
    struct error err = ERR_INIT;
    ck_assert_int_eq(layer_path_parse(text, 1, &path, &err), 0);
    memcpy(text + 2 * UNPACK_DEPTH_MAX, "a", 2);
    refuse(text, ELOOP);
}
END_TEST

START_TEST(archive_names_are_only_names)
{
    struct layer_path path;
    struct error err = ERR_INIT;
    ck_assert_int_eq(layer_path_parse(".wh.a", 0, &path, &err), 0);
    ck_assert_int_eq(path.kind, LAYER_NAME_PLAIN);
    ck_assert_str_eq(path.name, ".wh.a");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { plain_names_are_taken_apart, whiteouts_are_recognised,
        whiteout_of_nothing_is_refused, names_that_leave_are_refused,
        long_and_deep_names_are_refused, archive_names_are_only_names };
    return unit_run("layer_path_parse", tests, sizeof(tests) / sizeof(tests[0]));
}
