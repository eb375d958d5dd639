/* SPDX-License-Identifier: Apache-2.0 */
/* Reading config.json: what engines send, what is missing, what is wrong. */
#include <errno.h>
#include <sys/resource.h>

#include "spec_text.h"

/* The message of a document that must be refused. */
static void refuse_text(const char *text, const char *message)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct oci_config *config = NULL;
    struct error err = ERR_INIT;
    int rc = oci_config_parse(&arena, "config.json", text, strlen(text), &config, &err);
    ck_assert_msg(rc < 0, "taken: %s", text);
    ck_assert_int_eq(rc, -EINVAL);
    ck_assert_int_eq(err.code, EINVAL);
    ck_assert_ptr_null(config);
    ck_assert_str_eq(err.text, message);
}

static void refuse(const char *top, const char *process, const char *lx, const char *message)
{
    autofree char *text = spec_text(top, process, lx);
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct oci_config *config = NULL;
    struct error err = ERR_INIT;
    int rc = oci_config_parse(&arena, "config.json", text, strlen(text), &config, &err);
    ck_assert_msg(rc < 0, "taken: %s", text);
    /* "config.json:1:COLUMN: ", then the message. */
    ck_assert_msg(strncmp(err.text, "config.json:1:", 14) == 0, "%s", err.text);
    const char *rest = strchr(err.text, ' ');
    ck_assert_ptr_nonnull(rest);
    ck_assert_str_eq(rest + 1, message);
}

/* crun-2234, group a: null in lists and maps. */
START_TEST(null_mount_option_is_skipped)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    autofree char *text = spec_text(
        ",\"mounts\":[{\"destination\":\"/a\",\"options\":[\"nosuid\",null,\"nodev\"]}]", "", "");
    const struct oci_config *config = spec_parse(&arena, text);
    ck_assert_uint_eq(config->mounts[0].n_options, 2);
    ck_assert_str_eq(config->mounts[0].options[0], "nosuid");
    ck_assert_str_eq(config->mounts[0].options[1], "nodev");
    ck_assert_ptr_null(config->mounts[0].options[2]);
}
END_TEST

START_TEST(null_annotation_is_absent)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    autofree char *text = spec_text(",\"annotations\":{\"note\":null,\"a\":\"b\"}", "", "");
    const struct oci_config *config = spec_parse(&arena, text);
    ck_assert_uint_eq(config->n_annotations, 1);
    ck_assert_ptr_null(oci_annotation_get(config, "note"));
    ck_assert_str_eq(oci_annotation_get(config, "a"), "b");
}
END_TEST

START_TEST(null_item_elsewhere_is_refused_by_name)
{
    refuse("", ",\"env\":[\"A=1\",null]", "", "process.env[1]: null, but a value must be there");
    refuse("", ",\"rlimits\":[null]", "", "process.rlimits[0]: null, but a value must be there");
    refuse("", ",\"user\":{\"additionalGids\":[1,null]}", "",
        "process.user.additionalGids[1]: null, but a value must be there");
    refuse("", "", ",\"sysctl\":{\"net.ipv4.ip_forward\":null}",
        "linux.sysctl[\"net.ipv4.ip_forward\"]: null, but a value must be there");
    refuse("", "", ",\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"architectures\":[null]}",
        "linux.seccomp.architectures[0]: null, but a value must be there");
    refuse("", "", ",\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"flags\":[null]}",
        "linux.seccomp.flags[0]: null, but a value must be there");
    refuse("", "", ",\"resources\":{\"unified\":{\"memory.high\":null}}",
        "linux.resources.unified[\"memory.high\"]: null, but a value must be there");
    refuse("", "", ",\"resources\":{\"rdma\":{\"mlx\":null}}",
        "linux.resources.rdma[\"mlx\"]: null, but a value must be there");
}
END_TEST

START_TEST(null_member_is_absent)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    autofree char *text = spec_text(",\"mounts\":null,\"hooks\":null,\"hostname\":null",
        ",\"env\":null,\"capabilities\":null,\"oomScoreAdj\":null",
        ",\"seccomp\":null,\"sysctl\":null,\"resources\":{\"memory\":{\"swappiness\":null}}");
    const struct oci_config *config = spec_parse(&arena, text);
    ck_assert_uint_eq(config->n_mounts, 0);
    ck_assert_ptr_null(config->hostname);
    ck_assert_uint_eq(config->process->n_env, 0);
    ck_assert_ptr_null(config->process->capabilities);
    ck_assert(!config->process->has_oom_score_adj);
    ck_assert_ptr_null(config->linux_.seccomp);
    ck_assert(!config->linux_.resources.memory.has_swappiness);
}
END_TEST

