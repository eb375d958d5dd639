/* SPDX-License-Identifier: Apache-2.0 */
/* Init, step by step in the order of the functions below: namespaces, root, then payload.h's way, start. */
#include "init_child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "arena.h"
#include "call.h"
#include "channel.h"
#include "cleanup.h"
#include "credential.h"
#include "err.h"
#include "hook_run.h"
#include "init_message.h"
#include "kernel_const.h"
#include "keyring_apply.h"
#include "mount_apply.h"
#include "mount_source.h"
#include "namespace.h"
#include "netif.h"
#include "oci_config.h"
#include "oci_state.h"
#include "parse_num.h"
#include "payload.h"
#include "process_attr_apply.h"
#include "process_call.h"
#include "role.h"
#include "root.h"
#include "root_file.h"
#include "root_file_apply.h"
#include "root_switch_apply.h"
#include "socket_call.h"
#include "sysctl_apply.h"

/* Whoever started the runtime: what is made in the root has the same modes; the payload's comes later. */
#define INIT_UMASK 0022

/* What the steps hand to each other. */
struct init {
    struct init_context *context;
    const struct container_plan *plan;
    struct mount_root root;
    struct payload payload;
};

/* --- namespaces --- */

static int become_root_of_userns(const struct init *init, struct error *err)
{
    if (!init->plan->namespaces.has_own[OCI_NAMESPACE_USER])
        return 0;
    /* The ids must be some of this namespace, whatever they are mapped to; groups are settled by identity_apply. */
    int r = kernel_setresgid(0, 0, 0);
    if (r == 0)
        r = kernel_setresuid(0, 0, 0);
    if (r < 0)
        return err_sys(err, r, "user namespace: cannot become its root (is id 0 mapped?)");
    return 0;
}

static int namespaces_join(const struct init *init, struct error *err)
{
    if (init->context->is_relayed)
        return 0;
    for (int i = 0; i < OCI_NAMESPACE_TYPES; i++) {
        enum oci_namespace_type type = (enum oci_namespace_type)i;
        int fd = init->context->join_fds[i];
        if (fd < 0)
            continue;
        int r = kernel_setns(fd, (int)namespace_flag(type));
        if (r < 0)
            return err_sys(err, r, "%s namespace: cannot join %s", oci_namespace_name(type),
                init->plan->namespaces.join[i]);
    }
    return 0;
}

static int time_namespace_make(const struct init *init, struct error *err)
{
    autoclose int self = procfs_openat(&init->context->procfs, "self", O_PATH | O_DIRECTORY);
    int r = self < 0 ? self : kernel_unshare(CLONE_NEWTIME);

    if (r == 0 && init->plan->namespaces.time_offsets)
        r = namespace_write_time_offsets(self, init->plan->namespaces.time_offsets);
    if (r < 0)
        return err_sys(err, r, "time namespace: cannot make it or set its offsets");
    autoclose int fd = procfs_follow(&init->context->procfs, "self/ns/time_for_children", O_RDONLY);
    r = fd < 0 ? fd : kernel_setns(fd, CLONE_NEWTIME);
    return r < 0 ? err_sys(err, r, "time namespace: cannot enter it") : 0;
}

static int namespaces_enter(const struct init *init, struct error *err)
{
    const struct namespace_plan *plan = &init->plan->namespaces;
    int r;

    if ((plan->unshare_flags & CLONE_NEWTIME) && time_namespace_make(init, err) < 0)
        return -err->code;
    r = kernel_set_dumpable(0);
    if (r < 0)
        return err_sys(err, r, "init: cannot become non-dumpable");
    if (namespaces_join(init, err) < 0 || become_root_of_userns(init, err) < 0)
        return -err->code;
    r = kernel_set_dumpable(0); /* a change of ids may have put it back */
    if (r < 0)
        return err_sys(err, r, "init: cannot become non-dumpable");
    if (plan->unshare_flags & CLONE_NEWCGROUP) {
        r = kernel_unshare(CLONE_NEWCGROUP);
        if (r < 0)
            return err_sys(err, r, "cgroup namespace: cannot make it");
    }
    if (plan->is_new_network) {
        r = netif_up("lo");
        if (r < 0)
            return err_sys(err, r, "network namespace: cannot bring lo up");
    }
    return host_name_apply(&init->plan->names, err);
}

/* --- root --- */

/* The state that hooks of the container's namespaces get: pid as the runtime sees it. */
static int container_hooks(const struct init *init, enum oci_hook_point point, const char *status, struct error *err)
{
    const struct oci_config *config = init->plan->config;
    char pid_text[16];
    uint32_t pid = 0;

    if (config->hooks[point].n_items == 0)
        return 0;
    int r = kernel_readlinkat(init->context->procfs.fd, "self", pid_text, sizeof(pid_text));
    if (r >= 0)
        r = parse_u32(pid_text, INT32_MAX, &pid);
    if (r < 0)
        return err_sys(err, r, "hooks %s: cannot learn the pid of init", oci_hook_point_name(point));
    const struct oci_state state = {
        .id = init->plan->id,
        .status = status,
        .pid = (int)pid,
        .bundle = init->context->bundle,
        .annotations = config->annotations,
        .n_annotations = config->n_annotations,
    };
    return hook_run(config, point, &state, err);
}

static int terminal_open(struct init *init, struct error *err)
{
    autoclose int master = -1;
    autoclose int terminal = -1;

    if (!init->payload.process->terminal)
        return 0;
    if (console_open_apply(&init->root, &master, &terminal, err) < 0 ||
        console_mount_apply(&init->root, terminal, err) < 0)
        return -err->code;
    return payload_terminal_take(&init->payload, &master, &terminal, err);
}

