/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The OCI runtime configuration (config.json) of a Linux container as structs. Names are
 *          the spec's own, put into lower_snake word by word: uidMappings is uid_mappings, blockIO
 *          is block_io. A "_" behind a name (linux_, access_) keeps it from a macro of the compiler
 *          or a banned call.
 * Runs in  any (pure)
 * Owns     Everything lives in the arena of the document. Lists are plain arrays of n_<list> items
 *          that may be replaced or shortened in place (policy does); lists of strings end with a
 *          NULL that n_ does not count, so that they can be handed to exec as they are; a list
 *          without items may be NULL.
 * Source   OCI runtime-spec 1.3 config.md, config-linux.md; 1.0 to 1.2 are subsets
 *
 * What absent looks like, one rule for each type:
 *   number   bool has_x beside x; x is 0 without has_x. A number without has_x is required or has
 *            0 for its default.
 *   string   NULL; the empty string counts as absent
 *   bool     false, the default of each in the spec
 *   object   embedded where absent and empty mean the same, all members absent; else a pointer,
 *            NULL when absent
 *   choice   an enum whose 0 is "unset" unless the field is required
 *
 * Zeros that engines send for "no limit set" are read as absent: memory limit, reservation, swap,
 * kernel, kernelTCP; cpu shares, quota, period, realtimeRuntime, realtimePeriod; blockIO weight,
 * leafWeight; network classID; consoleSize 0x0. Zeros that mean something stay: pids.limit,
 * cpu.burst, cpu.idle, swappiness, hugepage limits, throttle rates.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* memory.limit, .reservation, .swap, cpu.quota, pids.limit: -1 lifts the limit. */
#define OCI_UNLIMITED (-1)

enum oci_namespace_type {
    OCI_NAMESPACE_USER,
    OCI_NAMESPACE_MOUNT,
    OCI_NAMESPACE_PID,
    OCI_NAMESPACE_NETWORK,
    OCI_NAMESPACE_IPC,
    OCI_NAMESPACE_UTS,
    OCI_NAMESPACE_CGROUP,
    OCI_NAMESPACE_TIME,
    OCI_NAMESPACE_TYPES
};

/* In the order in which they run. */
enum oci_hook_point {
    OCI_HOOK_PRESTART,
    OCI_HOOK_CREATE_RUNTIME,
    OCI_HOOK_CREATE_CONTAINER,
    OCI_HOOK_START_CONTAINER,
    OCI_HOOK_POSTSTART,
    OCI_HOOK_POSTSTOP,
    OCI_HOOK_POINTS
};

enum oci_propagation {
    OCI_PROPAGATION_UNSET,
    OCI_PROPAGATION_SHARED,
    OCI_PROPAGATION_RSHARED,
    OCI_PROPAGATION_SLAVE,
    OCI_PROPAGATION_RSLAVE,
    OCI_PROPAGATION_PRIVATE,
    OCI_PROPAGATION_RPRIVATE,
    OCI_PROPAGATION_UNBINDABLE,
    OCI_PROPAGATION_RUNBINDABLE
};

/* SCMP_ACT_*. 0 so that a forgotten action is the strictest. */
enum oci_seccomp_action {
    OCI_SECCOMP_KILL_PROCESS,
    OCI_SECCOMP_KILL_THREAD, /* SCMP_ACT_KILL too */
    OCI_SECCOMP_TRAP,
    OCI_SECCOMP_ERRNO,
    OCI_SECCOMP_NOTIFY,
    OCI_SECCOMP_TRACE,
    OCI_SECCOMP_LOG,
    OCI_SECCOMP_ALLOW
};

/* SCMP_CMP_* */
enum oci_seccomp_operator {
    OCI_SECCOMP_NE,
    OCI_SECCOMP_LT,
    OCI_SECCOMP_LE,
    OCI_SECCOMP_EQ,
    OCI_SECCOMP_GE,
    OCI_SECCOMP_GT,
    OCI_SECCOMP_MASKED_EQ
};

/* Bits of oci_seccomp.flags: SECCOMP_FILTER_FLAG_*, with the kernel's values. */
#define OCI_SECCOMP_FLAG_TSYNC              (1U << 0)
#define OCI_SECCOMP_FLAG_LOG                (1U << 1)
#define OCI_SECCOMP_FLAG_SPEC_ALLOW         (1U << 2)
#define OCI_SECCOMP_FLAG_WAIT_KILLABLE_RECV (1U << 5)

/* A member of a map of strings, in the order of the text. */
struct oci_pair {
    const char *key;
    const char *value;
};

struct oci_id_mapping {
    uint32_t container_id;
    uint32_t host_id;
    uint32_t size;
};

struct oci_root {
    const char *path;
    bool readonly;
};

struct oci_mount {
    const char *destination;
    const char *type;
    const char *source;
    char **options;
    size_t n_options;
    struct oci_id_mapping *uid_mappings;
    size_t n_uid_mappings;
    struct oci_id_mapping *gid_mappings;
    size_t n_gid_mappings;
};

struct oci_console_size { /* 0x0: absent */
    uint32_t height;
    uint32_t width;
};

