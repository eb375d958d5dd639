/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The error of everything above lib/kernel: a code and one line of text, of fixed size, on the caller's stack.
 * Runs in  any (pure); it holds no pointer, so a child can send it to its parent as bytes.
 * Fails    never: text that does not fit is cut.
 */
#pragma once
#include <stdarg.h>
#include <stdint.h>

#define ERR_TEXT_MAX 1000

struct error {
    int32_t code; /* errno value, > 0 once set; 0: no error */
    char text[ERR_TEXT_MAX];
};

#define ERR_INIT { 0 }

/* Sets the error at its origin: "object: what failed[: why]". code is an errno value of either sign. Returns -code. */
int err_set(struct error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same, with ": <strerror(code)>" put behind. */
int err_sys(struct error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Puts "context: " before the text of an error that is set. Returns its negative code. */
int err_in(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
