/* SPDX-License-Identifier: Apache-2.0 */
/* Labels: refused where the kernel cannot enforce them. */
#include "label_plan.h"

#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "unit.h"

static const struct label_host neither = { .has_apparmor = false };
static const struct label_host both = { .has_apparmor = true, .has_selinux = true };

START_TEST(label_when_kernel_has_it_not_then_refused)
{
    struct label_plan plan;
    struct error err = ERR_INIT;
    const struct oci_process apparmor = { .apparmor_profile = "docker-default" };
    const struct oci_process selinux = { .selinux_label = "system_u:system_r:container_t:s0" };
    ck_assert_int_eq(label_plan_build(&apparmor, &neither, &plan, &err), -ENOTSUP);
    ck_assert_str_eq(err.text, "process.apparmorProfile: AppArmor is not enabled on this host");
    ck_assert_int_eq(label_plan_build(&selinux, &neither, &plan, &err), -ENOTSUP);
    ck_assert_str_eq(err.text, "process.selinuxLabel: SELinux is not enabled on this host");
}
END_TEST

START_TEST(label_when_it_asks_for_nothing_then_none)
{
    static const struct oci_process processes[] = {
        { .apparmor_profile = NULL },
        { .apparmor_profile = "", .selinux_label = "" },
        { .apparmor_profile = "unconfined" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(processes); i++) {
        struct label_plan plan;
        struct error err = ERR_INIT;
        ck_assert_int_eq(label_plan_build(&processes[i], &neither, &plan, &err), 0);
        ck_assert_ptr_null(plan.apparmor_profile);
        ck_assert_ptr_null(plan.selinux_label);
    }
}
END_TEST

START_TEST(label_when_supported_then_taken_and_control_bytes_refused)
{
    struct label_plan plan;
    struct error err = ERR_INIT;
    struct oci_process process = { .apparmor_profile = "unconfined", .selinux_label = "a:b:c:s0" };
    ck_assert_int_eq(label_plan_build(&process, &both, &plan, &err), 0);
    ck_assert_str_eq(plan.apparmor_profile, "unconfined");
    ck_assert_str_eq(plan.selinux_label, "a:b:c:s0");
    process.apparmor_profile = "x\nexec unconfined";
    ck_assert_int_eq(label_plan_build(&process, &both, &plan, &err), -EINVAL);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        label_when_kernel_has_it_not_then_refused,
        label_when_it_asks_for_nothing_then_none,
        label_when_supported_then_taken_and_control_bytes_refused,
    };
    return unit_run("label_plan", tests, ARRAY_SIZE(tests));
}
