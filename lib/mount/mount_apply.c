/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: hangs the root and then each step of the plan into the new mount namespace. */
#include "mount_apply.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "mount_call.h"
#include "mount_internal.h"
#include "mount_plan.h"
#include "mount_source.h"
#include "role.h"
#include "strv.h"
#include "trace.h"
#include "tty.h"

/* --- root ------------------------------------------------------------------------------------------------------- */

/* The host's null device, for masks, while the host's tree can still be reached: a name inside the root may be
 * anything. */
static int open_null(const struct mount_context *c)
{
    const struct kernel_mount_attr attr = { .set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
                                                   MOUNT_ATTR_NOEXEC };
    struct stat st;
    int r;

    if (c->plan->n_masked_paths == 0)
        return 0;
    c->root->null_fd =
        kernel_open_tree(AT_FDCWD, "/dev/null", OPEN_TREE_CLONE | AT_SYMLINK_NOFOLLOW);
    if (c->root->null_fd < 0)
        return err_sys(c->err, c->root->null_fd, "host's /dev/null: open_tree");
    r = kernel_fstat(c->root->null_fd, &st);
    if (r < 0)
        return err_sys(c->err, r, "host's /dev/null: stat");
    if (!S_ISCHR(st.st_mode) || st.st_rdev != KERNEL_DEV_NULL)
        return err_set(c->err, ENODEV, "host's /dev/null: not the null device");
    r = kernel_mount_setattr(c->root->null_fd, "", AT_EMPTY_PATH, &attr);
    return r < 0 ? err_sys(c->err, r, "host's /dev/null: mount_setattr") : 0;
}

/* Over "/" a mount is hidden from all paths of this process, whose own root stays below it, until the switch. */
static int attach_over_root(int mount_fd)
{
    return kernel_move_mount(mount_fd, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH);
}

static int attach_root(const struct mount_context *c)
{
    int *fdp = &c->sources->rootfs_fd;
    int r = str_eq(c->plan->attach, "/")
                ? -EACCES
                : kernel_move_mount(*fdp, "", AT_FDCWD, c->plan->attach, MOVE_MOUNT_F_EMPTY_PATH);

    if (r ==
        -EACCES) /* root of a user namespace may be unable to walk to the path; only hooks would look for it there */
        r = attach_over_root(*fdp);
    if (r < 0)
        return err_sys(c->err, r, "rootfs: attach on %s", c->plan->attach);
    c->root->root.fd = take_fd(fdp);
    return 0;
}

static int prepare_root(const struct mount_context *c)
{
    int r = kernel_mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);

    if (r < 0)
        return err_sys(c->err, r, "mount namespace: stop propagation to the host");
    r = open_null(c);
    if (r < 0)
        return r;
    if (c->sources->nodes_fd >= 0) {
        r = attach_over_root(c->sources->nodes_fd);
        if (r < 0)
            return err_sys(c->err, r, "devices: attach fresh nodes");
    }
    return attach_root(c);
}

/* --- targets ---------------------------------------------------------------------------------------------------- */

struct target {
    int fd; /* O_PATH */
    bool is_new;
};

static int fail_target(const struct mount_context *c, const struct mount_step *step, int code)
{
    if (step->is_proc && (code == -ELOOP || code == -ENOTDIR))
        return err_set(c->err, code,
            "mount on /proc: the root has a link or a file there, a directory is required");
    return err_sys(c->err, code, "mount on %s: destination", step->destination);
}

int mount_parent_open(
    const struct root *root, const char *path, const char **ret_name, struct error *err)
{
    char parent[MOUNT_PATH_MAX];
    size_t len = (size_t)(strrchr(path, '/') - path);
    int fd;

    role_require(ROLE_INIT);
    if (len >= sizeof(parent))
        return err_set(err, ENAMETOOLONG, "%s: path is too long", path);
    memcpy(parent, path, len);
    parent[len] = '\0';
    fd = root_mkdirs(root, len > 0 ? parent : "/", MOUNT_DIRECTORY_MODE);
    if (fd < 0)
        return err_sys(err, fd, "%s: its directory", path);
    *ret_name = path + len + 1;
    return fd;
}

