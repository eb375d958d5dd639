/* SPDX-License-Identifier: Apache-2.0 */
/* Narrowing a configuration: the order, and what belongs to the process. */
#include "policy_lower.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "policy_check.h"
#include "policy_doc.h"
#include "policy_lower_internal.h"
#include "strv.h"

/* SCHED_* and IOPRIO_CLASS_* as the kernel numbers them. */
#define SCHED_FIFO_NUMBER     1
#define SCHED_RR_NUMBER       2
#define SCHED_DEADLINE_NUMBER 6
#define IOPRIO_REALTIME       1

#define MEMLOCK_MAX  (8U << 20)
#define MSGQUEUE_MAX 819200U

void lowering_note(const struct lowering *l, const char *format, ...)
{
    va_list ap;

    if (!l->narrowed)
        return;
    va_start(ap, format);
    buf_vprintf(l->narrowed, format, ap);
    va_end(ap);
    buf_putc(l->narrowed, '\n');
}

/* --- capabilities ------------------------------------------------------------------------------ */

static bool maps_host_root(const struct oci_id_mapping *mappings, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (mappings[i].host_id == 0)
            return true;
    }
    return n == 0;
}

/* The container's root is nobody's root outside. A user namespace that is joined may be anyone's. */
static bool has_own_ids(const struct oci_config *config)
{
    const struct oci_namespace *user = oci_namespace_find(config, OCI_NAMESPACE_USER);
    const struct oci_linux *lx = &config->linux_;

    return user && !user->path && !maps_host_root(lx->uid_mappings, lx->n_uid_mappings) &&
           !maps_host_root(lx->gid_mappings, lx->n_gid_mappings);
}

/* The ceiling of this process, in list order; NULL at the end. */
static char **capability_ceiling(struct arena *arena, const struct policy *policy,
    const struct oci_config *config, const struct oci_process *process, size_t *ret_n)
{
    const struct policy_value *value = &policy->values[POLICY_PROCESS_CAPABILITIES];
    size_t n = process->user.uid == 0 && has_own_ids(config) ? value->n_items : 0;
    char **list = arena_new_array(arena, n + 1, char *);

    for (size_t i = 0; i < n; i++)
        list[i] = arena_strdup(arena, value->items[i].text);
    *ret_n = n;
    return list;
}

static bool list_has(char *const *list, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i], word) == 0)
            return true;
    }
    return false;
}

static void narrow_set(const struct lowering *l, const char *name, char **set, size_t *n_set,
    char *const *ceiling, size_t n_ceiling)
{
    size_t n = 0;

    for (size_t i = 0; i < *n_set; i++) {
        if (list_has(ceiling, n_ceiling, set[i]))
            set[n++] = set[i];
        else
            lowering_note(l, "process.capabilities.%s: without %s", name, set[i]);
    }
    if (set)
        set[n] = NULL;
    *n_set = n;
}

static void narrow_capabilities(const struct lowering *l, struct oci_process *process)
{
    struct oci_capabilities *c = process->capabilities;
    size_t n = 0;
    char **ceiling = capability_ceiling(l->arena, l->policy, l->config, process, &n);

    if (!c && (n == 0 || process == l->config->process)) {
        /* said, not left out: for exec absent would mean those of the container's first process */
        process->capabilities = arena_new(l->arena, struct oci_capabilities);
        return;
    }
    if (!c)
        return;
    narrow_set(l, "bounding", c->bounding, &c->n_bounding, ceiling, n);
    narrow_set(l, "effective", c->effective, &c->n_effective, ceiling, n);
    narrow_set(l, "inheritable", c->inheritable, &c->n_inheritable, ceiling, n);
    narrow_set(l, "permitted", c->permitted, &c->n_permitted, ceiling, n);
    narrow_set(l, "ambient", c->ambient, &c->n_ambient, ceiling, n);
}

void policy_ask(struct arena *arena, const struct policy *policy, struct oci_config *config)
{
    struct oci_capabilities *c = arena_new(arena, struct oci_capabilities);

    c->bounding = capability_ceiling(arena, policy, config, config->process, &c->n_bounding);
    c->effective = capability_ceiling(arena, policy, config, config->process, &c->n_effective);
    c->permitted = capability_ceiling(arena, policy, config, config->process, &c->n_permitted);
    config->process->capabilities = c;
    if (policy->values[POLICY_FILESYSTEM_WORKSPACE].number <= POLICY_WORKSPACE_READ)
        config->root.readonly = true;
}

/* --- limits and priorities --------------------------------------------------------------------- */

struct rlimit_ceiling {
    int type;
    bool is_always; /* put in even if nothing was said */
    uint64_t max;
};

static uint64_t files_max(const struct lowering *l)
{
    uint64_t max = l->policy->values[POLICY_RESOURCES_FILES].number;

    return l->n_files_max > 0 && l->n_files_max < max ? l->n_files_max : max;
}

