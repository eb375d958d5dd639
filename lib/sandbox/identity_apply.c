/* SPDX-License-Identifier: Apache-2.0 */
/* Ids, groups and umask in force, and read back. */
#include "identity_apply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "call.h"
#include "cleanup.h"
#include "credential.h"
#include "err.h"
#include "identity_plan.h"
#include "role.h"

static int check_ids(const struct identity_plan *plan, struct error *err)
{
    uid_t uids[3];
    gid_t gids[3];
    int r = kernel_getresuid(&uids[0], &uids[1], &uids[2]);
    if (r == 0)
        r = kernel_getresgid(&gids[0], &gids[1], &gids[2]);
    if (r < 0)
        return err_sys(err, r, "identity: read ids back");
    for (int i = 0; i < 3; i++)
        if (uids[i] != plan->uid || gids[i] != plan->gid)
            return err_set(err, EPERM, "identity: uid %u gid %u in force, not uid %u gid %u",
                uids[i], gids[i], plan->uid, plan->gid);
    return 0;
}

static int compare_gids(const void *a, const void *b)
{
    gid_t x = *(const gid_t *)a;
    gid_t y = *(const gid_t *)b;
    return (x > y) - (x < y);
}

static int check_groups(const struct identity_plan *plan, struct error *err)
{
    int n = kernel_getgroups(0, NULL);
    if (n < 0)
        return err_sys(err, n, "identity: read groups back");
    if ((size_t)n != plan->n_groups)
        return err_set(err, EPERM, "identity: %d groups in force, not %zu", n, plan->n_groups);
    if (n == 0)
        return 0;
    autofree gid_t *groups = xcalloc((size_t)n, sizeof(gid_t));
    int r = kernel_getgroups((size_t)n, groups);
    if (r < 0)
        return err_sys(err, r, "identity: read groups back");
    qsort(groups, (size_t)n, sizeof(gid_t), compare_gids);
    if (r != n || memcmp(groups, plan->groups, (size_t)n * sizeof(gid_t)) != 0)
        return err_set(err, EPERM, "identity: other groups in force than asked for");
    return 0;
}

int identity_apply(const struct identity_plan *plan, struct error *err)
{
    role_require(ROLE_INIT);
    int r;
    if (plan->has_setgroups) {
        r = kernel_setgroups(plan->n_groups, plan->groups);
        if (r < 0)
            return err_sys(err, r, "identity: set %zu groups", plan->n_groups);
    }
    r = kernel_setresgid(plan->gid, plan->gid, plan->gid);
    if (r < 0)
        return err_sys(err, r, "identity: set gid %u", plan->gid);
    r = kernel_setresuid(plan->uid, plan->uid, plan->uid);
    if (r < 0)
        return err_sys(err, r, "identity: set uid %u", plan->uid);
    (void)kernel_umask(plan->umask);
    r = check_ids(plan, err);
    return r < 0 || !plan->has_setgroups ? r : check_groups(plan, err);
}