struct oci_user {
    uint32_t uid;
    uint32_t gid;
    bool has_umask;
    uint32_t umask;
    uint32_t *additional_gids;
    size_t n_additional_gids;
};

/* Names as written ("CAP_KILL"). As a pointer in oci_process: exec tells "{}" (none) from absent
 * (the container's). */
struct oci_capabilities {
    char **bounding;
    size_t n_bounding;
    char **effective;
    size_t n_effective;
    char **inheritable;
    size_t n_inheritable;
    char **permitted;
    size_t n_permitted;
    char **ambient;
    size_t n_ambient;
};

struct oci_rlimit {
    int type; /* RLIMIT_NOFILE … of sys/resource.h */
    uint64_t soft;
    uint64_t hard;
};

struct oci_scheduler {
    unsigned policy; /* the kernel's: SCHED_OTHER 0, FIFO 1, RR 2, BATCH 3, IDLE 5, DEADLINE 6 */
    int32_t nice;
    int32_t priority;
    uint64_t flags;   /* SCHED_FLAG_* as the kernel numbers them */
    uint64_t runtime; /* ns, as deadline and period */
    uint64_t deadline;
    uint64_t period;
};

struct oci_io_priority {
    unsigned class;    /* the kernel's number: RT 1, BE 2, IDLE 3 */
    uint32_t priority; /* 0 to 7 */
};

struct oci_exec_cpu_affinity {
    const char *initial;
    const char *final;
};

struct oci_process {
    bool terminal;
    struct oci_console_size console_size;
    struct oci_user user;
    char **args;
    size_t n_args;
    char **env;
    size_t n_env;
    const char *cwd;
    struct oci_capabilities *capabilities;
    struct oci_rlimit *rlimits;
    size_t n_rlimits;
    const char *apparmor_profile;
    const char *selinux_label;
    bool no_new_privileges;
    bool has_oom_score_adj;
    int32_t oom_score_adj;
    struct oci_scheduler *scheduler;
    struct oci_io_priority *io_priority;
    struct oci_exec_cpu_affinity exec_cpu_affinity;
};

struct oci_hook {
    const char *path;
    char **args; /* args[0] included, as written */
    size_t n_args;
    char **env; /* the whole environment of the hook */
    size_t n_env;
    bool has_timeout;
    int64_t timeout; /* seconds */
};

struct oci_hook_list {
    struct oci_hook *items;
    size_t n_items;
};

struct oci_namespace {
    enum oci_namespace_type type;
    const char *path; /* NULL: a new one */
};

struct oci_time_offset {
    bool is_set;
    int64_t secs;
    uint32_t nanosecs;
};

struct oci_time_offsets {
    struct oci_time_offset monotonic;
    struct oci_time_offset boottime;
};

struct oci_device {
    const char *path;
    char type; /* 'c' ("u" too), 'b' or 'p' */
    uint32_t major;
    uint32_t minor;
    bool has_file_mode;
    uint32_t file_mode; /* permission bits only, at most 07777 */
    bool has_uid;
    uint32_t uid;
    bool has_gid;
    uint32_t gid;
};

struct oci_net_device {
    const char *key;  /* its name on the host */
    const char *name; /* the one inside; NULL: the same */
};

struct oci_device_rule {
    bool allow;
    char type;      /* 'a' (also when absent), 'b' or 'c' */
    bool has_major; /* false: every major; so for -1 */
    uint32_t major;
    bool has_minor;
    uint32_t minor;
    const char *access_; /* some of "rwm"; NULL: all of them */
};

struct oci_memory {
    bool has_limit;
    int64_t limit; /* bytes, as the next ones */
    bool has_reservation;
    int64_t reservation;
    bool has_swap;
    int64_t swap; /* memory and swap together */
    bool has_kernel;
    int64_t kernel;
    bool has_kernel_tcp;
    int64_t kernel_tcp;
    bool has_swappiness;
    uint64_t swappiness;
    bool disable_oom_killer;
    bool use_hierarchy;
    bool check_before_update;
};

struct oci_cpu {
    bool has_shares;
    uint64_t shares;
    bool has_quota;
    int64_t quota; /* µs, as the next ones */
    bool has_burst;
    uint64_t burst;
    bool has_period;
    uint64_t period;
    bool has_realtime_runtime;
    int64_t realtime_runtime;
    bool has_realtime_period;
    uint64_t realtime_period;
    const char *cpus;
    const char *mems;
    bool has_idle;
    int64_t idle;
};

struct oci_pids {
    bool has_limit;
    int64_t limit; /* 0: no further process at all */
};

struct oci_weight_device {
    uint32_t major;
    uint32_t minor;
    bool has_weight;
    uint32_t weight;
    bool has_leaf_weight;
    uint32_t leaf_weight;
};

struct oci_throttle_device {
    uint32_t major;
    uint32_t minor;
    uint64_t rate; /* a second; 0: no limit */
};

