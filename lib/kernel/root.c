/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose: names inside a container root.
 * Why a walk of our own in root_mkdirs and root_create_file: openat2 cannot make directories, and
 * does not say how far it came. Each step is one component on a handle (no link is followed by the
 * kernel), link texts are put in front of the rest, ".." goes back to the kernel as a whole
 * resolution in the root. So no step can leave the root, whatever is renamed meanwhile.
 */
#include "root.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "call.h"
#include "cleanup.h"
#include "kernel_const.h"
#include "kernel_internal.h"

#define IN_ROOT (RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)

int root_open(struct root *ret, int dirfd, const char *path)
{
    int fd = kernel_openat(dirfd, path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd < 0)
        return fd;
    ret->fd = fd;
    return 0;
}

void root_done(struct root *root)
{
    if (!root || root->fd < 0)
        return;
    (void)close(root->fd);
    root->fd = -1;
}

int root_resolve(const struct root *root, const char *path, uint64_t flags)
{
    if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))
        return -EINVAL;
    int fd = -EAGAIN;
    for (int i = 0; i < ROOT_RETRIES_MAX && fd == -EAGAIN; i++)
        fd = kernel_openat2(root->fd, path, flags, 0, IN_ROOT);
    return fd;
}

int root_parent(const struct root *root, const char *path, char ret_name[NAME_MAX + 1])
{
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    size_t len = end - start;
    const char *name = path + start;
    if (len == 0 || (len == 1 && name[0] == '.') || (len == 2 && name[0] == '.' && name[1] == '.'))
        return -EINVAL;
    if (len > NAME_MAX || start >= PATH_MAX)
        return -ENAMETOOLONG;
    char parent[PATH_MAX];
    memcpy(parent, path, start);
    parent[start] = '\0';
    int fd = root_resolve(root, start > 0 ? parent : "/", O_PATH | O_DIRECTORY);
    if (fd < 0)
        return fd;
    memcpy(ret_name, name, len);
    ret_name[len] = '\0';
    return fd;
}

struct walk {
    const struct root *root;
    int fd;              /* where we are */
    char done[PATH_MAX]; /* the way here, without links */
    size_t done_len;
    char rest[PATH_MAX]; /* what is left, behind `at` */
    size_t at;
    unsigned n_links;
};

static void walk_done(struct walk *walk)
{
    if (walk->fd >= 0)
        (void)close(walk->fd);
    walk->fd = -1;
}

static void walk_take(struct walk *walk, int *fd)
{
    walk_done(walk);
    walk->fd = take_fd(fd);
}

static int walk_start(struct walk *walk, const struct root *root, const char *path)
{
    size_t len = strlen(path);
    if (len >= sizeof(walk->rest))
        return -ENAMETOOLONG;
    memcpy(walk->rest, path, len + 1);
    walk->root = root;
    walk->done_len = 0;
    walk->at = 0;
    walk->n_links = 0;
    walk->fd = root_resolve(root, "/", O_PATH | O_DIRECTORY);
    return walk->fd < 0 ? walk->fd : 0;
}

/* The next component; false at the end. "." and empty ones are passed over. */
static bool walk_next(struct walk *walk, char name[NAME_MAX + 1], int *ret_error)
{
    for (;;) {
        const char *start = walk->rest + walk->at;
        start += strspn(start, "/");
        size_t len = strcspn(start, "/");
        walk->at = (size_t)(start - walk->rest) + len;
        *ret_error = 0;
        if (len == 0)
            return false;
        if (len == 1 && start[0] == '.')
            continue;
        if (len > NAME_MAX) {
            *ret_error = -ENAMETOOLONG;
            return false;
        }
        memcpy(name, start, len);
        name[len] = '\0';
        return true;
    }
}

static bool walk_is_at_end(const struct walk *walk)
{
    const char *rest = walk->rest + walk->at;
    for (;;) {
        rest += strspn(rest, "/");
        size_t len = strcspn(rest, "/");
        if (len == 0)
            return true;
        if (len != 1 || rest[0] != '.')
            return false;
        rest += len;
    }
}

static int walk_up(struct walk *walk)
{
    while (walk->done_len > 0 && walk->done[--walk->done_len] != '/')
        ;
    walk->done[walk->done_len] = '\0';
    autoclose int fd =
        root_resolve(walk->root, walk->done_len > 0 ? walk->done : "/", O_PATH | O_DIRECTORY);
    if (fd < 0)
        return fd;
    walk_take(walk, &fd);
    return 0;
}

static int walk_down(struct walk *walk, const char *name, int *fd)
{
    size_t len = strlen(name);
    if (walk->done_len + 1 + len >= sizeof(walk->done))
        return -ENAMETOOLONG;
    walk->done[walk->done_len] = '/';
    memcpy(walk->done + walk->done_len + 1, name, len + 1);
    walk->done_len += 1 + len;
    walk_take(walk, fd);
    return 0;
}

