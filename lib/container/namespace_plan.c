/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces of a container, from its configuration. */
#include "namespace_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"

unsigned namespace_flag(enum oci_namespace_type type)
{
    static const unsigned flags[OCI_NAMESPACE_TYPES] = {
        [OCI_NAMESPACE_USER] = CLONE_NEWUSER,
        [OCI_NAMESPACE_MOUNT] = CLONE_NEWNS,
        [OCI_NAMESPACE_PID] = CLONE_NEWPID,
        [OCI_NAMESPACE_NETWORK] = CLONE_NEWNET,
        [OCI_NAMESPACE_IPC] = CLONE_NEWIPC,
        [OCI_NAMESPACE_UTS] = CLONE_NEWUTS,
        [OCI_NAMESPACE_CGROUP] = CLONE_NEWCGROUP,
        [OCI_NAMESPACE_TIME] = CLONE_NEWTIME,
    };
    return flags[type];
}

static const char *time_offsets_text(struct arena *arena, const struct oci_time_offsets *offsets)
{
    AUTO(buf) struct buf text = BUF_INIT;

    if (offsets->monotonic.is_set)
        buf_printf(&text, "monotonic %" PRId64 " %" PRIu32 "\n", offsets->monotonic.secs, offsets->monotonic.nanosecs);
    if (offsets->boottime.is_set)
        buf_printf(&text, "boottime %" PRId64 " %" PRIu32 "\n", offsets->boottime.secs, offsets->boottime.nanosecs);
    return text.len ? arena_strdup(arena, buf_str(&text)) : NULL;
}

/* Without mappings the caller becomes root of the new user namespace, and nobody else is known there. */
static void id_maps_choose(struct arena *arena, const struct oci_linux *linux_, const struct namespace_caller *caller,
    struct namespace_plan *plan)
{
    if (linux_->n_uid_mappings > 0 || linux_->n_gid_mappings > 0) { /* oci_config_check: both or none */
        plan->uid_map = linux_->uid_mappings;
        plan->n_uid_map = linux_->n_uid_mappings;
        plan->gid_map = linux_->gid_mappings;
        plan->n_gid_map = linux_->n_gid_mappings;
        return;
    }
    struct oci_id_mapping *maps = arena_new_array(arena, 2, struct oci_id_mapping);
    maps[0] = (struct oci_id_mapping){ .container_id = 0, .host_id = caller->uid, .size = 1 };
    maps[1] = (struct oci_id_mapping){ .container_id = 0, .host_id = caller->gid, .size = 1 };
    plan->uid_map = &maps[0];
    plan->n_uid_map = 1;
    plan->gid_map = &maps[1];
    plan->n_gid_map = 1;
}

int namespace_plan_build(struct arena *arena, const struct oci_config *config, const struct namespace_caller *caller,
    struct namespace_plan *ret, struct error *err)
{
    const struct oci_linux *linux_ = &config->linux_;
    struct namespace_plan plan = { 0 };

    for (size_t i = 0; i < linux_->n_namespaces; i++) {
        const struct oci_namespace *ns = &linux_->namespaces[i];
        plan.has_own[ns->type] = true;
        if (ns->path) {
            plan.join[ns->type] = ns->path;
            plan.n_joins++;
        } else if (ns->type == OCI_NAMESPACE_CGROUP || ns->type == OCI_NAMESPACE_TIME) {
            plan.unshare_flags |= namespace_flag(ns->type);
        } else {
            plan.clone_flags |= namespace_flag(ns->type);
        }
    }
    if (!plan.has_own[OCI_NAMESPACE_MOUNT])
        return err_set(err, EINVAL, "linux.namespaces: a mount namespace is needed: without one the host's own mounts "
                                    "would be changed");
    plan.has_relay = plan.join[OCI_NAMESPACE_PID] || plan.join[OCI_NAMESPACE_USER] ||
        ((plan.clone_flags & CLONE_NEWUSER) && plan.n_joins > 0);
    plan.is_new_network = plan.clone_flags & CLONE_NEWNET;
    if (plan.clone_flags & CLONE_NEWUSER)
        id_maps_choose(arena, linux_, caller, &plan);
    plan.time_offsets = time_offsets_text(arena, &linux_->time_offsets);
    if (plan.time_offsets && !(plan.unshare_flags & CLONE_NEWTIME))
        return err_set(err, EINVAL, "linux.timeOffsets: needs a new time namespace in linux.namespaces");
    *ret = plan;
    return 0;
}

static void print_map(struct buf *out, const char *name, const struct oci_id_mapping *map, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "  %s %" PRIu32 " -> %" PRIu32 " x %" PRIu32 "\n", name, map[i].container_id, map[i].host_id,
            map[i].size);
}

void namespace_plan_print(const struct namespace_plan *plan, struct buf *out)
{
    buf_puts(out, "namespaces:\n");
    for (int i = 0; i < OCI_NAMESPACE_TYPES; i++) {
        enum oci_namespace_type type = (enum oci_namespace_type)i;
        if (plan->join[i])
            buf_printf(out, "  %s: join %s\n", oci_namespace_name(type), plan->join[i]);
        else
            buf_printf(out, "  %s: %s\n", oci_namespace_name(type), plan->has_own[i] ? "new" : "the caller's");
    }
    print_map(out, "uid", plan->uid_map, plan->n_uid_map);
    print_map(out, "gid", plan->gid_map, plan->n_gid_map);
    for (const char *line = plan->time_offsets; line && *line; line += strcspn(line, "\n") + 1)
        buf_printf(out, "  time offset: %.*s\n", (int)strcspn(line, "\n"), line);
    if (plan->has_relay)
        buf_puts(out, "  joined by a relay process\n");
}
