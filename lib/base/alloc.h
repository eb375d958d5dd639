/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Heap memory that is there or the process ends: one-shot processes abort when memory is out (a killed parent
 *          must be recoverable anyway). Serving processes allocate at start-up only.
 * Runs in  any
 */
#pragma once
#include <stddef.h>

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1)));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1, 2)));
/* Grows or shrinks; aborts when n * size overflows. */
void *xrealloc(void *p, size_t n, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *s, size_t max) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...) __attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
