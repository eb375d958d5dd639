/* SPDX-License-Identifier: Apache-2.0 */
/* launch, step by step. */
#include "session_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "call.h"
#include "cleanup.h"
#include "container_store.h"
#include "directory.h"
#include "err.h"
#include "file.h"
#include "id_range.h"
#include "image_ref_parse.h"
#include "image_store.h"
#include "image_user.h"
#include "kernel_const.h"
#include "lifecycle.h"
#include "namespace.h"
#include "oci_config.h"
#include "overlay_apply.h"
#include "overlay_plan.h"
#include "policy_load.h"
#include "process_call.h"
#include "procfs.h"
#include "role.h"
#include "root.h"
#include "root_file.h"
#include "session_plan.h"
#include "strv.h"
#include "user_parse.h"

#define SANDBOXES         "sandboxes"
#define STATE_ROOT        "root"
#define STATE_ROOT_MAX    8192
#define LOCK_WAIT_MS      10000
#define LOCK_POLL_MS      10
#define NAME_IS_FREE      1
#define ID_RANDOM_BYTES   6
#define EXIT_NOT_EXECUTED 126
#define EXIT_NOT_FOUND    127

/* What launch makes, in order; undone backwards. */
struct session {
    const struct session_options *options;
    struct arena arena;
    struct policy *policy;
    struct image_store store;
    struct image image;
    const char *id;
    uint32_t first_id;
    int dir; /* DATA/sandboxes/ID, locked; -1: the name is not ours */
    int rootfs_fd;
    struct session_volume *volumes;
};

#define SESSION_INIT { .arena = ARENA_INIT, .store = IMAGE_STORE_INIT, .dir = -1, .rootfs_fd = -1 }

/* --- image --- */

static int image_get(struct session *s, struct error *err)
{
    struct image_ref ref;
    struct image_load_report report;

    if (image_ref_parse(&s->arena, s->options->image, &ref, err) < 0 ||
        image_store_open(&s->store, s->options->data_root, NULL, err) < 0)
        return -err->code;
    if (ref.transport != IMAGE_STORED) {
        if (image_load(&s->store, &s->arena, &ref, NULL, &s->image, &report, err) < 0)
            return -err->code;
        image_load_report_print(&report, s->options->warnings);
        return 0;
    }
    int r = image_find(&s->store, &s->arena, &ref, &s->image, err);
    if (r == IMAGE_NOT_FOUND)
        return err_set(err, ENOENT,
            "image %s: not here; \"runa image load docker-archive:FILE\" brings one, \"runa image ls\" lists them",
            s->options->image);
    return r;
}

/* --- identity --- */

static int id_choose(struct session *s, struct error *err)
{
    uint8_t random[ID_RANDOM_BYTES];
    AUTO(buf) struct buf text = BUF_INIT;

    if (s->options->id) {
        s->id = s->options->id;
        return container_id_check(s->id, err);
    }
    ssize_t n = kernel_getrandom(random, sizeof(random));
    if (n != (ssize_t)sizeof(random))
        return err_sys(err, n < 0 ? (int)n : -EIO, "cannot make up a name");
    buf_puts(&text, "sandbox-");
    for (size_t i = 0; i < sizeof(random); i++)
        buf_printf(&text, "%02x", random[i]);
    s->id = arena_strdup(&s->arena, buf_str(&text));
    return 0;
}

/* A second launch of the same name must find out before it touches the data of the first. */
static int id_is_free(const struct session *s, struct error *err)
{
    struct container c = CONTAINER_INIT;
    int r = container_open(&c, s->options->root, s->id, err);

    container_done(&c);
    if (r == 0)
        return err_set(err, EEXIST, "container with given ID already exists: \"%s\"", s->id);
    return r < 0 ? r : 0;
}

/* --- root --- */

/* What the operator wrote, as it is from "/". */
static int path_absolute(struct arena *arena, const char *path, const char **ret, struct error *err)
{
    char cwd[4096];

    *ret = path;
    if (path[0] == '/')
        return 0;
    int r = kernel_getcwd(cwd, sizeof(cwd));
    if (r < 0)
        return err_sys(err, r, "%s: cannot find the working directory", path);
    *ret = arena_printf(arena, "%s/%s", cwd, path);
    return 0;
}

