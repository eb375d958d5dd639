/* SPDX-License-Identifier: Apache-2.0 */
/* Parent's side of the set-up. */
#include "init_parent.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "call.h"
#include "channel.h"
#include "cleanup.h"
#include "err.h"
#include "file.h"
#include "hook_run.h"
#include "id_map_apply.h"
#include "init_child.h"
#include "init_message.h"
#include "kernel_const.h"
#include "mount_source.h"
#include "namespace.h"
#include "oci_config.h"
#include "oci_state.h"
#include "process.h"
#include "process_call.h"
#include "relay.h"
#include "role.h"
#include "socket_call.h"
#include "syscall_filter_build.h"
#include "syscall_notify_send.h"
#include "tty.h"

void init_process_done(struct init_process *process)
{
    int *const fds[] = { &process->pidfd, &process->channel, &process->terminal };

    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        if (*fds[i] >= 0)
            (void)close(*fds[i]);
        *fds[i] = -1;
    }
}

void init_process_kill(struct init_process *process)
{
    if (process->pidfd >= 0)
        process_kill(process->pidfd);
}

static int join_fds_open(struct init_context *context, struct error *err)
{
    const struct namespace_plan *plan = &context->plan->namespaces;

    for (int i = 0; i < OCI_NAMESPACE_TYPES; i++)
        context->join_fds[i] = -1;
    for (int i = 0; i < OCI_NAMESPACE_TYPES; i++) {
        enum oci_namespace_type type = (enum oci_namespace_type)i;
        if (!plan->join[i])
            continue;
        int fd = namespace_open(AT_FDCWD, plan->join[i], (int)namespace_flag(type));
        if (fd == -EINVAL)
            return err_set(err, EINVAL, "linux.namespaces: %s is not a %s namespace", plan->join[i],
                oci_namespace_name(type));
        if (fd < 0)
            return err_sys(err, fd, "linux.namespaces: %s: cannot open %s", oci_namespace_name(type), plan->join[i]);
        context->join_fds[i] = fd;
    }
    return 0;
}

static void join_fds_close(struct init_context *context)
{
    for (int i = 0; i < OCI_NAMESPACE_TYPES; i++) {
        if (context->join_fds[i] >= 0)
            (void)close(context->join_fds[i]);
        context->join_fds[i] = -1;
    }
}

/* The owner of a namespace decides who may join it: those that the caller's own user namespace owns go first, what is
 * left goes after the user namespace was joined. */
static int relay_join(void *argument, int report, struct error *err)
{
    (void)report;
    const struct init_context *context = argument;
    bool is_joined[OCI_NAMESPACE_TYPES] = { false };

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < OCI_NAMESPACE_TYPES; i++) {
            enum oci_namespace_type type = (enum oci_namespace_type)i;
            int fd = context->join_fds[i];
            if (fd < 0 || is_joined[i] || (round == 0 && type == OCI_NAMESPACE_USER))
                continue;
            int r = kernel_setns(fd, (int)namespace_flag(type));
            if (r == -EPERM && round == 0)
                continue;
            if (r < 0)
                return err_sys(err, r, "%s namespace: cannot join %s", oci_namespace_name(type),
                    context->plan->namespaces.join[i]);
            is_joined[i] = true;
        }
    }
    return 0;
}

static void relay_child(void *argument)
{
    init_child_main(argument);
}

static int clone_init(struct init_context *context, int cgroup_fd, struct init_process *ret, struct error *err)
{
    const struct kernel_clone clone = {
        .flags = context->plan->namespaces.clone_flags,
        .ret_pidfd = &ret->pidfd,
        .cgroup_fd = cgroup_fd,
        .exit_signal = SIGCHLD,
    };
    const struct relay_request relay = {
        .cgroup_fd = cgroup_fd,
        .clone_flags = clone.flags,
        .join = relay_join,
        .child = relay_child,
        .argument = context,
    };

    if (context->is_relayed)
        return relay_clone(&relay, &ret->pid, &ret->pidfd, err);
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0)
        init_child_main(context);
    if (pid < 0)
        return err_sys(err, pid, "cannot create the container's init process in its namespaces%s",
            pid == -EPERM || pid == -ENOSPC
                ? " (are user namespaces allowed here? see kernel.unprivileged_userns_clone and"
                  " user.max_user_namespaces)"
                : "");
    ret->pid = pid;
    return 0;
}

