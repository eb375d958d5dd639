/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tests of namespace_plan: which namespace is made where, and when a relay is needed. */
#include "namespace_plan.h"

#include "container_unit.h"
#include "kernel_const.h"

static struct arena arena;
static struct error err;
static const struct namespace_caller caller = { .uid = 1000, .gid = 1001 };

/* linux_: members of linux, the list of namespaces first. */
static int build(const char *linux_, struct namespace_plan *ret)
{
    const char *text = arena_printf(
        &arena, "{\"ociVersion\":\"1.2.0\",\"root\":{\"path\":\"rootfs\"},\"linux\":{\"namespaces\":[%s}}", linux_);

    return namespace_plan_build(&arena, container_unit_parse(&arena, text), &caller, ret, &err);
}

static struct namespace_plan plan_of(const char *linux_)
{
    struct namespace_plan plan;

    ck_assert_msg(build(linux_, &plan) == 0, "%s: %s", linux_, err.text);
    return plan;
}

static void check_refused(const char *linux_, const char *text)
{
    struct namespace_plan plan = { .n_joins = 77 };

    err = (struct error)ERR_INIT;
    ck_assert_int_eq(build(linux_, &plan), -EINVAL);
    ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
    ck_assert_uint_eq(plan.n_joins, 77);
}

START_TEST(flag_when_asked_then_the_kernels_own)
{
    ck_assert_uint_eq(namespace_flag(OCI_NAMESPACE_USER), CLONE_NEWUSER);
    ck_assert_uint_eq(namespace_flag(OCI_NAMESPACE_MOUNT), CLONE_NEWNS);
    ck_assert_uint_eq(namespace_flag(OCI_NAMESPACE_PID), CLONE_NEWPID);
    ck_assert_uint_eq(namespace_flag(OCI_NAMESPACE_NETWORK), CLONE_NEWNET);
    ck_assert_uint_eq(namespace_flag(OCI_NAMESPACE_IPC), CLONE_NEWIPC);
    ck_assert_uint_eq(namespace_flag(OCI_NAMESPACE_UTS), CLONE_NEWUTS);
    ck_assert_uint_eq(namespace_flag(OCI_NAMESPACE_CGROUP), CLONE_NEWCGROUP);
    ck_assert_uint_eq(namespace_flag(OCI_NAMESPACE_TIME), CLONE_NEWTIME);
}
END_TEST

START_TEST(build_when_all_are_new_then_clone_makes_all_but_cgroup_and_time)
{
    struct namespace_plan plan =
        plan_of("{\"type\":\"pid\"},{\"type\":\"network\"},{\"type\":\"mount\"},{\"type\":\"ipc\"},{\"type\":\"uts\"},"
                "{\"type\":\"cgroup\"},{\"type\":\"time\"}]");

    ck_assert_uint_eq(plan.clone_flags, CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS);
    ck_assert_uint_eq(plan.unshare_flags, CLONE_NEWCGROUP | CLONE_NEWTIME);
    ck_assert(!plan.has_relay);
    ck_assert(plan.is_new_network);
    ck_assert_uint_eq(plan.n_joins, 0);
    ck_assert_uint_eq(plan.n_uid_map, 0);
    ck_assert_ptr_null(plan.time_offsets);
    ck_assert(!plan.has_own[OCI_NAMESPACE_USER]);
    ck_assert(plan.has_own[OCI_NAMESPACE_TIME]);
}
END_TEST

START_TEST(build_when_mount_alone_then_the_rest_is_the_callers)
{
    struct namespace_plan plan = plan_of("{\"type\":\"mount\"}]");

    ck_assert_uint_eq(plan.clone_flags, CLONE_NEWNS);
    ck_assert_uint_eq(plan.unshare_flags, 0);
    ck_assert(!plan.is_new_network);
    for (int i = 0; i < OCI_NAMESPACE_TYPES; i++)
        ck_assert(plan.has_own[i] == (i == OCI_NAMESPACE_MOUNT));
}
END_TEST

