/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What the parent and runa-unpack agree on: descriptors, jobs, limits, the report.
 * Runs in  parent, runa-unpack
 * Trusts   the report is a stranger's word (the unpacker may have been taken over): counts and text for people, no
 *          more. What decides, the digests of stored and plain bytes, is computed by the parent.
 *
 *   runa-unpack inflate gzip|zstd   0 → 1, decompressed
 *   runa-unpack layer               0, a plain tar, is applied to the directory tree that 4 is
 *   runa-unpack archive             0, a plain tar, is laid out there: files and links only, no attributes
 *
 *   descriptor  0 input pipe · 1 output pipe or nothing · 2 messages · 3 channel · 4 detached mount (layer, archive)
 */
#pragma once
#include <stdint.h>

#include "err.h"

#define UNPACK_FD_CHANNEL 3
#define UNPACK_FD_ROOT    4
#define UNPACK_FDS        5

#define UNPACK_GO     1 /* parent → child: id maps are written */
#define UNPACK_REPORT 2 /* runa-unpack → parent: struct unpack_report, once, at the end */

/* Limits on what an archive may ask for. */
#define UNPACK_BYTES_MAX      (64ULL << 30) /* of the plain tar, and of what is written */
#define UNPACK_FILE_BYTES_MAX (64ULL << 30) /* size of one file, holes included */
#define UNPACK_HOLES_MAX      (1ULL << 40)  /* sizes of all files together, holes included */
#define UNPACK_ENTRIES_MAX    4000000U
#define UNPACK_DEPTH_MAX      255
#define UNPACK_PATH_MAX       4096           /* a whole name */
#define UNPACK_NAME_MAX       255            /* one component */
#define UNPACK_XATTRS_MAX     64             /* of one entry */
#define UNPACK_EXTENSION_MAX  (1U << 20)     /* bytes of one PAX or long-name header */
#define UNPACK_RATIO_MAX      250U           /* plain bytes for each stored one … */
#define UNPACK_RATIO_FREE     (256ULL << 20) /* … looked at beyond so many plain bytes */
#define UNPACK_SECONDS_MAX    1800
#define UNPACK_MEMORY_MAX     (1ULL << 30)

#define UNPACK_IDS       65536U
#define UNPACK_ID_NOBODY 65534U

struct unpack_report {
    struct error error; /* code 0: all of it was unpacked */
    uint64_t n_entries;
    uint64_t n_bytes;
    uint64_t n_devices; /* not made */
    uint64_t n_xattrs;  /* dropped */
    uint64_t n_ids;     /* outside 0 to 65535: made UNPACK_ID_NOBODY */
};
