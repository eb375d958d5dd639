/* SPDX-License-Identifier: Apache-2.0 */
/* The features document, members in the order of the specification. */
#include "oci_features_write.h"

#include "buf.h"
#include "json_write.h"
#include "oci_config.h"
#include "oci_config_check.h"
#include "oci_schema.h"

static void put_list(struct json_writer *w, const char *key, const struct oci_feature_list *list)
{
    json_begin(w, key, '[');
    for (size_t i = 0; i < list->n_items; i++)
        json_put_str(w, NULL, list->items[i]);
    json_end(w, ']');
}

static void put_choices(struct json_writer *w, const char *key, const struct oci_choice *choices)
{
    json_begin(w, key, '[');
    for (; choices->text; choices++)
        json_put_str(w, NULL, choices->text);
    json_end(w, ']');
}

static void put_enabled(struct json_writer *w, const char *key, bool is_enabled)
{
    json_begin(w, key, '{');
    json_put_bool(w, "enabled", is_enabled);
    json_end(w, '}');
}

static void cgroup_write(struct json_writer *w, const struct oci_features *features)
{
    json_begin(w, "cgroup", '{');
    json_put_bool(w, "v1", features->cgroup.v1);
    json_put_bool(w, "v2", features->cgroup.v2);
    json_put_bool(w, "systemd", features->cgroup.systemd);
    json_put_bool(w, "systemdUser", features->cgroup.systemd_user);
    json_put_bool(w, "rdma", features->cgroup.rdma);
    json_end(w, '}');
}

static void filter_write(struct json_writer *w, const struct oci_features *features)
{
    json_begin(w, "seccomp", '{');
    json_put_bool(w, "enabled", features->seccomp.is_enabled);
    if (features->seccomp.is_enabled) {
        put_choices(w, "actions", oci_seccomp_action_choices);
        put_choices(w, "operators", oci_seccomp_operator_choices);
        put_list(w, "archs", &features->seccomp.archs);
        put_choices(w, "knownFlags", oci_seccomp_flag_choices);
        put_list(w, "supportedFlags", &features->seccomp.supported_flags);
    }
    json_end(w, '}');
}

static void linux_write(struct json_writer *w, const struct oci_features *features)
{
    json_begin(w, "linux", '{');
    put_choices(w, "namespaces", oci_namespace_choices);
    put_list(w, "capabilities", &features->capabilities);
    cgroup_write(w, features);
    filter_write(w, features);
    put_enabled(w, "apparmor", features->has_apparmor);
    put_enabled(w, "selinux", features->has_selinux);
    put_enabled(w, "intelRdt", features->has_intel_rdt);
    json_begin(w, "mountExtensions", '{');
    put_enabled(w, "idmap", features->has_idmap);
    json_end(w, '}');
    put_enabled(w, "netDevices", features->has_net_devices);
    json_end(w, '}');
}

void oci_features_write(const struct oci_features *features, unsigned indent, struct buf *out)
{
    struct json_writer w = JSON_WRITER_INIT(out, indent);
    json_begin(&w, NULL, '{');
    json_put_str(&w, "ociVersionMin", OCI_VERSION_MIN);
    json_put_str(&w, "ociVersionMax", OCI_VERSION_MAX);
    json_begin(&w, "hooks", '[');
    for (enum oci_hook_point point = 0; point < OCI_HOOK_POINTS; point++)
        json_put_str(&w, NULL, oci_hook_point_name(point));
    json_end(&w, ']');
    put_list(&w, "mountOptions", &features->mount_options);
    linux_write(&w, features);
    json_begin(&w, "annotations", '{');
    for (size_t i = 0; i < features->n_annotations; i++)
        json_put_str(&w, features->annotations[i].key, features->annotations[i].value);
    json_end(&w, '}');
    put_list(
        &w, "potentiallyUnsafeConfigAnnotations", &features->potentially_unsafe_config_annotations);
    json_end(&w, '}');
}
