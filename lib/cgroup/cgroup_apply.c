/* SPDX-License-Identifier: Apache-2.0 */
/* Making, opening and limiting a cgroup. */
#include "cgroup_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/vfs.h>

#include "alloc.h"
#include "arena.h"
#include "bpf.h"
#include "call.h"
#include "cgroup_apply_internal.h"
#include "cgroup_plan.h"
#include "cgroup_stat_parse.h"
#include "cgroup_task_apply.h"
#include "cgroupfs.h"
#include "cleanup.h"
#include "err.h"
#include "file.h"
#include "kernel_const.h"
#include "role.h"
#include "strv.h"
#include "trace.h"

#define VALUE_TEXT_MAX  4096
#define DISCARD_WAIT_MS 2000
#define PROC_SWAPS_MAX  65536

/* What the kernel lists in /sys/kernel/cgroup/delegate and an owner needs to hand its processes
 * around. */
static const char *const owner_files[] = { "cgroup.procs", "cgroup.threads",
    "cgroup.subtree_control" };

_Static_assert(
    sizeof(struct device_filter_insn) == BPF_INSTRUCTION_BYTES, "size of a BPF instruction");

/* --- find --- */

int cgroup_hierarchy_open(struct cgroupfs *h, struct error *err)
{
    role_require(ROLE_PARENT);
    int r = cgroupfs_open(h);
    if (r == -ENOENT)
        return err_set(err, r,
            "cgroup: no cgroup v2 hierarchy is mounted, neither at /sys/fs/cgroup nor elsewhere");
    if (r < 0)
        return err_sys(err, r, "cgroup: cannot open the cgroup v2 hierarchy");
    return 0;
}

int cgroup_own_path(
    struct arena *arena, const struct cgroupfs *h, const char **ret_path, struct error *err)
{
    char path[PATH_MAX];
    size_t len = strlen(h->root);

    role_require(ROLE_PARENT);
    int r = cgroupfs_path_of(0, path, sizeof(path));
    if (r < 0)
        return err_sys(err, r, "cgroup: cannot read the own place in the cgroup v2 hierarchy");
    if (str_eq(h->root, "/"))
        *ret_path = arena_strdup(arena, path);
    else if (str_starts(path, h->root) && (path[len] == '/' || path[len] == '\0'))
        *ret_path = arena_strdup(arena, path + len);
    else
        *ret_path = "/"; /* outside of what is mounted */
    return 0;
}

void cgroup_done(struct cgroup *c)
{
    if (c == NULL)
        return;
    cleanup_close(&c->dir_fd);
    free(c->path);
    *c = (struct cgroup)CGROUP_INIT;
}

int cgroup_open(struct cgroup *c, const char *path, struct error *err)
{
    struct statfs fs;

    role_require(ROLE_PARENT);
    autoclose int fd = kernel_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd == -ENOENT)
        return CGROUP_NONE;
    if (fd < 0)
        return err_sys(err, fd, "cgroup \"%s\": cannot open it", path);
    int r = kernel_fstatfs(fd, &fs);
    if (r < 0)
        return err_sys(err, r, "cgroup \"%s\": cannot tell its file system", path);
    /* The path was stored by an earlier command: nothing else may ever be killed or removed through
     * it. */
    if ((unsigned long)fs.f_type != KERNEL_MAGIC_CGROUP2)
        return err_set(err, EINVAL, "cgroup \"%s\": not in a cgroup v2 hierarchy", path);
    const char *name = strrchr(path, '/');
    *c = (struct cgroup){
        .dir_fd = take_fd(&fd),
        .path = xstrdup(path),
        .kept_bytes = name != NULL ? (size_t)(name - path) : 0,
    };
    return 0;
}

/* --- limits --- */

static bool machine_has_swap(void)
{
    autofree char *text = NULL;
    size_t len = 0;
    int r = file_read(AT_FDCWD, "/proc/swaps", PROC_SWAPS_MAX, &text, &len);

    if (r == -ENOENT)
        return false; /* a kernel without swap */
    if (r < 0)
        return true; /* unknown: the careful answer */
    const char *head_end = strchr(text, '\n');
    return head_end != NULL && head_end[1] != '\0';
}

static bool may_be_missing(const struct cgroup_write *write)
{
    if (write->kind == CGROUP_WRITE_IF_NO_SWAP)
        return !machine_has_swap();
    return write->kind == CGROUP_WRITE_IF_THERE;
}