/* crun-383, group f: what Docker sends for limits that nobody set. */
START_TEST(zero_limits_of_engines_are_absent)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    autofree char *text = spec_text("", ",\"consoleSize\":{\"height\":0,\"width\":0}",
        ",\"resources\":{\"cpu\":{\"shares\":0,\"quota\":0,\"period\":0,\"realtimePeriod\":0,"
        "\"realtimeRuntime\":0,\"cpus\":\"\",\"mems\":\"\"},\"memory\":{\"limit\":0,"
        "\"reservation\":0,"
        "\"swap\":0,\"kernel\":0,\"kernelTCP\":0,\"swappiness\":null},\"blockIO\":{\"weight\":0}}");
    const struct oci_resources *r = &spec_parse(&arena, text)->linux_.resources;
    ck_assert(!r->cpu.has_shares && !r->cpu.has_quota && !r->cpu.has_period);
    ck_assert(!r->cpu.has_realtime_period && !r->cpu.has_realtime_runtime);
    ck_assert(!r->cpu.cpus && !r->cpu.mems);
    ck_assert(!r->memory.has_limit && !r->memory.has_reservation && !r->memory.has_swap);
    ck_assert(!r->memory.has_kernel && !r->memory.has_kernel_tcp && !r->memory.has_swappiness);
    ck_assert(!r->block_io.has_weight && !r->pids.has_limit);
}
END_TEST

/* runc-4014, group f: 0 processes is a limit. */
START_TEST(zero_that_is_a_limit_stays)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    autofree char *text = spec_text("", "",
        ",\"resources\":{\"pids\":{\"limit\":0},\"memory\":{\"swappiness\":0},\"cpu\":{\"burst\":0,"
        "\"idle\":0},\"hugepageLimits\":[{\"pageSize\":\"2MB\",\"limit\":0}]}");
    const struct oci_resources *r = &spec_parse(&arena, text)->linux_.resources;
    ck_assert(r->pids.has_limit && r->pids.limit == 0);
    ck_assert(r->memory.has_swappiness && r->cpu.has_burst && r->cpu.has_idle);
    ck_assert_uint_eq(r->n_hugepage_limits, 1);
}
END_TEST

START_TEST(empty_objects_are_absent)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    autofree char *text = spec_text(",\"hooks\":{}",
        ",\"scheduler\":{},\"ioPriority\":{},\"execCPUAffinity\":{},\"user\":{}",
        ",\"intelRdt\":{},\"memoryPolicy\":{},\"personality\":{},\"timeOffsets\":{},"
        "\"resources\":{\"memory\":{},\"cpu\":{},\"pids\":{},\"network\":{}}");
    const struct oci_config *config = spec_parse(&arena, text);
    ck_assert_ptr_null(config->process->scheduler);
    ck_assert_ptr_null(config->process->io_priority);
    ck_assert_ptr_null(config->linux_.intel_rdt);
    ck_assert_ptr_null(config->linux_.memory_policy);
    ck_assert_ptr_null(config->linux_.personality);
    ck_assert(!config->linux_.time_offsets.monotonic.is_set);
    ck_assert(!config->linux_.resources.pids.has_limit);
}
END_TEST

/* Absent or empty must never mean less protection than was asked for. */
START_TEST(empty_filter_is_refused_and_empty_capabilities_are_none)
{
    refuse("", "", ",\"seccomp\":{}", "linux.seccomp.defaultAction: missing");
    refuse("", "", ",\"seccomp\":{\"defaultAction\":null}", "linux.seccomp.defaultAction: missing");

    AUTO(arena) struct arena arena = ARENA_INIT;
    autofree char *text = spec_text("", ",\"capabilities\":{}", "");
    const struct oci_config *config = spec_parse(&arena, text);
    ck_assert_ptr_nonnull(config->process->capabilities);
    ck_assert_uint_eq(config->process->capabilities->n_bounding, 0);
}
END_TEST

