/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader, above all what it must refuse. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alloc.h"
#include "arena.h"
#include "cleanup.h"
#include "err.h"
#include "json.h"
#include "unit.h"

static struct error last; /* of parse() */

static struct json *parse_with(
    struct arena *arena, const char *text, size_t len, const struct json_limits *limits)
{
    struct json *root = NULL;

    /* A copy of exact size: the sanitizer sees a read beyond its end. */
    autofree char *exact = xmalloc(len);
    if (len)
        memcpy(exact, text, len);
    last = (struct error)ERR_INIT;
    int r = json_parse(arena, "f", exact, len, limits, &root, &last);
    ck_assert_int_eq(r, root ? 0 : -EINVAL);
    ck_assert_int_eq(last.code, root ? 0 : EINVAL);
    return root;
}

static struct json *parse(struct arena *arena, const char *text)
{
    return parse_with(arena, text, strlen(text), NULL);
}

static void refuse_n(const char *text, size_t len, const char *message)
{
    AUTO(arena) struct arena arena = ARENA_INIT;

    ck_assert_msg(!parse_with(&arena, text, len, NULL), "taken: %s", text);
    ck_assert_str_eq(last.text, message);
}

static void refuse(const char *text, const char *message)
{
    refuse_n(text, strlen(text), message);
}

static void accept(const char *text)
{
    AUTO(arena) struct arena arena = ARENA_INIT;

    ck_assert_msg(parse(&arena, text) != NULL, "refused: %s: %s", text, last.text);
}

START_TEST(parse_every_type_gives_the_tree)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    const struct json *root = parse(&arena,
        "{\"s\":\"x\\ty\",\"n\":-12,\"t\":true,\"f\":false,\"z\":null,\"a\":[1,2],\"o\":{}}");

    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(root->type, JSON_OBJECT);
    ck_assert_uint_eq(root->list.n, 7);
    ck_assert_str_eq(json_get(root, "s")->string.text, "x\ty");
    ck_assert_uint_eq(json_get(root, "s")->string.len, 3);
    ck_assert_str_eq(json_get(root, "n")->string.text, "-12");
    ck_assert(json_get(root, "t")->boolean);
    ck_assert(!json_get(root, "f")->boolean);
    ck_assert_ptr_null(json_get(root, "z"));
    ck_assert_ptr_null(json_get(root, "absent"));
    ck_assert_uint_eq(json_get(root, "a")->list.n, 2);
    ck_assert_str_eq(json_get(root, "a")->list.first->next->string.text, "2");
    ck_assert_ptr_null(json_get(root, "a")->list.first->key);
    ck_assert_ptr_null(json_get(root, "o")->list.first);
    ck_assert_str_eq(root->list.first->key, "s");
    ck_assert_ptr_null(json_get(json_get(root, "s"), "s"));
}
END_TEST

START_TEST(parse_scalar_document_is_taken)
{
    AUTO(arena) struct arena arena = ARENA_INIT;

    ck_assert_str_eq(parse(&arena, "12")->string.text, "12");
    ck_assert_str_eq(parse(&arena, " \"\" ")->string.text, "");
    ck_assert_int_eq(parse(&arena, "null")->type, JSON_NULL);
}
END_TEST

START_TEST(values_know_line_and_column)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    const struct json *root = parse(&arena, "{\n  \"a\": 12,\n  \"b\": [\n    \"xy\" ]\n}");

    ck_assert_uint_eq(root->line, 1);
    ck_assert_uint_eq(root->column, 1);
    ck_assert_uint_eq(json_get(root, "a")->line, 2);
    ck_assert_uint_eq(json_get(root, "a")->column, 9);
    ck_assert_uint_eq(json_get(root, "b")->line, 3);
    ck_assert_uint_eq(json_get(root, "b")->column, 8);
    ck_assert_uint_eq(json_get(root, "b")->list.first->line, 4);
    ck_assert_uint_eq(json_get(root, "b")->list.first->column, 8);
}
END_TEST

START_TEST(nul_in_any_form_is_refused)
{
    refuse("\"evil.com\\u0000.allowed.com\"", "f:1:28: NUL in string");
    refuse("{\"a\\u0000b\":1}", "f:1:11: NUL in key");
    refuse_n("[\0]", 3, "f:1:2: NUL byte");
    refuse_n("\"a\0b\"", 5, "f:1:3: NUL byte");
    refuse_n("{}\0", 3, "f:1:3: NUL byte");
    refuse_n("\"\\\0\"", 4, "f:1:3: NUL byte");
    accept("\"\\\\u0000\"");
}
END_TEST

