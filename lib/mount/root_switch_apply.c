/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: pivot_root onto itself, or, without pivot, chroot with the host's kernel filesystems taken away. */
#include "root_switch_apply.h"

#include <errno.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "mount_apply.h"
#include "mount_call.h"
#include "mount_plan.h"
#include "role.h"

/* The old root lands on top of the new one, at the same place, and is let go at once; before it what mount_apply has
 * put over it: the mount of fresh device nodes. */
static int pivot(const struct mount_plan *plan, struct error *err)
{
    int n_layers = plan->devices.way == DEVICE_BIND_FRESH && plan->devices.n_nodes > 0 ? 2 : 1;
    int r = kernel_pivot_root(".", ".");

    if (r < 0)
        return err_sys(err, r, "rootfs: pivot_root");
    for (int i = 0; r == 0 && i < n_layers; i++)
        r = kernel_umount2(".", MNT_DETACH);
    return r < 0 ? err_sys(err, r, "rootfs: detach the host's tree") : 0;
}

static int cover_path(const char *path)
{
    int r = kernel_umount2(path, MNT_DETACH);

    if (r == -ENOENT)
        return 0;
    if (r == -EINVAL ||
        r == -EPERM) /* not a mount, or one that a user namespace may not take away */
        r = kernel_mount(
            "tmpfs", path, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "nr_inodes=1");
    return r == -ENOENT ? 0 : r;
}

/* Without pivot (a host that lives in its initramfs) the host's tree stays in the namespace, out of reach of paths. Its
 * whole /proc and /sys would let a process mount new ones without the masks. */
static int change_root(struct error *err)
{
    static const char *const paths[] = { "/proc", "/sys" };
    int r = 0;

    for (size_t i = 0; r == 0 && i < ARRAY_SIZE(paths); i++)
        r = cover_path(paths[i]);
    if (r < 0)
        return err_sys(err, r, "rootfs: take away the host's /proc and /sys");
    r = kernel_chroot(".");
    return r < 0 ? err_sys(err, r, "rootfs: chroot") : 0;
}

/* Not before the switch: pivot_root refuses a shared root. Private and slave are what the tree is already: saying it
 * again would take a volume's own propagation away. */
static int set_propagation(
    const struct mount_plan *plan, const struct mount_root *root, struct error *err)
{
    const struct kernel_mount_attr attr = { .propagation = plan->root_propagation.type };
    unsigned flags =
        AT_EMPTY_PATH | (plan->root_propagation.is_recursive ? (unsigned)AT_RECURSIVE : 0);
    int r;

    if (attr.propagation != MS_SHARED && attr.propagation != MS_UNBINDABLE)
        return 0;
    r = kernel_mount_setattr(root->root.fd, "", flags, &attr);
    return r < 0 ? err_sys(err, r, "rootfs: propagation") : 0;
}

int root_switch_apply(
    const struct mount_plan *plan, const struct mount_root *root, struct error *err)
{
    int r;

    role_require(ROLE_INIT);
    r = kernel_fchdir(root->root.fd);
    if (r < 0)
        return err_sys(err, r, "rootfs: chdir");
    r = plan->no_pivot ? change_root(err) : pivot(plan, err);
    if (r < 0)
        return r;
    r = kernel_fchdir(root->root.fd);
    if (r < 0)
        return err_sys(err, r, "rootfs: chdir to /");
    return set_propagation(plan, root, err);
}
