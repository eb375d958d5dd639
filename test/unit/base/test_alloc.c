/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is there or the process ends, and its release by scope. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include "alloc.h"
#include "cleanup.h"
#include "unit.h"

START_TEST(given_memory_can_be_used)
{
    autofree char *zeroed = xcalloc(3, 5);
    autofree char *text = xasprintf("%s-%d", "a", 7);
    autofree char *copy = xstrdup(text);
    autofree char *nothing = xmalloc(0);

    for (size_t i = 0; i < 15; i++)
        ck_assert_int_eq(zeroed[i], 0);
    ck_assert_str_eq(copy, "a-7");
    ck_assert_ptr_nonnull(nothing);
    text = xrealloc(text, 100, 10);
    ck_assert_str_eq(text, "a-7");
    memset(text, 'x', 1000);
}
END_TEST

START_TEST(size_that_overflows_aborts)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        volatile size_t n = SIZE_MAX / 2;
        (void)close(STDERR_FILENO);
        char *p = xrealloc(NULL, n, 3);
        free(p);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGABRT);
}
END_TEST

START_TEST(scope_end_closes_unless_taken)
{
    int kept = -1;
    int closed = -1;
    {
        autoclose int a = open("/", O_RDONLY | O_CLOEXEC);
        autoclose int b = open("/", O_RDONLY | O_CLOEXEC);
        autoclose int none = -1;
        ck_assert_int_ge(a, 0);
        ck_assert_int_lt(none, 0);
        closed = a;
        kept = take_fd(&b);
        ck_assert_int_eq(b, -1);
    }
    ck_assert_int_eq(fcntl(closed, F_GETFD), -1);
    ck_assert_int_ge(fcntl(kept, F_GETFD), 0);
    (void)close(kept);
}
END_TEST

START_TEST(taken_pointer_outlives_its_scope)
{
    char *kept = NULL;
    {
        autofree char *text = xstrdup("x");
        kept = take_ptr(&text);
        ck_assert_ptr_null(text);
    }
    ck_assert_str_eq(kept, "x");
    free(kept);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { given_memory_can_be_used, size_that_overflows_aborts,
        scope_end_closes_unless_taken, taken_pointer_outlives_its_scope };

    return unit_run("alloc", tests, ARRAY_SIZE(tests));
}
