/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  All text → number. Strict: digits of the whole string, no sign (but for i64), no blanks, no leading zero, no
 *          0x.
 * Runs in  any (pure)
 * Fails    -EINVAL not such a number, -ERANGE out of range; *ret untouched
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

int parse_u64(const char *s, size_t len, uint64_t max, uint64_t *ret);
int parse_i64(const char *s, size_t len, int64_t min, int64_t max, int64_t *ret);
int parse_u32(const char *s, uint32_t max, uint32_t *ret);
/* Octal mode as chmod writes it: 1 to 5 digits 0-7, at most 07777. */
int parse_mode(const char *s, uint32_t *ret);
/* Sizes as people write them: 512, 64k, 2GiB, 1.5 is refused. Suffixes k m g t (KiB … alike), powers of 1024. Bytes. */
int parse_size(const char *s, uint64_t *ret_bytes);
