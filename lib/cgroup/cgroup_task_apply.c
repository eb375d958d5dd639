/* SPDX-License-Identifier: Apache-2.0 */
/* Freezing, killing, signalling, listing, removing. */
#include "cgroup_task_apply.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "arena.h"
#include "call.h"
#include "cgroup_apply.h"
#include "cgroup_stat_parse.h"
#include "cgroupfs.h"
#include "cleanup.h"
#include "deadline.h"
#include "directory.h"
#include "err.h"
#include "file.h"
#include "parse_num.h"
#include "process_call.h"
#include "role.h"

#define EVENTS_TEXT_MAX 1024
/* A lost notification costs no more than this. */
#define POLL_SLICE_MS 1000
/* Processes are signalled in groups of this many, one pidfd each. */
#define SIGNAL_GROUP 64
/* How often new processes are looked for. A fork bomb outruns any number: that is what freeze and
 * kill are for. */
#define SIGNAL_ROUNDS 16

enum wait_for { WAIT_FROZEN, WAIT_THAWED, WAIT_EMPTY };

struct pid_list {
    pid_t *pids;
    size_t n;
    size_t size;
};

/* --- waiting --- */

static bool is_reached(enum wait_for what, const struct cgroup_events *events)
{
    switch (what) {
    case WAIT_FROZEN:
        return events->is_frozen;
    case WAIT_THAWED:
        return !events->is_frozen;
    case WAIT_EMPTY:
        return !events->is_populated;
    }
    return false;
}

static int events_read(int events_fd, struct cgroup_events *ret)
{
    char text[EVENTS_TEXT_MAX];
    ssize_t n = kernel_pread(events_fd, text, sizeof(text) - 1, 0);

    if (n < 0)
        return (int)n;
    text[n] = '\0';
    return cgroup_events_parse(text, ret);
}

/* The kernel wakes a poller of cgroup.events at each change; a read arms the next one. */
static int events_wait(const struct cgroup *c, enum wait_for what, unsigned wait_ms)
{
    autoclose int fd = kernel_openat(c->dir_fd, "cgroup.events", O_RDONLY | O_CLOEXEC, 0);
    int64_t deadline = deadline_in(wait_ms);

    if (fd < 0)
        return fd;
    for (;;) {
        struct cgroup_events events;
        int r = events_read(fd, &events);
        if (r < 0)
            return r;
        if (is_reached(what, &events))
            return 0;
        int left_ms = deadline_left(deadline);
        if (left_ms == 0)
            return -ETIMEDOUT;
        struct pollfd poll_fd = { .fd = fd, .events = POLLPRI };
        r = kernel_poll(&poll_fd, 1, left_ms < POLL_SLICE_MS ? left_ms : POLL_SLICE_MS);
        if (r < 0 && r != -EINTR)
            return r;
    }
}

static bool is_gone(int r)
{
    return r == -ENODEV || r == -ENOENT;
}

/* --- freezer --- */

static int freezer_set(
    const struct cgroup *c, bool want_frozen, unsigned wait_ms, struct error *err)
{
    const char *verb = want_frozen ? "freeze" : "thaw";
    int r = cgroupfs_write(c->dir_fd, "cgroup.freeze", want_frozen ? "1" : "0");

    if (r < 0)
        return err_sys(err, r, "cgroup \"%s\": cannot %s it", c->path, verb);
    r = events_wait(c, want_frozen ? WAIT_FROZEN : WAIT_THAWED, wait_ms);
    if (r == 0)
        return 0;
    if (want_frozen) /* not half of it: those that did stop go on */
        (void)cgroupfs_write(c->dir_fd, "cgroup.freeze", "0");
    if (r == -ETIMEDOUT)
        return err_set(err, r, "cgroup \"%s\": did not %s within %u ms", c->path, verb, wait_ms);
    return err_sys(err, r, "cgroup \"%s\": cannot %s it", c->path, verb);
}

int cgroup_freeze(const struct cgroup *c, unsigned wait_ms, struct error *err)
{
    role_require(ROLE_PARENT);
    return freezer_set(c, true, wait_ms, err);
}

int cgroup_thaw(const struct cgroup *c, unsigned wait_ms, struct error *err)
{
    role_require(ROLE_PARENT);
    return freezer_set(c, false, wait_ms, err);
}