static bool runtime_hooks_are_there(const struct oci_config *config)
{
    return config->hooks[OCI_HOOK_PRESTART].n_items > 0 || config->hooks[OCI_HOOK_CREATE_RUNTIME].n_items > 0;
}

static int working_directory_make(struct init *init, struct error *err)
{
    autoclose int fd = root_resolve(&init->root.root, init->payload.process->cwd, O_PATH | O_DIRECTORY);

    if (fd == -ENOENT) /* links in it stay inside: it is made in-root, never on the host */
        fd = root_mkdirs(&init->root.root, init->payload.process->cwd, 0755);
    if (fd < 0)
        return err_sys(err, fd, "process.cwd %s: cannot open or make it", init->payload.process->cwd);
    return 0;
}

static int root_build(struct init *init, struct error *err)
{
    const struct oci_config *config = init->plan->config;
    int none = -1;

    if (init->context->is_rootless && mount_sources_open(&init->payload.arena, &init->plan->mounts,
                                          &init->context->procfs, &none, init->context->sources, err) < 0)
        return -err->code;
    if (mount_apply(&init->plan->mounts, init->context->sources, &init->root, err) < 0)
        return -err->code;
    for (size_t i = 0; i < init->plan->n_files; i++) {
        if (root_file_apply(&init->root.root, &init->plan->files[i], err) < 0)
            return -err->code;
    }
    if (runtime_hooks_are_there(config) && (payload_tell(&init->payload, INIT_MESSAGE_HOOKS, -1, err) < 0 ||
                                               payload_wait(&init->payload, INIT_MESSAGE_GO, err) < 0))
        return -err->code;
    if (container_hooks(init, OCI_HOOK_CREATE_CONTAINER, "creating", err) < 0 || terminal_open(init, err) < 0 ||
        root_switch_apply(&init->plan->mounts, &init->root, err) < 0 || working_directory_make(init, err) < 0)
        return -err->code;
    return mount_protect_apply(&init->plan->mounts, &init->root, err);
}

/* --- start --- */

static int start_wait(struct init *init, struct error *err)
{
    if (payload_tell(&init->payload, INIT_MESSAGE_READY, -1, err) < 0)
        return -err->code;
    if (init->context->start_socket < 0)
        return payload_wait(&init->payload, INIT_MESSAGE_START, err);
    (void)close(init->context->channel);
    init->payload.peer = -1;
    for (;;) {
        struct channel_message message;
        char none[1];
        autoclose int connection = kernel_accept(init->context->start_socket);
        if (connection < 0)
            return err_sys(err, connection, "init: cannot hear start");
        /* A start that was killed before its word leaves a closed connection: wait for the next one. */
        if (channel_recv(connection, CHANNEL_FOREVER, none, sizeof(none), &message) != 0)
            continue;
        channel_message_done(&message);
        if (message.type != INIT_MESSAGE_START)
            continue;
        init->payload.peer = take_fd(&connection);
        return 0;
    }
}

/* Of the parent's descriptors those that the steps below work with. */
static int descriptors_close(struct init *init, struct error *err)
{
    const struct init_context *context = init->context;
    const struct mount_sources *sources = context->sources;
    int *keep = arena_new_array(&init->payload.arena, sources->n_steps + OCI_NAMESPACE_TYPES + 3, int);
    size_t n = 0;

    keep[n++] = context->start_socket;
    keep[n++] = sources->rootfs_fd;
    keep[n++] = sources->nodes_fd;
    for (size_t i = 0; i < sources->n_steps; i++)
        keep[n++] = sources->steps[i].fd;
    for (size_t i = 0; i < OCI_NAMESPACE_TYPES; i++)
        keep[n++] = context->join_fds[i];
    return payload_descriptors_close(&init->payload, keep, n, err);
}

static int init_steps(struct init *init, struct error *err)
{
    const struct container_plan *plan = init->plan;

    (void)kernel_umask(INIT_UMASK);
    if (descriptors_close(init, err) < 0)
        return -err->code;
    int r = kernel_setsid();
    if (r < 0 && r != -EPERM) /* EPERM: a session leader already, as in a new PID namespace of some kernels */
        return err_sys(err, r, "init: cannot make a session");
    if (plan->want_go && payload_wait(&init->payload, INIT_MESSAGE_GO, err) < 0)
        return -err->code;
    if (namespaces_enter(init, err) < 0)
        return -err->code;
    if (plan->want_keyring &&
        keyring_apply(&init->context->procfs, plan->id, init->payload.process->selinux_label, err) < 0)
        return -err->code;
    if (root_build(init, err) < 0 || sysctl_apply(&init->context->procfs, &plan->sysctl, err) < 0 ||
        payload_prepare(&init->payload, err) < 0 || start_wait(init, err) < 0)
        return -err->code;
    return container_hooks(init, OCI_HOOK_START_CONTAINER, "created", err);
}

noreturn void init_child_main(struct init_context *context)
{
    const struct container_plan *plan = context->plan;
    struct error err = ERR_INIT;
    struct init init = {
        .context = context,
        .plan = plan,
        .root = MOUNT_ROOT_INIT,
        .payload = PAYLOAD_INIT,
    };
    struct payload *payload = &init.payload;

    role_set(ROLE_INIT);
    payload->process = plan->config->process;
    payload->caps = &plan->caps;
    payload->identity = &plan->identity;
    payload->attributes = &plan->attributes;
    payload->labels = &plan->labels;
    payload->filter = context->filter;
    payload->procfs = &context->procfs;
    payload->root = &init.root.root;
    payload->channel = context->channel;
    payload->peer = context->channel;
    payload->preserve_fds = plan->preserve_fds;
    payload->has_listen_fds = context->has_listen_fds;
    if (init_steps(&init, &err) < 0)
        payload_fail(payload, &err);
    payload_exec(payload, &err);
}
