/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: opens what comes from the host as detached trees, with their attributes, propagation and id maps. */
#include "mount_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "arena.h"
#include "buf.h"
#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "mount_call.h"
#include "mount_plan.h"
#include "mount_readonly.h"
#include "namespace.h"
#include "oci_config.h"
#include "role.h"

#define NODE_NAME_SIZE 24

struct source_context {
    struct arena *arena;
    const struct mount_plan *plan;
    const struct procfs *procfs;
    struct error *err;
};

static int fail_source(
    const struct source_context *c, const struct mount_step *step, const char *what, int code)
{
    return err_sys(
        c->err, code, "mount on %s: source %s: %s", step->destination, step->source, what);
}

/* --- attributes ------------------------------------------------------------------------------------------------- */

static int set_attrs(int fd, unsigned flags, const struct mount_attrs *attrs, uint64_t propagation)
{
    struct kernel_mount_attr attr = {
        .set = attrs->set, .clear = attrs->clear, .propagation = propagation
    };

    if (!attr.set && !attr.clear && !attr.propagation)
        return 0;
    return kernel_mount_setattr(fd, "", AT_EMPTY_PATH | flags, &attr);
}

/* One call where the tree is one mount and one propagation is asked for, as is usual. */
static int set_option(int fd, const struct mount_option *option)
{
    const struct mount_propagation *propagation = option->propagation;
    size_t n = option->n_propagation;
    struct mount_attrs merged = mount_attrs_merge(option);
    bool is_first_recursive = n > 0 && propagation[0].is_recursive;
    int r;

    if (!option->is_recursive) {
        r = set_attrs(fd, 0, &merged, n > 0 ? propagation[0].type : 0);
    } else {
        r = set_attrs(
            fd, AT_RECURSIVE, &option->recursive, is_first_recursive ? propagation[0].type : 0);
        if (r == 0)
            r = set_attrs(
                fd, 0, &option->attrs, n > 0 && !is_first_recursive ? propagation[0].type : 0);
    }
    for (size_t i = 1; r == 0 && i < n; i++)
        r = set_attrs(fd, propagation[i].is_recursive ? AT_RECURSIVE : 0,
            &(struct mount_attrs){ 0 }, propagation[i].type);
    return r;
}

/* --- id maps ---------------------------------------------------------------------------------------------------- */

static void put_map(struct buf *text, const struct oci_id_mapping *maps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(text, "%u %u %u\n", maps[i].container_id, maps[i].host_id, maps[i].size);
}

static int new_user_namespace(const struct source_context *c, const struct mount_step *step)
{
    AUTO(buf) struct buf uids = BUF_INIT;
    AUTO(buf) struct buf gids = BUF_INIT;
    int fd;

    put_map(&uids, step->uid_mappings, step->n_uid_mappings);
    put_map(&gids, step->gid_mappings, step->n_gid_mappings);
    if (!buf_ok(&uids) || !buf_ok(&gids))
        return err_set(c->err, E2BIG, "mount on %s: id mappings are too long", step->destination);
    if (!c->procfs)
        return err_set(c->err, EINVAL, "mount on %s: idmap needs procfs", step->destination);
    fd = namespace_new_user(c->procfs, buf_str(&uids), buf_str(&gids));
    if (fd < 0)
        return err_sys(
            c->err, fd, "mount on %s: user namespace of the id mappings", step->destination);
    return fd;
}

static int set_idmap(
    const struct source_context *c, const struct mount_step *step, int tree_fd, int userns_fd)
{
    struct kernel_mount_attr attr = { .set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)userns_fd };
    unsigned flags =
        AT_EMPTY_PATH | (step->option.idmap == MOUNT_IDMAP_RECURSIVE ? (unsigned)AT_RECURSIVE : 0);
    int r = kernel_mount_setattr(tree_fd, "", flags, &attr);

    return r < 0 ? fail_source(c, step, "id mapping (the filesystem must allow it)", r) : 0;
}

static int set_listed_idmap(
    const struct source_context *c, const struct mount_step *step, int tree_fd)
{
    autoclose int userns_fd = new_user_namespace(c, step);

    return userns_fd < 0 ? userns_fd : set_idmap(c, step, tree_fd, userns_fd);
}

/* --- bind sources ----------------------------------------------------------------------------------------------- */

static int check_proc(
    const struct source_context *c, const struct mount_step *step, int fd, const struct stat *st)
{
    struct statfs fs;
    int r = kernel_fstatfs(fd, &fs);

    if (r < 0)
        return fail_source(c, step, "fstatfs", r);
    if (fs.f_type != KERNEL_MAGIC_PROC || st->st_ino != KERNEL_PROC_ROOT_INO)
        return err_set(c->err, EINVAL, "mount on /proc: source %s is not a procfs", step->source);
    return 0;
}

