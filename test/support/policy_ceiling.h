/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What no policy may ever give, judged from the lowered configuration alone, without policy_lower's own
 *          tables; and a configuration that asks for everything.
 * Runs in  tests and fuzzers of policy
 */
#pragma once
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#include "cleanup.h"
#include "oci_config.h"
#include "strv.h"

#define POLICY_CAPS_WIDE                                                                           \
    "[\"CAP_SYS_ADMIN\",\"CAP_CHOWN\",\"CAP_NET_RAW\",\"CAP_KILL\",\"CAP_SETUID\",\"CAP_SYS_"      \
    "PTRACE\"]"

/* Asks for all that narrowing can take away. The ids are a range of its own. */
static const char policy_wide_config[] =
    "{\"ociVersion\":\"1.2.0\",\"root\":{\"path\":\"rootfs\"},\"process\":{\"args\":[\"sh\"],"
    "\"cwd\":\"/\","
    "\"env\":[\"PATH=/bin\",\"LD_PRELOAD=/lib/"
    "x.so\"],\"capabilities\":{\"bounding\":" POLICY_CAPS_WIDE ",\"effective\":" POLICY_CAPS_WIDE
    ",\"permitted\":" POLICY_CAPS_WIDE ",\"inheritable\":" POLICY_CAPS_WIDE
    ",\"ambient\":" POLICY_CAPS_WIDE
    "},\"rlimits\":[{\"type\":\"RLIMIT_NOFILE\",\"hard\":1073741816,"
    "\"soft\":1073741816},{\"type\":\"RLIMIT_CORE\",\"hard\":18446744073709551615,\"soft\":0},{"
    "\"type\":"
    "\"RLIMIT_RTPRIO\",\"hard\":99,\"soft\":99},{\"type\":\"RLIMIT_MEMLOCK\",\"hard\":"
    "18446744073709551615,"
    "\"soft\":18446744073709551615}],\"oomScoreAdj\":-1000,\"scheduler\":{\"policy\":\"SCHED_"
    "FIFO\",\"priority\":50},"
    "\"ioPriority\":{\"class\":\"IOPRIO_CLASS_RT\",\"priority\":0},\"apparmorProfile\":"
    "\"unconfined\"},"
    "\"hooks\":{\"prestart\":[{\"path\":\"/bin/x\"}],\"poststop\":[{\"path\":\"/bin/"
    "x\"}]},\"mounts\":["
    "{\"destination\":\"/proc\",\"type\":\"proc\",\"source\":\"proc\"},"
    "{\"destination\":\"/"
    "dev\",\"type\":\"tmpfs\",\"source\":\"tmpfs\",\"options\":[\"suid\",\"size=0\"]},"
    "{\"destination\":\"/dev/"
    "pts\",\"type\":\"devpts\",\"source\":\"devpts\",\"options\":[\"newinstance\"]},"
    "{\"destination\":\"/sys\",\"type\":\"sysfs\",\"source\":\"sysfs\",\"options\":[\"rw\"]},"
    "{\"destination\":\"/sys/fs/"
    "cgroup\",\"type\":\"cgroup2\",\"source\":\"cgroup\",\"options\":[\"rw\"]},"
    "{\"destination\":\"/tmp/in\",\"type\":\"bind\",\"source\":\"/home/"
    "a\",\"options\":[\"rbind\",\"rw\",\"rrw\",\"suid\","
    "\"dev\",\"rdev\",\"rsuid\",\"rshared\"]},"
    "{\"destination\":\"/"
    "run\",\"type\":\"tmpfs\",\"source\":\"tmpfs\",\"options\":[\"size=50%\",\"nr_inodes=0\","
    "\"nr_blocks=0\"]}],"
    "\"linux\":{\"rootfsPropagation\":\"rshared\",\"sysctl\":{\"net.ipv4.ip_forward\":\"1\"},"
    "\"namespaces\":["
    "{\"type\":\"mount\"},{\"type\":\"user\"},{\"type\":\"network\",\"path\":\"/proc/1/ns/"
    "net\"}],\"uidMappings\":["
    "{\"containerID\":0,\"hostID\":100000,\"size\":65536}],\"gidMappings\":[{\"containerID\":0,"
    "\"hostID\":100000,"
    "\"size\":65536}],\"devices\":[{\"path\":\"/dev/"
    "sda\",\"type\":\"b\",\"major\":8,\"minor\":0}],\"resources\":{"
    "\"devices\":[{\"allow\":true,\"access\":\"rwm\"}],\"memory\":{\"limit\":-1,\"swap\":-1,"
    "\"disableOOMKiller\":true},"
    "\"cpu\":{\"quota\":-1,\"burst\":1000,\"realtimeRuntime\":900000},\"pids\":{\"limit\":-1}}}}";

