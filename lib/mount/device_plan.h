/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What is in /dev: the spec's default nodes and links, then the config's own devices.
 * Runs in  any (pure)
 * Owns     results live in the arena and borrow from the config
 * Fails    -EINVAL a device outside of what a container may name
 * Source   OCI runtime-spec config-linux.md "Default Devices", "Devices"; runtime-linux.md "Dev symbolic links"
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;
struct error;
struct oci_config;

struct device_node {
    const char *path; /* inside, absolute */
    char type; /* 'c', 'b' or 'p' */
    uint32_t major;
    uint32_t minor;
    uint32_t mode; /* permission bits, exact whatever the umask */
    uint32_t uid; /* inside */
    uint32_t gid;
};

struct device_link {
    const char *path; /* inside, absolute */
    const char *target;
};

struct device_plan {
    bool is_bind; /* the host's nodes are bound (user namespace: mknod is not allowed) */
    struct device_node *nodes;
    size_t n_nodes;
    struct device_link *links;
    size_t n_links;
};

int device_plan_build(struct arena *arena, const struct oci_config *config, bool has_user_namespace,
    struct device_plan *ret, struct error *err);
void device_plan_print(const struct device_plan *plan, struct buf *out);