int init_spawn(struct init_context *context, int cgroup_fd, struct init_process *ret, struct error *err)
{
    role_require(ROLE_PARENT);
    int pair[2];
    struct init_process process = INIT_PROCESS_INIT;

    if (join_fds_open(context, err) < 0) {
        join_fds_close(context);
        return -err->code;
    }
    int r = channel_open_pair(pair);
    if (r < 0) {
        join_fds_close(context);
        return err_sys(err, r, "cannot make the channel to init");
    }
    context->channel = pair[1];
    context->is_relayed = context->plan->namespaces.has_relay;
    r = clone_init(context, cgroup_fd, &process, err);
    join_fds_close(context);
    (void)close(pair[1]);
    context->channel = -1;
    if (r < 0) {
        (void)close(pair[0]);
        return r;
    }
    process.channel = pair[0];
    *ret = process;
    return 0;
}

static int tell(const struct init_process *process, enum init_message type, struct error *err)
{
    int r = channel_send(process->channel, type, NULL, 0, NULL, 0);

    return r < 0 && r != -EPIPE ? err_sys(err, r, "cannot tell init to go on") : 0; /* EPIPE: its last words follow */
}

/* What only the parent may do for init, before it goes on. */
static int release(const struct init_process *process, const struct init_orders *orders, struct error *err)
{
    const struct init_context *context = orders->context;
    const struct container_plan *plan = context->plan;
    const struct oci_process *config = plan->config->process;
    autoclose int pid_dir = procfs_open_pid(&context->procfs, process->pid, process->pidfd);

    if (pid_dir < 0)
        return err_sys(err, pid_dir, "init ended before it was set up");
    if ((plan->namespaces.clone_flags & CLONE_NEWUSER) &&
        id_map_apply(&plan->namespaces, process->pid, pid_dir, orders->is_rootless, err) < 0)
        return -err->code;
    if (config->has_oom_score_adj) {
        char text[16];
        (void)snprintf(text, sizeof(text), "%" PRId32, config->oom_score_adj);
        int r = file_write_control(pid_dir, "oom_score_adj", text);
        if (r < 0)
            return err_sys(err, r, "process.oomScoreAdj %s: cannot set%s", text,
                r == -EACCES ? " (lowering it needs CAP_SYS_RESOURCE)" : "");
    }
    if (plan->mounts.need_own_userns) {
        autoclose int userns = namespace_open_pid(pid_dir, CLONE_NEWUSER);
        if (userns < 0)
            return err_sys(err, userns, "cannot open the container's user namespace");
        if (mount_sources_idmap(&plan->mounts, context->sources, userns, err) < 0)
            return -err->code;
    }
    if (orders->late_limits && orders->late_limits(orders->argument, err) < 0)
        return -err->code;
    return tell(process, INIT_MESSAGE_GO, err);
}

static int terminal_take(struct init_process *process, const struct init_orders *orders, int *fdp, struct error *err)
{
    static const char name[] = "/dev/ptmx";
    const struct oci_console_size *size = orders->console_size;
    struct tty_size window;

    if (!orders->console_socket) {
        /* Before the payload runs, so that it never sees 0x0. */
        if (size->height == 0 && tty_get_size(STDIN_FILENO, &window) == 0)
            (void)tty_set_size(*fdp, &window);
        process->terminal = take_fd(fdp);
        return 0;
    }
    autoclose int socket = unix_connect(AT_FDCWD, orders->console_socket, SOCK_STREAM);
    int r = socket < 0 ? socket : unix_send_fd(socket, name, sizeof(name) - 1, *fdp);
    if (r < 0)
        return err_sys(err, r, "--console-socket %s: cannot hand over the terminal", orders->console_socket);
    return 0;
}

