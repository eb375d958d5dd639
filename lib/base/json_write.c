/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON, byte-stable. */
#include "json_write.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "json.h"
#include "utf8.h"

static void put_escape(struct buf *b, uint32_t c)
{
    switch (c) {
    case '"':
        buf_puts(b, "\\\"");
        return;
    case '\\':
        buf_puts(b, "\\\\");
        return;
    case '\n':
        buf_puts(b, "\\n");
        return;
    case '\r':
        buf_puts(b, "\\r");
        return;
    case '\t':
        buf_puts(b, "\\t");
        return;
    default:
        buf_printf(b, "\\u%04" PRIx32, c); /* hidden characters are all below U+10000 */
    }
}

static void put_text(struct buf *b, const char *s, size_t len)
{
    const char *end = s + len;
    const char *plain = s; /* bytes from here to s need no change */

    buf_putc(b, '"');
    while (s < end) {
        uint32_t c = 0;
        size_t n = utf8_decode(s, (size_t)(end - s), &c);
        if (n > 0 && c != '"' && c != '\\' && !utf8_is_hidden(c)) {
            s += n;
            continue;
        }
        buf_add(b, plain, (size_t)(s - plain));
        if (n > 0)
            put_escape(b, c);
        else
            buf_puts(b, "\xef\xbf\xbd"); /* U+FFFD */
        s += n ? n : 1;
        plain = s;
    }
    buf_add(b, plain, (size_t)(s - plain));
    buf_putc(b, '"');
}

static void new_line(struct json_writer *w)
{
    if (w->indent == 0)
        return;
    buf_putc(w->buf, '\n');
    for (unsigned i = 0; i < w->indent * w->depth; i++)
        buf_putc(w->buf, ' ');
}

/* What stands before each value: comma, line, key. */
static void begin_item(struct json_writer *w, const char *key)
{
    if (w->has_item)
        buf_putc(w->buf, ',');
    if (w->depth > 0)
        new_line(w);
    w->has_item = true;
    if (!key)
        return;
    put_text(w->buf, key, strlen(key));
    buf_puts(w->buf, w->indent ? ": " : ":");
}

void json_begin(struct json_writer *w, const char *key, char bracket)
{
    assert(bracket == '{' || bracket == '[');
    begin_item(w, key);
    buf_putc(w->buf, bracket);
    w->depth++;
    w->has_item = false;
}

void json_end(struct json_writer *w, char bracket)
{
    assert(bracket == '}' || bracket == ']');
    assert(w->depth > 0);
    w->depth--;
    if (w->has_item)
        new_line(w);
    buf_putc(w->buf, bracket);
    w->has_item = true;
}

void json_put_str(struct json_writer *w, const char *key, const char *value)
{
    json_put_strn(w, key, value, strlen(value));
}

void json_put_strn(struct json_writer *w, const char *key, const char *value, size_t len)
{
    begin_item(w, key);
    put_text(w->buf, value, len);
}

void json_put_u64(struct json_writer *w, const char *key, uint64_t value)
{
    begin_item(w, key);
    buf_printf(w->buf, "%" PRIu64, value);
}

void json_put_i64(struct json_writer *w, const char *key, int64_t value)
{
    begin_item(w, key);
    buf_printf(w->buf, "%" PRId64, value);
}

void json_put_bool(struct json_writer *w, const char *key, bool value)
{
    begin_item(w, key);
    buf_puts(w->buf, value ? "true" : "false");
}

void json_put_null(struct json_writer *w, const char *key)
{
    begin_item(w, key);
    buf_puts(w->buf, "null");
}

void json_put_strs(struct json_writer *w, const char *key, char *const *items, size_t n)
{
    json_begin(w, key, '[');
    for (size_t i = 0; i < n; i++)
        json_put_str(w, NULL, items[i]);
    json_end(w, ']');
}

/* Recursion: no deeper than the limit that json_parse was given. */
void json_put_tree(struct json_writer *w, const char *key, const struct json *value)
{
    switch (value->type) {
    case JSON_NULL:
        json_put_null(w, key);
        return;
    case JSON_BOOL:
        json_put_bool(w, key, value->boolean);
        return;
    case JSON_NUMBER:
        begin_item(w, key);
        buf_add(w->buf, value->string.text, value->string.len);
        return;
    case JSON_STRING:
        json_put_strn(w, key, value->string.text, value->string.len);
        return;
    case JSON_ARRAY:
    case JSON_OBJECT:
        json_begin(w, key, value->type == JSON_OBJECT ? '{' : '[');
        for (const struct json *item = value->list.first; item; item = item->next)
            json_put_tree(w, item->key, item);
        json_end(w, value->type == JSON_OBJECT ? '}' : ']');
        return;
    }
}
