/* SPDX-License-Identifier: Apache-2.0 */
/* Resources as JSON, as an engine sends them, against the writes in print. */
#include "cgroup_limit_plan.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "oci_config_parse.h"
#include "unit.h"

static struct arena arena = ARENA_INIT;
static struct error err;
static struct cgroup_limit_plan plan;

static int plan_json(const char *json, const struct cgroup_limits_now *now)
{
    struct oci_resources *resources = NULL;

    err = (struct error)ERR_INIT;
    int r = oci_resources_parse(&arena, "test", json, strlen(json), &resources, &err);
    ck_assert_msg(r == 0, "%s", err.text);
    return cgroup_limit_plan(&arena, resources, now, &plan, &err);
}

static const char *update(const char *json, const struct cgroup_limits_now *now)
{
    AUTO(buf) struct buf text = BUF_INIT;

    if (plan_json(json, now) < 0)
        return err.text;
    cgroup_limit_plan_print(&plan, &text);
    return arena_strdup(&arena, buf_str(&text));
}

static const char *planned(const char *json)
{
    return update(json, NULL);
}

/* --- cases of the reports --- */

START_TEST(runc_4014_pids_when_minus_one_or_number_or_absent_or_zero_then_exact)
{
    ck_assert_str_eq(planned("{\"pids\":{\"limit\":-1}}"),
        "limit pids.limit pids.max \"max\"\ncontroller pids\n");
    ck_assert_str_eq(planned("{\"pids\":{\"limit\":77}}"),
        "limit pids.limit pids.max \"77\"\ncontroller pids\n");
    ck_assert_str_eq(planned("{\"pids\":{}}"), "");
    ck_assert_str_eq(planned("{}"), "");
    ck_assert_str_eq(planned("{\"pids\":{\"limit\":0}}"),
        "limit pids.limit pids.max \"0\" (late)\ncontroller pids\n");
    ck_assert(plan.has_late);
}
END_TEST

START_TEST(runc_2369_swap_when_counted_with_memory_then_difference)
{
    ck_assert_str_eq(planned("{\"memory\":{\"limit\":67108864,\"swap\":67108864}}"),
        "limit memory.swap memory.swap.max \"0\" (may be missing without swap)\n"
        "limit memory.limit memory.max \"67108864\"\ncontroller memory\n");
    ck_assert_str_eq(planned("{\"memory\":{\"limit\":67108864,\"swap\":100663296}}"),
        "limit memory.swap memory.swap.max \"33554432\"\n"
        "limit memory.limit memory.max \"67108864\"\ncontroller memory\n");
    ck_assert_str_eq(planned("{\"memory\":{\"limit\":67108864,\"swap\":-1}}"),
        "limit memory.swap memory.swap.max \"max\" (where the file exists)\n"
        "limit memory.limit memory.max \"67108864\"\ncontroller memory\n");
    ck_assert_str_eq(planned("{\"memory\":{\"limit\":-1}}"),
        "limit memory.limit memory.swap.max \"max\" (where the file exists)\n"
        "limit memory.limit memory.max \"max\"\ncontroller memory\n");
    ck_assert_str_eq(planned("{\"memory\":{\"limit\":67108864}}"),
        "limit memory.limit memory.max \"67108864\"\ncontroller memory\n");
}
END_TEST

START_TEST(runc_2369_swap_when_it_makes_no_sense_then_refused)
{
    ck_assert_int_eq(
        plan_json("{\"memory\":{\"limit\":67108864,\"swap\":33554432}}", NULL), -EINVAL);
    ck_assert_str_eq(err.text,
        "linux.resources.memory.swap: 33554432 counts memory too, and is below the memory limit "
        "67108864");
    ck_assert_int_eq(plan_json("{\"memory\":{\"swap\":100663296}}", NULL), -EINVAL);
    ck_assert_str_eq(
        err.text, "linux.resources.memory.swap: counts memory too, and needs a memory.limit");
    ck_assert_int_eq(plan_json("{\"memory\":{\"limit\":-1,\"swap\":100663296}}", NULL), -EINVAL);
}
END_TEST

