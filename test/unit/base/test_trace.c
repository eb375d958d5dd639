/* SPDX-License-Identifier: Apache-2.0 */
/* Trace lines: one write, one harmless line. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "role.h"
#include "trace.h"
#include "unit.h"

START_TEST(line_names_role_pid_and_room)
{
    int ends[2];
    char line[4096] = "";
    char expected[64];

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    role_set(ROLE_INIT);
    trace_setup(true, ends[1]);
    trace("mount", "bind %s\n", "\x1b[1m");
    ck_assert_int_gt(read(ends[0], line, sizeof(line) - 1), 0);
    (void)snprintf(
        expected, sizeof(expected), " init %d mount: bind \\x1b[1m\\x0a\n", (int)getpid());
    ck_assert_str_eq(strchr(line, ' '), expected);
    (void)close(ends[0]);
    (void)close(ends[1]);
}
END_TEST

START_TEST(long_line_is_cut_but_ends)
{
    int ends[2];
    char line[8192] = "";
    char text[3000];

    memset(text, '\x01', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    trace_setup(true, ends[1]);
    trace("base", "%s", text);
    ssize_t n = read(ends[0], line, sizeof(line) - 1);
    ck_assert_int_gt(n, 1000);
    ck_assert_int_le(n, 2048);
    ck_assert_int_eq(line[n - 1], '\n');
    (void)close(ends[0]);
    (void)close(ends[1]);
}
END_TEST

START_TEST(off_evaluates_nothing)
{
    int n = 0;

    trace_setup(false, STDERR_FILENO);
    trace("base", "%d", ++n);
    trace_setup(true, -1);
    trace("base", "%d", ++n);
    ck_assert_int_eq(n, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { line_names_role_pid_and_room, long_line_is_cut_but_ends,
        off_evaluates_nothing };

    return unit_run("trace", tests, ARRAY_SIZE(tests));
}
