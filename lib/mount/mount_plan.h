/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What a container's mount namespace is to become, as ordered steps: root, mounts, devices and links, masked
 *          and read-only paths. Decides everything; mount_apply decides nothing.
 * Runs in  any (pure)
 * Trusts   the config's syntax only (oci_config_check); paths are refused or resolved in-root later, never joined
 * Owns     results live in the arena and borrow from the config: both must live as long as the plan
 * Fails    -EINVAL what the spec or security forbids (a mount on /proc, a sysfs that is not the container's),
 *          -ENOTSUP what was asked for and cannot be put in force
 */
#pragma once
#include "device_plan.h"
#include "mount_option_parse.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;
struct error;
struct oci_config;
struct oci_id_mapping;

#define MOUNT_STEPS_MAX 4096
#define MOUNT_PATH_MAX  4096 /* bytes of a path, NUL included */

struct mount_plan_input {
    const char *bundle; /* absolute */
    bool is_rootless;   /* the caller has no host privilege */
    bool no_pivot;
    bool is_rootfs_given;     /* mount_sources_open gets a detached root; root.path is not opened */
    const char *cgroup_mount; /* where the host has its cgroup v2; NULL: /sys/fs/cgroup */
};

enum mount_step_kind {
    MOUNT_STEP_FILESYSTEM, /* a new instance of type */
    MOUNT_STEP_BIND,       /* a tree of the host, opened beforehand */
    MOUNT_STEP_REMOUNT,    /* attributes of what is mounted there already */
};

struct mount_step {
    enum mount_step_kind kind;
    const char *source; /* of a bind: absolute on the host; else as written, NULL when absent */
    const char *destination; /* inside, absolute */
    const char *type;        /* of a filesystem */
    struct mount_option option;
    bool is_proc;      /* the one at /proc: must be a real procfs on a real directory */
    bool is_on_proc;   /* one of the few files of procfs that may be covered */
    bool is_own_idmap; /* the container's user namespace rather than the mappings below */
    const struct oci_id_mapping *uid_mappings;
    size_t n_uid_mappings;
    const struct oci_id_mapping *gid_mappings;
    size_t n_gid_mappings;
};

struct mount_plan {
    const char *rootfs; /* absolute on the host; NULL: given by the caller */
    const char *
        attach; /* where the root is hung until the switch: its own path when hooks look for it there, else "/" */
    struct mount_propagation root_propagation; /* type 0: stays private */
    bool is_root_readonly;
    bool no_pivot;
    bool has_user_namespace;
    bool can_undo_readonly; /* CAP_SYS_ADMIN over mounts that the parent opens: see mount_readonly.h */
    const struct oci_id_mapping *uid_mappings; /* of that namespace when it is a new one */
    size_t n_uid_mappings;
    const struct oci_id_mapping *gid_mappings;
    size_t n_gid_mappings;
    bool
        need_own_userns; /* a step is idmapped with the container's user namespace: call mount_sources_idmap */
    bool want_console;
    struct mount_step *steps; /* in this order */
    size_t n_steps;
    struct device_plan devices;
    char *const *masked_paths;
    size_t n_masked_paths;
    char *const *readonly_paths;
    size_t n_readonly_paths;
};

int mount_plan_build(struct arena *arena, const struct oci_config *config,
    const struct mount_plan_input *input, struct mount_plan *ret, struct error *err);
/* One fact a line, stable. */
void mount_plan_print(const struct mount_plan *plan, struct buf *out);
