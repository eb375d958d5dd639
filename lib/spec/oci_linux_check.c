/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of `linux` but for its filter and resources. */
#include <string.h>

#include "buf.h"
#include "checked.h"
#include "cleanup.h"
#include "err.h"
#include "oci_check_internal.h"
#include "oci_config.h"
#include "oci_config_check.h"

#define ID_MAPPINGS_MAX  340 /* lines that the kernel takes */
#define NANOSECS_MAX     999999999U
#define DEVICE_MAJOR_MAX ((1U << 12) - 1)
#define DEVICE_MINOR_MAX ((1U << 20) - 1)

static int namespaces_check(const struct oci_config *config, struct error *err)
{
    const struct oci_linux *lx = &config->linux_;
    unsigned seen = 0;
    for (size_t i = 0; i < lx->n_namespaces; i++) {
        const struct oci_namespace *ns = &lx->namespaces[i];
        if (seen & 1U << ns->type)
            return oci_fault(err, oci_namespace_name(ns->type), "is there twice",
                "linux.namespaces[%zu].type", i);
        seen |= 1U << ns->type;
        if (ns->path && !oci_path_is_absolute(ns->path))
            return oci_fault(
                err, ns->path, "is not an absolute path", "linux.namespaces[%zu].path", i);
    }
    /* Every mount and the pivot to the new root would be done to the caller's tree. */
    if (!(seen & 1U << OCI_NAMESPACE_MOUNT))
        return oci_fault(err, NULL, "without a mount namespace the host's mounts would change",
            "linux.namespaces");
    return 0;
}

static bool ranges_overlap(uint32_t a, uint32_t n_a, uint32_t b, uint32_t n_b)
{
    return a < (uint64_t)b + n_b && b < (uint64_t)a + n_a;
}

int oci_id_mappings_check(
    const struct oci_id_mapping *mappings, size_t n, const char *field, struct error *err)
{
    if (n > ID_MAPPINGS_MAX)
        return oci_fault(err, NULL, "more than 340 ranges", "%s", field);
    for (size_t i = 0; i < n; i++) {
        const struct oci_id_mapping *one = &mappings[i];
        uint32_t end = 0;
        if (one->size == 0)
            return oci_fault(err, NULL, "is 0", "%s[%zu].size", field, i);
        /* 4294967295 is no id, so no range may hold it. */
        if (checked_add(one->container_id, one->size, &end) ||
            checked_add(one->host_id, one->size, &end))
            return oci_fault(err, NULL, "the range goes beyond the last id", "%s[%zu]", field, i);
        for (size_t k = 0; k < i; k++) {
            const struct oci_id_mapping *other = &mappings[k];
            if (ranges_overlap(one->container_id, one->size, other->container_id, other->size) ||
                ranges_overlap(one->host_id, one->size, other->host_id, other->size))
                return oci_fault(err, NULL, "overlaps another range", "%s[%zu]", field, i);
        }
    }
    return 0;
}

/* Mappings beside a namespace to join are accepted, as engines send them for a shared one; they are
 * that one's already. A new one without any gets the caller alone (namespace_plan), as in crun. */
static int user_namespace_check(const struct oci_config *config, struct error *err)
{
    const struct oci_linux *lx = &config->linux_;
    if (!lx->n_uid_mappings != !lx->n_gid_mappings)
        return oci_fault(err, NULL, "uidMappings and gidMappings go together", "linux");
    if (lx->n_uid_mappings > 0 && !oci_namespace_find(config, OCI_NAMESPACE_USER))
        return oci_fault(
            err, NULL, "needs a user namespace in linux.namespaces", "linux.uidMappings");
    int rc = oci_id_mappings_check(lx->uid_mappings, lx->n_uid_mappings, "linux.uidMappings", err);
    if (rc < 0)
        return rc;
    return oci_id_mappings_check(lx->gid_mappings, lx->n_gid_mappings, "linux.gidMappings", err);
}

