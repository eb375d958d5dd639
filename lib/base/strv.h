/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Strings and string vectors (NULL-terminated char * arrays with a count, in an arena).
 * Runs in  any (pure)
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct arena;

struct strv {
    char **items; /* items[n] is NULL; NULL itself when never filled */
    size_t n;
    size_t size;
};

#define STRV_INIT { 0 }

void strv_add(struct arena *arena, struct strv *v, const char *s); /* s is borrowed, not copied */
bool strv_has(const struct strv *v, const char *s);

bool str_eq(const char *a, const char *b); /* NULL equals NULL only */
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
/* The value of NAME=value in a vector of such, or NULL. */
const char *env_get(char *const *env, const char *name);
/* Sets NAME=value, replacing all that were there. */
void env_set(struct arena *arena, struct strv *env, const char *name, const char *value);
/* Edit distance, for "did you mean": cheap, strings up to 63 bytes, else SIZE_MAX. */
size_t str_distance(const char *a, const char *b);
