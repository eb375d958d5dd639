/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Init, step by step in the order of the functions below. The order is the security argument:
 *   - non-dumpable and without foreign descriptors before anything of the container can see it;
 *   - everything that needs a right before the right is dropped, everything read back before the payload;
 *   - the system call filter last: before it come the words to the parent, behind it only execve. Without no_new_privs the
 *     kernel takes a filter only from a process with CAP_SYS_ADMIN, so it is loaded between the change of ids and the drop
 *     of capabilities.
 */
#include "init_child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "call.h"
#include "caps_apply.h"
#include "channel.h"
#include "cleanup.h"
#include "credential.h"
#include "err.h"
#include "executable.h"
#include "file.h"
#include "hook_run.h"
#include "identity_apply.h"
#include "init_message.h"
#include "kernel_const.h"
#include "keyring_apply.h"
#include "label_apply.h"
#include "mount_apply.h"
#include "mount_source.h"
#include "namespace.h"
#include "netif.h"
#include "oci_config.h"
#include "oci_state.h"
#include "parse_num.h"
#include "process_attr_apply.h"
#include "process_call.h"
#include "rlimit_apply.h"
#include "role.h"
#include "root.h"
#include "root_switch_apply.h"
#include "signals.h"
#include "socket_call.h"
#include "strv.h"
#include "syscall_filter_apply.h"
#include "syscall_filter_build.h"
#include "sysctl_apply.h"
#include "trace.h"
#include "tty.h"
#include "user_parse.h"

#define STDIO_FDS  3
#define INIT_UMASK 0022 /* whoever started the runtime: what is made in the root has the same modes; the payload's comes later */

/* What the steps hand to each other. */
struct init {
    struct init_context *context;
    const struct container_plan *plan;
    const struct oci_process *process;
    struct arena arena;
    struct mount_root root;
    struct strv env;
    const char *executable;
    int peer; /* who hears of failures: the channel, later the connection of start */
    int terminal; /* our side of the pty, or -1 */
    bool is_cwd_set;
    bool is_unexecutable; /* the failure is that of the payload's program */
};

noreturn static void init_fail(const struct init *init, enum init_message type, const struct error *err)
{
    /* write(2) and not sendmsg: behind the filter it is the likelier one to be allowed. */
    (void)channel_write(init->peer, type, err, sizeof(*err));
    _exit(EXIT_FAILURE);
}

static int channel_wait(int socket, enum init_message want, struct error *err)
{
    struct channel_message message;
    char none[1];
    int r = channel_recv(socket, CHANNEL_FOREVER, none, sizeof(none), &message);

    if (r == CHANNEL_CLOSED)
        _exit(EXIT_FAILURE); /* the parent is gone: nobody to tell */
    if (r < 0)
        return err_sys(err, r, "init: cannot hear its parent");
    channel_message_done(&message);
    if (message.type != (uint32_t)want)
        return err_set(err, EPROTO, "init: message %u where %u was to come", message.type, (unsigned)want);
    return 0;
}

static int tell(const struct init *init, enum init_message type, int fd, struct error *err)
{
    int r = channel_send(init->context->channel, type, NULL, 0, fd >= 0 ? &fd : NULL, fd >= 0 ? 1 : 0);

    return r < 0 ? err_sys(err, r, "init: cannot tell its parent") : 0;
}

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
    if (r < 0 || parse_u32(pid_text, INT32_MAX, &pid) < 0)
        return err_set(err, EIO, "hooks %s: cannot learn the pid of init", oci_hook_point_name(point));
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
    autoclose int peer = -1;
    const struct oci_console_size *size = &init->process->console_size;

    if (!init->process->terminal)
        return 0;
    if (console_open_apply(&init->root, &master, &peer, err) < 0 || console_mount_apply(&init->root, peer, err) < 0)
        return -err->code;
    if (size->height > 0 && size->width > 0) {
        const struct tty_size window = { (unsigned short)size->height, (unsigned short)size->width };
        int r = tty_set_size(peer, &window);
        if (r < 0)
            return err_sys(err, r, "process.consoleSize: cannot set the size of the terminal");
    }
    if (tell(init, INIT_MESSAGE_CONSOLE, master, err) < 0)
        return -err->code;
    init->terminal = take_fd(&peer);
    return 0;
}

