/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: list directories, remove trees. */
#include "directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "alloc.h"
#include "call.h"
#include "cleanup.h"
#include "kernel_const.h"
#include "kernel_internal.h"

int directory_open(struct directory *directory, int dirfd, const char *path)
{
    int fd = kernel_openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd < 0)
        return fd;
    directory->fd = fd;
    directory->at = 0;
    directory->len = 0;
    return 0;
}

void directory_done(struct directory *directory)
{
    if (!directory || directory->fd < 0)
        return;
    (void)close(directory->fd);
    directory->fd = -1;
}

static bool is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

int directory_next(struct directory *directory, struct directory_entry *ret)
{
    for (;;) {
        if (directory->at >= directory->len) {
            ssize_t n =
                kernel_getdents(directory->fd, directory->buffer, sizeof(directory->buffer));
            if (n < 0)
                return (int)n;
            if (n == 0)
                return DIRECTORY_END;
            directory->at = 0;
            directory->len = (size_t)n;
        }
        const struct dirent64 *record =
            (const void *)((const char *)directory->buffer + directory->at);
        directory->at += record->d_reclen;
        if (is_dots(record->d_name))
            continue;
        *ret = (struct directory_entry){
            .name = record->d_name, .inode = record->d_ino, .type = record->d_type
        };
        return 0;
    }
}

bool directory_is_empty(int dirfd)
{
    struct directory directory = { .fd = -1 };
    struct directory_entry entry;
    if (directory_open(&directory, dirfd, ".") < 0)
        return false;
    int r = directory_next(&directory, &entry);
    directory_done(&directory);
    return r == DIRECTORY_END;
}

static int remove_entry(int dirfd, const char *name, unsigned depth);

static int remove_children(int dirfd, unsigned depth)
{
    if (depth > DIRECTORY_DEPTH_MAX)
        return -ELOOP;
    autofree struct directory *directory = xmalloc(sizeof(*directory));
    int r = directory_open(directory, dirfd, ".");
    if (r < 0)
        return r;
    struct directory_entry entry = { 0 };
    while ((r = directory_next(directory, &entry)) == 0) {
        r = remove_entry(dirfd, entry.name, depth);
        if (r < 0)
            break;
    }
    directory_done(directory);
    return r == DIRECTORY_END ? 0 : r;
}

static int remove_entry(int dirfd, const char *name, unsigned depth)
{
    int r = kernel_unlinkat(dirfd, name, 0);
    if (r == 0 || r == -ENOENT)
        return 0;
    if (r != -EISDIR && r != -EPERM)
        return r;
    /* One component, no link, no other mount: the handle cannot be anything but a directory of this
       tree. */
    autoclose int fd = kernel_openat2(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0,
        RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
    if (fd == -ENOTDIR)
        return r;
    if (fd < 0)
        return fd;
    r = remove_children(fd, depth + 1);
    if (r < 0)
        return r;
    r = kernel_unlinkat(dirfd, name, AT_REMOVEDIR);
    return r == -ENOENT ? 0 : r;
}

int directory_remove(int dirfd, const char *name)
{
    if (is_dots(name) || strchr(name, '/'))
        return -EINVAL;
    return remove_entry(dirfd, name, 0);
}