static int limit_write(const struct cgroup *c, const struct cgroup_write *write, struct error *err)
{
    const char *file = write->file;
    const char *value = write->value;
    int r = cgroupfs_write(c->dir_fd, file, value);

    if (r == -ENOENT && write->else_file != NULL) {
        file = write->else_file;
        value = write->else_value;
        r = cgroupfs_write(c->dir_fd, file, value);
    }
    if (r >= 0)
        return 0;
    if (r == -ENOENT && may_be_missing(write))
        return 0;
    if (r == -ENOENT)
        return err_set(
            err, r, "linux.resources.%s: this kernel has no control file %s", write->limit, file);
    return err_sys(err, r, "linux.resources.%s: cannot write \"%s\" to %s of cgroup \"%s\"",
        write->limit, value, file, c->path);
}

static int limits_write(
    const struct cgroup *c, const struct cgroup_limit_plan *limits, bool is_late, struct error *err)
{
    for (size_t i = 0; i < limits->n_writes; i++) {
        const struct cgroup_write *write = &limits->writes[i];
        if ((write->kind == CGROUP_WRITE_LATE) != is_late)
            continue;
        int r = limit_write(c, write, err);
        if (r < 0)
            return r;
    }
    return 0;
}

int cgroup_limit_late(
    const struct cgroup *c, const struct cgroup_limit_plan *limits, struct error *err)
{
    role_require(ROLE_PARENT);
    return limits->has_late ? limits_write(c, limits, true, err) : 0;
}

/* --- make --- */

static bool is_permission(int r)
{
    return r == -EACCES || r == -EPERM || r == -EROFS;
}

static int level_failed(int r, const char *shown, struct error *err)
{
    if (is_permission(r))
        return err_sys(err, r,
            "cgroup \"%s\": cannot be made, this user needs a cgroup that is delegated to it",
            shown);
    if (r == -EAGAIN)
        return err_set(err, r,
            "cgroup \"%s\": cannot be made, cgroup.max.depth or .max.descendants is reached",
            shown);
    if (r == -ENOTDIR)
        return err_set(err, r, "cgroup \"%s\": is the name of a control file", shown);
    return err_sys(err, r, "cgroup \"%s\": cannot be made", shown);
}

/* There is one of that name already. An empty one is left from earlier, with the limits, programs and
 * frozen state of then: it is made anew. One with cgroups below is somebody's, whatever the path says.
 * Where removal is not permitted, somebody has prepared it for this caller. */
static int leaf_take(
    int parent_fd, const char *name, const char *shown, bool *ret_is_new, struct error *err)
{
    struct cgroup_events events;
    char text[VALUE_TEXT_MAX];
    autoclose int fd = cgroupfs_open_dir(parent_fd, name);

    if (fd < 0)
        return level_failed(fd, shown, err);
    ssize_t n = cgroupfs_read(fd, "cgroup.events", text, sizeof(text));
    if (n < 0)
        return err_sys(err, (int)n, "cgroup \"%s\": cannot read cgroup.events", shown);
    if (cgroup_events_parse(text, &events) < 0)
        return err_set(err, EINVAL, "cgroup \"%s\": cgroup.events is not understood", shown);
    if (events.is_populated)
        return err_set(err, EEXIST, "cgroup \"%s\": in use, there are processes in it", shown);
    int r = cgroupfs_rmdir(parent_fd, name);
    if (r == -EBUSY)
        return err_set(err, EEXIST, "cgroup \"%s\": in use, there are cgroups below it", shown);
    if (is_permission(r)) {
        r = cgroupfs_write(fd, "cgroup.freeze", "0");
        return r < 0 ? level_failed(r, shown, err) : 0;
    }
    if (r == 0)
        r = cgroupfs_mkdir(parent_fd, name);
    if (r < 0)
        return level_failed(r, shown, err);
    *ret_is_new = true;
    return 0;
}

/* Goes one level down, making it when it is missing. */
static int level_make(int parent_fd, const char *name, bool is_leaf, const char *shown,
    bool *ret_is_new, int *ret_fd, struct error *err)
{
    bool is_new = true;
    int r = cgroupfs_mkdir(parent_fd, name);

    if (r == -EEXIST) {
        is_new = false;
        r = is_leaf ? leaf_take(parent_fd, name, shown, &is_new, err) : 0;
        if (r < 0)
            return r;
    }
    if (r < 0)
        return level_failed(r, shown, err);
    if (is_new)
        *ret_is_new = true;
    int fd = cgroupfs_open_dir(parent_fd, name);
    if (fd < 0)
        return level_failed(fd, shown, err);
    *ret_fd = fd;
    return 0;
}

