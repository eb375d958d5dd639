/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  SHA-256 through libcrypto, and its text form "sha256:<64 hex>".
 * Runs in  any (pure)
 * Source   OCI image-spec descriptor.md "Digests"
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGEST_BYTES     32
#define DIGEST_HEX_SIZE  65  /* 64 digits and NUL */
#define DIGEST_TEXT_SIZE 72  /* "sha256:", 64 digits and NUL */

struct digest_state; /* heap */

struct digest_state *digest_new(void) __attribute__((returns_nonnull));
struct digest_state *digest_free(struct digest_state *state); /* returns NULL */
void digest_add(struct digest_state *state, const void *data, size_t len);
void digest_final(struct digest_state *state, uint8_t ret[DIGEST_BYTES]);
void digest_bytes(const void *data, size_t len, uint8_t ret[DIGEST_BYTES]);
void digest_hex(const uint8_t bytes[DIGEST_BYTES], char ret[DIGEST_HEX_SIZE]);
void digest_text(const uint8_t bytes[DIGEST_BYTES], char ret[DIGEST_TEXT_SIZE]);
/* True for exactly "sha256:" and 64 lower-case hex digits. */
bool digest_text_is_valid(const char *text);
