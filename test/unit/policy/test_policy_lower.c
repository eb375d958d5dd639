/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering: golden text for each shipped policy, properties on random ones, what is refused. */
#include "policy_lower.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "alloc.h"
#include "golden.h"
#include "oci_config_check.h"
#include "oci_config_default.h"
#include "policy_ceiling.h"
#include "policy_merge.h"
#include "policy_unit.h"
#include "strv.h"

#define ROUNDS 400

static struct arena arena = ARENA_INIT;
static const struct policy_subject subject = { 0 };
static const char mounts_only[] = "{\"ociVersion\":\"1.2.0\",\"root\":{\"path\":\"r\"},\"process\":"
                                  "{\"args\":[\"x\"],\"cwd\":\"/\"},"
                                  "\"mounts\":[%s],\"linux\":{}}";

/* --- golden ------------------------------------------------------------------------------------ */

/* What was taken away, then what came out; the filter of system calls has tests of its own. */
static void check_golden(const char *policy_name, const char *name, struct oci_config *config)
{
    AUTO(buf) struct buf out = BUF_INIT;
    struct error err = ERR_INIT;
    struct policy *policy = policy_shipped_open(&arena, policy_name);

    buf_printf(&out, "// %s under %s; taken away:\n", name, policy_name);
    ck_assert_msg(policy_lower(&arena, policy, &subject, config, &out, &err) == 0, "%s", err.text);
    ck_assert_msg(oci_config_check(config, &err) == 0, "%s", err.text);
    ck_assert_msg(oci_config_unsupported(config, &err) == 0, "%s", err.text);
    ck_assert_ptr_nonnull(config->linux_.seccomp);
    config->linux_.seccomp = NULL;
    buf_puts(&out, config_text(&arena, config));
    buf_putc(&out, '\n');
    golden_compare(&arena, arena_printf(&arena, GOLDEN_DIR "policy/%s.%s.json", name, policy_name), &out);
}

static struct oci_config *launched(const struct policy *policy, uint32_t uid)
{
    struct oci_config *config = config_of(&arena, policy_wide_config);

    config->process->user.uid = uid;
    policy_ask(&arena, policy, config);
    return config;
}

START_TEST(lower_when_shipped_then_golden_text)
{
    for (const struct policy_text *text = policy_shipped; text->name; text++) {
        const struct policy *policy = policy_shipped_open(&arena, text->name);
        check_golden(text->name, "default", oci_config_default(&arena));
        check_golden(text->name, "wide", config_of(&arena, policy_wide_config));
        check_golden(text->name, "launch-root", launched(policy, 0));
        check_golden(text->name, "launch-user", launched(policy, 1000));
    }
}
END_TEST

/* --- properties -------------------------------------------------------------------------------- */

/* One that policy_open would let pass. */
static struct policy *random_enforced(uint64_t *state)
{
    static const enum policy_key asks[] = { POLICY_FILESYSTEM_READ, POLICY_FILESYSTEM_WRITE,
        POLICY_FILESYSTEM_HIDE, POLICY_FILESYSTEM_PROTECT, POLICY_NETWORK_MODE,
        POLICY_NETWORK_ALLOW, POLICY_NETWORK_DENY, POLICY_PROCESS_NO_NEW_PRIVILEGES,
        POLICY_RESOURCES_DISK, POLICY_RESOURCES_WALL_CLOCK, POLICY_IDENTITY_AGENT,
        POLICY_IDENTITY_ON_BEHALF_OF, POLICY_AUDIT_SINK };
    struct policy *policy = policy_random(&arena, state);

    for (size_t i = 0; i < ARRAY_SIZE(asks); i++)
        policy->values[asks[i]] = (struct policy_value){ 0 };
    policy->values[POLICY_FILESYSTEM_WORKSPACE] = (struct policy_value){
        .origin.file = "random",
        .number = random_below(state, 2) ? POLICY_WORKSPACE_READ : POLICY_WORKSPACE_WRITE,
    };
    policy_close(policy);
    return policy;
}

