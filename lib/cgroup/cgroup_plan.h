/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  All that the cgroup of a container is to be: place, limits, device filter, owner.
 * Runs in  parent (pure)
 * Owns     lives in the arena; borrows from config
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "cgroup_limit_plan.h"
#include "device_filter_plan.h"

struct arena;
struct buf;
struct error;
struct oci_config;

struct cgroup_plan {
    const char *path; /* below the root of the hierarchy */
    bool is_path_given; /* the configuration names it */
    struct cgroup_limit_plan limits;
    struct device_filter devices;
    /* With a cgroup namespace of its own and a writable cgroup mount: the host's id of process.user. */
    bool has_owner;
    uint32_t owner_uid;
};

/* own_path: may be NULL when cgroup_path_needs_own(config->linux_.cgroups_path) is false. */
int cgroup_plan_build(struct arena *arena, const struct oci_config *config, const char *id,
    const char *own_path, struct cgroup_plan **ret, struct error *err);
void cgroup_plan_print(const struct cgroup_plan *plan, struct buf *out);
