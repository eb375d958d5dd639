/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs on a container that exists: start, kill, delete, state; and the end of its life. */
#include "lifecycle.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "call.h"
#include "cgroup_apply.h"
#include "cgroup_task_apply.h"
#include "cleanup.h"
#include "err.h"
#include "hook_run.h"
#include "init_message.h"
#include "init_parent.h"
#include "lifecycle_internal.h"
#include "notify_socket.h"
#include "oci_config.h"
#include "oci_state.h"
#include "process_call.h"
#include "role.h"
#include "socket_call.h"

#define KILL_WAIT_MS     10000

void lifecycle_warn(struct buf *warnings, const char *text)
{
    /* Once each: a damaged file is read before the lock and under it. */
    if (warnings && !(warnings->data && strstr(warnings->data, text)))
        buf_printf(warnings, "%s\n", text);
}

/* --- end --- */

/* The specification: a failing hook of these two is told, and all else goes on. */
static void late_hooks_run(const struct oci_config *config, enum oci_hook_point point, const struct oci_state *state,
    struct buf *warnings)
{
    AUTO(buf) struct buf failures = BUF_INIT;

    hook_run_all(config, point, state, warnings ? warnings : &failures);
}

void lifecycle_poststop(const struct oci_config *config, struct oci_state *state, struct buf *warnings)
{
    state->status = container_status_name(CONTAINER_STOPPED);
    state->pid = 0;
    late_hooks_run(config, OCI_HOOK_POSTSTOP, state, warnings);
}

static void poststart_run(const struct oci_config *config, struct oci_state *state, struct buf *warnings)
{
    state->status = container_status_name(CONTAINER_RUNNING);
    late_hooks_run(config, OCI_HOOK_POSTSTART, state, warnings);
}

static int cgroup_destroy(const struct container *c, struct error *err)
{
    struct cgroup cgroup = CGROUP_INIT;
    bool is_populated = false;

    if (!c->record.cgroup || !*c->record.cgroup)
        return 0;
    int r = cgroup_open(&cgroup, c->record.cgroup, err);
    if (r == 0)
        r = cgroup_is_populated(&cgroup, &is_populated, err);
    if (r == 0 && is_populated)
        r = cgroup_kill(&cgroup, CGROUP_WAIT_MS, err);
    if (r == 0)
        r = cgroup_remove(&cgroup, CGROUP_WAIT_MS, err);
    cgroup_done(&cgroup);
    return r < 0 ? err_in(err, "container \"%s\"", c->record.id) : 0;
}

static void poststop_of_stored(struct container *c, struct buf *warnings)
{
    struct oci_config *config;
    struct oci_state state;
    struct error err = ERR_INIT;

    if (container_config(c, &config, &err) == 0 && config->hooks[OCI_HOOK_POSTSTOP].n_items > 0 &&
        lifecycle_state(c, &state, &err) == 0)
        lifecycle_poststop(config, &state, warnings);
    if (err.code)
        lifecycle_warn(warnings, err.text);
}

/* Of a stopped container, its lock held. is_hookless: known to have no poststop hooks. */
int lifecycle_destroy(struct container *c, bool is_hookless, struct buf *warnings, struct error *err)
{
    if (cgroup_destroy(c, err) < 0)
        return -err->code;
    if (c->record.bundle && !is_hookless)
        poststop_of_stored(c, warnings);
    return container_remove(c, err);
}

/* --- verbs --- */

void lifecycle_started(struct container *c, struct buf *warnings)
{
    struct oci_config *config;
    struct oci_state state;
    struct error err = ERR_INIT;

    if (container_config(c, &config, &err) == 0 && config->hooks[OCI_HOOK_POSTSTART].n_items > 0 &&
        lifecycle_state(c, &state, &err) == 0)
        poststart_run(config, &state, warnings);
    if (err.code)
        lifecycle_warn(warnings, err.text);
}

