/* SPDX-License-Identifier: Apache-2.0 */
/* From rights in the container to the payload. The order is explained in payload.h. */
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call.h"
#include "caps_apply.h"
#include "channel.h"
#include "cleanup.h"
#include "err.h"
#include "executable.h"
#include "file.h"
#include "identity_apply.h"
#include "kernel_const.h"
#include "label_apply.h"
#include "oci_config.h"
#include "process_attr_apply.h"
#include "process_attr_plan.h"
#include "process_call.h"
#include "procfs.h"
#include "rlimit_apply.h"
#include "role.h"
#include "root.h"
#include "signals.h"
#include "syscall_filter_apply.h"
#include "syscall_filter_build.h"
#include "trace.h"
#include "tty.h"
#include "user_parse.h"

/* --- words --- */

noreturn void payload_fail(const struct payload *payload, const struct error *err)
{
    enum init_message type = payload->is_unexecutable ? INIT_MESSAGE_NO_EXEC : INIT_MESSAGE_FAILED;

    /* write(2) and not sendmsg: behind the filter it is the likelier one to be allowed. */
    (void)channel_write(payload->peer, type, err, sizeof(*err));
    _exit(EXIT_FAILURE);
}

int payload_wait(const struct payload *payload, enum init_message want, struct error *err)
{
    struct channel_message message;
    char none[1];
    int r = channel_recv(payload->channel, CHANNEL_FOREVER, none, sizeof(none), &message);

    if (r == CHANNEL_CLOSED)
        _exit(EXIT_FAILURE); /* the parent is gone: nobody to tell */
    if (r < 0)
        return err_sys(err, r, "init: cannot hear its parent");
    channel_message_done(&message);
    if (message.type != (uint32_t)want)
        return err_set(err, EPROTO, "init: message %u where %u was to come", message.type, (unsigned)want);
    return 0;
}

int payload_tell(const struct payload *payload, enum init_message type, int fd, struct error *err)
{
    int r = channel_send(payload->channel, type, NULL, 0, fd >= 0 ? &fd : NULL, fd >= 0 ? 1 : 0);

    return r < 0 ? err_sys(err, r, "init: cannot tell its parent") : 0;
}

/* --- descriptors --- */

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Closes from `first` on what is not in the sorted list. */
static int gaps_close(int first, const int *keep, size_t n)
{
    int next = first;

    for (size_t i = 0; i <= n; i++) {
        int fd = i < n ? keep[i] : INT_MAX;
        int r = 0;
        if (fd < next)
            continue;
        if (fd > next)
            r = kernel_close_range((unsigned)next, i < n ? (unsigned)fd - 1 : ~0U, 0);
        if (r < 0)
            return r;
        if (i < n)
            next = fd + 1;
    }
    return 0;
}

int payload_descriptors_close_but(int first, int *keep, size_t n)
{
    qsort(keep, n, sizeof(keep[0]), compare_ints);
    return gaps_close(first, keep, n);
}

static int descriptors_preserve(const struct payload *payload, struct error *err)
{
    for (unsigned fd = 0; fd < payload->preserve_fds; fd++) {
        int r = kernel_set_cloexec((int)(PAYLOAD_STDIO_FDS + fd), 0);
        if (r < 0)
            return err_sys(err, r, "--preserve-fds: descriptor %u is not open", PAYLOAD_STDIO_FDS + fd);
    }
    return 0;
}

int payload_descriptors_close(struct payload *payload, int *keep, size_t n, struct error *err)
{
    role_require(ROLE_INIT);
    const int own[] = { payload->channel, payload->procfs->fd, trace_fd() };
    int *all = arena_new_array(&payload->arena, n + ARRAY_SIZE(own), int);

    if (n > 0)
        memcpy(all, keep, n * sizeof(all[0]));
    memcpy(all + n, own, sizeof(own));
    int r = payload_descriptors_close_but(
        PAYLOAD_STDIO_FDS + (int)payload->preserve_fds, all, n + ARRAY_SIZE(own));
    if (r < 0)
        return err_sys(err, r, "init: cannot close the descriptors of its parent");
    return descriptors_preserve(payload, err);
}

/* --- terminal and streams --- */