/* An empty file under exactly the name, for dest-nofollow. */
static int make_file_nofollow(const struct mount_context *c, const struct mount_step *step)
{
    const char *name = NULL;
    autoclose int dirfd = mount_parent_open(&c->root->root, step->destination, &name, c->err);
    int r = dirfd < 0 ? dirfd : kernel_mknodat(dirfd, name, S_IFREG | MOUNT_FILE_MODE, 0);

    if (dirfd < 0)
        return dirfd;
    if (r == 0)
        r = kernel_openat(dirfd, name, O_PATH | O_NOFOLLOW, 0);
    return r < 0 ? fail_target(c, step, r) : r;
}

static int make_target(
    const struct mount_context *c, const struct mount_step *step, bool is_directory)
{
    const struct root *root = &c->root->root;
    int fd;

    if (!is_directory && step->option.is_target_nofollow)
        return make_file_nofollow(c, step);
    fd = is_directory ? root_mkdirs(root, step->destination, MOUNT_DIRECTORY_MODE)
                      : root_create_file(root, step->destination, MOUNT_FILE_MODE);
    return fd < 0 ? fail_target(c, step, fd) : fd;
}

/* A link in the image may lead the destination onto procfs, where the runtime will write and read: only what the plan
 * allowed by name may be there. */
static int check_target(const struct mount_context *c, const struct mount_step *step, int fd)
{
    struct statfs fs;
    int r;

    if (step->is_proc || step->is_on_proc)
        return 0;
    r = kernel_fstatfs(fd, &fs);
    if (r < 0)
        return fail_target(c, step, r);
    if (fs.f_type == KERNEL_MAGIC_PROC)
        return err_set(
            c->err, EINVAL, "mount on %s: destination leads into /proc", step->destination);
    return 0;
}

/* Most destinations are directories in a /dev that is still empty: two calls on the fd that is kept, not a walk.
 * -EAGAIN: it is not such a one. */
