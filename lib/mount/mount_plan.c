/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: decides what a container's mount namespace becomes. */
#include "mount_plan.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "mount_path.h"
#include "oci_config.h"
#include "strv.h"

#define CGROUP_MOUNT_DEFAULT "/sys/fs/cgroup"

/* What containers may have their own view of (lxcfs and the like). Everything else on procfs would let an image or a
 * volume pose as the kernel to the runtime's own writes. */
static const char *const proc_files[] = {
    "/proc/cpuinfo",
    "/proc/diskstats",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/net/dev",
    "/proc/slabinfo",
    "/proc/stat",
    "/proc/swaps",
    "/proc/sys/crypto/fips_enabled",
    "/proc/sys/kernel/ns_last_pid",
    "/proc/uptime",
};

struct plan_context {
    struct arena *arena;
    const struct oci_config *config;
    const struct mount_plan_input *input;
    struct mount_plan *plan;
    struct error *err;
};

static struct mount_propagation propagation_of(enum oci_propagation propagation)
{
    static const struct mount_propagation table[] = {
        [OCI_PROPAGATION_UNSET] = { 0, false },
        [OCI_PROPAGATION_SHARED] = { MS_SHARED, false },
        [OCI_PROPAGATION_RSHARED] = { MS_SHARED, true },
        [OCI_PROPAGATION_SLAVE] = { MS_SLAVE, false },
        [OCI_PROPAGATION_RSLAVE] = { MS_SLAVE, true },
        [OCI_PROPAGATION_PRIVATE] = { MS_PRIVATE, false },
        [OCI_PROPAGATION_RPRIVATE] = { MS_PRIVATE, true },
        [OCI_PROPAGATION_UNBINDABLE] = { MS_UNBINDABLE, false },
        [OCI_PROPAGATION_RUNBINDABLE] = { MS_UNBINDABLE, true },
    };

    return table[propagation];
}

static const char *path_on_host(const struct plan_context *c, const char *path)
{
    return path[0] == '/' ? path : arena_printf(c->arena, "%s/%s", c->input->bundle, path);
}

static bool has_hooks(const struct oci_config *config)
{
    return config->hooks[OCI_HOOK_PRESTART].n_items > 0 ||
           config->hooks[OCI_HOOK_CREATE_RUNTIME].n_items > 0 ||
           config->hooks[OCI_HOOK_CREATE_CONTAINER].n_items > 0;
}

/* New or joined, as opposed to the caller's. */
static bool has_namespace(const struct plan_context *c, enum oci_namespace_type type)
{
    return oci_namespace_find(c->config, type) != NULL;
}

/* --- one mount of the config ------------------------------------------------------------------------------------ */

static bool is_listed_proc_file(const char *destination)
{
    for (size_t i = 0; i < ARRAY_SIZE(proc_files); i++)
        if (str_eq(destination, proc_files[i]))
            return true;
    return false;
}

static int check_destination(const struct plan_context *c, struct mount_step *step)
{
    if (strlen(step->destination) >= MOUNT_PATH_MAX)
        return err_set(
            c->err, ENAMETOOLONG, "mount: destination is longer than %d bytes", MOUNT_PATH_MAX - 1);
    if (str_eq(step->destination, "/"))
        return err_set(c->err, EINVAL, "mount on /: the root is not a place for a mount");
    if (!mount_path_is_within(step->destination, "/proc"))
        return 0;
    if (str_eq(step->destination, "/proc")) {
        if (step->kind == MOUNT_STEP_FILESYSTEM && !str_eq(step->type, "proc"))
            return err_set(
                c->err, EINVAL, "mount on /proc: only procfs may be there, not %s", step->type);
        step->is_proc = true;
        return 0;
    }
    step->is_on_proc = is_listed_proc_file(step->destination);
    if (!step->is_on_proc)
        return err_set(c->err, EINVAL,
            "mount on %s: only single files such as /proc/meminfo may be covered in /proc",
            step->destination);
    return 0;
}