START_TEST(crun_315_update_when_one_of_memory_and_swap_then_the_other_stays)
{
    const struct cgroup_limits_now now = { .has_memory_max = true, .memory_max_bytes = 268435456 };

    ck_assert_str_eq(update("{\"memory\":{\"swap\":805306368}}", &now),
        "limit memory.swap memory.swap.max \"536870912\"\ncontroller memory\n");
    ck_assert_str_eq(update("{\"memory\":{\"limit\":268435456}}", &now),
        "limit memory.limit memory.max \"268435456\"\ncontroller memory\n");
    ck_assert_str_eq(update("{\"cpu\":{\"shares\":1024}}", &now),
        "limit cpu.shares cpu.weight \"100\"\ncontroller cpu\n");
}
END_TEST

START_TEST(crun_383_zeros_of_docker_when_planned_then_nothing)
{
    ck_assert_str_eq(
        planned("{\"cpu\":{\"shares\":0,\"quota\":0,\"period\":0,\"realtimePeriod\":0,"
                "\"realtimeRuntime\":0,\"cpus\":\"\",\"mems\":\"\"},"
                "\"memory\":{\"limit\":0,\"reservation\":0,\"swap\":0,\"swappiness\":null},"
                "\"blockIO\":{\"weight\":0}}"),
        "");
    ck_assert_uint_eq(plan.n_writes, 0);
    ck_assert_uint_eq(plan.controllers, 0);
}
END_TEST

START_TEST(runc_3509_check_before_update_when_asked_then_only_of_an_update)
{
    const struct cgroup_limits_now now = { .has_memory_max = true, .memory_max_bytes = 268435456 };
    const char *json = "{\"memory\":{\"limit\":52428800,\"checkBeforeUpdate\":true}}";

    ck_assert_str_eq(update(json, &now),
        "limit memory.limit memory.max \"52428800\"\ncontroller memory\n"
        "check memory.current 52428800\n");
    (void)planned(json);
    ck_assert_uint_eq(plan.memory_check_bytes, 0);
}
END_TEST

/* --- by object --- */

START_TEST(cpu_when_quota_and_period_then_one_file)
{
    ck_assert_str_eq(planned("{\"cpu\":{\"quota\":50000}}"),
        "limit cpu.quota cpu.max \"50000 100000\"\ncontroller cpu\n");
    ck_assert_str_eq(planned("{\"cpu\":{\"quota\":50000,\"period\":20000}}"),
        "limit cpu.quota cpu.max \"50000 20000\"\ncontroller cpu\n");
    ck_assert_str_eq(planned("{\"cpu\":{\"period\":20000}}"),
        "limit cpu.period cpu.max \"max 20000\"\ncontroller cpu\n");
    ck_assert_str_eq(planned("{\"cpu\":{\"quota\":-1}}"),
        "limit cpu.quota cpu.max \"max 100000\"\ncontroller cpu\n");
}
END_TEST

START_TEST(cpu_update_when_part_of_it_then_the_other_part_stays)
{
    const struct cgroup_limits_now now = { .has_cpu_max = true, .cpu_quota_usec = 30000 };

    ck_assert_str_eq(update("{\"cpu\":{\"quota\":50000}}", &now),
        "limit cpu.quota cpu.max \"50000\"\ncontroller cpu\n");
    ck_assert_str_eq(update("{\"cpu\":{\"period\":20000}}", &now),
        "limit cpu.period cpu.max \"30000 20000\"\ncontroller cpu\n");
    ck_assert_str_eq(update("{\"cpu\":{\"quota\":10000,\"burst\":5000}}", &now),
        "limit cpu.burst cpu.max.burst \"0\"\nlimit cpu.quota cpu.max \"10000\"\n"
        "limit cpu.burst cpu.max.burst \"5000\"\ncontroller cpu\n");
}
END_TEST

START_TEST(cpu_when_idle_then_in_the_order_the_kernel_takes)
{
    ck_assert_str_eq(planned("{\"cpu\":{\"shares\":2,\"idle\":1}}"),
        "limit cpu.shares cpu.weight \"1\"\nlimit cpu.idle cpu.idle \"1\"\ncontroller cpu\n");
    ck_assert_str_eq(planned("{\"cpu\":{\"shares\":2,\"idle\":0}}"),
        "limit cpu.idle cpu.idle \"0\"\nlimit cpu.shares cpu.weight \"1\"\ncontroller cpu\n");
    ck_assert_int_eq(plan_json("{\"cpu\":{\"idle\":2}}", NULL), -EINVAL);
}
END_TEST

