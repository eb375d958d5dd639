/* SPDX-License-Identifier: Apache-2.0 */
/* Narrowing linux.*, hooks and the root: namespaces, devices, resources, system calls, paths. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "oci_config_write.h"
#include "policy_doc.h"
#include "policy_lower_internal.h"
#include "seccomp_agent.h"
#include "strv.h"

#define CPU_PERIOD_USEC  100000 /* also what the kernel takes without one */
#define USEC_OF_MILLICPU (CPU_PERIOD_USEC / 1000)

/* --- namespaces -------------------------------------------------------------------------------- */

static void own_namespace(
    const struct lowering *l, struct oci_linux *lx, enum oci_namespace_type type)
{
    bool is_there = false;

    for (size_t i = 0; i < lx->n_namespaces; i++) {
        if (lx->namespaces[i].type != type)
            continue;
        is_there = true;
        if (lx->namespaces[i].path)
            lowering_note(
                l, "linux.namespaces: a new one for %s, none is joined", oci_namespace_name(type));
        lx->namespaces[i].path = NULL;
    }
    if (is_there)
        return;
    lx->namespaces[lx->n_namespaces++] = (struct oci_namespace){ .type = type };
    lowering_note(l, "linux.namespaces: a new one for %s", oci_namespace_name(type));
}

/* user and time stay as they are: the first is the caller's id range, the second gives nothing. */
static void narrow_namespaces(const struct lowering *l, struct oci_linux *lx)
{
    static const enum oci_namespace_type own[] = { OCI_NAMESPACE_MOUNT, OCI_NAMESPACE_PID,
        OCI_NAMESPACE_NETWORK, OCI_NAMESPACE_IPC, OCI_NAMESPACE_UTS, OCI_NAMESPACE_CGROUP };
    struct oci_namespace *larger =
        arena_new_array(l->arena, lx->n_namespaces + ARRAY_SIZE(own), struct oci_namespace);

    if (lx->n_namespaces > 0)
        memcpy(larger, lx->namespaces, lx->n_namespaces * sizeof(*larger));
    lx->namespaces = larger;
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        own_namespace(l, lx, own[i]);
    if (lx->n_net_devices > 0)
        lowering_note(l, "linux.netDevices: none");
    lx->n_net_devices = 0;
}

/* --- devices ----------------------------------------------------------------------------------- */

static bool rules_deny_all(const struct oci_resources *resources)
{
    const struct oci_device_rule *rule = resources->devices;

    return resources->n_devices == 1 && !rule->allow && rule->type == 'a' && !rule->has_major &&
           !rule->has_minor &&
           (!rule->access_ || (strchr(rule->access_, 'r') && strchr(rule->access_, 'w') &&
                                  strchr(rule->access_, 'm')));
}

/* Those that every container has (null, zero, …) are not in the lists. */
static void narrow_devices(const struct lowering *l, struct oci_linux *lx)
{
    struct oci_resources *resources = &lx->resources;

    if (lx->n_devices > 0)
        lowering_note(l, "linux.devices: none");
    lx->n_devices = 0;
    if (rules_deny_all(resources))
        return;
    for (size_t i = 0; i < resources->n_devices; i++) {
        if (resources->devices[i].allow)
            lowering_note(l, "linux.resources.devices[%zu]: not allowed", i);
    }
    resources->devices = arena_new(l->arena, struct oci_device_rule);
    resources->devices[0] = (struct oci_device_rule){ .type = 'a', .access_ = "rwm" };
    resources->n_devices = 1;
}

/* --- resources --------------------------------------------------------------------------------- */

