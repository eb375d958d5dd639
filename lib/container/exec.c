/* SPDX-License-Identifier: Apache-2.0 */
/* exec, outside: the same words with the process as create has with init. */
#include "exec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "call.h"
#include "caps_apply.h"
#include "cgroupfs.h"
#include "channel.h"
#include "cleanup.h"
#include "container_store.h"
#include "err.h"
#include "exec_child.h"
#include "file.h"
#include "foreground.h"
#include "init_parent.h"
#include "label_apply.h"
#include "oci_config.h"
#include "oci_config_check.h"
#include "oci_config_parse.h"
#include "oci_state.h"
#include "pid_file.h"
#include "procfs.h"
#include "relay.h"
#include "role.h"
#include "strv.h"
#include "syscall_filter_build.h"
#include "syscall_filter_cache.h"

#define PROCESS_BYTES_MAX (4U << 20)

struct exec_session {
    const struct exec_options *options;
    struct container container;
    struct oci_config *config;
    struct exec_plan plan;
    struct syscall_filter filter;
    struct exec_context context;
    int cgroup_fd;
    struct init_process process;
};

#define EXEC_SESSION_INIT                                                                                             \
    {                                                                                                                 \
        .container = CONTAINER_INIT, .context = { .procfs = PROCFS_INIT, .pidfd = -1, .root_fd = -1, .channel = -1 }, \
        .cgroup_fd = -1, .process = INIT_PROCESS_INIT                                                                 \
    }

static void session_done(struct exec_session *s)
{
    int *const fds[] = { &s->context.pidfd, &s->context.root_fd, &s->context.channel, &s->cgroup_fd };

    init_process_done(&s->process);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        if (*fds[i] >= 0)
            (void)close(*fds[i]);
        *fds[i] = -1;
    }
    procfs_done(&s->context.procfs);
    container_done(&s->container);
}

static int process_read(struct exec_session *s, struct oci_process **ret, struct error *err)
{
    const char *path = s->options->process_path;
    autofree char *text = NULL;
    size_t len;
    int r = file_read(AT_FDCWD, path, PROCESS_BYTES_MAX, &text, &len);

    if (r < 0)
        return err_sys(err, r, "--process %s: cannot read", path);
    if (oci_process_parse(&s->container.arena, path, text, len, ret, err) < 0)
        return -err->code;
    if (oci_process_check(*ret, err) < 0 || oci_process_unsupported(*ret, err) < 0)
        return err_in(err, "%s", path);
    return 0;
}

/* What cannot be read counts as allowed: setgroups itself says no then, and nothing runs. */
static bool is_setgroups_denied(const struct exec_session *s)
{
    char word[16];
    autoclose int pid_dir = procfs_open_pid(&s->context.procfs, s->container.pid, s->context.pidfd);

    return pid_dir >= 0 && file_read_line(pid_dir, "setgroups", word, sizeof(word)) > 0 && str_eq(word, "deny");
}

static int plan_make(struct exec_session *s, struct error *err)
{
    struct arena *arena = &s->container.arena;
    struct exec_facts facts = { .caps_last = caps_last(), .is_sandbox = s->container.record.is_sandbox };
    struct oci_process *process;
    struct strv unknown_caps = STRV_INIT;

    if (caps_own(&facts.caps_own, err) < 0 || container_config(&s->container, &s->config, err) < 0)
        return -err->code;
    int r = s->options->process_path ? process_read(s, &process, err)
                                     : exec_process_make(arena, s->config, &s->options->words, &process, err);
    if (r < 0)
        return r;
    if (process->apparmor_profile || process->selinux_label || s->config->process->apparmor_profile ||
        s->config->process->selinux_label)
        label_host_read(&facts.labels);
    facts.is_setgroups_denied =
        oci_namespace_find(s->config, OCI_NAMESPACE_USER) != NULL && is_setgroups_denied(s);
    if (exec_plan_build(arena, s->config, process, &facts, &s->plan, &unknown_caps, err) < 0)
        return -err->code;
    if (oci_process_check(process, err) < 0)
        return -err->code;
    for (size_t i = 0; i < unknown_caps.n; i++)
        buf_printf(s->options->warnings,
            "process.capabilities: %s is not known, not the runtime's to give, or more than the first process "
            "has: not granted\n",
            unknown_caps.items[i]);
    if (process->terminal && s->options->is_detached && !s->options->console_socket)
        return err_set(err, EINVAL,
            "exec: with --detach somebody must take the terminal; give --console-socket");
    return 0;
}

/* The container must run, and stays the one that it is by its pidfd, whatever happens to its number. */
static int container_find(struct exec_session *s, struct error *err)
{
    const struct exec_options *o = s->options;

    if (container_get(&s->container, o->root, o->id, err) < 0)
        return -err->code;
    enum container_status status;
    if (container_status_open(&s->container, &status, &s->context.pidfd, err) < 0)
        return -err->code;
    if (status == CONTAINER_STOPPED)
        return err_set(err, ESRCH, "cannot exec in a stopped container: \"%s\"", o->id);
    if (status == CONTAINER_CREATING)
        return err_set(err, EBUSY, "container \"%s\" is still being created", o->id);
    if (status == CONTAINER_PAUSED && !o->may_be_paused)
        return err_set(
            err, EBUSY, "cannot exec in a paused container (use --ignore-paused to override): \"%s\"", o->id);
    return 0;
}

