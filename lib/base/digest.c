/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 through libcrypto. */
#include "digest.h"

#include <stdlib.h>
#include <string.h>

/* Why: OpenSSL 3 deprecates these three calls in favour of EVP_Digest*, which in a static program
 * brings the provider machinery (megabytes, thousands of relocations at each start). They are the
 * same code underneath. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include "alloc.h"

static const char prefix[] = "sha256:";

struct digest_state {
    SHA256_CTX sha;
};

struct digest_state *digest_new(void)
{
    struct digest_state *state = xcalloc(1, sizeof(*state));

    if (SHA256_Init(&state->sha) != 1)
        abort(); /* it only sets constants */
    return state;
}

struct digest_state *digest_free(struct digest_state *state)
{
    free(state);
    return NULL;
}

void digest_add(struct digest_state *state, const void *data, size_t len)
{
    if (SHA256_Update(&state->sha, data, len) != 1)
        abort(); /* a digest that is wrong must not go on */
}

void digest_final(struct digest_state *state, uint8_t ret[DIGEST_BYTES])
{
    if (SHA256_Final(ret, &state->sha) != 1)
        abort();
}

void digest_bytes(const void *data, size_t len, uint8_t ret[DIGEST_BYTES])
{
    struct digest_state state;

    if (SHA256_Init(&state.sha) != 1)
        abort();
    digest_add(&state, data, len);
    digest_final(&state, ret);
}

void digest_hex(const uint8_t bytes[DIGEST_BYTES], char ret[DIGEST_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        ret[2 * i] = digits[bytes[i] >> 4];
        ret[2 * i + 1] = digits[bytes[i] & 0xf];
    }
    ret[DIGEST_HEX_SIZE - 1] = '\0';
}

void digest_text(const uint8_t bytes[DIGEST_BYTES], char ret[DIGEST_TEXT_SIZE])
{
    memcpy(ret, prefix, sizeof(prefix) - 1);
    digest_hex(bytes, ret + sizeof(prefix) - 1);
}

bool digest_text_is_valid(const char *text)
{
    if (strncmp(text, prefix, sizeof(prefix) - 1) != 0)
        return false;
    const char *hex = text + sizeof(prefix) - 1;
    return strspn(hex, "0123456789abcdef") == DIGEST_HEX_SIZE - 1 &&
           hex[DIGEST_HEX_SIZE - 1] == '\0';
}