static int make_in_dev(
    const struct mount_context *c, const struct mount_step *step, bool is_directory)
{
    const char *name = step->destination + strlen("/dev/");

    if (!is_directory || c->root->dev_fd < 0 || !str_starts(step->destination, "/dev/") ||
        strchr(name, '/'))
        return -EAGAIN;
    if (kernel_mkdirat(c->root->dev_fd, name, MOUNT_DIRECTORY_MODE) < 0)
        return -EAGAIN;
    return kernel_openat(c->root->dev_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
}

static int open_target(const struct mount_context *c, const struct mount_step *step,
    bool is_directory, struct target *ret)
{
    bool is_nofollow = step->is_proc || step->option.is_target_nofollow;
    uint64_t flags = O_PATH | (is_directory ? O_DIRECTORY : 0) | (is_nofollow ? O_NOFOLLOW : 0);
    autoclose int fd = make_in_dev(c, step, is_directory);
    bool is_new = fd != -EAGAIN;
    int r;

    if (!is_new)
        fd = root_resolve(&c->root->root, step->destination, flags);
    if (fd == -ENOENT && step->kind != MOUNT_STEP_REMOUNT) {
        is_new = true;
        fd = make_target(c, step, is_directory);
        if (fd < 0)
            return fd;
    }
    if (fd < 0)
        return fail_target(c, step, fd);
    r = check_target(c, step, fd);
    if (r < 0)
        return r;
    *ret = (struct target){ .fd = take_fd(&fd), .is_new = is_new };
    return 0;
}

/* --- steps ------------------------------------------------------------------------------------------------------ */

static bool is_mismatch(int mount_fd, int target_fd)
{
    struct stat mount_st;
    struct stat target_st;

    return kernel_fstat(mount_fd, &mount_st) == 0 && kernel_fstat(target_fd, &target_st) == 0 &&
           S_ISDIR(mount_st.st_mode) != S_ISDIR(target_st.st_mode);
}

static int move_to(
    const struct mount_context *c, const struct mount_step *step, int mount_fd, int target_fd)
{
    int r = kernel_move_mount_fd(mount_fd, target_fd);

    if (r < 0 && is_mismatch(mount_fd, target_fd))
        return err_set(c->err, ENOTDIR,
            "mount on %s: one of source and destination is a directory, the other is not",
            step->destination);
    return r < 0 ? err_sys(c->err, r, "mount on %s: move_mount", step->destination) : 0;
}

static void replace_fd(int *fdp, int *newer_fdp)
{
    cleanup_close(fdp);
    *fdp = take_fd(newer_fdp);
}

/* Later steps, devices and masks go there again and again, and not by name: who shares the root may have moved it. */
static void keep_fd(const struct mount_context *c, const struct mount_step *step, int *mount_fdp)
{
    if (str_eq(step->destination, "/proc"))
        replace_fd(&c->root->proc_fd, mount_fdp);
    else if (str_eq(step->destination, "/sys"))
        replace_fd(&c->root->sys_fd, mount_fdp);
    else if (str_eq(step->destination, "/dev") && c->root->dev_fd < 0)
        c->root->dev_fd = take_fd(mount_fdp);
    else if (str_eq(step->destination, "/dev/pts") && str_eq(step->type, "devpts") &&
             c->root->devpts_fd < 0)
        c->root->devpts_fd = take_fd(mount_fdp);
}

/* A new mount is private as it is. */
static int set_propagation(
    const struct mount_context *c, const struct mount_step *step, int mount_fd)
{
    for (size_t i = 0; i < step->option.n_propagation; i++) {
        const struct kernel_mount_attr attr = { .propagation = step->option.propagation[i].type };
        int r = i == 0 && attr.propagation == MS_PRIVATE
                    ? 0
                    : kernel_mount_setattr(mount_fd, "", AT_EMPTY_PATH, &attr);

        if (r < 0)
            return err_sys(c->err, r, "mount on %s: propagation", step->destination);
    }
    return 0;
}

static int apply_filesystem(const struct mount_context *c, const struct mount_step *step)
{
    struct target target;
    int r = open_target(c, step, true, &target);
    autoclose int target_fd = r < 0 ? -1 : target.fd;
    autoclose int mount_fd = -1;

    if (r < 0)
        return r;
    mount_fd = mount_filesystem_make(step, target_fd, target.is_new, c->err);
    if (mount_fd < 0)
        return mount_fd;
    r = move_to(c, step, mount_fd, target_fd);
    if (r == 0)
        r = set_propagation(c, step, mount_fd);
    if (r == 0)
        keep_fd(c, step, &mount_fd);
    return r;
}

/* copy-symlink */
static int apply_link(
    const struct mount_context *c, const struct mount_step *step, const char *text)
{
    char there[MOUNT_PATH_MAX];
    const char *name = NULL;
    autoclose int dirfd = mount_parent_open(&c->root->root, step->destination, &name, c->err);
    int r;

    if (dirfd < 0)
        return dirfd;
    r = check_target(c, step, dirfd);
    if (r < 0)
        return r;
    r = kernel_symlinkat(text, dirfd, name);
    if (r == -EEXIST && kernel_readlinkat(dirfd, name, there, sizeof(there)) >= 0 &&
        str_eq(there, text))
        r = 0;
    return r < 0 ? err_sys(c->err, r, "mount on %s: symlink", step->destination) : 0;
}

static int apply_bind(
    const struct mount_context *c, const struct mount_step *step, struct mount_source *source)
{
    struct target target;
    int r;

    if (source->link)
        return apply_link(c, step, source->link);
    r = open_target(c, step, source->is_directory, &target);
    if (r < 0)
        return r;
    r = move_to(c, step, source->fd, target.fd);
    cleanup_close(&target.fd);
    if (r == 0)
        keep_fd(c, step, &source->fd);
    return r;
}

static int apply_remount(const struct mount_context *c, const struct mount_step *step)
{
    const struct mount_option *option = &step->option;
    const struct kernel_mount_attr whole = { .set = option->recursive.set,
        .clear = option->recursive.clear };
    const struct kernel_mount_attr top = { .set = option->attrs.set, .clear = option->attrs.clear };
    struct target target;
    int r = open_target(c, step, false, &target);
    autoclose int fd = r < 0 ? -1 : target.fd;

    if (r < 0)
        return r;
    if (whole.set || whole.clear)
        r = kernel_mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &whole);
    if (r == 0 && (top.set || top.clear))
        r = kernel_mount_setattr(fd, "", AT_EMPTY_PATH, &top);
    for (size_t i = 0; r == 0 && i < option->n_propagation; i++) {
        const struct mount_propagation *propagation = &option->propagation[i];
        const struct kernel_mount_attr attr = { .propagation = propagation->type };

        r = kernel_mount_setattr(fd, "",
            AT_EMPTY_PATH | (propagation->is_recursive ? (unsigned)AT_RECURSIVE : 0), &attr);
    }
    return r < 0 ? err_sys(c->err, r, "mount on %s: remount", step->destination) : 0;
}

