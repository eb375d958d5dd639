/* SPDX-License-Identifier: Apache-2.0 */
/* Which settings are let through, and to which file. */
#include "sysctl_plan.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "oci_config.h"
#include "unit.h"

#define ALL_OWN (CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

static struct arena arena = ARENA_INIT;

static int plan_of(
    const char *key, const char *value, unsigned own, struct sysctl_plan *ret, struct error *err)
{
    const struct oci_pair pair = { key, value };
    *err = (struct error)ERR_INIT;
    return sysctl_plan_build(&arena, &pair, 1, own, ret, err);
}

/* opencontainers/runc#3256 */
START_TEST(key_when_namespaced_then_this_file)
{
    static const char *const cases[][2] = {
        { "net.ipv4.ip_forward", "net/ipv4/ip_forward" },
        { "net/ipv4/conf/v0.100/forwarding", "net/ipv4/conf/v0.100/forwarding" },
        { "net.ipv4.conf.v0/100.forwarding", "net/ipv4/conf/v0.100/forwarding" },
        { "net.ipv4.conf.v0.100.forwarding", "net/ipv4/conf/v0/100/forwarding" },
        { "kernel.shm_rmid_forced", "kernel/shm_rmid_forced" },
        { "kernel/sem", "kernel/sem" },
        { "kernel.domainname", "kernel/domainname" },
        { "fs.mqueue.msg_max", "fs/mqueue/msg_max" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sysctl_plan plan;
        struct error err;
        int r = plan_of(cases[i][0], "1", ALL_OWN, &plan, &err);
        ck_assert_msg(r == 0, "%s", err.text);
        ck_assert_str_eq(plan.steps[0].path, cases[i][1]);
        ck_assert_int_eq(plan_of(cases[i][0], "1", 0, &plan, &err), -EINVAL); /* the host's */
    }
}
END_TEST

START_TEST(key_when_of_the_host_or_no_name_then_refused)
{
    static const char *const keys[] = { "kernel.core_pattern", "kernel/core_pattern",
        "vm.overcommit_memory", "kernel.hostname", "net", "net.", "net/", "net..ipv4",
        "net/../kernel/core_pattern", "net./././kernel.core_pattern", "net/./ipv4",
        "net.ipv4.//.//.kernel.core_pattern", "", ".", "/", "../x", "/net/ipv4/ip_forward",
        "net/ipv4/ip_forward\n", "net.ipv4 .x", "network/x", "kernel.shmmax.x", "fs.mqueue",
        "kernel.msgmax+", "net/\xff" };
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        struct sysctl_plan plan;
        struct error err;
        ck_assert_msg(plan_of(keys[i], "1", ALL_OWN, &plan, &err) == -EINVAL, "%s", keys[i]);
    }
}
END_TEST

/* CVE-2022-0811 */
START_TEST(value_when_not_one_line_then_refused)
{
    struct sysctl_plan plan;
    struct error err;
    char *big = arena_alloc(&arena, SYSCTL_VALUE_MAX + 1);
    memset(big, '1', SYSCTL_VALUE_MAX);
    ck_assert_int_eq(
        plan_of("net.core.somaxconn", "1\nkernel.core_pattern=x", ALL_OWN, &plan, &err), -EINVAL);
    ck_assert_int_eq(plan_of("net.core.somaxconn", "1\033", ALL_OWN, &plan, &err), -EINVAL);
    ck_assert_int_eq(plan_of("net.core.somaxconn", big, ALL_OWN, &plan, &err), -EINVAL);
    ck_assert_int_eq(plan_of("net.core.somaxconn", NULL, ALL_OWN, &plan, &err), -EINVAL);
    ck_assert_int_eq(plan_of("net.ipv4.ping_group_range", "0\t0", ALL_OWN, &plan, &err), 0);
    ck_assert_int_eq(plan_of("net.core.somaxconn", "", ALL_OWN, &plan, &err), 0);
}
END_TEST

START_TEST(setting_when_spelt_two_ways_then_refused)
{
    const struct oci_pair pairs[] = { { "net.core.somaxconn", "1" },
        { "net/core/somaxconn", "2" } };
    struct sysctl_plan plan;
    struct error err = ERR_INIT;
    ck_assert_int_eq(sysctl_plan_build(&arena, pairs, 2, ALL_OWN, &plan, &err), -EINVAL);
    ck_assert_str_eq(
        err.text, "linux.sysctl \"net/core/somaxconn\": set twice, under two spellings");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        key_when_namespaced_then_this_file,
        key_when_of_the_host_or_no_name_then_refused,
        value_when_not_one_line_then_refused,
        setting_when_spelt_two_ways_then_refused,
    };
    int r = unit_run("sysctl_plan", tests, ARRAY_SIZE(tests));
    arena_done(&arena);
    return r;
}
