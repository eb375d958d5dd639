/* SPDX-License-Identifier: Apache-2.0 */
/* The pass before yajl: places of faults, and blanks where comments and trailing commas were. */
#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "json_scan.h"
#include "unit.h"

static void expect_blanked(const char *text, const char *expected)
{
    char blank[128];
    size_t len = strlen(text);
    size_t offset = 0;
    const char *what = NULL;

    memcpy(blank, text, len + 1);
    ck_assert_int_eq(json_scan(text, len, blank, &offset, &what), 0);
    ck_assert_str_eq(blank, expected);
}

START_TEST(comments_become_blanks_of_their_length)
{
    expect_blanked("1 // a\n2", "1     \n2");
    expect_blanked("1 /* a\n b */ 2", "1     \n      2");
    expect_blanked("\"/* a */\" /**/", "\"/* a */\"     ");
    expect_blanked("\"\\\"// a\"", "\"\\\"// a\"");
    expect_blanked("1 / 2", "1 / 2");
}
END_TEST

START_TEST(trailing_comma_becomes_a_blank)
{
    expect_blanked("[1,]", "[1 ]");
    expect_blanked("{\"a\":1 , // x\n}", "{\"a\":1       \n}");
    expect_blanked("[\"]\",]", "[\"]\" ]");
    expect_blanked("[[1,],]", "[[1 ] ]");
    expect_blanked("[,]", "[,]");
    expect_blanked("[1,,]", "[1,,]");
    expect_blanked("[1,2]", "[1,2]");
    expect_blanked("{\"a\":,}", "{\"a\":,}");
}
END_TEST

START_TEST(fault_is_told_with_its_offset)
{
    static const struct {
        const char *text;
        size_t len;
        size_t offset;
        const char *what;
    } cases[] = {
        { "[\"\xff\"]", 5, 2, "invalid UTF-8" },
        { "[1,\0]", 5, 3, "NUL byte" },
        { "\"\\ud800\"", 8, 1, "lone surrogate in string" },
        { "\"\\ud83d\\ude00\\ude00\"", 20, 13, "lone surrogate in string" },
        { "\"\\ud800\\udc0", 12, 1, "lone surrogate in string" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        size_t offset = 0;
        const char *what = NULL;
        int r = json_scan(cases[i].text, cases[i].len, NULL, &offset, &what);
        ck_assert_int_eq(r, -EINVAL);
        ck_assert_uint_eq(offset, cases[i].offset);
        ck_assert_str_eq(what, cases[i].what);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { comments_become_blanks_of_their_length,
        trailing_comma_becomes_a_blank, fault_is_told_with_its_offset };

    return unit_run("json_scan", tests, ARRAY_SIZE(tests));
}
