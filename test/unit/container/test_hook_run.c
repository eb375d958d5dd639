/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tests of hook_run: what a hook gets, and what becomes of one that fails. */
#include "hook_run.h"

#include <limits.h>
#include <time.h>

#include "container_unit.h"
#include "oci_state.h"

static struct error err;
static char path[PATH_MAX];
static int top = -1;
static struct oci_config config;
static struct oci_hook hooks[4];

static const struct oci_state state = { .id = "box", .status = "creating", .pid = 42, .bundle = "/b" };

static void setup(size_t n)
{
    top = container_unit_directory(path);
    memset(&config, 0, sizeof(config));
    memset(hooks, 0, sizeof(hooks));
    config.hooks[OCI_HOOK_CREATE_RUNTIME] = (struct oci_hook_list){ .items = hooks, .n_items = n };
    config.hooks[OCI_HOOK_POSTSTOP] = (struct oci_hook_list){ .items = hooks, .n_items = n };
    err = (struct error)ERR_INIT;
}

static void teardown(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(hooks); i++)
        free((void *)(uintptr_t)hooks[i].path);
    container_unit_remove(top, path);
}

/* A shell script as hook number i; "$D" in it is the test's directory. */
static void script(size_t i, const char *body)
{
    autofree char *name = xasprintf("hook%zu", i);
    autofree char *text = xasprintf("#!/bin/sh\nD='%s'\n%s\n", path, body);

    container_unit_write(top, name, text, 0755);
    hooks[i].path = xasprintf("%s/%s", path, name);
}

static int run(void)
{
    return hook_run(&config, OCI_HOOK_CREATE_RUNTIME, &state, &err);
}

static void check_file(const char *name, const char *expected)
{
    autofree char *text = NULL;
    size_t len;

    ck_assert_int_eq(file_read(top, name, CONTAINER_UNIT_MAX, &text, &len), 0);
    ck_assert_str_eq(text, expected);
}

START_TEST(run_when_there_are_none_then_nothing)
{
    setup(0);
    ck_assert_int_eq(run(), 0);
    teardown();
}
END_TEST

START_TEST(run_when_several_then_in_order_with_the_state_each)
{
    AUTO(buf) struct buf text = BUF_INIT;

    setup(2);
    script(0, "cat >>$D/got");
    script(1, "cat >>$D/got");
    ck_assert_msg(run() == 0, "%s", err.text);
    oci_state_write(&state, &text);
    oci_state_write(&state, &text);
    check_file("got", buf_str(&text));
    teardown();
}
END_TEST

START_TEST(run_when_the_hook_does_not_read_its_state_then_no_harm)
{
    setup(1);
    script(0, "exec <&-");
    ck_assert_msg(run() == 0, "%s", err.text);
    teardown();
}
END_TEST

START_TEST(run_when_environment_is_given_then_exactly_that)
{
    char entry[] = "A=b c";
    char *env[] = { entry, NULL };

    setup(1);
    ck_assert_int_eq(setenv("SECRET", "canary", 1), 0);
    script(0, "exec /usr/bin/env >$D/env");
    hooks[0].env = env;
    hooks[0].n_env = 1;
    ck_assert_msg(run() == 0, "%s", err.text);
    autofree char *text = NULL;
    size_t len;
    ck_assert_int_eq(file_read(top, "env", CONTAINER_UNIT_MAX, &text, &len), 0);
    ck_assert_ptr_nonnull(strstr(text, "A=b c\n"));
    ck_assert_ptr_null(strstr(text, "canary"));
    ck_assert_ptr_null(strstr(text, "PATH="));
    teardown();
}
END_TEST

START_TEST(run_when_no_environment_is_given_then_the_path_of_the_caller_alone)
{
    setup(1);
    ck_assert_int_eq(setenv("SECRET", "canary", 1), 0);
    ck_assert_int_eq(setenv("PATH", "/usr/bin:/bin:/mine", 1), 0);
    script(0, "exec /usr/bin/env >$D/env");
    ck_assert_msg(run() == 0, "%s", err.text);
    autofree char *text = NULL;
    size_t len;
    ck_assert_int_eq(file_read(top, "env", CONTAINER_UNIT_MAX, &text, &len), 0);
    ck_assert_ptr_nonnull(strstr(text, "PATH=/usr/bin:/bin:/mine\n"));
    ck_assert_ptr_null(strstr(text, "canary"));
    teardown();
}
END_TEST

