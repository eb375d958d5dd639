/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocation in chunks that grow. Memory is zeroed when given out, so that pages are touched
 * only when used. */
#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "checked.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define ARENA_IS_SPLIT 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define ARENA_IS_SPLIT 1
#endif
#ifndef ARENA_IS_SPLIT
#define ARENA_IS_SPLIT                                                                             \
    0 /* 1: each object is a chunk of its own, so that the sanitizer sees its ends */
#endif

enum {
    CHUNK_FIRST_BYTES = 4 << 10, /* many a document fits, and the process stays small */
    CHUNK_SECOND_BYTES = 16 << 10,
    CHUNK_MAX_BYTES = 1 << 20,
};

struct arena_chunk {
    struct arena_chunk *next;
    size_t size_bytes;
    alignas(max_align_t) char data[];
};

void arena_done(struct arena *arena)
{
    if (!arena)
        return;
    for (struct arena_chunk *chunk = arena->head; chunk;) {
        struct arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    *arena = (struct arena)ARENA_INIT;
}

static struct arena_chunk *chunk_new(size_t size_bytes)
{
    size_t total = 0;

    if (checked_add(size_bytes, sizeof(struct arena_chunk), &total))
        total = SIZE_MAX; /* which xmalloc cannot give */
    struct arena_chunk *chunk = xmalloc(total);
    chunk->next = NULL;
    chunk->size_bytes = size_bytes;
    return chunk;
}

static size_t next_chunk_bytes(const struct arena *arena)
{
    if (!arena->head)
        return CHUNK_FIRST_BYTES - sizeof(struct arena_chunk);
    size_t size = arena->head->size_bytes + sizeof(struct arena_chunk);
    if (size < CHUNK_SECOND_BYTES)
        size = CHUNK_SECOND_BYTES;
    else if (size < CHUNK_MAX_BYTES)
        size *= 2;
    return size - sizeof(struct arena_chunk);
}

/* An object that is big for a chunk gets its own, behind the head, whose rest stays in use. */
static void *alloc_alone(struct arena *arena, size_t size)
{
    struct arena_chunk *chunk = chunk_new(size);

    if (arena->head) {
        chunk->next = arena->head->next;
        arena->head->next = chunk;
    } else {
        arena->head = chunk;
        arena->used_bytes = size;
    }
    return memset(chunk->data, 0, size);
}

static void *alloc_aligned(struct arena *arena, size_t size, size_t alignment)
{
    size_t start = (arena->used_bytes + alignment - 1) & ~(alignment - 1);

    if (ARENA_IS_SPLIT)
        return alloc_alone(arena, size);
    if (!arena->head || start > arena->head->size_bytes || size > arena->head->size_bytes - start) {
        size_t chunk_bytes = next_chunk_bytes(arena);
        if (size > chunk_bytes / 2)
            return alloc_alone(arena, size);
        struct arena_chunk *chunk = chunk_new(chunk_bytes);
        chunk->next = arena->head;
        arena->head = chunk;
        start = 0;
    }
    arena->used_bytes = start + size;
    return memset(arena->head->data + start, 0, size);
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return alloc_aligned(arena, size, alignof(max_align_t));
}

void *arena_array(struct arena *arena, size_t n, size_t size)
{
    size_t total = 0;

    if (checked_mul(n, size, &total))
        total = SIZE_MAX;
    return arena_alloc(arena, total);
}

char *arena_strdup(struct arena *arena, const char *s)
{
    return arena_strndup(arena, s, strlen(s));
}

char *arena_strndup(struct arena *arena, const char *s, size_t len)
{
    size_t size = 0;

    if (checked_add(len, (size_t)1, &size))
        size = SIZE_MAX;
    char *copy = alloc_aligned(arena, size, 1);
    if (len)
        memcpy(copy, s, len);
    return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    char *s = arena_vprintf(arena, format, ap);
    va_end(ap);
    return s;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list ap)
{
    char small[256];
    va_list again;

    va_copy(again, ap);
    int len = vsnprintf(small, sizeof(small), format, ap);
    char *s = NULL;
    if (len < 0) /* a faulty format: a programmer's error */
        abort();
    if ((size_t)len < sizeof(small)) {
        s = arena_strndup(arena, small, (size_t)len);
    } else {
        s = alloc_aligned(arena, (size_t)len + 1, 1);
        (void)vsnprintf(s, (size_t)len + 1, format, again);
    }
    va_end(again);
    return s;
}