/* All levels of c->path below the mount; controllers are handed down on the way. */
static int levels_make(struct cgroup *c, const struct cgroupfs *h,
    const struct cgroup_limit_plan *limits, struct error *err)
{
    size_t at = strlen(h->path) + 1;
    autoclose int parent_fd = -1;
    autofree char *shown = xstrdup(c->path);
    bool is_new = false;

    shown[at - 1] = '\0';
    for (bool is_leaf = false; !is_leaf;) {
        int above_fd = parent_fd >= 0 ? parent_fd : h->fd;
        size_t len = strcspn(c->path + at, "/");
        int fd = -1;

        int r = cgroup_controllers_enable(above_fd, shown, limits, err);
        if (r < 0)
            return r;
        memcpy(shown, c->path, at + len);
        shown[at + len] = '\0';
        is_leaf = c->path[at + len] == '\0';
        r = level_make(above_fd, shown + at, is_leaf, shown, &is_new, &fd, err);
        if (!is_new)
            c->kept_bytes = at + len;
        if (r < 0)
            return r;
        cleanup_close(&parent_fd);
        parent_fd = fd;
        at += len + 1;
    }
    c->dir_fd = take_fd(&parent_fd);
    return 0;
}

static int owner_apply(const struct cgroup *c, const struct cgroup_plan *plan, struct error *err)
{
    if (!plan->has_owner)
        return 0;
    int r = kernel_fchown(c->dir_fd, plan->owner_uid, (gid_t)-1);
    for (size_t i = 0; r == 0 && i < ARRAY_SIZE(owner_files); i++)
        r = kernel_fchownat(
            c->dir_fd, owner_files[i], plan->owner_uid, (gid_t)-1, AT_SYMLINK_NOFOLLOW);
    if (r < 0)
        return err_sys(
            err, r, "cgroup \"%s\": cannot give it to user %" PRIu32, c->path, plan->owner_uid);
    return 0;
}

int cgroup_devices_apply(
    const struct cgroup *c, const struct device_filter *filter, bool may_lack, struct error *err)
{
    role_require(ROLE_PARENT);
    if (filter->n_insns == 0 || c->dir_fd < 0)
        return 0;
    autoclose int program_fd =
        kernel_bpf_load_device(filter->insns, filter->n_insns * sizeof(*filter->insns), NULL, 0);
    int r = program_fd;
    if (r >= 0)
        r = kernel_bpf_attach_device(c->dir_fd, program_fd, KERNEL_BPF_ALLOW_MULTI, -1);
    if (r >= 0)
        return 0;
    if (r == -EPERM && may_lack)
        return 0;
    const char *step = program_fd < 0 ? "load" : "attach";
    if (r == -EPERM)
        return err_set(err, r,
            "linux.resources.devices: cannot %s the device filter of cgroup \"%s\": CAP_BPF or "
            "CAP_SYS_ADMIN, and CAP_NET_ADMIN are needed",
            step, c->path);
    return err_sys(err, r, "linux.resources.devices: cannot %s the device filter of cgroup \"%s\"",
        step, c->path);
}

static int cgroup_fill(struct cgroup *c, const struct cgroup_plan *plan, struct error *err)
{
    int r = limits_write(c, &plan->limits, false, err);

    if (r == 0)
        r = owner_apply(c, plan, err);
    return r;
}

int cgroup_create(struct cgroup *c, const struct cgroupfs *h, const struct cgroup_plan *plan,
    bool may_lack, struct error *err)
{
    struct cgroup made = {
        .dir_fd = -1,
        .path = xasprintf("%s/%s", h->path, plan->path),
        .kept_bytes = strlen(h->path),
    };

    role_require(ROLE_PARENT);
    int r = levels_make(&made, h, &plan->limits, err);
    if (is_permission(r) && may_lack && !plan->is_path_given && plan->limits.n_writes == 0) {
        *err = (struct error)ERR_INIT;
        r = CGROUP_NONE;
    }
    if (r == 0)
        r = cgroup_fill(&made, plan, err);
    if (r != 0) {
        cgroup_discard(&made);
        return r;
    }
    trace("cgroup", "made %s", made.path);
    *c = made;
    return 0;
}

