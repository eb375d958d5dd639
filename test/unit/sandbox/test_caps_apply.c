/* SPDX-License-Identifier: Apache-2.0 */
/* Capabilities and identity together, as init does it: bounding set, ids, the other sets. */
#include "caps_apply.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "caps_plan.h"
#include "cleanup.h"
#include "credential.h"
#include "fault.h"
#include "identity_apply.h"
#include "identity_plan.h"
#include "oci_config.h"
#include "sandbox_unit.h"

#define CHOWN (UINT64_C(1) << 0)
#define KILL  (UINT64_C(1) << 5)

static const struct caps_plan some = { .bounding = CHOWN | KILL,
    .effective = CHOWN,
    .permitted = CHOWN | KILL,
    .inheritable = KILL,
    .ambient = KILL };
static const struct caps_plan none;
static gid_t groups[] = { 20, 3000 };
static const struct identity_plan dev = {
    .uid = 1500, .gid = 1600, .has_setgroups = true, .groups = groups, .n_groups = 2, .umask = 077
};
static const struct identity_plan root = { .has_setgroups = true, .umask = 022 };

static int become(
    const struct caps_plan *caps, const struct identity_plan *identity, struct error *err)
{
    int r = caps_apply_bounding(caps, err);
    if (r == 0)
        r = identity_apply(identity, err);
    return r < 0 ? r : caps_apply_sets(caps, err);
}

static int check_in_force(const struct caps_plan *plan)
{
    struct kernel_caps now;
    DEED_CHECK(kernel_capget(0, &now) == 0);
    DEED_CHECK(now.effective == plan->effective && now.permitted == plan->permitted);
    DEED_CHECK(now.inheritable == plan->inheritable);
    for (int i = 0; i <= (int)caps_last(); i++) {
        DEED_CHECK((uint64_t)kernel_capbset_read(i) == (plan->bounding >> i & 1));
        DEED_CHECK((uint64_t)kernel_ambient_read(i) == (plan->ambient >> i & 1));
    }
    return 0;
}

static int deed_user(void)
{
    struct error err = ERR_INIT;
    gid_t now[8];
    DEED_OK(become(&some, &dev, &err));
    DEED_CHECK(getuid() == 1500 && geteuid() == 1500 && getgid() == 1600 && getegid() == 1600);
    DEED_CHECK(getgroups(8, now) == 2 && now[0] == 20 && now[1] == 3000);
    DEED_CHECK(umask(0) == 077);
    DEED_CHECK(setuid(0) < 0 && errno == EPERM);
    return check_in_force(&some);
}

static int deed_root(void)
{
    struct error err = ERR_INIT;
    DEED_OK(become(&some, &root, &err));
    DEED_CHECK(getuid() == 0 && getgroups(0, NULL) == 0);
    return check_in_force(&some);
}

static int deed_nothing(void)
{
    struct error err = ERR_INIT;
    DEED_OK(become(&none, &root, &err));
    return check_in_force(&none);
}

/* CVE-2022-24769 and its kin: what the caller has inheritable does not reach the payload. */
static int deed_inherited(void)
{
    struct error err = ERR_INIT;
    struct kernel_caps caps;
    DEED_CHECK(kernel_capget(0, &caps) == 0);
    caps.inheritable = caps.permitted;
    DEED_CHECK(kernel_capset(&caps) == 0);
    DEED_CHECK(kernel_ambient_raise(0) == 0);
    DEED_OK(become(&none, &dev, &err));
    return check_in_force(&none);
}

static int deed_missing(void)
{
    struct error err = ERR_INIT;
    struct caps_plan more = some;
    DEED_OK(become(&some, &root, &err));
    more.permitted |= UINT64_C(1) << 1;
    DEED_CHECK(caps_apply_sets(&more, &err) == -EPERM);
    DEED_CHECK(strcmp(err.text, "capabilities: CAP_DAC_OVERRIDE cannot be given: the runtime "
                                "itself does not have it") == 0);
    return 0;
}

/* The bounding set was not dropped: what is in force is more than the plan. */
static int deed_excess(void)
{
    struct error err = ERR_INIT;
    DEED_CHECK(caps_apply_sets(&some, &err) == -EPERM);
    DEED_CHECK(strncmp(err.text, "bounding set: ", 14) == 0);
    return 0;
}

#ifdef RUNA_FAULT_TABLE
static int deed_lost_fault(void)
{
    struct error err = ERR_INIT;
    (void)setenv("RUNA_FAULT", "setgroups:EPERM", 1);
    kernel_fault_reset();
    return identity_apply(&dev, &err) < 0 && getuid() == 0 ? 0 : 1;
}
#endif

START_TEST(user_with_capabilities_when_applied_then_exactly_these)
{
    ck_assert_int_eq(sandbox_unit_run(deed_user), 0);
}
END_TEST

START_TEST(root_with_capabilities_when_applied_then_exactly_these)
{
    ck_assert_int_eq(sandbox_unit_run(deed_root), 0);
}
END_TEST

START_TEST(root_without_capabilities_when_applied_then_none)
{
    ck_assert_int_eq(sandbox_unit_run(deed_nothing), 0);
}
END_TEST

START_TEST(inheritable_of_the_caller_when_applied_then_gone)
{
    ck_assert_int_eq(sandbox_unit_run(deed_inherited), 0);
}
END_TEST

START_TEST(capability_when_runtime_lacks_it_then_named)
{
    ck_assert_int_eq(sandbox_unit_run(deed_missing), 0);
}
END_TEST

START_TEST(set_when_more_is_in_force_then_error)
{
    ck_assert_int_eq(sandbox_unit_run(deed_excess), 0);
}
END_TEST

#ifdef RUNA_FAULT_TABLE
START_TEST(identity_when_a_call_fails_then_error)
{
    ck_assert_int_eq(sandbox_unit_run(deed_lost_fault), 0);
}
END_TEST
#endif

int main(void)
{
    if (sandbox_unit_lacks_root("caps_apply"))
        return SKIPPED;
    const TTest *const tests[] = {
        user_with_capabilities_when_applied_then_exactly_these,
        root_with_capabilities_when_applied_then_exactly_these,
        root_without_capabilities_when_applied_then_none,
        inheritable_of_the_caller_when_applied_then_gone,
        capability_when_runtime_lacks_it_then_named,
        set_when_more_is_in_force_then_error,
#ifdef RUNA_FAULT_TABLE
        identity_when_a_call_fails_then_error,
#endif
    };
    return unit_run("caps_apply", tests, ARRAY_SIZE(tests));
}
