/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: the list of device nodes and links in /dev. */
#include "device_plan.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "mount_path.h"
#include "oci_config.h"
#include "strv.h"

#define DEVICE_MODE_DEFAULT 0666

static const struct device_node default_nodes[] = {
    { .path = "/dev/null", .type = 'c', .major = 1, .minor = 3, .mode = DEVICE_MODE_DEFAULT },
    { .path = "/dev/zero", .type = 'c', .major = 1, .minor = 5, .mode = DEVICE_MODE_DEFAULT },
    { .path = "/dev/full", .type = 'c', .major = 1, .minor = 7, .mode = DEVICE_MODE_DEFAULT },
    { .path = "/dev/random", .type = 'c', .major = 1, .minor = 8, .mode = DEVICE_MODE_DEFAULT },
    { .path = "/dev/urandom", .type = 'c', .major = 1, .minor = 9, .mode = DEVICE_MODE_DEFAULT },
    { .path = "/dev/tty", .type = 'c', .major = 5, .minor = 0, .mode = DEVICE_MODE_DEFAULT },
};

/* ptmx by the spec is a bind or a link to pts/ptmx; core is what every runtime makes. */
static const struct device_link default_links[] = {
    { "/dev/fd", "/proc/self/fd" },
    { "/dev/stdin", "/proc/self/fd/0" },
    { "/dev/stdout", "/proc/self/fd/1" },
    { "/dev/stderr", "/proc/self/fd/2" },
    { "/dev/core", "/proc/kcore" },
    { "/dev/ptmx", "pts/ptmx" },
};

static bool is_bind(const struct oci_mount *mount)
{
    if (str_eq(mount->type, "bind"))
        return true;
    for (size_t i = 0; i < mount->n_options; i++)
        if (str_eq(mount->options[i], "bind") || str_eq(mount->options[i], "rbind"))
            return true;
    return false;
}

static bool has_dev_bind(struct arena *arena, const struct oci_config *config)
{
    for (size_t i = 0; i < config->n_mounts; i++)
        if (is_bind(&config->mounts[i]) &&
            str_eq(mount_path_clean(arena, config->mounts[i].destination), "/dev"))
            return true;
    return false;
}

static int check_device(const struct device_node *node, struct error *err)
{
    if (str_eq(node->path, "/"))
        return err_set(err, EINVAL, "device %s: not a place for a device", node->path);
    if (mount_path_is_within(node->path, "/proc") || mount_path_is_within(node->path, "/sys"))
        return err_set(err, EINVAL, "device %s: no device is made in /proc or /sys", node->path);
    if (node->type != 'c' && node->type != 'b' && node->type != 'p')
        return err_set(err, EINVAL, "device %s: type is not c, b or p", node->path);
    return 0;
}

/* A device of the config takes the place of the default, or of an earlier one, with its path. */
static void put_node(struct device_plan *plan, const struct device_node *node)
{
    for (size_t i = 0; i < plan->n_nodes; i++)
        if (str_eq(plan->nodes[i].path, node->path)) {
            plan->nodes[i] = *node;
            return;
        }
    plan->nodes[plan->n_nodes++] = *node;
}

static int put_device(struct arena *arena, struct device_plan *plan,
    const struct oci_device *device, struct error *err)
{
    struct device_node node = {
        .path = mount_path_clean(arena, device->path),
        .type = device->type,
        .major = device->major,
        .minor = device->minor,
        .mode = device->has_file_mode ? device->file_mode : DEVICE_MODE_DEFAULT,
        .uid = device->has_uid ? device->uid : 0,
        .gid = device->has_gid ? device->gid : 0,
    };
    int r = check_device(&node, err);

    if (r < 0)
        return r;
    put_node(plan, &node);
    return 0;
}

int device_plan_build(struct arena *arena, const struct oci_config *config, enum device_way way,
    struct device_plan *ret, struct error *err)
{
    struct device_plan plan = { .way = way };

    if (has_dev_bind(arena, config)) {
        *ret = plan;
        return 0;
    }
    plan.nodes = arena_new_array(
        arena, ARRAY_SIZE(default_nodes) + config->linux_.n_devices, struct device_node);
    memcpy(plan.nodes, default_nodes, sizeof(default_nodes));
    plan.n_nodes = ARRAY_SIZE(default_nodes);
    plan.links = default_links;
    plan.n_links = ARRAY_SIZE(default_links);
    for (size_t i = 0; i < config->linux_.n_devices; i++) {
        int r = put_device(arena, &plan, &config->linux_.devices[i], err);

        if (r < 0)
            return r;
    }
    *ret = plan;
    return 0;
}

void device_plan_print(const struct device_plan *plan, struct buf *out)
{
    static const char *const ways[] = { "make", "bind fresh", "bind host" };

    for (size_t i = 0; i < plan->n_nodes; i++) {
        const struct device_node *node = &plan->nodes[i];

        buf_puts(out, "device ");
        buf_put_quoted(out, node->path, strlen(node->path));
        buf_printf(out, " %s %c %u:%u mode %04o owner %u:%u\n", ways[plan->way], node->type,
            node->major, node->minor, node->mode, node->uid, node->gid);
    }
    for (size_t i = 0; i < plan->n_links; i++)
        buf_printf(out, "link %s -> %s\n", plan->links[i].path, plan->links[i].target);
}