static int root_find(struct exec_session *s, struct error *err)
{
    autoclose int pid_dir = procfs_open_pid(&s->context.procfs, s->container.pid, s->context.pidfd);
    int fd = pid_dir < 0 ? pid_dir : kernel_openat(pid_dir, "root", O_PATH | O_DIRECTORY, 0);

    if (fd < 0)
        return err_sys(err, fd, "container \"%s\": cannot find its root", s->options->id);
    s->context.root_fd = fd;
    return 0;
}

/* Where init is, or --cgroup below the container's own. A container that moved its init into a cgroup of its making may
 * have made its own one unable to hold processes. */
static int cgroup_find(struct exec_session *s, struct error *err)
{
    const char *own = s->container.record.cgroup;
    const char *sub = s->options->cgroup;

    if (!own || !*own) {
        if (sub)
            return err_set(err, EINVAL, "--cgroup %s: container \"%s\" has no cgroup", sub, s->options->id);
        return 0;
    }
    autoclose int dir = kernel_open(own, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (dir == -ENOENT && s->options->is_rootless && !sub)
        return 0; /* none could be had at create */
    if (dir < 0)
        return err_sys(err, dir, "container \"%s\": cannot open its cgroup %s", s->options->id, own);
    if (!sub) {
        s->cgroup_fd = take_fd(&dir);
        return 0;
    }
    int fd = cgroupfs_open_dir(dir, sub);
    if (fd < 0)
        return err_sys(err, fd, "--cgroup %s: cannot open it below %s", sub, own);
    s->cgroup_fd = fd;
    return 0;
}

static int filter_make(struct exec_session *s, struct error *err)
{
    if (!s->plan.has_filter)
        return 0;
    autoclose int cache =
        kernel_openat(s->container.root_dir, ".cache", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    return syscall_filter_get(&s->container.arena, cache < 0 ? -1 : cache, &s->plan.filter, &s->filter, err);
}

static int session_prepare(struct exec_session *s, struct error *err)
{
    int r = procfs_open_host(&s->context.procfs);

    if (r < 0)
        return err_sys(err, r, "/proc: cannot open, or it is no procfs");
    if (container_find(s, err) < 0 || plan_make(s, err) < 0 || root_find(s, err) < 0 || cgroup_find(s, err) < 0)
        return -err->code;
    return filter_make(s, err);
}

static int oom_score_write(const struct exec_session *s, struct error *err)
{
    char text[16];

    if (!s->plan.process->has_oom_score_adj)
        return 0;
    autoclose int pid_dir = procfs_open_pid(&s->context.procfs, s->process.pid, s->process.pidfd);
    (void)snprintf(text, sizeof(text), "%d", s->plan.process->oom_score_adj);
    int r = pid_dir < 0 ? pid_dir : file_write_control(pid_dir, "oom_score_adj", text);
    return r < 0 ? err_sys(err, r, "process.oomScoreAdj %s: cannot set", text) : 0;
}

static int process_make(struct exec_session *s, struct error *err)
{
    const struct exec_options *o = s->options;
    const struct oci_seccomp *seccomp = s->config->linux_.seccomp;
    unsigned preserve = o->preserve_fds < o->n_inherited_fds ? o->preserve_fds : o->n_inherited_fds;
    int pair[2];
    struct oci_state state = {
        .id = o->id,
        .status = "running",
        .bundle = s->container.record.bundle,
        .annotations = s->config->annotations,
        .n_annotations = s->config->n_annotations,
    };
    const struct init_orders orders = {
        .console_size = &s->plan.process->console_size,
        .state = &state,
        .console_socket = o->console_socket,
        .listener_path = seccomp ? seccomp->listener_path : NULL,
        .listener_metadata = seccomp ? seccomp->listener_metadata : NULL,
        .is_rootless = o->is_rootless,
    };
    const struct relay_request relay = {
        .cgroup_fd = s->cgroup_fd,
        .join = exec_namespaces_join,
        .child = exec_child_main,
        .argument = &s->context,
    };

    int r = channel_open_pair(pair);
    if (r < 0)
        return err_sys(err, r, "cannot make the channel to the process");
    s->process.channel = pair[0];
    s->context.channel = pair[1];
    s->context.plan = &s->plan;
    s->context.filter = s->plan.has_filter ? &s->filter : NULL;
    s->context.container_id = o->id;
    s->context.preserve_fds = preserve;
    s->context.want_keyring = true;
    r = relay_clone(&relay, &s->process.pid, &s->process.pidfd, err);
    (void)close(s->context.channel);
    s->context.channel = -1;
    if (r < 0 || oom_score_write(s, err) < 0 || init_accompany(&s->process, &orders, err) < 0)
        return -err->code;
    return o->pid_file ? pid_file_write(o->pid_file, s->process.pid, err) : 0;
}

int container_exec(const struct exec_options *options, int *ret_status, struct error *err)
{
    role_require(ROLE_PARENT);
    struct exec_session s = EXEC_SESSION_INIT;
    struct foreground foreground = FOREGROUND_INIT;

    s.options = options;
    int r = session_prepare(&s, err);
    if (r == 0 && !options->is_detached)
        r = foreground_open(&foreground, err);
    if (r == 0)
        r = process_make(&s, err);
    if (r == 0)
        r = init_start(s.process.channel, false, &s.process.is_unexecutable, err);
    if (r < 0)
        init_process_kill(&s.process);
    else if (options->is_detached)
        *ret_status = EXIT_SUCCESS;
    else
        r = foreground_wait(&foreground, s.process.pidfd, s.process.terminal, ret_status, err);
    foreground_done(&foreground);
    session_done(&s);
    return r;
}
