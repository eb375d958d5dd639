/* SPDX-License-Identifier: Apache-2.0 */
/* A further process, planned. */
#include "exec_plan.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "err.h"
#include "kernel_const.h"
#include "namespace_plan.h"
#include "oci_config.h"
#include "strv.h"

static char **names_join(struct arena *arena, char *const *items, size_t n_items, const char *const *more,
    size_t n_more, size_t *ret_n)
{
    struct strv v = STRV_INIT;

    for (size_t i = 0; i < n_items; i++)
        strv_add(arena, &v, items[i]);
    for (size_t i = 0; i < n_more; i++) {
        if (!strv_has(&v, more[i]))
            strv_add(arena, &v, more[i]);
    }
    *ret_n = v.n;
    return v.items;
}

/* As runc: --cap goes into the bounding, effective and permitted set. */
static void caps_add(struct arena *arena, const struct exec_words *words, struct oci_process *process)
{
    struct oci_capabilities *caps = arena_new(arena, struct oci_capabilities);

    if (process->capabilities)
        *caps = *process->capabilities;
    caps->bounding =
        names_join(arena, caps->bounding, caps->n_bounding, words->caps, words->n_caps, &caps->n_bounding);
    caps->effective =
        names_join(arena, caps->effective, caps->n_effective, words->caps, words->n_caps, &caps->n_effective);
    caps->permitted =
        names_join(arena, caps->permitted, caps->n_permitted, words->caps, words->n_caps, &caps->n_permitted);
    process->capabilities = caps;
}

static int env_make(struct arena *arena, const struct exec_words *words, struct oci_process *process, struct error *err)
{
    struct strv env = STRV_INIT;

    for (size_t i = 0; i < process->n_env; i++)
        strv_add(arena, &env, process->env[i]);
    for (size_t i = 0; i < words->n_env; i++) {
        const char *equals = strchr(words->env[i], '=');
        if (!equals || equals == words->env[i])
            return err_set(err, EINVAL, "--env %s: write NAME=VALUE", words->env[i]);
        size_t len = (size_t)(equals - words->env[i]);
        env_set(arena, &env, arena_strndup(arena, words->env[i], len), equals + 1);
    }
    process->env = env.items;
    process->n_env = env.n;
    return 0;
}

static void user_make(struct arena *arena, const struct exec_words *words, struct oci_process *process)
{
    if (words->has_user)
        process->user.uid = words->uid;
    if (words->has_gid)
        process->user.gid = words->gid;
    if (words->n_groups > 0) {
        process->user.additional_gids = arena_new_array(arena, words->n_groups, uint32_t);
        memcpy(process->user.additional_gids, words->groups, words->n_groups * sizeof(words->groups[0]));
        process->user.n_additional_gids = words->n_groups;
    }
}

int exec_process_make(struct arena *arena, const struct oci_config *config, const struct exec_words *words,
    struct oci_process **ret, struct error *err)
{
    struct oci_process *process = arena_new(arena, struct oci_process);

    *process = *config->process;
    process->args = words->args;
    process->n_args = words->n_args;
    process->terminal = words->want_terminal;
    process->console_size = (struct oci_console_size){ 0 };
    if (words->cwd)
        process->cwd = words->cwd;
    if (words->apparmor_profile)
        process->apparmor_profile = words->apparmor_profile;
    if (words->selinux_label)
        process->selinux_label = words->selinux_label;
    if (words->no_new_privileges)
        process->no_new_privileges = true;
    if (words->n_caps > 0)
        caps_add(arena, words, process);
    user_make(arena, words, process);
    if (env_make(arena, words, process, err) < 0)
        return -err->code;
    *ret = process;
    return 0;
}

/* What a document leaves out. */
static void process_complete(const struct oci_config *config, struct oci_process *process)
{
    const struct oci_process *own = config->process;

    if (!process->capabilities)
        process->capabilities = own->capabilities;
    if (!process->apparmor_profile)
        process->apparmor_profile = own->apparmor_profile;
    if (!process->selinux_label)
        process->selinux_label = own->selinux_label;
    if (process->n_rlimits == 0) {
        process->rlimits = own->rlimits;
        process->n_rlimits = own->n_rlimits;
    }
    if (!process->has_oom_score_adj && own->has_oom_score_adj) {
        process->has_oom_score_adj = true;
        process->oom_score_adj = own->oom_score_adj;
    }
}

