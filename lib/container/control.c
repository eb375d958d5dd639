/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs on the cgroup of a container. */
#include "control.h"

#include <errno.h>

#include "arena.h"
#include "cgroup_apply.h"
#include "cgroup_limit_plan.h"
#include "cgroup_task_apply.h"
#include "cgroupfs.h"
#include "cleanup.h"
#include "container_store.h"
#include "err.h"
#include "oci_config.h"
#include "role.h"

/* A container that is not stopped, locked, with its cgroup. */
struct controlled {
    struct container container;
    struct cgroup cgroup;
    enum container_status status;
};

static void controlled_done(struct controlled *c)
{
    cgroup_done(&c->cgroup);
    container_done(&c->container);
}

static int controlled_open(struct controlled *c, const char *root, const char *id, struct error *err)
{
    *c = (struct controlled){ .container = CONTAINER_INIT, .cgroup = CGROUP_INIT };
    if (container_get(&c->container, root, id, err) < 0 || container_lock(&c->container, err) < 0)
        return -err->code;
    if (container_status_get(&c->container, &c->status, err) < 0)
        return -err->code;
    if (c->status == CONTAINER_STOPPED || c->status == CONTAINER_CREATING)
        return err_set(err, ESRCH, "container not running: \"%s\" is %s", id, container_status_name(c->status));
    if (!c->container.record.cgroup || !*c->container.record.cgroup)
        return err_set(err, ENOTSUP, "container \"%s\" has no cgroup of its own", id);
    int r = cgroup_open(&c->cgroup, c->container.record.cgroup, err);
    if (r == CGROUP_NONE)
        return err_set(err, ENOENT, "container \"%s\": its cgroup %s is gone", id, c->container.record.cgroup);
    return r;
}

int container_pause(const char *root, const char *id, struct error *err)
{
    role_require(ROLE_PARENT);
    AUTO(controlled) struct controlled c;

    if (controlled_open(&c, root, id, err) < 0)
        return -err->code;
    if (c.status == CONTAINER_PAUSED)
        return err_set(err, EBUSY, "container \"%s\" is already paused", id);
    return cgroup_freeze(&c.cgroup, CGROUP_WAIT_MS, err);
}

int container_resume(const char *root, const char *id, struct error *err)
{
    role_require(ROLE_PARENT);
    AUTO(controlled) struct controlled c;

    if (controlled_open(&c, root, id, err) < 0)
        return -err->code;
    if (c.status != CONTAINER_PAUSED)
        return err_set(err, EINVAL, "container \"%s\" is not paused but %s", id, container_status_name(c.status));
    return cgroup_thaw(&c.cgroup, CGROUP_WAIT_MS, err);
}

int container_processes(struct arena *arena, const char *root, const char *id, pid_t **ret, size_t *ret_n,
    struct error *err)
{
    role_require(ROLE_PARENT);
    AUTO(controlled) struct controlled c;

    if (controlled_open(&c, root, id, err) < 0)
        return -err->code;
    return cgroup_procs(arena, &c.cgroup, ret, ret_n, err);
}

int container_update(const char *root, const char *id, const struct oci_resources *resources, struct error *err)
{
    role_require(ROLE_PARENT);
    AUTO(controlled) struct controlled c;
    AUTO(cgroupfs) struct cgroupfs hierarchy = CGROUPFS_INIT;
    struct cgroup_limits_now now;
    struct cgroup_limit_plan limits;

    if (controlled_open(&c, root, id, err) < 0 || cgroup_hierarchy_open(&hierarchy, err) < 0 ||
        cgroup_limits_read(&c.cgroup, &now, err) < 0 ||
        cgroup_limit_plan(&c.container.arena, resources, &now, &limits, err) < 0)
        return -err->code;
    if (cgroup_limits_write(&c.cgroup, &hierarchy, &limits, err) < 0)
        return -err->code;
    return limits.has_late ? cgroup_limit_late(&c.cgroup, &limits, err) : 0;
}
