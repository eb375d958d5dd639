/* SPDX-License-Identifier: Apache-2.0 */
/* The error: code, text, context, cut to size. */
#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "err.h"
#include "unit.h"

START_TEST(set_returns_the_negative_code)
{
    struct error err = ERR_INIT;

    ck_assert_int_eq(err_set(&err, ENOENT, "%s: missing", "x"), -ENOENT);
    ck_assert_int_eq(err.code, ENOENT);
    ck_assert_str_eq(err.text, "x: missing");
    ck_assert_int_eq(err_set(&err, -EPERM, "no"), -EPERM);
    ck_assert_int_eq(err.code, EPERM);
}
END_TEST

START_TEST(code_zero_is_still_a_failure)
{
    struct error err = ERR_INIT;

    ck_assert_int_eq(err_set(&err, 0, "odd"), -EIO);
    ck_assert_int_eq(err.code, EIO);
}
END_TEST

START_TEST(sys_tells_the_reason)
{
    struct error err = ERR_INIT;

    ck_assert_int_eq(err_sys(&err, -ENOENT, "open %s", "x"), -ENOENT);
    ck_assert_str_eq(err.text, "open x: No such file or directory");
}
END_TEST

START_TEST(context_goes_before)
{
    struct error err = ERR_INIT;

    (void)err_set(&err, EINVAL, "bad");
    ck_assert_int_eq(err_in(&err, "mount %d", 3), -EINVAL);
    ck_assert_str_eq(err.text, "mount 3: bad");
    ck_assert_int_eq(err_in(&err, "init"), -EINVAL);
    ck_assert_str_eq(err.text, "init: mount 3: bad");
}
END_TEST

START_TEST(long_text_is_cut)
{
    struct error err = ERR_INIT;
    char text[ERR_TEXT_MAX + 100];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    (void)err_set(&err, EINVAL, "%s", text);
    ck_assert_uint_eq(strlen(err.text), ERR_TEXT_MAX - 1);
    (void)err_in(&err, "context");
    ck_assert_uint_eq(strlen(err.text), ERR_TEXT_MAX - 1);
    ck_assert_mem_eq(err.text, "context: xx", 11);
    (void)err_sys(&err, EINVAL, "%s", text);
    ck_assert_uint_eq(strlen(err.text), ERR_TEXT_MAX - 1);
    for (size_t n = ERR_TEXT_MAX - 5; n < ERR_TEXT_MAX + 5; n++) {
        (void)err_set(&err, EINVAL, "bad");
        (void)err_in(&err, "%.*s", (int)n, text);
        ck_assert_uint_lt(strlen(err.text), ERR_TEXT_MAX);
        ck_assert_uint_ge(strlen(err.text), ERR_TEXT_MAX - 5);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { set_returns_the_negative_code, code_zero_is_still_a_failure,
        sys_tells_the_reason, context_goes_before, long_text_is_cut };

    return unit_run("err", tests, ARRAY_SIZE(tests));
}