/* -1, 0 and absent lift the limit of memory. */
static void narrow_memory(const struct lowering *l, struct oci_memory *memory)
{
    uint64_t max = l->policy->values[POLICY_RESOURCES_MEMORY].number;

    if (memory->disable_oom_killer)
        lowering_note(l, "linux.resources.memory.disableOOMKiller: false");
    memory->disable_oom_killer = false;
    if (max == POLICY_UNLIMITED)
        return;
    if (!memory->has_limit || memory->limit <= 0 || (uint64_t)memory->limit > max) {
        if (memory->has_limit)
            lowering_note(l, "linux.resources.memory.limit: %" PRIu64, max);
        memory->has_limit = true;
        memory->limit = (int64_t)max;
    }
    if (memory->has_swap && (memory->swap <= 0 || memory->swap > memory->limit))
        lowering_note(l, "linux.resources.memory.swap: no swap");
    memory->has_swap = true; /* which counts memory too */
    memory->swap = memory->limit;
    if (memory->has_reservation &&
        (memory->reservation < 0 || memory->reservation > memory->limit)) {
        memory->reservation = memory->limit;
        lowering_note(l, "linux.resources.memory.reservation: %" PRId64, memory->limit);
    }
}

/* quota / period is at most millicpus / 1000 */
static bool quota_within(const struct oci_cpu *cpu, uint64_t millicpus)
{
    uint64_t period = cpu->has_period && cpu->period > 0 ? cpu->period : CPU_PERIOD_USEC;

    return cpu->has_quota && cpu->quota > 0 &&
           (unsigned __int128)(uint64_t)cpu->quota * 1000U <= (unsigned __int128)period * millicpus;
}

static void narrow_cpu(const struct lowering *l, struct oci_cpu *cpu)
{
    uint64_t max = l->policy->values[POLICY_RESOURCES_CPUS].number;

    if (cpu->has_realtime_runtime || cpu->has_realtime_period)
        lowering_note(l, "linux.resources.cpu: no realtime");
    cpu->has_realtime_runtime = false;
    cpu->realtime_runtime = 0;
    cpu->has_realtime_period = false;
    cpu->realtime_period = 0;
    if (max == POLICY_UNLIMITED)
        return;
    if (cpu->has_burst && cpu->burst > 0)
        lowering_note(l, "linux.resources.cpu.burst: none");
    cpu->has_burst = false;
    cpu->burst = 0;
    if (quota_within(cpu, max))
        return;
    if (cpu->has_quota)
        lowering_note(l, "linux.resources.cpu.quota: %" PRIu64, max * USEC_OF_MILLICPU);
    cpu->has_quota = true;
    cpu->quota = (int64_t)(max * USEC_OF_MILLICPU);
    cpu->has_period = true;
    cpu->period = CPU_PERIOD_USEC;
}

static void narrow_pids(const struct lowering *l, struct oci_pids *pids)
{
    uint64_t max = l->policy->values[POLICY_RESOURCES_PIDS].number;

    if (max == POLICY_UNLIMITED ||
        (pids->has_limit && pids->limit >= 0 && (uint64_t)pids->limit <= max))
        return;
    if (pids->has_limit)
        lowering_note(l, "linux.resources.pids.limit: %" PRIu64, max);
    pids->has_limit = true;
    pids->limit = (int64_t)max;
}

static int narrow_resources(const struct lowering *l, struct oci_resources *resources)
{
    if (resources->n_unified > 0)
        return err_set(
            l->err, ENOTSUP, "linux.resources.unified: a policy cannot tell what it widens");
    narrow_memory(l, &resources->memory);
    narrow_cpu(l, &resources->cpu);
    narrow_pids(l, &resources->pids);
    return 0;
}

/* --- system calls, paths, the rest ------------------------------------------------------------- */

static void profile_text(const struct oci_seccomp *seccomp, struct buf *out)
{
    struct oci_seccomp copy = *seccomp;
    const struct oci_config config = { .linux_.seccomp = &copy };

    oci_config_write(&config, 0, out);
}