static char *lowered_text(
    const struct policy *policy, struct oci_config *config, struct buf *narrowed)
{
    struct error err = ERR_INIT;

    ck_assert_msg(
        policy_lower(&arena, policy, &subject, config, narrowed, &err) == 0, "%s", err.text);
    return config_text(&arena, config);
}

START_TEST(lower_when_random_policy_then_never_above_the_ceiling_and_twice_is_once)
{
    uint64_t state = 5;
    for (int i = 0; i < ROUNDS; i++) {
        AUTO(buf) struct buf again = BUF_INIT;
        const struct policy *policy = random_enforced(&state);
        struct oci_config *config = config_of(&arena, policy_wide_config);
        config->process->user.uid = random_below(&state, 2) ? 0 : 1000;
        const char *once = lowered_text(policy, config, NULL);
        ck_assert_msg(!policy_breach(config), "%s: %s", policy_breach(config), once);
        ck_assert_str_eq(lowered_text(policy, config, &again), once);
        ck_assert_str_eq(buf_str(&again), "");
    }
}
END_TEST

START_TEST(lower_when_two_policies_then_the_order_does_not_matter_to_limits)
{
    uint64_t state = 6;
    for (int i = 0; i < ROUNDS; i++) {
        struct error err = ERR_INIT;
        const struct policy *a = random_enforced(&state);
        const struct policy *b = random_enforced(&state);
        struct policy *both = NULL;
        ck_assert_int_eq(policy_merge(&arena, a, b, &both, &err), 0);
        struct oci_config *merged = config_of(&arena, policy_wide_config);
        struct oci_config *one_by_one = config_of(&arena, policy_wide_config);
        (void)lowered_text(both, merged, NULL);
        (void)lowered_text(a, one_by_one, NULL);
        (void)lowered_text(b, one_by_one, NULL);
        const struct oci_resources *x = &merged->linux_.resources;
        const struct oci_resources *y = &one_by_one->linux_.resources;
        ck_assert_int_eq(x->memory.limit, y->memory.limit);
        ck_assert_int_eq(x->pids.limit, y->pids.limit);
        ck_assert_int_eq(x->cpu.quota, y->cpu.quota);
        ck_assert_uint_eq(merged->process->capabilities->n_effective,
            one_by_one->process->capabilities->n_effective);
        ck_assert_int_eq(merged->root.readonly, one_by_one->root.readonly);
    }
}
END_TEST

/* --- details ------------------------------------------------------------------------------------- */

static int lower(const char *policy_text, struct oci_config *config, struct error *err)
{
    *err = (struct error)ERR_INIT;
    return policy_lower(&arena, policy_opened(&arena, policy_text), &subject, config, NULL, err);
}

START_TEST(lower_when_configuration_is_narrower_then_it_stays)
{
    struct error err;
    struct oci_config *config =
        config_of(&arena, "{\"ociVersion\":\"1.2.0\",\"root\":{\"path\":\"r\",\"readonly\":true},"
                          "\"process\":{\"args\":[\"x\"],\"cwd\":\"/\",\"rlimits\":"
                          "[{\"type\":\"RLIMIT_NOFILE\",\"hard\":32,\"soft\":20}]},\"mounts\":[{"
                          "\"destination\":\"/tmp\",\"type\":\"tmpfs\","
                          "\"source\":\"t\",\"options\":[\"size=1m\",\"nr_inodes=10\"]}],\"linux\":"
                          "{\"resources\":{\"memory\":{\"limit\":1048576,"
                          "\"reservation\":4096},\"cpu\":{\"quota\":5000,\"period\":50000},"
                          "\"pids\":{\"limit\":3}}}}");
    ck_assert_msg(lower("{\"version\":1,\"extends\":\"workspace-write\"}", config, &err) == 0, "%s",
        err.text);
    const struct oci_resources *resources = &config->linux_.resources;
    ck_assert(config->root.readonly);
    ck_assert_int_eq(resources->memory.limit, 1048576);
    ck_assert_int_eq(resources->memory.swap, 1048576);
    ck_assert_int_eq(resources->memory.reservation, 4096);
    ck_assert_int_eq(resources->cpu.quota, 5000);
    ck_assert_uint_eq(resources->cpu.period, 50000);
    ck_assert_int_eq(resources->pids.limit, 3);
    ck_assert_uint_eq(config->process->rlimits[0].hard, 32);
    ck_assert_uint_eq(config->process->rlimits[0].soft, 20);
    ck_assert(policy_mount_has(&config->mounts[0], "size=1m"));
    ck_assert(policy_mount_has(&config->mounts[0], "nr_inodes=10"));
    ck_assert_uint_eq(config->n_mounts, 2); /* /dev/shm */
}
END_TEST

