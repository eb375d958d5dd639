/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tests of mount_plan and device_plan: golden text, and what is refused. */
#include "mount_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "golden.h"
#include "oci_config_parse.h"
#include "unit.h"

/* Each test is a process of its own. */
static struct arena arena;
static struct error err;

struct golden {
    const char *name;
    struct mount_plan_input input;
};

static const struct golden goldens[] = {
    { "default", { .bundle = "/bundle" } },
    { "options", { .bundle = "/bundle" } },
    { "userns", { .bundle = "/bundle", .is_rootfs_given = true } },
    { "rootless", { .bundle = "/home/u/bundle", .is_rootless = true } },
    { "host_namespaces", { .bundle = "/bundle", .cgroup_mount = "/sys/fs/cgroup/unified" } },
    { "hooks_no_pivot", { .bundle = "/bundle", .no_pivot = true } },
    { "hooks", { .bundle = "/bundle" } },
};

static void check_golden(const struct golden *golden)
{
    AUTO(buf) struct buf out = BUF_INIT;
    struct oci_config *config;
    struct mount_plan plan;
    const char *base = arena_printf(&arena, GOLDEN_DIR "mount/%s", golden->name);
    const char *text = golden_read(&arena, arena_printf(&arena, "%s.json", base));

    ck_assert_msg(
        oci_config_parse(&arena, golden->name, text, strlen(text), &config, &err) == 0, "%s", err.text);
    ck_assert_msg(
        mount_plan_build(&arena, config, &golden->input, &plan, &err) == 0, "%s", err.text);
    mount_plan_print(&plan, &out);
    golden_compare(&arena, arena_printf(&arena, "%s.plan", base), &out);
}

START_TEST(plan_when_config_then_golden_text)
{
    for (size_t i = 0; i < ARRAY_SIZE(goldens); i++)
        check_golden(&goldens[i]);
}
END_TEST

/* The one mount, and what stands beside it in the config. */
struct refusal {
    const char *mounts;
    const char *linux_; /* behind the namespaces */
    int code;
    const char *text;
};

static const struct refusal refusals[] = {
    { "{\"destination\":\"/proc/sys\",\"type\":\"tmpfs\",\"source\":\"tmpfs\"}", "", EINVAL,
        "/proc/sys" },
    { "{\"destination\":\"/proc\",\"type\":\"tmpfs\",\"source\":\"tmpfs\"}", "", EINVAL,
        "only procfs" },
    { "{\"destination\":\"/x/../proc/self/attr\",\"source\":\"/x\",\"options\":[\"bind\"]}", "",
        EINVAL, "/proc/self/attr" },
    { "{\"destination\":\"/\",\"type\":\"tmpfs\"}", "", EINVAL, "root is not a place" },
    { "{\"destination\":\"/a/..\",\"type\":\"tmpfs\"}", "", EINVAL, "root is not a place" },
    { "{\"destination\":\"/a\"}", "", EINVAL, "neither a type" },
    { "{\"destination\":\"/a\",\"options\":[\"bind\"]}", "", EINVAL, "without a source" },
    { "{\"destination\":\"/a\",\"source\":\"/b\",\"options\":[\"bind\",\"nosuidd\"]}", "", EINVAL,
        "nosuidd" },
    { "{\"destination\":\"/a\",\"source\":\"/b\",\"options\":[\"bind\",\"tmpcopyup\"]}", "", EINVAL,
        "tmpcopyup" },
    { "{\"destination\":\"/a\",\"type\":\"proc\",\"options\":[\"tmpcopyup\"]}", "", EINVAL,
        "tmpcopyup" },
    { "{\"destination\":\"/a\",\"type\":\"tmpfs\",\"options\":[\"idmap\"]}", "", ENOTSUP,
        "only binds" },
    { "{\"destination\":\"/a\",\"source\":\"/b\",\"options\":[\"bind\",\"idmap\"]}", "", EINVAL,
        "without a user namespace" },
    { "{\"destination\":\"/a\",\"options\":[\"remount\",\"size=1\"]}", "", ENOTSUP, "remount" },
    { "", "\"devices\":[{\"path\":\"/proc/x\",\"type\":\"c\",\"major\":1,\"minor\":3}]", EINVAL,
        "/proc" },
    { "", "\"devices\":[{\"path\":\"/\",\"type\":\"c\",\"major\":1,\"minor\":3}]", EINVAL,
        "not a place" },
};

