/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  JSON text → tree, over yajl's callbacks, strict where yajl is not: NUL bytes, duplicate keys, invalid UTF-8,
 *          lone surrogates, trailing text and numbers out of range are refused; size and depth are limited.
 * Runs in  any (pure)
 * Trusts   nothing: the text may be a stranger's
 * Owns     the tree and all its strings live in the caller's arena; so does what was read before a failure
 * Fails    -EINVAL with "NAME:LINE:COLUMN: what" in err. Integers must fit int64_t or uint64_t, other numbers a finite
 *          double.
 * Source   RFC 8259
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct error;

#define JSON_SIZE_MAX  (8U << 20) /* bytes of a document, when limits do not say less */
#define JSON_DEPTH_MAX 64

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_type type;
    uint32_t line; /* of the value's last byte for numbers and strings, of the bracket for the others; from 1 */
    uint32_t column; /* in bytes, from 1 */
    const char *key; /* within an object, else NULL; no NUL inside */
    struct json *next; /* sibling, in the order of the text */
    union {
        bool boolean;
        struct {
            const char *text; /* a number as written, or the string without NUL inside */
            size_t len;
        } string;
        struct {
            struct json *first;
            size_t n;
        } list; /* of an array or object */
    };
};

struct json_limits {
    size_t size_bytes_max; /* 0: JSON_SIZE_MAX */
    unsigned depth_max; /* 0: JSON_DEPTH_MAX */
    bool may_comment; /* policy files only: comments, trailing commas */
};

/* name: the file's, for messages. limits may be NULL. */
int json_parse(struct arena *arena, const char *name, const char *text, size_t len,
    const struct json_limits *limits, struct json **ret, struct error *err);

/* The member of an object, or NULL; JSON null counts as absent. */
const struct json *json_get(const struct json *object, const char *key);
/* Typed reading of a value; -EINVAL wrong type (or, of numbers, a fraction), -ERANGE outside the limits. */
int json_u64(const struct json *value, uint64_t max, uint64_t *ret);
int json_i64(const struct json *value, int64_t min, int64_t max, int64_t *ret);
const char *json_type_name(enum json_type type);