static const struct {
    const char *map;
    unsigned n_expected;
} id_maps[] = {
    { "\"namespaces\":[{\"type\":\"user\"}],%s", 1 },
    { "\"namespaces\":[],%s", 0 },
    { "\"namespaces\":[{\"type\":\"user\",\"path\":\"/proc/1/ns/user\"}],%s", 0 },
};

START_TEST(lower_when_root_has_no_own_ids_then_no_capability)
{
    static const char config_form[] =
        "{\"ociVersion\":\"1.2.0\",\"root\":{\"path\":\"r\"},\"process\":{\"args\":[\"x\"],\"cwd\":"
        "\"/\",\"capabilities\":{"
        "\"effective\":[\"CAP_CHOWN\",\"CAP_SYS_ADMIN\"]}},\"linux\":{%s}}";
    static const char own[] = "\"uidMappings\":[{\"containerID\":0,\"hostID\":9,\"size\":9}],"
                              "\"gidMappings\":[{\"containerID\":0,"
                              "\"hostID\":9,\"size\":9}]";
    for (size_t i = 0; i < ARRAY_SIZE(id_maps); i++) {
        struct error err;
        const char *form = id_maps[i].map;
        const char *lx = arena_printf(&arena, "%.*s%s", (int)(strlen(form) - 2), form, own);
        struct oci_config *config = config_of(&arena,
            arena_printf(&arena, "%.*s%s}}", (int)(strlen(config_form) - 4), config_form, lx));
        ck_assert_msg(lower("{\"version\":1,\"extends\":\"workspace-write\"}", config, &err) == 0,
            "%s", err.text);
        ck_assert_uint_eq(config->process->capabilities->n_effective, id_maps[i].n_expected);
    }
}
END_TEST

START_TEST(lower_when_ids_hold_the_hosts_root_then_no_capability)
{
    struct error err;
    struct oci_config *config = config_of(&arena, policy_wide_config);
    config->linux_.gid_mappings[0].host_id = 0;
    ck_assert_int_eq(lower("{\"version\":1,\"extends\":\"workspace-write\"}", config, &err), 0);
    ck_assert_uint_eq(config->process->capabilities->n_bounding, 0);
}
END_TEST

static struct oci_config *config_with_mounts(const char *mounts)
{
    const char *place = strstr(mounts_only, "%s");

    return config_of(&arena, arena_printf(&arena, "%.*s%s%s", (int)(place - mounts_only),
                                 mounts_only, mounts, place + 2));
}

static const struct {
    const char *mount;
    const char *what;
} refused_mounts[] = {
    { "{\"destination\":\"/a\",\"type\":\"overlay\",\"source\":\"o\"}",
        "no filesystem of type \"overlay\"" },
    { "{\"destination\":\"/a\",\"type\":\"ext4\",\"source\":\"/dev/sda\"}",
        "no filesystem of type \"ext4\"" },
    { "{\"destination\":\"/a\",\"source\":\"x\"}", "no filesystem of type unknown" },
    { "{\"destination\":\"/a\",\"source\":\"/\",\"options\":[\"bind\"]}", "gives nothing of /" },
    { "{\"destination\":\"/a\",\"source\":\"/./x/..//\",\"options\":[\"rbind\"]}",
        "gives nothing of /" },
    { "{\"destination\":\"/a\",\"source\":\"/proc/1/root\",\"options\":[\"bind\"]}",
        "gives nothing of /proc/1/root" },
    { "{\"destination\":\"/a\",\"source\":\"/dev/kvm\",\"options\":[\"bind\"]}",
        "gives nothing of /dev/kvm" },
    { "{\"destination\":\"/a\",\"source\":\"/sys\",\"options\":[\"bind\"]}",
        "gives nothing of /sys" },
    { "{\"destination\":\"/a\",\"source\":\"x/../../proc\",\"options\":[\"bind\"]}",
        "cannot tell what" },
};

