/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The one place that touches libarchive: a plain tar as a stream of items, and gzip or zstd → plain bytes. No
 *          other format or filter is ever registered.
 * Runs in  runa-unpack
 * Trusts   nothing: tar_guard reads each header before libarchive does
 * Owns     struct archive_stream owns the reader, fd is borrowed; an item's strings live until the next call
 * Fails    ARCHIVE_STREAM_END after the last item or block; negative with err: what libarchive or the guard refused,
 *          warnings included
 * Source   archive_read(3), libarchive 3.6.2 or later
 */
#pragma once
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct archive_stream;
struct error;

#define ARCHIVE_STREAM_END 1

enum stream_item_type {
    STREAM_ITEM_FILE,
    STREAM_ITEM_DIRECTORY,
    STREAM_ITEM_SYMLINK,
    STREAM_ITEM_HARDLINK,
    STREAM_ITEM_FIFO,
    STREAM_ITEM_CHARACTER,
    STREAM_ITEM_BLOCK,
};

struct stream_item {
    enum stream_item_type type;
    const char *path;
    const char *target; /* of links */
    mode_t mode;        /* 07777 */
    int64_t uid;
    int64_t gid;
    uint64_t size_bytes;
    struct timespec mtime; /* tv_nsec UTIME_OMIT when the archive gives none */
    uint32_t major;
    uint32_t minor;
};

struct stream_xattr {
    const char *name;
    const void *value;
    size_t len;
};

/* Sets the locale that names need; before the file system goes away. Refuses a libarchive older than the one pinned. */
int archive_stream_prepare(struct error *err);

int archive_stream_open(int fd, struct archive_stream **ret, struct error *err);
struct archive_stream *archive_stream_free(struct archive_stream *stream); /* returns NULL */
int archive_stream_next(struct archive_stream *stream, struct stream_item *ret, struct error *err);
/* The next extended attribute of the item, or ARCHIVE_STREAM_END. */
int archive_stream_xattr(struct archive_stream *stream, struct stream_xattr *ret);
/* The next block of the file; a gap between blocks is a hole. */
int archive_stream_block(struct archive_stream *stream, const void **ret, size_t *ret_len,
    uint64_t *ret_offset, struct error *err);
/* After the last item: reads what is behind the end of the archive, to the end of fd. */
int archive_stream_drain(struct archive_stream *stream, struct error *err);

/* filter: "gzip" or "zstd"; several members or frames one after the other are one stream. */
int archive_stream_inflate(int in_fd, int out_fd, const char *filter, struct error *err);
