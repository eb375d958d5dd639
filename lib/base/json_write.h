/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Writes JSON, compact or indented, keys in the order of the calls; byte-stable for the same calls. Strings
 *          are escaped so that a line of output is one line and harmless on a terminal; invalid UTF-8 becomes U+FFFD.
 * Runs in  any (pure)
 *
 *     struct json_writer w = JSON_WRITER_INIT(&buf, 2);
 *     json_begin(&w, NULL, '{');
 *     json_put_str(&w, "id", id);                  key NULL within an array
 *     json_begin(&w, "list", '[');
 *     json_end(&w, ']');
 *     json_end(&w, '}');
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct json;

struct json_writer {
    struct buf *buf;
    unsigned indent; /* spaces a level; 0: compact, one line */
    unsigned depth;
    bool has_item;
};

#define JSON_WRITER_INIT(b, spaces) { .buf = (b), .indent = (spaces) }

void json_begin(struct json_writer *w, const char *key, char bracket);
void json_end(struct json_writer *w, char bracket);
void json_put_str(struct json_writer *w, const char *key, const char *value);
void json_put_strn(struct json_writer *w, const char *key, const char *value, size_t len);
void json_put_u64(struct json_writer *w, const char *key, uint64_t value);
void json_put_i64(struct json_writer *w, const char *key, int64_t value);
void json_put_bool(struct json_writer *w, const char *key, bool value);
void json_put_null(struct json_writer *w, const char *key);
void json_put_strs(struct json_writer *w, const char *key, char *const *items, size_t n);
void json_put_tree(struct json_writer *w, const char *key, const struct json *value);