START_TEST(build_when_no_mount_namespace_then_refused)
{
    check_refused("]", "mount namespace");
    check_refused("{\"type\":\"pid\"},{\"type\":\"network\"}]", "mount namespace");
}
END_TEST

static const struct relay_case {
    const char *linux_;
    bool has_relay;
} relay_cases[] = {
    /* init joins these itself */
    { "{\"type\":\"mount\"},{\"type\":\"network\",\"path\":\"/n\"}]", false },
    { "{\"type\":\"mount\"},{\"type\":\"ipc\",\"path\":\"/n\"},{\"type\":\"uts\",\"path\":\"/n\"},{\"type\":\"cgroup\","
      "\"path\":\"/n\"},{\"type\":\"time\",\"path\":\"/n\"}]",
        false },
    { "{\"type\":\"mount\",\"path\":\"/n\"}]", false },
    { "{\"type\":\"mount\"},{\"type\":\"user\"}]", false },
    /* only for children */
    { "{\"type\":\"mount\"},{\"type\":\"pid\",\"path\":\"/n\"}]", true },
    /* must be joined before all that it owns */
    { "{\"type\":\"mount\"},{\"type\":\"user\",\"path\":\"/n\"}]", true },
    /* nothing of the old user namespace can be joined from a new one */
    { "{\"type\":\"mount\"},{\"type\":\"user\"},{\"type\":\"network\",\"path\":\"/n\"}]", true },
    { "{\"type\":\"user\"},{\"type\":\"mount\",\"path\":\"/n\"}]", true },
};

START_TEST(build_when_joins_then_a_relay_only_where_init_cannot)
{
    for (size_t i = 0; i < ARRAY_SIZE(relay_cases); i++) {
        struct namespace_plan plan = plan_of(relay_cases[i].linux_);
        ck_assert_msg(plan.has_relay == relay_cases[i].has_relay, "%s", relay_cases[i].linux_);
    }
}
END_TEST

START_TEST(build_when_a_path_is_joined_then_not_made_and_lo_is_left_alone)
{
    struct namespace_plan plan = plan_of("{\"type\":\"mount\"},{\"type\":\"network\",\"path\":\"/run/netns/x\"},"
                                         "{\"type\":\"time\",\"path\":\"/t\"}]");

    ck_assert_str_eq(plan.join[OCI_NAMESPACE_NETWORK], "/run/netns/x");
    ck_assert_uint_eq(plan.n_joins, 2);
    ck_assert_uint_eq(plan.clone_flags & CLONE_NEWNET, 0);
    ck_assert_uint_eq(plan.unshare_flags & CLONE_NEWTIME, 0);
    ck_assert(!plan.is_new_network);
    ck_assert(plan.has_own[OCI_NAMESPACE_NETWORK]);
}
END_TEST

START_TEST(build_when_user_namespace_without_maps_then_the_caller_is_root_alone)
{
    struct namespace_plan plan = plan_of("{\"type\":\"mount\"},{\"type\":\"user\"}]");

    ck_assert_uint_eq(plan.n_uid_map, 1);
    ck_assert_uint_eq(plan.n_gid_map, 1);
    ck_assert_uint_eq(plan.uid_map[0].container_id, 0);
    ck_assert_uint_eq(plan.uid_map[0].host_id, 1000);
    ck_assert_uint_eq(plan.uid_map[0].size, 1);
    ck_assert_uint_eq(plan.gid_map[0].host_id, 1001);
}
END_TEST

START_TEST(build_when_user_namespace_with_maps_then_those)
{
    struct namespace_plan plan = plan_of("{\"type\":\"mount\"},{\"type\":\"user\"}],"
                                         "\"uidMappings\":[{\"containerID\":0,\"hostID\":5,\"size\":1},"
                                         "{\"containerID\":1,\"hostID\":70000,\"size\":9}],"
                                         "\"gidMappings\":[{\"containerID\":0,\"hostID\":6,\"size\":2}]");

    ck_assert_uint_eq(plan.n_uid_map, 2);
    ck_assert_uint_eq(plan.n_gid_map, 1);
    ck_assert_uint_eq(plan.uid_map[1].host_id, 70000);
    ck_assert_uint_eq(plan.gid_map[0].host_id, 6);
}
END_TEST