START_TEST(duplicate_key_is_refused)
{
    refuse("{\"a\":1,\n \"a\":2}", "f:2:6: key \"a\" a second time in one object");
    refuse("{\"x\":{\"a\":1,\"\\u0061\":2}}", "f:1:22: key \"a\" a second time in one object");
    accept("{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]}}");
}
END_TEST

static char *object_of_keys(size_t n, const char *last_member)
{
    char *text = xmalloc(n * 32 + 64);
    size_t len = 0;

    text[len++] = '{';
    for (size_t i = 0; i < n; i++)
        len += (size_t)snprintf(text + len, 32, "\"key%zu\":1,", i * 7919 % n);
    (void)snprintf(text + len, 64, "%s}", last_member);
    return text;
}

START_TEST(duplicate_key_among_many_is_refused_fast)
{
    enum { N_KEYS = 200000 };
    AUTO(arena) struct arena arena = ARENA_INIT;
    autofree char *twice = object_of_keys(N_KEYS, "\"key77\":1");
    autofree char *once = object_of_keys(N_KEYS, "\"other\":1");
    clock_t start = clock();

    ck_assert_ptr_null(parse(&arena, twice));
    ck_assert_ptr_nonnull(strstr(last.text, "key \"key77\" a second time"));
    ck_assert_ptr_nonnull(parse(&arena, once));
    ck_assert_int_lt(
        (clock() - start) / CLOCKS_PER_SEC, 10); /* comparing each with each: minutes */
}
END_TEST

START_TEST(seventeen_keys_are_checked_like_sixteen)
{
    for (size_t n = 14; n <= 18; n++) {
        autofree char *twice = object_of_keys(n, "\"key3\":1");
        autofree char *once = object_of_keys(n, "\"other\":1");
        AUTO(arena) struct arena arena = ARENA_INIT;
        ck_assert_ptr_null(parse(&arena, twice));
        ck_assert_ptr_nonnull(parse(&arena, once));
    }
}
END_TEST

START_TEST(comment_is_refused_unless_allowed)
{
    refuse("/* a */ {}", "f:1:1: probable comment found in input text, comments are not enabled");
    refuse("{} // a", "f:1:3: trailing garbage");
    refuse("[1,]", "f:1:4: unallowed token at this point in JSON text");
    refuse("{\"a\":1,}", "f:1:8: invalid object key (must be a string)");
}
END_TEST

START_TEST(invalid_utf8_is_refused)
{
    static const char *const bad[] = { "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf",
        "\xed\xa0\x80", "\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\x80",
        "\xc3", "\xe2\x82", "\xf0\x9f\x98" };

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        char text[16];
        (void)snprintf(text, sizeof(text), "[\"%s\"]", bad[i]);
        refuse(text, "f:1:3: invalid UTF-8");
        (void)snprintf(text, sizeof(text), "[\"%s", bad[i]);
        refuse(text, "f:1:3: invalid UTF-8");
    }
    accept("[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\"]");
    refuse("[\xc3\xa9]", "f:1:2: invalid char in json text");
    refuse("\xef\xbb\xbf{}", "f:1:1: invalid char in json text");
}
END_TEST

START_TEST(lone_surrogate_is_refused)
{
    static const char *const bad[] = { "\\ud800", "\\uDFFF", "\\udc00\\ud800", "\\ud800\\ud800",
        "\\ud800x", "\\ud83d\\\\ude00", "\\ud83d\\u0041", "\\uDBFF\\uE000" };

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        char text[32];
        (void)snprintf(text, sizeof(text), "\"%s\"", bad[i]);
        refuse(text, "f:1:2: lone surrogate in string");
    }
    AUTO(arena) struct arena arena = ARENA_INIT;
    ck_assert_str_eq(parse(&arena, "\"\\uD83D\\ude00\"")->string.text, "\xf0\x9f\x98\x80");
    ck_assert_str_eq(parse(&arena, "\"\\\\ud800\"")->string.text, "\\ud800");
    ck_assert_str_eq(parse(&arena, "\"\\ud7ff\\ue000\"")->string.text, "\xed\x9f\xbf\xee\x80\x80");
}
END_TEST

