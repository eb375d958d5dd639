/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The frame of a unit test: a list of Check cases, run one process each.
 *
 *     START_TEST(what_when_then) { ck_assert(...); } END_TEST
 *
 *     int main(void)
 *     {
 *         const TTest *const tests[] = { what_when_then };
 *         return unit_run("module", tests, sizeof(tests) / sizeof(tests[0]));
 *     }
 */
#pragma once
#include <check.h>
#include <stddef.h>

enum { UNIT_TIMEOUT_SECONDS = 60 };

/* 0 when all passed, 1 otherwise: the exit status of main. */
static inline int unit_run(const char *name, const TTest *const *tests, size_t n)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    SRunner *runner = srunner_create(suite);

    tcase_set_timeout(tcase, UNIT_TIMEOUT_SECONDS);
    suite_add_tcase(suite, tcase);
    for (size_t i = 0; i < n; i++)
        tcase_add_test(tcase, tests[i]);
    srunner_run_all(runner, CK_NORMAL);
    int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed == 0 ? 0 : 1;
}