static int apply_step(const struct mount_context *c, size_t i)
{
    const struct mount_step *step = &c->plan->steps[i];

    trace("mount", "step %zu: %s on %s", i, step->type ? step->type : "bind", step->destination);
    switch (step->kind) {
    case MOUNT_STEP_FILESYSTEM:
        return apply_filesystem(c, step);
    case MOUNT_STEP_BIND:
        return apply_bind(c, step, &c->sources->steps[i]);
    case MOUNT_STEP_REMOUNT:
        return apply_remount(c, step);
    }
    return err_set(c->err, EINVAL, "mount on %s: unknown kind of step", step->destination);
}

static int apply_all(const struct mount_context *c)
{
    int r = prepare_root(c);

    for (size_t i = 0; r == 0 && i < c->plan->n_steps; i++)
        r = apply_step(c, i);
    return r == 0 ? device_apply(c) : r;
}

int mount_apply(const struct mount_plan *plan, struct mount_sources *sources,
    struct mount_root *ret, struct error *err)
{
    struct mount_root root = MOUNT_ROOT_INIT;
    const struct mount_context c = { .plan = plan, .sources = sources, .root = &root, .err = err };
    mode_t umask_before;
    int r;

    role_require(ROLE_INIT);
    umask_before = kernel_umask(0);
    r = apply_all(&c);
    (void)kernel_umask(umask_before);
    if (r < 0) {
        mount_root_done(&root);
        return r;
    }
    *ret = root;
    return 0;
}

/* --- console ---------------------------------------------------------------------------------------------------- */

int console_open_apply(
    const struct mount_root *root, int *ret_controller, int *ret_terminal, struct error *err)
{
    autoclose int owned_fd = -1;
    int devpts_fd = root->devpts_fd;
    unsigned number;
    int r;

    role_require(ROLE_INIT);
    if (devpts_fd < 0)
        devpts_fd = owned_fd = root_resolve(&root->root, "/dev/pts", O_PATH | O_DIRECTORY);
    r = devpts_fd < 0 ? devpts_fd : tty_open_pair(devpts_fd, ret_controller, ret_terminal, &number);
    return r < 0 ? err_sys(err, r, "console: new terminal of the devpts on /dev/pts") : 0;
}

/* By name within the directory fd: move_mount does not follow a link in the last place. */
int console_mount_apply(struct mount_root *root, int terminal_fd, struct error *err)
{
    autoclose int tree_fd = -1;
    int r;

    role_require(ROLE_INIT);
    if (!tty_is_terminal(terminal_fd))
        return err_set(err, ENOTTY, "console: not a terminal");
    if (root->dev_fd < 0)
        root->dev_fd = root_mkdirs(&root->root, "/dev", MOUNT_DIRECTORY_MODE);
    if (root->dev_fd < 0)
        return err_sys(err, root->dev_fd, "console: /dev");
    tree_fd = kernel_open_tree(terminal_fd, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
    if (tree_fd < 0)
        return err_sys(err, tree_fd, "console: open_tree");
    r = kernel_mknodat(root->dev_fd, "console", S_IFREG, 0);
    if (r == 0 || r == -EEXIST)
        r = kernel_move_mount(tree_fd, "", root->dev_fd, "console", MOVE_MOUNT_F_EMPTY_PATH);
    return r < 0 ? err_sys(err, r, "console: mount on /dev/console") : 0;
}

void mount_root_done(struct mount_root *root)
{
    if (!root)
        return;
    root_done(&root->root);
    cleanup_close(&root->dev_fd);
    cleanup_close(&root->devpts_fd);
    cleanup_close(&root->proc_fd);
    cleanup_close(&root->sys_fd);
    cleanup_close(&root->null_fd);
    *root = (struct mount_root)MOUNT_ROOT_INIT;
}