START_TEST(number_beyond_64_bits_is_refused)
{
    refuse("18446744073709551616", "f:1:20: number out of range");
    refuse("[-9223372036854775809]", "f:1:21: number out of range");
    refuse("[1e999]", "f:1:6: number out of range");
    refuse("[-1E+400]", "f:1:8: number out of range");
    refuse("[1000000000000000000000000000000000000000000000000000000000000000.0]",
        "f:1:67: number too long");
    accept("18446744073709551615");
    accept("-9223372036854775808");
    accept("[1e308,1e-999,0.5,-0,-0.0]");
}
END_TEST

START_TEST(malformed_number_is_refused)
{
    static const char *const bad[] = { "01", "-", "-01", "1.", ".5", "+1", "1e", "1e+", "0x10",
        "NaN", "Infinity", "-Infinity", "1_000" };

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        AUTO(arena) struct arena arena = ARENA_INIT;
        char text[32];
        (void)snprintf(text, sizeof(text), "[%s]", bad[i]);
        ck_assert_msg(!parse(&arena, text), "taken: %s", text);
        ck_assert_msg(!parse(&arena, bad[i]), "taken: %s", bad[i]);
    }
}
END_TEST

START_TEST(nesting_is_limited)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    enum { DEEP = 1000000 };
    autofree char *deep = xmalloc(DEEP);
    const struct json_limits two = { .depth_max = 2 };

    memset(deep, '[', DEEP);
    ck_assert_ptr_null(parse_with(&arena, deep, DEEP, NULL));
    ck_assert_str_eq(last.text, "f:1:65: nested too deeply");
    ck_assert_ptr_nonnull(parse_with(&arena, "[[1]]", 5, &two));
    ck_assert_ptr_null(parse_with(&arena, "[[[1]]]", 7, &two));
    ck_assert_ptr_null(parse_with(&arena, "[{\"a\":{}}]", 10, &two));
    memset(deep + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
    ck_assert_ptr_nonnull(parse_with(&arena, deep, 2 * (size_t)JSON_DEPTH_MAX, NULL));
}
END_TEST

START_TEST(size_is_limited)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    const size_t huge = (size_t)100 << 20;
    autofree char *text = xmalloc(huge);
    struct json *root = NULL;
    const struct json_limits three = { .size_bytes_max = 3 };

    memset(text, 'a', huge);
    text[0] = '"';
    text[huge - 1] = '"';
    ck_assert_int_eq(json_parse(&arena, "f", text, huge, NULL, &root, &last), -EINVAL);
    ck_assert_str_eq(last.text, "f: larger than 8388608 bytes");
    text[JSON_SIZE_MAX - 1] = '"';
    ck_assert_int_eq(json_parse(&arena, "f", text, JSON_SIZE_MAX, NULL, &root, &last), 0);
    ck_assert_uint_eq(root->string.len, JSON_SIZE_MAX - 2);
    ck_assert_ptr_nonnull(parse_with(&arena, "123", 3, &three));
    ck_assert_ptr_null(parse_with(&arena, "1234", 4, &three));
}
END_TEST

START_TEST(text_that_is_cut_or_goes_on_is_refused)
{
    refuse("", "f:1:1: premature EOF");
    refuse(" \n ", "f:2:1: premature EOF");
    refuse("{", "f:1:1: premature EOF");
    refuse("\"a", "f:1:2: premature EOF");
    refuse("\"a\\", "f:1:3: inside a string, '\\' occurs before a character which it may not");
    refuse("{}x", "f:1:3: trailing garbage");
    refuse("1 2", "f:1:3: trailing garbage");
    refuse("[1}", "f:1:3: after array element, I expect ',' or ']'");
    refuse("\"a\tb\"", "f:1:2: invalid character inside string");
    refuse("\"\\q\"", "f:1:2: inside a string, '\\' occurs before a character which it may not");
    refuse("{'a':1}", "f:1:2: invalid char in json text");
}
END_TEST

static const struct json_limits lenient = { .may_comment = true };

START_TEST(comments_and_trailing_commas_keep_places)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    static const char text[] = "// head \xc3\xa9\n"
                               "{ /* x\n"
                               " y */ \"a\": [1, 2, /* end */ ], // z\n"
                               "  \"u\": \"http://h/*p*/,]\",\n"
                               "}// eof";
    const struct json *root = parse_with(&arena, text, sizeof(text) - 1, &lenient);

    ck_assert_msg(root != NULL, "%s", last.text);
    ck_assert_uint_eq(json_get(root, "a")->list.n, 2);
    ck_assert_uint_eq(json_get(root, "a")->line, 3);
    ck_assert_uint_eq(json_get(root, "a")->column, 12);
    ck_assert_str_eq(json_get(root, "u")->string.text, "http://h/*p*/,]");
    ck_assert_uint_eq(json_get(root, "u")->line, 4);
}
END_TEST

