/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: the overlay as a detached mount. */
#include "overlay_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "alloc.h"
#include "buf.h"
#include "call.h"
#include "channel.h"
#include "cleanup.h"
#include "credential.h"
#include "err.h"
#include "kernel_const.h"
#include "mount_call.h"
#include "overlay_plan.h"
#include "process.h"
#include "process_call.h"
#include "role.h"

#define UPPER_NAME      "upper"
#define WORK_NAME       "work"
#define WORKER_WAIT_MS  30000
#define DATA_MAX        4095 /* mount(2) takes one page of options */
#define OVERLAY_MESSAGE 1

/* Layers are ours alone: no name of theirs redirects, no inode number needs to last. */
static const char *const options[][2] = {
    { "redirect_dir", "nofollow" },
    { "metacopy", "off" },
    { "index", "off" },
    { "xino", "off" },
};

struct overlay_trees {
    int *layers; /* detached, idmapped; base first */
    size_t n_layers;
    int upper; /* the directory that holds upper and work, or -1 */
};

static void overlay_trees_done(struct overlay_trees *trees)
{
    for (size_t i = 0; trees->layers != NULL && i < trees->n_layers; i++)
        cleanup_close(&trees->layers[i]);
    free(take_ptr(&trees->layers));
    cleanup_close(&trees->upper);
}

/* --- detached trees, in the parent, whose mount namespace the directories are of --- */

static int tree_open(const struct overlay_plan *plan, const char *name, int dirfd, int userns_fd, struct error *err)
{
    autoclose int tree = kernel_open_tree(dirfd, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
    if (tree < 0)
        return err_sys(err, tree, "layer %s: take as a tree", name);
    if (plan->is_idmapped) {
        const struct kernel_mount_attr attr = { .set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)userns_fd };
        int rc = kernel_mount_setattr(tree, "", AT_EMPTY_PATH, &attr);
        if (rc == -EINVAL)
            return err_set(err, EOPNOTSUPP,
                "layer %s: its file system has no idmapped mounts (or the kernel is older "
                "than 5.19): use ext4, xfs or btrfs for the data directory",
                name);
        if (rc < 0)
            return err_sys(err, rc, "layer %s: map its ids", name);
    }
    return take_fd(&tree);
}