static bool runtime_hooks_are_there(const struct oci_config *config)
{
    return config->hooks[OCI_HOOK_PRESTART].n_items > 0 || config->hooks[OCI_HOOK_CREATE_RUNTIME].n_items > 0;
}

static int working_directory_make(struct init *init, struct error *err)
{
    autoclose int fd = root_resolve(&init->root.root, init->process->cwd, O_PATH | O_DIRECTORY);

    if (fd == -ENOENT) /* links in it stay inside: it is made in-root, never on the host */
        fd = root_mkdirs(&init->root.root, init->process->cwd, 0755);
    if (fd < 0)
        return err_sys(err, fd, "process.cwd %s: cannot open or make it", init->process->cwd);
    return 0;
}

static int root_build(struct init *init, struct error *err)
{
    const struct oci_config *config = init->plan->config;
    int none = -1;

    if (init->context->is_rootless && mount_sources_open(&init->arena, &init->plan->mounts, &init->context->procfs, &none,
                                          init->context->sources, err) < 0)
        return -err->code;
    if (mount_apply(&init->plan->mounts, init->context->sources, &init->root, err) < 0)
        return -err->code;
    if (runtime_hooks_are_there(config) && (tell(init, INIT_MESSAGE_HOOKS, -1, err) < 0 ||
                                               channel_wait(init->context->channel, INIT_MESSAGE_GO, err) < 0))
        return -err->code;
    if (container_hooks(init, OCI_HOOK_CREATE_CONTAINER, "creating", err) < 0 || terminal_open(init, err) < 0 ||
        root_switch_apply(&init->plan->mounts, &init->root, err) < 0 || working_directory_make(init, err) < 0)
        return -err->code;
    return mount_protect_apply(&init->plan->mounts, &init->root, err);
}

/* --- process --- */

static int stdio_setup(const struct init *init, struct error *err)
{
    if (init->terminal < 0)
        return 0;
    int r = tty_set_controlling(init->terminal);
    for (int fd = 0; r >= 0 && fd < STDIO_FDS; fd++)
        r = kernel_dup3(init->terminal, fd, 0);
    return r < 0 ? err_sys(err, r, "process.terminal: cannot make it the controlling terminal") : 0;
}

/* The payload's user must be able to open /dev/stdout again: its pipes and its own terminal become that user's, as with
 * runc and crun. Never a file or another device of the host. */
static int stdio_give(const struct init *init, struct error *err)
{
    for (int fd = 0; fd < STDIO_FDS; fd++) {
        struct stat st;
        int r = kernel_fstat(fd, &st);
        bool is_ours = r == 0 && (S_ISFIFO(st.st_mode) || (S_ISCHR(st.st_mode) && init->terminal >= 0));
        if (is_ours && st.st_uid != init->process->user.uid)
            r = kernel_fchown(fd, init->process->user.uid, st.st_gid);
        /* A pipe of an owner or on a file system that this user namespace does not know stays as it is. */
        if (r < 0 && r != -EPERM && r != -EINVAL && r != -EROFS)
            return err_sys(err, r, "process.user: cannot hand over standard stream %d", fd);
    }
    return 0;
}

/* The working directory with the rights of the moment. EACCES is left for a second try as the payload's user. */
static int working_directory_enter(struct init *init, bool is_last_try, struct error *err)
{
    char path[4096];

    if (init->is_cwd_set)
        return 0;
    autoclose int fd = root_resolve(&init->root.root, init->process->cwd, O_PATH | O_DIRECTORY);
    int r = fd < 0 ? fd : kernel_fchdir(fd);
    if (r == -EACCES && !is_last_try)
        return 0;
    if (r < 0)
        return err_sys(err, r, "process.cwd %s: cannot enter", init->process->cwd);
    /* A directory outside of the root has no path from it: CVE-2024-21626. */
    r = kernel_getcwd(path, sizeof(path));
    if (r < 0 || path[0] != '/')
        return err_set(err, EPERM, "process.cwd %s: leads out of the container", init->process->cwd);
    init->is_cwd_set = true;
    return 0;
}

static const char *home_find(struct init *init)
{
    struct user_file passwd = { 0 };
    char *text = NULL;
    size_t len = 0;
    /* A FIFO or device in its place must neither block nor be read without end. */
    autoclose int fd = root_resolve(&init->root.root, "/etc/passwd", O_RDONLY | O_NONBLOCK | O_NOCTTY);

    if (fd >= 0 && file_read_fd(fd, USER_FILE_SIZE_MAX, &text, &len) == 0) {
        passwd.text = text;
        passwd.len = len;
    }
    const char *home = user_home_find(&init->arena, init->process->user.uid, &passwd);
    free(text);
    return home;
}