struct oci_block_io {
    bool has_weight;
    uint32_t weight;
    bool has_leaf_weight;
    uint32_t leaf_weight;
    struct oci_weight_device *weight_device;
    size_t n_weight_device;
    struct oci_throttle_device *throttle_read_bps_device;
    size_t n_throttle_read_bps_device;
    struct oci_throttle_device *throttle_write_bps_device;
    size_t n_throttle_write_bps_device;
    struct oci_throttle_device *throttle_read_iops_device;
    size_t n_throttle_read_iops_device;
    struct oci_throttle_device *throttle_write_iops_device;
    size_t n_throttle_write_iops_device;
};

struct oci_hugepage_limit {
    const char *page_size; /* "2MB" */
    uint64_t limit;        /* bytes */
};

struct oci_interface_priority {
    const char *name;
    uint32_t priority;
};

struct oci_network {
    bool has_class_id;
    uint32_t class_id;
    struct oci_interface_priority *priorities;
    size_t n_priorities;
};

struct oci_rdma {
    const char *key; /* the device */
    bool has_hca_handles;
    uint32_t hca_handles;
    bool has_hca_objects;
    uint32_t hca_objects;
};

/* Also the document of `update --resources`. */
struct oci_resources {
    struct oci_device_rule *devices;
    size_t n_devices;
    struct oci_memory memory;
    struct oci_cpu cpu;
    struct oci_pids pids;
    struct oci_block_io block_io;
    struct oci_hugepage_limit *hugepage_limits;
    size_t n_hugepage_limits;
    struct oci_network network;
    struct oci_rdma *rdma;
    size_t n_rdma;
    struct oci_pair *unified;
    size_t n_unified;
};

struct oci_intel_rdt {
    const char *clos_id;
    char **schemata;
    size_t n_schemata;
    const char *l3_cache_schema;
    const char *mem_bw_schema;
    bool enable_cmt;
    bool enable_mbm;
    bool enable_monitoring;
};

struct oci_memory_policy {
    const char *mode;
    const char *nodes;
    char **flags;
    size_t n_flags;
};

struct oci_seccomp_arg {
    uint32_t index;
    uint64_t value;
    uint64_t value_two;
    enum oci_seccomp_operator op;
};

struct oci_seccomp_syscall {
    char **names;
    size_t n_names;
    enum oci_seccomp_action action;
    bool has_errno_ret;
    uint32_t errno_ret;
    struct oci_seccomp_arg *args;
    size_t n_args;
};

struct oci_seccomp {
    enum oci_seccomp_action default_action;
    bool has_default_errno_ret;
    uint32_t default_errno_ret;
    char **architectures; /* "SCMP_ARCH_X86_64" */
    size_t n_architectures;
    bool has_flags; /* the list was there, be it empty */
    unsigned flags; /* OCI_SECCOMP_FLAG_* */
    const char *listener_path;
    const char *listener_metadata;
    struct oci_seccomp_syscall *syscalls;
    size_t n_syscalls;
};

struct oci_personality {
    unsigned domain; /* the kernel's number: LINUX 0, LINUX32 8 */
    char **flags;    /* the spec defines none */
    size_t n_flags;
};

struct oci_linux {
    struct oci_namespace *namespaces;
    size_t n_namespaces;
    struct oci_id_mapping *uid_mappings;
    size_t n_uid_mappings;
    struct oci_id_mapping *gid_mappings;
    size_t n_gid_mappings;
    struct oci_time_offsets time_offsets;
    struct oci_device *devices;
    size_t n_devices;
    struct oci_net_device *net_devices;
    size_t n_net_devices;
    const char *cgroups_path;
    struct oci_resources resources;
    struct oci_intel_rdt *intel_rdt;
    struct oci_memory_policy *memory_policy;
    struct oci_pair *sysctl;
    size_t n_sysctl;
    struct oci_seccomp *seccomp;
    enum oci_propagation rootfs_propagation;
    char **masked_paths;
    size_t n_masked_paths;
    char **readonly_paths;
    size_t n_readonly_paths;
    const char *mount_label;
    struct oci_personality *personality;
};

struct oci_config {
    const char *oci_version;
    struct oci_root root;
    struct oci_mount *mounts;
    size_t n_mounts;
    struct oci_process *process; /* NULL when absent, which create refuses */
    const char *hostname;
    const char *domainname;
    struct oci_hook_list hooks[OCI_HOOK_POINTS];
    struct oci_pair *annotations;
    size_t n_annotations;
    struct oci_linux linux_;
};

const char *oci_namespace_name(enum oci_namespace_type type); /* "network" */
const char *oci_hook_point_name(enum oci_hook_point point);   /* "createRuntime" */
const char *oci_rlimit_name(int type); /* "RLIMIT_NOFILE"; NULL when unknown */
const char *oci_seccomp_action_name(enum oci_seccomp_action action); /* "SCMP_ACT_ERRNO" */
/* The entry of that type, or NULL: the container stays in the caller's. */
const struct oci_namespace *oci_namespace_find(
    const struct oci_config *config, enum oci_namespace_type type);
/* The value of an annotation, or NULL. */
const char *oci_annotation_get(const struct oci_config *config, const char *key);