static void make_bind(struct mount_step *step, const char *source)
{
    step->kind = MOUNT_STEP_BIND;
    step->source = source;
    step->option.is_bind = true;
    step->option.sb_flags = 0;
    step->option.data = NULL;
    step->option.n_data = 0;
}

/* The kernel lets only the owner of the network namespace mount a sysfs. The host's is bound instead, and can be
 * nothing but read there. Why recursive when rootless: the kernel does not let go of mounts below that hide
 * something. */
static void plan_sysfs(const struct plan_context *c, struct mount_step *step)
{
    const uint64_t attrs =
        MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;

    if (!has_namespace(c, OCI_NAMESPACE_USER) || has_namespace(c, OCI_NAMESPACE_NETWORK))
        return;
    make_bind(step, "/sys");
    step->option.is_recursive = c->input->is_rootless;
    step->option.recursive = (struct mount_attrs){ .set = attrs };
    step->option.attrs.clear &= ~attrs;
}

/* Without a cgroup namespace a new instance would show the whole hierarchy all the same, and mounting one there resets
 * the hierarchy's own options (nsdelegate) for the host: the host's mount is bound, and never writable by a user
 * namespace. */
static void plan_cgroup(const struct plan_context *c, struct mount_step *step)
{
    step->type = "cgroup2";
    if (has_namespace(c, OCI_NAMESPACE_CGROUP))
        return;
    make_bind(step, c->input->cgroup_mount ? c->input->cgroup_mount : CGROUP_MOUNT_DEFAULT);
    step->option.is_recursive = true;
    if (has_namespace(c, OCI_NAMESPACE_USER)) {
        step->option.recursive.set |= MOUNT_ATTR_RDONLY;
        step->option.recursive.clear &= ~(uint64_t)MOUNT_ATTR_RDONLY;
        step->option.attrs.clear &= ~(uint64_t)MOUNT_ATTR_RDONLY;
    }
}

/* cgroup (v1) options such as a controller's name mean nothing to v2. */
static bool is_cgroup(const char *type)
{
    return str_eq(type, "cgroup") || str_eq(type, "cgroup2");
}

static void plan_label(const struct plan_context *c, struct mount_step *step)
{
    const char *label = c->config->linux_.mount_label;
    struct mount_option *option = &step->option;
    struct mount_data *data;

    if (!label || str_eq(step->type, "proc") || str_eq(step->type, "sysfs") ||
        is_cgroup(step->type) || str_eq(step->type, "mqueue"))
        return;
    data = arena_new_array(c->arena, option->n_data + 1, struct mount_data);
    if (option->n_data > 0)
        memcpy(data, option->data, option->n_data * sizeof(*data));
    data[option->n_data] = (struct mount_data){ .key = "context", .value = label };
    option->data = data;
    option->n_data++;
}

static int plan_filesystem(const struct plan_context *c, struct mount_step *step)
{
    step->kind = MOUNT_STEP_FILESYSTEM;
    if (!step->type)
        return err_set(
            c->err, EINVAL, "mount on %s: neither a type nor a bind option", step->destination);
    if (str_eq(step->type, "sysfs"))
        plan_sysfs(c, step);
    if (is_cgroup(step->type))
        plan_cgroup(c, step);
    if (step->kind == MOUNT_STEP_FILESYSTEM)
        plan_label(c, step);
    if (step->option.want_copy_up && !str_eq(step->type, "tmpfs"))
        return err_set(c->err, EINVAL, "mount on %s: tmpcopyup is for tmpfs", step->destination);
    return 0;
}

static int plan_bind(const struct plan_context *c, struct mount_step *step)
{
    if (!step->source)
        return err_set(c->err, EINVAL, "mount on %s: a bind without a source", step->destination);
    if (step->option.n_data > 0)
        return err_set(c->err, EINVAL, "mount on %s: option %s is not known for a bind",
            step->destination, step->option.data[0].key);
    if (step->option.want_copy_up)
        return err_set(c->err, EINVAL, "mount on %s: tmpcopyup is for tmpfs", step->destination);
    make_bind(step, path_on_host(c, step->source));
    return 0;
}

