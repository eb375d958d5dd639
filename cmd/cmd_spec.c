/* SPDX-License-Identifier: Apache-2.0 */
/* spec and features: documents about nothing that exists yet. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "call.h"
#include "caps_apply.h"
#include "caps_plan.h"
#include "cleanup.h"
#include "command.h"
#include "err.h"
#include "file.h"
#include "mount_option_parse.h"
#include "oci_config.h"
#include "oci_config_default.h"
#include "oci_config_write.h"
#include "oci_features_write.h"
#include "strv.h"
#include "syscall_filter_build.h"

int cmd_spec(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    AUTO(buf) struct buf text = BUF_INIT;
    struct error err = ERR_INIT;
    const char *bundle = ".";
    bool is_rootless = false;
    int first;
    int status;
    const struct arg_option table[] = {
        { "bundle", 'b', ARG_STRING, "DIR", "where to write config.json (default .)", &bundle },
        { "rootless", 0, ARG_FLAG, NULL, "for a caller without root's rights", &is_rootless },
        { 0 },
    };

    (void)context;
    if (!command_options(self, table, argc, argv, 0, 0, &first, &status))
        return status;
    struct oci_config *config =
        is_rootless ? oci_config_default_rootless(&arena, geteuid(), getegid()) : oci_config_default(&arena);
    oci_config_write(config, 4, &text);
    buf_putc(&text, '\n');
    autoclose int dir = kernel_open(bundle, O_RDONLY | O_DIRECTORY, 0);
    int fd_or_error = dir < 0 ? dir : kernel_openat(dir, "config.json", O_WRONLY | O_CREAT | O_EXCL, 0666);
    autoclose int fd = fd_or_error;
    int r = fd < 0 ? fd : file_write_all(fd, buf_str(&text), text.len);
    if (r == -EEXIST)
        r = err_set(&err, EEXIST, "%s/config.json exists: remove it first", bundle);
    else if (r < 0)
        r = err_sys(&err, r, "%s/config.json: cannot write", bundle);
    return r < 0 ? command_fail(&err) : EXIT_SUCCESS;
}

static struct oci_feature_list feature_list(const struct strv *v)
{
    return (struct oci_feature_list){ .items = (const char *const *)v->items, .n_items = v->n };
}

int cmd_features(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    static const char *const archs[] = {
#if defined(__x86_64__)
        "SCMP_ARCH_X86_64",
        "SCMP_ARCH_X86",
        "SCMP_ARCH_X32",
#elif defined(__aarch64__)
        "SCMP_ARCH_AARCH64",
        "SCMP_ARCH_ARM",
#endif
    };
    static const char *const flags[] = {
        "SECCOMP_FILTER_FLAG_TSYNC",
        "SECCOMP_FILTER_FLAG_LOG",
        "SECCOMP_FILTER_FLAG_SPEC_ALLOW",
        "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV",
    };
    AUTO(arena) struct arena arena = ARENA_INIT;
    AUTO(buf) struct buf text = BUF_INIT;
    struct strv options = STRV_INIT;
    struct strv caps = STRV_INIT;
    int first;
    int status;
    const struct arg_option table[] = { { 0 } };

    (void)context;
    if (!command_options(self, table, argc, argv, 0, 0, &first, &status))
        return status;
    mount_option_list(&arena, &options);
    for (unsigned i = 0; i <= caps_last(); i++) {
        char name[CAPS_NAME_SIZE];
        caps_name(i, name);
        strv_add(&arena, &caps, arena_strdup(&arena, name));
    }
    const struct oci_pair annotations[] = {
        { "org.runa.version", RUNA_VERSION },
        { "io.github.seccomp.libseccomp.version", syscall_filter_version() },
    };
    const struct oci_features features = {
        .mount_options = feature_list(&options),
        .capabilities = feature_list(&caps),
        .cgroup = { .v2 = true },
        .seccomp = { .is_enabled = true,
            .archs = { archs, ARRAY_SIZE(archs) },
            .supported_flags = { flags, ARRAY_SIZE(flags) } },
        .has_apparmor = true,
        .has_selinux = true,
        .has_idmap = true,
        .annotations = annotations,
        .n_annotations = ARRAY_SIZE(annotations),
    };
    oci_features_write(&features, 2, &text);
    printf("%s\n", buf_str(&text));
    return EXIT_SUCCESS;
}
