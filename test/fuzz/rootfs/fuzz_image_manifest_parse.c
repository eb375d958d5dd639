/* SPDX-License-Identifier: Apache-2.0 */
/* The documents that say which blobs an image has. What holds: no text is read as two kinds. */
#include <stdint.h>
#include <stdlib.h>

#include "arena.h"
#include "digest.h"
#include "err.h"
#include "image_manifest_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_index(struct arena *arena, const struct image_index *index)
{
    struct error err = ERR_INIT;
    struct image_platform want;
    const struct image_descriptor *entry = NULL;
    if (image_platform_parse(arena, NULL, &want, &err) < 0)
        abort();
    if (image_index_choose(index, &want, &entry, &err) == 0 &&
        (!digest_text_is_valid(entry->digest) || entry->media == IMAGE_MEDIA_INDEX))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    struct image_index index;
    struct image_manifest manifest;
    struct image_docker_list list;
    const char *text = (const char *)data;
    int is_index = image_index_parse(&arena, "fuzz", text, size, NULL, &index, &err) == 0;
    err = (struct error)ERR_INIT;
    int is_manifest = image_manifest_parse(&arena, "fuzz", text, size, NULL, &manifest, &err) == 0;
    if (is_index && is_manifest)
        abort();
    if (is_index)
        check_index(&arena, &index);
    for (size_t i = 0; is_manifest && i < manifest.n_layers; i++)
        if (!digest_text_is_valid(manifest.layers[i].digest))
            abort();
    (void)image_docker_parse(&arena, "fuzz", text, size, &list, &err);
    (void)image_layout_check(&arena, text, size, &err);
    arena_done(&arena);
    return 0;
}
