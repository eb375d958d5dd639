/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The root file system of a sandbox as one overlay: which directories, in which order, with which options.
 * Runs in  any (pure)
 * Owns     strings live in the arena
 * Source   kernel Documentation/filesystems/overlayfs.rst; idmapped layers Linux 5.19
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;
struct error;

#define OVERLAY_LAYERS_MAX 500 /* of the kernel */

struct overlay_plan {
    const char **layers; /* names for messages and printing, base first */
    size_t n_layers;
    const char
        *upper; /* name of the directory that gets "upper" and "work"; NULL: read-only, no upper */
    bool is_idmapped;
    uint32_t first_id; /* of the range, when is_idmapped */
    bool is_volatile;  /* no fsync: for what is thrown away on a crash anyway */
    bool is_single;    /* one directory in all: no overlay, a bind of it */
};

int overlay_plan_build(struct arena *arena, char *const *layers, size_t n_layers, const char *upper,
    const uint32_t *first_id, bool is_volatile, struct overlay_plan *ret, struct error *err);
void overlay_plan_print(const struct overlay_plan *plan, struct buf *out);