START_TEST(wrong_type_is_refused_with_field_and_place)
{
    refuse_text("{\"ociVersion\":\"1.0.2\",\n  \"root\": {\"path\": 5}}",
        "config.json:2:20: root.path: number instead of string");
    refuse_text("[]", "config.json:1:1: array instead of object");
    refuse("", ",\"env\":[\"A=1\",5]", "", "process.env[1]: number instead of string");
    refuse("", ",\"env\":{\"A\":\"1\"}", "", "process.env: object instead of array");
    refuse("", ",\"terminal\":\"yes\"", "", "process.terminal: string instead of boolean");
    refuse(
        ",\"mounts\":[{\"destination\":\"/a\"},[]]", "", "", "mounts[1]: array instead of object");
    refuse(",\"hooks\":{\"poststop\":[{\"path\":\"/a\",\"args\":[1]}]}", "", "",
        "hooks.poststop[0].args[0]: number instead of string");
    refuse(",\"annotations\":[]", "", "", "annotations: array instead of object");
    refuse(",\"annotations\":{\"a\":1}", "", "", "annotations[\"a\"]: number instead of string");
    refuse("", "", ",\"seccomp\":[]", "linux.seccomp: array instead of object");
}
END_TEST

START_TEST(number_out_of_range_is_refused)
{
    refuse("", ",\"user\":{\"uid\":-1}", "",
        "process.user.uid: not a whole number from 0 to 4294967295");
    refuse("", ",\"user\":{\"uid\":4294967296}", "",
        "process.user.uid: not a whole number from 0 to 4294967295");
    refuse("", ",\"user\":{\"additionalGids\":[1.5]}", "",
        "process.user.additionalGids[0]: not a whole number from 0 to 4294967295");
    refuse("", ",\"oomScoreAdj\":2147483648", "",
        "process.oomScoreAdj: not a whole number from -2147483648 to 2147483647");
    refuse("", "", ",\"resources\":{\"memory\":{\"limit\":\"1g\"}}",
        "linux.resources.memory.limit: not a whole number from -9223372036854775808 to "
        "9223372036854775807");
    refuse("", ",\"rlimits\":[{\"type\":\"RLIMIT_CPU\",\"soft\":-1,\"hard\":0}]", "",
        "process.rlimits[0].soft: not a whole number from 0 to 18446744073709551615");
}
END_TEST

START_TEST(unknown_word_is_refused_with_the_known_ones)
{
    refuse("", "", ",\"personality\":{\"domain\":\"BSD\"}",
        "linux.personality.domain: \"BSD\" is not one of LINUX LINUX32");
    refuse("", "", ",\"rootfsPropagation\":\"\\u001b[2J\"",
        "linux.rootfsPropagation: \"\\x1b[2J\" is not one of shared rshared slave rslave private "
        "rprivate unbindable runbindable");
    refuse_text("{\"linux\":{\"namespaces\":[{\"type\":\"net\"}]}}",
        "config.json:1:37: linux.namespaces[0].type: \"net\" is not one of user mount pid network "
        "ipc uts cgroup time");
}
END_TEST

START_TEST(missing_number_without_default_is_refused)
{
    refuse("", ",\"rlimits\":[{\"type\":\"RLIMIT_CPU\",\"soft\":1}]", "",
        "process.rlimits[0].hard: missing");
    refuse("", "", ",\"uidMappings\":[{\"containerID\":0,\"size\":1}]",
        "linux.uidMappings[0].hostID: missing");
    refuse("", "",
        ",\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"a\"]}]}",
        "linux.seccomp.syscalls[0].action: missing");
}
END_TEST

START_TEST(unknown_member_is_ignored_but_not_an_unknown_clock)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    autofree char *text =
        spec_text(",\"windows\":{\"a\":[1]},\"x\":null", ",\"commandLine\":5", "");
    ck_assert_str_eq(spec_parse(&arena, text)->root.path, "rootfs");
    refuse("", "", ",\"timeOffsets\":{\"real\\u001btime\":{\"secs\":1}}",
        "linux.timeOffsets[\"real\\x1btime\"]: unknown");
}
END_TEST

START_TEST(document_beyond_the_limit_is_refused)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct oci_config *config = NULL;
    struct error err = ERR_INIT;
    const size_t len = OCI_TEXT_SIZE_MAX + 1;
    autofree char *text = xmalloc(len);
    memset(text, ' ', len);
    memcpy(text, "{}", 2);
    ck_assert_int_eq(oci_config_parse(&arena, "config.json", text, len - 1, &config, &err), 0);
    ck_assert_int_lt(oci_config_parse(&arena, "config.json", text, len, &config, &err), 0);
}
END_TEST