START_TEST(lower_when_mount_is_machinery_then_refused)
{
    for (size_t i = 0; i < ARRAY_SIZE(refused_mounts); i++) {
        struct error err;
        struct oci_config *config = config_with_mounts(refused_mounts[i].mount);
        ck_assert_int_eq(
            lower("{\"version\":1,\"extends\":\"workspace-write\"}", config, &err), -ENOTSUP);
        ck_assert_msg(strstr(err.text, refused_mounts[i].what) != NULL, "%s", err.text);
    }
}
END_TEST

START_TEST(lower_when_workspace_none_then_binds_are_refused)
{
    struct error err;
    const char *bind = "{\"destination\":\"/a\",\"source\":\"/home\",\"options\":[\"bind\"]}";
    ck_assert_int_eq(lower("{\"version\":1}", config_with_mounts(bind), &err), -ENOTSUP);
    ck_assert_str_eq(
        err.text, "mounts /a: the policy (filesystem.workspace) gives no directory of the host");
}
END_TEST

START_TEST(lower_when_directories_are_below_tmp_then_they_stay_visible)
{
    struct error err;
    struct oci_config *config = config_with_mounts(
        "{\"destination\":\"/x\",\"source\":\"/b\",\"options\":[\"bind\"]},"
        "{\"destination\":\"/tmp/./deep/in\",\"source\":\"/b\",\"options\":[\"bind\"]},"
        "{\"destination\":\"/tmpfoo\",\"source\":\"/b\",\"options\":[\"bind\"]}");
    ck_assert_int_eq(lower("{\"version\":1,\"extends\":\"workspace-write\"}", config, &err), 0);
    ck_assert_str_eq(config->mounts[1].destination, "/tmp");
    ck_assert_str_eq(config->mounts[2].destination, "/tmp/./deep/in");
    ck_assert_str_eq(config->mounts[4].destination, "/dev/shm");
    ck_assert_uint_eq(config->n_mounts, 5);
}
END_TEST

