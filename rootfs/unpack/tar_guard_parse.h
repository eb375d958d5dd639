/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Walks the headers of a plain tar as it streams by, ahead of libarchive, and refuses what two readers could
 *          read differently: bad checksums and numbers, PAX records with NUL or with a size that is not the header's,
 *          two names for one entry, links with a body, types nobody should meet in a layer.
 * Runs in  any (pure)
 * Trusts   nothing
 * Owns     struct tar_guard owns its strings and the entries that were not taken, until tar_guard_done
 * Fails    -EINVAL what was refused, with the offset of the header
 * Source   POSIX pax(1) "ustar Interchange Format", "pax Extended Header"; GNU tar manual "Basic Tar Format", "Sparse
 *          Formats"
 *
 * Why: libarchive cuts a PAX path at a NUL, takes the bytes of one size where another reader takes those of another,
 * and reads unknown types as files (2026-12-01). The guard decides what is a tar; libarchive reads it.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define TAR_BLOCK 512

enum tar_guard_state {
    TAR_GUARD_HEADER,
    TAR_GUARD_EXTENSION, /* body of x, g, L, K */
    TAR_GUARD_SPARSE,    /* more blocks of an old GNU sparse header */
    TAR_GUARD_BODY,
    TAR_GUARD_ZERO, /* one block of zeros seen */
    TAR_GUARD_END,
};

/* What an entry is called, byte for byte: libarchive brings UTF-8 names into another form. */
struct tar_guard_entry {
    struct tar_guard_entry *next;
    char *path; /* heap */
    char *link; /* heap; NULL when the entry is no link */
};

struct tar_guard {
    enum tar_guard_state state;
    uint64_t offset; /* of the next byte */
    uint64_t left;   /* bytes of the body or extension, padding included */
    uint64_t n_entries;
    uint8_t block[TAR_BLOCK];
    size_t n_block;
    char *extension; /* body of x, g, L or K so far */
    size_t n_extension;
    size_t extension_len; /* without padding */
    char type;            /* of the extension */
    /* what extensions said about the entry to come */
    bool has_pax;
    bool has_pax_size;
    bool has_long_name;
    bool has_long_link;
    uint64_t pax_size;
    char *pax_path;
    char *pax_link;
    char *sparse_path; /* GNU.sparse.name: the real one, path is a stand-in */
    char *long_name;
    char *long_link;
    /* entries seen and not yet taken: the stream is read ahead by one buffer */
    struct tar_guard_entry *first;
    struct tar_guard_entry **last;
};

#define TAR_GUARD_INIT                                                                             \
    {                                                                                              \
        0                                                                                          \
    }

/* The next entry that was seen, or NULL; its strings belong to the caller with it (tar_guard_entry_free). */
struct tar_guard_entry *tar_guard_take(struct tar_guard *guard);
struct tar_guard_entry *tar_guard_entry_free(struct tar_guard_entry *entry); /* returns NULL */
int tar_guard_feed(struct tar_guard *guard, const void *data, size_t len, struct error *err);
/* At the end of the stream: it must not be within an entry. */
int tar_guard_end(const struct tar_guard *guard, struct error *err);
void tar_guard_done(struct tar_guard *guard);