/* An overlay shows the attributes of upper's root as its own: they are those of the topmost layer's. */
static int upper_make(const struct overlay_plan *plan, const int *layer_fds, int upper_parent_fd, struct error *err)
{
    struct stat like = { .st_mode = S_IFDIR | 0755 };
    int rc = plan->n_layers > 0 ? kernel_fstat(layer_fds[plan->n_layers - 1], &like) : 0;
    if (rc < 0)
        return err_sys(err, rc, "layer %s: look", plan->layers[plan->n_layers - 1]);
    rc = kernel_mkdirat(upper_parent_fd, UPPER_NAME, 0700);
    if (rc == -EEXIST)
        return 0;
    autoclose int fd = rc < 0 ? rc : kernel_openat(upper_parent_fd, UPPER_NAME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    rc = fd < 0 ? fd : kernel_fchown(fd, like.st_uid, like.st_gid);
    if (rc == 0)
        rc = kernel_fchmod(fd, like.st_mode & 07777);
    return rc < 0 ? err_sys(err, rc, "%s: make %s", plan->upper, UPPER_NAME) : 0;
}

static int trees_open(const struct overlay_plan *plan, const int *layer_fds, int upper_parent_fd, int userns_fd,
    struct overlay_trees *ret, struct error *err)
{
    ret->layers = xcalloc(plan->n_layers + 1, sizeof(int));
    for (; ret->n_layers < plan->n_layers; ret->n_layers++) {
        int fd = tree_open(plan, plan->layers[ret->n_layers], layer_fds[ret->n_layers], userns_fd, err);
        if (fd < 0)
            return fd;
        ret->layers[ret->n_layers] = fd;
    }
    if (plan->upper == NULL)
        return 0;
    int rc = upper_make(plan, layer_fds, upper_parent_fd, err);
    if (rc < 0)
        return rc;
    if (plan->is_single) {
        autoclose int fd = kernel_openat(upper_parent_fd, UPPER_NAME, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
        ret->upper =
            fd < 0 ? err_sys(err, fd, "%s: open", plan->upper) : tree_open(plan, plan->upper, fd, userns_fd, err);
        return ret->upper < 0 ? ret->upper : 0;
    }
    rc = kernel_mkdirat(upper_parent_fd, WORK_NAME, 0700);
    if (rc < 0 && rc != -EEXIST)
        return err_sys(err, rc, "%s: make %s", plan->upper, WORK_NAME);
    ret->upper = tree_open(plan, plan->upper, upper_parent_fd, userns_fd, err);
    return ret->upper < 0 ? ret->upper : 0;
}

/* --- the worker: layers by descriptor, Linux 6.13 --- */

static int upper_set(int fs, int upper)
{
    autoclose int dir = kernel_openat(upper, UPPER_NAME, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    autoclose int work = kernel_openat(upper, WORK_NAME, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    if (dir < 0 || work < 0)
        return dir < 0 ? dir : work;
    int rc = kernel_fsconfig_fd(fs, "upperdir", dir);
    return rc == 0 ? kernel_fsconfig_fd(fs, "workdir", work) : rc;
}

static int overlay_configure(const struct overlay_plan *plan, const struct overlay_trees *trees, int fs)
{
    int rc = 0;
    for (size_t i = trees->n_layers; rc == 0 && i-- > 0;)
        rc = kernel_fsconfig_fd(fs, "lowerdir+", trees->layers[i]);
    if (rc == 0 && plan->upper != NULL)
        rc = upper_set(fs, trees->upper);
    return rc;
}

static int overlay_create(const struct overlay_plan *plan, int fs, struct error *err)
{
    int rc = kernel_fsconfig_string(fs, "source", "runa");
    for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(options); i++)
        rc = kernel_fsconfig_string(fs, options[i][0], options[i][1]);
    if (rc == 0 && plan->is_volatile)
        rc = kernel_fsconfig_flag(fs, "volatile");
    if (rc == 0)
        rc = kernel_fsconfig_create(fs);
    if (rc == 0)
        return 0;
    char text[KERNEL_MOUNT_LOG_MAX] = "";
    (void)kernel_fs_log(fs, text, sizeof(text));
    return err_sys(err, rc, "make the overlay%s%s", text[0] != '\0' ? ": " : "", text);
}

/* --- the worker: layers by name, as older kernels want them attached --- */

static int attach(int tmp, const char *name, int tree)
{
    int rc = kernel_mkdirat(tmp, name, 0700);
    return rc < 0 ? rc : kernel_move_mount(tree, "", tmp, name, MOVE_MOUNT_F_EMPTY_PATH);
}

static int scratch_enter(void)
{
    int rc = kernel_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    autoclose int fs = rc < 0 ? rc : kernel_fsopen("tmpfs");
    rc = fs < 0 ? fs : kernel_fsconfig_create(fs);
    autoclose int tmp = rc < 0 ? rc : kernel_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    if (tmp < 0)
        return tmp;
    autoclose int old = kernel_open("/", O_PATH | O_DIRECTORY, 0);
    rc = old < 0 ? old : kernel_move_mount_fd(tmp, old);
    if (rc == 0)
        rc = kernel_fchdir(tmp);
    return rc < 0 ? rc : take_fd(&tmp);
}

static int layers_attach(const struct overlay_plan *plan, const struct overlay_trees *trees, int tmp, struct buf *data)
{
    int rc = kernel_mkdirat(tmp, "m", 0700);
    buf_puts(data, "lowerdir=");
    for (size_t i = trees->n_layers; rc == 0 && i-- > 0;) {
        char name[16];
        (void)snprintf(name, sizeof(name), "%u", (unsigned)i);
        rc = attach(tmp, name, trees->layers[i]);
        buf_printf(data, "%s%s", name, i > 0 ? ":" : "");
    }
    if (rc == 0 && plan->upper != NULL) {
        rc = attach(tmp, "u", trees->upper);
        buf_puts(data, ",upperdir=u/" UPPER_NAME ",workdir=u/" WORK_NAME);
    }
    for (size_t i = 0; i < ARRAY_SIZE(options); i++)
        buf_printf(data, ",%s=%s", options[i][0], options[i][1]);
    if (plan->is_volatile)
        buf_puts(data, ",volatile");
    return rc;
}

static int rights_take(const struct overlay_plan *plan);

static int overlay_mount_named(const struct overlay_plan *plan, const struct overlay_trees *trees, struct error *err)
{
    int rc = kernel_unshare(CLONE_NEWNS);
    autoclose int tmp = rc < 0 ? rc : scratch_enter();
    if (tmp < 0)
        return err_sys(err, tmp, "make a place to attach layers");
    AUTO(buf) struct buf data = { .max = DATA_MAX };
    rc = layers_attach(plan, trees, tmp, &data);
    if (rc < 0 || !buf_ok(&data))
        return err_sys(err, rc < 0 ? rc : -E2BIG, "attach layers");
    rc = rights_take(plan);
    if (rc == 0)
        rc = kernel_mount("runa", "m", "overlay", 0, buf_str(&data));
    if (rc < 0)
        return err_sys(err, rc, "mount the overlay");
    rc = kernel_open_tree(AT_FDCWD, "m", OPEN_TREE_CLONE);
    return rc < 0 ? err_sys(err, rc, "take the overlay as a tree") : rc;
}

/* --- the worker --- */

/* The range's root, with the host's capabilities: what the overlay writes by itself (whiteouts, copies under way) gets
 * ids that are mapped. */
static int rights_take(const struct overlay_plan *plan)
{
    if (!plan->is_idmapped)
        return 0;
    struct kernel_caps caps;
    int rc = kernel_capget(0, &caps);
    if (rc == 0)
        rc = kernel_set_keepcaps(true);
    if (rc == 0)
        rc = kernel_setresgid(plan->first_id, plan->first_id, plan->first_id);
    if (rc == 0)
        rc = kernel_setresuid(plan->first_id, plan->first_id, plan->first_id);
    caps.effective = caps.permitted;
    return rc == 0 ? kernel_capset(&caps) : rc;
}

static int overlay_mount(const struct overlay_plan *plan, const struct overlay_trees *trees, struct error *err)
{
    autoclose int fs = kernel_fsopen("overlay");
    if (fs < 0)
        return err_sys(err, fs, "overlayfs");
    int rc = overlay_configure(plan, trees, fs);
    /* EINVAL: before 6.13. EBADF: O_PATH descriptors, before 6.16. EOPNOTSUPP: before 6.5, options are one string. */
    if (rc == -EINVAL || rc == -EBADF || rc == -EOPNOTSUPP)
        return overlay_mount_named(plan, trees, err);
    if (rc < 0)
        return err_sys(err, rc, "name the overlay's layers");
    rc = rights_take(plan);
    if (rc < 0)
        return err_sys(err, rc, "become root of the id range");
    rc = overlay_create(plan, fs, err);
    if (rc < 0)
        return rc;
    rc = kernel_fsmount(fs, plan->upper == NULL ? MOUNT_ATTR_RDONLY : 0);
    return rc < 0 ? err_sys(err, rc, "mount the overlay") : rc;
}

static _Noreturn void worker_main(const struct overlay_plan *plan, const struct overlay_trees *trees, int socket)
{
    role_set(ROLE_WORKER);
    struct error err = ERR_INIT;
    int fd = overlay_mount(plan, trees, &err);
    int rc = channel_send(socket, OVERLAY_MESSAGE, &err, sizeof(err), &fd, fd >= 0 ? 1 : 0);
    _exit(rc < 0 ? 1 : 0);
}

static int worker_answer(int socket, int *ret_mount_fd, struct error *err)
{
    struct error told = ERR_INIT;
    struct channel_message message;
    int rc = channel_recv(socket, WORKER_WAIT_MS, &told, sizeof(told), &message);
    if (rc == CHANNEL_CLOSED)
        return err_set(err, EIO, "overlay: the worker ended without a word");
    if (rc < 0)
        return err_sys(err, rc, "overlay: the worker's answer");
    if (message.len == sizeof(told) && told.code != 0) {
        *err = told;
        rc = -told.code;
    } else if (message.n_fds == 1) {
        *ret_mount_fd = take_fd(&message.fds[0]);
    } else {
        rc = err_set(err, EIO, "overlay: the worker sent no mount");
    }
    channel_message_done(&message);
    return rc;
}

static int worker_run(
    const struct overlay_plan *plan, const struct overlay_trees *trees, int *ret_mount_fd, struct error *err)
{
    int pair[2] = { -1, -1 };
    int rc = channel_open_pair(pair);
    if (rc < 0)
        return err_sys(err, rc, "overlay: channel");
    autoclose int ours = pair[0];
    autoclose int theirs = pair[1];
    autoclose int pidfd = -1;
    struct kernel_clone clone = KERNEL_CLONE_INIT;
    clone.ret_pidfd = &pidfd;
    pid_t pid = kernel_clone3(&clone);
    if (pid < 0)
        return err_sys(err, pid, "overlay: start the worker");
    if (pid == 0)
        worker_main(plan, trees, theirs);
    (void)close(take_fd(&theirs));
    rc = worker_answer(ours, ret_mount_fd, err);
    process_kill(pidfd);
    return rc;
}

int overlay_apply(const struct overlay_plan *plan, const int *layer_fds, int upper_parent_fd, int userns_fd,
    int *ret_mount_fd, struct error *err)
{
    role_require(ROLE_PARENT);
    AUTO(overlay_trees) struct overlay_trees trees = { .upper = -1 };
    int rc = trees_open(plan, layer_fds, upper_parent_fd, userns_fd, &trees, err);
    if (rc < 0)
        return rc;
    if (!plan->is_single)
        return worker_run(plan, &trees, ret_mount_fd, err);
    if (plan->upper != NULL) {
        *ret_mount_fd = take_fd(&trees.upper);
        return 0;
    }
    const struct kernel_mount_attr read_only = { .set = MOUNT_ATTR_RDONLY };
    rc = kernel_mount_setattr(trees.layers[0], "", AT_EMPTY_PATH, &read_only);
    if (rc < 0)
        return err_sys(err, rc, "layer %s: make read-only", plan->layers[0]);
    *ret_mount_fd = take_fd(&trees.layers[0]);
    return 0;
}
