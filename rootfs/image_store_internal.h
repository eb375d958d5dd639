/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What the files of the image store share: names within its directory, the index, locks.
 * Runs in  parent
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "image_store.h"
#include "strv.h"

#define STORE_LOCK           "lock"
#define STORE_INDEX          "images.json"
#define STORE_CONFIG         "config"
#define STORE_LAYERS         "layers"
#define STORE_LAYER_FS       "fs"
#define STORE_LAYER_SIZE     "size"
#define STORE_HOLDS          "holds"
#define STORE_STAGING        "staging"
#define STORE_UNPACK_PROGRAM "runa-unpack"

#define STORE_INDEX_BYTES_MAX (8U << 20)
#define STORE_IMAGES_MAX      4096
#define STORE_NAMES_MAX       64
#define STORE_FILE_MODE       0600
#define STORE_STAMP_SIZE      160

/* An image as the index has it; without its configuration. */
struct store_entry {
    struct image image;
    const char
        *stamp; /* which file on disk it came from, and how that looked; "" when it was none */
};

struct store_index {
    struct store_entry *entries;
    size_t n;
};

/* flock of the whole store; close to release. */
int store_lock(const struct image_store *store, bool is_exclusive, struct error *err);
int store_index_parse(
    struct arena *arena, const char *text, size_t len, struct store_index *ret, struct error *err);
int store_index_read(const struct image_store *store, struct arena *arena, struct store_index *ret,
    struct error *err);
int store_index_write(
    const struct image_store *store, const struct store_index *index, struct error *err);
/* Reads and parses the configuration of an entry into it. */
int store_config_read(
    const struct image_store *store, struct arena *arena, struct image *image, struct error *err);
/* The entry with this name or digest, or NULL. */
struct store_entry *store_index_find(
    const struct store_index *index, const char *name, const char *digest);