static struct oci_rlimit *rlimit_find(struct oci_rlimit *rlimits, size_t n, int type)
{
    for (size_t i = 0; i < n; i++) {
        if (rlimits[i].type == type)
            return &rlimits[i];
    }
    return NULL;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* All limits of the first process, and none of them higher. */
static void rlimits_narrow(struct arena *arena, const struct oci_process *own, struct oci_process *process)
{
    struct oci_rlimit *rlimits = arena_new_array(arena, process->n_rlimits + own->n_rlimits, struct oci_rlimit);
    size_t n = process->n_rlimits;

    if (n > 0)
        memcpy(rlimits, process->rlimits, n * sizeof(rlimits[0]));
    for (size_t i = 0; i < own->n_rlimits; i++) {
        const struct oci_rlimit *limit = &own->rlimits[i];
        struct oci_rlimit *same = rlimit_find(rlimits, n, limit->type);
        if (!same) {
            rlimits[n++] = *limit;
            continue;
        }
        same->soft = smaller(same->soft, limit->hard);
        same->hard = smaller(same->hard, limit->hard);
    }
    process->rlimits = rlimits;
    process->n_rlimits = n;
}

static void process_narrow(struct arena *arena, const struct oci_process *own, struct oci_process *process)
{
    if (own->no_new_privileges)
        process->no_new_privileges = true;
    if (own->apparmor_profile)
        process->apparmor_profile = own->apparmor_profile;
    if (own->selinux_label)
        process->selinux_label = own->selinux_label;
    if (own->has_oom_score_adj && process->oom_score_adj < own->oom_score_adj)
        process->oom_score_adj = own->oom_score_adj;
    process->scheduler = own->scheduler;
    process->io_priority = own->io_priority;
    rlimits_narrow(arena, own, process);
}

/* As for init: see container_plan.c. */
static bool may_set_groups(const struct oci_config *config, const struct exec_facts *facts)
{
    return !facts->is_setgroups_denied && !str_eq(oci_annotation_get(config, "run.oci.keep_original_groups"), "1");
}

int exec_plan_build(struct arena *arena, const struct oci_config *config, struct oci_process *process,
    const struct exec_facts *facts, struct exec_plan *ret, struct strv *ret_unknown_caps, struct error *err)
{
    struct exec_plan plan = { .process = process };

    if (process->n_args == 0)
        return err_set(err, EINVAL, "exec: process.args: empty: there is nothing to run");
    process_complete(config, process);
    if (facts->is_sandbox)
        process_narrow(arena, config->process, process);
    caps_plan_build(arena, process->capabilities, facts->caps_last, &plan.caps, ret_unknown_caps);
    if (!oci_namespace_find(config, OCI_NAMESPACE_USER))
        caps_plan_limit(arena, &plan.caps, facts->caps_own, ret_unknown_caps);
    if (facts->is_sandbox) {
        struct caps_plan own;
        struct strv ignored = STRV_INIT;
        caps_plan_build(arena, config->process->capabilities, facts->caps_last, &own, &ignored);
        caps_plan_limit(arena, &plan.caps, own.bounding, ret_unknown_caps);
    }
    if (identity_plan_build(arena, &process->user, may_set_groups(config, facts), &plan.identity, err) < 0 ||
        process_attr_plan_build(config, process, &plan.attributes, err) < 0 ||
        label_plan_build(process, &facts->labels, &plan.labels, err) < 0)
        return -err->code;
    plan.has_filter = config->linux_.seccomp != NULL;
    if (plan.has_filter &&
        syscall_filter_plan_build(arena, config->linux_.seccomp, facts->is_sandbox, &plan.filter, err) < 0)
        return -err->code;
    for (size_t i = 0; i < config->linux_.n_namespaces; i++)
        plan.join_flags |= namespace_flag(config->linux_.namespaces[i].type);
    plan.has_user_namespace = plan.join_flags & CLONE_NEWUSER;
    *ret = plan;
    return 0;
}

void exec_plan_print(const struct exec_plan *plan, struct buf *out)
{
    buf_printf(out, "exec joins %#llx\n", (unsigned long long)plan->join_flags);
    identity_plan_print(&plan->identity, out);
    caps_plan_print(&plan->caps, out);
    process_attr_plan_print(&plan->attributes, out);
    label_plan_print(&plan->labels, out);
    if (plan->has_filter)
        syscall_filter_plan_print(&plan->filter, out);
}