void cgroup_discard(struct cgroup *c)
{
    struct error ignored = ERR_INIT;

    role_require(ROLE_PARENT);
    if (c->path == NULL)
        return;
    if (c->dir_fd >= 0 && strlen(c->path) > c->kept_bytes) {
        (void)cgroup_kill(c, DISCARD_WAIT_MS, &ignored);
        (void)cgroup_remove(c, DISCARD_WAIT_MS, &ignored);
    }
    while (strlen(c->path) > c->kept_bytes) {
        (void)kernel_unlinkat(AT_FDCWD, c->path, AT_REMOVEDIR);
        *strrchr(c->path, '/') = '\0';
    }
    cgroup_done(c);
}

/* --- update --- */

int cgroup_limits_read(const struct cgroup *c, struct cgroup_limits_now *ret, struct error *err)
{
    struct cgroup_limits_now now = { 0 };
    char text[VALUE_TEXT_MAX];
    uint64_t value = 0;

    role_require(ROLE_PARENT);
    ssize_t n = cgroupfs_read(c->dir_fd, "memory.max", text, sizeof(text));
    if (n >= 0) {
        if (cgroup_value_parse(text, &value) < 0)
            return err_set(err, EINVAL, "cgroup \"%s\": memory.max is not understood", c->path);
        now.has_memory_max = true;
        now.memory_max_bytes = value > INT64_MAX ? -1 : (int64_t)value;
    } else if (n != -ENOENT) {
        return err_sys(err, (int)n, "cgroup \"%s\": cannot read memory.max", c->path);
    }
    n = cgroupfs_read(c->dir_fd, "cpu.max", text, sizeof(text));
    if (n >= 0) {
        text[strcspn(text, " ")] = '\0'; /* the period follows */
        if (cgroup_value_parse(text, &value) < 0)
            return err_set(err, EINVAL, "cgroup \"%s\": cpu.max is not understood", c->path);
        now.has_cpu_max = true;
        now.cpu_quota_usec = value > INT64_MAX ? -1 : (int64_t)value;
    } else if (n != -ENOENT) {
        return err_sys(err, (int)n, "cgroup \"%s\": cannot read cpu.max", c->path);
    }
    *ret = now;
    return 0;
}

/* memory.checkBeforeUpdate */
static int memory_check(
    const struct cgroup *c, const struct cgroup_limit_plan *limits, struct error *err)
{
    char text[VALUE_TEXT_MAX];
    uint64_t used = 0;

    if (limits->memory_check_bytes == 0)
        return 0;
    ssize_t n = cgroupfs_read(c->dir_fd, "memory.current", text, sizeof(text));
    if (n == -ENOENT)
        return 0; /* not accounted so far, so nothing is used */
    if (n < 0)
        return err_sys(err, (int)n, "cgroup \"%s\": cannot read memory.current", c->path);
    if (cgroup_value_parse(text, &used) < 0)
        return err_set(err, EINVAL, "cgroup \"%s\": memory.current is not understood", c->path);
    if (used > limits->memory_check_bytes)
        return err_set(err, EBUSY,
            "linux.resources.memory.limit: %" PRIu64 " is below the %" PRIu64
            " bytes in use; nothing was changed",
            limits->memory_check_bytes, used);
    return 0;
}

/* Controllers down to the cgroup above c, which may have been made without any. */
static int controllers_hand_down(const struct cgroup *c, const struct cgroupfs *h,
    const struct cgroup_limit_plan *limits, struct error *err)
{
    size_t mount_len = strlen(h->path);
    autofree char *shown = xstrdup(c->path);

    if (limits->controllers == 0)
        return 0;
    if (!str_starts(c->path, h->path) || c->path[mount_len] != '/')
        return err_set(err, EXDEV, "cgroup \"%s\": not below %s, where the hierarchy is now",
            c->path, h->path);
    for (size_t at = mount_len; c->path[at] == '/'; at += 1 + strcspn(c->path + at + 1, "/")) {
        shown[at] = '\0';
        autoclose int fd = cgroupfs_open_dir(h->fd, shown + mount_len);
        if (fd < 0)
            return err_sys(err, fd, "cgroup \"%s\": cannot open it", shown);
        int r = cgroup_controllers_enable(fd, shown, limits, err);
        if (r < 0)
            return r;
        shown[at] = '/';
    }
    return 0;
}

int cgroup_limits_write(const struct cgroup *c, const struct cgroupfs *h,
    const struct cgroup_limit_plan *limits, struct error *err)
{
    role_require(ROLE_PARENT);
    int r = memory_check(c, limits, err);
    if (r == 0)
        r = controllers_hand_down(c, h, limits, err);
    if (r == 0)
        r = limits_write(c, limits, false, err);
    return r;
}
