/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  One pass over raw JSON text before yajl sees it, for what yajl lets through: invalid UTF-8, NUL bytes, lone
 *          surrogate escapes. On request comments and trailing commas become blanks, so that offsets, lines and columns
 *          stay.
 * Runs in  any (pure)
 * Trusts   nothing
 * Fails    -EINVAL; *ret_offset is the place, *ret_what a constant text
 */
#pragma once
#include <stddef.h>

/* blank: NULL, or a copy of the text (blank[0..len)) in which comments and trailing commas are
 * blanked. */
int json_scan(const char *text, size_t len, char *blank, size_t *ret_offset, const char **ret_what);
