/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Unpacked layers of the store: find one by its chain, unpack new ones into staging, publish them all at once.
 * Runs in  parent, holding the store's exclusive lock for everything but layer_open
 * Trusts   layer files are hostile
 * Owns     struct layer_session owns its staging directory, id range, and open layers until layer_session_done, which
 *          removes what was not published
 * Fails    nothing published: nothing is left
 * Source   image-spec config.md "Layer ChainID"
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "digest.h"
#include "image_manifest_parse.h"
#include "procfs.h"

struct error;
struct image_load_report;
struct image_store;
struct root;
struct strv;

#define LAYER_STAGING_MS (1000 * UNPACK_SECONDS_MAX)

/* HEX of the chain that ends with diff_id ("sha256:HEX") on top of below (HEX, or NULL for the base). */
void layer_chain(const char *below, const char *diff_id, char ret[DIGEST_HEX_SIZE]);

/* The layer's directory (O_PATH), -ENOENT. */
int layer_open(const struct image_store *store, const char *chain);

struct layer_session_layer {
    char chain[DIGEST_HEX_SIZE];
    int fd;
    int is_new; /* it lies in staging under its number */
};

struct layer_session {
    struct image_store *store;
    struct procfs procfs;
    int staging;   /* directory */
    char name[32]; /* of it */
    int userns;
    uint32_t first_id;
    char map[32];
    struct layer_session_layer layers[IMAGE_LAYERS_MAX];
    size_t n_layers;
    uint64_t plain_bytes;
};

int layer_session_open(struct image_store *store, struct layer_session **ret, struct error *err);
struct layer_session *layer_session_free(struct layer_session *session); /* returns NULL */

/* Lays an outer archive out in staging: *ret is its root. */
int layer_session_archive(
    struct layer_session *session, int file_fd, struct root *ret, struct error *err);
/* Puts the next layer on top. stored_digest NULL: not known. The file is read only when the layer is new. */
int layer_session_add(struct layer_session *session, int file_fd, const char *stored_digest,
    uint64_t stored_bytes, const char *diff_id, struct image_load_report *report,
    struct error *err);
/* Makes new layers durable and gives them their names. */
int layer_session_publish(struct layer_session *session, struct error *err);

/* Removes staging directories that no process uses any more. */
int layer_staging_sweep(struct image_store *store, struct error *err);
/* Removes layers whose chain is not in the list. */
int layer_collect(struct image_store *store, const struct strv *used, struct error *err);
