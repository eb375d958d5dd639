/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Bump allocation for documents and plans: everything of one document lives and dies together.
 * Runs in  any
 * Owns     whatever it gave out, until arena_done. Memory is zeroed and aligned for any object. Aborts when memory is
 *          out.
 */
#pragma once
#include <stdarg.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *head;
    size_t used_bytes; /* of the head */
};

#define ARENA_INIT { 0 }

void arena_done(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t size) __attribute__((returns_nonnull));
void *arena_array(struct arena *arena, size_t n, size_t size) __attribute__((returns_nonnull));
char *arena_strdup(struct arena *arena, const char *s) __attribute__((returns_nonnull));
char *arena_strndup(struct arena *arena, const char *s, size_t len) __attribute__((returns_nonnull));
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((returns_nonnull, format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list ap)
    __attribute__((returns_nonnull, format(printf, 2, 0)));

#define arena_new(arena, type)            ((type *)arena_alloc((arena), sizeof(type)))
#define arena_new_array(arena, n, type)   ((type *)arena_array((arena), (n), sizeof(type)))
