/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  UTF-8 one character at a time, and a form of each character that is safe to show on a terminal or in a log.
 * Runs in  any (pure)
 * Trusts   nothing: the bytes may be a stranger's
 * Source   RFC 3629; Unicode Standard Annex 9 (bidirectional controls)
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the character at s, 1 to 4, and its code point; 0 when it is no valid UTF-8 (overlong
 * forms, surrogates, beyond U+10FFFF, cut). len > 0. */
size_t utf8_decode(const char *s, size_t len, uint32_t *ret);

/* True for what may deceive who reads it: control characters C0 and C1, DEL, line and paragraph
 * separators, bidi controls. */
bool utf8_is_hidden(uint32_t c);

#define UTF8_SAFE_SIZE 8

/* Takes one character off *s and *len (> 0), writes its safe form to ret, without NUL: itself, or
 * \xNN for control bytes and invalid bytes, or \uNNNN for other hidden characters. Returns how many
 * bytes it wrote. */
size_t utf8_take_safe(const char **s, size_t *len, char ret[UTF8_SAFE_SIZE]);
