/* SPDX-License-Identifier: Apache-2.0 */
/* Controllers into cgroup.subtree_control; and the reason when one cannot be had. */
#include "cgroup_apply_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "buf.h"
#include "cgroup_limit_plan.h"
#include "cgroupfs.h"
#include "cleanup.h"
#include "err.h"
#include "file.h"
#include "role.h"
#include "strv.h"

#define CONTROLLERS_TEXT_MAX 512
#define PROC_CGROUPS_MAX     65536

/* "cpu io memory" → bits */
static int controllers_read(int dir_fd, const char *file, unsigned *ret)
{
    char text[CONTROLLERS_TEXT_MAX];
    ssize_t n = cgroupfs_read(dir_fd, file, text, sizeof(text));
    unsigned bits = 0;

    if (n < 0)
        return (int)n;
    for (const char *at = text; *at != '\0';) {
        size_t len = strcspn(at, " \n");
        enum cgroup_controller controller = cgroup_controller_find(at, len);
        if (controller != CGROUP_CONTROLLERS)
            bits |= 1U << controller;
        at += len;
        at += *at != '\0';
    }
    *ret = bits;
    return 0;
}

/* The line of /proc/cgroups is "NAME HIERARCHY NUMBER ENABLED", by tabs; NULL when there is none of
 * that name. */
static const char *proc_cgroups_line(const char *text, const char *name)
{
    size_t len = strlen(name);

    for (const char *line = text; *line != '\0';) {
        if (strncmp(line, name, len) == 0 && line[len] == '\t')
            return line + len + 1;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return NULL;
}

static const char *reason_not_there(enum cgroup_controller controller)
{
    const char *name = controller == CGROUP_IO ? "blkio" : cgroup_controller_name(controller);
    autofree char *text = NULL;
    size_t len = 0;

    if (file_read(AT_FDCWD, "/proc/cgroups", PROC_CGROUPS_MAX, &text, &len) < 0)
        return "it is not delegated to this cgroup";
    const char *line = proc_cgroups_line(text, name);
    if (line == NULL)
        return "this kernel does not have it, or it is not delegated to this cgroup";
    if (!str_starts(line, "0\t"))
        return "a cgroup v1 hierarchy of this machine holds it; boot with cgroup v2 alone "
               "(systemd.unified_cgroup_hierarchy=1), or do without the limit";
    size_t line_len = strcspn(line, "\n");
    if (line_len > 2 && memcmp(line + line_len - 2, "\t0", 2) == 0)
        return "it is turned off on the kernel's command line";
    return "it is not delegated to this cgroup";
}

static const char *reason_refused(int r)
{
    switch (-r) {
    case EBUSY:
        return "there are processes in that very cgroup, which keeps it from handing controllers "
               "down";
    case EOPNOTSUPP:
        return "that cgroup is threaded";
    case EACCES:
    case EPERM:
    case EROFS:
        return "this user may not change that cgroup: it is not delegated";
    default:
        return strerror(-r);
    }
}

static const char *limit_of(
    const struct cgroup_limit_plan *limits, enum cgroup_controller controller)
{
    for (size_t i = 0; i < limits->n_writes; i++)
        if (limits->writes[i].controller == controller)
            return limits->writes[i].limit;
    return "limits";
}

static int enable_failed(int r, int dir_fd, const char *shown,
    const struct cgroup_limit_plan *limits, unsigned missing, struct error *err)
{
    unsigned available = 0;
    bool is_known = controllers_read(dir_fd, "cgroup.controllers", &available) == 0;
    unsigned absent = is_known ? missing & ~available : 0;
    enum cgroup_controller first = CGROUP_CORE;

    while (((absent != 0 ? absent : missing) & (1U << first)) == 0)
        first++;
    return err_set(err, r, "linux.resources.%s: no controller \"%s\" below cgroup \"%s\": %s",
        limit_of(limits, first), cgroup_controller_name(first), shown,
        absent != 0 ? reason_not_there(first) : reason_refused(r));
}

int cgroup_controllers_enable(
    int dir_fd, const char *shown, const struct cgroup_limit_plan *limits, struct error *err)
{
    AUTO(buf) struct buf order = BUF_INIT;
    unsigned enabled = 0;

    role_require(ROLE_PARENT);
    if (limits->controllers == 0)
        return 0;
    int r = controllers_read(dir_fd, "cgroup.subtree_control", &enabled);
    if (r < 0)
        return err_sys(err, r, "cgroup \"%s\": cannot read cgroup.subtree_control", shown);
    unsigned missing = limits->controllers & ~enabled;
    if (missing == 0)
        return 0;
    for (enum cgroup_controller i = CGROUP_CORE; i < CGROUP_CONTROLLERS; i++)
        if ((missing & (1U << i)) != 0)
            buf_printf(&order, "%s+%s", order.len > 0 ? " " : "", cgroup_controller_name(i));
    r = cgroupfs_write(dir_fd, "cgroup.subtree_control", buf_str(&order));
    return r < 0 ? enable_failed(r, dir_fd, shown, limits, missing, err) : 0;
}