static inline const char *policy_caps_breach(char *const *set, size_t n)
{
    static const char *const ceiling[] = { "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER",
        "CAP_FSETID", "CAP_KILL", "CAP_SETGID", "CAP_SETUID" };

    for (size_t i = 0; i < n; i++) {
        bool is_known = false;
        for (size_t k = 0; k < ARRAY_SIZE(ceiling); k++)
            is_known = is_known || strcmp(ceiling[k], set[i]) == 0;
        if (!is_known)
            return "a capability above the ceiling";
    }
    return NULL;
}

static inline const char *policy_process_breach(const struct oci_process *process)
{
    const struct oci_capabilities *c = process->capabilities;
    bool has_core = false;

    if (!c || policy_caps_breach(c->bounding, c->n_bounding) ||
        policy_caps_breach(c->effective, c->n_effective) ||
        policy_caps_breach(c->inheritable, c->n_inheritable) ||
        policy_caps_breach(c->permitted, c->n_permitted) ||
        policy_caps_breach(c->ambient, c->n_ambient))
        return "capabilities";
    if (process->user.uid != 0 &&
        c->n_bounding + c->n_effective + c->n_inheritable + c->n_permitted + c->n_ambient > 0)
        return "capabilities of a user that is not root";
    for (size_t i = 0; i < process->n_rlimits; i++) {
        const struct oci_rlimit *limit = &process->rlimits[i];
        has_core = has_core || limit->type == RLIMIT_CORE;
        if ((limit->type == RLIMIT_CORE || limit->type == RLIMIT_RTPRIO) &&
            limit->hard + limit->soft > 0)
            return "core or realtime limit";
    }
    if (!has_core || !process->no_new_privileges)
        return "core limit or no_new_privs";
    if (process->scheduler || process->io_priority || process->oom_score_adj < 0 ||
        process->apparmor_profile)
        return "priority or label";
    return NULL;
}

static inline bool policy_mount_has(const struct oci_mount *mount, const char *word)
{
    for (size_t i = 0; i < mount->n_options; i++) {
        if (strcmp(mount->options[i], word) == 0)
            return true;
    }
    return false;
}

static inline const char *policy_mount_breach(const struct oci_mount *mount)
{
    static const char *const never[] = { "suid", "rsuid", "rdev", "dev", "shared", "rshared",
        "slave", "rslave", "size=0", "nr_inodes=0", "size=50%" };

    for (size_t i = 0; i < ARRAY_SIZE(never); i++) {
        if (policy_mount_has(mount, never[i]))
            return never[i];
    }
    if (!policy_mount_has(mount, "nosuid"))
        return "without nosuid";
    bool is_view = str_eq(mount->type, "sysfs") || str_eq(mount->type, "cgroup2") ||
                   str_eq(mount->type, "cgroup");
    if (is_view && !policy_mount_has(mount, "ro"))
        return "the kernel's state can be written";
    return NULL;
}

/* What is wider than any policy may be, or NULL. */
static inline const char *policy_breach(const struct oci_config *config)
{
    static const enum oci_namespace_type own[] = { OCI_NAMESPACE_MOUNT, OCI_NAMESPACE_PID,
        OCI_NAMESPACE_NETWORK, OCI_NAMESPACE_IPC, OCI_NAMESPACE_UTS, OCI_NAMESPACE_CGROUP };
    const struct oci_linux *lx = &config->linux_;
    const char *what = policy_process_breach(config->process);

    for (size_t i = 0; i < ARRAY_SIZE(own) && !what; i++) {
        const struct oci_namespace *namespace = oci_namespace_find(config, own[i]);
        if (!namespace || namespace->path)
            what = oci_namespace_name(own[i]);
    }
    for (size_t i = 0; i < config->n_mounts && !what; i++)
        what = policy_mount_breach(&config->mounts[i]);
    for (size_t i = 0; i < OCI_HOOK_POINTS && !what; i++)
        what = config->hooks[i].n_items > 0 ? "a hook" : NULL;
    if (what)
        return what;
    if (!lx->seccomp || lx->seccomp->default_action == OCI_SECCOMP_ALLOW)
        return "no filter of system calls";
    if (lx->n_devices > 0 || lx->n_sysctl > 0 || lx->n_net_devices > 0)
        return "a device or sysctl";
    if (lx->resources.n_devices != 1 || lx->resources.devices[0].allow)
        return "a device rule";
    if (lx->resources.memory.disable_oom_killer || lx->resources.cpu.has_realtime_runtime)
        return "a resource";
    if (lx->n_masked_paths == 0 || lx->n_readonly_paths == 0 ||
        lx->rootfs_propagation == OCI_PROPAGATION_RSHARED)
        return "paths of /proc, or propagation";
    return NULL;
}