static void environment_build(struct init *init)
{
    for (size_t i = 0; i < init->process->n_env; i++)
        strv_add(&init->arena, &init->env, init->process->env[i]);
    if (!env_get(init->env.items, "HOME"))
        env_set(&init->arena, &init->env, "HOME", home_find(init));
    if (init->context->has_listen_fds) {
        static const char *const names[] = { "LISTEN_FDS", "LISTEN_FDNAMES" };
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
            const char *value = getenv(names[i]);
            if (value)
                env_set(&init->arena, &init->env, names[i], value);
        }
        env_set(&init->arena, &init->env, "LISTEN_PID", "1");
    }
}

static int attributes_apply(const struct init *init, struct error *err)
{
    const struct container_plan *plan = init->plan;

    if (sysctl_apply(&init->context->procfs, &plan->sysctl, err) < 0 ||
        rlimit_apply(init->process->rlimits, init->process->n_rlimits, err) < 0 ||
        process_attr_apply(&plan->attributes, err) < 0)
        return -err->code;
    return label_apply(&init->context->procfs, &plan->labels, err);
}

static int filter_load(const struct init *init, struct error *err)
{
    autoclose int listener = -1;

    if (!init->context->filter)
        return 0;
    if (syscall_filter_apply(init->context->filter, &listener, err) < 0)
        return -err->code;
    if (listener < 0)
        return 0;
    /* The agent must have it before the payload's first call. */
    if (tell(init, INIT_MESSAGE_LISTENER, listener, err) < 0)
        return -err->code;
    return channel_wait(init->context->channel, INIT_MESSAGE_GO, err);
}

static bool filter_is_early(const struct init *init)
{
    return init->context->filter && (!init->plan->attributes.has_no_new_privs || init->context->filter->wants_listener);
}

static int rights_drop(struct init *init, struct error *err)
{
    if (working_directory_enter(init, false, err) < 0 || no_new_privs_apply(&init->plan->attributes, err) < 0 ||
        caps_apply_bounding(&init->plan->caps, err) < 0 || identity_apply(&init->plan->identity, err) < 0)
        return -err->code;
    if (filter_is_early(init) && filter_load(init, err) < 0)
        return -err->code;
    if (caps_apply_sets(&init->plan->caps, err) < 0 || working_directory_enter(init, true, err) < 0)
        return -err->code;
    int r = kernel_set_dumpable(0);
    return r < 0 ? err_sys(err, r, "init: cannot stay non-dumpable") : 0;
}

/* --- start --- */

static int start_wait(struct init *init, struct error *err)
{
    if (tell(init, INIT_MESSAGE_READY, -1, err) < 0)
        return -err->code;
    if (init->context->start_socket < 0)
        return channel_wait(init->context->channel, INIT_MESSAGE_START, err);
    (void)close(init->context->channel);
    init->peer = -1;
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
        init->peer = take_fd(&connection);
        return 0;
    }
}

/* Close-on-exec alone is too late: execve gives the process its new memory, which belongs to the container's user namespace, a
 * moment before it closes them, and a peer with CAP_SYS_PTRACE there could open the host's procfs through ours. Only the
 * word to the parent is left. */
static int internal_fds_close(const struct init *init)
{
    unsigned first = STDIO_FDS + init->plan->preserve_fds;
    unsigned peer = (unsigned)init->peer;
    int r;

    if (peer < first)
        return -EBADF;
    r = peer > first ? kernel_close_range(first, peer - 1, 0) : 0;
    if (r == 0)
        r = kernel_close_range(peer + 1, ~0U, 0);
    return r == 0 ? kernel_close_range(peer, peer, CLOSE_RANGE_CLOEXEC) : r;
}

