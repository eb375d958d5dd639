/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tmpcopyup: what the image has in a directory goes into the tmpfs that will cover it. The source is hostile:
 * every step is by fd and name, no link is followed, depth is limited; the tmpfs' own size limits the rest. */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>

#include "alloc.h"
#include "call.h"
#include "cleanup.h"
#include "directory.h"
#include "err.h"
#include "file.h"
#include "kernel_const.h"
#include "mount_internal.h"
#include "role.h"

#define COPY_DEPTH_MAX 64

struct copy_context {
    const char *destination;
    struct error *err;
};

static int copy_directory(const struct copy_context *c, int from_fd, int to_fd, unsigned depth);

static int fail(const struct copy_context *c, const char *name, const char *what, int code)
{
    return err_sys(c->err, code, "mount on %s: copy-up of %s: %s", c->destination, name, what);
}

/* chown drops set-id bits: mode comes after it. */
static int copy_facts(int fd, const struct stat *st)
{
    const struct timespec times[2] = { st->st_atim, st->st_mtim };
    int r = kernel_fchown(fd, st->st_uid, st->st_gid);

    if (r == 0)
        r = kernel_fchmod(fd, st->st_mode & 07777U);
    return r == 0 ? kernel_utimensat(fd, "", times, AT_EMPTY_PATH) : r;
}

static int copy_file(int from_dirfd, int to_dirfd, const char *name)
{
    /* O_NONBLOCK: a FIFO that took the file's place must not hold us; the type is looked at again on the fd */
    autoclose int from_fd = kernel_openat(from_dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    autoclose int to_fd = -1;
    struct stat st;
    int r = from_fd < 0 ? from_fd : kernel_fstat(from_fd, &st);

    if (r < 0)
        return r;
    if (!S_ISREG(st.st_mode))
        return -EINVAL;
    to_fd = kernel_openat(to_dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (to_fd < 0)
        return to_fd;
    r = file_copy(from_fd, to_fd, SIZE_MAX / 2);
    return r < 0 ? r : copy_facts(to_fd, &st);
}

static int copy_link(int from_dirfd, int to_dirfd, const char *name, const struct stat *st)
{
    char target[PATH_MAX];
    int r = kernel_readlinkat(from_dirfd, name, target, sizeof(target));

    if (r >= 0)
        r = kernel_symlinkat(target, to_dirfd, name);
    return r < 0 ? r : kernel_fchownat(to_dirfd, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW);
}

static int copy_node(int to_dirfd, const char *name, const struct stat *st)
{
    int r = kernel_mknodat(to_dirfd, name, st->st_mode, st->st_rdev);

    return r < 0 ? r : kernel_fchownat(to_dirfd, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW);
}

static int copy_subdirectory(
    const struct copy_context *c, int from_dirfd, int to_dirfd, const char *name, unsigned depth)
{
    autoclose int from_fd = kernel_openat(from_dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    autoclose int to_fd = -1;
    int r = from_fd < 0 ? from_fd : kernel_mkdirat(to_dirfd, name, 0700);

    if (r < 0)
        return fail(c, name, "directory", r);
    to_fd = kernel_openat(to_dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (to_fd < 0)
        return fail(c, name, "directory", to_fd);
    return copy_directory(c, from_fd, to_fd, depth + 1);
}

static int copy_entry(
    const struct copy_context *c, int from_fd, int to_fd, const char *name, unsigned depth)
{
    struct stat st;
    int r = kernel_fstatat(from_fd, name, &st, AT_SYMLINK_NOFOLLOW);

    if (r < 0)
        return fail(c, name, "stat", r);
    switch (st.st_mode & S_IFMT) {
    case S_IFDIR:
        return copy_subdirectory(c, from_fd, to_fd, name, depth);
    case S_IFREG:
        r = copy_file(from_fd, to_fd, name);
        break;
    case S_IFLNK:
        r = copy_link(from_fd, to_fd, name, &st);
        break;
    case S_IFSOCK: /* nobody listens on a copy */
        break;
    default:
        r = copy_node(to_fd, name, &st);
        break;
    }
    return r < 0 ? fail(c, name, "copy", r) : 0;
}

static int copy_entries(const struct copy_context *c, int from_fd, int to_fd, unsigned depth)
{
    autofree struct directory *directory = xmalloc(sizeof(*directory));
    struct directory_entry entry;
    int r = directory_open(directory, from_fd, ".");
    int copied = 0;

    if (r < 0)
        return fail(c, ".", "open", r);
    while (copied == 0 && (r = directory_next(directory, &entry)) == 0)
        copied = copy_entry(c, from_fd, to_fd, entry.name, depth);
    directory_done(directory);
    if (copied < 0)
        return copied;
    return r < 0 ? fail(c, ".", "read", r) : 0;
}

/* The facts come last: times would change again, and a mode may forbid what is still to be done. */
static int copy_directory(const struct copy_context *c, int from_fd, int to_fd, unsigned depth)
{
    struct stat st;
    int r = kernel_fstat(from_fd, &st);

    if (r < 0)
        return fail(c, ".", "stat", r);
    if (depth == COPY_DEPTH_MAX)
        return err_set(c->err, ELOOP, "mount on %s: copy-up: deeper than %d directories",
            c->destination, COPY_DEPTH_MAX);
    r = copy_entries(c, from_fd, to_fd, depth);
    if (r < 0)
        return r;
    if (depth == 0) /* the root of the tmpfs has the mode it was made with */
        return 0;
    r = copy_facts(to_fd, &st);
    return r < 0 ? fail(c, ".", "owner, mode and time", r) : 0;
}

int mount_copy_up(int from_fd, int to_fd, const char *destination, struct error *err)
{
    struct copy_context c = { .destination = destination, .err = err };

    role_require(ROLE_INIT);
    return copy_directory(&c, from_fd, to_fd, 0);
}
