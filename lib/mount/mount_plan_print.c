/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: a mount plan as stable text, one fact a line. */
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "kernel_const.h"
#include "mount_plan.h"
#include "oci_config.h"

static const struct {
    uint64_t attr;
    const char *name;
} attr_names[] = {
    { MOUNT_ATTR_RDONLY, "ro" },
    { MOUNT_ATTR_NOSUID, "nosuid" },
    { MOUNT_ATTR_NODEV, "nodev" },
    { MOUNT_ATTR_NOEXEC, "noexec" },
    { MOUNT_ATTR_NOATIME, "noatime" },
    { MOUNT_ATTR_STRICTATIME, "strictatime" },
    { MOUNT_ATTR_NODIRATIME, "nodiratime" },
    { MOUNT_ATTR_NOSYMFOLLOW, "nosymfollow" },
};

static void print_path(const char *path, struct buf *out)
{
    buf_putc(out, ' ');
    buf_put_quoted(out, path, strlen(path));
}

static void print_attrs(const char *word, const struct mount_attrs *attrs, struct buf *out)
{
    if (!attrs->set && !attrs->clear)
        return;
    buf_printf(out, " %s", word);
    for (size_t i = 0; i < ARRAY_SIZE(attr_names); i++)
        if (attrs->set & attr_names[i].attr)
            buf_printf(out, " +%s", attr_names[i].name);
    if ((attrs->clear & MOUNT_ATTR__ATIME) && !(attrs->set & MOUNT_ATTR__ATIME))
        buf_puts(out, " +relatime");
    for (size_t i = 0; i < ARRAY_SIZE(attr_names); i++)
        if ((attrs->clear & attr_names[i].attr) && !(attr_names[i].attr & MOUNT_ATTR__ATIME))
            buf_printf(out, " -%s", attr_names[i].name);
}

static void print_propagation(const struct mount_propagation *propagation, struct buf *out)
{
    buf_printf(out, " %s%s", propagation->is_recursive ? "r" : "",
        propagation->type == MS_SHARED    ? "shared"
        : propagation->type == MS_SLAVE   ? "slave"
        : propagation->type == MS_PRIVATE ? "private"
                                          : "unbindable");
}

static void print_data(const struct mount_option *option, struct buf *out)
{
    for (unsigned bit = 0; bit < MOUNT_SB_FLAGS; bit++)
        if (option->sb_flags & (1U << bit))
            buf_printf(out, " %s", mount_sb_flag_name(bit));
    for (size_t i = 0; i < option->n_data; i++) {
        const struct mount_data *data = &option->data[i];

        print_path(data->key, out);
        if (data->value) {
            buf_putc(out, '=');
            buf_put_quoted(out, data->value, strlen(data->value));
        }
    }
}

static void print_maps(
    const char *word, const struct oci_id_mapping *maps, size_t n, struct buf *out)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(out, " %s %u:%u:%u", word, maps[i].container_id, maps[i].host_id, maps[i].size);
}

static void print_idmap(const struct mount_step *step, struct buf *out)
{
    if (step->option.idmap == MOUNT_IDMAP_NONE)
        return;
    buf_puts(out, step->option.idmap == MOUNT_IDMAP_RECURSIVE ? " ridmap" : " idmap");
    if (step->is_own_idmap)
        buf_puts(out, " own");
    print_maps("uid", step->uid_mappings, step->n_uid_mappings, out);
    print_maps("gid", step->gid_mappings, step->n_gid_mappings, out);
}

static void print_step(const struct mount_step *step, struct buf *out)
{
    const struct mount_option *option = &step->option;

    switch (step->kind) {
    case MOUNT_STEP_FILESYSTEM:
        buf_printf(out, "mount");
        print_path(step->type, out);
        break;
    case MOUNT_STEP_BIND:
        buf_puts(out, option->is_recursive ? "rbind" : "bind");
        print_path(step->source, out);
        break;
    case MOUNT_STEP_REMOUNT:
        buf_puts(out, "remount");
        break;
    }
    buf_puts(out, " on");
    print_path(step->destination, out);
    print_attrs("attrs", &option->attrs, out);
    print_attrs("recursive", &option->recursive, out);
    for (size_t i = 0; i < option->n_propagation; i++)
        print_propagation(&option->propagation[i], out);
    print_idmap(step, out);
    print_data(option, out);
    buf_puts(out, option->want_copy_up ? " copy-up" : "");
    buf_puts(out, option->is_source_nofollow ? " source-nofollow" : "");
    buf_puts(out, option->is_source_nolinks ? " source-nolinks" : "");
    buf_puts(out, option->is_target_nofollow ? " target-nofollow" : "");
    buf_puts(out, option->want_link_copy ? " link-copy" : "");
    buf_putc(out, '\n');
}

static void print_paths(const char *word, char *const *paths, size_t n, struct buf *out)
{
    for (size_t i = 0; i < n; i++) {
        buf_puts(out, word);
        print_path(paths[i], out);
        buf_putc(out, '\n');
    }
}

void mount_plan_print(const struct mount_plan *plan, struct buf *out)
{
    buf_puts(out, "root");
    print_path(plan->rootfs ? plan->rootfs : "(given)", out);
    buf_puts(out, " on");
    print_path(plan->attach, out);
    if (plan->root_propagation.type)
        print_propagation(&plan->root_propagation, out);
    buf_putc(out, '\n');
    for (size_t i = 0; i < plan->n_steps; i++)
        print_step(&plan->steps[i], out);
    device_plan_print(&plan->devices, out);
    if (plan->want_console)
        buf_puts(out, "console on \"/dev/console\"\n");
    buf_puts(out, plan->no_pivot ? "switch by chroot\n" : "switch by pivot\n");
    print_paths("mask", plan->masked_paths, plan->n_masked_paths, out);
    print_paths("readonly", plan->readonly_paths, plan->n_readonly_paths, out);
    if (plan->is_root_readonly)
        buf_puts(out, "readonly \"/\"\n");
}
