/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of the configuration outside of process and linux, and the helpers of all check files. */
#include "oci_config_check.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "oci_check_internal.h"
#include "oci_config.h"
#include "parse_num.h"

#define VALUE_SHOWN_MAX 200 /* bytes of a stranger's text in a message */

int oci_fault(struct error *err, const char *value, const char *what, const char *field, ...)
{
    AUTO(buf) struct buf text = BUF_INIT;
    va_list ap;
    va_start(ap, field);
    buf_vprintf(&text, field, ap);
    va_end(ap);
    buf_puts(&text, ": ");
    if (value) {
        size_t len = strnlen(value, VALUE_SHOWN_MAX + 1);
        buf_put_quoted(&text, value, len > VALUE_SHOWN_MAX ? VALUE_SHOWN_MAX : len);
        buf_puts(&text, len > VALUE_SHOWN_MAX ? "... " : " ");
    }
    buf_puts(&text, what);
    return err_set(err, EINVAL, "%s", buf_str(&text));
}

bool oci_path_is_absolute(const char *path)
{
    return path && path[0] == '/';
}

bool oci_path_climbs(const char *path, const char *separators)
{
    while (*path) {
        size_t len = strcspn(path, separators);
        if (len == 2 && path[0] == '.' && path[1] == '.')
            return true;
        path += len;
        path += strspn(path, separators);
    }
    return false;
}

int oci_paths_check(char *const *paths, size_t n, const char *field, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!oci_path_is_absolute(paths[i]))
            return oci_fault(err, paths[i], "is not an absolute path", "%s[%zu]", field, i);
    }
    return 0;
}

int oci_env_check(char *const *env, size_t n, const char *field, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *equals = strchr(env[i], '=');
        /* Not the entry itself: without its name it may be a secret. */
        if (!equals)
            return oci_fault(err, NULL, "is not NAME=value", "%s[%zu]", field, i);
        if (equals == env[i])
            return oci_fault(err, NULL, "has no name before the =", "%s[%zu]", field, i);
    }
    return 0;
}

/* "1.MINOR.PATCH", and what semver allows behind it. */
static int version_check(const char *version, struct error *err)
{
    if (!version)
        return oci_fault(err, NULL, "missing", "ociVersion");
    size_t len = strcspn(version, "-+");
    const char *dot = memchr(version, '.', len);
    const char *end = version + len;
    const char *second = dot ? memchr(dot + 1, '.', (size_t)(end - dot - 1)) : NULL;
    uint64_t number = 0;
    if (!second || parse_u64(version, (size_t)(dot - version), UINT32_MAX, &number) < 0 ||
        parse_u64(dot + 1, (size_t)(second - dot - 1), UINT32_MAX, &(uint64_t){ 0 }) < 0 ||
        parse_u64(second + 1, (size_t)(end - second - 1), UINT32_MAX, &(uint64_t){ 0 }) < 0)
        return oci_fault(err, version, "is not a version like " OCI_VERSION_MAX, "ociVersion");
    if (number != 1)
        return oci_fault(err, version, "is not version 1 of the specification", "ociVersion");
    return 0;
}

/* Both names belong to the UTS namespace: without an own one the host's would be changed. */
static int host_names_check(const struct oci_config *config, struct error *err)
{
    const struct {
        const char *field;
        const char *value;
    } names[] = { { "hostname", config->hostname }, { "domainname", config->domainname } };

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (!names[i].value)
            continue;
        if (!oci_namespace_find(config, OCI_NAMESPACE_UTS))
            return oci_fault(
                err, NULL, "needs a uts namespace in linux.namespaces", "%s", names[i].field);
        if (strlen(names[i].value) > HOST_NAME_MAX)
            return oci_fault(err, names[i].value, "is longer than 64 bytes", "%s", names[i].field);
    }
    return 0;
}

