/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: masked paths, read-only paths, read-only root. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "mount_apply.h"
#include "mount_call.h"
#include "mount_internal.h"
#include "mount_path.h"
#include "mount_plan.h"
#include "role.h"

/* One mount that covers many places: the first time it is attached itself, then clones of it. A clone can only be taken
 * of what is attached (before Linux 6.15). */
struct cover {
    int fd;
    bool is_attached;
};

static int put_cover(struct cover *cover, int target_fd)
{
    autoclose int clone_fd = -1;
    int r;

    if (!cover->is_attached) {
        r = kernel_move_mount_fd(cover->fd, target_fd);
        cover->is_attached = r == 0;
        return r;
    }
    clone_fd = kernel_open_tree(cover->fd, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
    return clone_fd < 0 ? clone_fd : kernel_move_mount_fd(clone_fd, target_fd);
}

/* Empty, and nothing can be put there: the filesystem itself is read-only and has no room. */
static int make_empty_directory(void)
{
    autoclose int fs_fd = kernel_fsopen("tmpfs");
    int r = fs_fd < 0 ? fs_fd : kernel_fsconfig_flag(fs_fd, "ro");

    if (r == 0)
        r = kernel_fsconfig_string(fs_fd, "nr_blocks", "1");
    if (r == 0)
        r = kernel_fsconfig_string(fs_fd, "nr_inodes", "1");
    if (r == 0)
        r = kernel_fsconfig_string(fs_fd, "mode", "0555");
    if (r == 0)
        r = kernel_fsconfig_create(fs_fd);
    if (r < 0)
        return r;
    return kernel_fsmount(
        fs_fd, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

struct protect_context {
    const struct mount_plan *plan;
    struct mount_root *root;
    struct cover file;
    struct cover directory;
    struct error *err;
};

static int mask_target(struct protect_context *p, int target_fd)
{
    struct stat st;
    int r = kernel_fstat(target_fd, &st);

    if (r < 0)
        return r;
    if (!S_ISDIR(st.st_mode))
        return put_cover(&p->file, target_fd);
    if (p->directory.fd < 0)
        p->directory.fd = make_empty_directory();
    return p->directory.fd < 0 ? p->directory.fd : put_cover(&p->directory, target_fd);
}

/* Where a path does not exist there is nothing to hide; ENOTDIR is the same, further up. */
static bool is_absent(int r)
{
    return r == -ENOENT || r == -ENOTDIR;
}

/* Below /proc and /sys from the mounts themselves: in a root that somebody else can write to, the names may lead to a
 * copy by now, and the kernel's files would stay open under another name. */
static int open_place(const struct protect_context *p, const char *path)
{
    const struct {
        const char *name;
        int fd;
    } mounts[] = { { "/proc", p->root->proc_fd }, { "/sys", p->root->sys_fd } };

    for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
        const struct root root = { .fd = mounts[i].fd };
        const char *rest = path + strlen(mounts[i].name);

        if (mounts[i].fd >= 0 && mount_path_is_within(path, mounts[i].name))
            return root_resolve(&root, *rest ? rest : "/", O_PATH);
    }
    return root_resolve(&p->root->root, path, O_PATH);
}

static int mask(struct protect_context *p, const char *path)
{
    autoclose int target_fd = open_place(p, path);
    int r;

    if (is_absent(target_fd))
        return 0;
    r = target_fd < 0 ? target_fd : mask_target(p, target_fd);
    return r < 0 ? err_sys(p->err, r, "mask %s", path) : 0;
}

/* The clone has the attributes of the mount that it is of, and keeps them. */
static int make_readonly(struct protect_context *p, const char *path)
{
    const struct kernel_mount_attr attr = { .set = MOUNT_ATTR_RDONLY };
    autoclose int target_fd = open_place(p, path);
    autoclose int tree_fd = -1;
    int r;

    if (is_absent(target_fd))
        return 0;
    tree_fd = target_fd < 0
                  ? target_fd
                  : kernel_open_tree(target_fd, "", OPEN_TREE_CLONE | AT_EMPTY_PATH | AT_RECURSIVE);
    r = tree_fd < 0 ? tree_fd
                    : kernel_mount_setattr(tree_fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr);
    if (r == 0)
        r = kernel_move_mount_fd(tree_fd, target_fd);
    return r < 0 ? err_sys(p->err, r, "read-only %s", path) : 0;
}

static int protect_root(struct protect_context *p)
{
    const struct kernel_mount_attr attr = { .set = MOUNT_ATTR_RDONLY };
    int r = p->plan->is_root_readonly
                ? kernel_mount_setattr(p->root->root.fd, "", AT_EMPTY_PATH, &attr)
                : 0;

    return r < 0 ? err_sys(p->err, r, "read-only root") : 0;
}

static int protect_all(struct protect_context *p)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < p->plan->n_readonly_paths; i++)
        r = make_readonly(p, p->plan->readonly_paths[i]);
    for (size_t i = 0; r == 0 && i < p->plan->n_masked_paths; i++)
        r = mask(p, p->plan->masked_paths[i]);
    return r == 0 ? protect_root(p) : r;
}

int mount_protect_apply(const struct mount_plan *plan, struct mount_root *root, struct error *err)
{
    struct protect_context p = {
        .plan = plan,
        .root = root,
        .file = { .fd = root->null_fd },
        .directory = { .fd = -1 },
        .err = err,
    };
    int r;

    role_require(ROLE_INIT);
    r = protect_all(&p);
    cleanup_close(&p.directory.fd);
    return r;
}
