/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Typed reading of members of an image's JSON documents, with messages that name document, line and key.
 * Runs in  any (pure)
 * Trusts   nothing
 * Owns     everything lives in the arena
 * Fails    -EINVAL "NAME:LINE:COLUMN: KEY: what"
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct error;
struct json;

struct image_document {
    struct arena *arena;
    const char *name;
    const struct json *root; /* an object, or for docker an array */
    struct error *err;
};

int image_document_open(struct image_document *ret, struct arena *arena, const char *name,
    const char *text, size_t len, size_t max, struct error *err);
/* Sets the error "what" for key, at value when that is not NULL. Returns -EINVAL. */
int image_document_fail(
    const struct image_document *d, const struct json *value, const char *key, const char *what);
/* Absent members leave NULL or an empty list, unless is_required. Go's null is absent too. */
int image_document_string(const struct image_document *d, const struct json *object,
    const char *key, bool is_required, const char **ret);
int image_document_strings(const struct image_document *d, const struct json *object,
    const char *key, size_t max, char ***ret, size_t *ret_n);
/* The keys of an object such as {"80/tcp": {}}. */
int image_document_keys(const struct image_document *d, const struct json *object, const char *key,
    size_t max, char ***ret, size_t *ret_n);
/* NULL when absent; an error when it is not of the type. */
int image_document_object(const struct image_document *d, const struct json *object,
    const char *key, const struct json **ret);
int image_document_array(const struct image_document *d, const struct json *object, const char *key,
    bool is_required, size_t max, const struct json **ret);
