/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The images of this machine and their unpacked layers.
 *            ROOT/                         0700
 *              lock                        flock: exclusive to change anything, shared to read
 *              images.json                 ids, names, sizes; replaced whole
 *              config/HEX                  each image's configuration, by its digest (the image's id)
 *              layers/CHAIN/fs             a layer, applied on the chain below it: an overlay layer, ids 0 to 65535
 *              holds/OWNER                 the image that a sandbox runs on: it keeps the layers
 *              staging/                    what is being unpacked; leftovers go at the next load
 *              ids                         see id_range.h
 * Runs in  parent
 * Trusts   archives, documents and layers are hostile; their bytes meet runa-unpack, their JSON the strict parsers here
 * Owns     struct image_store holds the directory; images live in the arena
 * Fails    IMAGE_NOT_FOUND where the caller must decide; a failed load leaves nothing but whole layers, which the next
 *          image_remove collects
 *
 * A layer is unpacked once for each chain of layers that it was found on top of (the chain id of the image-spec),
 * because what it means depends on what is below: whiteouts, links among its parents, hard links into older layers.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image_config_parse.h"

struct arena;
struct buf;
struct error;
struct image_ref;

#define IMAGE_STORE_ROOT "/var/lib/runa"
#define IMAGE_NOT_FOUND  1

struct image_store {
    int dir;
    int unpack_fd;           /* the program runa-unpack; -1 until it is needed */
    const char *unpack_path; /* borrowed; NULL: beside the running program */
};

#define IMAGE_STORE_INIT                                                                           \
    {                                                                                              \
        .dir = -1, .unpack_fd = -1                                                                 \
    }

struct image {
    const char *id; /* "sha256:HEX" of the configuration */
    char **names;
    size_t n_names;
    uint64_t size_bytes; /* of the plain layers */
    const char *loaded;  /* RFC 3339 */
    const char *source;  /* as written */
    char **layers;       /* chain ids (HEX), base first; the name of each layer's directory */
    size_t n_layers;
    struct image_config config;
    const char *config_text;
    size_t config_len;
};

/* Makes ROOT (0700) when missing; refuses one that is not root's own or open to others. */
int image_store_open(
    struct image_store *ret, const char *root, const char *unpack_path, struct error *err);
void image_store_done(struct image_store *store);

struct image_load_report { /* what was not done as the archive says */
    size_t n_layers_new;
    uint64_t n_devices; /* not made */
    uint64_t n_xattrs;  /* not of the allowed kinds, dropped */
    uint64_t n_ids;     /* outside 0 to 65535: made 65534 */
};

/* Loads one image of a docker-archive:, oci: or oci-archive: reference, under the names it has there and `name` when
 * not NULL. */
int image_load(struct image_store *store, struct arena *arena, const struct image_ref *ref,
    const char *name, struct image *ret, struct image_load_report *ret_report, struct error *err);
/* A line for each kind of what was not done; none: nothing. */
void image_load_report_print(const struct image_load_report *report, struct buf *out);
/* By name or digest: 0, IMAGE_NOT_FOUND, or negative. */
int image_find(struct image_store *store, struct arena *arena, const struct image_ref *ref,
    struct image *ret, struct error *err);
/* What the index holds: config and config_text are empty. */
int image_list(struct image_store *store, struct arena *arena, struct image **ret, size_t *ret_n,
    struct error *err);
/* A name: it goes, and with the last one the image. A digest: the image and all names. Then unused layers go.
 * IMAGE_NOT_FOUND; -EBUSY a sandbox holds it. */
int image_remove(struct image_store *store, const struct image_ref *ref, struct error *err);
void image_print(const struct image *image, struct buf *out); /* JSON, for inspect */

/* From here until image_release (in this boot) the layers stay. owner: a checked container id. */
int image_hold(
    struct image_store *store, const struct image *image, const char *owner, struct error *err);
int image_release(struct image_store *store, const char *owner, struct error *err);
/* The directories of the layers, base first, for overlay_apply: ret_fds has room for image->n_layers. Caller closes. */
int image_layers_open(
    struct image_store *store, const struct image *image, int *ret_fds, struct error *err);
