/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: the directory tree under a layer's entries. */
#include "layer_tree_apply.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "call.h"
#include "cleanup.h"
#include "directory.h"
#include "kernel_const.h"
#include "role.h"

#define DIRECTORY_MODE 0755
#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW)

int layer_tree_open(struct layer_tree *tree, int dirfd, struct error *err)
{
    role_require(ROLE_UNPACK);
    int rc = root_open(&tree->root, dirfd, ".");
    return rc < 0 ? err_sys(err, rc, "open the layer's directory") : 0;
}

static void parent_forget(struct layer_tree *tree)
{
    if (tree->parent_fd >= 0)
        (void)close(take_fd(&tree->parent_fd));
}

void layer_tree_done(struct layer_tree *tree)
{
    parent_forget(tree);
    root_done(&tree->root);
    name_set_done(&tree->own);
    arena_done(&tree->arena);
    tree->times = NULL;
}

static int inode_of(int fd, uint64_t *ret)
{
    struct stat status;
    int rc = kernel_fstat(fd, &status);
    if (rc == 0)
        *ret = status.st_ino;
    return rc;
}

/* Links can make a tree deeper than any name of it: counted by walking up. The tree must stay one that can be
 * removed. */
static int depth_check(const struct layer_tree *tree, int fd)
{
    uint64_t top = 0;
    uint64_t here = 0;
    int rc = inode_of(tree->root.fd, &top);
    autoclose int at = rc < 0 ? rc : kernel_openat(fd, ".", O_PATH | O_DIRECTORY, 0);
    for (unsigned depth = 0; at >= 0; depth++) {
        rc = inode_of(at, &here);
        if (rc < 0 || here == top)
            return rc;
        if (depth >= UNPACK_DEPTH_MAX)
            return -ELOOP;
        int up = kernel_openat(at, "..", O_PATH | O_DIRECTORY, 0);
        (void)close(take_fd(&at));
        at = up;
    }
    return at;
}

/* The directory, whether or not links are on the way there. */
static int directory_find(const struct layer_tree *tree, const char *path, struct error *err)
{
    autoclose int fd = kernel_openat2(tree->root.fd, path, O_PATH | O_DIRECTORY, 0,
        RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS);
    if (fd >= 0)
        return take_fd(&fd);
    fd = root_resolve(&tree->root, path, O_PATH | O_DIRECTORY);
    if (fd == -ENOENT)
        fd = root_mkdirs(&tree->root, path, DIRECTORY_MODE);
    int rc = fd < 0 ? fd : depth_check(tree, fd);
    if (rc == -ELOOP)
        return err_set(
            err, ELOOP, "its directory: more than %d directories deep", UNPACK_DEPTH_MAX);
    return rc < 0 ? err_sys(err, rc, "its directory") : take_fd(&fd);
}

int layer_tree_enter_apply(struct layer_tree *tree, const char *directory, struct error *err)
{
    role_require(ROLE_UNPACK);
    if (tree->parent_fd >= 0 && strcmp(directory, tree->parent_path) == 0)
        return 0;
    parent_forget(tree);
    const char *path = directory[0] != '\0' ? directory : ".";
    autoclose int fd = directory_find(tree, path, err);
    if (fd < 0)
        return fd;
    int rc = inode_of(fd, &tree->parent_inode);
    if (rc < 0)
        return err_sys(err, rc, "its directory");
    memcpy(tree->parent_path, directory, strlen(directory) + 1);
    tree->parent_fd = take_fd(&fd);
    return 0;
}

int layer_tree_clear_apply(struct layer_tree *tree, const char *name, struct error *err)
{
    role_require(ROLE_UNPACK);
    int rc = directory_remove(tree->parent_fd, name);
    return rc < 0 ? err_sys(err, rc, "remove what was there") : 0;
}

/* Takes away what is in fd and not this layer's; a directory with something of this layer stays. Returns what stays (0
 * none). */
static int lower_clear(const struct layer_tree *tree, int fd)
{
    uint64_t inode;
    int rc = inode_of(fd, &inode);
    if (rc < 0)
        return rc;
    struct directory listing;
    rc = directory_open(&listing, fd, ".");
    if (rc < 0)
        return rc;
    int n_kept = 0;
    struct directory_entry entry;
    while ((rc = directory_next(&listing, &entry)) == 0) {
        bool is_own = name_set_has(&tree->own, inode, entry.name);
        autoclose int child = kernel_openat(fd, entry.name, OPEN_DIRECTORY, 0);
        if (child >= 0)
            rc = lower_clear(tree, child);
        else if (child != -ENOTDIR && child != -ELOOP)
            rc = child;
        if (rc < 0)
            break;
        if (rc > 0 || is_own)
            n_kept = 1;
        else if ((rc = kernel_unlinkat(fd, entry.name, child >= 0 ? AT_REMOVEDIR : 0)) < 0)
            break;
    }
    directory_done(&listing);
    return rc < 0 ? rc : n_kept;
}

int layer_tree_whiteout_apply(struct layer_tree *tree, const char *name, struct error *err)
{
    role_require(ROLE_UNPACK);
    autoclose int child =
        kernel_openat(tree->parent_fd, name != NULL ? name : ".", OPEN_DIRECTORY, 0);
    if (child == -ENOENT)
        return 0;
    bool is_own = name != NULL && name_set_has(&tree->own, tree->parent_inode, name);
    int rc = 0;
    if (child >= 0)
        rc = lower_clear(tree, child);
    else if (child != -ENOTDIR && child != -ELOOP)
        rc = child;
    if (rc == 0 && name != NULL && !is_own)
        rc = kernel_unlinkat(tree->parent_fd, name, child >= 0 ? AT_REMOVEDIR : 0);
    if (rc < 0)
        return err_sys(err, rc, "remove what an older layer has");
    parent_forget(tree);
    return 0;
}

/* Any role: memory only. */
void layer_tree_own(struct layer_tree *tree, const char *name)
{
    name_set_add(&tree->own, tree->parent_inode, name);
}

/* Any role: memory only. */
void layer_tree_times(
    struct layer_tree *tree, const char *directory, const char *name, struct timespec mtime)
{
    struct directory_times *times = arena_new(&tree->arena, struct directory_times);
    times->path = arena_printf(&tree->arena, "./%s/%s", directory, name);
    times->mtime = mtime;
    times->next = tree->times;
    tree->times = times;
}

/* In the archive's order, so that the last word counts. */
int layer_tree_finish_apply(struct layer_tree *tree, struct error *err)
{
    role_require(ROLE_UNPACK);
    struct directory_times *ordered = NULL;
    while (tree->times != NULL) {
        struct directory_times *times = tree->times;
        tree->times = times->next;
        times->next = ordered;
        ordered = times;
    }
    for (; ordered != NULL; ordered = ordered->next) {
        autoclose int fd = root_resolve(&tree->root, ordered->path, O_RDONLY | O_DIRECTORY);
        if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP)
            continue; /* something else took its place later in the archive */
        if (fd < 0)
            return err_sys(err, fd, "%s: open", ordered->path);
        const struct timespec both[2] = { ordered->mtime, ordered->mtime };
        int rc = kernel_utimensat(fd, NULL, both, 0);
        if (rc < 0)
            return err_sys(err, rc, "%s: set its time", ordered->path);
    }
    return 0;
}