static int narrow_seccomp(const struct lowering *l, struct oci_linux *lx)
{
    AUTO(buf) struct buf theirs = BUF_INIT;
    AUTO(buf) struct buf ours = BUF_INIT;
    struct oci_seccomp *agent = seccomp_agent(l->arena);

    if (!lx->seccomp) {
        lx->seccomp = agent;
        return 0;
    }
    profile_text(agent, &ours);
    profile_text(lx->seccomp, &theirs);
    if (!buf_ok(&ours) || !buf_ok(&theirs) || strcmp(buf_str(&ours), buf_str(&theirs)) != 0)
        return err_set(l->err, ENOTSUP,
            "linux.seccomp: a profile beside that of a policy is not enforced yet by this version");
    return 0;
}

/* Adds those that are missing. */
static void paths_add(
    struct arena *arena, const char *const *wanted, size_t n_wanted, char ***list, size_t *n_list)
{
    struct strv all = STRV_INIT;

    for (size_t i = 0; i < *n_list; i++)
        strv_add(arena, &all, (*list)[i]);
    for (size_t i = 0; i < n_wanted; i++) {
        if (!strv_has(&all, wanted[i]))
            strv_add(arena, &all, wanted[i]);
    }
    *list = all.items;
    *n_list = all.n;
}

static void narrow_paths(const struct lowering *l, struct oci_linux *lx)
{
    /* what tells of the host or of others, or has been a way out */
    static const char *const masked[] = { "/proc/acpi", "/proc/asound", "/proc/interrupts",
        "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/sched_debug", "/proc/scsi",
        "/proc/timer_list", "/proc/timer_stats", "/sys/devices/virtual/powercap",
        "/sys/devices/virtual/tpm", "/sys/firmware" };
    static const char *const readonly[] = { "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys",
        "/proc/sysrq-trigger" };

    paths_add(l->arena, masked, ARRAY_SIZE(masked), &lx->masked_paths, &lx->n_masked_paths);
    paths_add(l->arena, readonly, ARRAY_SIZE(readonly), &lx->readonly_paths, &lx->n_readonly_paths);
}

static void narrow_hooks(const struct lowering *l, struct oci_config *config)
{
    for (size_t i = 0; i < OCI_HOOK_POINTS; i++) {
        if (config->hooks[i].n_items > 0)
            lowering_note(l, "hooks.%s: none", oci_hook_point_name((enum oci_hook_point)i));
        config->hooks[i] = (struct oci_hook_list){ 0 };
    }
}

static void narrow_propagation(const struct lowering *l, struct oci_linux *lx)
{
    if (lx->rootfs_propagation < OCI_PROPAGATION_SHARED ||
        lx->rootfs_propagation > OCI_PROPAGATION_RSLAVE)
        return;
    lx->rootfs_propagation = OCI_PROPAGATION_RPRIVATE;
    lowering_note(l, "linux.rootfsPropagation: rprivate");
}

static void narrow_rest(const struct lowering *l, struct oci_config *config)
{
    struct oci_linux *lx = &config->linux_;

    if (lx->n_sysctl > 0)
        lowering_note(l, "linux.sysctl: none");
    lx->n_sysctl = 0;
    if (lx->intel_rdt)
        lowering_note(l, "linux.intelRdt: none");
    lx->intel_rdt = NULL;
    if (!config->root.readonly &&
        l->policy->values[POLICY_FILESYSTEM_WORKSPACE].number <= POLICY_WORKSPACE_READ) {
        config->root.readonly = true;
        lowering_note(l, "root.readonly: true");
    }
}

int lower_linux(const struct lowering *l, struct oci_config *config)
{
    struct oci_linux *lx = &config->linux_;

    narrow_namespaces(l, lx);
    narrow_devices(l, lx);
    narrow_hooks(l, config);
    narrow_paths(l, lx);
    narrow_propagation(l, lx);
    narrow_rest(l, config);
    int rc = narrow_resources(l, &lx->resources);
    return rc < 0 ? rc : narrow_seccomp(l, lx);
}