/* Claims the name: whoever made the directory is the only one who may take it back. The lock tells delete that the
 * launch is under way, the file which state root the container is to be found in. */
static int name_claim(struct session *s, struct error *err)
{
    const char *root;

    if (path_absolute(&s->arena, s->options->root, &root, err) < 0)
        return -err->code;
    int r = kernel_mkdirat(s->store.dir, SANDBOXES, 0700);
    if (r < 0 && r != -EEXIST)
        return err_sys(err, r, "%s: cannot make %s", s->options->data_root, SANDBOXES);
    autoclose int parent = kernel_openat(s->store.dir, SANDBOXES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    r = parent < 0 ? parent : kernel_mkdirat(parent, s->id, 0700);
    if (r == -EEXIST)
        return err_set(err, EEXIST,
            "sandbox \"%s\": another one has its data under this name; when it is a left-over, \"runa delete -f %s\" "
            "removes it",
            s->id, s->id);
    autoclose int dir = r < 0 ? r : kernel_openat(parent, s->id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    r = dir < 0 ? dir : kernel_flock(dir, LOCK_EX | LOCK_NB);
    if (r < 0)
        return err_sys(err, r, "sandbox \"%s\": cannot make its directory", s->id);
    s->dir = take_fd(&dir);
    r = file_replace(s->dir, STATE_ROOT, root, strlen(root), 0600, 0);
    return r < 0 ? err_sys(err, r, "sandbox \"%s\": cannot write to its directory", s->id) : 0;
}

static int range_userns_make(uint32_t first_id, int *ret_fd, struct error *err)
{
    struct procfs procfs = PROCFS_INIT;
    char map[ID_RANGE_MAP_SIZE];

    id_range_map(first_id, map);
    int r = procfs_open_host(&procfs);
    int fd = r < 0 ? r : namespace_new_user(&procfs, map, map);
    procfs_done(&procfs);
    if (fd < 0)
        return err_sys(err, fd, "cannot make a user namespace for the ids %u and on", first_id);
    *ret_fd = fd;
    return 0;
}

static int layers_mount(struct session *s, int sandbox_dir, int userns, struct error *err)
{
    struct overlay_plan plan;
    int *fds = arena_new_array(&s->arena, s->image.n_layers + 1, int);

    if (overlay_plan_build(&s->arena, s->image.layers, s->image.n_layers, s->id, &s->first_id, s->options->want_removal,
            &plan, err) < 0 ||
        image_layers_open(&s->store, &s->image, fds, err) < 0)
        return -err->code;
    int r = overlay_apply(&plan, fds, sandbox_dir, userns, &s->rootfs_fd, err);
    for (size_t i = 0; i < s->image.n_layers; i++)
        (void)close(fds[i]);
    return r;
}

static int rootfs_make(struct session *s, struct error *err)
{
    autoclose int userns = -1;

    if (name_claim(s, err) < 0 || id_range_take(s->store.dir, s->id, &s->first_id, err) < 0 ||
        image_hold(&s->store, &s->image, s->id, err) < 0 || range_userns_make(s->first_id, &userns, err) < 0)
        return -err->code;
    return layers_mount(s, s->dir, userns, err);
}

/* --- configuration --- */

static int volumes_parse(struct session *s, struct error *err)
{
    s->volumes = arena_new_array(&s->arena, s->options->n_volumes + 1, struct session_volume);
    for (size_t i = 0; i < s->options->n_volumes; i++) {
        struct session_volume *volume = &s->volumes[i];
        struct stat st;
        if (session_volume_parse(&s->arena, s->options->volumes[i], volume, err) < 0)
            return -err->code;
        if (path_absolute(&s->arena, volume->source, &volume->source, err) < 0)
            return -err->code;
        /* A sandbox that once had a folder above it may have put a link there. mount_source looks again. */
        autoclose int fd = kernel_openat2(AT_FDCWD, volume->source, O_PATH, 0, RESOLVE_NO_SYMLINKS);
        if (fd == -ELOOP)
            return err_set(err, ELOOP,
                "-v %s: a symbolic link is in the way: it may be the work of an earlier sandbox; write where it leads "
                "(\"realpath %s\")",
                s->options->volumes[i], volume->source);
        int r = fd < 0 ? fd : kernel_fstat(fd, &st);
        if (r < 0)
            return err_sys(err, r, "-v %s: %s", s->options->volumes[i], volume->source);
        if (S_ISSOCK(st.st_mode))
            return err_set(err, EPERM, "-v %s: is a socket: whoever serves it would be reachable from inside",
                s->options->volumes[i]);
        if (st.st_uid == 0 && !volume->is_readonly)
            buf_printf(s->options->warnings,
                "-v %s: belongs to root: files made there inside are root's on the host, set-id ones too\n",
                s->options->volumes[i]);
        volume->owner_uid = st.st_uid;
        volume->owner_gid = st.st_gid;
    }
    return 0;
}

static int config_make(struct session *s, struct oci_config **ret, struct error *err)
{
    const struct session_options *o = s->options;
    const struct root root = { .fd = s->rootfs_fd };
    struct user user;
    struct rlimit limit = { 0 };

    int r = kernel_prlimit(0, RLIMIT_NOFILE, NULL, &limit);
    if (r < 0)
        return err_sys(err, r, "cannot read RLIMIT_NOFILE");
    if (volumes_parse(s, err) < 0 ||
        image_user_find(&s->arena, &root, o->user ? o->user : s->image.config.user, &user, err) < 0)
        return -err->code;
    const struct session_request request = {
        .id = s->id,
        .command = o->command,
        .n_command = o->n_command,
        .env = o->env,
        .n_env = o->n_env,
        .working_dir = o->working_dir,
        .volumes = s->volumes,
        .n_volumes = o->n_volumes,
        .want_terminal = o->want_terminal,
        .first_id = s->first_id,
        .n_files_max = limit.rlim_max,
        .caller_env = environ,
    };
    return session_plan(&s->arena, &request, &s->image.config, &user, s->policy, ret, o->warnings, err);
}

/* --- life --- */

static int session_make(struct session *s, struct error *err)
{
    const char *word = s->options->policy ? s->options->policy : POLICY_DEFAULT;

    if (policy_load(&s->arena, POLICY_CONFIG_DIR, word, &s->policy, NULL, s->options->warnings, err) < 0 ||
        id_choose(s, err) < 0 || id_is_free(s, err) < 0 || image_get(s, err) < 0)
        return -err->code;
    return rootfs_make(s, err);
}

/* Of a directory that is locked. It goes last: while it is there nobody else can take the name, whose ids and image are
 * found by it. */
static int data_remove(struct image_store *store, int dir, const char *id, struct error *err)
{
    static const char *const trees[] = { "upper", "work" };
    int r = 0;

    for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
        int one = directory_remove(dir, trees[i]);
        r = r < 0 || one == -ENOENT ? r : one;
    }
    if (r < 0)
        return err_sys(err, r, "sandbox \"%s\": cannot remove its data", id);
    if (image_release(store, id, err) < 0 || id_range_release(store->dir, id, err) < 0)
        return -err->code;
    autoclose int parent = kernel_openat(store->dir, SANDBOXES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    r = parent < 0 ? parent : directory_remove(parent, id);
    return r < 0 && r != -ENOENT ? err_sys(err, r, "sandbox \"%s\": cannot remove its directory", id) : 0;
}

static void session_undo(struct session *s)
{
    struct error ignored = ERR_INIT;

    if (s->rootfs_fd >= 0)
        (void)close(s->rootfs_fd); /* unmounts */
    s->rootfs_fd = -1;
    if (s->dir >= 0 && data_remove(&s->store, s->dir, s->id, &ignored) < 0)
        buf_printf(s->options->warnings, "%s\n", ignored.text);
}

static int container_run(struct session *s, int *ret_status, struct error *err)
{
    bool is_unexecutable = false;
    /* Without it not even localhost has an address. */
    const struct root_file hosts = {
        .path = "/etc/hosts",
        .text = arena_printf(&s->arena, "127.0.0.1\tlocalhost %s\n::1\tlocalhost ip6-localhost\n", s->id),
    };
    const struct session_options *o = s->options;
    struct create_options create = {
        .root = o->root,
        .id = s->id,
        .bundle = "/",
        .is_detached = o->is_detached,
        .is_cgroup_disabled = o->is_cgroup_disabled,
        .is_filter_strict = true,
        .want_keep = !o->want_removal,
        .rootfs_fdp = &s->rootfs_fd,
        .files = &hosts,
        .n_files = 1,
        .warnings = o->warnings,
        .ret_is_unexecutable = &is_unexecutable,
    };

    if (config_make(s, &create.config, err) < 0)
        return -err->code;
    if (o->is_dry_run) {
        *ret_status = 0;
        return lifecycle_plan_print(&create, o->output, err);
    }
    int r = lifecycle_run(&create, ret_status, err);
    if (r < 0 && is_unexecutable) {
        /* As every shell has it, so that scripts can tell what happened. */
        *ret_status = r == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTED;
        return SESSION_UNEXECUTABLE;
    }
    if (r == 0 && o->is_detached)
        buf_printf(o->output, "%s\n", s->id);
    return r;
}

int session_run(const struct session_options *options, int *ret_status, struct error *err)
{
    role_require(ROLE_PARENT);
    struct session s = SESSION_INIT;
    bool is_over = options->is_dry_run || options->want_removal;

    s.options = options;
    if (geteuid() != 0)
        return err_set(err, EPERM, "launch: needs root for now: a range of ids is given to each sandbox");
    int r = session_make(&s, err);
    if (r == 0)
        r = container_run(&s, ret_status, err);
    if (r != 0 || is_over)
        session_undo(&s);
    if (s.rootfs_fd >= 0)
        (void)close(s.rootfs_fd);
    if (s.dir >= 0)
        (void)close(s.dir);
    image_store_done(&s.store);
    arena_done(&s.arena);
    return r;
}

/* 0, or NAME_IS_FREE: gone, or that of a container of another state root. */
static int data_lock(struct image_store *store, const char *root, const char *id, int *ret_dir, struct error *err)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    autofree char *text = NULL;
    const char *own;
    size_t len;
    struct stat st;

    if (path_absolute(&arena, root, &own, err) < 0)
        return -err->code;
    autoclose int parent = kernel_openat(store->dir, SANDBOXES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    autoclose int dir = parent < 0 ? parent : kernel_openat(parent, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);

    if (dir == -ENOENT)
        return NAME_IS_FREE;
    int r = dir < 0 ? dir : file_read(dir, STATE_ROOT, STATE_ROOT_MAX, &text, &len);
    if (r == 0 && !str_eq(text, own))
        return NAME_IS_FREE;
    if (r < 0 && r != -ENOENT) /* cut off before it was written */
        return err_sys(err, r, "sandbox \"%s\": cannot open its directory", id);
    for (int waited = 0; (r = kernel_flock(dir, LOCK_EX | LOCK_NB)) == -EWOULDBLOCK; waited += LOCK_POLL_MS) {
        if (waited > LOCK_WAIT_MS)
            return err_set(err, EBUSY, "sandbox \"%s\": its launch is still under way", id);
        (void)kernel_poll(NULL, 0, LOCK_POLL_MS);
    }
    if (r == 0)
        r = kernel_fstat(dir, &st);
    if (r < 0)
        return err_sys(err, r, "sandbox \"%s\": cannot lock its directory", id);
    if (st.st_nlink == 0)
        return NAME_IS_FREE;
    *ret_dir = take_fd(&dir);
    return 0;
}

static int data_lock_and_remove(struct image_store *store, const char *root, const char *id, struct error *err)
{
    struct container c = CONTAINER_INIT;
    struct error damage = ERR_INIT;
    autoclose int dir = -1;
    int r = data_lock(store, root, id, &dir, err);

    if (r != 0)
        return r == NAME_IS_FREE ? 0 : r;
    r = container_open(&c, root, id, &damage);
    container_done(&c);
    if (r == 0)
        return err_set(err, EBUSY, "sandbox \"%s\": was launched meanwhile: not deleted", id);
    if (r < 0) {
        *err = damage;
        return r;
    }
    return data_remove(store, dir, id, err);
}

int session_remove(const char *root, const char *data_root, const char *id, struct error *err)
{
    struct image_store store = IMAGE_STORE_INIT;
    struct stat st;

    if (kernel_fstatat(AT_FDCWD, data_root, &st, 0) == -ENOENT)
        return 0;
    int r = image_store_open(&store, data_root, NULL, err);
    if (r == 0)
        r = data_lock_and_remove(&store, root, id, err);
    image_store_done(&store);
    return r;
}
