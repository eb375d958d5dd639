/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: puts device nodes and links into /dev, by directory fd and single names. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "mount_apply.h"
#include "mount_call.h"
#include "mount_internal.h"
#include "mount_plan.h"
#include "mount_source.h"
#include "role.h"
#include "strv.h"

#define NODE_NAME_SIZE 24

static mode_t type_of(const struct device_node *node)
{
    return node->type == 'c' ? S_IFCHR : node->type == 'b' ? S_IFBLK : S_IFIFO;
}

static bool is_node(const struct device_node *node, const struct stat *st)
{
    if ((st->st_mode & S_IFMT) != type_of(node))
        return false;
    return node->type == 'p' || st->st_rdev == makedev(node->major, node->minor);
}

static bool has_facts(const struct device_node *node, const struct stat *st)
{
    return (st->st_mode & 07777U) == node->mode && st->st_uid == node->uid &&
           st->st_gid == node->gid;
}

/* On a handle: the directory may be a volume in which somebody else swaps names. */
static int set_owner(const struct device_node *node, int dirfd, const char *name)
{
    autoclose int fd = kernel_openat(dirfd, name, O_PATH | O_NOFOLLOW, 0);
    struct stat st;
    int r = fd < 0 ? fd : kernel_fstat(fd, &st);

    if (r < 0)
        return r;
    if (!is_node(node, &st))
        return -EEXIST;
    return kernel_fchownat(fd, "", node->uid, node->gid, AT_EMPTY_PATH);
}

static int make_new_node(const struct device_node *node, int dirfd, const char *name)
{
    int r =
        kernel_mknodat(dirfd, name, type_of(node) | node->mode, makedev(node->major, node->minor));

    return r == 0 && (node->uid != 0 || node->gid != 0) ? set_owner(node, dirfd, name) : r;
}

/* What the image has there already must be the same device: a file or a link posing as /dev/null is refused. With
 * another owner or mode it is made anew. */
static int replace_node(
    const struct mount_context *c, const struct device_node *node, int dirfd, const char *name)
{
    struct stat st;
    int r = kernel_fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW);

    if (r < 0)
        return err_sys(c->err, r, "device %s: stat", node->path);
    if (!is_node(node, &st))
        return err_set(c->err, EEXIST, "device %s: the root has something else there", node->path);
    if (has_facts(node, &st))
        return 0;
    r = kernel_unlinkat(dirfd, name, 0);
    if (r == 0)
        r = make_new_node(node, dirfd, name);
    return r < 0 ? err_sys(c->err, r, "device %s: replace node", node->path) : 0;
}

static int open_fresh(const struct mount_context *c, size_t i)
{
    const struct device_node *node = &c->plan->devices.nodes[i];
    char name[NODE_NAME_SIZE];
    int fd;

    (void)snprintf(name, sizeof(name), "%zu", i);
    fd = kernel_open_tree(c->sources->nodes_fd, name, OPEN_TREE_CLONE | AT_SYMLINK_NOFOLLOW);
    return fd < 0 ? err_sys(c->err, fd, "device %s: open_tree", node->path) : fd;
}

/* A detached clone of the host's node, after a look at what it is. */
static int open_host(
    const struct mount_context *c, const struct device_node *node, struct stat *ret)
{
    autoclose int fd =
        kernel_open_tree(AT_FDCWD, node->path, OPEN_TREE_CLONE | AT_SYMLINK_NOFOLLOW);
    int r = fd < 0 ? fd : kernel_fstat(fd, ret);

    if (r < 0)
        return err_sys(c->err, r, "device %s: open the host's", node->path);
    if (!is_node(node, ret))
        return err_set(c->err, ENODEV, "device %s: the host's is not %c %u:%u", node->path,
            node->type, node->major, node->minor);
    return take_fd(&fd);
}

/* move_mount does not follow a link in the last place: what lies there is covered, whatever it is but a directory. */
static int bind_node(const struct mount_context *c, const struct device_node *node, int tree_fd,
    int dirfd, const char *name)
{
    int r = kernel_mknodat(dirfd, name, S_IFREG, 0);

    if (r < 0 && r != -EEXIST)
        return err_sys(c->err, r, "device %s: make a place for it", node->path);
    r = kernel_move_mount(tree_fd, "", dirfd, name, MOVE_MOUNT_F_EMPTY_PATH);
    return r < 0 ? err_sys(c->err, r, "device %s: move_mount", node->path) : 0;
}