START_TEST(lower_when_tmpfs_says_nothing_or_too_much_then_limited)
{
    static const struct {
        const char *option;
        const char *expected;
    } cases[] = {
        { "noexec", "size=536870912" },
        { "size=0", "size=1073741824" },
        { "size=99g", "size=1073741824" },
        { "size=50%", "size=536870912" },
        { "size=2m", "size=2m" },
        { "size=2m\",\"size=99g", "size=1073741824" },
        { "nr_blocks=0", "size=536870912" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err;
        struct oci_config *config = config_with_mounts(arena_printf(&arena,
            "{\"destination\":\"/run\",\"type\":\"tmpfs\",\"source\":\"t\",\"options\":[\"%s\"]}",
            cases[i].option));
        ck_assert_int_eq(lower("{\"version\":1,\"extends\":\"workspace-write\",\"resources\":{"
                               "\"memory\":\"1GiB\"}}",
                             config, &err),
            0);
        ck_assert_msg(
            policy_mount_has(&config->mounts[0], cases[i].expected), "%s", cases[i].option);
        ck_assert(!policy_mount_has(&config->mounts[0], "nr_blocks=0"));
    }
}
END_TEST

START_TEST(lower_when_it_cannot_compare_then_refused)
{
    struct error err;
    struct oci_config *config = config_of(&arena, policy_wide_config);
    struct oci_seccomp foreign = { .default_action = OCI_SECCOMP_ALLOW };
    struct oci_pair unified = { "memory.max", "1" };
    config->linux_.seccomp = &foreign;
    ck_assert_int_eq(
        lower("{\"version\":1,\"extends\":\"workspace-write\"}", config, &err), -ENOTSUP);
    ck_assert_msg(strstr(err.text, "linux.seccomp") == err.text, "%s", err.text);
    config = config_of(&arena, policy_wide_config);
    config->linux_.resources.unified = &unified;
    config->linux_.resources.n_unified = 1;
    ck_assert_int_eq(
        lower("{\"version\":1,\"extends\":\"workspace-write\"}", config, &err), -ENOTSUP);
    config->process = NULL;
    ck_assert_int_eq(
        lower("{\"version\":1,\"extends\":\"workspace-write\"}", config, &err), -EINVAL);
}
END_TEST

START_TEST(lower_when_caller_has_fewer_files_then_no_more_than_those)
{
    struct error err = ERR_INIT;
    const struct policy_subject poor = { .n_files_max = 4096 };
    struct oci_config *config = config_of(&arena, policy_wide_config);
    const struct policy *policy = policy_shipped_open(&arena, "workspace-write");
    ck_assert_int_eq(policy_lower(&arena, policy, &poor, config, NULL, &err), 0);
    ck_assert_int_eq(config->process->rlimits[0].type, RLIMIT_NOFILE);
    ck_assert_uint_eq(config->process->rlimits[0].hard, 4096);
}
END_TEST

START_TEST(lower_process_when_privileged_exec_then_as_the_first_process)
{
    struct error err = ERR_INIT;
    const struct policy *policy = policy_shipped_open(&arena, "workspace-write");
    struct oci_config *container = config_of(&arena, policy_wide_config);
    struct oci_config *other = config_of(&arena, policy_wide_config);
    struct oci_process *process = other->process;
    ck_assert_int_eq(policy_lower(&arena, policy, &subject, container, NULL, &err), 0);
    ck_assert_int_eq(
        policy_lower_process(&arena, policy, &subject, container, process, NULL, &err), 0);
    ck_assert_ptr_null(policy_process_breach(process));
    process->capabilities =
        NULL; /* "those of the container", whose root's are too much for a user */
    process->user.uid = 1000;
    ck_assert_int_eq(
        policy_lower_process(&arena, policy, &subject, container, process, NULL, &err), 0);
    ck_assert_ptr_nonnull(process->capabilities);
    ck_assert_uint_eq(process->capabilities->n_effective, 0);
}
END_TEST

START_TEST(env_pass_when_named_and_not_set_then_handed_on)
{
    char *caller[] = { xasprintf("TERM=vt100"), xasprintf("LANG=C.UTF-8"),
        xasprintf("AWS_SECRET=x"), NULL };
    struct strv env = STRV_INIT;
    strv_add(&arena, &env, "PATH=/bin");
    strv_add(&arena, &env, "LANG=de_DE.UTF-8");
    policy_env_pass(&arena, policy_shipped_open(&arena, "workspace-write"), caller, &env);
    ck_assert_uint_eq(env.n, 3);
    ck_assert_str_eq(env_get(env.items, "TERM"), "vt100");
    ck_assert_str_eq(env_get(env.items, "LANG"), "de_DE.UTF-8");
    ck_assert_ptr_null(env_get(env.items, "AWS_SECRET"));
    for (size_t i = 0; caller[i]; i++)
        free(caller[i]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        lower_when_shipped_then_golden_text,
        lower_when_random_policy_then_never_above_the_ceiling_and_twice_is_once,
        lower_when_two_policies_then_the_order_does_not_matter_to_limits,
        lower_when_configuration_is_narrower_then_it_stays,
        lower_when_root_has_no_own_ids_then_no_capability,
        lower_when_ids_hold_the_hosts_root_then_no_capability,
        lower_when_mount_is_machinery_then_refused,
        lower_when_workspace_none_then_binds_are_refused,
        lower_when_directories_are_below_tmp_then_they_stay_visible,
        lower_when_tmpfs_says_nothing_or_too_much_then_limited,
        lower_when_it_cannot_compare_then_refused,
        lower_when_caller_has_fewer_files_then_no_more_than_those,
        lower_process_when_privileged_exec_then_as_the_first_process,
        env_pass_when_named_and_not_set_then_handed_on,
    };
    return unit_run("policy_lower", tests, ARRAY_SIZE(tests));
}
