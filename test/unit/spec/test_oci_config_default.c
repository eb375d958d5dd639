/* SPDX-License-Identifier: Apache-2.0 */
/* What `runa spec` writes. */
#include "oci_config_check.h"
#include "oci_config_default.h"
#include "oci_config_write.h"
#include "spec_text.h"

static const struct oci_mount *mount_find(const struct oci_config *config, const char *destination)
{
    for (size_t i = 0; i < config->n_mounts; i++) {
        if (strcmp(config->mounts[i].destination, destination) == 0)
            return &config->mounts[i];
    }
    ck_abort_msg("no mount on %s", destination);
    return NULL;
}

static void require_sound(const struct oci_config *config)
{
    struct error err = ERR_INIT;
    ck_assert_msg(oci_config_check(config, &err) == 0, "%s", err.text);
    ck_assert_int_eq(oci_config_unsupported(config, &err), 0);

    AUTO(buf) struct buf text = BUF_INIT;
    oci_config_write(config, 4, &text);
    AUTO(arena) struct arena arena = ARENA_INIT;
    AUTO(buf) struct buf again = BUF_INIT;
    oci_config_write(spec_parse(&arena, buf_str(&text)), 4, &again);
    ck_assert_str_eq(buf_str(&text), buf_str(&again));
}

START_TEST(default_is_sound_and_confined)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    const struct oci_config *config = oci_config_default(&arena);
    require_sound(config);
    ck_assert(config->root.readonly && config->process->no_new_privileges);
    ck_assert_str_eq(config->process->args[0], "sh");
    ck_assert_uint_eq(config->process->capabilities->n_bounding, 3);
    ck_assert_uint_eq(config->process->capabilities->n_ambient, 0);
    ck_assert_uint_eq(config->n_mounts, 7);
    ck_assert_uint_eq(config->linux_.n_namespaces, 6);
    ck_assert_uint_eq(config->linux_.resources.n_devices, 1);
    ck_assert_ptr_null(config->linux_.seccomp);
}
END_TEST

START_TEST(rootless_default_maps_the_caller)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    const struct oci_config *config = oci_config_default_rootless(&arena, 1000, 1001);
    require_sound(config);
    ck_assert_ptr_nonnull(oci_namespace_find(config, OCI_NAMESPACE_USER));
    ck_assert_ptr_null(oci_namespace_find(config, OCI_NAMESPACE_NETWORK));
    ck_assert_uint_eq(config->linux_.uid_mappings[0].host_id, 1000);
    ck_assert_uint_eq(config->linux_.gid_mappings[0].host_id, 1001);
    ck_assert_uint_eq(config->linux_.resources.n_devices, 0);
    const struct oci_mount *sys = mount_find(config, "/sys");
    ck_assert_str_eq(sys->type, "none");
    ck_assert_str_eq(sys->options[0], "rbind");
    const struct oci_mount *pts = mount_find(config, "/dev/pts");
    ck_assert_uint_eq(pts->n_options, 5); /* without gid=5 */
    ck_assert_str_eq(pts->options[4], "mode=0620");
    ck_assert_ptr_null(pts->options[5]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { default_is_sound_and_confined,
        rootless_default_maps_the_caller };
    return unit_run("oci_config_default", tests, ARRAY_SIZE(tests));
}