int payload_terminal_take(struct payload *payload, int *master_fdp, int *terminal_fdp, struct error *err)
{
    role_require(ROLE_INIT);
    autoclose int master = take_fd(master_fdp);
    autoclose int terminal = take_fd(terminal_fdp);
    const struct oci_console_size *size = &payload->process->console_size;

    if (size->height > 0 && size->width > 0) {
        const struct tty_size window = { (unsigned short)size->height, (unsigned short)size->width };
        int r = tty_set_size(terminal, &window);
        if (r < 0)
            return err_sys(err, r, "process.consoleSize: cannot set the size of the terminal");
    }
    if (payload_tell(payload, INIT_MESSAGE_CONSOLE, master, err) < 0)
        return -err->code;
    payload->terminal = take_fd(&terminal);
    return 0;
}

static int stdio_setup(const struct payload *payload, struct error *err)
{
    if (payload->terminal < 0)
        return 0;
    int r = tty_set_controlling(payload->terminal);
    for (int fd = 0; r >= 0 && fd < PAYLOAD_STDIO_FDS; fd++)
        r = kernel_dup3(payload->terminal, fd, 0);
    return r < 0 ? err_sys(err, r, "process.terminal: cannot make it the controlling terminal") : 0;
}

/* The payload's user must be able to open /dev/stdout again: its pipes and its own terminal become that user's, as with
 * runc and crun. Never a file or another device of the host. */
static int stdio_give(const struct payload *payload, struct error *err)
{
    for (int fd = 0; fd < PAYLOAD_STDIO_FDS; fd++) {
        struct stat st;
        int r = kernel_fstat(fd, &st);
        bool is_ours = r == 0 && (S_ISFIFO(st.st_mode) || (S_ISCHR(st.st_mode) && payload->terminal >= 0));
        if (is_ours && st.st_uid != payload->process->user.uid)
            r = kernel_fchown(fd, payload->process->user.uid, st.st_gid);
        /* A pipe of an owner or on a file system that this user namespace does not know stays as it is. */
        if (r < 0 && r != -EPERM && r != -EINVAL && r != -EROFS)
            return err_sys(err, r, "process.user: cannot hand over standard stream %d", fd);
    }
    return 0;
}

/* The working directory with the rights of the moment. EACCES is left for a second try as the payload's user. */
static int working_directory_enter(struct payload *payload, bool is_last_try, struct error *err)
{
    char path[4096];

    if (payload->is_cwd_set)
        return 0;
    autoclose int fd = root_resolve(payload->root, payload->process->cwd, O_PATH | O_DIRECTORY);
    int r = fd < 0 ? fd : kernel_fchdir(fd);
    if (r == -EACCES && !is_last_try)
        return 0;
    if (r < 0)
        return err_sys(err, r, "process.cwd %s: cannot enter", payload->process->cwd);
    /* A directory outside of the root has no path from it: CVE-2024-21626. */
    r = kernel_getcwd(path, sizeof(path));
    if (r < 0 || path[0] != '/')
        return err_set(err, EPERM, "process.cwd %s: leads out of the container", payload->process->cwd);
    payload->is_cwd_set = true;
    return 0;
}

static const char *home_find(struct payload *payload)
{
    struct user_file passwd = { 0 };
    char *text = NULL;
    size_t len = 0;
    /* A FIFO or device in its place must neither block nor be read without end. */
    autoclose int fd = root_resolve(payload->root, "/etc/passwd", O_RDONLY | O_NONBLOCK | O_NOCTTY);

    if (fd >= 0 && file_read_fd(fd, USER_FILE_SIZE_MAX, &text, &len) == 0) {
        passwd.text = text;
        passwd.len = len;
    }
    const char *home = user_home_find(&payload->arena, payload->process->user.uid, &passwd);
    free(text);
    return home;
}

static void environment_build(struct payload *payload)
{
    for (size_t i = 0; i < payload->process->n_env; i++)
        strv_add(&payload->arena, &payload->env, payload->process->env[i]);
    if (!env_get(payload->env.items, "HOME"))
        env_set(&payload->arena, &payload->env, "HOME", home_find(payload));
    if (payload->has_listen_fds) {
        static const char *const names[] = { "LISTEN_FDS", "LISTEN_FDNAMES" };
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
            const char *value = getenv(names[i]);
            if (value)
                env_set(&payload->arena, &payload->env, names[i], value);
        }
        env_set(&payload->arena, &payload->env, "LISTEN_PID", "1");
    }
}

