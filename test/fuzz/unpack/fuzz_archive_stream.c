/* SPDX-License-Identifier: Apache-2.0 */
/* Tar streams through the guard and libarchive, and as gzip or zstd. What holds: an item has a name, a hard link a
 * target; what is handed out can be read. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive_stream.h"
#include "cleanup.h"
#include "err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int memory_file(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
        abort();
    return fd;
}

static void read_all(int fd)
{
    struct archive_stream *stream = NULL;
    struct stream_item item;
    struct error err = ERR_INIT;
    if (archive_stream_open(fd, &stream, &err) < 0)
        return;
    while (archive_stream_next(stream, &item, &err) == 0) {
        struct stream_xattr xattr;
        const void *block;
        size_t len;
        uint64_t offset;
        if (item.path == NULL || (item.type == STREAM_ITEM_HARDLINK && item.target == NULL))
            abort();
        while (archive_stream_xattr(stream, &xattr) == 0)
            if (xattr.name == NULL)
                abort();
        while (archive_stream_block(stream, &block, &len, &offset, &err) == 0)
            if (len > 0)
                (void)*(const volatile uint8_t *)block;
    }
    (void)archive_stream_free(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int is_prepared;
    struct error err = ERR_INIT;
    if (!is_prepared && archive_stream_prepare(&err) < 0)
        abort();
    is_prepared = 1;
    autoclose int fd = memory_file(data, size);
    read_all(fd);
    if (size > 4 && (data[0] == 0x1f || data[0] == 0x28)) {
        autoclose int out = memfd_create("out", MFD_CLOEXEC);
        (void)lseek(fd, 0, SEEK_SET);
        (void)archive_stream_inflate(fd, out, data[0] == 0x1f ? "gzip" : "zstd", &err);
    }
    return 0;
}