START_TEST(cpuset_when_lists_then_written_or_refused)
{
    ck_assert_str_eq(planned("{\"cpu\":{\"cpus\":\"0-1\",\"mems\":\"0\"}}"),
        "limit cpu.cpus cpuset.cpus \"0-1\"\nlimit cpu.mems cpuset.mems \"0\"\n"
        "controller cpuset\n");
    ck_assert_int_eq(plan_json("{\"cpu\":{\"cpus\":\"all\"}}", NULL), -EINVAL);
    ck_assert_str_eq(err.text, "linux.resources.cpu.cpus: not a list such as \"0-3,7\"");
}
END_TEST

START_TEST(io_when_weights_and_throttles_then_written)
{
    ck_assert_str_eq(
        planned("{\"blockIO\":{\"weight\":100,"
                "\"weightDevice\":[{\"major\":8,\"minor\":0,\"weight\":10}],"
                "\"throttleReadBpsDevice\":[{\"major\":8,\"minor\":0,\"rate\":600}],"
                "\"throttleWriteBpsDevice\":[{\"major\":8,\"minor\":0,\"rate\":0}],"
                "\"throttleReadIOPSDevice\":[{\"major\":8,\"minor\":1,\"rate\":7}],"
                "\"throttleWriteIOPSDevice\":[{\"major\":8,\"minor\":2,\"rate\":8}]}}"),
        "limit blockIO.weight io.bfq.weight \"100\" else io.weight \"910\"\n"
        "limit blockIO.weightDevice io.bfq.weight \"8:0 10\" else io.weight \"8:0 1\"\n"
        "limit blockIO.throttleReadBpsDevice io.max \"8:0 rbps=600\"\n"
        "limit blockIO.throttleReadIOPSDevice io.max \"8:1 riops=7\"\n"
        "limit blockIO.throttleWriteIOPSDevice io.max \"8:2 wiops=8\"\n"
        "controller io\n");
}
END_TEST

START_TEST(io_update_when_rate_zero_then_lifted)
{
    const struct cgroup_limits_now now = { 0 };

    ck_assert_str_eq(update("{\"blockIO\":{\"throttleWriteBpsDevice\":"
                            "[{\"major\":8,\"minor\":0,\"rate\":0}]}}",
                         &now),
        "limit blockIO.throttleWriteBpsDevice io.max \"8:0 wbps=max\"\ncontroller io\n");
}
END_TEST

START_TEST(hugepages_and_rdma_when_given_then_written)
{
    ck_assert_str_eq(planned("{\"hugepageLimits\":[{\"pageSize\":\"2MB\",\"limit\":0}],"
                             "\"rdma\":{\"mlx5_1\":{\"hcaHandles\":3,\"hcaObjects\":10000}}}"),
        "limit hugepageLimits hugetlb.2MB.max \"0\"\n"
        "limit hugepageLimits hugetlb.2MB.rsvd.max \"0\"\n"
        "limit rdma rdma.max \"mlx5_1 hca_handle=3 hca_object=10000\"\n"
        "controller hugetlb\ncontroller rdma\n");
    ck_assert_int_eq(
        plan_json("{\"hugepageLimits\":[{\"pageSize\":\"../2MB\",\"limit\":1}]}", NULL), -EINVAL);
    ck_assert_int_eq(plan_json("{\"rdma\":{\"a b\":{\"hcaHandles\":3}}}", NULL), -EINVAL);
}
END_TEST

START_TEST(unified_when_limits_then_last_and_line_by_line)
{
    ck_assert_str_eq(planned("{\"unified\":{\"memory.high\":\"1000000\","
                             "\"io.max\":\"8:0 rbps=1\\n8:16 rbps=2\\n\",\"cpuset.cpus\":\"\","
                             "\"cgroup.max.depth\":\"0\",\"pids.max\":\"0\"},"
                             "\"memory\":{\"limit\":5}}"),
        "limit memory.limit memory.max \"5\"\n"
        "limit unified.memory.high memory.high \"1000000\"\n"
        "limit unified.io.max io.max \"8:0 rbps=1\"\n"
        "limit unified.io.max io.max \"8:16 rbps=2\"\n"
        "limit unified.cpuset.cpus cpuset.cpus \"\\x0a\"\n"
        "limit unified.cgroup.max.depth cgroup.max.depth \"0\"\n"
        "limit unified.pids.max pids.max \"0\" (late)\n"
        "controller cpuset\ncontroller io\ncontroller memory\ncontroller pids\n");
}
END_TEST

