/* SPDX-License-Identifier: Apache-2.0 */
/* exec, inside. */
#include "exec_child.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "call.h"
#include "cleanup.h"
#include "credential.h"
#include "err.h"
#include "kernel_const.h"
#include "keyring_apply.h"
#include "mount_apply.h"
#include "oci_config.h"
#include "payload.h"
#include "process_call.h"
#include "role.h"
#include "root.h"
#include "trace.h"

#define EXEC_UMASK 0022

/* Before the process is born, which the container sees from then on: not being dumpable hides descriptors from all but
 * those who have CAP_SYS_PTRACE in the caller's own user namespace, and a container may be such a one. Through the
 * host's procfs, or the directory of all containers' state, they would be on the host. */
static int host_descriptors_close(struct exec_context *c, int report, struct error *err)
{
    const struct label_plan *labels = &c->plan->labels;

    if (!labels->apparmor_profile && !labels->selinux_label && !c->plan->process->selinux_label)
        procfs_done(&c->procfs);
    int keep[] = { c->channel, c->root_fd, c->procfs.fd, report, trace_fd() };
    int r = payload_descriptors_close_but(PAYLOAD_STDIO_FDS + (int)c->preserve_fds, keep, ARRAY_SIZE(keep));
    return r < 0 ? err_sys(err, r, "exec: cannot close the descriptors of its parent") : 0;
}

int exec_namespaces_join(void *context, int report, struct error *err)
{
    role_require(ROLE_RELAY);
    struct exec_context *c = context;
    int r = kernel_setns(c->pidfd, (int)c->plan->join_flags);

    if (r == -ESRCH)
        return err_set(err, ESRCH, "container not running: \"%s\"", c->container_id);
    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot join its namespaces", c->container_id);
    return host_descriptors_close(c, report, err);
}

/* Without pivot_root the container's root is not the root of its mount namespace. */
static int root_enter(const struct exec_context *c, struct root *ret, struct error *err)
{
    int r = kernel_fchdir(c->root_fd);

    if (r == 0)
        r = kernel_chroot(".");
    int fd = r < 0 ? r : kernel_open("/", O_PATH | O_DIRECTORY, 0);
    if (fd < 0)
        return err_sys(err, fd, "container \"%s\": cannot enter its root", c->container_id);
    ret->fd = fd;
    return 0;
}

static int become_root_of_userns(const struct exec_context *c, struct error *err)
{
    int r = 0;

    if (c->plan->has_user_namespace) {
        r = kernel_setresgid(0, 0, 0);
        if (r == 0)
            r = kernel_setresuid(0, 0, 0);
    }
    if (r == 0)
        r = kernel_set_dumpable(0); /* a change of ids may have put it back */
    return r < 0 ? err_sys(err, r, "user namespace: cannot become its root") : 0;
}

static int terminal_open(struct payload *payload, const struct mount_root *root, struct error *err)
{
    autoclose int master = -1;
    autoclose int terminal = -1;

    if (!payload->process->terminal)
        return 0;
    if (console_open_apply(root, &master, &terminal, err) < 0)
        return -err->code;
    return payload_terminal_take(payload, &master, &terminal, err);
}

static int exec_steps(const struct exec_context *c, struct payload *payload, struct mount_root *root, struct error *err)
{
    int keep[] = { c->root_fd };

    (void)kernel_umask(EXEC_UMASK);
    if (payload_descriptors_close(payload, keep, ARRAY_SIZE(keep), err) < 0)
        return -err->code;
    int r = kernel_setsid();
    if (r < 0)
        return err_sys(err, r, "exec: cannot make a session");
    if (become_root_of_userns(c, err) < 0 || root_enter(c, &root->root, err) < 0)
        return -err->code;
    if (c->want_keyring && keyring_apply(&c->procfs, c->container_id, payload->process->selinux_label, err) < 0)
        return -err->code;
    if (terminal_open(payload, root, err) < 0 || payload_prepare(payload, err) < 0 ||
        payload_tell(payload, INIT_MESSAGE_READY, -1, err) < 0)
        return -err->code;
    return payload_wait(payload, INIT_MESSAGE_START, err);
}

void exec_child_main(void *context)
{
    struct exec_context *c = context;
    struct error err = ERR_INIT;
    struct mount_root root = MOUNT_ROOT_INIT;
    struct payload payload = PAYLOAD_INIT;

    role_set(ROLE_INIT);
    payload.process = c->plan->process;
    payload.caps = &c->plan->caps;
    payload.identity = &c->plan->identity;
    payload.attributes = &c->plan->attributes;
    payload.labels = &c->plan->labels;
    payload.filter = c->filter;
    payload.procfs = &c->procfs;
    payload.root = &root.root;
    payload.channel = c->channel;
    payload.peer = c->channel;
    payload.preserve_fds = c->preserve_fds;
    if (exec_steps(c, &payload, &root, &err) < 0)
        payload_fail(&payload, &err);
    payload_exec(&payload, &err);
}
