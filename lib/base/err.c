/* SPDX-License-Identifier: Apache-2.0 */
/* The error: a code and one line of text. */
#include "err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int set_code(struct error *err, int code)
{
    if (code == 0) /* a fault of the caller's, which must not turn into success */
        code = EIO;
    err->code = code < 0 ? -code : code;
    return -err->code;
}

int err_set(struct error *err, int code, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    (void)vsnprintf(err->text, sizeof(err->text), format, ap);
    va_end(ap);
    return set_code(err, code);
}

int err_sys(struct error *err, int code, const char *format, ...)
{
    va_list ap;
    int ret = set_code(err, code);

    va_start(ap, format);
    (void)vsnprintf(err->text, sizeof(err->text), format, ap);
    va_end(ap);
    size_t len = strlen(err->text);
    (void)snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(err->code));
    return ret;
}

int err_in(struct error *err, const char *format, ...)
{
    char context[ERR_TEXT_MAX];
    va_list ap;

    va_start(ap, format);
    (void)vsnprintf(context, sizeof(context) - 2, format, ap);
    va_end(ap);
    size_t len = strlen(context);
    memcpy(context + len, ": ", 2);
    len += 2;
    size_t rest = strnlen(err->text, sizeof(err->text) - 1 - len);
    memmove(err->text + len, err->text, rest);
    err->text[len + rest] = '\0';
    memcpy(err->text, context, len);
    return -err->code;
}
