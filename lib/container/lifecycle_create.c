/* SPDX-License-Identifier: Apache-2.0 */
/* create and run. They share one session: prepare (pure but for reading), make, undo. */
#include "lifecycle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "arena.h"
#include "buf.h"
#include "call.h"
#include "caps_apply.h"
#include "cgroup_apply.h"
#include "cgroup_path_plan.h"
#include "cgroupfs.h"
#include "cleanup.h"
#include "container_plan.h"
#include "err.h"
#include "file.h"
#include "foreground.h"
#include "init_child.h"
#include "init_parent.h"
#include "label_apply.h"
#include "lifecycle_internal.h"
#include "mount_source.h"
#include "notify_socket.h"
#include "oci_config.h"
#include "oci_config_check.h"
#include "oci_config_parse.h"
#include "oci_config_write.h"
#include "oci_state.h"
#include "parse_num.h"
#include "pid_file.h"
#include "procfs.h"
#include "role.h"
#include "socket_call.h"
#include "strv.h"
#include "syscall_filter_build.h"
#include "syscall_filter_cache.h"
#include "user_parse.h"

#define CONFIG_BYTES_MAX (8U << 20)
#define PATH_TEXT_MAX    4096

/* What create and run make, in the order in which it is made; undone backwards. */
struct session {
    const struct create_options *options;
    struct arena arena;
    struct procfs procfs;
    struct oci_config *config;
    const char *config_text;
    size_t config_len;
    const char *bundle;
    bool has_listen_fds;
    struct container_plan plan;
    struct syscall_filter filter;
    struct container container;
    struct mount_sources sources;
    struct cgroupfs hierarchy;
    struct cgroup cgroup;
    int start_socket;
    bool is_start_sent;
    int notify_fd;
    const char *notify_path; /* NULL: the caller does not ask */
    struct init_process process;
};

#define SESSION_INIT                                                                                                   \
    {                                                                                                                  \
        .arena = ARENA_INIT, .procfs = PROCFS_INIT, .container = CONTAINER_INIT, .sources = MOUNT_SOURCES_INIT,        \
        .hierarchy = CGROUPFS_INIT, .cgroup = CGROUP_INIT, .start_socket = -1, .notify_fd = -1,                        \
        .process = INIT_PROCESS_INIT                                                                                   \
    }

static void session_done(struct session *s)
{
    init_process_done(&s->process);
    if (s->start_socket >= 0)
        (void)close(s->start_socket);
    s->start_socket = -1;
    if (s->notify_fd >= 0)
        (void)close(s->notify_fd);
    s->notify_fd = -1;
    mount_sources_done(&s->sources);
    cgroup_done(&s->cgroup);
    cgroupfs_done(&s->hierarchy);
    container_done(&s->container);
    procfs_done(&s->procfs);
    arena_done(&s->arena);
}

/* --- prepare --- */

/* The absolute path of a directory, as the kernel knows it. */
static int path_resolve(struct session *s, const char *path, const char **ret, struct error *err)
{
    char link[32];
    char text[PATH_TEXT_MAX];
    autoclose int fd = kernel_open(path, O_PATH | O_DIRECTORY, 0);

    if (fd < 0)
        return err_sys(err, fd, "bundle %s: cannot open", path);
    (void)snprintf(link, sizeof(link), "self/fd/%d", fd);
    int r = kernel_readlinkat(s->procfs.fd, link, text, sizeof(text));
    if (r < 0)
        return err_sys(err, r, "bundle %s: cannot find its absolute path", path);
    *ret = arena_strdup(&s->arena, text);
    return 0;
}

