/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: makes a detached mount of a new filesystem instance out of a step. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "mount_call.h"
#include "mount_internal.h"
#include "mount_plan.h"
#include "role.h"
#include "strv.h"

#define MODE_TEXT_SIZE 8

static int fail_call(
    const struct mount_step *step, int fs_fd, const char *what, int code, struct error *err)
{
    char line[KERNEL_MOUNT_LOG_MAX];
    const char *hint = "";

    if (fs_fd >= 0 && kernel_fs_log(fs_fd, line, sizeof(line)) > 0)
        return err_sys(
            err, code, "mount on %s: %s: %s: %s", step->destination, step->type, what, line);
    if (code == -ENODEV)
        hint = " (this kernel does not know the filesystem)";
    else if (code == -EPERM && str_eq(step->type, "sysfs"))
        hint = " (the network namespace is not the container's own)";
    else if (code == -EPERM && str_eq(step->type, "proc"))
        hint = " (needs a pid namespace of its own, and a /proc outside that nothing covers)";
    return err_sys(err, code, "mount on %s: %s: %s%s", step->destination, step->type, what, hint);
}

/* Of these, "ro" is a matter of the mount; the filesystem itself is the kernel's or new and empty. */
static bool is_pseudo(const char *type)
{
    static const char *const types[] = { "tmpfs", "proc", "sysfs", "devpts", "mqueue", "cgroup2" };

    for (size_t i = 0; i < ARRAY_SIZE(types); i++)
        if (str_eq(type, types[i]))
            return true;
    return false;
}

static bool has_data(const struct mount_option *option, const char *key)
{
    for (size_t i = 0; i < option->n_data; i++)
        if (str_eq(option->data[i].key, key))
            return true;
    return false;
}

static int set_flags(const struct mount_step *step, int fs_fd)
{
    int r = 0;

    for (unsigned bit = 0; r == 0 && bit < MOUNT_SB_FLAGS; bit++)
        if (step->option.sb_flags & (1U << bit))
            r = kernel_fsconfig_flag(fs_fd, mount_sb_flag_name(bit));
    if (r == 0 && !is_pseudo(step->type) &&
        (mount_attrs_merge(&step->option).set & MOUNT_ATTR_RDONLY))
        r = kernel_fsconfig_flag(fs_fd, "ro");
    return r;
}

/* As every runtime does, a tmpfs over a directory of the image has that directory's mode, unless told. */
static int set_tmpfs_mode(
    const struct mount_step *step, int fs_fd, int target_fd, bool is_new_target)
{
    char mode[MODE_TEXT_SIZE];
    struct stat st;
    int r;

    if (!str_eq(step->type, "tmpfs") || is_new_target || has_data(&step->option, "mode"))
        return 0;
    r = kernel_fstat(target_fd, &st);
    if (r < 0)
        return r;
    (void)snprintf(mode, sizeof(mode), "%04o", st.st_mode & 07777U);
    return kernel_fsconfig_string(fs_fd, "mode", mode);
}

static int configure(
    const struct mount_step *step, int fs_fd, int target_fd, bool is_new_target, struct error *err)
{
    int r = step->source ? kernel_fsconfig_string(fs_fd, "source", step->source) : 0;

    if (r < 0)
        return fail_call(step, fs_fd, "source", r, err);
    r = set_flags(step, fs_fd);
    if (r < 0)
        return fail_call(step, fs_fd, "flags", r, err);
    for (size_t i = 0; i < step->option.n_data; i++) {
        const struct mount_data *data = &step->option.data[i];

        r = data->value ? kernel_fsconfig_string(fs_fd, data->key, data->value)
                        : kernel_fsconfig_flag(fs_fd, data->key);
        if (r < 0)
            return fail_call(step, fs_fd, data->key, r, err);
    }
    r = set_tmpfs_mode(step, fs_fd, target_fd, is_new_target);
    if (r < 0)
        return fail_call(step, fs_fd, "mode", r, err);
    r = kernel_fsconfig_create(fs_fd);
    return r < 0 ? fail_call(step, fs_fd, "create", r, err) : 0;
}

static int set_owner(const struct mount_step *step, int mount_fd, int target_fd)
{
    struct stat st;
    int r = kernel_fstat(target_fd, &st);

    if (r < 0 || has_data(&step->option, "uid") || has_data(&step->option, "gid"))
        return r;
    return kernel_fchownat(mount_fd, "", st.st_uid, st.st_gid, AT_EMPTY_PATH);
}

/* Written to while it is writable, whatever it is to be in the end. */
static int fill(
    const struct mount_step *step, int mount_fd, int target_fd, uint64_t attrs, struct error *err)
{
    const struct kernel_mount_attr attr = { .set = attrs };
    autoclose int from_fd = kernel_openat(target_fd, ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    int r;

    if (from_fd < 0)
        return err_sys(err, from_fd, "mount on %s: open for tmpcopyup", step->destination);
    r = mount_copy_up(from_fd, mount_fd, step->destination, err);
    if (r < 0)
        return r;
    r = set_owner(step, mount_fd, target_fd);
    if (r < 0)
        return err_sys(err, r, "mount on %s: owner for tmpcopyup", step->destination);
    if (attrs == 0)
        return 0;
    r = kernel_mount_setattr(mount_fd, "", AT_EMPTY_PATH, &attr);
    return r < 0 ? err_sys(err, r, "mount on %s: mount_setattr", step->destination) : 0;
}

int mount_filesystem_make(
    const struct mount_step *step, int target_fd, bool is_new_target, struct error *err)
{
    role_require(ROLE_INIT);
    uint64_t attrs = mount_attrs_merge(&step->option).set;
    bool want_fill = step->option.want_copy_up;
    autoclose int fs_fd = kernel_fsopen(step->type);
    autoclose int mount_fd = -1;
    int r;

    if (fs_fd < 0)
        return fail_call(step, -1, "fsopen", fs_fd, err);
    r = configure(step, fs_fd, target_fd, is_new_target, err);
    if (r < 0)
        return r;
    mount_fd =
        kernel_fsmount(fs_fd, (unsigned)(want_fill ? attrs & ~(uint64_t)MOUNT_ATTR_RDONLY : attrs));
    if (mount_fd < 0)
        return fail_call(step, fs_fd, "fsmount", mount_fd, err);
    if (want_fill) {
        r = fill(step, mount_fd, target_fd, attrs & MOUNT_ATTR_RDONLY, err);
        if (r < 0)
            return r;
    }
    return take_fd(&mount_fd);
}