static int build(
    const char *mounts, const char *namespaces, const char *linux_, struct mount_plan *ret)
{
    const char *text = arena_printf(&arena,
        "{\"ociVersion\":\"1.2.0\",\"root\":{\"path\":\"rootfs\"},\"mounts\":[%s],\"linux\":{"
        "\"namespaces\":[%s]%s%s}}",
        mounts, namespaces, *linux_ ? "," : "", linux_);
    const struct mount_plan_input input = { .bundle = "/bundle" };
    struct oci_config *config;

    ck_assert_msg(oci_config_parse(&arena, "config", text, strlen(text), &config, &err) == 0,
        "%s: %s", text, err.text);
    return mount_plan_build(&arena, config, &input, ret, &err);
}

static void check_refusal(const struct refusal *refusal)
{
    struct mount_plan plan = { .n_steps = 77 };

    err = (struct error)ERR_INIT;
    ck_assert_int_eq(
        build(refusal->mounts, "{\"type\":\"mount\"}", refusal->linux_, &plan), -refusal->code);
    ck_assert_int_eq(err.code, refusal->code);
    ck_assert_msg(strstr(err.text, refusal->text) != NULL, "%s", err.text);
    ck_assert_uint_eq(plan.n_steps, 77);
}

START_TEST(plan_when_forbidden_then_refused_by_name)
{
    for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
        check_refusal(&refusals[i]);
}
END_TEST

START_TEST(plan_when_no_new_mount_namespace_then_refused)
{
    struct mount_plan plan;

    ck_assert_int_eq(build("", "", "", &plan), -EINVAL);
    ck_assert_int_eq(
        build("", "{\"type\":\"mount\",\"path\":\"/proc/1/ns/mnt\"}", "", &plan), -EINVAL);
}
END_TEST

START_TEST(plan_when_mappings_without_word_then_idmapped)
{
    struct mount_plan plan;

    ck_assert_int_eq(build("{\"destination\":\"/a\",\"source\":\"/b\",\"options\":[\"bind\"],"
                           "\"uidMappings\":[{\"containerID\":0,\"hostID\":5,\"size\":1}],"
                           "\"gidMappings\":[{\"containerID\":0,\"hostID\":5,\"size\":1}]}",
                         "{\"type\":\"mount\"}", "", &plan),
        0);
    ck_assert_int_eq(plan.steps[0].option.idmap, MOUNT_IDMAP_TOP);
    ck_assert(!plan.need_own_userns);
}
END_TEST

START_TEST(plan_when_dev_is_bind_then_no_devices)
{
    struct mount_plan plan;

    ck_assert_int_eq(
        build("{\"destination\":\"/dev/\",\"source\":\"/dev\",\"options\":[\"rbind\"]}",
            "{\"type\":\"mount\"}", "", &plan),
        0);
    ck_assert_uint_eq(plan.devices.n_nodes, 0);
    ck_assert_uint_eq(plan.devices.n_links, 0);
}
END_TEST

START_TEST(plan_when_device_of_config_has_default_path_then_takes_its_place)
{
    struct mount_plan plan;

    ck_assert_int_eq(build("", "{\"type\":\"mount\"}",
                         "\"devices\":[{\"path\":\"/dev//null/"
                         "\",\"type\":\"c\",\"major\":1,\"minor\":3,\"fileMode\":384,\"uid\":7}]",
                         &plan),
        0);
    ck_assert_uint_eq(plan.devices.n_nodes, 6);
    ck_assert_str_eq(plan.devices.nodes[0].path, "/dev/null");
    ck_assert_uint_eq(plan.devices.nodes[0].mode, 0600);
    ck_assert_uint_eq(plan.devices.nodes[0].uid, 7);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        plan_when_config_then_golden_text,
        plan_when_forbidden_then_refused_by_name,
        plan_when_no_new_mount_namespace_then_refused,
        plan_when_mappings_without_word_then_idmapped,
        plan_when_dev_is_bind_then_no_devices,
        plan_when_device_of_config_has_default_path_then_takes_its_place,
    };

    return unit_run("mount_plan", tests, ARRAY_SIZE(tests));
}