static int time_offsets_check(const struct oci_config *config, struct error *err)
{
    const struct oci_time_offsets *offsets = &config->linux_.time_offsets;
    if (!offsets->monotonic.is_set && !offsets->boottime.is_set)
        return 0;
    const struct oci_namespace *ns = oci_namespace_find(config, OCI_NAMESPACE_TIME);
    if (!ns || ns->path)
        return oci_fault(
            err, NULL, "needs a new time namespace in linux.namespaces", "linux.timeOffsets");
    if (offsets->monotonic.nanosecs > NANOSECS_MAX)
        return oci_fault(
            err, NULL, "larger than 999999999", "linux.timeOffsets.monotonic.nanosecs");
    if (offsets->boottime.nanosecs > NANOSECS_MAX)
        return oci_fault(err, NULL, "larger than 999999999", "linux.timeOffsets.boottime.nanosecs");
    return 0;
}

static int devices_check(const struct oci_linux *lx, struct error *err)
{
    for (size_t i = 0; i < lx->n_devices; i++) {
        const struct oci_device *device = &lx->devices[i];
        if (!device->path)
            return oci_fault(err, NULL, "missing", "linux.devices[%zu].path", i);
        if (!oci_path_is_absolute(device->path) || oci_path_climbs(device->path, "/"))
            return oci_fault(err, device->path, "is not an absolute path without ..",
                "linux.devices[%zu].path", i);
        if (device->major > DEVICE_MAJOR_MAX)
            return oci_fault(err, NULL, "larger than 4095", "linux.devices[%zu].major", i);
        if (device->minor > DEVICE_MINOR_MAX)
            return oci_fault(err, NULL, "larger than 1048575", "linux.devices[%zu].minor", i);
        /* 0:0 is no device: overlayfs takes such a node for a deleted file. */
        if (device->type != 'p' && device->major == 0 && device->minor == 0)
            return oci_fault(err, device->path, "needs major and minor", "linux.devices[%zu]", i);
    }
    return 0;
}

/* A setting's name in either notation: the first separator decides; if it is '.', dots mean slashes
 * and slashes dots. */
static bool is_sysctl_name(const char *key)
{
    size_t first = strcspn(key, "./");
    if (first == 0)
        return false;
    if (key[first] == '.')
        return !strstr(key, "..") && !strstr(key, "//");
    return !strstr(key, "//") && !oci_path_climbs(key, "/");
}

/* The form only; which settings a namespace owns is sysctl_plan's to know. */
static int sysctl_check(const struct oci_linux *lx, struct error *err)
{
    for (size_t i = 0; i < lx->n_sysctl; i++) {
        const char *key = lx->sysctl[i].key;
        if (!is_sysctl_name(key))
            return oci_fault(err, key, "is no name of a setting", "linux.sysctl");
        if (strchr(lx->sysctl[i].value, '\n'))
            return oci_fault(err, key, "has a value of more than one line", "linux.sysctl");
    }
    return 0;
}

static int cgroups_path_check(const struct oci_linux *lx, struct error *err)
{
    const char *path = lx->cgroups_path;
    if (!path)
        return 0;
    if (oci_path_climbs(path, "/:")) /* "slice:prefix:name" for systemd */
        return oci_fault(err, path, "has .. in it", "linux.cgroupsPath");
    if (strchr(path, '\n')) /* files of /proc and of our state are read by lines */
        return oci_fault(err, path, "has a line end in it", "linux.cgroupsPath");
    return 0;
}

int oci_linux_check(const struct oci_config *config, struct error *err)
{
    const struct oci_linux *lx = &config->linux_;
    int rc = namespaces_check(config, err);
    if (rc == 0)
        rc = user_namespace_check(config, err);
    if (rc == 0)
        rc = time_offsets_check(config, err);
    if (rc == 0)
        rc = devices_check(lx, err);
    if (rc == 0)
        rc = cgroups_path_check(lx, err);
    if (rc == 0)
        rc = sysctl_check(lx, err);
    if (rc == 0)
        rc = oci_paths_check(lx->masked_paths, lx->n_masked_paths, "linux.maskedPaths", err);
    if (rc == 0)
        rc = oci_paths_check(lx->readonly_paths, lx->n_readonly_paths, "linux.readonlyPaths", err);
    if (rc == 0 && lx->personality && lx->personality->n_flags > 0)
        rc = oci_fault(err, lx->personality->flags[0], "is unknown", "linux.personality.flags[0]");
    if (rc == 0 && lx->seccomp)
        rc = oci_seccomp_check(lx->seccomp, err);
    return rc < 0 ? rc : oci_resources_check(&lx->resources, err);
}
