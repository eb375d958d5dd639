/* SPDX-License-Identifier: Apache-2.0 */
/* Text to numbers: what is no number stays none. */
#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "parse_num.h"
#include "unit.h"

START_TEST(u64_takes_digits_only)
{
    static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "01", "00", "0x1", "1.0", "1e3",
        "a", "1\n", "0x0" };
    uint64_t value = 7;

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_msg(
            parse_u64(bad[i], strlen(bad[i]), UINT64_MAX, &value) == -EINVAL, "%s", bad[i]);
    ck_assert_int_eq(parse_u64("1\0", 2, UINT64_MAX, &value), -EINVAL);
    ck_assert_uint_eq(value, 7);
    ck_assert_int_eq(parse_u64("0", 1, UINT64_MAX, &value), 0);
    ck_assert_uint_eq(value, 0);
    ck_assert_int_eq(parse_u64("123", 2, UINT64_MAX, &value), 0);
    ck_assert_uint_eq(value, 12);
}
END_TEST

START_TEST(u64_out_of_range_is_told_from_no_number)
{
    uint64_t value = 7;

    ck_assert_int_eq(parse_u64("18446744073709551615", 20, UINT64_MAX, &value), 0);
    ck_assert_uint_eq(value, UINT64_MAX);
    ck_assert_int_eq(parse_u64("18446744073709551616", 20, UINT64_MAX, &value), -ERANGE);
    ck_assert_int_eq(parse_u64("99999999999999999999999", 23, UINT64_MAX, &value), -ERANGE);
    ck_assert_int_eq(parse_u64("9999999999999999999999x", 23, UINT64_MAX, &value), -EINVAL);
    ck_assert_int_eq(parse_u64("11", 2, 10, &value), -ERANGE);
    ck_assert_uint_eq(value, UINT64_MAX);
}
END_TEST

START_TEST(i64_takes_both_ends)
{
    int64_t value = 7;

    ck_assert_int_eq(parse_i64("-9223372036854775808", 20, INT64_MIN, INT64_MAX, &value), 0);
    ck_assert(value == INT64_MIN);
    ck_assert_int_eq(parse_i64("9223372036854775807", 19, INT64_MIN, INT64_MAX, &value), 0);
    ck_assert(value == INT64_MAX);
    ck_assert_int_eq(parse_i64("-9223372036854775809", 20, INT64_MIN, INT64_MAX, &value), -ERANGE);
    ck_assert_int_eq(parse_i64("9223372036854775808", 19, INT64_MIN, INT64_MAX, &value), -ERANGE);
    ck_assert_int_eq(parse_i64("-0", 2, INT64_MIN, INT64_MAX, &value), -EINVAL);
    ck_assert_int_eq(parse_i64("--1", 3, INT64_MIN, INT64_MAX, &value), -EINVAL);
    ck_assert_int_eq(parse_i64("-", 1, INT64_MIN, INT64_MAX, &value), -EINVAL);
    ck_assert_int_eq(parse_i64("", 0, INT64_MIN, INT64_MAX, &value), -EINVAL);
    ck_assert_int_eq(parse_i64("-2", 2, -1, 1, &value), -ERANGE);
    ck_assert_int_eq(parse_i64("2", 1, -1, 1, &value), -ERANGE);
    ck_assert(value == INT64_MAX);
}
END_TEST

/* security.md, the user string that was misread. */
START_TEST(u32_of_user_ids_is_strict)
{
    static const char *const bad[] = { "-1", "0x0", "01", "+1", " 1", "1:1", "" };
    uint32_t value = 7;

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_msg(parse_u32(bad[i], UINT32_MAX - 1, &value) == -EINVAL, "%s", bad[i]);
    ck_assert_int_eq(parse_u32("4294967295", UINT32_MAX - 1, &value), -ERANGE);
    ck_assert_int_eq(parse_u32("4294967296", UINT32_MAX - 1, &value), -ERANGE);
    ck_assert_int_eq(parse_u32("18446744073709551616", UINT32_MAX - 1, &value), -ERANGE);
    ck_assert_uint_eq(value, 7);
    ck_assert_int_eq(parse_u32("4294967294", UINT32_MAX - 1, &value), 0);
    ck_assert_uint_eq(value, UINT32_MAX - 1);
}
END_TEST

START_TEST(mode_is_octal)
{
    uint32_t mode = 0;

    ck_assert_int_eq(parse_mode("755", &mode), 0);
    ck_assert_uint_eq(mode, 0755);
    ck_assert_int_eq(parse_mode("07777", &mode), 0);
    ck_assert_uint_eq(mode, 07777);
    ck_assert_int_eq(parse_mode("0", &mode), 0);
    ck_assert_uint_eq(mode, 0);
    ck_assert_int_eq(parse_mode("10000", &mode), -ERANGE);
    ck_assert_int_eq(parse_mode("000755", &mode), -EINVAL);
    ck_assert_int_eq(parse_mode("8", &mode), -EINVAL);
    ck_assert_int_eq(parse_mode("", &mode), -EINVAL);
    ck_assert_int_eq(parse_mode("-1", &mode), -EINVAL);
}
END_TEST

START_TEST(size_takes_suffixes)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = { { "0", 0 }, { "512", 512 }, { "512B", 512 }, { "64k", 65536 }, { "64K", 65536 },
        { "64kB", 65536 }, { "64kb", 65536 }, { "2GiB", UINT64_C(2) << 30 }, { "3m", 3 << 20 },
        { "1TiB", UINT64_C(1) << 40 }, { "16777215T", UINT64_C(16777215) << 40 } };
    static const char *const bad[] = { "", "k", "1.5", "1.5G", "-1", "1kk", "1Ki", "1GiBB", "1x",
        "1 k", "01k", "1Bk", "1iB" };
    uint64_t value = 7;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        ck_assert_msg(parse_size(cases[i].text, &value) == 0, "%s", cases[i].text);
        ck_assert_uint_eq(value, cases[i].bytes);
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_msg(parse_size(bad[i], &value) == -EINVAL, "%s", bad[i]);
    ck_assert_int_eq(parse_size("16777216T", &value), -ERANGE);
    ck_assert_int_eq(parse_size("18446744073709551616", &value), -ERANGE);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { u64_takes_digits_only, u64_out_of_range_is_told_from_no_number,
        i64_takes_both_ends, u32_of_user_ids_is_strict, mode_is_octal, size_takes_suffixes };

    return unit_run("parse_num", tests, ARRAY_SIZE(tests));
}