static int start_locked(struct container *c, struct buf *warnings, struct error *err)
{
    enum container_status status;

    if (container_status_get(c, &status, err) < 0)
        return -err->code;
    if (status == CONTAINER_STOPPED)
        return err_set(err, EINVAL, "cannot start a container that has stopped: \"%s\"", c->record.id);
    if (status != CONTAINER_CREATED)
        return err_set(err, EINVAL, "cannot start container \"%s\": it is not in created state but %s", c->record.id,
            container_status_name(status));
    const char *notify_path = notify_socket_wanted();
    autoclose int notify_fd = -1;
    if (notify_path && kernel_faccessat(c->dir, NOTIFY_DIRECTORY, F_OK, 0) == 0 &&
        notify_socket_make(c->dir, &notify_fd, err) < 0)
        return -err->code;
    autoclose int socket = unix_connect(c->dir, "start.sock", SOCK_SEQPACKET);
    int r = socket < 0 ? socket : kernel_unlinkat(c->dir, "start.sock", 0);
    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot reach its init process", c->record.id);
    bool ignored = false;
    if (init_start(socket, false, &ignored, err) < 0)
        return -err->code;
    lifecycle_started(c, warnings);
    autoclose int pidfd = notify_fd >= 0 ? container_pidfd(c) : -1;
    if (pidfd >= 0)
        notify_socket_wait(notify_fd, notify_path, pidfd);
    return 0;
}

int lifecycle_start(const char *root, const char *id, struct buf *warnings, struct error *err)
{
    role_require(ROLE_PARENT);
    struct container c = CONTAINER_INIT;
    int r = container_get(&c, root, id, err);

    if (r == 0)
        r = container_lock(&c, err);
    if (r == 0)
        r = start_locked(&c, warnings, err);
    container_done(&c);
    return r;
}

static int kill_opened(struct container *c, int signal, bool want_all, struct error *err)
{
    struct cgroup cgroup = CGROUP_INIT;

    if (want_all && c->record.cgroup && *c->record.cgroup) {
        int r = cgroup_open(&cgroup, c->record.cgroup, err);
        if (r == 0)
            r = signal == SIGKILL ? cgroup_kill(&cgroup, CGROUP_WAIT_MS, err)
                                  : cgroup_signal_all(&cgroup, signal, err);
        cgroup_done(&cgroup);
        if (r <= 0)
            return r;
    }
    autoclose int pidfd = container_pidfd(c);
    int r = pidfd < 0 ? pidfd : kernel_pidfd_send_signal(pidfd, signal);
    if (r == -ESRCH)
        return err_set(err, ESRCH, "container not running: \"%s\"", c->record.id);
    return r < 0 ? err_sys(err, r, "container \"%s\": cannot send signal %d", c->record.id, signal) : 0;
}

int lifecycle_kill(const char *root, const char *id, int signal, bool want_all, struct error *err)
{
    role_require(ROLE_PARENT);
    struct container c = CONTAINER_INIT;
    int r = container_get(&c, root, id, err);

    if (r == 0)
        r = kill_opened(&c, signal, want_all, err);
    container_done(&c);
    return r;
}

/* Init and, by its PID namespace or its cgroup, everything with it. */
static int kill_and_wait(struct container *c, struct error *err)
{
    autoclose int pidfd = container_pidfd(c);
    struct pollfd fd = { .fd = pidfd, .events = POLLIN };

    if (pidfd == -ESRCH)
        return 0;
    int r = pidfd < 0 ? pidfd : kernel_pidfd_send_signal(pidfd, SIGKILL);
    if (r < 0 && r != -ESRCH)
        return err_sys(err, r, "container \"%s\": cannot kill its init process", c->record.id);
    struct cgroup cgroup = CGROUP_INIT;
    if (c->record.cgroup && *c->record.cgroup && cgroup_open(&cgroup, c->record.cgroup, err) == 0)
        /* A frozen one dies of this alone; lifecycle_destroy insists. */
        (void)cgroup_kill(&cgroup, CGROUP_WAIT_MS, err);
    cgroup_done(&cgroup);
    *err = (struct error)ERR_INIT;
    r = kernel_poll(&fd, 1, KILL_WAIT_MS);
    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot wait for the end of its init process", c->record.id);
    if (r == 0)
        return err_set(err, ETIMEDOUT, "container \"%s\": its init process did not end within %d s of SIGKILL",
            c->record.id, KILL_WAIT_MS / 1000);
    return 0;
}

