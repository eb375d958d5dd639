/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8, strictly. */
#include <string.h>

#include "cleanup.h"
#include "unit.h"
#include "utf8.h"

static void encode(uint32_t c, char ret[4], size_t n)
{
    static const unsigned char heads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

    for (size_t i = n - 1; i > 0; i--) {
        ret[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    ret[0] = (char)(heads[n] | c);
}

static size_t least_length(uint32_t c)
{
    return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

/* Whether n bytes of the code point's pattern are taken just when they should be. */
static bool decodes_rightly(uint32_t c, size_t n)
{
    bool is_valid = c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff) && n == least_length(c);
    char text[4];
    uint32_t decoded = 0;

    encode(c, text, n);
    size_t got = utf8_decode(text, n, &decoded);
    return is_valid ? got == n && decoded == c : got == 0;
}

START_TEST(every_code_point_decodes_in_its_shortest_form_only)
{
    size_t n_wrong = 0; /* asserting each would take half a minute */

    for (uint32_t c = 0; c < 0x1fffff; c++)
        for (size_t n = least_length(c); n <= 4; n++)
            n_wrong += !decodes_rightly(c, n);
    ck_assert_uint_eq(n_wrong, 0);
}
END_TEST

START_TEST(cut_character_is_invalid)
{
    uint32_t c = 0;

    ck_assert_uint_eq(utf8_decode("\xf0\x9f\x98\x80", 4, &c), 4);
    ck_assert_uint_eq(utf8_decode("\xf0\x9f\x98\x80", 3, &c), 0);
    ck_assert_uint_eq(utf8_decode("\xf0\x9f\x98\x80", 1, &c), 0);
    ck_assert_uint_eq(utf8_decode("\xf0\x9fzz", 4, &c), 0);
    ck_assert_uint_eq(utf8_decode("\x80", 1, &c), 0);
}
END_TEST

START_TEST(hidden_characters_are_known)
{
    static const uint32_t hidden[] = { 0, '\n', 0x1b, 0x7f, 0x80, 0x9f, 0x61c, 0x200e, 0x200f,
        0x2028, 0x202a, 0x202e, 0x2066, 0x2069 };
    static const uint32_t shown[] = { ' ', '~', 0xa0, 0xe9, 0x2027, 0x202f, 0x2065, 0x206a,
        0x1f600 };

    for (size_t i = 0; i < ARRAY_SIZE(hidden); i++)
        ck_assert(utf8_is_hidden(hidden[i]));
    for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
        ck_assert(!utf8_is_hidden(shown[i]));
}
END_TEST

START_TEST(safe_form_takes_one_character_a_call)
{
    const char *s = "a\xe2\x80\xae\xff";
    size_t len = 5;
    char safe[UTF8_SAFE_SIZE];

    ck_assert_uint_eq(utf8_take_safe(&s, &len, safe), 1);
    ck_assert_uint_eq(len, 4);
    ck_assert_uint_eq(utf8_take_safe(&s, &len, safe), 6);
    ck_assert_mem_eq(safe, "\\u202e", 6);
    ck_assert_uint_eq(utf8_take_safe(&s, &len, safe), 4);
    ck_assert_mem_eq(safe, "\\xff", 4);
    ck_assert_uint_eq(len, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { every_code_point_decodes_in_its_shortest_form_only,
        cut_character_is_invalid, hidden_characters_are_known,
        safe_form_takes_one_character_a_call };

    return unit_run("utf8", tests, ARRAY_SIZE(tests));
}