static int plan_remount(const struct plan_context *c, struct mount_step *step)
{
    step->kind = MOUNT_STEP_REMOUNT;
    if (step->option.n_data > 0 || step->option.sb_flags)
        return err_set(c->err, ENOTSUP,
            "mount on %s: remount changes attributes of a mount, not of its filesystem",
            step->destination);
    if (step->option.idmap != MOUNT_IDMAP_NONE)
        return err_set(c->err, EINVAL, "mount on %s: remount cannot map ids", step->destination);
    return 0;
}

static int plan_idmap(
    const struct plan_context *c, struct mount_step *step, const struct oci_mount *mount)
{
    bool has_maps = mount->n_uid_mappings > 0 || mount->n_gid_mappings > 0;

    if (has_maps &&
        step->option.idmap == MOUNT_IDMAP_NONE) /* the spec: mappings alone mean idmap */
        step->option.idmap = MOUNT_IDMAP_TOP;
    if (step->option.idmap == MOUNT_IDMAP_NONE)
        return 0;
    if (step->kind != MOUNT_STEP_BIND)
        return err_set(
            c->err, ENOTSUP, "mount on %s: only binds can be idmapped", step->destination);
    if (c->input->is_rootless)
        return err_set(
            c->err, EPERM, "mount on %s: idmapped mounts need host privilege", step->destination);
    if (has_maps) {
        if (mount->n_uid_mappings == 0 || mount->n_gid_mappings == 0)
            return err_set(c->err, EINVAL, "mount on %s: uidMappings and gidMappings go together",
                step->destination);
        step->uid_mappings = mount->uid_mappings;
        step->n_uid_mappings = mount->n_uid_mappings;
        step->gid_mappings = mount->gid_mappings;
        step->n_gid_mappings = mount->n_gid_mappings;
        return 0;
    }
    if (!has_namespace(c, OCI_NAMESPACE_USER))
        return err_set(c->err, EINVAL,
            "mount on %s: idmap without mappings and without a user namespace", step->destination);
    step->is_own_idmap = true;
    c->plan->need_own_userns = true;
    return 0;
}

/* A bind stays a peer of the host's mount only when its own options say so. */
static void plan_propagation(const struct plan_context *c, struct mount_step *step)
{
    bool is_slave = c->plan->root_propagation.type == MS_SLAVE;

    if (step->kind != MOUNT_STEP_BIND || step->option.n_propagation > 0)
        return;
    step->option.propagation[0] =
        (struct mount_propagation){ .type = is_slave ? MS_SLAVE : MS_PRIVATE,
            .is_recursive = true };
    step->option.n_propagation = 1;
}

static int plan_step(
    const struct plan_context *c, const struct oci_mount *mount, struct mount_step *step)
{
    int r = mount_option_parse(c->arena, mount->options, mount->n_options, &step->option, c->err);

    step->source = mount->source;
    step->type = mount->type;
    step->destination = mount_path_clean(c->arena, mount->destination);
    if (r < 0)
        return err_in(c->err, "mount on %s", step->destination);
    if (step->option.is_remount)
        r = plan_remount(c, step);
    else if (step->option.is_bind || str_eq(step->type, "bind"))
        r = plan_bind(c, step);
    else
        r = plan_filesystem(c, step);
    if (r < 0)
        return r;
    r = plan_idmap(c, step, mount);
    if (r < 0)
        return r;
    plan_propagation(c, step);
    return check_destination(c, step);
}

static int plan_steps(const struct plan_context *c)
{
    size_t n = c->config->n_mounts;

    if (n > MOUNT_STEPS_MAX)
        return err_set(c->err, E2BIG, "mounts: more than %d", MOUNT_STEPS_MAX);
    if (n == 0)
        return 0;
    c->plan->steps = arena_new_array(c->arena, n, struct mount_step);
    for (size_t i = 0; i < n; i++) {
        int r = plan_step(c, &c->config->mounts[i], &c->plan->steps[i]);

        if (r < 0)
            return r;
    }
    c->plan->n_steps = n;
    return 0;
}

