/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: layout and escapes to the byte. */
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "json.h"
#include "json_write.h"
#include "unit.h"

static void put_all(struct json_writer *w)
{
    static char a[] = "a";
    static char b[] = "b";
    char *const items[] = { a, b };

    json_begin(w, NULL, '{');
    json_put_str(w, "id", "x");
    json_put_u64(w, "u", UINT64_MAX);
    json_put_i64(w, "i", INT64_MIN);
    json_put_bool(w, "t", true);
    json_put_null(w, "z");
    json_put_strs(w, "s", items, 2);
    json_begin(w, "e", '[');
    json_end(w, ']');
    json_begin(w, "o", '{');
    json_end(w, '}');
    json_begin(w, "l", '[');
    json_begin(w, NULL, '{');
    json_put_bool(w, "f", false);
    json_end(w, '}');
    json_put_u64(w, NULL, 0);
    json_end(w, ']');
    json_end(w, '}');
}

START_TEST(compact_form_is_one_line)
{
    AUTO(buf) struct buf b = BUF_INIT;
    struct json_writer w = JSON_WRITER_INIT(&b, 0);

    put_all(&w);
    ck_assert_str_eq(buf_str(&b),
        "{\"id\":\"x\",\"u\":18446744073709551615,\"i\":-9223372036854775808,\"t\":true,\"z\":null,"
        "\"s\":[\"a\",\"b\"],\"e\":[],\"o\":{},\"l\":[{\"f\":false},0]}");
}
END_TEST

START_TEST(indented_form_has_a_line_for_each_value)
{
    AUTO(buf) struct buf b = BUF_INIT;
    struct json_writer w = JSON_WRITER_INIT(&b, 2);

    put_all(&w);
    ck_assert_str_eq(buf_str(&b), "{\n"
                                  "  \"id\": \"x\",\n"
                                  "  \"u\": 18446744073709551615,\n"
                                  "  \"i\": -9223372036854775808,\n"
                                  "  \"t\": true,\n"
                                  "  \"z\": null,\n"
                                  "  \"s\": [\n"
                                  "    \"a\",\n"
                                  "    \"b\"\n"
                                  "  ],\n"
                                  "  \"e\": [],\n"
                                  "  \"o\": {},\n"
                                  "  \"l\": [\n"
                                  "    {\n"
                                  "      \"f\": false\n"
                                  "    },\n"
                                  "    0\n"
                                  "  ]\n"
                                  "}");
}
END_TEST

static void expect_string(const char *value, size_t len, const char *expected)
{
    AUTO(buf) struct buf b = BUF_INIT;
    struct json_writer w = JSON_WRITER_INIT(&b, 0);

    json_put_strn(&w, NULL, value, len);
    ck_assert_str_eq(buf_str(&b), expected);
}

START_TEST(strings_are_escaped)
{
    expect_string("a\"\\/\n\r\t", 7, "\"a\\\"\\\\/\\n\\r\\t\"");
    expect_string("\0\x1b\x7f", 3, "\"\\u0000\\u001b\\u007f\"");
    expect_string("\xc2\x85\xe2\x80\xae\xe2\x80\xa8", 8, "\"\\u0085\\u202e\\u2028\"");
    expect_string("\xc3\xa9\xf0\x9f\x98\x80", 6, "\"\xc3\xa9\xf0\x9f\x98\x80\"");
    expect_string("a\xff"
                  "b\xc0\xaf",
        5,
        "\"a\xef\xbf\xbd"
        "b\xef\xbf\xbd\xef\xbf\xbd\"");
    expect_string("", 0, "\"\"");
}
END_TEST

START_TEST(tree_is_written_as_it_was_read)
{
    static const char text[] =
        "{\"a\":[1,-2.50,true,null,{}],\"b\\n\":\"\xc3\xa9\",\"c\":{\"d\":[]}}";
    AUTO(arena) struct arena arena = ARENA_INIT;
    AUTO(buf) struct buf b = BUF_INIT;
    struct json_writer w = JSON_WRITER_INIT(&b, 0);
    struct error err = ERR_INIT;
    struct json *root = NULL;

    ck_assert_int_eq(json_parse(&arena, "f", text, sizeof(text) - 1, NULL, &root, &err), 0);
    json_put_tree(&w, NULL, root);
    ck_assert_str_eq(buf_str(&b), text);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { compact_form_is_one_line,
        indented_form_has_a_line_for_each_value, strings_are_escaped,
        tree_is_written_as_it_was_read };

    return unit_run("json_write", tests, ARRAY_SIZE(tests));
}
