/* SPDX-License-Identifier: Apache-2.0 */
/* Joins, then clones. */
#include "relay.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "call.h"
#include "channel.h"
#include "cleanup.h"
#include "err.h"
#include "init_child.h"
#include "kernel_const.h"
#include "oci_config.h"
#include "process.h"
#include "process_call.h"
#include "role.h"

enum relay_message { RELAY_CLONED = 1, RELAY_FAILED };

/* The owner of a namespace decides who may join it: those that the caller's own user namespace owns go first, what is left
 * goes after the user namespace was joined. */
static int namespaces_join(const struct init_context *context, struct error *err)
{
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

static int relay_steps(struct init_context *context, int cgroup_fd, pid_t *ret_pid, int *ret_pidfd,
    struct error *err)
{
    int r = kernel_set_dumpable(0);

    if (r < 0)
        return err_sys(err, r, "relay: cannot become non-dumpable");
    if (namespaces_join(context, err) < 0)
        return -err->code;
    const struct kernel_clone clone = {
        .flags = CLONE_PARENT | context->plan->namespaces.clone_flags,
        .ret_pidfd = ret_pidfd,
        /* With a joined user namespace the relay has no right left to the cgroup: the parent moves init there. */
        .cgroup_fd = context->plan->namespaces.join[OCI_NAMESPACE_USER] ? -1 : cgroup_fd,
        .exit_signal = 0, /* CLONE_PARENT takes the relay's */
    };
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0)
        init_child_main(context);
    if (pid < 0)
        return err_sys(err, pid, "cannot create the container's init process in its namespaces");
    *ret_pid = pid;
    return 0;
}

noreturn static void relay_main(struct init_context *context, int cgroup_fd, int report)
{
    struct error err = ERR_INIT;
    pid_t pid = 0;
    int pidfd = -1;

    role_set(ROLE_RELAY);
    if (relay_steps(context, cgroup_fd, &pid, &pidfd, &err) < 0) {
        (void)channel_send(report, RELAY_FAILED, &err, sizeof(err), NULL, 0);
        _exit(EXIT_FAILURE);
    }
    int r = channel_send(report, RELAY_CLONED, &pid, sizeof(pid), &pidfd, 1);
    if (r < 0)
        (void)kernel_pidfd_send_signal(pidfd, SIGKILL);
    _exit(r < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

static int report_read(int report, pid_t *ret_pid, int *ret_pidfd, struct error *err)
{
    union {
        pid_t pid;
        struct error error;
    } data;
    struct channel_message message;
    int r;

    do {
        r = channel_recv(report, CHANNEL_FOREVER, &data, sizeof(data), &message);
    } while (r == -EINTR);
    if (r != 0)
        return err_set(err, EPROTO, "the process that joins the namespaces ended unexpectedly");
    if (message.type == RELAY_FAILED && message.len == sizeof(data.error)) {
        *err = data.error;
        return -err->code;
    }
    if (message.type != RELAY_CLONED || message.len != sizeof(pid_t) || message.n_fds != 1) {
        channel_message_done(&message);
        return err_set(err, EPROTO, "the process that joins the namespaces sent nonsense");
    }
    *ret_pid = data.pid;
    *ret_pidfd = take_fd(&message.fds[0]);
    return 0;
}

int relay_clone_init(struct init_context *context, int cgroup_fd, pid_t *ret_pid, int *ret_pidfd,
    struct error *err)
{
    role_require(ROLE_PARENT);
    int pair[2];
    int status;
    int relay_pidfd = -1;
    const struct kernel_clone clone = { .ret_pidfd = &relay_pidfd, .cgroup_fd = -1, .exit_signal = SIGCHLD };
    int r = channel_open_pair(pair);

    if (r < 0)
        return err_sys(err, r, "cannot make the channel to the relay");
    pid_t relay = kernel_clone3(&clone);
    if (relay == 0) {
        (void)close(pair[0]);
        relay_main(context, cgroup_fd, pair[1]);
    }
    (void)close(pair[1]);
    if (relay < 0) {
        (void)close(pair[0]);
        return err_sys(err, relay, "cannot create the process that joins the namespaces");
    }
    r = report_read(pair[0], ret_pid, ret_pidfd, err);
    (void)close(pair[0]);
    if (r < 0)
        process_kill(relay_pidfd);
    else
        (void)process_wait(relay_pidfd, -1, &status);
    (void)close(relay_pidfd);
    return r;
}
