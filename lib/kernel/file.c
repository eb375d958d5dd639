/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: whole small files. */
#include "file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "alloc.h"
#include "call.h"
#include "cleanup.h"
#include "kernel_internal.h"

#define READ_CHUNK_BYTES   16384U
#define COPY_CHUNK_BYTES   65536U
#define REPLACE_TRIES_MAX  16
#define REPLACE_NAME_BYTES 32

int file_read_fd(int fd, size_t max, char **ret_data, size_t *ret_len)
{
    struct stat st;
    int r = kernel_fstat(fd, &st);
    if (r < 0)
        return r;
    size_t size = READ_CHUNK_BYTES;
    if (S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size <= max)
        size = (size_t)st.st_size + 1; /* one more, so that the end is seen without growing */
    autofree char *data = xmalloc(size + 1);
    size_t len = 0;
    for (;;) {
        ssize_t n = kernel_read(fd, data + len, size - len);
        if (n < 0)
            return (int)n;
        if (n == 0)
            break;
        len += (size_t)n;
        if (len > max)
            return -EFBIG;
        if (len == size) {
            size *= 2;
            data = xrealloc(data, size + 1, 1);
        }
    }
    data[len] = '\0';
    if (ret_len)
        *ret_len = len;
    *ret_data = take_ptr(&data);
    return 0;
}

int file_read(int dirfd, const char *path, size_t max, char **ret_data, size_t *ret_len)
{
    autoclose int fd = kernel_openat(dirfd, path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    return file_read_fd(fd, max, ret_data, ret_len);
}

ssize_t file_read_line(int dirfd, const char *path, char *ret, size_t size)
{
    if (size == 0)
        return -EFBIG;
    autoclose int fd = kernel_openat(dirfd, path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    size_t len = 0;
    for (;;) {
        ssize_t n = kernel_read(fd, ret + len, size - len);
        if (n < 0)
            return n;
        if (n == 0)
            break;
        len += (size_t)n;
        if (len == size)
            return -EFBIG;
    }
    if (len > 0 && ret[len - 1] == '\n')
        len--;
    ret[len] = '\0';
    return (ssize_t)len;
}

int file_write_all(int fd, const void *data, size_t len)
{
    const char *at = data;
    while (len > 0) {
        ssize_t n = kernel_write(fd, at, len);
        if (n < 0)
            return (int)n;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int file_write_control(int dirfd, const char *path, const char *text)
{
    autoclose int fd = kernel_openat(dirfd, path, O_WRONLY | O_NOCTTY | O_NOFOLLOW, 0);
    if (fd < 0)
        return fd;
    size_t len = strlen(text);
    ssize_t n = kernel_write(fd, text, len);
    if (n < 0)
        return (int)n;
    return (size_t)n == len ? 0 : -EIO;
}

static int open_temporary(int dirfd, char name[REPLACE_NAME_BYTES], mode_t mode)
{
    int fd = -EEXIST;
    for (int i = 0; i < REPLACE_TRIES_MAX && fd == -EEXIST; i++) {
        uint64_t random;
        ssize_t n = kernel_getrandom(&random, sizeof(random));
        if (n < 0)
            return (int)n;
        (void)snprintf(name, REPLACE_NAME_BYTES, ".tmp-%016llx", (unsigned long long)random);
        fd = kernel_openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    }
    return fd;
}

static int fill_and_rename(int fd, int dirfd, const char *temporary, const char *name,
    const void *data, size_t len, bool is_durable)
{
    int r = file_write_all(fd, data, len);
    if (r == 0 && is_durable)
        r = kernel_fsync(fd);
    if (r == 0)
        r = kernel_renameat2(dirfd, temporary, dirfd, name, 0);
    return r;
}

int file_replace(
    int dirfd, const char *name, const void *data, size_t len, mode_t mode, int is_durable)
{
    char temporary[REPLACE_NAME_BYTES];
    autoclose int fd = open_temporary(dirfd, temporary, mode);
    if (fd < 0)
        return fd;
    int r = fill_and_rename(fd, dirfd, temporary, name, data, len, is_durable);
    if (r < 0) {
        (void)unlinkat(dirfd, temporary, 0);
        return r;
    }
    if (!is_durable)
        return 0;
    autoclose int directory = kernel_openat(dirfd, ".", O_RDONLY | O_DIRECTORY, 0);
    return directory < 0 ? directory : kernel_fsync(directory);
}

int file_lock(int dirfd, const char *name, int may_wait)
{
    autoclose int fd = kernel_openat(dirfd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NOCTTY, 0600);
    if (fd < 0)
        return fd;
    int r = kernel_flock(fd, may_wait ? LOCK_EX : LOCK_EX | LOCK_NB);
    return r < 0 ? r : take_fd(&fd);
}

static ssize_t copy_plain(int in_fd, int out_fd, size_t len)
{
    autofree char *chunk = xmalloc(COPY_CHUNK_BYTES);
    ssize_t n = kernel_read(in_fd, chunk, len < COPY_CHUNK_BYTES ? len : COPY_CHUNK_BYTES);
    if (n <= 0)
        return n;
    int r = file_write_all(out_fd, chunk, (size_t)n);
    return r < 0 ? r : n;
}

enum copy_way { COPY_RANGE, COPY_SENDFILE, COPY_PLAIN };

static ssize_t copy_some(enum copy_way *way, int in_fd, int out_fd, size_t len)
{
    ssize_t n = -EINVAL;
    if (*way == COPY_RANGE) {
        n = kernel_copy_file_range(in_fd, out_fd, len);
        if (n == -EINVAL || n == -EXDEV || n == -EOPNOTSUPP || n == -ENOSYS || n == -EPERM ||
            n == -EBADF || n == 0)
            /* 0 too: some file systems say so for files whose size they report as 0 */
            *way = COPY_SENDFILE;
        else
            return n;
    }
    if (*way == COPY_SENDFILE) {
        n = kernel_sendfile(out_fd, in_fd, len);
        if (n != -EINVAL && n != -ENOSYS)
            return n;
        *way = COPY_PLAIN;
    }
    return copy_plain(in_fd, out_fd, len);
}

int file_copy(int in_fd, int out_fd, size_t max)
{
    enum copy_way way = COPY_RANGE;
    size_t done = 0;
    for (;;) {
        size_t rest = max - done;
        char extra;
        ssize_t n = rest > 0 ? copy_some(&way, in_fd, out_fd, rest) : kernel_read(in_fd, &extra, 1);
        if (n <= 0)
            return (int)n;
        if (rest == 0)
            return -EFBIG;
        done += (size_t)n;
    }
}

int file_is_same(int a, int b)
{
    struct stat first = { 0 };
    struct stat second = { 0 };
    int r = kernel_fstat(a, &first);
    if (r == 0)
        r = kernel_fstat(b, &second);
    if (r < 0)
        return r;
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}