noreturn static void payload_exec(struct init *init, struct error *err)
{
    int r;

    if (channel_send(init->peer, INIT_MESSAGE_EXECING, NULL, 0, NULL, 0) < 0)
        _exit(EXIT_FAILURE); /* who asked for the start is gone: nobody would know of the payload */
    r = internal_fds_close(init);
    if (r == 0) {
        sigset_t none;
        (void)sigemptyset(&none);
        r = signals_set_mask(&none); /* handlers are the default ones since the start of the program */
    }
    if (r < 0) {
        (void)err_sys(err, r, "init: cannot close its descriptors");
        init_fail(init, INIT_MESSAGE_FAILED, err);
    }
    if (!filter_is_early(init) && filter_load(init, err) < 0)
        init_fail(init, INIT_MESSAGE_FAILED, err);
    r = kernel_execve(init->executable, init->process->args, init->env.items);
    (void)err_sys(err, r, "exec: \"%s\"", init->process->args[0]);
    init_fail(init, INIT_MESSAGE_NO_EXEC, err);
}

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Closes all that init does not need itself, the parent's and strangers' alike: none may be alive while the container can
 * see init. (The parent's lock on the state directory is one of them.) */
static int descriptors_close(struct init *init, struct error *err)
{
    const struct init_context *context = init->context;
    const struct mount_sources *sources = context->sources;
    size_t n_max = sources->n_steps + OCI_NAMESPACE_TYPES + 6;
    int *keep = arena_new_array(&init->arena, n_max, int);
    size_t n = 0;
    int next = STDIO_FDS + (int)init->plan->preserve_fds;

    keep[n++] = context->channel;
    keep[n++] = context->start_socket;
    keep[n++] = context->procfs.fd;
    keep[n++] = sources->rootfs_fd;
    keep[n++] = sources->nodes_fd;
    keep[n++] = trace_fd();
    for (size_t i = 0; i < sources->n_steps; i++)
        keep[n++] = sources->steps[i].fd;
    for (size_t i = 0; i < OCI_NAMESPACE_TYPES; i++)
        keep[n++] = context->join_fds[i];
    qsort(keep, n, sizeof(keep[0]), compare_ints);
    for (size_t i = 0; i <= n; i++) {
        int fd = i < n ? keep[i] : INT_MAX;
        int r = 0;
        if (fd < next)
            continue;
        if (fd > next)
            r = kernel_close_range((unsigned)next, i < n ? (unsigned)fd - 1 : ~0U, 0);
        if (r < 0)
            return err_sys(err, r, "init: cannot close the descriptors of its parent");
        if (i < n)
            next = fd + 1;
    }
    return 0;
}

static int descriptors_preserve(const struct init *init, struct error *err)
{
    for (unsigned fd = 0; fd < init->plan->preserve_fds; fd++) {
        int r = kernel_set_cloexec((int)(STDIO_FDS + fd), 0);
        if (r < 0)
            return err_sys(err, r, "--preserve-fds: descriptor %u is not open", STDIO_FDS + fd);
    }
    return 0;
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
    if (plan->want_go && channel_wait(init->context->channel, INIT_MESSAGE_GO, err) < 0)
        return -err->code;
    if (descriptors_preserve(init, err) < 0 || namespaces_enter(init, err) < 0)
        return -err->code;
    if (plan->want_keyring &&
        keyring_apply(&init->context->procfs, plan->id, init->process->selinux_label, err) < 0)
        return -err->code;
    if (root_build(init, err) < 0)
        return -err->code;
    if (stdio_setup(init, err) < 0 || stdio_give(init, err) < 0)
        return -err->code;
    environment_build(init);
    if (attributes_apply(init, err) < 0 || rights_drop(init, err) < 0)
        return -err->code;
    if (executable_find(&init->arena, init->process->args[0], env_get(init->env.items, "PATH"), &init->executable,
            err) < 0) {
        init->is_unexecutable = true;
        return -err->code;
    }
    if (start_wait(init, err) < 0)
        return -err->code;
    return container_hooks(init, OCI_HOOK_START_CONTAINER, "created", err);
}

noreturn void init_child_main(struct init_context *context)
{
    struct error err = ERR_INIT;
    struct init init = {
        .context = context,
        .plan = context->plan,
        .process = context->plan->config->process,
        .arena = ARENA_INIT,
        .root = MOUNT_ROOT_INIT,
        .peer = context->channel,
        .terminal = -1,
    };

    role_set(ROLE_INIT);
    if (init_steps(&init, &err) < 0)
        init_fail(&init, init.is_unexecutable ? INIT_MESSAGE_NO_EXEC : INIT_MESSAGE_FAILED, &err);
    payload_exec(&init, &err);
}