START_TEST(run_when_arguments_are_given_then_the_first_is_its_name)
{
    char name[] = "other-name";
    char argument[] = "two words";

    setup(1);
    hooks[0].path = xstrdup("/bin/sh");
    char dash_c[] = "-c";
    autofree char *body = xasprintf("echo \"$0/$1\" >'%s/args'", path);
    char *shell_args[] = { name, dash_c, body, name, argument, NULL };
    hooks[0].args = shell_args;
    hooks[0].n_args = 5;
    ck_assert_msg(run() == 0, "%s", err.text);
    check_file("args", "other-name/two words\n");
    teardown();
}
END_TEST

START_TEST(run_when_one_fails_then_the_rest_is_not_run_and_its_words_are_quoted)
{
    setup(2);
    script(0, "printf 'no \\033[2J\\nway'; exit 3");
    script(1, ": >$D/second");
    ck_assert_int_lt(run(), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "createRuntime"));
    ck_assert_ptr_nonnull(strstr(err.text, hooks[0].path));
    ck_assert_ptr_nonnull(strstr(err.text, "exit status 3"));
    ck_assert_ptr_nonnull(strstr(err.text, "no \\x1"));
    ck_assert_ptr_null(strchr(err.text, '\n'));
    ck_assert_ptr_null(strchr(err.text, '\033'));
    struct stat st;
    ck_assert_int_eq(fstatat(top, "second", &st, 0), -1);
    teardown();
}
END_TEST

START_TEST(run_when_one_dies_of_a_signal_then_128_and_it)
{
    setup(1);
    script(0, "kill -9 $$");
    ck_assert_int_lt(run(), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "137"));
    teardown();
}
END_TEST

START_TEST(run_when_the_output_is_endless_then_the_message_is_not)
{
    setup(1);
    script(0, "head -c 1000000 /dev/zero | tr '\\0' x; exit 1");
    ck_assert_int_lt(run(), 0);
    ck_assert_uint_lt(strlen(err.text), ERR_TEXT_MAX);
    ck_assert_ptr_nonnull(strstr(err.text, "exit status 1"));
    teardown();
}
END_TEST

START_TEST(run_when_it_cannot_be_started_then_named)
{
    setup(1);
    hooks[0].path = xstrdup("/nowhere/hook");
    ck_assert_int_eq(run(), -ENOENT);
    ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/hook"));
    teardown();
}
END_TEST

START_TEST(run_when_it_takes_longer_than_its_timeout_then_killed)
{
    struct timespec begin;
    struct timespec end;

    setup(1);
    script(0, "echo $$ >$D/pid; exec sleep 30");
    hooks[0].has_timeout = true;
    hooks[0].timeout = 1;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    ck_assert_int_eq(run(), -ETIMEDOUT);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    ck_assert_int_lt(end.tv_sec - begin.tv_sec, 10);
    ck_assert_ptr_nonnull(strstr(err.text, "1 s"));
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* reaped */
    teardown();
}
END_TEST

START_TEST(run_all_when_some_fail_then_all_run_and_each_failure_is_a_line)
{
    AUTO(buf) struct buf failures = BUF_INIT;

    setup(3);
    script(0, "echo first; exit 1");
    script(1, ": >$D/second");
    script(2, "exit 2");
    hook_run_all(&config, OCI_HOOK_POSTSTOP, &state, &failures);
    struct stat st;
    ck_assert_int_eq(fstatat(top, "second", &st, 0), 0);
    const char *line_end = strchr(buf_str(&failures), '\n');
    ck_assert_ptr_nonnull(line_end);
    ck_assert_ptr_nonnull(strstr(line_end, "exit status 2"));
    ck_assert_ptr_nonnull(strstr(buf_str(&failures), "poststop"));
    ck_assert_int_eq(buf_str(&failures)[failures.len - 1], '\n');
    teardown();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        run_when_there_are_none_then_nothing,
        run_when_several_then_in_order_with_the_state_each,
        run_when_the_hook_does_not_read_its_state_then_no_harm,
        run_when_environment_is_given_then_exactly_that,
        run_when_no_environment_is_given_then_the_path_of_the_caller_alone,
        run_when_arguments_are_given_then_the_first_is_its_name,
        run_when_one_fails_then_the_rest_is_not_run_and_its_words_are_quoted,
        run_when_one_dies_of_a_signal_then_128_and_it,
        run_when_the_output_is_endless_then_the_message_is_not,
        run_when_it_cannot_be_started_then_named,
        run_when_it_takes_longer_than_its_timeout_then_killed,
        run_all_when_some_fail_then_all_run_and_each_failure_is_a_line,
    };
    return unit_run("hook_run", tests, ARRAY_SIZE(tests));
}
