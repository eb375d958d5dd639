/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The documents that say which blobs an image is made of: manifest.json of docker save, OCI layout, index,
 *          manifest.
 * Runs in  any (pure)
 * Trusts   nothing: all of it is a stranger's
 * Owns     everything lives in the arena
 * Fails    -EINVAL with "NAME:LINE:COLUMN: what"; platform choice: -ENOENT with the list of what there is
 * Source   image-spec 1.1 image-layout.md, image-index.md, manifest.md, descriptor.md; docker "image spec v1.2"
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;
struct error;

#define IMAGE_MANIFEST_BYTES_MAX (4U << 20)
#define IMAGE_LAYERS_MAX         500 /* overlayfs stacks no more */
#define IMAGE_MANIFESTS_MAX      1024
#define IMAGE_NESTING_MAX        4 /* indexes within indexes */

enum image_media {
    IMAGE_MEDIA_OTHER,
    IMAGE_MEDIA_INDEX,
    IMAGE_MEDIA_MANIFEST,
    IMAGE_MEDIA_CONFIG,
    IMAGE_MEDIA_LAYER
};

struct image_platform {
    const char *os; /* NULL: not given */
    const char *architecture;
    const char *variant;
};

struct image_descriptor {
    enum image_media media;
    const char *media_type; /* as written, "" when absent */
    const char *digest;     /* valid "sha256:HEX" */
    uint64_t size_bytes;
    struct image_platform platform;
    const char *ref_name; /* org.opencontainers.image.ref.name, or NULL */
};

struct image_index {
    struct image_descriptor *manifests;
    size_t n_manifests;
};

struct image_manifest {
    struct image_descriptor config;
    struct image_descriptor *layers; /* base first */
    size_t n_layers;
};

/* One image of a docker archive: names of files within it. */
struct image_docker_entry {
    const char *config_path;
    const char **layer_paths;
    size_t n_layers;
    const char **names; /* canonical */
    size_t n_names;
};

struct image_docker_list {
    struct image_docker_entry *entries;
    size_t n_entries;
};

/* media_type: what the descriptor that led here says, or NULL. It must agree with the document's own and its
 * content. */
int image_index_parse(struct arena *arena, const char *name, const char *text, size_t len,
    const char *media_type, struct image_index *ret, struct error *err);
int image_manifest_parse(struct arena *arena, const char *name, const char *text, size_t len,
    const char *media_type, struct image_manifest *ret, struct error *err);
int image_docker_parse(struct arena *arena, const char *name, const char *text, size_t len,
    struct image_docker_list *ret, struct error *err);
/* The file oci-layout. */
int image_layout_check(struct arena *arena, const char *text, size_t len, struct error *err);

/* "linux/arm64/v8" → struct. The running machine when text is NULL. */
int image_platform_parse(
    struct arena *arena, const char *text, struct image_platform *ret, struct error *err);
/* The best entry for the platform: same os and architecture; the highest variant that the machine runs; entries of
 * unknown/unknown are never taken, nor are indexes (the caller follows and flattens them). An entry without a platform
 * is taken when nothing else fits. Two equally good ones: -EINVAL with their names. */
int image_index_choose(const struct image_index *index, const struct image_platform *want,
    const struct image_descriptor **ret, struct error *err);