/* One message of init. Returns 1 when it was READY. */
static int message_handle(struct init_process *process, const struct init_orders *orders,
    struct channel_message *message, struct error *err)
{
    switch ((enum init_message)message->type) {
    case INIT_MESSAGE_READY:
        return 1;
    case INIT_MESSAGE_HOOKS:
        if (!orders->context)
            return err_set(err, EPROTO, "a process of exec asked for hooks");
        if (hook_run(orders->context->plan->config, OCI_HOOK_PRESTART, orders->state, err) < 0 ||
            hook_run(orders->context->plan->config, OCI_HOOK_CREATE_RUNTIME, orders->state, err) < 0)
            return -err->code;
        return tell(process, INIT_MESSAGE_GO, err);
    case INIT_MESSAGE_CONSOLE:
        if (message->n_fds != 1)
            return err_set(err, EPROTO, "init sent no terminal");
        return terminal_take(process, orders, &message->fds[0], err);
    case INIT_MESSAGE_LISTENER:
        if (message->n_fds != 1 || !orders->listener_path)
            return err_set(err, EPROTO, "init sent no seccomp listener");
        if (syscall_notify_send(orders->listener_path, orders->listener_metadata, process->pid, orders->state,
                message->fds[0], err) < 0)
            return -err->code;
        return tell(process, INIT_MESSAGE_GO, err);
    case INIT_MESSAGE_GO:
    case INIT_MESSAGE_START:
    case INIT_MESSAGE_EXECING:
    case INIT_MESSAGE_FAILED:
    case INIT_MESSAGE_NO_EXEC:
    default:
        return err_set(err, EPROTO, "init sent message %u out of turn", message->type);
    }
}

/* The next message; FAILED becomes an error, the end of the channel is CHANNEL_CLOSED. */
static int message_recv(int socket, struct channel_message *message, bool *ret_is_unexecutable, struct error *err)
{
    struct error failed;
    int r = channel_recv_patient(socket, &failed, sizeof(failed), message);

    if (r == -ECANCELED)
        return err_set(err, EINTR, "interrupted while waiting for the container's process");
    if (r == CHANNEL_CLOSED)
        return r;
    if (r < 0)
        return err_sys(err, r, "cannot hear init");
    if (message->type != INIT_MESSAGE_FAILED && message->type != INIT_MESSAGE_NO_EXEC)
        return 0;
    channel_message_done(message);
    *ret_is_unexecutable = message->type == INIT_MESSAGE_NO_EXEC;
    if (message->len != sizeof(failed) || failed.code <= 0)
        return err_set(err, EPROTO, "init failed without a reason");
    failed.text[sizeof(failed.text) - 1] = '\0';
    return err_set(err, failed.code, "%s", failed.text);
}

static int gone(struct error *err)
{
    return err_set(err, ESRCH, "the container's init process ended unexpectedly");
}

int init_accompany(struct init_process *process, const struct init_orders *orders, struct error *err)
{
    role_require(ROLE_PARENT);
    struct channel_message message;
    int r = 0;

    orders->state->pid = process->pid;
    if (orders->context && orders->context->plan->want_go && release(process, orders, err) < 0)
        return -err->code;
    while (r == 0) {
        r = message_recv(process->channel, &message, &process->is_unexecutable, err);
        if (r != 0)
            return r < 0 ? r : gone(err);
        r = message_handle(process, orders, &message, err);
        channel_message_done(&message);
    }
    return r < 0 ? r : 0;
}

int init_start_early(const struct init_process *process, const struct init_orders *orders, bool *ret_is_sent,
    struct error *err)
{
    role_require(ROLE_PARENT);
    const struct oci_config *config = orders->context->plan->config;
    const struct init_context *context = orders->context;

    *ret_is_sent = false;
    if (context->plan->want_go || config->hooks[OCI_HOOK_PRESTART].n_items > 0 ||
        config->hooks[OCI_HOOK_CREATE_RUNTIME].n_items > 0 || (context->filter && context->filter->wants_listener))
        return 0;
    int r = channel_send(process->channel, INIT_MESSAGE_START, NULL, 0, NULL, 0);
    *ret_is_sent = r == 0;
    return r < 0 && r != -EPIPE ? err_sys(err, r, "cannot tell init to start") : 0;
}

int init_start(int socket, bool is_sent, bool *ret_is_unexecutable, struct error *err)
{
    role_require(ROLE_PARENT);
    struct channel_message message;
    bool is_execing = false;
    int r = is_sent ? 0 : channel_send(socket, INIT_MESSAGE_START, NULL, 0, NULL, 0);

    if (r < 0 && r != -EPIPE) /* EPIPE: its last words follow */
        return err_sys(err, r, "cannot tell init to start");
    for (;;) {
        r = message_recv(socket, &message, ret_is_unexecutable, err);
        if (r == CHANNEL_CLOSED)
            return is_execing ? 0 : gone(err); /* after that word its end is closed by execve */
        if (r < 0)
            return r;
        channel_message_done(&message);
        if (message.type != INIT_MESSAGE_EXECING)
            return err_set(err, EPROTO, "init sent message %u in answer to start", message.type);
        is_execing = true;
    }
}