int cgroup_is_frozen(const struct cgroup *c, bool *ret, struct error *err)
{
    char text[EVENTS_TEXT_MAX];
    uint64_t value = 0;

    role_require(ROLE_PARENT);
    ssize_t n = cgroupfs_read(c->dir_fd, "cgroup.freeze", text, sizeof(text));
    if (n < 0)
        return err_sys(err, (int)n, "cgroup \"%s\": cannot read cgroup.freeze", c->path);
    if (cgroup_value_parse(text, &value) < 0)
        return err_set(err, EINVAL, "cgroup \"%s\": cgroup.freeze is not understood", c->path);
    *ret = value == 1;
    return 0;
}

/* --- end --- */

int cgroup_is_populated(const struct cgroup *c, bool *ret, struct error *err)
{
    struct cgroup_events events = { 0 };

    role_require(ROLE_PARENT);
    autoclose int fd = kernel_openat(c->dir_fd, "cgroup.events", O_RDONLY | O_CLOEXEC, 0);
    int r = fd < 0 ? fd : events_read(fd, &events);
    if (r < 0 && !is_gone(r))
        return err_sys(err, r, "cgroup \"%s\": cannot read cgroup.events", c->path);
    *ret = r == 0 && events.is_populated;
    return 0;
}

int cgroup_kill(const struct cgroup *c, unsigned wait_ms, struct error *err)
{
    role_require(ROLE_PARENT);
    int r = cgroupfs_kill(c->dir_fd);
    if (r == 0)
        r = events_wait(c, WAIT_EMPTY, wait_ms);
    if (r == 0 || is_gone(r))
        return 0;
    if (r == -ETIMEDOUT)
        return err_set(err, r,
            "cgroup \"%s\": processes are still there %u ms after they were killed", c->path,
            wait_ms);
    return err_sys(err, r, "cgroup \"%s\": cannot kill its processes", c->path);
}

int cgroup_remove(const struct cgroup *c, unsigned wait_ms, struct error *err)
{
    role_require(ROLE_PARENT);
    if (c->path == NULL)
        return 0;
    const char *name = strrchr(c->path, '/');
    if (name == NULL || name == c->path || name[1] == '\0')
        return err_set(err, EINVAL, "cgroup \"%s\": not the path of a cgroup", c->path);
    if (kernel_unlinkat(AT_FDCWD, c->path, AT_REMOVEDIR) == 0) /* as a rule: empty, and none below */
        return 0;
    autofree char *parent = xstrndup(c->path, (size_t)(name - c->path));
    autoclose int parent_fd = kernel_open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    int r = parent_fd < 0 ? parent_fd : cgroupfs_remove(parent_fd, name + 1, (int)wait_ms);
    if (r == 0 || is_gone(r))
        return 0;
    if (r == -EBUSY)
        return err_set(
            err, r, "cgroup \"%s\": cannot be removed, there are still processes in it", c->path);
    return err_sys(err, r, "cgroup \"%s\": cannot be removed", c->path);
}

/* --- processes --- */

static void pid_add(struct arena *arena, struct pid_list *list, pid_t pid)
{
    if (list->n == list->size) {
        size_t size = list->size == 0 ? 64 : 2 * list->size;
        pid_t *larger = arena_new_array(arena, size, pid_t);
        if (list->n > 0)
            memcpy(larger, list->pids, list->n * sizeof(*larger));
        list->pids = larger;
        list->size = size;
    }
    list->pids[list->n++] = pid;
}

static int pids_parse(struct arena *arena, const char *text, struct pid_list *list)
{
    for (const char *line = text; *line != '\0';) {
        size_t len = strcspn(line, "\n");
        int64_t pid = 0;
        int r = parse_i64(line, len, 0, INT32_MAX, &pid);
        if (r < 0)
            return r;
        if (pid > 0)
            pid_add(arena, list, (pid_t)pid);
        line += len;
        line += *line == '\n';
    }
    return 0;
}

static int pids_read(struct arena *arena, int dir_fd, struct pid_list *list)
{
    autofree char *text = NULL;
    size_t len = 0;
    int r = file_read(dir_fd, "cgroup.procs", CGROUP_PROCS_TEXT_MAX, &text, &len);

    if (r == -EOPNOTSUPP) /* threaded: its processes are listed above */
        return 0;
    return r < 0 ? r : pids_parse(arena, text, list);
}

/* A cgroup that goes away meanwhile has no processes. */
static int pids_walk(
    struct arena *arena, int parent_fd, const char *name, unsigned depth, struct pid_list *list)
{
    struct directory_entry entry;
    autoclose int fd = cgroupfs_open_dir(parent_fd, name);

