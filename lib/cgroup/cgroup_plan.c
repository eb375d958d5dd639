/* SPDX-License-Identifier: Apache-2.0 */
/* The cgroup of a container as one plan. */
#include "cgroup_plan.h"

#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cgroup_path_plan.h"
#include "oci_config.h"
#include "strv.h"

/* A mount of type cgroup or cgroup2, wherever it is, that is not read-only. */
static bool has_writable_mount(const struct oci_config *config)
{
    for (size_t i = 0; i < config->n_mounts; i++) {
        const struct oci_mount *mount = &config->mounts[i];
        bool is_read_only = false;

        if (mount->type == NULL ||
            (!str_eq(mount->type, "cgroup") && !str_eq(mount->type, "cgroup2")))
            continue;
        for (size_t j = 0; j < mount->n_options; j++)
            is_read_only =
                is_read_only || str_eq(mount->options[j], "ro") || str_eq(mount->options[j], "rro");
        if (!is_read_only)
            return true;
    }
    return false;
}

/* The host's id of the first process. False when its user namespace is not made by us or does not
 * map it. */
static bool host_uid(const struct oci_config *config, uint32_t *ret)
{
    const struct oci_namespace *user = oci_namespace_find(config, OCI_NAMESPACE_USER);
    uint32_t uid = config->process != NULL ? config->process->user.uid : 0;

    if (user == NULL) {
        *ret = uid;
        return true;
    }
    for (size_t i = 0; i < config->linux_.n_uid_mappings; i++) {
        const struct oci_id_mapping *map = &config->linux_.uid_mappings[i];
        if (uid >= map->container_id && uid - map->container_id < map->size) {
            *ret = map->host_id + (uid - map->container_id);
            return true;
        }
    }
    return false;
}

static void owner_plan(const struct oci_config *config, struct cgroup_plan *plan)
{
    const struct oci_namespace *own = oci_namespace_find(config, OCI_NAMESPACE_CGROUP);

    /* Only where the container can see its own cgroup and nothing else. */
    if (own != NULL && own->path == NULL && has_writable_mount(config))
        plan->has_owner = host_uid(config, &plan->owner_uid);
}

int cgroup_plan_build(struct arena *arena, const struct oci_config *config, const char *id,
    const char *own_path, struct cgroup_plan **ret, struct error *err)
{
    const struct oci_resources *resources = &config->linux_.resources;
    struct cgroup_plan *plan = arena_new(arena, struct cgroup_plan);

    plan->is_path_given = config->linux_.cgroups_path != NULL;
    int r = cgroup_path_plan(arena, config->linux_.cgroups_path, own_path, id, &plan->path, err);
    if (r == 0)
        r = cgroup_limit_plan(arena, resources, NULL, &plan->limits, err);
    if (r == 0)
        r = device_filter_plan(
            arena, resources->devices, resources->n_devices, &plan->devices, err);
    if (r < 0)
        return r;
    owner_plan(config, plan);
    *ret = plan;
    return 0;
}

void cgroup_plan_print(const struct cgroup_plan *plan, struct buf *out)
{
    buf_puts(out, "cgroup ");
    buf_put_quoted(out, plan->path, strlen(plan->path));
    buf_puts(out, plan->is_path_given ? "\n" : " (default)\n");
    if (plan->has_owner)
        buf_printf(out, "cgroup-owner %" PRIu32 "\n", plan->owner_uid);
    cgroup_limit_plan_print(&plan->limits, out);
    device_filter_print(&plan->devices, out);
}