START_TEST(defaults_are_those_of_the_spec)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    autofree char *text = spec_text("", "",
        ",\"resources\":{\"devices\":[{\"allow\":true},{\"type\":\"\",\"major\":-1,\"minor\":5}]}");
    const struct oci_config *config = spec_parse(&arena, text);
    const struct oci_device_rule *rules = config->linux_.resources.devices;
    ck_assert(rules[0].allow && rules[0].type == 'a' && !rules[0].has_major && !rules[0].access_);
    ck_assert(!rules[1].allow && rules[1].type == 'a' && !rules[1].has_major);
    ck_assert(rules[1].has_minor && rules[1].minor == 5);
    ck_assert(!config->root.readonly && !config->process->terminal);
    ck_assert_int_eq(config->linux_.rootfs_propagation, OCI_PROPAGATION_UNSET);
    ck_assert(!config->process->user.has_umask && config->process->user.uid == 0);
}
END_TEST

START_TEST(docker_configuration_is_read)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    size_t len = 0;
    autofree char *text = spec_file("docker.json", &len);
    const struct oci_config *config = spec_parse(&arena, text);
    ck_assert_uint_eq(config->n_mounts, 11);
    ck_assert_uint_eq(config->process->capabilities->n_bounding, 14);
    ck_assert_uint_eq(config->process->capabilities->n_ambient, 0);
    ck_assert_uint_eq(config->hooks[OCI_HOOK_PRESTART].n_items, 1);
    ck_assert_str_eq(config->hooks[OCI_HOOK_PRESTART].items[0].path, "/proc/812/exe");
    ck_assert_int_eq(config->linux_.resources.pids.limit, OCI_UNLIMITED);
    ck_assert(!config->linux_.resources.memory.has_limit);
    const struct oci_seccomp *seccomp = config->linux_.seccomp;
    ck_assert_int_eq(seccomp->default_action, OCI_SECCOMP_ERRNO);
    ck_assert(seccomp->has_default_errno_ret && seccomp->default_errno_ret == 1);
    ck_assert_uint_gt(seccomp->syscalls[0].n_names, 300);
    ck_assert(!seccomp->has_flags);
    ck_assert_ptr_nonnull(oci_namespace_find(config, OCI_NAMESPACE_CGROUP));
    ck_assert_ptr_null(oci_namespace_find(config, OCI_NAMESPACE_USER));
}
END_TEST

START_TEST(podman_configuration_is_read)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    size_t len = 0;
    autofree char *text = spec_file("podman.json", &len);
    const struct oci_config *config = spec_parse(&arena, text);
    ck_assert_uint_eq(config->process->user.umask, 18);
    ck_assert_int_eq(config->process->rlimits[0].type, RLIMIT_NOFILE);
    ck_assert_uint_eq(config->process->rlimits[1].soft, RLIM_INFINITY);
    ck_assert_uint_eq(config->linux_.n_uid_mappings, 2);
    ck_assert_uint_eq(config->mounts[8].uid_mappings[0].size, 65536);
    ck_assert_uint_eq(config->linux_.devices[0].file_mode, 0666); /* without S_IFCHR */
    ck_assert_int_eq(config->linux_.rootfs_propagation, OCI_PROPAGATION_RSLAVE);
    ck_assert_str_eq(oci_namespace_find(config, OCI_NAMESPACE_NETWORK)->path,
        "/run/user/1000/netns/netns-0a1b2c3d");
    ck_assert_str_eq(oci_annotation_get(config, "io.container.manager"), "libpod");
}
END_TEST

START_TEST(containerd_configuration_is_read)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    size_t len = 0;
    autofree char *text = spec_file("containerd.json", &len);
    const struct oci_config *config = spec_parse(&arena, text);
    ck_assert(config->root.readonly && config->process->no_new_privileges);
    ck_assert_int_eq(config->process->oom_score_adj, -998);
    ck_assert_ptr_null(config->linux_.intel_rdt);
    ck_assert_uint_eq(config->linux_.resources.n_unified, 0);
    ck_assert_uint_eq(config->linux_.resources.cpu.shares, 2);
}
END_TEST

