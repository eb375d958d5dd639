/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Growable bytes with a hard maximum. A failure sticks: write on, ask once at the end with buf_ok.
 * Runs in  any
 * Owns     its bytes; buf_str and data are borrowed until the next write.
 */
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define BUF_MAX_DEFAULT (16U << 20)

struct buf {
    char *data; /* NUL behind the last byte whenever it is not NULL */
    size_t len;
    size_t size;
    size_t max; /* 0: BUF_MAX_DEFAULT */
    bool is_failed;
};

#define BUF_INIT { 0 }

void buf_done(struct buf *b);
void buf_reset(struct buf *b); /* empty again, failure forgotten, memory kept */
void buf_add(struct buf *b, const void *data, size_t len);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *format, va_list ap) __attribute__((format(printf, 2, 0)));
/* As one line that is safe to show: quoted by '"', control bytes, C1, bidi controls and invalid UTF-8 as \xNN or
 * \uNNNN. */
void buf_put_quoted(struct buf *b, const char *s, size_t len);
/* The same without quotes; quotes and backslashes stay as they are. */
void buf_put_plain(struct buf *b, const char *s, size_t len);
const char *buf_str(const struct buf *b) __attribute__((returns_nonnull)); /* "" when empty */
bool buf_ok(const struct buf *b);
/* The bytes as a heap string; the buffer is empty afterwards. */
char *buf_take(struct buf *b) __attribute__((returns_nonnull));
