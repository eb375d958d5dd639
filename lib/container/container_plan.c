/* SPDX-License-Identifier: Apache-2.0 */
/* The plans of all rooms, put together. */
#include "container_plan.h"

#include <errno.h>

#include "arena.h"
#include "buf.h"
#include "err.h"
#include "kernel_const.h"
#include "oci_config.h"
#include "rlimit_plan.h"
#include "root_file.h"
#include "strv.h"

/* An unprivileged caller may map its own group alone only after setgroups was denied (user_namespaces(7)). */
static bool may_set_groups(const struct oci_config *config, const struct namespace_plan *namespaces,
    const struct container_facts *facts)
{
    /* crun's annotation, by which engines say --group-add keep-groups. */
    if (str_eq(oci_annotation_get(config, "run.oci.keep_original_groups"), "1"))
        return false;
    if (!facts->is_rootless || !(namespaces->clone_flags & CLONE_NEWUSER))
        return true;
    return !(namespaces->n_gid_map == 1 && namespaces->gid_map[0].size == 1 &&
        namespaces->gid_map[0].host_id == facts->caller.gid);
}

static unsigned own_namespace_flags(const struct namespace_plan *namespaces)
{
    unsigned flags = 0;

    for (int i = 0; i < OCI_NAMESPACE_TYPES; i++) {
        if (namespaces->has_own[i])
            flags |= namespace_flag((enum oci_namespace_type)i);
    }
    return flags;
}

static int process_plans_build(struct arena *arena, const struct oci_config *config,
    const struct container_facts *facts, struct container_plan *plan, struct strv *ret_unknown_caps, struct error *err)
{
    const struct oci_process *process = config->process;

    caps_plan_build(arena, process->capabilities, facts->caps_last, &plan->caps, ret_unknown_caps);
    /* In a user namespace of its own init has all of them, over what that namespace owns. */
    if (!plan->namespaces.has_own[OCI_NAMESPACE_USER])
        caps_plan_limit(arena, &plan->caps, facts->caps_own, ret_unknown_caps);
    if (identity_plan_build(
            arena, &process->user, may_set_groups(config, &plan->namespaces, facts), &plan->identity, err) < 0)
        return -err->code;
    if (process_attr_plan_build(config, process, &plan->attributes, err) < 0)
        return -err->code;
    if (label_plan_build(process, &facts->labels, &plan->labels, err) < 0)
        return -err->code;
    plan->has_filter = config->linux_.seccomp != NULL;
    if (plan->has_filter &&
        syscall_filter_plan_build(arena, config->linux_.seccomp, facts->is_filter_strict, &plan->filter, err) < 0)
        return -err->code;
    return 0;
}

int container_plan_build(struct arena *arena, const struct oci_config *config, const struct container_facts *facts,
    struct container_plan *ret, struct strv *ret_unknown_caps, struct error *err)
{
    struct container_plan plan = {
        .config = config,
        .id = facts->id,
        .preserve_fds = facts->preserve_fds,
        .files = facts->files,
        .n_files = facts->n_files,
        .want_keyring = !facts->no_new_keyring,
    };
    const struct mount_plan_input mount_input = {
        .bundle = facts->bundle,
        .is_rootless = facts->is_rootless,
        .no_pivot = facts->no_pivot,
        .is_rootfs_given = facts->is_rootfs_given,
        .cgroup_mount = facts->cgroup_mount,
    };

    if (!config->process)
        return err_set(err, EINVAL, "config.json: process: missing: there is nothing to run");
    if (namespace_plan_build(arena, config, &facts->caller, &plan.namespaces, err) < 0 ||
        mount_plan_build(arena, config, &mount_input, &plan.mounts, err) < 0 ||
        host_name_plan_build(config, plan.namespaces.has_own[OCI_NAMESPACE_UTS], &plan.names, err) < 0 ||
        sysctl_plan_build(arena, config->linux_.sysctl, config->linux_.n_sysctl,
            own_namespace_flags(&plan.namespaces), &plan.sysctl, err) < 0 ||
        process_plans_build(arena, config, facts, &plan, ret_unknown_caps, err) < 0)
        return -err->code;
    if (!facts->is_cgroup_disabled &&
        cgroup_plan_build(arena, config, facts->id, facts->own_cgroup, &plan.cgroup, err) < 0)
        return -err->code;
    plan.want_go = (plan.namespaces.clone_flags & CLONE_NEWUSER) || plan.mounts.need_own_userns ||
        config->process->has_oom_score_adj || (plan.cgroup && plan.cgroup->limits.has_late);
    *ret = plan;
    return 0;
}

static void print_process(const struct container_plan *plan, struct buf *out)
{
    const struct oci_process *process = plan->config->process;

    buf_puts(out, "process:\n");
    for (size_t i = 0; i < process->n_args; i++) {
        buf_puts(out, "  arg ");
        buf_put_quoted(out, process->args[i], strlen(process->args[i]));
        buf_putc(out, '\n');
    }
    for (size_t i = 0; i < process->n_env; i++) {
        /* Values may be secrets: names only. */
        const char *equals = strchr(process->env[i], '=');
        size_t len = equals ? (size_t)(equals - process->env[i]) : strlen(process->env[i]);
        buf_puts(out, "  env ");
        buf_put_quoted(out, process->env[i], len);
        buf_putc(out, '\n');
    }
    buf_printf(out, "  cwd %s\n", process->cwd);
    buf_printf(out, "  terminal %s\n", process->terminal ? "yes" : "no");
    if (plan->preserve_fds > 0)
        buf_printf(out, "  fds 3 to %u kept\n", 2 + plan->preserve_fds);
    if (process->has_oom_score_adj)
        buf_printf(out, "  oom_score_adj %d\n", process->oom_score_adj);
    if (plan->want_keyring)
        buf_puts(out, "  session keyring of its own\n");
}

static void print_hooks(const struct oci_config *config, struct buf *out)
{
    for (int point = 0; point < OCI_HOOK_POINTS; point++) {
        for (size_t i = 0; i < config->hooks[point].n_items; i++)
            buf_printf(out, "hook %s %s\n", oci_hook_point_name((enum oci_hook_point)point),
                config->hooks[point].items[i].path);
    }
}

void container_plan_print(const struct container_plan *plan, struct buf *out)
{
    buf_printf(out, "container %s\n", plan->id);
    namespace_plan_print(&plan->namespaces, out);
    if (plan->cgroup)
        cgroup_plan_print(plan->cgroup, out);
    mount_plan_print(&plan->mounts, out);
    for (size_t i = 0; i < plan->n_files; i++)
        buf_printf(out, "file %s\n", plan->files[i].path);
    host_name_plan_print(&plan->names, out);
    sysctl_plan_print(&plan->sysctl, out);
    print_process(plan, out);
    identity_plan_print(&plan->identity, out);
    caps_plan_print(&plan->caps, out);
    rlimit_plan_print(plan->config->process->rlimits, plan->config->process->n_rlimits, out);
    process_attr_plan_print(&plan->attributes, out);
    label_plan_print(&plan->labels, out);
    if (plan->has_filter)
        syscall_filter_plan_print(&plan->filter, out);
    print_hooks(plan->config, out);
}
