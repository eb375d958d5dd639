/* SPDX-License-Identifier: Apache-2.0 */
/* Names to bits. */
#include "caps_plan.h"

#include "arena.h"
#include "cleanup.h"
#include "kernel_const.h"
#include "oci_config.h"
#include "strv.h"
#include "unit.h"

static struct arena arena = ARENA_INIT;

START_TEST(number_when_asked_for_its_name_then_back)
{
    for (unsigned i = 0; i <= KERNEL_CAP_LAST; i++) {
        char name[CAPS_NAME_SIZE];
        caps_name(i, name);
        ck_assert_int_eq(caps_number(name), (int)i);
    }
    char name[CAPS_NAME_SIZE];
    caps_name(0, name);
    ck_assert_str_eq(name, "CAP_CHOWN");
    caps_name(63, name);
    ck_assert_str_eq(name, "CAP_63");
}
END_TEST

START_TEST(name_when_not_exactly_so_then_unknown)
{
    static const char *const names[] = { "", "CAP_", "cap_chown", "CHOWN", "CAP_chown",
        "CAP_CHOWN ", "CAP_0", "0", "CAP_63", "CAP_CHOWNX", "CAP_CHOWN,CAP_KILL", "all",
        "CAP_ALL" };
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        ck_assert_msg(caps_number(names[i]) == -1, "%s", names[i]);
}
END_TEST

START_TEST(capabilities_when_absent_then_none)
{
    struct caps_plan plan;
    struct strv unknown = STRV_INIT;
    caps_plan_build(&arena, NULL, KERNEL_CAP_LAST, &plan, &unknown);
    ck_assert_uint_eq(
        plan.bounding | plan.effective | plan.permitted | plan.inheritable | plan.ambient, 0);
    ck_assert_uint_eq(unknown.n, 0);
}
END_TEST

START_TEST(name_when_newer_than_kernel_then_reported_once_and_not_given)
{
    char kill[] = "CAP_KILL";
    char newest[] = "CAP_CHECKPOINT_RESTORE";
    char *names[] = { kill, newest, NULL };
    const struct oci_capabilities capabilities = { .bounding = names,
        .n_bounding = 2,
        .permitted = names,
        .n_permitted = 2,
        .ambient = names,
        .n_ambient = 1 };
    struct caps_plan plan;
    struct strv unknown = STRV_INIT;
    caps_plan_build(&arena, &capabilities, 39, &plan, &unknown);
    ck_assert_uint_eq(plan.bounding, 1U << 5);
    ck_assert_uint_eq(plan.permitted, 1U << 5);
    ck_assert_uint_eq(plan.ambient, 0); /* not inheritable */
    ck_assert_uint_eq(unknown.n, 2);
    ck_assert_str_eq(unknown.items[0], newest);
    ck_assert_str_eq(unknown.items[1], kill);
    caps_plan_build(&arena, &capabilities, CAPS_LAST_MAX, &plan, NULL);
    ck_assert_uint_eq(plan.bounding, UINT64_C(1) << 40 | 1U << 5);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        number_when_asked_for_its_name_then_back,
        name_when_not_exactly_so_then_unknown,
        capabilities_when_absent_then_none,
        name_when_newer_than_kernel_then_reported_once_and_not_given,
    };
    int r = unit_run("caps_plan", tests, ARRAY_SIZE(tests));
    arena_done(&arena);
    return r;
}
