/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Phase 1 of mounting: everything that comes from the host (root, bind sources) as detached trees, taken with
 *          the host's privilege before the container's namespaces exist.
 * Runs in  parent (CAP_SYS_ADMIN on the host) before the clone; rootless: init, in its own mount namespace
 * Trusts   sources are the operator's: links in them are followed as written
 * Owns     the fds, until mount_sources_done; the child works on its inherited copies
 * Fails    nothing is left behind: detached trees die with their fds
 * Source   open_tree(2) 5.2, mount_setattr(2) 5.12
 *
 *   parent   mount_sources_open ─ clone ─ [mount_sources_idmap, before the child is told to go on] ─ mount_sources_done
 *   init     mount_apply ─ console_mount_apply ─ (createContainer hooks) ─ root_switch_apply ─ mount_protect_apply
 *
 * An idmapped tree must have its map before it is attached. Trees are shared between both processes as open files, so
 * the parent may map them after the clone, as long as the child waits.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct arena;
struct error;
struct mount_plan;
struct procfs;

struct mount_source {
    int fd; /* detached tree; -1: the step needs none */
    bool is_directory;
    const char *link; /* copy-symlink of a source that is a link: its text, and no tree */
};

struct mount_sources {
    int rootfs_fd; /* detached tree */
    int nodes_fd; /* DEVICE_BIND_FRESH: detached tmpfs, device i of the plan has the name "i"; else -1 */
    struct mount_source *steps; /* one a step of the plan */
    size_t n_steps;
};

#define MOUNT_SOURCES_INIT                                                                         \
    {                                                                                              \
        .rootfs_fd = -1, .nodes_fd = -1                                                            \
    }

/* procfs is needed for idmapped mounts only. *rootfs_fdp: a detached root that the caller made (taken), or -1: the
 * plan's path is opened. */
int mount_sources_open(struct arena *arena, const struct mount_plan *plan,
    const struct procfs *procfs, int *rootfs_fdp, struct mount_sources *ret, struct error *err);
/* Only when plan->need_own_userns. userns_fd is borrowed. */
int mount_sources_idmap(const struct mount_plan *plan, const struct mount_sources *sources,
    int userns_fd, struct error *err);
void mount_sources_done(struct mount_sources *sources);