static int delete_opened(struct container *c, bool force, struct buf *warnings, struct error *err)
{
    enum container_status status;

    if (!force && container_status_get(c, &status, err) < 0)
        return -err->code;
    if (!force && status != CONTAINER_STOPPED && status != CONTAINER_CREATED)
        return err_set(err, EBUSY, "cannot delete container \"%s\" that is not stopped: %s", c->record.id,
            container_status_name(status));
    /* Before the lock: a start that waits for this init holds it. */
    if (kill_and_wait(c, err) < 0)
        return -err->code;
    int r = container_lock(c, err);
    if (r == -ENOENT && force) /* somebody else was faster */
        return 0;
    if (r < 0)
        return r;
    /* A create that held it has gone on since: its init and its cgroup are known only now. */
    struct error damage = ERR_INIT;
    if (container_reread(c, &damage) < 0) {
        if (!force) { /* an init that we do not know of would be left to itself */
            *err = damage;
            return -err->code;
        }
        lifecycle_warn(warnings, damage.text);
    }
    if (kill_and_wait(c, err) < 0)
        return -err->code;
    return lifecycle_destroy(c, false, warnings, err);
}

/* By force also when its state cannot be read: engines could never get rid of it otherwise. */
static int delete_open(struct container *c, const char *root, const char *id, bool force, struct buf *warnings,
    struct error *err)
{
    struct error damage = ERR_INIT;
    int r = container_open(c, root, id, &damage);

    if (r < 0 && force && container_id_check(id, err) == 0) {
        r = container_open_damaged(c, root, id, err);
        if (r != 0)
            return r;
        lifecycle_warn(warnings, damage.text);
        if (!c->record.cgroup)
            lifecycle_warn(warnings, "its cgroup is not known: not removed");
        return 0;
    }
    if (r < 0)
        *err = damage;
    return r;
}

static enum lifecycle_origin origin_of(const struct container *c)
{
    if (!c->record.bundle)
        return LIFECYCLE_UNKNOWN;
    return c->record.is_sandbox ? LIFECYCLE_LAUNCH : LIFECYCLE_BUNDLE;
}

int lifecycle_delete(const char *root, const char *id, bool force, enum lifecycle_origin *ret_origin,
    struct buf *warnings, struct error *err)
{
    role_require(ROLE_PARENT);
    struct container c = CONTAINER_INIT;
    int r = delete_open(&c, root, id, force, warnings, err);

    if (r == CONTAINER_NOT_FOUND && !force)
        return err_set(err, ENOENT, "container \"%s\" does not exist", id);
    if (r == CONTAINER_NOT_FOUND) {
        *ret_origin = LIFECYCLE_UNKNOWN;
        return 0;
    }
    enum lifecycle_origin origin = origin_of(&c);
    if (r == 0)
        r = delete_opened(&c, force, warnings, err);
    container_done(&c);
    if (r == 0)
        *ret_origin = origin;
    return r;
}

int lifecycle_state(struct container *c, struct oci_state *ret, struct error *err)
{
    struct oci_config *config;
    enum container_status status;

    if (container_status_get(c, &status, err) < 0)
        return -err->code;
    struct oci_state state = {
        .id = c->record.id,
        .status = container_status_name(status),
        .pid = status == CONTAINER_STOPPED || status == CONTAINER_CREATING ? 0 : c->pid,
        .bundle = c->record.bundle ? c->record.bundle : "",
        .rootfs = c->record.rootfs ? c->record.rootfs : "",
        .created = c->record.created ? c->record.created : "",
        .owner = c->record.owner ? c->record.owner : "",
    };

    if (c->record.bundle) {
        if (container_config(c, &config, err) < 0)
            return -err->code;
        state.annotations = config->annotations;
        state.n_annotations = config->n_annotations;
    }
    *ret = state;
    return 0;
}