static int put_bind(const struct mount_context *c, size_t i, int dirfd, const char *name)
{
    const struct device_node *node = &c->plan->devices.nodes[i];
    struct stat st;
    autoclose int tree_fd =
        c->plan->devices.way == DEVICE_BIND_FRESH ? open_fresh(c, i) : open_host(c, node, &st);

    return tree_fd < 0 ? tree_fd : bind_node(c, node, tree_fd, dirfd, name);
}

/* Root of a host that is itself a container may not make nodes. The host's will do when it is the very same, owner and
 * mode too. */
static int put_made(
    const struct mount_context *c, const struct device_node *node, int dirfd, const char *name)
{
    int r = make_new_node(node, dirfd, name);
    autoclose int tree_fd = -1;
    struct stat st;

    if (r == -EEXIST)
        return replace_node(c, node, dirfd, name);
    if (r != -EPERM || node->type == 'p')
        return r < 0 ? err_sys(c->err, r, "device %s: make node", node->path) : 0;
    tree_fd = open_host(c, node, &st);
    if (tree_fd < 0)
        return err_in(c->err, "making nodes is not permitted");
    if (!has_facts(node, &st))
        return err_set(c->err, EPERM,
            "device %s: making nodes is not permitted, and the host's has another owner or mode",
            node->path);
    return bind_node(c, node, tree_fd, dirfd, name);
}

static int put_node(const struct mount_context *c, size_t i)
{
    const struct device_node *node = &c->plan->devices.nodes[i];
    autoclose int owned_fd = -1;
    const char *name = NULL;
    int dirfd;

    if (str_starts(node->path, "/dev/") && !strchr(node->path + strlen("/dev/"), '/')) {
        name = node->path + strlen("/dev/");
        dirfd = c->root->dev_fd;
    } else {
        dirfd = owned_fd = mount_parent_open(&c->root->root, node->path, &name, c->err);
    }
    if (dirfd < 0)
        return dirfd;
    if (c->plan->devices.way == DEVICE_MAKE || node->type == 'p')
        return put_made(c, node, dirfd, name);
    return put_bind(c, i, dirfd, name);
}

/* An image's own links stay, but ptmx must lead to the container's devpts. */
static int replace_link(
    const struct mount_context *c, const struct device_link *link, const char *name)
{
    char there[MOUNT_PATH_MAX];
    int r;

    if (!str_eq(name, "ptmx"))
        return 0;
    if (kernel_readlinkat(c->root->dev_fd, name, there, sizeof(there)) >= 0 &&
        str_eq(there, link->target))
        return 0;
    r = kernel_unlinkat(c->root->dev_fd, name, 0);
    return r < 0 ? r : kernel_symlinkat(link->target, c->root->dev_fd, name);
}

static int put_link(const struct mount_context *c, const struct device_link *link)
{
    const char *name = link->path + strlen("/dev/");
    int r = kernel_symlinkat(link->target, c->root->dev_fd, name);

    if (r == -EEXIST)
        r = replace_link(c, link, name);
    return r < 0 ? err_sys(c->err, r, "link %s", link->path) : 0;
}

int device_apply(const struct mount_context *c)
{
    const struct device_plan *devices = &c->plan->devices;
    int r = 0;

    role_require(ROLE_INIT);
    if (devices->n_nodes == 0 && devices->n_links == 0)
        return 0;
    if (c->root->dev_fd < 0)
        c->root->dev_fd = root_mkdirs(&c->root->root, "/dev", MOUNT_DIRECTORY_MODE);
    if (c->root->dev_fd < 0)
        return err_sys(c->err, c->root->dev_fd, "/dev");
    for (size_t i = 0; r == 0 && i < devices->n_nodes; i++)
        r = put_node(c, i);
    for (size_t i = 0; r == 0 && i < devices->n_links; i++)
        r = put_link(c, &devices->links[i]);
    return r;
}
