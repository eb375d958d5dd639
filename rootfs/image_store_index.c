/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: images.json, read as strictly as any document and replaced as a whole. */
#include <errno.h>
#include <string.h>

#include "image_store_internal.h"

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "digest.h"
#include "err.h"
#include "file.h"
#include "image_document.h"
#include "image_manifest_parse.h"
#include "json.h"
#include "json_write.h"

static int hex_check(const struct image_document *d, const struct json *item, const char *hex)
{
    char text[DIGEST_TEXT_SIZE];
    int len = snprintf(text, sizeof(text), "sha256:%s", hex);
    if (len == (int)sizeof(text) - 1 && digest_text_is_valid(text))
        return 0;
    return image_document_fail(d, item, "layers", "not the HEX of a chain");
}

static int entry_parse(
    const struct image_document *d, const struct json *item, struct store_entry *ret)
{
    if (item->type != JSON_OBJECT)
        return image_document_fail(d, item, "images", "not an object");
    struct image *image = &ret->image;
    int rc = image_document_string(d, item, "id", true, &image->id);
    if (rc == 0 && !digest_text_is_valid(image->id))
        rc = image_document_fail(d, item, "id", "not a digest");
    if (rc == 0)
        rc = image_document_strings(
            d, item, "names", STORE_NAMES_MAX, &image->names, &image->n_names);
    const struct json *size = json_get(item, "size");
    if (rc == 0 && (size == NULL || json_u64(size, INT64_MAX, &image->size_bytes) < 0))
        rc = image_document_fail(d, item, "size", "not a number of bytes");
    if (rc == 0)
        rc = image_document_string(d, item, "loaded", true, &image->loaded);
    if (rc == 0)
        rc = image_document_string(d, item, "source", true, &image->source);
    if (rc == 0)
        rc = image_document_string(d, item, "stamp", true, &ret->stamp);
    if (rc == 0)
        rc = image_document_strings(
            d, item, "layers", IMAGE_LAYERS_MAX, &image->layers, &image->n_layers);
    for (size_t i = 0; rc == 0 && i < image->n_layers; i++)
        rc = hex_check(d, item, image->layers[i]);
    return rc;
}

int store_index_parse(
    struct arena *arena, const char *text, size_t len, struct store_index *ret, struct error *err)
{
    struct image_document d;
    int rc = image_document_open(&d, arena, STORE_INDEX, text, len, STORE_INDEX_BYTES_MAX, err);
    if (rc < 0)
        return rc;
    const struct json *images = NULL;
    if (d.root->type != JSON_OBJECT)
        return image_document_fail(&d, NULL, "index", "not an object");
    rc = image_document_array(&d, d.root, "images", true, STORE_IMAGES_MAX, &images);
    if (rc < 0)
        return rc;
    struct store_index index = { .entries = arena_new_array(
                                     arena, images->list.n + 1, struct store_entry) };
    for (const struct json *item = images->list.first; item != NULL; item = item->next) {
        rc = entry_parse(&d, item, &index.entries[index.n]);
        if (rc < 0)
            return rc;
        index.n++;
    }
    *ret = index;
    return 0;
}

int store_index_read(const struct image_store *store, struct arena *arena, struct store_index *ret,
    struct error *err)
{
    autofree char *text = NULL;
    size_t len = 0;
    int rc = file_read(store->dir, STORE_INDEX, STORE_INDEX_BYTES_MAX, &text, &len);
    if (rc == -ENOENT) {
        *ret = (struct store_index){ .entries = arena_new(arena, struct store_entry) };
        return 0;
    }
    if (rc < 0)
        return err_sys(err, rc, "%s: read", STORE_INDEX);
    return store_index_parse(arena, text, len, ret, err);
}

int store_index_write(
    const struct image_store *store, const struct store_index *index, struct error *err)
{
    AUTO(buf) struct buf text = { .max = STORE_INDEX_BYTES_MAX };
    struct json_writer w = JSON_WRITER_INIT(&text, 1);
    json_begin(&w, NULL, '{');
    json_begin(&w, "images", '[');
    for (size_t i = 0; i < index->n; i++) {
        const struct store_entry *entry = &index->entries[i];
        const struct image *image = &entry->image;
        json_begin(&w, NULL, '{');
        json_put_str(&w, "id", image->id);
        json_put_strs(&w, "names", image->names, image->n_names);
        json_put_u64(&w, "size", image->size_bytes);
        json_put_str(&w, "loaded", image->loaded);
        json_put_str(&w, "source", image->source);
        json_put_str(&w, "stamp", entry->stamp);
        json_put_strs(&w, "layers", image->layers, image->n_layers);
        json_end(&w, '}');
    }
    json_end(&w, ']');
    json_end(&w, '}');
    buf_putc(&text, '\n');
    if (!buf_ok(&text))
        return err_set(err, EFBIG, "%s: too many images", STORE_INDEX);
    int rc = file_replace(store->dir, STORE_INDEX, text.data, text.len, STORE_FILE_MODE, 1);
    return rc < 0 ? err_sys(err, rc, "%s: write", STORE_INDEX) : 0;
}

struct store_entry *store_index_find(
    const struct store_index *index, const char *name, const char *digest)
{
    for (size_t i = 0; i < index->n; i++) {
        struct store_entry *entry = &index->entries[i];
        bool is_named = name == NULL;
        for (size_t k = 0; k < entry->image.n_names && !is_named; k++)
            is_named = strcmp(entry->image.names[k], name) == 0;
        if (is_named && (digest == NULL || strcmp(entry->image.id, digest) == 0))
            return entry;
    }
    return NULL;
}