START_TEST(comma_without_value_is_refused_even_when_lenient)
{
    static const char *const bad[] = { "[,]", "{,}", "[1,,]", "[1,,2]", "{\"a\":,}", "{\"a\",}",
        "[1],", ",", "1,", "[1,/**/,]", "{\"a\":1,,}", "[,1]" };

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        AUTO(arena) struct arena arena = ARENA_INIT;
        ck_assert_msg(!parse_with(&arena, bad[i], strlen(bad[i]), &lenient), "taken: %s", bad[i]);
    }
}
END_TEST

START_TEST(malformed_comment_is_refused)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        { "/* a", "f:1:1: comment without end" },
        { "{}\n/*/", "f:2:1: comment without end" },
        { "[1]/", "f:1:3: trailing garbage" },
        { "// \xff\n1", "f:1:4: invalid UTF-8" },
        { "/* \xff */1", "f:1:4: invalid UTF-8" },
        { "# a\n1", "f:1:1: invalid char in json text" },
        { "//", "f:1:2: premature EOF" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(arena) struct arena arena = ARENA_INIT;
        ck_assert_ptr_null(parse_with(&arena, cases[i].text, strlen(cases[i].text), &lenient));
        ck_assert_str_eq(last.text, cases[i].message);
    }
}
END_TEST

START_TEST(comment_splits_tokens)
{
    AUTO(arena) struct arena arena = ARENA_INIT;

    ck_assert_ptr_null(parse_with(&arena, "[1/**/2]", 8, &lenient));
    ck_assert_ptr_null(parse_with(&arena, "tr/**/ue", 8, &lenient));
}
END_TEST

START_TEST(integers_are_read_within_limits)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    uint64_t u64 = 7;
    int64_t i64 = 7;

    ck_assert_int_eq(json_u64(parse(&arena, "18446744073709551615"), UINT64_MAX, &u64), 0);
    ck_assert_uint_eq(u64, UINT64_MAX);
    ck_assert_int_eq(json_u64(parse(&arena, "256"), 255, &u64), -ERANGE);
    ck_assert_int_eq(json_u64(parse(&arena, "-1"), 255, &u64), -ERANGE);
    ck_assert_int_eq(json_u64(parse(&arena, "1.0"), 255, &u64), -EINVAL);
    ck_assert_int_eq(json_u64(parse(&arena, "1e2"), 255, &u64), -EINVAL);
    ck_assert_int_eq(json_u64(parse(&arena, "\"1\""), 255, &u64), -EINVAL);
    ck_assert_int_eq(json_u64(parse(&arena, "true"), 255, &u64), -EINVAL);
    ck_assert_uint_eq(u64, UINT64_MAX);
    ck_assert_int_eq(json_i64(parse(&arena, "-1"), -1, 5, &i64), 0);
    ck_assert_int_eq(i64, -1);
    ck_assert_int_eq(json_i64(parse(&arena, "-2"), -1, 5, &i64), -ERANGE);
    ck_assert_int_eq(json_i64(parse(&arena, "6"), -1, 5, &i64), -ERANGE);
    ck_assert_int_eq(json_i64(parse(&arena, "18446744073709551615"), -1, 5, &i64), -ERANGE);
    ck_assert_int_eq(json_i64(parse(&arena, "[]"), -1, 5, &i64), -EINVAL);
    ck_assert_int_eq(i64, -1);
}
END_TEST

START_TEST(type_names_are_words)
{
    ck_assert_str_eq(json_type_name(JSON_BOOL), "boolean");
    ck_assert_str_eq(json_type_name(JSON_OBJECT), "object");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { parse_every_type_gives_the_tree, parse_scalar_document_is_taken,
        values_know_line_and_column, nul_in_any_form_is_refused, duplicate_key_is_refused,
        duplicate_key_among_many_is_refused_fast, seventeen_keys_are_checked_like_sixteen,
        comment_is_refused_unless_allowed, invalid_utf8_is_refused, lone_surrogate_is_refused,
        number_beyond_64_bits_is_refused, malformed_number_is_refused, nesting_is_limited,
        size_is_limited, text_that_is_cut_or_goes_on_is_refused,
        comments_and_trailing_commas_keep_places, comma_without_value_is_refused_even_when_lenient,
        malformed_comment_is_refused, comment_splits_tokens, integers_are_read_within_limits,
        type_names_are_words };

    return unit_run("json", tests, ARRAY_SIZE(tests));
}