static int config_load(struct session *s, struct error *err)
{
    const struct create_options *o = s->options;
    const char *path = o->config_path ? o->config_path : arena_printf(&s->arena, "%s/config.json", s->bundle);
    autofree char *text = NULL;
    size_t len;
    int r = file_read(AT_FDCWD, path, CONFIG_BYTES_MAX, &text, &len);

    if (r < 0)
        return err_sys(err, r, "%s: cannot read", path);
    s->config_text = arena_strndup(&s->arena, text, len);
    s->config_len = len;
    return oci_config_parse(&s->arena, path, text, len, &s->config, err);
}

/* launch made the configuration: its text is what later commands read. */
static void config_adopt(struct session *s)
{
    AUTO(buf) struct buf text = BUF_INIT;

    s->config = s->options->config;
    oci_config_write(s->config, 0, &text);
    s->config_text = arena_strndup(&s->arena, buf_str(&text), text.len);
    s->config_len = text.len;
}

/* sd_listen_fds(3): descriptors 3.. are the payload's when LISTEN_PID is this process. Engines that start the runtime
 * through others leave LISTEN_PID out. */
static unsigned listen_fds(void)
{
    const char *pid_text = getenv("LISTEN_PID");
    const char *n_text = getenv("LISTEN_FDS");
    uint32_t pid;
    uint32_t n;

    if (!n_text || parse_u32(n_text, 1024, &n) < 0)
        return 0;
    if (pid_text && (parse_u32(pid_text, INT32_MAX, &pid) < 0 || (pid_t)pid != getpid()))
        return 0;
    return n;
}

/* The state directory that the container is going to have; for a mount, which wants an absolute path. */
static int state_directory(struct session *s, const char **ret, struct error *err)
{
    const struct create_options *o = s->options;
    char cwd[PATH_TEXT_MAX] = "";

    if (o->root[0] != '/') {
        int r = kernel_getcwd(cwd, sizeof(cwd));
        if (r < 0)
            return err_sys(err, r, "cannot find the working directory");
    }
    *ret = arena_printf(&s->arena, "%s%s%s/%s", cwd, *cwd ? "/" : "", o->root, o->id);
    return 0;
}

static int notify_plan(struct session *s, struct error *err)
{
    const char *directory;

    /* A sandbox gets nothing of the caller's that its policy does not name. */
    s->notify_path = s->options->rootfs_fdp ? NULL : notify_socket_wanted();
    if (!s->notify_path)
        return 0;
    if (state_directory(s, &directory, err) < 0)
        return -err->code;
    notify_socket_plan(&s->arena, s->config, s->notify_path, directory);
    return 0;
}

static int facts_collect(struct session *s, struct container_facts *facts, struct error *err)
{
    const struct create_options *o = s->options;
    const struct oci_process *process = s->config->process;
    unsigned n_listen = o->rootfs_fdp ? 0 : listen_fds(); /* as with NOTIFY_SOCKET */

    *facts = (struct container_facts){
        .id = o->id,
        .bundle = s->bundle,
        .caps_last = caps_last(),
        .is_rootless = o->is_rootless,
        .is_cgroup_disabled = o->is_cgroup_disabled,
        .is_filter_strict = o->is_filter_strict,
        .is_rootfs_given = o->rootfs_fdp != NULL,
        .files = o->files,
        .n_files = o->n_files,
        .no_pivot = o->no_pivot,
        .no_new_keyring = o->no_new_keyring,
        .preserve_fds = o->preserve_fds + n_listen < o->n_inherited_fds ? o->preserve_fds + n_listen
                                                                        : o->n_inherited_fds,
        .caller = { .uid = geteuid(), .gid = getegid() },
    };
    if (caps_own(&facts->caps_own, err) < 0)
        return -err->code;
    s->has_listen_fds = n_listen > 0;
    if (process && (process->apparmor_profile || process->selinux_label))
        label_host_read(&facts->labels);
    if (o->is_cgroup_disabled)
        return 0;
    if (cgroup_hierarchy_open(&s->hierarchy, err) < 0)
        return -err->code;
    if (!s->hierarchy.is_unified)
        facts->cgroup_mount = s->hierarchy.path;
    if (cgroup_path_needs_own(s->config->linux_.cgroups_path) &&
        cgroup_own_path(&s->arena, &s->hierarchy, &facts->own_cgroup, err) < 0)
        return -err->code;
    return 0;
}