static int attributes_apply(const struct payload *payload, struct error *err)
{
    const struct oci_process *process = payload->process;

    if (rlimit_apply(process->rlimits, process->n_rlimits, err) < 0 || process_attr_apply(payload->attributes, err) < 0)
        return -err->code;
    return label_apply(payload->procfs, payload->labels, err);
}

static int filter_load(const struct payload *payload, struct error *err)
{
    autoclose int listener = -1;

    if (!payload->filter)
        return 0;
    if (syscall_filter_apply(payload->filter, &listener, err) < 0)
        return -err->code;
    if (listener < 0)
        return 0;
    /* The agent must have it before the payload's first call. */
    if (payload_tell(payload, INIT_MESSAGE_LISTENER, listener, err) < 0)
        return -err->code;
    return payload_wait(payload, INIT_MESSAGE_GO, err);
}

static bool filter_is_early(const struct payload *payload)
{
    return payload->filter && (!payload->attributes->has_no_new_privs || payload->filter->wants_listener);
}

static int rights_drop(struct payload *payload, struct error *err)
{
    if (working_directory_enter(payload, false, err) < 0 || no_new_privs_apply(payload->attributes, err) < 0 ||
        caps_apply_bounding(payload->caps, err) < 0 || identity_apply(payload->identity, err) < 0)
        return -err->code;
    if (filter_is_early(payload) && (caps_apply_kept(err) < 0 || filter_load(payload, err) < 0))
        return -err->code;
    if (caps_apply_sets(payload->caps, err) < 0 || working_directory_enter(payload, true, err) < 0)
        return -err->code;
    int r = kernel_set_dumpable(0);
    return r < 0 ? err_sys(err, r, "init: cannot stay non-dumpable") : 0;
}

int payload_prepare(struct payload *payload, struct error *err)
{
    role_require(ROLE_INIT);
    if (stdio_setup(payload, err) < 0 || stdio_give(payload, err) < 0)
        return -err->code;
    environment_build(payload);
    if (attributes_apply(payload, err) < 0 || rights_drop(payload, err) < 0)
        return -err->code;
    const char *path = env_get(payload->env.items, "PATH");
    if (executable_find(&payload->arena, payload->process->args[0], path, &payload->executable, err) < 0) {
        payload->is_unexecutable = true;
        return -err->code;
    }
    return 0;
}

/* --- execve --- */

/* Close-on-exec alone is too late: execve gives the process its new memory, which belongs to the container's user
 * namespace, a moment before it closes them, and a peer with CAP_SYS_PTRACE there could open the host's procfs through
 * ours. Only the word to the parent is left. */
static int internal_fds_close(const struct payload *payload)
{
    unsigned first = PAYLOAD_STDIO_FDS + payload->preserve_fds;
    unsigned peer = (unsigned)payload->peer;
    int r;

    if (peer < first)
        return -EBADF;
    r = peer > first ? kernel_close_range(first, peer - 1, 0) : 0;
    if (r == 0)
        r = kernel_close_range(peer + 1, ~0U, 0);
    return r == 0 ? kernel_close_range(peer, peer, CLOSE_RANGE_CLOEXEC) : r;
}

noreturn void payload_exec(struct payload *payload, struct error *err)
{
    int r;

    role_require(ROLE_INIT);
    if (channel_send(payload->peer, INIT_MESSAGE_EXECING, NULL, 0, NULL, 0) < 0)
        _exit(EXIT_FAILURE); /* who asked for the start is gone: nobody would know of the payload */
    r = internal_fds_close(payload);
    if (r == 0) {
        sigset_t none;
        (void)sigemptyset(&none);
        r = signals_set_mask(&none); /* handlers are the default ones since the start of the program */
    }
    if (r < 0) {
        (void)err_sys(err, r, "init: cannot close its descriptors");
        payload_fail(payload, err);
    }
    if (!filter_is_early(payload) && filter_load(payload, err) < 0)
        payload_fail(payload, err);
    r = kernel_execve(payload->executable, payload->process->args, payload->env.items);
    (void)err_sys(err, r, "exec: \"%s\"", payload->process->args[0]);
    payload->is_unexecutable = true;
    payload_fail(payload, err);
}