START_TEST(build_when_user_namespace_is_joined_then_no_maps_are_written)
{
    struct namespace_plan plan = plan_of("{\"type\":\"mount\"},{\"type\":\"user\",\"path\":\"/n\"}]");

    ck_assert_uint_eq(plan.n_uid_map, 0);
    ck_assert_uint_eq(plan.n_gid_map, 0);
    ck_assert_uint_eq(plan.clone_flags & CLONE_NEWUSER, 0);
}
END_TEST

START_TEST(build_when_time_offsets_then_text_for_the_kernel)
{
    struct namespace_plan plan =
        plan_of("{\"type\":\"mount\"},{\"type\":\"time\"}],"
                "\"timeOffsets\":{\"monotonic\":{\"secs\":-86400,\"nanosecs\":5},\"boottime\":{\"secs\":7}}");

    ck_assert_str_eq(plan.time_offsets, "monotonic -86400 5\nboottime 7 0\n");
    plan = plan_of("{\"type\":\"mount\"},{\"type\":\"time\"}],\"timeOffsets\":{\"boottime\":{\"secs\":7}}");
    ck_assert_str_eq(plan.time_offsets, "boottime 7 0\n");
}
END_TEST

START_TEST(build_when_time_offsets_without_a_new_namespace_then_refused)
{
    check_refused("{\"type\":\"mount\"}],\"timeOffsets\":{\"boottime\":{\"secs\":7}}", "timeOffsets");
    check_refused("{\"type\":\"mount\"},{\"type\":\"time\",\"path\":\"/t\"}],"
                  "\"timeOffsets\":{\"boottime\":{\"secs\":7}}",
        "timeOffsets");
}
END_TEST

START_TEST(print_when_mixed_then_a_line_for_each)
{
    AUTO(buf) struct buf out = BUF_INIT;
    struct namespace_plan plan = plan_of("{\"type\":\"mount\"},{\"type\":\"user\"},{\"type\":\"time\"},"
                                         "{\"type\":\"network\",\"path\":\"/run/netns/x\"}],"
                                         "\"timeOffsets\":{\"monotonic\":{\"secs\":1},\"boottime\":{\"secs\":7}}");

    namespace_plan_print(&plan, &out);
    ck_assert_str_eq(buf_str(&out), "namespaces:\n"
                                    "  user: new\n"
                                    "  mount: new\n"
                                    "  pid: the caller's\n"
                                    "  network: join /run/netns/x\n"
                                    "  ipc: the caller's\n"
                                    "  uts: the caller's\n"
                                    "  cgroup: the caller's\n"
                                    "  time: new\n"
                                    "  uid 0 -> 1000 x 1\n"
                                    "  gid 0 -> 1001 x 1\n"
                                    "  time offset: monotonic 1 0\n"
                                    "  time offset: boottime 7 0\n"
                                    "  joined by a relay process\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        flag_when_asked_then_the_kernels_own,
        build_when_all_are_new_then_clone_makes_all_but_cgroup_and_time,
        build_when_mount_alone_then_the_rest_is_the_callers,
        build_when_no_mount_namespace_then_refused,
        build_when_joins_then_a_relay_only_where_init_cannot,
        build_when_a_path_is_joined_then_not_made_and_lo_is_left_alone,
        build_when_user_namespace_without_maps_then_the_caller_is_root_alone,
        build_when_user_namespace_with_maps_then_those,
        build_when_user_namespace_is_joined_then_no_maps_are_written,
        build_when_time_offsets_then_text_for_the_kernel,
        build_when_time_offsets_without_a_new_namespace_then_refused,
        print_when_mixed_then_a_line_for_each,
    };
    return unit_run("namespace_plan", tests, ARRAY_SIZE(tests));
}