static int session_prepare(struct session *s, struct error *err)
{
    const struct create_options *o = s->options;
    struct container_facts facts;
    struct strv unknown_caps = STRV_INIT;

    if (container_id_check(o->id, err) < 0)
        return -err->code;
    int r = procfs_open_host(&s->procfs);
    if (r < 0)
        return err_sys(err, r, "/proc: cannot open, or it is no procfs");
    if (path_resolve(s, o->bundle ? o->bundle : ".", &s->bundle, err) < 0)
        return -err->code;
    if (o->config)
        config_adopt(s);
    else if (config_load(s, err) < 0)
        return -err->code;
    if (oci_config_check(s->config, err) < 0 || oci_config_unsupported(s->config, err) < 0)
        return -err->code;
    if (s->config->process && s->config->process->terminal && o->is_detached && !o->console_socket)
        return err_set(err, EINVAL,
            "process.terminal: with --detach somebody must take the terminal; give --console-socket");
    if (notify_plan(s, err) < 0 || facts_collect(s, &facts, err) < 0 ||
        container_plan_build(&s->arena, s->config, &facts, &s->plan, &unknown_caps, err) < 0)
        return -err->code;
    for (size_t i = 0; i < unknown_caps.n; i++)
        lifecycle_warn(o->warnings,
            arena_printf(&s->arena, "process.capabilities: %s is not known, or not the runtime's to give: not granted",
                unknown_caps.items[i]));
    return 0;
}

/* --- make --- */

static const char *time_now(struct arena *arena)
{
    struct timespec now;
    struct tm tm;
    char text[32];

    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &tm);
    (void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    return arena_printf(arena, "%s.%09ldZ", text, now.tv_nsec);
}

static const char *owner_name(struct arena *arena, uint32_t uid)
{
    autofree char *text = NULL;
    struct user_file passwd = { 0 };
    const struct user_file no_group = { 0 };
    struct user user;
    struct error ignored = ERR_INIT;
    size_t len;

    if (uid == 0)
        return "root";
    const char *number = arena_printf(arena, "%u", uid);
    if (file_read(AT_FDCWD, "/etc/passwd", USER_FILE_SIZE_MAX, &text, &len) == 0)
        passwd = (struct user_file){ text, len };
    if (user_parse(arena, number, &passwd, &no_group, &user, &ignored) == 0 && user.name)
        return user.name;
    return number;
}

