/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The document of `runa features`: what this build can do, whatever the host can.
 * Runs in  parent (pure)
 * Owns     all lists are borrowed
 * Source   OCI runtime-spec 1.3 features.md, features-linux.md
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct buf;
struct oci_pair;

struct oci_feature_list {
    const char *const *items;
    size_t n_items;
};

/* Versions, hooks, namespaces and the words of seccomp are those that this room reads. */
struct oci_features {
    struct oci_feature_list mount_options;
    struct oci_feature_list capabilities;
    struct {
        bool v1;
        bool v2;
        bool systemd;
        bool systemd_user;
        bool rdma;
    } cgroup;
    struct {
        bool is_enabled;
        struct oci_feature_list archs;
        struct oci_feature_list supported_flags;
    } seccomp;
    bool has_apparmor;
    bool has_selinux;
    bool has_intel_rdt;
    bool has_idmap;
    bool has_net_devices;
    const struct oci_pair *annotations; /* "org.runa.version" … */
    size_t n_annotations;
    /* Annotations of a bundle that change what runa does; with a dot at the end, a prefix. */
    struct oci_feature_list potentially_unsafe_config_annotations;
};

void oci_features_write(const struct oci_features *features, unsigned indent, struct buf *out);
