/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The image's configuration: what to run, as whom, where, and which layers it consists of.
 * Runs in  any (pure)
 * Trusts   nothing: every string is the image's. Paths and user names are used in-root only.
 * Owns     everything lives in the arena; lists end with NULL
 * Fails    -EINVAL with "NAME:LINE:COLUMN: what"
 * Source   image-spec 1.1 config.md
 */
#pragma once
#include <stddef.h>

struct arena;
struct buf;
struct error;

#define IMAGE_CONFIG_BYTES_MAX (4U << 20)
#define IMAGE_ENV_MAX          1024
#define IMAGE_ARGS_MAX         1024
#define IMAGE_VOLUMES_MAX      256
#define IMAGE_LABELS_MAX       1024

struct image_label {
    const char *key;
    const char *value;
};

struct image_config {
    const char *architecture; /* required, as os */
    const char *os;
    const char *variant; /* NULL when absent, as all below */
    const char *created;
    const char *user; /* "", NULL: root. "name", "uid", "uid:gid", … : image_user_find */
    const char *working_dir;
    const char *stop_signal;
    char **env; /* NAME=value, each NAME once */
    size_t n_env;
    char **entrypoint;
    size_t n_entrypoint;
    char **cmd;
    size_t n_cmd;
    char **volumes; /* absolute paths in the image */
    size_t n_volumes;
    char **exposed_ports; /* "80/tcp" */
    size_t n_exposed_ports;
    struct image_label *labels;
    size_t n_labels;
    char **
        diff_ids; /* "sha256:HEX" of the plain tar of each layer, base first; the same may come again */
    size_t n_diff_ids;
};

int image_config_parse(struct arena *arena, const char *name, const char *text, size_t len,
    struct image_config *ret, struct error *err);
void image_config_print(const struct image_config *config, struct buf *out);
