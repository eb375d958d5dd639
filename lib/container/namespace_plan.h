/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Which namespaces init gets: made by clone3, made by init itself, or joined by path, and in which process.
 * Runs in  any (pure)
 * Source   OCI config-linux.md "Namespaces"; namespaces(7), time_namespaces(7)
 *
 * Why a relay (2026-12): a PID namespace can only be joined for children, and after a new user namespace was made
 * nothing that belongs to another one can be joined. In those cases a process between parent and init joins first and
 * clones init as the parent's child; the parent itself never changes its namespaces. All other joins init makes itself.
 * Why cgroup and time are not left to clone3: the root of a cgroup namespace is the cgroup of the process that makes
 * it, which for clone3 is the parent's; and offsets can only be written before a process is in the time namespace.
 */
#pragma once
#include <stdbool.h>

#include "oci_config.h"

struct arena;
struct buf;
struct error;

struct namespace_plan {
    unsigned clone_flags; /* CLONE_NEW* for clone3 */
    unsigned unshare_flags; /* CLONE_NEWCGROUP, CLONE_NEWTIME: init, later */
    unsigned n_joins;
    const char *join[OCI_NAMESPACE_TYPES]; /* path or NULL */
    bool has_relay;
    bool has_own[OCI_NAMESPACE_TYPES]; /* new or joined: not the caller's */
    bool is_new_network; /* lo must be brought up */
    const struct oci_id_mapping *uid_map;
    const struct oci_id_mapping *gid_map;
    size_t n_uid_map;
    size_t n_gid_map;
    const char *time_offsets; /* text for /proc/self/timens_offsets, or NULL */
};

/* Who asks: what a new user namespace without mappings maps its root to. */
struct namespace_caller {
    uint32_t uid;
    uint32_t gid;
};

int namespace_plan_build(struct arena *arena, const struct oci_config *config, const struct namespace_caller *caller,
    struct namespace_plan *ret, struct error *err);
void namespace_plan_print(const struct namespace_plan *plan, struct buf *out);

/* CLONE_NEW* of a type. */
unsigned namespace_flag(enum oci_namespace_type type);
