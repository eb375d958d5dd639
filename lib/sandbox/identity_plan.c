/* SPDX-License-Identifier: Apache-2.0 */
/* The user of the payload as ids, groups and umask. */
#include "identity_plan.h"

#include <errno.h>
#include <stdlib.h>

#include "arena.h"
#include "buf.h"
#include "err.h"
#include "oci_config.h"

#define ID_NONE UINT32_MAX /* "leave unchanged" to the kernel: never an id */

static int compare_gids(const void *a, const void *b)
{
    gid_t x = *(const gid_t *)a;
    gid_t y = *(const gid_t *)b;
    return (x > y) - (x < y);
}

static int take_groups(
    struct arena *arena, const struct oci_user *user, struct identity_plan *plan, struct error *err)
{
    size_t n = user->n_additional_gids;
    if (n > IDENTITY_GROUPS_MAX)
        return err_set(
            err, EINVAL, "process.user.additionalGids: more than %d", IDENTITY_GROUPS_MAX);
    plan->groups = arena_new_array(arena, n, gid_t);
    for (size_t i = 0; i < n; i++) {
        if (user->additional_gids[i] == ID_NONE)
            return err_set(err, EINVAL, "process.user.additionalGids[%zu]: not a group id", i);
        plan->groups[i] = user->additional_gids[i];
    }
    qsort(plan->groups, n, sizeof(gid_t), compare_gids);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || plan->groups[i] != plan->groups[i - 1])
            plan->groups[plan->n_groups++] = plan->groups[i];
    return 0;
}

int identity_plan_build(struct arena *arena, const struct oci_user *user, bool has_setgroups,
    struct identity_plan *ret, struct error *err)
{
    struct identity_plan plan = {
        .uid = user->uid,
        .gid = user->gid,
        .has_setgroups = has_setgroups,
        .umask = user->has_umask ? user->umask : IDENTITY_UMASK_DEFAULT,
    };
    if (user->uid == ID_NONE || user->gid == ID_NONE)
        return err_set(err, EINVAL, "process.user: %u is not an id", ID_NONE);
    if (plan.umask > 0777)
        return err_set(err, EINVAL, "process.user.umask: 0%o is beyond 0777", plan.umask);
    if (!has_setgroups && user->n_additional_gids > 0)
        return err_set(err, EPERM,
            "process.user.additionalGids: the user namespace does not allow to set groups");
    if (user->n_additional_gids > 0) {
        int r = take_groups(arena, user, &plan, err);
        if (r < 0)
            return r;
    }
    *ret = plan;
    return 0;
}

void identity_plan_print(const struct identity_plan *plan, struct buf *out)
{
    buf_printf(out, "identity uid %u gid %u\n", plan->uid, plan->gid);
    buf_puts(out, "identity groups");
    if (!plan->has_setgroups)
        buf_puts(out, " unchanged");
    else if (plan->n_groups == 0)
        buf_puts(out, " none");
    for (size_t i = 0; i < plan->n_groups; i++)
        buf_printf(out, " %u", plan->groups[i]);
    buf_printf(out, "\nidentity umask 0%03o\n", plan->umask);
}