static int mount_check(const struct oci_mount *mount, size_t i, struct error *err)
{
    /* Relative ones are taken from the root, as crun and runc do for old bundles. */
    if (!mount->destination)
        return oci_fault(err, NULL, "missing", "mounts[%zu].destination", i);
    if (!mount->n_uid_mappings != !mount->n_gid_mappings)
        return oci_fault(err, NULL, "uidMappings and gidMappings go together", "mounts[%zu]", i);

    AUTO(buf) struct buf field = BUF_INIT;
    buf_printf(&field, "mounts[%zu].uidMappings", i);
    int rc =
        oci_id_mappings_check(mount->uid_mappings, mount->n_uid_mappings, buf_str(&field), err);
    if (rc < 0)
        return rc;
    buf_reset(&field);
    buf_printf(&field, "mounts[%zu].gidMappings", i);
    return oci_id_mappings_check(mount->gid_mappings, mount->n_gid_mappings, buf_str(&field), err);
}

static int hook_check(const struct oci_hook *hook, const char *point, size_t i, struct error *err)
{
    if (!hook->path)
        return oci_fault(err, NULL, "missing", "hooks.%s[%zu].path", point, i);
    if (!oci_path_is_absolute(hook->path))
        return oci_fault(
            err, hook->path, "is not an absolute path", "hooks.%s[%zu].path", point, i);
    if (hook->has_timeout && hook->timeout <= 0)
        return oci_fault(err, NULL, "not greater than 0", "hooks.%s[%zu].timeout", point, i);
    AUTO(buf) struct buf field = BUF_INIT;
    buf_printf(&field, "hooks.%s[%zu].env", point, i);
    return oci_env_check(hook->env, hook->n_env, buf_str(&field), err);
}

static int hooks_check(const struct oci_config *config, struct error *err)
{
    for (enum oci_hook_point point = 0; point < OCI_HOOK_POINTS; point++) {
        const struct oci_hook_list *list = &config->hooks[point];
        for (size_t i = 0; i < list->n_items; i++) {
            int rc = hook_check(&list->items[i], oci_hook_point_name(point), i, err);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

int oci_config_check(const struct oci_config *config, struct error *err)
{
    int rc = version_check(config->oci_version, err);
    if (rc < 0)
        return rc;
    if (!config->root.path)
        return oci_fault(err, NULL, "missing", "root.path");
    rc = host_names_check(config, err);
    for (size_t i = 0; rc == 0 && i < config->n_mounts; i++)
        rc = mount_check(&config->mounts[i], i, err);
    if (rc == 0 && config->process)
        rc = oci_process_check(config->process, err);
    if (rc == 0)
        rc = hooks_check(config, err);
    for (size_t i = 0; rc == 0 && i < config->n_annotations; i++) {
        if (config->annotations[i].key[0] == '\0')
            rc = oci_fault(err, NULL, "an empty key", "annotations");
    }
    return rc < 0 ? rc : oci_linux_check(config, err);
}

static int not_supported(struct error *err, const char *field)
{
    return err_set(err, ENOTSUP, "%s: asked for, but not supported by this version of runa", field);
}

int oci_process_unsupported(const struct oci_process *process, struct error *err)
{
    if (process->exec_cpu_affinity.initial || process->exec_cpu_affinity.final)
        return not_supported(err, "process.execCPUAffinity");
    return 0;
}

int oci_resources_unsupported(const struct oci_resources *resources, struct error *err)
{
    if (resources->network.has_class_id || resources->network.n_priorities > 0)
        return not_supported(err, "linux.resources.network");
    if (resources->n_rdma > 0)
        return not_supported(err, "linux.resources.rdma");
    return 0;
}

int oci_config_unsupported(const struct oci_config *config, struct error *err)
{
    if (config->linux_.intel_rdt)
        return not_supported(err, "linux.intelRdt");
    if (config->linux_.memory_policy)
        return not_supported(err, "linux.memoryPolicy");
    if (config->linux_.n_net_devices > 0)
        return not_supported(err, "linux.netDevices");
    int rc = oci_resources_unsupported(&config->linux_.resources, err);
    if (rc < 0 || !config->process)
        return rc;
    return oci_process_unsupported(config->process, err);
}