    if (fd < 0)
        return is_gone(fd) ? 0 : fd;
    int r = pids_read(arena, fd, list);
    if (r < 0)
        return is_gone(r) ? 0 : r;
    if (depth == CGROUP_NEST_MAX)
        return -ELOOP;
    struct directory directory = { .fd = -1 };
    r = directory_open(&directory, fd, ".");
    while (r == 0 && (r = directory_next(&directory, &entry)) == 0)
        if (entry.type == DT_DIR)
            r = pids_walk(arena, fd, entry.name, depth + 1, list);
    directory_done(&directory);
    return r == DIRECTORY_END || is_gone(r) ? 0 : r;
}

static int pid_compare(const void *a, const void *b)
{
    const pid_t *x = a;
    const pid_t *y = b;

    return (*x > *y) - (*x < *y);
}

static bool pid_is_in(const pid_t *pids, size_t n, pid_t pid)
{
    return n > 0 && bsearch(&pid, pids, n, sizeof(pid), pid_compare) != NULL;
}

int cgroup_procs(
    struct arena *arena, const struct cgroup *c, pid_t **ret_pids, size_t *ret_n, struct error *err)
{
    struct pid_list list = { 0 };
    size_t n = 0;

    role_require(ROLE_PARENT);
    int r = pids_walk(arena, c->dir_fd, "", 0, &list);
    if (r < 0)
        return err_sys(err, r, "cgroup \"%s\": cannot list its processes", c->path);
    if (list.n > 0)
        qsort(list.pids, list.n, sizeof(*list.pids), pid_compare);
    for (size_t i = 0; i < list.n; i++)
        if (i == 0 || list.pids[i] != list.pids[n - 1])
            list.pids[n++] = list.pids[i];
    *ret_pids = list.pids;
    *ret_n = n;
    return 0;
}

/* A number may have passed to another process between the list and the open. Listed again after the
 * open it is a process of the cgroup, and the signal through the pidfd reaches that one or none. */
static int group_signal(struct arena *arena, const struct cgroup *c, const pid_t *pids, size_t n,
    int signal, struct error *err)
{
    int fds[SIGNAL_GROUP];
    pid_t *again = NULL;
    size_t n_again = 0;

    for (size_t i = 0; i < n; i++)
        fds[i] = kernel_pidfd_open(pids[i]);
    int r = cgroup_procs(arena, c, &again, &n_again, err);
    for (size_t i = 0; i < n; i++) {
        if (r == 0 && fds[i] < 0 && fds[i] != -ESRCH)
            r = err_sys(err, fds[i], "cgroup \"%s\": cannot open process %d", c->path, pids[i]);
        if (r == 0 && fds[i] >= 0 && pid_is_in(again, n_again, pids[i])) {
            int sent = kernel_pidfd_send_signal(fds[i], signal);
            if (sent < 0 && sent != -ESRCH)
                r = err_sys(err, sent, "cgroup \"%s\": cannot signal process %d", c->path, pids[i]);
        }
        cleanup_close(&fds[i]);
    }
    return r;
}

/* Those of pids that are not in seen; a new list. */
static struct pid_list pids_new(
    struct arena *arena, const pid_t *pids, size_t n, const pid_t *seen, size_t n_seen)
{
    struct pid_list fresh = { 0 };

    for (size_t i = 0; i < n; i++)
        if (!pid_is_in(seen, n_seen, pids[i]))
            pid_add(arena, &fresh, pids[i]);
    return fresh;
}

int cgroup_signal_all(const struct cgroup *c, int signal, struct error *err)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    pid_t *seen = NULL;
    size_t n_seen = 0;

    role_require(ROLE_PARENT);
    for (unsigned round = 0; round < SIGNAL_ROUNDS; round++) {
        pid_t *pids = NULL;
        size_t n_pids = 0;
        int r = cgroup_procs(&arena, c, &pids, &n_pids, err);
        if (r < 0)
            return r;
        struct pid_list fresh = pids_new(&arena, pids, n_pids, seen, n_seen);
        if (fresh.n == 0)
            return 0;
        for (size_t i = 0; i < fresh.n; i += SIGNAL_GROUP) {
            size_t n = fresh.n - i < SIGNAL_GROUP ? fresh.n - i : SIGNAL_GROUP;
            r = group_signal(&arena, c, fresh.pids + i, n, signal, err);
            if (r < 0)
                return r;
        }
        seen = pids;
        n_seen = n_pids;
    }
    return 0;
}
