/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The configuration that `runa spec` writes, with the content that `runc spec` has: a shell with three
 *          capabilities on a read-only root, in all namespaces but user and time.
 * Runs in  parent (pure)
 * Owns     the result lives in the arena and may be edited
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct arena;
struct oci_config;

struct oci_config *oci_config_default(struct arena *arena) __attribute__((returns_nonnull));
/* The variant of --rootless: a user namespace in which root is uid:gid, the host's network, sysfs
 * by a bind of the host's, no cgroup limits. */
struct oci_config *oci_config_default_rootless(struct arena *arena, uint32_t uid, uint32_t gid)
    __attribute__((returns_nonnull));
