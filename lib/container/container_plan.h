/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Everything that will be done for a container, as one struct that can be printed: what --dry-run shows, what
 *          golden tests compare, and what the parent and init work through are the same data.
 * Runs in  any (pure)
 * Trusts   a configuration that passed oci_config_check
 * Owns     everything lives in the arena and borrows from the configuration
 * Source   OCI runtime-spec config.md, config-linux.md
 */
#pragma once
#include <stdbool.h>

#include "caps_plan.h"
#include "cgroup_plan.h"
#include "identity_plan.h"
#include "label_plan.h"
#include "mount_plan.h"
#include "namespace_plan.h"
#include "process_attr_plan.h"
#include "syscall_filter_plan.h"
#include "sysctl_plan.h"

struct arena;
struct buf;
struct error;
struct oci_config;
struct root_file;
struct strv;

/* What the plan must know of the machine and the command line. */
struct container_facts {
    const char *id;
    const char *bundle; /* absolute */
    const char *own_cgroup; /* see cgroup_plan_build */
    const char *cgroup_mount; /* see mount_plan_input */
    struct label_host labels;
    const struct root_file *files;
    size_t n_files;
    uint64_t caps_own; /* see caps_own */
    unsigned caps_last;
    bool is_rootless;
    bool is_cgroup_disabled;
    bool is_filter_strict; /* the seccomp profile is our own */
    bool is_rootfs_given;
    bool no_pivot;
    bool no_new_keyring;
    unsigned preserve_fds; /* LISTEN_FDS included */
    struct namespace_caller caller;
};

struct container_plan {
    const struct oci_config *config;
    const char *id;
    struct namespace_plan namespaces;
    struct mount_plan mounts;
    struct host_name_plan names;
    struct sysctl_plan sysctl;
    struct label_plan labels;
    struct process_attr_plan attributes;
    struct caps_plan caps;
    struct identity_plan identity;
    struct syscall_filter_plan filter;
    bool has_filter;
    struct cgroup_plan *cgroup; /* NULL: none */
    const struct root_file *files; /* see create_options */
    size_t n_files;
    bool want_keyring;
    bool want_go; /* init waits for the parent first: id maps, idmapped sources, oom_score_adj */
    unsigned preserve_fds;
};

/* ret_unknown_caps: names that gave nothing (unknown, or not the runtime's to give), to warn of. */
int container_plan_build(struct arena *arena, const struct oci_config *config, const struct container_facts *facts,
    struct container_plan *ret, struct strv *ret_unknown_caps, struct error *err);
void container_plan_print(const struct container_plan *plan, struct buf *out);
