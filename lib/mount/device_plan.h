/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What is in /dev: the spec's default nodes and links, then the config's own devices. Nothing when /dev is a
 *          bind: then the operator has filled it.
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
    char type;        /* 'c', 'b' or 'p' */
    uint32_t major;
    uint32_t minor;
    uint32_t mode; /* permission bits, exact whatever the umask */
    uint32_t uid;  /* inside */
    uint32_t gid;
};

struct device_link {
    const char *path; /* inside, absolute */
    const char *target;
};

/* mknod is the initial user namespace's alone. In another one, nodes are bound: fresh ones that the parent made with
 * its privilege, or, when it has none, the host's own at the same path after a look at their numbers. */
enum device_way { DEVICE_MAKE, DEVICE_BIND_FRESH, DEVICE_BIND_HOST };

struct device_plan {
    enum device_way way;
    struct device_node *nodes;
    size_t n_nodes;
    const struct device_link *links;
    size_t n_links;
};

int device_plan_build(struct arena *arena, const struct oci_config *config, enum device_way way,
    struct device_plan *ret, struct error *err);
void device_plan_print(const struct device_plan *plan, struct buf *out);