/* Puts the link's text in front of what is left. */
static int walk_link(struct walk *walk, int link_fd)
{
    char text[PATH_MAX];
    if (++walk->n_links > ROOT_LINKS_MAX)
        return -ELOOP;
    int n = kernel_readlinkat(link_fd, "", text, sizeof(text));
    if (n < 0)
        return n;
    if (n == 0)
        return -ENOENT;
    size_t len = (size_t)n;
    size_t rest_len = strlen(walk->rest + walk->at);
    if (len + 1 + rest_len >= sizeof(walk->rest))
        return -ENAMETOOLONG;
    memmove(walk->rest + len + 1, walk->rest + walk->at, rest_len + 1);
    memcpy(walk->rest, text, len);
    walk->rest[len] = '/';
    walk->at = 0;
    if (text[0] != '/')
        return 0;
    autoclose int fd = root_resolve(walk->root, "/", O_PATH | O_DIRECTORY);
    if (fd < 0)
        return fd;
    walk->done_len = 0;
    walk_take(walk, &fd);
    return 0;
}

/* The text of a magic link means nothing; as the kernel does for root_resolve, refuse it. Only
   procfs has them. */
static int check_no_magic(int dirfd, const char *name, int link_fd)
{
    struct statfs fs;
    int r = kernel_fstatfs(link_fd, &fs);
    if (r < 0 || fs.f_type != KERNEL_MAGIC_PROC)
        return r;
    autoclose int target =
        kernel_openat2(dirfd, name, O_PATH, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
    return target < 0 ? target : 0;
}

static int open_component(int dirfd, const char *name)
{
    return kernel_openat2(
        dirfd, name, O_PATH | O_NOFOLLOW, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
}

/* Opens the component; where there is nothing, makes it first (a directory, or with is_file a
   file). What another process put in the way in between is looked at again. */
static int open_or_make(struct walk *walk, const char *name, mode_t mode, bool is_file)
{
    for (unsigned n_tries = 0;; n_tries++) {
        int fd = open_component(walk->fd, name);
        if (fd != -ENOENT && fd != -EAGAIN)
            return fd;
        if (n_tries > ROOT_RETRIES_MAX)
            return -EAGAIN;
        int r = is_file ? kernel_openat(walk->fd, name,
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY, mode)
                        : kernel_mkdirat(walk->fd, name, mode);
        if (r < 0 && r != -EEXIST)
            return r;
        if (is_file && r >= 0)
            (void)close(r);
    }
}

enum step { STEP_ON = 0, STEP_FOUND = 1 };

/* One component: down, up, along a link, or, at the last one of a file, found. */
static int walk_step(struct walk *walk, const char *name, mode_t mode, bool is_file, int *ret_fd)
{
    if (strcmp(name, "..") == 0)
        return walk_up(walk);
    bool is_last_of_file = is_file && walk_is_at_end(walk);
    autoclose int fd =
        open_or_make(walk, name, is_file && !is_last_of_file ? 0755 : mode, is_last_of_file);
    if (fd < 0)
        return fd;
    struct stat st;
    int r = kernel_fstat(fd, &st);
    if (r < 0)
        return r;
    if (S_ISLNK(st.st_mode)) {
        r = check_no_magic(walk->fd, name, fd);
        return r < 0 ? r : walk_link(walk, fd);
    }
    if (S_ISDIR(st.st_mode))
        return walk_down(walk, name, &fd);
    if (!is_last_of_file)
        return -ENOTDIR;
    *ret_fd = take_fd(&fd);
    return STEP_FOUND;
}

static int walk_run(struct walk *walk, mode_t mode, bool is_file)
{
    char name[NAME_MAX + 1];
    int error;
    while (walk_next(walk, name, &error)) {
        int fd = -1;
        int r = walk_step(walk, name, mode, is_file, &fd);
        if (r < 0)
            return r;
        if (r == STEP_FOUND)
            return fd;
    }
    if (error < 0)
        return error;
    return is_file ? -EISDIR : take_fd(&walk->fd);
}

static int walk_path(const struct root *root, const char *path, mode_t mode, bool is_file)
{
    struct walk walk = { .fd = -1 };
    int fd = walk_start(&walk, root, path);
    if (fd == 0)
        fd = walk_run(&walk, mode, is_file);
    walk_done(&walk);
    return fd;
}

int root_mkdirs(const struct root *root, const char *path, mode_t mode)
{
    int fd = root_resolve(root, path[0] != '\0' ? path : "/", O_PATH | O_DIRECTORY);
    if (fd != -ENOENT)
        return fd;
    return walk_path(root, path, mode, false);
}

int root_create_file(const struct root *root, const char *path, mode_t mode)
{
    return walk_path(root, path, mode, true);
}
