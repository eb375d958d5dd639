/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  A tar stream applied to a directory tree: as a layer (attributes, whiteouts, links into what is there), or
 *          as the plain contents of an image archive (files, directories and links of root, nothing else).
 * Runs in  runa-unpack, confined
 * Trusts   nothing in the stream
 * Fails    negative with err that names the entry; the tree is half done and to be thrown away
 * Source   image-spec layer.md
 *
 * Why: devices are not made (a sandbox gets its own /dev, and a device node in an image is at best useless); they are
 * counted. Ids that no sandbox has are made nobody's and counted, as real layers carry ids of build machines. set-id
 * bits and file capabilities stay, as they mean ids of the sandbox only, and no_new_privs decides whether they act
 * (2026-12-01).
 */
#pragma once
#include <stdbool.h>

struct error;
struct unpack_report;

/* Reads fd to its end. Counts go into report, also on failure. */
int layer_unpack_apply(
    int fd, int root_dirfd, bool is_layer, struct unpack_report *report, struct error *err);
