/* SPDX-License-Identifier: Apache-2.0 */
/* Heap memory that is there or the process ends. */
#include "alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checked.h"

static void *or_abort(void *p)
{
    static const char text[] = "runa: error: out of memory\n";

    if (p)
        return p;
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        abort();
    abort();
}

void *xmalloc(size_t size)
{
    return or_abort(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
    return or_abort(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t n, size_t size)
{
    size_t total = 0;

    if (checked_mul(n, size, &total))
        return or_abort(NULL);
    return or_abort(realloc(p, total ? total : 1));
}

char *xstrdup(const char *s)
{
    return or_abort(strdup(s));
}

char *xstrndup(const char *s, size_t max)
{
    return or_abort(strndup(s, max));
}

char *xasprintf(const char *format, ...)
{
    char *s = NULL;
    va_list ap;

    va_start(ap, format);
    int len = vasprintf(&s, format, ap);
    va_end(ap);
    return or_abort(len < 0 ? NULL : s);
}
