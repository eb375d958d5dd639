/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  overlay_plan → a detached mount, to be the root of a container.
 * Runs in  parent (CAP_SYS_ADMIN, CAP_SETUID on the host); the mount is made by a short-lived worker in a mount
 *          namespace of its own
 * Trusts   the layers' names and contents are never looked at; upper_parent belongs to the caller
 * Owns     *ret_mount_fd is the caller's: closing it unmounts. layer_fds, upper_parent_fd, userns_fd are borrowed.
 * Fails    -EOPNOTSUPP the file system cannot be idmapped, or the kernel is older than 5.19. The directories "upper"
 *          and "work" stay.
 * Source   open_tree(2), mount_setattr(2) MOUNT_ATTR_IDMAP; overlay layers by fd Linux 6.13, before that by names of
 *          attached mounts
 *
 * Ids on disk stay 0 to 65535 in the layers and in upper: both are idmapped, and the worker mounts as the range's own
 * root (with the host's capabilities), because an overlay writes with its mounter's ids, which have to be mapped too.
 */
#pragma once

struct error;
struct overlay_plan;

/* layer_fds: directories, base first, plan->n_layers of them. upper_parent_fd: -1 when plan->upper is NULL. userns_fd:
 * a user namespace with the plan's range (namespace_new_user), -1 when the plan is not idmapped. */
int overlay_apply(const struct overlay_plan *plan, const int *layer_fds, int upper_parent_fd,
    int userns_fd, int *ret_mount_fd, struct error *err);
