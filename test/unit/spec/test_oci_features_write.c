/* SPDX-License-Identifier: Apache-2.0 */
/* The features document. */
#include "json.h"
#include "oci_features_write.h"
#include "spec_text.h"

static const char *const options[] = { "bind", "ro" };
static const char *const archs[] = { "SCMP_ARCH_X86_64" };
static const struct oci_pair annotations[] = { { "org.runa.version", "0.1.0" } };

static const struct json *written(struct arena *arena, const struct oci_features *features)
{
    AUTO(buf) struct buf out = BUF_INIT;
    oci_features_write(features, 2, &out);
    struct json *tree = NULL;
    struct error err = ERR_INIT;
    int rc = json_parse(arena, "features", buf_str(&out), out.len, NULL, &tree, &err);
    ck_assert_msg(rc == 0, "%s", err.text);
    return tree;
}

static bool enabled(const struct json *lx, const char *key)
{
    const struct json *value = json_get(json_get(lx, key), "enabled");
    ck_assert_ptr_nonnull(value);
    return value->boolean;
}

START_TEST(features_are_those_of_the_tables_and_the_caller)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    const struct oci_features features = {
        .mount_options = { options, 2 },
        .cgroup.v2 = true,
        .seccomp = { .is_enabled = true, .archs = { archs, 1 } },
        .has_apparmor = true,
        .has_idmap = true,
        .annotations = annotations,
        .n_annotations = 1,
    };
    const struct json *tree = written(&arena, &features);
    ck_assert_str_eq(json_get(tree, "ociVersionMin")->string.text, "1.0.0");
    ck_assert_uint_eq(json_get(tree, "hooks")->list.n, 6);
    ck_assert_str_eq(json_get(tree, "mountOptions")->list.first->string.text, "bind");
    ck_assert_str_eq(
        json_get(json_get(tree, "annotations"), "org.runa.version")->string.text, "0.1.0");
    const struct json *lx = json_get(tree, "linux");
    ck_assert_uint_eq(json_get(lx, "namespaces")->list.n, OCI_NAMESPACE_TYPES);
    ck_assert(json_get(json_get(lx, "cgroup"), "v2")->boolean);
    ck_assert(!json_get(json_get(lx, "cgroup"), "v1")->boolean);
    ck_assert_uint_eq(json_get(json_get(lx, "seccomp"), "actions")->list.n, 9);
    ck_assert_uint_eq(json_get(json_get(lx, "seccomp"), "operators")->list.n, 7);
    ck_assert(enabled(lx, "seccomp") && enabled(lx, "apparmor"));
    ck_assert(!enabled(lx, "selinux") && !enabled(lx, "intelRdt") && !enabled(lx, "netDevices"));
    ck_assert(enabled(json_get(lx, "mountExtensions"), "idmap"));
}
END_TEST

START_TEST(seccomp_that_is_off_lists_nothing)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    const struct oci_features features = { 0 };
    const struct json *lx = json_get(written(&arena, &features), "linux");
    ck_assert(!enabled(lx, "seccomp"));
    ck_assert_ptr_null(json_get(json_get(lx, "seccomp"), "actions"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { features_are_those_of_the_tables_and_the_caller,
        seccomp_that_is_off_lists_nothing };
    return unit_run("oci_features_write", tests, ARRAY_SIZE(tests));
}
