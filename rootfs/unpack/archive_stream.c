/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: libarchive, tar and two filters of it. */
#include "archive_stream.h"

#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include <archive.h>
#include <archive_entry.h>

#include "alloc.h"
#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "file.h"
#include "tar_guard_parse.h"

#define LIBARCHIVE_MIN 3006002
#define BUFFER_BYTES   (256U << 10)

struct archive_stream {
    struct archive *reader;
    struct archive_entry *entry;   /* of the reader */
    struct tar_guard_entry *named; /* the same, as the guard saw it */
    int fd;
    bool is_guarded;
    bool is_ended;
    struct tar_guard guard;
    struct error read_error; /* what the callback refused */
    uint8_t buffer[BUFFER_BYTES];
};

int archive_stream_prepare(struct error *err)
{
    if (archive_version_number() < LIBARCHIVE_MIN)
        return err_set(err, ENOTSUP, "libarchive %s is too old", archive_version_details());
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        return err_set(
            err, ENOTSUP, "the locale C.UTF-8, which names in archives need, is not there");
    return 0;
}

static ssize_t stream_fill(struct archive_stream *stream)
{
    if (stream->is_ended)
        return 0;
    ssize_t n = kernel_read(stream->fd, stream->buffer, sizeof(stream->buffer));
    if (n < 0)
        return err_sys(&stream->read_error, (int)n, "read the archive");
    stream->is_ended = n == 0;
    if (!stream->is_guarded)
        return n;
    int rc = n > 0 ? tar_guard_feed(&stream->guard, stream->buffer, (size_t)n, &stream->read_error)
                   : tar_guard_end(&stream->guard, &stream->read_error);
    return rc < 0 ? rc : n;
}

static la_ssize_t read_callback(struct archive *reader, void *data, const void **ret)
{
    struct archive_stream *stream = data;
    ssize_t n = stream_fill(stream);
    if (n < 0) {
        archive_set_error(reader, stream->read_error.code, "%s", stream->read_error.text);
        return -1;
    }
    *ret = stream->buffer;
    return n;
}

static int stream_fail(const struct archive_stream *stream, const char *what, struct error *err)
{
    if (stream->read_error.code != 0) {
        *err = stream->read_error;
        return -err->code;
    }
    const char *text = archive_error_string(stream->reader);
    return err_set(err, EINVAL, "%s: %s", what, text != NULL ? text : "unreadable");
}

static struct archive_stream *stream_new(int fd, bool is_guarded)
{
    struct archive_stream *stream = xcalloc(1, sizeof(*stream));
    stream->fd = fd;
    stream->is_guarded = is_guarded;
    stream->reader = archive_read_new();
    return stream;
}

struct archive_stream *archive_stream_free(struct archive_stream *stream)
{
    if (stream == NULL)
        return NULL;
    if (stream->reader != NULL)
        (void)archive_read_free(stream->reader);
    (void)tar_guard_entry_free(stream->named);
    tar_guard_done(&stream->guard);
    free(stream);
    return NULL;
}

static void archive_stream_done(struct archive_stream **stream)
{
    *stream = archive_stream_free(*stream);
}

int archive_stream_open(int fd, struct archive_stream **ret, struct error *err)
{
    __attribute__((cleanup(archive_stream_done))) struct archive_stream *stream =
        stream_new(fd, true);
    if (stream->reader == NULL || archive_read_support_format_tar(stream->reader) != ARCHIVE_OK)
        return err_set(err, ENOMEM, "libarchive did not start");
    if (archive_read_open(stream->reader, stream, NULL, read_callback, NULL) != ARCHIVE_OK)
        return stream_fail(stream, "open the archive", err);
    *ret = take_ptr(&stream);
    return 0;
}

static int item_type(struct archive_entry *entry, struct stream_item *ret, struct error *err)
{
    ret->target = archive_entry_hardlink(entry);
    if (ret->target != NULL) {
        ret->type = STREAM_ITEM_HARDLINK;
        return 0;
    }
    switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
        ret->type = STREAM_ITEM_FILE;
        return 0;
    case AE_IFDIR:
        ret->type = STREAM_ITEM_DIRECTORY;
        return 0;
    case AE_IFLNK:
        ret->type = STREAM_ITEM_SYMLINK;
        ret->target = archive_entry_symlink(entry);
        return ret->target != NULL ? 0 : err_set(err, EINVAL, "a symlink without a target");
    case AE_IFIFO:
        ret->type = STREAM_ITEM_FIFO;
        return 0;
    case AE_IFCHR:
        ret->type = STREAM_ITEM_CHARACTER;
        return 0;
    case AE_IFBLK:
        ret->type = STREAM_ITEM_BLOCK;
        return 0;
    default:
        return err_set(err, EINVAL, "a file of a type that has no place in an image");
    }
}

/* Whether libarchive's name is the guard's, as far as it has not been converted: bytes of ASCII, slashes at the end
 * aside. */
static bool name_agrees(const char *name, const char *guarded)
{
    if (name == NULL || guarded == NULL)
        return name == guarded;
    for (const char *c = guarded; *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80)
            return true;
    size_t len = strlen(name);
    size_t guarded_len = strlen(guarded);
    while (len > 0 && name[len - 1] == '/')
        len--;
    while (guarded_len > 0 && guarded[guarded_len - 1] == '/')
        guarded_len--;
    return len == guarded_len && memcmp(name, guarded, len) == 0;
}