START_TEST(unified_when_key_is_no_limit_then_refused)
{
    const char *const keys[] = { "cgroup.procs", "cgroup.kill", "cgroup.freeze", "cgroup.type",
        "cgroup.subtree_control", "../memory.max", "a/memory.max", "memory", "memory max", "perf.x",
        "", ".", "memory.max\\n", "cpuset" };

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        AUTO(buf) struct buf json = BUF_INIT;
        buf_printf(&json, "{\"unified\":{\"%s\":\"1\"}}", keys[i]);
        ck_assert_msg(plan_json(buf_str(&json), NULL) == -EINVAL, "\"%s\"", keys[i]);
    }
}
END_TEST

START_TEST(limit_that_v2_has_not_when_asked_for_then_refused)
{
    const char *const jsons[] = {
        "{\"memory\":{\"kernel\":1000}}",
        "{\"memory\":{\"kernelTCP\":1000}}",
        "{\"memory\":{\"swappiness\":60}}",
        "{\"memory\":{\"disableOOMKiller\":true}}",
        "{\"cpu\":{\"realtimeRuntime\":1000}}",
        "{\"cpu\":{\"realtimePeriod\":1000}}",
        "{\"blockIO\":{\"leafWeight\":100}}",
        "{\"network\":{\"classID\":1}}",
        "{\"network\":{\"priorities\":[{\"name\":\"eth0\",\"priority\":1}]}}",
    };

    for (size_t i = 0; i < ARRAY_SIZE(jsons); i++)
        ck_assert_msg(plan_json(jsons[i], NULL) == -ENOTSUP, "%s", jsons[i]);
    ck_assert_str_eq(err.text, "linux.resources.network.priorities: cgroup v2 has no such limit");
}
END_TEST

START_TEST(limit_that_v2_has_not_when_it_asks_for_nothing_then_unset)
{
    /* as the spec's own example has it */
    ck_assert_str_eq(planned("{\"memory\":{\"kernel\":-1,\"kernelTCP\":-1,\"swappiness\":0,"
                             "\"disableOOMKiller\":false,\"useHierarchy\":true},"
                             "\"network\":{\"classID\":0,\"priorities\":[]}}"),
        "");
}
END_TEST

START_TEST(controller_names_when_looked_up_then_found)
{
    for (enum cgroup_controller i = CGROUP_CORE; i < CGROUP_CONTROLLERS; i++) {
        const char *name = cgroup_controller_name(i);
        ck_assert_int_eq(cgroup_controller_find(name, strlen(name)), i);
    }
    ck_assert_int_eq(cgroup_controller_find("cpusets", 6), CGROUP_CPUSET);
    ck_assert_int_eq(cgroup_controller_find("cpusets", 7), CGROUP_CONTROLLERS);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        runc_4014_pids_when_minus_one_or_number_or_absent_or_zero_then_exact,
        runc_2369_swap_when_counted_with_memory_then_difference,
        runc_2369_swap_when_it_makes_no_sense_then_refused,
        crun_315_update_when_one_of_memory_and_swap_then_the_other_stays,
        crun_383_zeros_of_docker_when_planned_then_nothing,
        runc_3509_check_before_update_when_asked_then_only_of_an_update,
        cpu_when_quota_and_period_then_one_file,
        cpu_update_when_part_of_it_then_the_other_part_stays,
        cpu_when_idle_then_in_the_order_the_kernel_takes,
        cpuset_when_lists_then_written_or_refused,
        io_when_weights_and_throttles_then_written,
        io_update_when_rate_zero_then_lifted,
        hugepages_and_rdma_when_given_then_written,
        unified_when_limits_then_last_and_line_by_line,
        unified_when_key_is_no_limit_then_refused,
        limit_that_v2_has_not_when_asked_for_then_refused,
        limit_that_v2_has_not_when_it_asks_for_nothing_then_unset,
        controller_names_when_looked_up_then_found,
    };

    return unit_run("cgroup_limit_plan", tests, ARRAY_SIZE(tests));
}
