/* SPDX-License-Identifier: Apache-2.0 */
/* References to images. What holds: a name that was taken is taken again and stays as it is. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "err.h"
#include "image_ref_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    struct image_ref ref;
    const char *text = arena_strndup(&arena, size > 0 ? (const char *)data : "", size);
    if (image_ref_parse(&arena, text, &ref, &err) == 0) {
        const char *again = NULL;
        if (ref.transport == IMAGE_STORED && ref.name == NULL && ref.digest == NULL)
            abort();
        if (ref.transport == IMAGE_STORED && ref.name != NULL &&
            (image_name_parse(&arena, ref.name, &again, &err) < 0 || strcmp(again, ref.name) != 0))
            abort();
        if (ref.transport != IMAGE_STORED && (ref.path == NULL || ref.path[0] == '\0'))
            abort();
    } else if (err.code == 0) {
        abort();
    }
    arena_done(&arena);
    return 0;
}
