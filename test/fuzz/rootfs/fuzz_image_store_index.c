/* SPDX-License-Identifier: Apache-2.0 */
/* images.json of the store. What holds: names of files that come out of it are 64 hex digits. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "err.h"
#include "image_store_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    struct store_index index;
    if (store_index_parse(&arena, (const char *)data, size, &index, &err) == 0)
        for (size_t i = 0; i < index.n; i++)
            for (size_t k = 0; k < index.entries[i].image.n_layers; k++)
                if (strspn(index.entries[i].image.layers[k], "0123456789abcdef") != 64 ||
                    index.entries[i].image.layers[k][64] != '\0')
                    abort();
    arena_done(&arena);
    return 0;
}
