/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: entries of a tar become files, links and removals. */
#include "layer_unpack_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "archive_stream.h"
#include "buf.h"
#include "call.h"
#include "checked.h"
#include "cleanup.h"
#include "file.h"
#include "layer_path_parse.h"
#include "layer_tree_apply.h"
#include "role.h"
#include "unpack_order.h"
#include "xattr.h"

#define ARCHIVE_FILE_MODE      0600
#define ARCHIVE_DIRECTORY_MODE 0700
#define CREATE_MODE            0600 /* until the entry's own */

struct unpack {
    struct archive_stream *stream;
    struct layer_tree tree;
    struct unpack_report *report;
    uint64_t hole_bytes; /* sizes of files, holes included */
    bool is_layer;
    struct stream_item item;
    struct layer_path path;
};

/* --- attributes --- */

static uid_t id_of(struct unpack *u, int64_t id)
{
    if (id >= 0 && id < UNPACK_IDS)
        return (uid_t)id;
    u->report->n_ids++;
    return UNPACK_ID_NOBODY;
}

static bool has_prefix(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static int xattrs_apply(struct unpack *u, int fd, struct error *err)
{
    unsigned n = 0;
    struct stream_xattr xattr;
    while (archive_stream_xattr(u->stream, &xattr) == 0) {
        if (has_prefix(xattr.name, "trusted.overlay.") || has_prefix(xattr.name, "user.overlay."))
            return err_set(err, EINVAL, "an attribute that overlayfs would obey");
        if (++n > UNPACK_XATTRS_MAX)
            return err_set(err, EINVAL, "more than %d attributes", UNPACK_XATTRS_MAX);
        bool is_allowed =
            has_prefix(xattr.name, "user.") || strcmp(xattr.name, "security.capability") == 0;
        if (fd < 0 || !is_allowed) {
            u->report->n_xattrs++;
            continue;
        }
        int rc = kernel_fsetxattr(fd, xattr.name, xattr.value, xattr.len, 0);
        if (rc < 0)
            return err_sys(err, rc, "set its attribute %.64s", xattr.name);
    }
    return 0;
}

/* Owner, then mode, then attributes: each of the former takes set-id bits or capabilities away. */
static int attributes_apply(struct unpack *u, int fd, struct error *err)
{
    const struct stream_item *item = &u->item;
    if (!u->is_layer)
        return 0;
    int rc = kernel_fchown(fd, id_of(u, item->uid), id_of(u, item->gid));
    if (rc == 0)
        rc = kernel_fchmod(fd, item->mode);
    if (rc < 0)
        return err_sys(err, rc, "set owner and mode");
    rc = xattrs_apply(u, fd, err);
    if (rc < 0)
        return rc;
    const struct timespec times[2] = { item->mtime, item->mtime };
    rc = item->type == STREAM_ITEM_FILE ? kernel_utimensat(fd, NULL, times, 0) : 0;
    return rc < 0 ? err_sys(err, rc, "set its time") : 0;
}

/* For symlinks and FIFOs, which are not opened. */
static int attributes_apply_at(struct unpack *u, struct error *err)
{
    const struct stream_item *item = &u->item;
    if (!u->is_layer)
        return 0;
    int dirfd = u->tree.parent_fd;
    int rc = kernel_fchownat(
        dirfd, u->path.name, id_of(u, item->uid), id_of(u, item->gid), AT_SYMLINK_NOFOLLOW);
    if (rc == 0 && item->type == STREAM_ITEM_FIFO)
        rc = kernel_fchmodat(dirfd, u->path.name,
            item->mode); /* it is no link: made a moment ago, nobody else is here */
    const struct timespec times[2] = { item->mtime, item->mtime };
    if (rc == 0)
        rc = kernel_utimensat(dirfd, u->path.name, times, AT_SYMLINK_NOFOLLOW);
    if (rc < 0)
        return err_sys(err, rc, "set owner, mode and time");
    return xattrs_apply(u, -1, err);
}

/* --- data --- */

static int block_write(
    int fd, const void *data, size_t len, uint64_t offset, uint64_t *at, struct error *err)
{
    int rc = 0;
    if (offset != *at)
        rc = kernel_lseek(fd, (off_t)offset, SEEK_SET) < 0 ? -EINVAL : 0;
    if (rc == 0)
        rc = file_write_all(fd, data, len);
    *at = offset + len;
    return rc < 0 ? err_sys(err, rc, "write") : 0;
}

static int data_write(struct unpack *u, int fd, struct error *err)
{
    uint64_t size = u->item.size_bytes;
    if (size > UNPACK_FILE_BYTES_MAX || checked_add(u->hole_bytes, size, &u->hole_bytes) ||
        u->hole_bytes > UNPACK_HOLES_MAX)
        return err_set(err, EFBIG, "files that are too large");
    uint64_t at = 0;
    for (;;) {
        const void *data;
        size_t len;
        uint64_t offset;
        int rc = archive_stream_block(u->stream, &data, &len, &offset, err);
        if (rc < 0)
            return rc;
        if (rc == ARCHIVE_STREAM_END)
            break;
        if (offset < at || offset > size || len > size - offset)
            return err_set(err, EINVAL, "data beyond its size");
        u->report->n_bytes += len;
        if (u->report->n_bytes > UNPACK_BYTES_MAX)
            return err_set(err, EFBIG, "more data than a layer may have");
        rc = block_write(fd, data, len, offset, &at, err);
        if (rc < 0)
            return rc;
    }
    int rc = at < size ? kernel_ftruncate(fd, (off_t)size) : 0;
    return rc < 0 ? err_sys(err, rc, "set its size") : 0;
}

/* --- entries --- */

/* Runs make(); when something is there already, removes it and runs make() once more. */
static int make_over(struct unpack *u, int (*make)(const struct unpack *u), struct error *err)
{
    int rc = make(u);
    if (rc == -EEXIST) {
        int cleared = layer_tree_clear_apply(&u->tree, u->path.name, err);
        if (cleared < 0)
            return cleared;
        rc = make(u);
    }
    return rc < 0 ? err_sys(err, rc, "make it") : rc;
}

static int file_make(const struct unpack *u)
{
    return kernel_openat(
        u->tree.parent_fd, u->path.name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, CREATE_MODE);
}

static int symlink_make(const struct unpack *u)
{
    return kernel_symlinkat(u->item.target, u->tree.parent_fd, u->path.name);
}

static int fifo_make(const struct unpack *u)
{
    return kernel_mknodat(u->tree.parent_fd, u->path.name, S_IFIFO | CREATE_MODE, 0);
}

static int directory_make(const struct unpack *u)
{
    int rc = kernel_mkdirat(u->tree.parent_fd, u->path.name, ARCHIVE_DIRECTORY_MODE);
    if (rc != -EEXIST)
        return rc;
    struct stat status;
    int found = kernel_fstatat(u->tree.parent_fd, u->path.name, &status, AT_SYMLINK_NOFOLLOW);
    return found < 0 ? found : S_ISDIR(status.st_mode) ? 0 : -EEXIST;
}

static int file_apply(struct unpack *u, struct error *err)
{
    autoclose int fd = make_over(u, file_make, err);
    if (fd < 0)
        return fd;
    int rc = data_write(u, fd, err);
    return rc < 0 ? rc : attributes_apply(u, fd, err);
}

static int directory_apply(struct unpack *u, struct error *err)
{
    if (u->item.size_bytes != 0)
        return err_set(err, EINVAL, "a directory with data");
    bool is_root = u->path.kind == LAYER_NAME_ROOT;
    int rc = is_root ? 0 : make_over(u, directory_make, err);
    if (rc < 0)
        return rc;
    autoclose int fd = kernel_openat(
        u->tree.parent_fd, is_root ? "." : u->path.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd < 0)
        return err_sys(err, fd, "open it");
    if (u->is_layer && u->item.mtime.tv_nsec != UTIME_OMIT)
        layer_tree_times(&u->tree, u->path.directory, is_root ? "" : u->path.name, u->item.mtime);
    return attributes_apply(u, fd, err);
}

static int symlink_apply(struct unpack *u, struct error *err)
{
    int rc = make_over(u, symlink_make, err);
    return rc < 0 ? rc : attributes_apply_at(u, err);
}

static int fifo_apply(struct unpack *u, struct error *err)
{
    int rc = make_over(u, fifo_make, err);
    return rc < 0 ? rc : attributes_apply_at(u, err);
}

struct link_target {
    struct layer_path path;
    int fd; /* of its directory */
    struct stat status;
};

static int link_target_find(const struct unpack *u, struct link_target *ret, struct error *err)
{
    if (layer_path_parse(u->item.target, u->is_layer, &ret->path, err) < 0)
        return err_in(err, "hard link to %s", u->item.target);
    if (ret->path.kind != LAYER_NAME_PLAIN)
        return err_set(err, EINVAL, "hard link to %s: not a file", u->item.target);
    const char *directory = ret->path.directory[0] != '\0' ? ret->path.directory : ".";
    autoclose int fd = root_resolve(&u->tree.root, directory, O_PATH | O_DIRECTORY);
    int rc = fd < 0 ? fd : kernel_fstatat(fd, ret->path.name, &ret->status, AT_SYMLINK_NOFOLLOW);
    if (rc < 0)
        return err_sys(err, rc, "hard link to %s", u->item.target);
    if (!S_ISREG(ret->status.st_mode))
        return err_set(err, EINVAL, "hard link to %s: not a regular file", u->item.target);
    ret->fd = take_fd(&fd);
    return 0;
}

static int hardlink_apply(struct unpack *u, struct error *err)
{
    struct link_target target = { .fd = -1 };
    int rc = link_target_find(u, &target, err);
    if (rc < 0)
        return rc;
    autoclose int dirfd = target.fd;
    struct stat here;
    rc = kernel_fstatat(u->tree.parent_fd, u->path.name, &here, AT_SYMLINK_NOFOLLOW);
    if (rc == 0 && here.st_ino == target.status.st_ino && here.st_dev == target.status.st_dev)
        return 0; /* it is that file already: removing the name could remove the file */
    if (rc == 0)
        rc = layer_tree_clear_apply(&u->tree, u->path.name, err);
    else
        rc = rc == -ENOENT ? 0 : err_sys(err, rc, "look");
    if (rc < 0)
        return rc;
    rc = kernel_linkat(dirfd, target.path.name, u->tree.parent_fd, u->path.name, 0);
    return rc < 0 ? err_sys(err, rc, "hard link to %s", u->item.target) : 0;
}

static int device_apply(struct unpack *u, struct error *err)
{
    if (u->item.type == STREAM_ITEM_CHARACTER && u->item.major == 0 && u->item.minor == 0)
        return err_set(err, EINVAL, "a device that overlayfs would take for a whiteout");
    u->report->n_devices++;
    return 0;
}

static int plain_apply(struct unpack *u, struct error *err)
{
    switch (u->item.type) {
    case STREAM_ITEM_FILE:
        return file_apply(u, err);
    case STREAM_ITEM_DIRECTORY:
        return directory_apply(u, err);
    case STREAM_ITEM_SYMLINK:
        return symlink_apply(u, err);
    case STREAM_ITEM_HARDLINK:
        return hardlink_apply(u, err);
    case STREAM_ITEM_FIFO:
        return fifo_apply(u, err);
    case STREAM_ITEM_CHARACTER:
    case STREAM_ITEM_BLOCK:
        return device_apply(u, err);
    default:
        return err_set(err, EINVAL, "unknown type");
    }
}

static int item_apply(struct unpack *u, struct error *err)
{
    bool is_directory = u->item.type == STREAM_ITEM_DIRECTORY;
    int rc = layer_path_parse(u->item.path, u->is_layer, &u->path, err);
    if (rc < 0)
        return rc;
    bool is_mark = u->path.kind == LAYER_NAME_WHITEOUT || u->path.kind == LAYER_NAME_OPAQUE;
    if (u->path.kind == LAYER_NAME_ROOT && !is_directory)
        return err_set(err, EINVAL, "the root is no directory");
    if (is_mark && (u->item.type != STREAM_ITEM_FILE || u->item.size_bytes != 0))
        return err_set(err, EINVAL, "a whiteout that is no empty file");
    rc = layer_tree_enter_apply(&u->tree, u->path.directory, err);
    if (rc < 0)
        return rc;
    if (is_mark)
        return layer_tree_whiteout_apply(&u->tree, u->path.name, err);
    rc = plain_apply(u, err);
    if (rc == 0 && u->is_layer && u->path.kind == LAYER_NAME_PLAIN)
        layer_tree_own(&u->tree, u->path.name);
    return rc;
}

static int all_apply(struct unpack *u, struct error *err)
{
    for (;;) {
        int rc = archive_stream_next(u->stream, &u->item, err);
        if (rc < 0)
            return rc;
        if (rc == ARCHIVE_STREAM_END)
            break;
        if (++u->report->n_entries > UNPACK_ENTRIES_MAX)
            return err_set(err, E2BIG, "more than %u entries", UNPACK_ENTRIES_MAX);
        if (item_apply(u, err) < 0) {
            AUTO(buf) struct buf name = BUF_INIT;
            buf_put_quoted(&name, u->item.path, strnlen(u->item.path, UNPACK_NAME_MAX));
            return err_in(err, "%s", buf_str(&name));
        }
    }
    int rc = archive_stream_drain(u->stream, err);
    return rc < 0 ? rc : layer_tree_finish_apply(&u->tree, err);
}

int layer_unpack_apply(
    int fd, int root_dirfd, bool is_layer, struct unpack_report *report, struct error *err)
{
    role_require(ROLE_UNPACK);
    struct unpack u = { .tree = LAYER_TREE_INIT, .report = report, .is_layer = is_layer };
    int rc = layer_tree_open(&u.tree, root_dirfd, err);
    if (rc == 0)
        rc = archive_stream_open(fd, &u.stream, err);
    if (rc == 0)
        rc = all_apply(&u, err);
    u.stream = archive_stream_free(u.stream);
    layer_tree_done(&u.tree);
    return rc;
}
