/* SPDX-License-Identifier: Apache-2.0 */
/* Joins, then clones. */
#include "relay.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <unistd.h>

#include "call.h"
#include "channel.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "process.h"
#include "process_call.h"
#include "role.h"

enum relay_message { RELAY_CLONED = 1, RELAY_FAILED };

static int relay_steps(
    const struct relay_request *request, int report, pid_t *ret_pid, int *ret_pidfd, struct error *err)
{
    const struct kernel_clone clone = {
        .flags = CLONE_PARENT | request->clone_flags,
        .ret_pidfd = ret_pidfd,
        .cgroup_fd = -1, /* the relay's */
        .exit_signal = 0, /* CLONE_PARENT takes the relay's */
    };
    int r = kernel_set_dumpable(0);

    if (r < 0)
        return err_sys(err, r, "relay: cannot become non-dumpable");
    if (request->join(request->argument, report, err) < 0)
        return -err->code;
    r = kernel_set_dumpable(0); /* joining a user namespace may have put it back */
    if (r < 0)
        return err_sys(err, r, "relay: cannot stay non-dumpable");
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0) {
        request->child(request->argument);
        _exit(EXIT_FAILURE);
    }
    if (pid < 0)
        return err_sys(err, pid, "cannot create the process in the container's namespaces");
    *ret_pid = pid;
    return 0;
}

noreturn static void relay_main(const struct relay_request *request, int report)
{
    struct error err = ERR_INIT;
    pid_t pid = 0;
    int pidfd = -1;

    role_set(ROLE_RELAY);
    if (relay_steps(request, report, &pid, &pidfd, &err) < 0) {
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
    int r = channel_recv_patient(report, &data, sizeof(data), &message);

    if (r == -ECANCELED)
        return err_set(err, EINTR, "interrupted while joining the namespaces");
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

int relay_clone(const struct relay_request *request, pid_t *ret_pid, int *ret_pidfd, struct error *err)
{
    role_require(ROLE_PARENT);
    int pair[2];
    int status;
    int relay_pidfd = -1;
    const struct kernel_clone clone = {
        .ret_pidfd = &relay_pidfd,
        .cgroup_fd = request->cgroup_fd,
        .exit_signal = SIGCHLD,
    };
    int r = channel_open_pair(pair);

    if (r < 0)
        return err_sys(err, r, "cannot make the channel to the relay");
    pid_t relay = kernel_clone3(&clone);
    if (relay == 0) {
        (void)close(pair[0]);
        relay_main(request, pair[1]);
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