/* True when the source is a link that is to be copied: ret->link is set. */
static bool read_link(
    const struct source_context *c, const struct mount_step *step, struct mount_source *ret)
{
    char target[MOUNT_PATH_MAX];

    if (!step->option.want_link_copy ||
        kernel_readlinkat(AT_FDCWD, step->source, target, sizeof(target)) < 0)
        return false;
    ret->link = arena_strdup(c->arena, target);
    return true;
}

static int prepare_tree(
    const struct source_context *c, const struct mount_step *step, int fd, struct mount_source *ret)
{
    struct stat st;
    int r = kernel_fstat(fd, &st);

    if (r < 0)
        return fail_source(c, step, "fstat", r);
    ret->is_directory = S_ISDIR(st.st_mode);
    if (step->is_proc)
        r = check_proc(c, step, fd, &st);
    if (r < 0)
        return r;
    if (step->option.idmap != MOUNT_IDMAP_NONE && !step->is_own_idmap)
        r = set_listed_idmap(c, step, fd);
    if (r < 0)
        return r;
    r = set_option(fd, &step->option);
    return r < 0 ? fail_source(c, step, "mount_setattr", r) : 0;
}

static int open_source(
    const struct source_context *c, const struct mount_step *step, struct mount_source *ret)
{
    unsigned flags = OPEN_TREE_CLONE;
    autoclose int fd = -1;
    int r;

    if (step->kind != MOUNT_STEP_BIND || read_link(c, step, ret))
        return 0;
    if (c->plan->can_undo_readonly &&
        mount_readonly_check(c->procfs, step->source, step->option.is_recursive, c->err) < 0)
        return err_in(c->err, "mount on %s", step->destination);
    if (step->option.is_recursive)
        flags |= AT_RECURSIVE;
    if (step->option.is_source_nofollow)
        flags |= AT_SYMLINK_NOFOLLOW;
    if (step->option.is_source_nolinks) {
        autoclose int source = kernel_openat2(AT_FDCWD, step->source, O_PATH, 0, RESOLVE_NO_SYMLINKS);
        if (source < 0)
            return fail_source(c, step, "open without following links", source);
        fd = kernel_open_tree(source, "", flags | AT_EMPTY_PATH);
    } else {
        fd = kernel_open_tree(AT_FDCWD, step->source, flags);
    }
    if (fd < 0)
        return fail_source(c, step, "open_tree", fd);
    r = prepare_tree(c, step, fd, ret);
    if (r < 0)
        return r;
    ret->fd = take_fd(&fd);
    return 0;
}

/* --- root ------------------------------------------------------------------------------------------------------- */

/* Why not follow: a bundle whose rootfs is a link to / would turn the host's tree into the container's. */
static int open_rootfs(const struct source_context *c)
{
    struct stat st;
    size_t len = strlen(c->plan->rootfs);
    autoclose int fd = -1;
    const char *path;
    int r;

    while (
        len > 1 && c->plan->rootfs[len - 1] == '/') /* behind a slash the link would be followed */
        len--;
    path = arena_strndup(c->arena, c->plan->rootfs, len);
    if (c->plan->can_undo_readonly && mount_readonly_check(c->procfs, path, true, c->err) < 0)
        return err_in(c->err, "rootfs");
    fd = kernel_open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW);
    if (fd < 0)
        return err_sys(c->err, fd, "rootfs %s: open_tree", path);
    r = kernel_fstat(fd, &st);
    if (r < 0)
        return err_sys(c->err, r, "rootfs %s: fstat", path);
    if (!S_ISDIR(st.st_mode))
        return err_set(
            c->err, ENOTDIR, "rootfs %s: not a directory (a symbolic link is not followed)", path);
    return take_fd(&fd);
}

static int take_rootfs(
    const struct source_context *c, int *rootfs_fdp, struct mount_sources *sources)
{
    const struct kernel_mount_attr attr = { .propagation = MS_PRIVATE };
    int fd = *rootfs_fdp >= 0 ? take_fd(rootfs_fdp) : -1;
    int r;

    if (fd < 0 && !c->plan->rootfs)
        return err_set(c->err, EINVAL, "rootfs: neither a path nor a mount was given");
    if (fd < 0)
        fd = open_rootfs(c);
    if (fd < 0)
        return fd;
    sources->rootfs_fd = fd;
    r = kernel_mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr);
    return r < 0 ? err_sys(c->err, r, "rootfs: make private") : 0;
}

/* --- devices for a user namespace ------------------------------------------------------------------------------- */

static int map_id(const struct oci_id_mapping *maps, size_t n, uint32_t id, uint32_t *ret)
{
    for (size_t i = 0; i < n; i++)
        if (id >= maps[i].container_id && id - maps[i].container_id < maps[i].size) {
            *ret = maps[i].host_id + (id - maps[i].container_id);
            return 0;
        }
    return -EINVAL;
}

