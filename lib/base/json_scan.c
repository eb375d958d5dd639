/* SPDX-License-Identifier: Apache-2.0 */
/* The pass over raw JSON text before yajl. */
#include "json_scan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "utf8.h"

struct scan {
    const char *text;
    size_t len;
    size_t at;
    char *blank;
    const char *what; /* set: failed at at */
    char last; /* byte outside strings, comments and white space, before the comma if one is pending
                */
    bool has_comma; /* such a byte was a comma, at comma_at, and nothing came since */
    size_t comma_at;
};

static void fail(struct scan *s, size_t at, const char *what)
{
    s->at = at;
    s->what = what;
}

/* Steps over one character, any. */
static void step(struct scan *s)
{
    uint32_t c = 0;
    unsigned char byte = (unsigned char)s->text[s->at];
    size_t n = byte < 0x80 ? 1 : utf8_decode(s->text + s->at, s->len - s->at, &c);

    if (byte == 0)
        fail(s, s->at, "NUL byte");
    else if (n == 0)
        fail(s, s->at, "invalid UTF-8");
    else
        s->at += n;
}

/* The value of \uXXXX at offset at, or -1 when there is none; then yajl complains, if it is one to
 * complain of. */
static int unicode_escape(const struct scan *s, size_t at)
{
    int value = 0;

    if (s->len - at < 6 || s->text[at] != '\\' || s->text[at + 1] != 'u')
        return -1;
    for (size_t i = at + 2; i < at + 6; i++) {
        char c = s->text[i];
        if (c >= '0' && c <= '9')
            value = value * 16 + (c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            value = value * 16 + ((c | 0x20) - 'a' + 10);
        else
            return -1;
    }
    return value;
}

static bool is_high_surrogate(int c)
{
    return c >= 0xd800 && c <= 0xdbff;
}

static bool is_low_surrogate(int c)
{
    return c >= 0xdc00 && c <= 0xdfff;
}

/* At a backslash within a string. */
static void scan_escape(struct scan *s)
{
    int c = unicode_escape(s, s->at);

    if (is_high_surrogate(c)) {
        if (!is_low_surrogate(unicode_escape(s, s->at + 6)))
            fail(s, s->at, "lone surrogate in string");
        else
            s->at += 12;
    } else if (is_low_surrogate(c)) {
        fail(s, s->at, "lone surrogate in string");
    } else {
        s->at++;
        if (s->at < s->len)
            step(s);
    }
}

/* At the opening quote. A string that does not end is left to yajl. */
static void scan_string(struct scan *s)
{
    s->at++;
    while (!s->what && s->at < s->len) {
        char c = s->text[s->at];
        if (c == '"') {
            s->at++;
            return;
        }
        if (c == '\\')
            scan_escape(s);
        else
            step(s);
    }
}

static bool is_at(const struct scan *s, const char *two)
{
    return s->len - s->at >= 2 && memcmp(s->text + s->at, two, 2) == 0;
}

static void blank_out(struct scan *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (s->blank[i] != '\n')
            s->blank[i] = ' ';
}

static void scan_line_comment(struct scan *s)
{
    size_t start = s->at;

    while (!s->what && s->at < s->len && s->text[s->at] != '\n')
        step(s);
    blank_out(s, start, s->at);
}

static void scan_block_comment(struct scan *s)
{
    size_t start = s->at;

    s->at += 2;
    while (!s->what && s->at < s->len) {
        if (is_at(s, "*/")) {
            s->at += 2;
            blank_out(s, start, s->at);
            return;
        }
        step(s);
    }
    if (!s->what)
        fail(s, start, "comment without end");
}

/* Keeps account of commas, and blanks the one that stands between a value and a closing bracket. */
static void note_byte(struct scan *s, char c)
{
    if (c == ',' && !s->has_comma && s->last && !strchr("[{:,", s->last)) {
        s->has_comma = true;
        s->comma_at = s->at;
        return;
    }
    if (s->has_comma && (c == ']' || c == '}'))
        s->blank[s->comma_at] = ' ';
    else if (s->has_comma)
        s->last = ',';
    s->has_comma = false;
    s->last = c;
}

/* One token or blank outside strings. */
static void scan_outside(struct scan *s)
{
    char c = s->text[s->at];

    if (s->blank && is_at(s, "//")) {
        scan_line_comment(s);
        return;
    }
    if (s->blank && is_at(s, "/*")) {
        scan_block_comment(s);
        return;
    }
    if (s->blank && c != ' ' && c != '\t' && c != '\n' && c != '\r')
        note_byte(s, c);
    if (c == '"')
        scan_string(s);
    else
        step(s);
}

int json_scan(const char *text, size_t len, char *blank, size_t *ret_offset, const char **ret_what)
{
    struct scan s = { .text = text, .len = len, .blank = blank };

    while (!s.what && s.at < s.len)
        scan_outside(&s);
    if (!s.what)
        return 0;
    *ret_offset = s.at;
    *ret_what = s.what;
    return -EINVAL;
}
