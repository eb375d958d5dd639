/* SPDX-License-Identifier: Apache-2.0 */
/* Growable bytes, their maximum, their safe form. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "unit.h"

START_TEST(writes_follow_each_other)
{
    AUTO(buf) struct buf b = BUF_INIT;

    ck_assert_str_eq(buf_str(&b), "");
    buf_puts(&b, "a");
    buf_putc(&b, 'b');
    buf_add(&b, "c\0d", 3);
    buf_printf(&b, "%d", 42);
    ck_assert(buf_ok(&b));
    ck_assert_uint_eq(b.len, 7);
    ck_assert_mem_eq(buf_str(&b), "abc\0d42", 8);
    buf_reset(&b);
    ck_assert_str_eq(buf_str(&b), "");
}
END_TEST

START_TEST(printf_of_any_length_arrives_whole)
{
    for (int width = 1; width < 600; width++) {
        AUTO(buf) struct buf b = BUF_INIT;
        buf_puts(&b, "xy");
        buf_printf(&b, "%*d", width, 7);
        ck_assert_uint_eq(b.len, 2 + (size_t)width);
        ck_assert_uint_eq(strlen(buf_str(&b)), b.len);
        ck_assert_int_eq(b.data[b.len - 1], '7');
    }
}
END_TEST

START_TEST(write_beyond_maximum_fails_and_sticks)
{
    AUTO(buf) struct buf b = { .max = 4 };

    buf_puts(&b, "abcd");
    ck_assert(buf_ok(&b));
    buf_putc(&b, 'e');
    ck_assert(!buf_ok(&b));
    buf_reset(&b);
    buf_puts(&b, "ab");
    buf_printf(&b, "%s", "cde");
    ck_assert(!buf_ok(&b));
    buf_putc(&b, 'c');
    ck_assert(!buf_ok(&b));
    ck_assert_str_eq(buf_str(&b), "ab");
}
END_TEST

START_TEST(write_beyond_default_maximum_fails)
{
    AUTO(buf) struct buf b = BUF_INIT;
    static const char block[1 << 20];

    for (int i = 0; i < 16; i++)
        buf_add(&b, block, sizeof(block));
    ck_assert(buf_ok(&b));
    buf_putc(&b, 'x');
    ck_assert(!buf_ok(&b));
}
END_TEST

static void expect_quoted(const char *s, size_t len, const char *expected)
{
    AUTO(buf) struct buf b = BUF_INIT;

    buf_put_quoted(&b, s, len);
    ck_assert_str_eq(buf_str(&b), expected);
}

START_TEST(quoted_text_is_one_harmless_line)
{
    expect_quoted("plain \xc3\xa9", 8, "\"plain \xc3\xa9\"");
    expect_quoted("\"\\", 2, "\"\\\"\\\\\"");
    expect_quoted("a\n\x1b]0;x\a\0", 9, "\"a\\x0a\\x1b]0;x\\x07\\x00\"");
    expect_quoted("\x7f\xc2\x85\xe2\x80\xae", 6, "\"\\x7f\\u0085\\u202e\"");
    expect_quoted("\xff\xc0\xaf\xed\xa0\x80", 6, "\"\\xff\\xc0\\xaf\\xed\\xa0\\x80\"");
    expect_quoted("\xe2\x82", 2, "\"\\xe2\\x82\"");
    expect_quoted("", 0, "\"\"");
}
END_TEST

START_TEST(plain_text_keeps_quotes)
{
    AUTO(buf) struct buf b = BUF_INIT;

    buf_put_plain(&b, "a \"b\"\n", 6);
    ck_assert_str_eq(buf_str(&b), "a \"b\"\\x0a");
}
END_TEST

START_TEST(taken_bytes_leave_an_empty_buffer)
{
    AUTO(buf) struct buf b = BUF_INIT;

    autofree char *empty = buf_take(&b);
    buf_puts(&b, "x");
    autofree char *taken = buf_take(&b);
    ck_assert_str_eq(empty, "");
    ck_assert_str_eq(taken, "x");
    ck_assert_uint_eq(b.len, 0);
    buf_puts(&b, "y");
    ck_assert_str_eq(buf_str(&b), "y");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { writes_follow_each_other, printf_of_any_length_arrives_whole,
        write_beyond_maximum_fails_and_sticks, write_beyond_default_maximum_fails,
        quoted_text_is_one_harmless_line, plain_text_keeps_quotes,
        taken_bytes_leave_an_empty_buffer };

    return unit_run("buf", tests, ARRAY_SIZE(tests));
}
