/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tests of executable: found as execvp(3) finds it, and the words that engines turn into 126 and 127. */
#include "executable.h"

#include <limits.h>

#include "container_unit.h"

static struct arena arena;
static struct error err;
static char path[PATH_MAX];
static int top = -1;

static void setup(void)
{
    top = container_unit_directory(path);
    ck_assert_int_eq(mkdirat(top, "a", 0755), 0);
    ck_assert_int_eq(mkdirat(top, "b", 0755), 0);
    ck_assert_int_eq(mkdirat(top, "a/tool", 0755), 0); /* a directory of that name comes first */
    container_unit_write(top, "a/plain", "", 0644);
    container_unit_write(top, "b/tool", "", 0755);
    container_unit_write(top, "b/both", "", 0755);
    container_unit_write(top, "a/both", "", 0644);
    container_unit_write(top, "b/.hidden-tool", "", 0755);
    container_unit_write(top, "run.sh", "", 0755);
    ck_assert_int_eq(mkfifoat(top, "a/fifo", 0755), 0);
    ck_assert_int_eq(symlinkat("nowhere", top, "a/dangling"), 0);
    ck_assert_int_eq(fchdir(top), 0);
    err = (struct error)ERR_INIT;
}

static void teardown(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    arena_done(&arena);
    container_unit_remove(top, path);
}

static const char *search_path(void)
{
    return arena_printf(&arena, "%s/nosuch:%s/a:%s/b", path, path, path);
}

static void check_found(const char *name, const char *search, const char *where)
{
    const char *found = NULL;

    ck_assert_msg(executable_find(&arena, name, search, &found, &err) == 0, "%s", err.text);
    ck_assert_str_eq(found, where);
}

static void check_not(const char *name, int code, const char *text)
{
    const char *found = "as before";

    err = (struct error)ERR_INIT;
    ck_assert_int_eq(executable_find(&arena, name, search_path(), &found, &err), -code);
    ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
    ck_assert_msg(strncmp(err.text, "exec: ", 6) == 0, "%s", err.text);
    ck_assert_ptr_null(strchr(err.text, '\n'));
    ck_assert_str_eq(found, "as before");
}

START_TEST(find_when_in_path_then_the_first_that_may_be_executed)
{
    setup();
    check_found("tool", search_path(), arena_printf(&arena, "%s/b/tool", path));
    check_found("both", search_path(), arena_printf(&arena, "%s/b/both", path));
    check_found(".hidden-tool", search_path(), arena_printf(&arena, "%s/b/.hidden-tool", path));
    teardown();
}
END_TEST

START_TEST(find_when_the_name_has_a_slash_then_the_path_does_not_count)
{
    setup();
    check_found("./run.sh", search_path(), "./run.sh");
    check_found("b/tool", NULL, "b/tool");
    check_not("./tool", ENOENT, "no such file or directory");
    teardown();
}
END_TEST

START_TEST(find_when_an_entry_of_path_is_empty_then_the_working_directory)
{
    setup();
    check_found("run.sh", ":/nosuch", "./run.sh");
    check_found("run.sh", "/nosuch::/other", "./run.sh");
    teardown();
}
END_TEST

START_TEST(find_when_there_is_no_path_then_not_found)
{
    const char *found = NULL;

    setup();
    ck_assert_int_eq(executable_find(&arena, "run.sh", NULL, &found, &err), -ENOENT);
    ck_assert_int_eq(executable_find(&arena, "run.sh", "", &found, &err), -ENOENT);
    ck_assert_ptr_nonnull(strstr(err.text, "executable file not found in $PATH"));
    teardown();
}
END_TEST

START_TEST(find_when_it_cannot_be_executed_then_permission_denied)
{
    setup();
    check_not("plain", EACCES, "permission denied");
    check_not("fifo", EACCES, "permission denied");
    check_not("a/plain", EACCES, "permission denied");
    check_not("./a", EACCES, "is a directory: permission denied");
    check_not("/", EACCES, "is a directory: permission denied");
    teardown();
}
END_TEST

START_TEST(find_when_it_is_not_there_then_not_found)
{
    setup();
    check_not("nosuch", ENOENT, "executable file not found in $PATH");
    check_not("", ENOENT, "executable file not found in $PATH");
    check_not("dangling", ENOENT, "executable file not found in $PATH");
    check_not("a/dangling", ENOENT, "no such file or directory");
    check_not("run.sh/x", ENOENT, "no such file or directory");
    check_not("no\nsuch\033[2J", ENOENT, "\\x0");
    teardown();
}
END_TEST

START_TEST(find_when_the_user_has_no_right_then_permission_denied)
{
    if (geteuid() != 0)
        return;
    setup();
    ck_assert_int_eq(fchmod(top, 0755), 0);
    ck_assert_int_eq(fchmodat(top, "b", 0700, 0), 0);
    ck_assert_int_eq(seteuid(12345), 0);
    check_not("tool", EACCES, "permission denied");
    check_not("b/tool", EACCES, "permission denied");
    ck_assert_int_eq(seteuid(0), 0);
    teardown();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        find_when_in_path_then_the_first_that_may_be_executed,
        find_when_the_name_has_a_slash_then_the_path_does_not_count,
        find_when_an_entry_of_path_is_empty_then_the_working_directory,
        find_when_there_is_no_path_then_not_found,
        find_when_it_cannot_be_executed_then_permission_denied,
        find_when_it_is_not_there_then_not_found,
        find_when_the_user_has_no_right_then_permission_denied,
    };
    return unit_run("executable", tests, ARRAY_SIZE(tests));
}
