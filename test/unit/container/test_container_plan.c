/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tests of container_plan: golden texts of whole plans, and what puts the parent between init and its work. */
#include "container_plan.h"

#include "container_unit.h"
#include "oci_config_default.h"
#include "seccomp_agent.h"
#include "strv.h"

#define CAPS_LAST 40U
#define CAPS_ALL  ((1ULL << (CAPS_LAST + 1)) - 1)

static struct arena arena;
static struct error err;

static struct container_facts facts_of(const char *bundle)
{
    return (struct container_facts){
        .id = "box",
        .bundle = bundle,
        .own_cgroup = "/user.slice",
        .caps_own = CAPS_ALL,
        .caps_last = CAPS_LAST,
        .labels = { .has_apparmor = true, .has_selinux = true },
    };
}

static void check_golden(const char *name, const struct oci_config *config, const struct container_facts *facts)
{
    AUTO(buf) struct buf out = BUF_INIT;
    struct container_plan plan;
    struct strv unknown = STRV_INIT;

    ck_assert_msg(container_plan_build(&arena, config, facts, &plan, &unknown, &err) == 0, "%s: %s", name, err.text);
    ck_assert_uint_eq(unknown.n, 0);
    container_plan_print(&plan, &out);
    container_unit_compare(&arena, name, &out);
}

START_TEST(plan_when_default_then_golden_text)
{
    struct container_facts facts = facts_of("/bundle");

    check_golden("default", oci_config_default(&arena), &facts);
}
END_TEST

START_TEST(plan_when_rootless_then_golden_text)
{
    struct container_facts facts = facts_of("/home/u/bundle");

    facts.is_rootless = true;
    facts.is_cgroup_disabled = true;
    facts.caps_own = 0; /* in its own user namespace init has them all the same */
    facts.caller = (struct namespace_caller){ .uid = 1000, .gid = 1000 };
    check_golden("rootless", oci_config_default_rootless(&arena, 1000, 1000), &facts);
}
END_TEST

START_TEST(plan_when_as_docker_then_golden_text)
{
    struct container_facts facts = facts_of("/run/containerd/bundle");

    facts.no_new_keyring = true;
    check_golden("docker", container_unit_load(&arena, CONTAINER_UNIT_CORPUS "docker.json"), &facts);
}
END_TEST

START_TEST(plan_when_as_podman_then_golden_text)
{
    struct container_facts facts = facts_of("/run/user/1000/bundle");

    facts.preserve_fds = 2;
    check_golden("podman", container_unit_load(&arena, CONTAINER_UNIT_CORPUS "podman.json"), &facts);
}
END_TEST

START_TEST(plan_when_as_launch_then_golden_text)
{
    struct container_facts facts = facts_of("/var/lib/runa/sandboxes/box");
    struct oci_config *config = container_unit_load(&arena, GOLDEN_DIR "container/launch.json");

    config->linux_.seccomp = seccomp_agent(&arena);
    facts.is_filter_strict = true;
    facts.is_rootfs_given = true;
    check_golden("launch", config, &facts);
}
END_TEST

static struct container_plan plan_of(const struct oci_config *config, const struct container_facts *facts)
{
    struct container_plan plan;
    struct strv unknown = STRV_INIT;

    ck_assert_msg(container_plan_build(&arena, config, facts, &plan, &unknown, &err) == 0, "%s", err.text);
    return plan;
}

START_TEST(plan_when_nothing_of_the_parent_is_needed_then_init_does_not_wait)
{
    struct container_facts facts = facts_of("/bundle");
    struct oci_config *config = oci_config_default(&arena);

    ck_assert(!plan_of(config, &facts).want_go);
    config->process->has_oom_score_adj = true;
    ck_assert(plan_of(config, &facts).want_go);
}
END_TEST

START_TEST(plan_when_new_user_namespace_then_init_waits_for_its_maps)
{
    struct container_facts facts = facts_of("/bundle");

    facts.is_cgroup_disabled = true;
    ck_assert(plan_of(oci_config_default_rootless(&arena, 1000, 1000), &facts).want_go);
}
END_TEST

START_TEST(plan_when_the_runtime_lacks_a_capability_then_not_given_and_told)
{
    struct container_facts facts = facts_of("/bundle");
    struct container_plan plan;
    struct strv unknown = STRV_INIT;

    facts.caps_own = 0;
    ck_assert_int_eq(container_plan_build(&arena, oci_config_default(&arena), &facts, &plan, &unknown, &err), 0);
    ck_assert_uint_eq(plan.caps.bounding | plan.caps.effective | plan.caps.permitted, 0);
    ck_assert_uint_gt(unknown.n, 0);
    ck_assert(strv_has(&unknown, "CAP_KILL"));
}
END_TEST

START_TEST(plan_when_there_is_no_process_then_refused)
{
    struct container_facts facts = facts_of("/bundle");
    struct oci_config *config = oci_config_default(&arena);
    struct container_plan plan = { .id = "as before" };
    struct strv unknown = STRV_INIT;

    config->process = NULL;
    ck_assert_int_eq(container_plan_build(&arena, config, &facts, &plan, &unknown, &err), -EINVAL);
    ck_assert_ptr_nonnull(strstr(err.text, "process"));
    ck_assert_str_eq(plan.id, "as before");
}
END_TEST

START_TEST(plan_when_groups_cannot_be_set_then_asking_for_some_is_refused)
{
    struct container_facts facts = facts_of("/bundle");
    struct oci_config *config = oci_config_default_rootless(&arena, 1000, 1000);
    struct container_plan plan;
    struct strv unknown = STRV_INIT;
    uint32_t groups[] = { 5 };

    facts.is_rootless = true;
    facts.is_cgroup_disabled = true;
    facts.caller = (struct namespace_caller){ .uid = 1000, .gid = 1000 };
    ck_assert(!plan_of(config, &facts).identity.has_setgroups);
    config->process->user.additional_gids = groups;
    config->process->user.n_additional_gids = 1;
    ck_assert_int_eq(container_plan_build(&arena, config, &facts, &plan, &unknown, &err), -EPERM);
}
END_TEST

START_TEST(print_when_environment_has_values_then_names_alone_are_shown)
{
    AUTO(buf) struct buf out = BUF_INIT;
    struct container_facts facts = facts_of("/bundle");
    struct oci_config *config = oci_config_default(&arena);
    char secret[] = "TOKEN=very-secret";
    char *env[] = { secret, NULL };

    config->process->env = env;
    config->process->n_env = 1;
    struct container_plan plan = plan_of(config, &facts);
    container_plan_print(&plan, &out);
    ck_assert_ptr_nonnull(strstr(buf_str(&out), "env \"TOKEN\"\n"));
    ck_assert_ptr_null(strstr(buf_str(&out), "very-secret"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        plan_when_default_then_golden_text,
        plan_when_rootless_then_golden_text,
        plan_when_as_docker_then_golden_text,
        plan_when_as_podman_then_golden_text,
        plan_when_as_launch_then_golden_text,
        plan_when_nothing_of_the_parent_is_needed_then_init_does_not_wait,
        plan_when_new_user_namespace_then_init_waits_for_its_maps,
        plan_when_the_runtime_lacks_a_capability_then_not_given_and_told,
        plan_when_there_is_no_process_then_refused,
        plan_when_groups_cannot_be_set_then_asking_for_some_is_refused,
        print_when_environment_has_values_then_names_alone_are_shown,
    };
    return unit_run("container_plan", tests, ARRAY_SIZE(tests));
}
