/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Runs runa-unpack on one stream and hashes what goes in and what comes out of its decompressor:
 *
 *            file ─ sha256 (stored) ─▶ [inflate] ─ sha256 (plain) ─▶ [layer | archive] ─▶ tree
 *
 *          Each box is a process in namespaces of its own; all bytes between them pass through the parent. So the
 *          digest of the plain tar is the digest of what the layer was made from, whatever a decompressor that was
 *          taken over does.
 * Runs in  parent (CAP_SYS_ADMIN, CAP_SETUID on the host)
 * Trusts   the stream and both children are hostile; counts and texts of reports are cleaned, and never decide
 * Owns     descriptors are borrowed
 * Fails    negative with err; both children are dead and reaped. The tree is half done.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "digest.h"
#include "unpack_order.h"

struct error;
struct procfs;

struct unpack_task {
    int program_fd;  /* runa-unpack, O_PATH */
    int in_fd;       /* the stored bytes, from the current offset */
    int tree_fd;     /* detached mount, idmapped to the range */
    bool is_layer;   /* else the outer archive of an image */
    const char *map; /* id_range_map's text */
    const struct procfs *procfs;
    int timeout_ms;
};

struct unpack_result {
    struct unpack_report report; /* of the last child; error is empty */
    uint64_t stored_bytes;
    uint64_t plain_bytes;
    char stored_digest[DIGEST_TEXT_SIZE];
    char plain_digest[DIGEST_TEXT_SIZE];
};

int unpack_apply(const struct unpack_task *task, struct unpack_result *ret, struct error *err);