START_TEST(every_field_is_read)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    size_t len = 0;
    autofree char *text = spec_file("full.json", &len);
    const struct oci_config *config = spec_parse(&arena, text);
    const struct oci_process *process = config->process;
    const struct oci_linux *lx = &config->linux_;
    ck_assert_uint_eq(process->console_size.width, 101);
    ck_assert_uint_eq(process->scheduler->policy, 6);
    ck_assert_int_eq(process->scheduler->nice, -5);
    ck_assert_uint_eq(process->scheduler->flags, 5);
    ck_assert_uint_eq(process->scheduler->period, 30000000);
    ck_assert_uint_eq(process->io_priority->class, 2);
    ck_assert_str_eq(process->exec_cpu_affinity.final, "1");
    for (enum oci_hook_point point = 0; point < OCI_HOOK_POINTS; point++) {
        ck_assert_uint_eq(config->hooks[point].n_items, 1);
        const struct oci_hook *hook = &config->hooks[point].items[0];
        ck_assert_str_eq(hook->path + 3, oci_hook_point_name(point));
        ck_assert(hook->has_timeout && hook->timeout == (int64_t)point + 1);
    }
    ck_assert_str_eq(oci_annotation_get(config, "empty"), "");
    ck_assert_str_eq(lx->sysctl[0].key, "net/ipv4/conf/v0.100/forwarding");
    ck_assert_int_eq(lx->resources.memory.swap, OCI_UNLIMITED);
    ck_assert_uint_eq(lx->resources.block_io.throttle_write_iops_device[0].minor, 3);
    ck_assert_str_eq(lx->resources.rdma[1].key, "mlx4_0");
    ck_assert(!lx->resources.rdma[1].has_hca_handles && lx->resources.rdma[1].has_hca_objects);
    ck_assert_uint_eq(lx->n_namespaces, OCI_NAMESPACE_TYPES);
    ck_assert_int_eq(lx->devices[0].type, 'c');
    ck_assert_int_eq(lx->devices[1].type, 'p');
    ck_assert_str_eq(lx->net_devices[0].key, "eth0");
    ck_assert_ptr_null(lx->net_devices[1].name);
    ck_assert_uint_eq(
        lx->seccomp->flags, OCI_SECCOMP_FLAG_LOG | OCI_SECCOMP_FLAG_WAIT_KILLABLE_RECV);
    ck_assert_uint_eq(lx->seccomp->syscalls[1].args[0].value, UINT64_MAX);
    ck_assert_int_eq(lx->seccomp->syscalls[1].args[0].op, OCI_SECCOMP_MASKED_EQ);
    ck_assert_str_eq(lx->intel_rdt->schemata[0], "L3:0=f");
    ck_assert_str_eq(lx->memory_policy->mode, "MPOL_BIND");
    ck_assert_uint_eq(lx->personality->domain, 8);
    ck_assert(lx->time_offsets.boottime.is_set);
    ck_assert_int_eq(lx->time_offsets.boottime.secs, -604800);
}
END_TEST

START_TEST(process_of_exec_is_read)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct oci_process *process = NULL;
    struct error err = ERR_INIT;
    const char *text =
        "{\"args\":[\"id\"],\"cwd\":\"/\",\"user\":{\"uid\":7,\"additionalGids\":[4000]}}";
    ck_assert_int_eq(oci_process_parse(&arena, "p.json", text, strlen(text), &process, &err), 0);
    ck_assert_uint_eq(process->user.uid, 7);
    ck_assert_uint_eq(process->user.additional_gids[0], 4000);
    ck_assert_ptr_null(process->args[1]);

    text = "{\"args\":[1]}";
    ck_assert_int_lt(oci_process_parse(&arena, "p.json", text, strlen(text), &process, &err), 0);
    ck_assert_str_eq(err.text, "p.json:1:10: args[0]: number instead of string");
}
END_TEST

START_TEST(resources_of_update_are_read)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct oci_resources *resources = NULL;
    struct error err = ERR_INIT;
    const char *text = "{\"memory\":{\"swap\":805306368},\"pids\":{\"limit\":-1}}";
    ck_assert_int_eq(
        oci_resources_parse(&arena, "r.json", text, strlen(text), &resources, &err), 0);
    ck_assert_int_eq(resources->memory.swap, 805306368);
    ck_assert(!resources->memory.has_limit && resources->pids.has_limit);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { null_mount_option_is_skipped, null_annotation_is_absent,
        null_item_elsewhere_is_refused_by_name, null_member_is_absent,
        zero_limits_of_engines_are_absent, zero_that_is_a_limit_stays, empty_objects_are_absent,
        empty_filter_is_refused_and_empty_capabilities_are_none,
        wrong_type_is_refused_with_field_and_place, number_out_of_range_is_refused,
        unknown_word_is_refused_with_the_known_ones, missing_number_without_default_is_refused,
        unknown_member_is_ignored_but_not_an_unknown_clock, document_beyond_the_limit_is_refused,
        defaults_are_those_of_the_spec, docker_configuration_is_read, podman_configuration_is_read,
        containerd_configuration_is_read, every_field_is_read, process_of_exec_is_read,
        resources_of_update_are_read };
    return unit_run("oci_config_parse", tests, ARRAY_SIZE(tests));
}
