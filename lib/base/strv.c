/* SPDX-License-Identifier: Apache-2.0 */
/* Strings, string vectors, environments. */
#include "strv.h"

#include <stdint.h>
#include <string.h>

#include "arena.h"

void strv_add(struct arena *arena, struct strv *v, const char *s)
{
    if (!v->items || v->n + 1 >= v->size) {
        size_t size = v->size ? v->size * 2 : 8;
        char **items = arena_new_array(arena, size, char *);
        if (v->n)
            memcpy(items, v->items, v->n * sizeof(char *));
        v->items = items;
        v->size = size;
    }
    /* The vector has the type that execve and friends ask for; it never writes through it. */
    v->items[v->n++] = (char *)(uintptr_t)s;
    v->items[v->n] = NULL;
}

bool strv_has(const struct strv *v, const char *s)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->items[i], s) == 0)
            return true;
    return false;
}

bool str_eq(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
    size_t len = strlen(s);
    size_t suffix_len = strlen(suffix);

    return len >= suffix_len && strcmp(s + len - suffix_len, suffix) == 0;
}

static bool env_is(const char *entry, const char *name, size_t name_len)
{
    return strncmp(entry, name, name_len) == 0 && entry[name_len] == '=';
}

const char *env_get(char *const *env, const char *name)
{
    size_t len = strlen(name);

    for (; env && *env; env++)
        if (env_is(*env, name, len))
            return *env + len + 1;
    return NULL;
}

void env_set(struct arena *arena, struct strv *env, const char *name, const char *value)
{
    size_t len = strlen(name);
    char *entry = arena_printf(arena, "%s=%s", name, value);
    size_t n = 0;
    bool is_set = false;

    for (size_t i = 0; i < env->n; i++) {
        if (!env_is(env->items[i], name, len)) {
            env->items[n++] = env->items[i];
        } else if (!is_set) {
            env->items[n++] = entry;
            is_set = true;
        }
    }
    env->n = n;
    if (env->items)
        env->items[n] = NULL;
    if (!is_set)
        strv_add(arena, env, entry);
}

static size_t least_of(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

size_t str_distance(const char *a, const char *b)
{
    enum { LEN_MAX = 63 };
    size_t row[LEN_MAX + 1]; /* of a's prefix so far against each prefix of b */
    size_t a_len = strnlen(a, LEN_MAX + 1);
    size_t b_len = strnlen(b, LEN_MAX + 1);

    if (a_len > LEN_MAX || b_len > LEN_MAX)
        return SIZE_MAX;
    for (size_t k = 0; k <= b_len; k++)
        row[k] = k;
    for (size_t i = 1; i <= a_len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= b_len; k++) {
            size_t above = row[k];
            row[k] = least_of(above + 1, row[k - 1] + 1, diagonal + (a[i - 1] != b[k - 1]));
            diagonal = above;
        }
    }
    return row[b_len];
}