/* --- the whole -------------------------------------------------------------------------------------------------- */

static int plan_root(const struct plan_context *c)
{
    const struct oci_config *config = c->config;
    struct mount_plan *plan = c->plan;

    if (!c->input->is_rootfs_given) {
        if (!config->root.path)
            return err_set(c->err, EINVAL, "root.path: is required");
        plan->rootfs = path_on_host(c, config->root.path);
    }
    plan->attach = plan->rootfs && has_hooks(config) && !c->input->no_pivot ? plan->rootfs : "/";
    plan->root_propagation = propagation_of(config->linux_.rootfs_propagation);
    plan->is_root_readonly = config->root.readonly;
    plan->no_pivot = c->input->no_pivot;
    return 0;
}

static enum device_way plan_device_way(const struct plan_context *c)
{
    if (!has_namespace(c, OCI_NAMESPACE_USER))
        return DEVICE_MAKE;
    /* the maps of a joined namespace are not ours to know, so the owners could not be set */
    if (c->input->is_rootless || c->config->linux_.n_uid_mappings == 0)
        return DEVICE_BIND_HOST;
    return DEVICE_BIND_FRESH;
}

static int check_namespace(const struct plan_context *c)
{
    const struct oci_namespace *mount = oci_namespace_find(c->config, OCI_NAMESPACE_MOUNT);

    if (!mount || mount->path)
        return err_set(c->err, EINVAL, "linux.namespaces: a new mount namespace is required");
    return 0;
}

static char *const *clean_paths(struct arena *arena, char *const *paths, size_t n)
{
    char **clean = n > 0 ? arena_new_array(arena, n, char *) : NULL;

    for (size_t i = 0; i < n; i++)
        clean[i] = arena_strdup(arena, mount_path_clean(arena, paths[i]));
    return clean;
}

/* In the bounding set: what may be had later counts too. */
static bool has_admin(const struct oci_config *config)
{
    const struct oci_capabilities *caps = config->process ? config->process->capabilities : NULL;

    for (size_t i = 0; caps && i < caps->n_bounding; i++) {
        if (str_eq(caps->bounding[i], "CAP_SYS_ADMIN"))
            return true;
    }
    return false;
}

int mount_plan_build(struct arena *arena, const struct oci_config *config,
    const struct mount_plan_input *input, struct mount_plan *ret, struct error *err)
{
    const struct oci_linux *linux_ = &config->linux_;
    struct mount_plan plan = {
        .want_console = config->process && config->process->terminal,
        .uid_mappings = linux_->uid_mappings,
        .n_uid_mappings = linux_->n_uid_mappings,
        .gid_mappings = linux_->gid_mappings,
        .n_gid_mappings = linux_->n_gid_mappings,
        .masked_paths = clean_paths(arena, linux_->masked_paths, linux_->n_masked_paths),
        .n_masked_paths = linux_->n_masked_paths,
        .readonly_paths = clean_paths(arena, linux_->readonly_paths, linux_->n_readonly_paths),
        .n_readonly_paths = linux_->n_readonly_paths,
    };
    struct plan_context c = {
        .arena = arena, .config = config, .input = input, .plan = &plan, .err = err
    };
    int r = check_namespace(&c);

    plan.has_user_namespace = has_namespace(&c, OCI_NAMESPACE_USER);
    plan.can_undo_readonly = plan.has_user_namespace && !input->is_rootless && has_admin(config);
    if (r == 0)
        r = plan_root(&c);
    if (r == 0)
        r = plan_steps(&c);
    if (r == 0)
        r = device_plan_build(arena, config, plan_device_way(&c), &plan.devices, err);
    if (r < 0)
        return r;
    *ret = plan;
    return 0;
}
