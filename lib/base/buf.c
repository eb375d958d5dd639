/* SPDX-License-Identifier: Apache-2.0 */
/* Growable bytes with a hard maximum; a failure sticks. */
#include "buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "utf8.h"

enum { SIZE_FIRST = 256 };

void buf_done(struct buf *b)
{
    if (!b)
        return;
    free(b->data);
    *b = (struct buf)BUF_INIT;
}

void buf_reset(struct buf *b)
{
    b->len = 0;
    b->is_failed = false;
    if (b->data)
        b->data[0] = '\0';
}

/* Makes room for len bytes and the NUL. */
static bool reserve(struct buf *b, size_t len)
{
    size_t max = b->max ? b->max : BUF_MAX_DEFAULT;

    if (b->is_failed || b->len > max || len > max - b->len) {
        b->is_failed = true;
        return false;
    }
    size_t need = b->len + len + 1;
    if (need <= b->size)
        return true;
    size_t size = b->size ? b->size : SIZE_FIRST;
    while (size < need)
        size = size > SIZE_MAX / 2 ? need : size * 2;
    b->data = xrealloc(b->data, size, 1);
    b->size = size;
    return true;
}

void buf_add(struct buf *b, const void *data, size_t len)
{
    if (!reserve(b, len))
        return;
    if (len)
        memcpy(b->data + b->len, data, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

void buf_putc(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    buf_vprintf(b, format, ap);
    va_end(ap);
}

void buf_vprintf(struct buf *b, const char *format, va_list ap)
{
    va_list again;

    if (b->is_failed)
        return;
    va_copy(again, ap);
    size_t room = b->size - b->len;
    int len = vsnprintf(b->data ? b->data + b->len : NULL, room, format, ap);
    if (len < 0) {
        b->is_failed = true;
    } else if (reserve(b, (size_t)len)) {
        if ((size_t)len >= room)
            (void)vsnprintf(b->data + b->len, (size_t)len + 1, format, again);
        b->len += (size_t)len;
    }
    if (b->data)
        b->data[b->len] = '\0';
    va_end(again);
}

void buf_put_plain(struct buf *b, const char *s, size_t len)
{
    char safe[UTF8_SAFE_SIZE];

    while (len > 0) {
        size_t n = utf8_take_safe(&s, &len, safe);
        buf_add(b, safe, n);
    }
}

void buf_put_quoted(struct buf *b, const char *s, size_t len)
{
    char safe[UTF8_SAFE_SIZE];

    buf_putc(b, '"');
    while (len > 0) {
        if (*s == '"' || *s == '\\')
            buf_putc(b, '\\');
        size_t n = utf8_take_safe(&s, &len, safe);
        buf_add(b, safe, n);
    }
    buf_putc(b, '"');
}

const char *buf_str(const struct buf *b)
{
    return b->data ? b->data : "";
}

bool buf_ok(const struct buf *b)
{
    return !b->is_failed;
}

char *buf_take(struct buf *b)
{
    char *taken = b->data ? b->data : xstrdup("");

    b->data = NULL;
    b->len = 0;
    b->size = 0;
    return taken;
}