/* The names are the guard's. Two readers that do not see the same entry: nobody knows what this is. */
static int names_take(struct archive_stream *stream, struct stream_item *item, struct error *err)
{
    (void)tar_guard_entry_free(stream->named);
    stream->named = tar_guard_take(&stream->guard);
    const struct tar_guard_entry *named = stream->named;
    if (named == NULL || !name_agrees(item->path, named->path) ||
        !name_agrees(item->target, named->link))
        return err_set(err, EINVAL, "tar: two readings of one entry");
    item->path = named->path;
    item->target = named->link;
    return 0;
}

int archive_stream_next(struct archive_stream *stream, struct stream_item *ret, struct error *err)
{
    int rc = archive_read_next_header(stream->reader, &stream->entry);
    if (rc == ARCHIVE_EOF)
        return ARCHIVE_STREAM_END;
    if (rc != ARCHIVE_OK) /* warnings too: a name that was changed is not the archive's name */
        return stream_fail(stream, "read a header", err);
    struct archive_entry *entry = stream->entry;
    *ret = (struct stream_item){ .path = archive_entry_pathname(entry) };
    if (ret->path == NULL)
        return err_set(err, EINVAL, "a name that cannot be read");
    if (item_type(entry, ret, err) < 0 || names_take(stream, ret, err) < 0)
        return -err->code;
    int64_t size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0;
    if (size < 0)
        return err_set(err, EINVAL, "a negative size");
    ret->size_bytes = (uint64_t)size;
    ret->mode = archive_entry_perm(entry) & 07777;
    ret->uid = archive_entry_uid(entry);
    ret->gid = archive_entry_gid(entry);
    ret->major = (uint32_t)archive_entry_rdevmajor(entry);
    ret->minor = (uint32_t)archive_entry_rdevminor(entry);
    ret->mtime.tv_nsec = UTIME_OMIT;
    if (archive_entry_mtime_is_set(entry)) {
        ret->mtime.tv_sec = archive_entry_mtime(entry);
        ret->mtime.tv_nsec = archive_entry_mtime_nsec(entry);
    }
    (void)archive_entry_xattr_reset(entry);
    return 0;
}

int archive_stream_xattr(struct archive_stream *stream, struct stream_xattr *ret)
{
    int rc = archive_entry_xattr_next(stream->entry, &ret->name, &ret->value, &ret->len);
    return rc == ARCHIVE_OK && ret->name != NULL ? 0 : ARCHIVE_STREAM_END;
}

int archive_stream_block(struct archive_stream *stream, const void **ret, size_t *ret_len,
    uint64_t *ret_offset, struct error *err)
{
    la_int64_t offset = 0;
    int rc = archive_read_data_block(stream->reader, ret, ret_len, &offset);
    if (rc == ARCHIVE_EOF)
        return ARCHIVE_STREAM_END;
    if (rc != ARCHIVE_OK || offset < 0)
        return stream_fail(stream, "read data", err);
    *ret_offset = (uint64_t)offset;
    return 0;
}

int archive_stream_drain(struct archive_stream *stream, struct error *err)
{
    for (;;) {
        ssize_t n = stream_fill(stream);
        if (n < 0)
            return stream_fail(stream, "read the end", err);
        if (n == 0)
            return 0;
    }
}

static int inflate_open(struct archive_stream *stream, const char *filter, struct error *err)
{
    struct archive *reader = stream->reader;
    bool is_gzip = strcmp(filter, "gzip") == 0;
    if (!is_gzip && strcmp(filter, "zstd") != 0)
        return err_set(err, EINVAL, "filter %s: unknown", filter);
    int rc = is_gzip ? archive_read_support_filter_gzip(reader)
                     : archive_read_support_filter_zstd(reader);
    if (rc != ARCHIVE_OK) /* ARCHIVE_WARN would start a program */
        return err_set(err, ENOTSUP, "this libarchive has no %s of its own", filter);
    if (archive_read_support_format_raw(reader) != ARCHIVE_OK ||
        archive_read_open(reader, stream, NULL, read_callback, NULL) != ARCHIVE_OK)
        return stream_fail(stream, "decompress", err);
    rc = archive_read_next_header(reader, &stream->entry);
    if (rc == ARCHIVE_EOF)
        return ARCHIVE_STREAM_END;
    if (rc != ARCHIVE_OK)
        return stream_fail(stream, "decompress", err);
    if (archive_filter_count(reader) != 2) /* the one asked for, and none */
        return err_set(err, EINVAL, "decompress: not compressed exactly once");
    return 0;
}

int archive_stream_inflate(int in_fd, int out_fd, const char *filter, struct error *err)
{
    __attribute__((cleanup(archive_stream_done))) struct archive_stream *stream =
        stream_new(in_fd, false);
    if (stream->reader == NULL)
        return err_set(err, ENOMEM, "libarchive did not start");
    int rc = inflate_open(stream, filter, err);
    while (rc == 0) {
        const void *data;
        size_t len;
        uint64_t offset;
        rc = archive_stream_block(stream, &data, &len, &offset, err);
        if (rc != 0)
            break;
        int written = file_write_all(out_fd, data, len);
        if (written < 0)
            return err_sys(err, written, "write decompressed bytes");
    }
    return rc < 0 ? rc : archive_stream_drain(stream, err);
}
