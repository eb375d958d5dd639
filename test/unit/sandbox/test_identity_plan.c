/* SPDX-License-Identifier: Apache-2.0 */
/* Ids, groups and umask out of process.user. */
#include "identity_plan.h"

#include <errno.h>

#include "arena.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "unit.h"

static struct arena arena = ARENA_INIT;

/* containers/crun#1389, containers/crun#644 */
START_TEST(user_when_planned_then_groups_once_and_umask_0022)
{
    uint32_t gids[] = { 4000, 20, 4000 };
    const struct oci_user user = {
        .uid = 1, .gid = 2, .additional_gids = gids, .n_additional_gids = 3
    };
    struct identity_plan plan;
    struct error err = ERR_INIT;
    ck_assert_int_eq(identity_plan_build(&arena, &user, true, &plan, &err), 0);
    ck_assert_uint_eq(plan.n_groups, 2);
    ck_assert_uint_eq(plan.groups[0], 20);
    ck_assert_uint_eq(plan.groups[1], 4000);
    ck_assert_uint_eq(plan.umask, 0022);
}
END_TEST

START_TEST(id_when_it_means_unchanged_then_refused)
{
    uint32_t gids[] = { UINT32_MAX };
    const struct oci_user users[] = {
        { .uid = UINT32_MAX },
        { .gid = UINT32_MAX },
        { .additional_gids = gids, .n_additional_gids = 1 },
        { .has_umask = true, .umask = 01000 },
    };
    for (size_t i = 0; i < ARRAY_SIZE(users); i++) {
        struct identity_plan plan;
        struct error err = ERR_INIT;
        ck_assert_int_eq(identity_plan_build(&arena, &users[i], true, &plan, &err), -EINVAL);
    }
}
END_TEST

START_TEST(groups_when_namespace_denies_them_then_refused)
{
    uint32_t gids[] = { 20 };
    struct oci_user user = { .additional_gids = gids, .n_additional_gids = 1 };
    struct identity_plan plan;
    struct error err = ERR_INIT;
    ck_assert_int_eq(identity_plan_build(&arena, &user, false, &plan, &err), -EPERM);
    user.n_additional_gids = 0;
    ck_assert_int_eq(identity_plan_build(&arena, &user, false, &plan, &err), 0);
    ck_assert(!plan.has_setgroups);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        user_when_planned_then_groups_once_and_umask_0022,
        id_when_it_means_unchanged_then_refused,
        groups_when_namespace_denies_them_then_refused,
    };
    int r = unit_run("identity_plan", tests, ARRAY_SIZE(tests));
    arena_done(&arena);
    return r;
}
