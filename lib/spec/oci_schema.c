/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of config.json. Order of fields is the order of writing, which is runc's. */
#include "oci_schema.h"

#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#include "cleanup.h"
#include "oci_config.h"

#define MEMBER(type, member)                                                                       \
    .offset = offsetof(struct type, member), .size = sizeof(((struct type *)NULL)->member)

/* A field that is always there, with its zero. */
#define VALUE(type, kind_, json, member, ...)                                                      \
    {                                                                                              \
        .name = json, .kind = kind_, MEMBER(type, member), .aside = OCI_NO_ASIDE, __VA_ARGS__      \
    }
/* A number with has_x. */
#define OPTIONAL(type, kind_, json, member, ...)                                                   \
    {                                                                                              \
        .name = json, .kind = kind_, MEMBER(type, member),                                         \
        .aside = offsetof(struct type, has_##member), __VA_ARGS__                                  \
    }
/* A list with n_x. */
#define LIST(type, kind_, json, member, ...)                                                       \
    {                                                                                              \
        .name = json, .kind = kind_, MEMBER(type, member),                                         \
        .aside = offsetof(struct type, n_##member), __VA_ARGS__                                    \
    }

#define FIELDS(type, table)                                                                        \
    {                                                                                              \
        .fields = table, .n_fields = ARRAY_SIZE(table), .size = sizeof(type)                       \
    }

const struct oci_choice oci_namespace_choices[] = {
    { "user", OCI_NAMESPACE_USER },
    { "mount", OCI_NAMESPACE_MOUNT },
    { "pid", OCI_NAMESPACE_PID },
    { "network", OCI_NAMESPACE_NETWORK },
    { "ipc", OCI_NAMESPACE_IPC },
    { "uts", OCI_NAMESPACE_UTS },
    { "cgroup", OCI_NAMESPACE_CGROUP },
    { "time", OCI_NAMESPACE_TIME },
    { 0 },
};

const struct oci_choice oci_rlimit_choices[] = {
    { "RLIMIT_AS", RLIMIT_AS },
    { "RLIMIT_CORE", RLIMIT_CORE },
    { "RLIMIT_CPU", RLIMIT_CPU },
    { "RLIMIT_DATA", RLIMIT_DATA },
    { "RLIMIT_FSIZE", RLIMIT_FSIZE },
    { "RLIMIT_LOCKS", RLIMIT_LOCKS },
    { "RLIMIT_MEMLOCK", RLIMIT_MEMLOCK },
    { "RLIMIT_MSGQUEUE", RLIMIT_MSGQUEUE },
    { "RLIMIT_NICE", RLIMIT_NICE },
    { "RLIMIT_NOFILE", RLIMIT_NOFILE },
    { "RLIMIT_NPROC", RLIMIT_NPROC },
    { "RLIMIT_RSS", RLIMIT_RSS },
    { "RLIMIT_RTPRIO", RLIMIT_RTPRIO },
    { "RLIMIT_RTTIME", RLIMIT_RTTIME },
    { "RLIMIT_SIGPENDING", RLIMIT_SIGPENDING },
    { "RLIMIT_STACK", RLIMIT_STACK },
    { 0 },
};

const struct oci_choice oci_seccomp_action_choices[] = {
    { "SCMP_ACT_KILL_PROCESS", OCI_SECCOMP_KILL_PROCESS },
    { "SCMP_ACT_KILL_THREAD", OCI_SECCOMP_KILL_THREAD },
    { "SCMP_ACT_KILL", OCI_SECCOMP_KILL_THREAD },
    { "SCMP_ACT_TRAP", OCI_SECCOMP_TRAP },
    { "SCMP_ACT_ERRNO", OCI_SECCOMP_ERRNO },
    { "SCMP_ACT_NOTIFY", OCI_SECCOMP_NOTIFY },
    { "SCMP_ACT_TRACE", OCI_SECCOMP_TRACE },
    { "SCMP_ACT_LOG", OCI_SECCOMP_LOG },
    { "SCMP_ACT_ALLOW", OCI_SECCOMP_ALLOW },
    { 0 },
};

const struct oci_choice oci_seccomp_operator_choices[] = {
    { "SCMP_CMP_NE", OCI_SECCOMP_NE },
    { "SCMP_CMP_LT", OCI_SECCOMP_LT },
    { "SCMP_CMP_LE", OCI_SECCOMP_LE },
    { "SCMP_CMP_EQ", OCI_SECCOMP_EQ },
    { "SCMP_CMP_GE", OCI_SECCOMP_GE },
    { "SCMP_CMP_GT", OCI_SECCOMP_GT },
    { "SCMP_CMP_MASKED_EQ", OCI_SECCOMP_MASKED_EQ },
    { 0 },
};

const struct oci_choice oci_seccomp_flag_choices[] = {
    { "SECCOMP_FILTER_FLAG_TSYNC", OCI_SECCOMP_FLAG_TSYNC },
    { "SECCOMP_FILTER_FLAG_LOG", OCI_SECCOMP_FLAG_LOG },
    { "SECCOMP_FILTER_FLAG_SPEC_ALLOW", OCI_SECCOMP_FLAG_SPEC_ALLOW },
    { "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV", OCI_SECCOMP_FLAG_WAIT_KILLABLE_RECV },
    { 0 },
};

/* The kernel's numbers. SCHED_ISO of the spec is in no kernel. */
static const struct oci_choice scheduler_policy_choices[] = {
    { "SCHED_OTHER", 0 },
    { "SCHED_FIFO", 1 },
    { "SCHED_RR", 2 },
    { "SCHED_BATCH", 3 },
    { "SCHED_IDLE", 5 },
    { "SCHED_DEADLINE", 6 },
    { 0 },
};

static const struct oci_choice scheduler_flag_choices[] = {
    { "SCHED_FLAG_RESET_ON_FORK", 0x01 },
    { "SCHED_FLAG_RECLAIM", 0x02 },
    { "SCHED_FLAG_DL_OVERRUN", 0x04 },
    { "SCHED_FLAG_KEEP_POLICY", 0x08 },
    { "SCHED_FLAG_KEEP_PARAMS", 0x10 },
    { "SCHED_FLAG_UTIL_CLAMP_MIN", 0x20 },
    { "SCHED_FLAG_UTIL_CLAMP_MAX", 0x40 },
    { 0 },
};

static const struct oci_choice io_priority_choices[] = {
    { "IOPRIO_CLASS_RT", 1 },
    { "IOPRIO_CLASS_BE", 2 },
    { "IOPRIO_CLASS_IDLE", 3 },
    { 0 },
};

static const struct oci_choice device_choices[] = {
    { "c", 'c' },
    { "u", 'c' },
    { "b", 'b' },
    { "p", 'p' },
    { 0 },
};

static const struct oci_choice device_rule_choices[] = {
    { "a", 'a' },
    { "b", 'b' },
    { "c", 'c' },
    { "u", 'c' },
    { 0 },
};

static const struct oci_choice propagation_choices[] = {
    { "shared", OCI_PROPAGATION_SHARED },
    { "rshared", OCI_PROPAGATION_RSHARED },
    { "slave", OCI_PROPAGATION_SLAVE },
    { "rslave", OCI_PROPAGATION_RSLAVE },
    { "private", OCI_PROPAGATION_PRIVATE },
    { "rprivate", OCI_PROPAGATION_RPRIVATE },
    { "unbindable", OCI_PROPAGATION_UNBINDABLE },
    { "runbindable", OCI_PROPAGATION_RUNBINDABLE },
    { 0 },
};

static const struct oci_choice personality_choices[] = {
    { "LINUX", 0 },
    { "LINUX32", 8 },
    { 0 },
};

/* --- process --- */

static const struct oci_field console_size_fields[] = {
    VALUE(oci_console_size, OCI_UNSIGNED, "height", height, .options = OCI_OMIT_DEFAULT),
    VALUE(oci_console_size, OCI_UNSIGNED, "width", width, .options = OCI_OMIT_DEFAULT),
};
static const struct oci_object console_size_object =
    FIELDS(struct oci_console_size, console_size_fields);

static const struct oci_field user_fields[] = {
    VALUE(oci_user, OCI_UNSIGNED, "uid", uid),
    VALUE(oci_user, OCI_UNSIGNED, "gid", gid),
    OPTIONAL(oci_user, OCI_UNSIGNED, "umask", umask),
    LIST(oci_user, OCI_NUMBERS, "additionalGids", additional_gids),
};
static const struct oci_object user_object = FIELDS(struct oci_user, user_fields);

static const struct oci_field capabilities_fields[] = {
    LIST(oci_capabilities, OCI_STRINGS, "bounding", bounding),
    LIST(oci_capabilities, OCI_STRINGS, "effective", effective),
    LIST(oci_capabilities, OCI_STRINGS, "inheritable", inheritable),
    LIST(oci_capabilities, OCI_STRINGS, "permitted", permitted),
    LIST(oci_capabilities, OCI_STRINGS, "ambient", ambient),
};
static const struct oci_object capabilities_object =
    FIELDS(struct oci_capabilities, capabilities_fields);

static const struct oci_field rlimit_fields[] = {
    VALUE(oci_rlimit, OCI_CHOICE, "type", type, .options = OCI_REQUIRED,
        .choices = oci_rlimit_choices),
    VALUE(oci_rlimit, OCI_UNSIGNED, "hard", hard, .options = OCI_REQUIRED),
    VALUE(oci_rlimit, OCI_UNSIGNED, "soft", soft, .options = OCI_REQUIRED),
};
static const struct oci_object rlimit_object = FIELDS(struct oci_rlimit, rlimit_fields);

static const struct oci_field scheduler_fields[] = {
    VALUE(oci_scheduler, OCI_CHOICE, "policy", policy, .options = OCI_REQUIRED,
        .choices = scheduler_policy_choices),
    VALUE(oci_scheduler, OCI_SIGNED, "nice", nice, .options = OCI_OMIT_DEFAULT),
    VALUE(oci_scheduler, OCI_SIGNED, "priority", priority, .options = OCI_OMIT_DEFAULT),
    VALUE(oci_scheduler, OCI_FLAGS, "flags", flags, .choices = scheduler_flag_choices),
    VALUE(oci_scheduler, OCI_UNSIGNED, "runtime", runtime, .options = OCI_OMIT_DEFAULT),
    VALUE(oci_scheduler, OCI_UNSIGNED, "deadline", deadline, .options = OCI_OMIT_DEFAULT),
    VALUE(oci_scheduler, OCI_UNSIGNED, "period", period, .options = OCI_OMIT_DEFAULT),
};
static const struct oci_object scheduler_object = FIELDS(struct oci_scheduler, scheduler_fields);

static const struct oci_field io_priority_fields[] = {
    VALUE(oci_io_priority, OCI_CHOICE, "class", class, .options = OCI_REQUIRED,
        .choices = io_priority_choices),
    VALUE(oci_io_priority, OCI_UNSIGNED, "priority", priority),
};
static const struct oci_object io_priority_object =
    FIELDS(struct oci_io_priority, io_priority_fields);

static const struct oci_field exec_cpu_affinity_fields[] = {
    VALUE(oci_exec_cpu_affinity, OCI_STRING, "initial", initial),
    VALUE(oci_exec_cpu_affinity, OCI_STRING, "final", final),
};
static const struct oci_object exec_cpu_affinity_object =
    FIELDS(struct oci_exec_cpu_affinity, exec_cpu_affinity_fields);

static const struct oci_field process_fields[] = {
    VALUE(oci_process, OCI_BOOL, "terminal", terminal),
    VALUE(oci_process, OCI_OBJECT, "consoleSize", console_size, .object = &console_size_object),
    VALUE(oci_process, OCI_OBJECT, "user", user, .object = &user_object),
    LIST(oci_process, OCI_STRINGS, "args", args),
    LIST(oci_process, OCI_STRINGS, "env", env),
    VALUE(oci_process, OCI_STRING, "cwd", cwd),
    VALUE(oci_process, OCI_POINTER, "capabilities", capabilities, .object = &capabilities_object),
    LIST(oci_process, OCI_OBJECTS, "rlimits", rlimits, .object = &rlimit_object),
    VALUE(oci_process, OCI_BOOL, "noNewPrivileges", no_new_privileges),
    VALUE(oci_process, OCI_STRING, "apparmorProfile", apparmor_profile),
    OPTIONAL(oci_process, OCI_SIGNED, "oomScoreAdj", oom_score_adj),
    VALUE(oci_process, OCI_POINTER, "scheduler", scheduler, .options = OCI_EMPTY_IS_ABSENT,
        .object = &scheduler_object),
    VALUE(oci_process, OCI_STRING, "selinuxLabel", selinux_label),
    VALUE(oci_process, OCI_POINTER, "ioPriority", io_priority, .options = OCI_EMPTY_IS_ABSENT,
        .object = &io_priority_object),
    VALUE(oci_process, OCI_OBJECT, "execCPUAffinity", exec_cpu_affinity,
        .object = &exec_cpu_affinity_object),
};
const struct oci_object oci_process_object = FIELDS(struct oci_process, process_fields);

/* --- root, mounts, hooks --- */

static const struct oci_field root_fields[] = {
    VALUE(oci_root, OCI_STRING, "path", path),
    VALUE(oci_root, OCI_BOOL, "readonly", readonly),
};
static const struct oci_object root_object = FIELDS(struct oci_root, root_fields);

static const struct oci_field id_mapping_fields[] = {
    VALUE(oci_id_mapping, OCI_UNSIGNED, "containerID", container_id, .options = OCI_REQUIRED),
    VALUE(oci_id_mapping, OCI_UNSIGNED, "hostID", host_id, .options = OCI_REQUIRED),
    VALUE(oci_id_mapping, OCI_UNSIGNED, "size", size, .options = OCI_REQUIRED),
};
static const struct oci_object id_mapping_object = FIELDS(struct oci_id_mapping, id_mapping_fields);

static const struct oci_field mount_fields[] = {
    VALUE(oci_mount, OCI_STRING, "destination", destination),
    VALUE(oci_mount, OCI_STRING, "type", type),
    VALUE(oci_mount, OCI_STRING, "source", source),
    LIST(oci_mount, OCI_STRINGS, "options", options, .options = OCI_NULL_IS_SKIPPED),
    LIST(oci_mount, OCI_OBJECTS, "uidMappings", uid_mappings, .object = &id_mapping_object),
    LIST(oci_mount, OCI_OBJECTS, "gidMappings", gid_mappings, .object = &id_mapping_object),
};
static const struct oci_object mount_object = FIELDS(struct oci_mount, mount_fields);

static const struct oci_field hook_fields[] = {
    VALUE(oci_hook, OCI_STRING, "path", path),
    LIST(oci_hook, OCI_STRINGS, "args", args),
    LIST(oci_hook, OCI_STRINGS, "env", env),
    OPTIONAL(oci_hook, OCI_SIGNED, "timeout", timeout),
};
static const struct oci_object hook_object = FIELDS(struct oci_hook, hook_fields);

struct hook_points { /* oci_config.hooks seen as a struct */
    struct oci_hook_list points[OCI_HOOK_POINTS];
};
#define HOOK_POINT(json, point)                                                                    \
    [point] = { .name = json,                                                                      \
        .kind = OCI_OBJECTS,                                                                       \
        .offset = offsetof(struct hook_points, points[point].items),                               \
        .aside = offsetof(struct hook_points, points[point].n_items),                              \
        .object = &hook_object }

static const struct oci_field hooks_fields[] = {
    HOOK_POINT("prestart", OCI_HOOK_PRESTART),
    HOOK_POINT("createRuntime", OCI_HOOK_CREATE_RUNTIME),
    HOOK_POINT("createContainer", OCI_HOOK_CREATE_CONTAINER),
    HOOK_POINT("startContainer", OCI_HOOK_START_CONTAINER),
    HOOK_POINT("poststart", OCI_HOOK_POSTSTART),
    HOOK_POINT("poststop", OCI_HOOK_POSTSTOP),
};
static const struct oci_object hooks_object = FIELDS(struct hook_points, hooks_fields);

/* --- linux.resources --- */

static const struct oci_field device_rule_fields[] = {
    VALUE(oci_device_rule, OCI_BOOL, "allow", allow, .options = OCI_WRITE_FALSE),
    VALUE(oci_device_rule, OCI_CHOICE, "type", type, .options = OCI_OMIT_DEFAULT, .fallback = 'a',
        .choices = device_rule_choices),
    OPTIONAL(oci_device_rule, OCI_UNSIGNED, "major", major, .options = OCI_MINUS_IS_ABSENT),
    OPTIONAL(oci_device_rule, OCI_UNSIGNED, "minor", minor, .options = OCI_MINUS_IS_ABSENT),
    VALUE(oci_device_rule, OCI_STRING, "access", access_),
};
static const struct oci_object device_rule_object =
    FIELDS(struct oci_device_rule, device_rule_fields);

static const struct oci_field memory_fields[] = {
    OPTIONAL(oci_memory, OCI_SIGNED, "limit", limit, .options = OCI_ZERO_IS_ABSENT),
    OPTIONAL(oci_memory, OCI_SIGNED, "reservation", reservation, .options = OCI_ZERO_IS_ABSENT),
    OPTIONAL(oci_memory, OCI_SIGNED, "swap", swap, .options = OCI_ZERO_IS_ABSENT),
    OPTIONAL(oci_memory, OCI_SIGNED, "kernel", kernel, .options = OCI_ZERO_IS_ABSENT),
    OPTIONAL(oci_memory, OCI_SIGNED, "kernelTCP", kernel_tcp, .options = OCI_ZERO_IS_ABSENT),
    OPTIONAL(oci_memory, OCI_UNSIGNED, "swappiness", swappiness),
    VALUE(oci_memory, OCI_BOOL, "disableOOMKiller", disable_oom_killer),
    VALUE(oci_memory, OCI_BOOL, "useHierarchy", use_hierarchy),
    VALUE(oci_memory, OCI_BOOL, "checkBeforeUpdate", check_before_update),
};
static const struct oci_object memory_object = FIELDS(struct oci_memory, memory_fields);

static const struct oci_field cpu_fields[] = {
    OPTIONAL(oci_cpu, OCI_UNSIGNED, "shares", shares, .options = OCI_ZERO_IS_ABSENT),
    OPTIONAL(oci_cpu, OCI_SIGNED, "quota", quota, .options = OCI_ZERO_IS_ABSENT),
    OPTIONAL(oci_cpu, OCI_UNSIGNED, "burst", burst),
    OPTIONAL(oci_cpu, OCI_UNSIGNED, "period", period, .options = OCI_ZERO_IS_ABSENT),
    OPTIONAL(
        oci_cpu, OCI_SIGNED, "realtimeRuntime", realtime_runtime, .options = OCI_ZERO_IS_ABSENT),
    OPTIONAL(
        oci_cpu, OCI_UNSIGNED, "realtimePeriod", realtime_period, .options = OCI_ZERO_IS_ABSENT),
    VALUE(oci_cpu, OCI_STRING, "cpus", cpus),
    VALUE(oci_cpu, OCI_STRING, "mems", mems),
    OPTIONAL(oci_cpu, OCI_SIGNED, "idle", idle),
};
static const struct oci_object cpu_object = FIELDS(struct oci_cpu, cpu_fields);

static const struct oci_field pids_fields[] = {
    OPTIONAL(oci_pids, OCI_SIGNED, "limit", limit),
};
static const struct oci_object pids_object = FIELDS(struct oci_pids, pids_fields);

static const struct oci_field weight_device_fields[] = {
    VALUE(oci_weight_device, OCI_UNSIGNED, "major", major, .options = OCI_REQUIRED),
    VALUE(oci_weight_device, OCI_UNSIGNED, "minor", minor, .options = OCI_REQUIRED),
    OPTIONAL(oci_weight_device, OCI_UNSIGNED, "weight", weight, .options = OCI_ZERO_IS_ABSENT),
    OPTIONAL(
        oci_weight_device, OCI_UNSIGNED, "leafWeight", leaf_weight, .options = OCI_ZERO_IS_ABSENT),
};
static const struct oci_object weight_device_object =
    FIELDS(struct oci_weight_device, weight_device_fields);

static const struct oci_field throttle_device_fields[] = {
    VALUE(oci_throttle_device, OCI_UNSIGNED, "major", major, .options = OCI_REQUIRED),
    VALUE(oci_throttle_device, OCI_UNSIGNED, "minor", minor, .options = OCI_REQUIRED),
    VALUE(oci_throttle_device, OCI_UNSIGNED, "rate", rate, .options = OCI_REQUIRED),
};
static const struct oci_object throttle_device_object =
    FIELDS(struct oci_throttle_device, throttle_device_fields);

#define THROTTLE(json, member)                                                                     \
    LIST(oci_block_io, OCI_OBJECTS, json, member, .object = &throttle_device_object)
static const struct oci_field block_io_fields[] = {
    OPTIONAL(oci_block_io, OCI_UNSIGNED, "weight", weight, .options = OCI_ZERO_IS_ABSENT),
    OPTIONAL(oci_block_io, OCI_UNSIGNED, "leafWeight", leaf_weight, .options = OCI_ZERO_IS_ABSENT),
    LIST(oci_block_io, OCI_OBJECTS, "weightDevice", weight_device, .object = &weight_device_object),
    THROTTLE("throttleReadBpsDevice", throttle_read_bps_device),
    THROTTLE("throttleWriteBpsDevice", throttle_write_bps_device),
    THROTTLE("throttleReadIOPSDevice", throttle_read_iops_device),
    THROTTLE("throttleWriteIOPSDevice", throttle_write_iops_device),
};
static const struct oci_object block_io_object = FIELDS(struct oci_block_io, block_io_fields);

static const struct oci_field hugepage_limit_fields[] = {
    VALUE(oci_hugepage_limit, OCI_STRING, "pageSize", page_size),
    VALUE(oci_hugepage_limit, OCI_UNSIGNED, "limit", limit, .options = OCI_REQUIRED),
};
static const struct oci_object hugepage_limit_object =
    FIELDS(struct oci_hugepage_limit, hugepage_limit_fields);

static const struct oci_field interface_priority_fields[] = {
    VALUE(oci_interface_priority, OCI_STRING, "name", name),
    VALUE(oci_interface_priority, OCI_UNSIGNED, "priority", priority),
};
static const struct oci_object interface_priority_object =
    FIELDS(struct oci_interface_priority, interface_priority_fields);

static const struct oci_field network_fields[] = {
    OPTIONAL(oci_network, OCI_UNSIGNED, "classID", class_id, .options = OCI_ZERO_IS_ABSENT),
    LIST(oci_network, OCI_OBJECTS, "priorities", priorities, .object = &interface_priority_object),
};
static const struct oci_object network_object = FIELDS(struct oci_network, network_fields);

static const struct oci_field rdma_fields[] = {
    OPTIONAL(oci_rdma, OCI_UNSIGNED, "hcaHandles", hca_handles),
    OPTIONAL(oci_rdma, OCI_UNSIGNED, "hcaObjects", hca_objects),
};
static const struct oci_object rdma_object = FIELDS(struct oci_rdma, rdma_fields);

static const struct oci_field resources_fields[] = {
    LIST(oci_resources, OCI_OBJECTS, "devices", devices, .object = &device_rule_object),
    VALUE(oci_resources, OCI_OBJECT, "memory", memory, .object = &memory_object),
    VALUE(oci_resources, OCI_OBJECT, "cpu", cpu, .object = &cpu_object),
    VALUE(oci_resources, OCI_OBJECT, "pids", pids, .object = &pids_object),
    VALUE(oci_resources, OCI_OBJECT, "blockIO", block_io, .object = &block_io_object),
    LIST(oci_resources, OCI_OBJECTS, "hugepageLimits", hugepage_limits,
        .object = &hugepage_limit_object),
    VALUE(oci_resources, OCI_OBJECT, "network", network, .object = &network_object),
    LIST(oci_resources, OCI_OBJECT_MAP, "rdma", rdma, .object = &rdma_object),
    LIST(oci_resources, OCI_STRING_MAP, "unified", unified),
};
const struct oci_object oci_resources_object = FIELDS(struct oci_resources, resources_fields);

/* --- linux --- */

static const struct oci_field namespace_fields[] = {
    VALUE(oci_namespace, OCI_CHOICE, "type", type, .options = OCI_REQUIRED,
        .choices = oci_namespace_choices),
    VALUE(oci_namespace, OCI_STRING, "path", path),
};
static const struct oci_object namespace_object = FIELDS(struct oci_namespace, namespace_fields);

static const struct oci_field time_offset_fields[] = {
    VALUE(oci_time_offset, OCI_SIGNED, "secs", secs),
    VALUE(oci_time_offset, OCI_UNSIGNED, "nanosecs", nanosecs),
};
static const struct oci_object time_offset_object =
    FIELDS(struct oci_time_offset, time_offset_fields);

#define CLOCK(member)                                                                              \
    {                                                                                              \
        .name = #member, .kind = OCI_OBJECT, MEMBER(oci_time_offsets, member),                     \
        .aside = offsetof(struct oci_time_offsets, member.is_set), .object = &time_offset_object   \
    }
static const struct oci_field time_offsets_fields[] = { CLOCK(monotonic), CLOCK(boottime) };
static const struct oci_object time_offsets_object = {
    .fields = time_offsets_fields,
    .n_fields = ARRAY_SIZE(time_offsets_fields),
    .size = sizeof(struct oci_time_offsets),
    .is_closed = true,
};

static const struct oci_field device_fields[] = {
    VALUE(oci_device, OCI_STRING, "path", path),
    VALUE(oci_device, OCI_CHOICE, "type", type, .options = OCI_REQUIRED, .choices = device_choices),
    VALUE(oci_device, OCI_UNSIGNED, "major", major),
    VALUE(oci_device, OCI_UNSIGNED, "minor", minor),
    OPTIONAL(oci_device, OCI_UNSIGNED, "fileMode", file_mode, .options = OCI_MODE_BITS),
    OPTIONAL(oci_device, OCI_UNSIGNED, "uid", uid),
    OPTIONAL(oci_device, OCI_UNSIGNED, "gid", gid),
};
static const struct oci_object device_object = FIELDS(struct oci_device, device_fields);

static const struct oci_field net_device_fields[] = {
    VALUE(oci_net_device, OCI_STRING, "name", name),
};
static const struct oci_object net_device_object = FIELDS(struct oci_net_device, net_device_fields);

static const struct oci_field intel_rdt_fields[] = {
    VALUE(oci_intel_rdt, OCI_STRING, "closID", clos_id),
    LIST(oci_intel_rdt, OCI_STRINGS, "schemata", schemata),
    VALUE(oci_intel_rdt, OCI_STRING, "l3CacheSchema", l3_cache_schema),
    VALUE(oci_intel_rdt, OCI_STRING, "memBwSchema", mem_bw_schema),
    VALUE(oci_intel_rdt, OCI_BOOL, "enableCMT", enable_cmt),
    VALUE(oci_intel_rdt, OCI_BOOL, "enableMBM", enable_mbm),
    VALUE(oci_intel_rdt, OCI_BOOL, "enableMonitoring", enable_monitoring),
};
static const struct oci_object intel_rdt_object = FIELDS(struct oci_intel_rdt, intel_rdt_fields);

static const struct oci_field memory_policy_fields[] = {
    VALUE(oci_memory_policy, OCI_STRING, "mode", mode),
    VALUE(oci_memory_policy, OCI_STRING, "nodes", nodes),
    LIST(oci_memory_policy, OCI_STRINGS, "flags", flags),
};
static const struct oci_object memory_policy_object =
    FIELDS(struct oci_memory_policy, memory_policy_fields);

static const struct oci_field seccomp_arg_fields[] = {
    VALUE(oci_seccomp_arg, OCI_UNSIGNED, "index", index, .options = OCI_REQUIRED),
    VALUE(oci_seccomp_arg, OCI_UNSIGNED, "value", value, .options = OCI_REQUIRED),
    VALUE(oci_seccomp_arg, OCI_UNSIGNED, "valueTwo", value_two, .options = OCI_OMIT_DEFAULT),
    VALUE(oci_seccomp_arg, OCI_CHOICE, "op", op, .options = OCI_REQUIRED,
        .choices = oci_seccomp_operator_choices),
};
static const struct oci_object seccomp_arg_object =
    FIELDS(struct oci_seccomp_arg, seccomp_arg_fields);

static const struct oci_field seccomp_syscall_fields[] = {
    LIST(oci_seccomp_syscall, OCI_STRINGS, "names", names),
    VALUE(oci_seccomp_syscall, OCI_CHOICE, "action", action, .options = OCI_REQUIRED,
        .choices = oci_seccomp_action_choices),
    OPTIONAL(oci_seccomp_syscall, OCI_UNSIGNED, "errnoRet", errno_ret),
    LIST(oci_seccomp_syscall, OCI_OBJECTS, "args", args, .object = &seccomp_arg_object),
};
static const struct oci_object seccomp_syscall_object =
    FIELDS(struct oci_seccomp_syscall, seccomp_syscall_fields);

static const struct oci_field seccomp_fields[] = {
    VALUE(oci_seccomp, OCI_CHOICE, "defaultAction", default_action, .options = OCI_REQUIRED,
        .choices = oci_seccomp_action_choices),
    OPTIONAL(oci_seccomp, OCI_UNSIGNED, "defaultErrnoRet", default_errno_ret),
    LIST(oci_seccomp, OCI_STRINGS, "architectures", architectures),
    OPTIONAL(oci_seccomp, OCI_FLAGS, "flags", flags, .choices = oci_seccomp_flag_choices),
    VALUE(oci_seccomp, OCI_STRING, "listenerPath", listener_path),
    VALUE(oci_seccomp, OCI_STRING, "listenerMetadata", listener_metadata),
    LIST(oci_seccomp, OCI_OBJECTS, "syscalls", syscalls, .object = &seccomp_syscall_object),
};
static const struct oci_object seccomp_object = FIELDS(struct oci_seccomp, seccomp_fields);

static const struct oci_field personality_fields[] = {
    VALUE(oci_personality, OCI_CHOICE, "domain", domain, .options = OCI_REQUIRED,
        .choices = personality_choices),
    LIST(oci_personality, OCI_STRINGS, "flags", flags),
};
static const struct oci_object personality_object =
    FIELDS(struct oci_personality, personality_fields);

static const struct oci_field linux_fields[] = {
    LIST(oci_linux, OCI_OBJECTS, "uidMappings", uid_mappings, .object = &id_mapping_object),
    LIST(oci_linux, OCI_OBJECTS, "gidMappings", gid_mappings, .object = &id_mapping_object),
    LIST(oci_linux, OCI_STRING_MAP, "sysctl", sysctl),
    VALUE(oci_linux, OCI_OBJECT, "resources", resources, .object = &oci_resources_object),
    VALUE(oci_linux, OCI_STRING, "cgroupsPath", cgroups_path),
    LIST(oci_linux, OCI_OBJECTS, "namespaces", namespaces, .object = &namespace_object),
    LIST(oci_linux, OCI_OBJECTS, "devices", devices, .object = &device_object),
    LIST(oci_linux, OCI_OBJECT_MAP, "netDevices", net_devices, .object = &net_device_object),
    /* Not EMPTY_IS_ABSENT: a filter without its default action is refused, never taken for no
       filter. */
    VALUE(oci_linux, OCI_POINTER, "seccomp", seccomp, .object = &seccomp_object),
    VALUE(oci_linux, OCI_CHOICE, "rootfsPropagation", rootfs_propagation,
        .options = OCI_OMIT_DEFAULT, .choices = propagation_choices),
    LIST(oci_linux, OCI_STRINGS, "maskedPaths", masked_paths),
    LIST(oci_linux, OCI_STRINGS, "readonlyPaths", readonly_paths),
    VALUE(oci_linux, OCI_STRING, "mountLabel", mount_label),
    VALUE(oci_linux, OCI_POINTER, "intelRdt", intel_rdt, .options = OCI_EMPTY_IS_ABSENT,
        .object = &intel_rdt_object),
    VALUE(oci_linux, OCI_POINTER, "memoryPolicy", memory_policy, .options = OCI_EMPTY_IS_ABSENT,
        .object = &memory_policy_object),
    VALUE(oci_linux, OCI_POINTER, "personality", personality, .options = OCI_EMPTY_IS_ABSENT,
        .object = &personality_object),
    VALUE(oci_linux, OCI_OBJECT, "timeOffsets", time_offsets, .object = &time_offsets_object),
};
static const struct oci_object linux_object = FIELDS(struct oci_linux, linux_fields);

static const struct oci_field config_fields[] = {
    VALUE(oci_config, OCI_STRING, "ociVersion", oci_version),
    VALUE(oci_config, OCI_POINTER, "process", process, .options = OCI_EMPTY_IS_ABSENT,
        .object = &oci_process_object),
    VALUE(oci_config, OCI_OBJECT, "root", root, .object = &root_object),
    VALUE(oci_config, OCI_STRING, "hostname", hostname),
    VALUE(oci_config, OCI_STRING, "domainname", domainname),
    LIST(oci_config, OCI_OBJECTS, "mounts", mounts, .object = &mount_object),
    VALUE(oci_config, OCI_OBJECT, "hooks", hooks, .object = &hooks_object),
    LIST(oci_config, OCI_STRING_MAP, "annotations", annotations, .options = OCI_NULL_IS_SKIPPED),
    VALUE(oci_config, OCI_OBJECT, "linux", linux_, .object = &linux_object),
};
const struct oci_object oci_config_object = FIELDS(struct oci_config, config_fields);

const char *oci_choice_text(const struct oci_choice *choices, unsigned value)
{
    for (; choices->text; choices++) {
        if (choices->value == value)
            return choices->text;
    }
    return NULL;
}

const struct oci_choice *oci_choice_find(const struct oci_choice *choices, const char *text)
{
    for (; choices->text; choices++) {
        if (strcmp(choices->text, text) == 0)
            return choices;
    }
    return NULL;
}