static void narrow_rlimit(
    const struct lowering *l, struct oci_process *process, const struct rlimit_ceiling *ceiling)
{
    bool is_there = false;

    if (ceiling->max == POLICY_UNLIMITED)
        return;
    for (size_t i = 0; i < process->n_rlimits; i++) {
        struct oci_rlimit *limit = &process->rlimits[i];
        if (limit->type != ceiling->type)
            continue;
        is_there = true;
        if (limit->hard > ceiling->max || limit->soft > ceiling->max)
            lowering_note(l, "process.rlimits: %s", oci_rlimit_name(ceiling->type));
        if (limit->hard > ceiling->max)
            limit->hard = ceiling->max;
        if (limit->soft > ceiling->max)
            limit->soft = ceiling->max;
    }
    if (!is_there && ceiling->is_always) /* the array has room for it */
        process->rlimits[process->n_rlimits++] = (struct oci_rlimit){
            .type = ceiling->type, .soft = ceiling->max, .hard = ceiling->max
        };
}

static void narrow_rlimits(const struct lowering *l, struct oci_process *process)
{
    const struct rlimit_ceiling ceilings[] = {
        { RLIMIT_CORE, true, 0 }, /* a dump would leave the sandbox by the host's core_pattern */
        { RLIMIT_NOFILE, true, files_max(l) },
        { RLIMIT_RTPRIO, true, 0 },
        { RLIMIT_NICE, false, 0 },
        { RLIMIT_MEMLOCK, false, MEMLOCK_MAX },
        { RLIMIT_MSGQUEUE, false, MSGQUEUE_MAX },
    };
    struct oci_rlimit *larger =
        arena_new_array(l->arena, process->n_rlimits + ARRAY_SIZE(ceilings), struct oci_rlimit);

    if (process->n_rlimits > 0)
        memcpy(larger, process->rlimits, process->n_rlimits * sizeof(*larger));
    process->rlimits = larger;
    for (size_t i = 0; i < ARRAY_SIZE(ceilings); i++)
        narrow_rlimit(l, process, &ceilings[i]);
}

static void narrow_priorities(const struct lowering *l, struct oci_process *process)
{
    struct oci_scheduler *scheduler = process->scheduler;

    if (scheduler &&
        (scheduler->policy == SCHED_FIFO_NUMBER || scheduler->policy == SCHED_RR_NUMBER ||
            scheduler->policy == SCHED_DEADLINE_NUMBER)) {
        process->scheduler = NULL;
        lowering_note(l, "process.scheduler: no realtime");
    } else if (scheduler && scheduler->nice < 0) {
        scheduler->nice = 0;
        lowering_note(l, "process.scheduler: nice 0");
    }
    if (process->io_priority && process->io_priority->class == IOPRIO_REALTIME) {
        process->io_priority = NULL;
        lowering_note(l, "process.ioPriority: no realtime");
    }
    if (process->has_oom_score_adj && process->oom_score_adj < 0) {
        process->oom_score_adj = 0;
        lowering_note(l, "process.oomScoreAdj: 0");
    }
}

int lower_process(const struct lowering *l, struct oci_process *process)
{
    narrow_capabilities(l, process);
    narrow_rlimits(l, process);
    narrow_priorities(l, process);
    if (!process->no_new_privileges &&
        l->policy->values[POLICY_PROCESS_NO_NEW_PRIVILEGES].number == 1) {
        process->no_new_privileges = true;
        lowering_note(l, "process.noNewPrivileges: true");
    }
    if (process->apparmor_profile && str_eq(process->apparmor_profile, "unconfined")) {
        process->apparmor_profile = NULL;
        lowering_note(l, "process.apparmorProfile: as the caller");
    }
    return 0;
}

/* --- the whole --------------------------------------------------------------------------------- */

/* What policy_open gives; anything else would leave doors open. */
static int policy_is_whole(const struct policy *policy, struct error *err)
{
    for (size_t key = 0; key < POLICY_KEYS; key++)
        assert(policy->values[key].origin.file || policy_key_table[key].kind == POLICY_LABEL);
    return policy_unsupported(policy, NULL, err);
}

int policy_lower(struct arena *arena, const struct policy *policy,
    const struct policy_subject *subject, struct oci_config *config, struct buf *narrowed,
    struct error *err)
{
    const struct lowering l = { .arena = arena,
        .policy = policy,
        .config = config,
        .n_files_max = subject->n_files_max,
        .narrowed = narrowed,
        .err = err };

    int rc = policy_is_whole(policy, err);
    if (rc == 0 && !config->process)
        rc = err_set(err, EINVAL, "process: missing, where a policy has to narrow it");
    if (rc == 0)
        rc = lower_process(&l, config->process);
    if (rc == 0)
        rc = lower_linux(&l, config);
    if (rc == 0)
        rc = lower_mounts(&l, config);
    return rc;
}

int policy_lower_process(struct arena *arena, const struct policy *policy,
    const struct policy_subject *subject, const struct oci_config *container,
    struct oci_process *process, struct buf *narrowed, struct error *err)
{
    const struct lowering l = { .arena = arena,
        .policy = policy,
        .config = container,
        .n_files_max = subject->n_files_max,
        .narrowed = narrowed,
        .err = err };

    int rc = policy_is_whole(policy, err);
    return rc < 0 ? rc : lower_process(&l, process);
}

void policy_env_pass(
    struct arena *arena, const struct policy *policy, char *const *caller_env, struct strv *env)
{
    const struct policy_value *value = &policy->values[POLICY_PROCESS_ENV];

    for (size_t i = 0; i < value->n_items; i++) {
        const char *name = value->items[i].text;
        const char *theirs = env_get(caller_env, name);
        if (theirs && !env_get(env->items, name))
            env_set(arena, env, name, theirs);
    }
}