static int make_fresh_node(const struct source_context *c, int dir_fd, size_t i)
{
    const struct device_node *node = &c->plan->devices.nodes[i];
    mode_t type = node->type == 'c' ? S_IFCHR : S_IFBLK;
    char name[NODE_NAME_SIZE];
    uint32_t uid;
    uint32_t gid;
    int r;

    if (map_id(c->plan->uid_mappings, c->plan->n_uid_mappings, node->uid, &uid) < 0 ||
        map_id(c->plan->gid_mappings, c->plan->n_gid_mappings, node->gid, &gid) < 0)
        return err_set(c->err, EINVAL, "device %s: owner %u:%u is not mapped", node->path,
            node->uid, node->gid);
    (void)snprintf(name, sizeof(name), "%zu", i);
    r = kernel_mknodat(dir_fd, name, type | node->mode, makedev(node->major, node->minor));
    if (r == 0)
        r = kernel_fchownat(dir_fd, name, uid, gid, AT_SYMLINK_NOFOLLOW);
    return r < 0 ? err_sys(c->err, r, "device %s: make node", node->path) : 0;
}

static int make_node_tmpfs(void)
{
    autoclose int fs_fd = kernel_fsopen("tmpfs");
    int r = fs_fd < 0 ? fs_fd : kernel_fsconfig_string(fs_fd, "mode", "0755");

    if (r == 0)
        r = kernel_fsconfig_create(fs_fd);
    return r < 0 ? r : kernel_fsmount(fs_fd, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
}

static int make_fresh_nodes(const struct source_context *c, struct mount_sources *sources)
{
    mode_t umask_before;
    int r = 0;

    if (c->plan->devices.way != DEVICE_BIND_FRESH || c->plan->devices.n_nodes == 0)
        return 0;
    sources->nodes_fd = make_node_tmpfs();
    if (sources->nodes_fd < 0)
        return err_sys(c->err, sources->nodes_fd, "devices: tmpfs for fresh nodes");
    umask_before = kernel_umask(0);
    for (size_t i = 0; r == 0 && i < c->plan->devices.n_nodes; i++)
        if (c->plan->devices.nodes[i].type != 'p') /* a FIFO needs no privilege */
            r = make_fresh_node(c, sources->nodes_fd, i);
    (void)kernel_umask(umask_before);
    return r;
}

/* ---------------------------------------------------------------------------------------------------------------- */

static int open_sources(
    const struct source_context *c, int *rootfs_fdp, struct mount_sources *sources)
{
    int r = take_rootfs(c, rootfs_fdp, sources);

    for (size_t i = 0; r == 0 && i < sources->n_steps; i++)
        r = open_source(c, &c->plan->steps[i], &sources->steps[i]);
    return r == 0 ? make_fresh_nodes(c, sources) : r;
}

int mount_sources_open(struct arena *arena, const struct mount_plan *plan,
    const struct procfs *procfs, int *rootfs_fdp, struct mount_sources *ret, struct error *err)
{
    struct source_context c = { .arena = arena, .plan = plan, .procfs = procfs, .err = err };
    struct mount_sources sources = MOUNT_SOURCES_INIT;
    int r;

    role_require(ROLE_PARENT | ROLE_RELAY | ROLE_INIT);
    if (plan->n_steps > 0)
        sources.steps = arena_new_array(arena, plan->n_steps, struct mount_source);
    sources.n_steps = plan->n_steps;
    for (size_t i = 0; i < plan->n_steps; i++)
        sources.steps[i].fd = -1;
    r = open_sources(&c, rootfs_fdp, &sources);
    if (r < 0) {
        mount_sources_done(&sources);
        return r;
    }
    *ret = sources;
    return 0;
}

int mount_sources_idmap(const struct mount_plan *plan, const struct mount_sources *sources,
    int userns_fd, struct error *err)
{
    struct source_context c = { .plan = plan, .err = err };
    int r = 0;

    role_require(ROLE_PARENT | ROLE_RELAY);
    for (size_t i = 0; r == 0 && i < sources->n_steps; i++)
        if (plan->steps[i].is_own_idmap && sources->steps[i].fd >= 0)
            r = set_idmap(&c, &plan->steps[i], sources->steps[i].fd, userns_fd);
    return r;
}

static void close_fd(int *fdp)
{
    cleanup_close(fdp);
    *fdp = -1;
}

void mount_sources_done(struct mount_sources *sources)
{
    if (!sources)
        return;
    for (size_t i = 0; i < sources->n_steps; i++)
        close_fd(&sources->steps[i].fd);
    close_fd(&sources->rootfs_fd);
    close_fd(&sources->nodes_fd);
    sources->n_steps = 0;
}