static int filter_make(struct session *s, struct error *err)
{
    if (!s->plan.has_filter)
        return 0;
    int r = kernel_mkdirat(s->container.root_dir, ".cache", 0700);
    autoclose int cache = r == 0 || r == -EEXIST
        ? kernel_openat(s->container.root_dir, ".cache", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        : -1;
    return syscall_filter_get(&s->arena, cache < 0 ? -1 : cache, &s->plan.filter, &s->filter, err);
}

static int record_save(struct session *s, const char *cgroup_path, struct error *err)
{
    struct arena *arena = &s->container.arena;
    const char *root_path = s->config->root.path ? s->config->root.path : "";
    const struct container_record record = {
        .id = s->container.record.id,
        .bundle = s->bundle,
        .rootfs = *root_path == '/' || !*root_path ? root_path : arena_printf(arena, "%s/%s", s->bundle, root_path),
        .created = time_now(arena),
        .cgroup = cgroup_path,
        .owner = owner_name(arena, geteuid()),
        .uid = geteuid(),
        .is_sandbox = s->options->rootfs_fdp != NULL,
    };

    return container_save(&s->container, &record, err);
}

/* The record comes first: a create that is cut off later leaves nothing that delete does not know of. */
static int record_and_cgroup_make(struct session *s, struct error *err)
{
    if (!s->plan.cgroup)
        return record_save(s, "", err);
    const char *path = arena_printf(&s->container.arena, "%s/%s", s->hierarchy.path, s->plan.cgroup->path);
    if (record_save(s, path, err) < 0)
        return -err->code;
    int r = cgroup_create(&s->cgroup, &s->hierarchy, s->plan.cgroup, s->options->is_rootless, err);
    return r < 0 ? r : 0;
}

static int late_limits(void *argument, struct error *err)
{
    const struct session *s = argument;

    if (s->cgroup.dir_fd < 0)
        return 0;
    return cgroup_limit_late(&s->cgroup, &s->plan.cgroup->limits, err);
}

static int init_make(struct session *s, struct error *err)
{
    const struct create_options *o = s->options;
    const struct oci_seccomp *seccomp = s->config->linux_.seccomp;
    struct init_context context = {
        .plan = &s->plan,
        .sources = &s->sources,
        .filter = s->plan.has_filter ? &s->filter : NULL,
        .procfs = s->procfs,
        .bundle = s->bundle,
        .is_rootless = o->is_rootless,
        .start_socket = s->start_socket,
        .has_listen_fds = s->has_listen_fds,
    };
    struct oci_state state = {
        .id = s->container.record.id,
        .status = container_status_name(CONTAINER_CREATING),
        .bundle = s->bundle,
        .annotations = s->config->annotations,
        .n_annotations = s->config->n_annotations,
    };
    const struct init_orders orders = {
        .context = &context,
        .console_size = &s->config->process->console_size,
        .state = &state,
        .console_socket = o->console_socket,
        .listener_path = seccomp ? seccomp->listener_path : NULL,
        .listener_metadata = seccomp ? seccomp->listener_metadata : NULL,
        .is_rootless = o->is_rootless,
        .late_limits = late_limits,
        .argument = s,
    };

    if (init_spawn(&context, s->cgroup.dir_fd, &s->process, err) < 0)
        return -err->code;
    /* While init works: none of it is needed before the payload runs. */
    if (container_save_init(&s->container, s->process.pid, err) < 0 ||
        container_save_config(&s->container, s->config_text, s->config_len, err) < 0 ||
        (s->plan.cgroup && cgroup_devices_apply(&s->cgroup, &s->plan.cgroup->devices, o->is_rootless, err) < 0))
        return -err->code;
    if (s->start_socket < 0 && !o->pid_file && init_start_early(&s->process, &orders, &s->is_start_sent, err) < 0)
        return -err->code;
    return init_accompany(&s->process, &orders, err);
}

static int session_make(struct session *s, bool is_run, struct error *err)
{
    const struct create_options *o = s->options;
    int none = -1;

    if (container_create(&s->container, o->root, o->id, err) < 0)
        return -err->code;
    if (s->notify_path && notify_directory_make(s->container.dir, err) < 0)
        return -err->code;
    if (s->notify_path && is_run && notify_socket_make(s->container.dir, &s->notify_fd, err) < 0)
        return -err->code;
    if (filter_make(s, err) < 0 ||
        (!o->is_rootless && mount_sources_open(&s->arena, &s->plan.mounts, &s->procfs,
                                o->rootfs_fdp ? o->rootfs_fdp : &none, &s->sources, err) < 0) ||
        record_and_cgroup_make(s, err) < 0)
        return -err->code;
    if (!is_run) {
        s->start_socket = unix_listen(s->container.dir, "start.sock", SOCK_SEQPACKET, 0600, 1);
        if (s->start_socket < 0)
            return err_sys(err, s->start_socket, "container \"%s\": cannot make start.sock", o->id);
    }
    if (init_make(s, err) < 0)
        return -err->code;
    return o->pid_file ? pid_file_write(o->pid_file, s->process.pid, err) : 0;
}

/* After a failed make: everything goes, and what cannot be removed is named behind the first reason. */
static void session_undo(struct session *s)
{
    struct error ignored = ERR_INIT;
    struct oci_state state = {
        .id = s->options->id,
        .bundle = s->bundle,
        .annotations = s->config->annotations,
        .n_annotations = s->config->n_annotations,
    };

    init_process_kill(&s->process);
    if (s->process.pid > 0)
        lifecycle_poststop(s->config, &state, s->options->warnings);
    cgroup_discard(&s->cgroup);
    if (s->container.dir >= 0 && container_remove(&s->container, &ignored) < 0)
        lifecycle_warn(s->options->warnings, ignored.text);
}

int lifecycle_create(const struct create_options *options, struct error *err)
{
    role_require(ROLE_PARENT);
    struct session s = SESSION_INIT;

    s.options = options;
    int r = session_prepare(&s, err);
    if (r == 0 && s.config->process->terminal && !options->console_socket)
        r = err_set(err, EINVAL, "process.terminal: create needs --console-socket to hand the terminal over");
    if (r == 0) {
        r = session_make(&s, false, err);
        if (r < 0)
            session_undo(&s);
    }
    session_done(&s);
    return r;
}

static int run_in_foreground(struct session *s, const struct foreground *foreground, int *ret_status,
    struct error *err)
{
    struct buf *warnings = s->options->warnings;
    int r = foreground_wait(foreground, s->process.pidfd, s->process.terminal, ret_status, err);

    if (r < 0) {
        session_undo(s);
        return r;
    }
    if (s->options->want_keep)
        return 0;
    r = container_lock(&s->container, err);
    if (r == -ENOENT) { /* somebody deleted it meanwhile: nothing is left to do */
        *err = (struct error)ERR_INIT;
        return 0;
    }
    if (r < 0)
        return r;
    return lifecycle_destroy(&s->container, s->config->hooks[OCI_HOOK_POSTSTOP].n_items == 0, warnings, err);
}

static int run_session(struct session *s, struct foreground *foreground, int *ret_status, struct error *err)
{
    int r = session_make(s, true, err);
    if (r == 0)
        r = init_start(s->process.channel, s->is_start_sent, &s->process.is_unexecutable, err);
    if (r < 0) {
        session_undo(s);
        return r;
    }
    if (s->config->hooks[OCI_HOOK_POSTSTART].n_items > 0)
        lifecycle_started(&s->container, s->options->warnings);
    *ret_status = EXIT_SUCCESS;
    if (s->options->is_detached) {
        if (s->notify_fd >= 0)
            notify_socket_wait(s->notify_fd, s->notify_path, s->process.pidfd);
        return 0;
    }
    foreground->notify_fd = s->notify_fd;
    foreground->notify_path = s->notify_path;
    /* Others may act on it while it runs. */
    (void)kernel_flock(s->container.dir, LOCK_UN);
    s->container.is_locked = false;
    return run_in_foreground(s, foreground, ret_status, err);
}

int lifecycle_run(const struct create_options *options, int *ret_status, struct error *err)
{
    role_require(ROLE_PARENT);
    struct session s = SESSION_INIT;
    struct foreground foreground = FOREGROUND_INIT;

    s.options = options;
    int r = session_prepare(&s, err);
    if (r == 0 && !options->is_detached)
        r = foreground_open(&foreground, err);
    if (r == 0)
        r = run_session(&s, &foreground, ret_status, err);
    if (r < 0 && options->ret_is_unexecutable)
        *options->ret_is_unexecutable = s.process.is_unexecutable;
    foreground_done(&foreground);
    session_done(&s);
    return r;
}

int lifecycle_plan_print(const struct create_options *options, struct buf *out, struct error *err)
{
    struct session s = SESSION_INIT;

    s.options = options;
    int r = session_prepare(&s, err);
    if (r == 0)
        container_plan_print(&s.plan, out);
    session_done(&s);
    return r;
}
