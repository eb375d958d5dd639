/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup_stat_parse.h"

#include <errno.h>

#include "arena.h"
#include "cleanup.h"
#include "unit.h"

START_TEST(events_when_both_keys_then_read)
{
    struct cgroup_events events = { 0 };

    ck_assert_int_eq(cgroup_events_parse("populated 1\nfrozen 0\n", &events), 0);
    ck_assert(events.is_populated);
    ck_assert(!events.is_frozen);
    ck_assert_int_eq(cgroup_events_parse("frozen 1\nnews 7\npopulated 0", &events), 0);
    ck_assert(!events.is_populated);
    ck_assert(events.is_frozen);
}
END_TEST

START_TEST(events_when_broken_then_refused_and_untouched)
{
    const char *const texts[] = { "", "populated 1\n", "populated 2\nfrozen 0\n",
        "populated x\nfrozen 0\n", "populated 1 1\nfrozen 0\n", "populated -1\nfrozen 0\n" };
    struct cgroup_events events = { .is_populated = true };

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        ck_assert_int_eq(cgroup_events_parse(texts[i], &events), -EINVAL);
    ck_assert(events.is_populated);
}
END_TEST

START_TEST(value_when_number_or_max_then_read)
{
    uint64_t value = 7;

    ck_assert_int_eq(cgroup_value_parse("max\n", &value), 0);
    ck_assert_uint_eq(value, CGROUP_MAX);
    ck_assert_int_eq(cgroup_value_parse("123", &value), 0);
    ck_assert_uint_eq(value, 123);
    ck_assert_int_eq(cgroup_value_parse("", &value), -EINVAL);
    ck_assert_int_eq(cgroup_value_parse("-1\n", &value), -EINVAL);
    ck_assert_int_eq(cgroup_value_parse("1\n2\n", &value), -EINVAL);
    ck_assert_int_eq(cgroup_value_parse("maximum\n", &value), -EINVAL);
    ck_assert_uint_eq(value, 123);
}
END_TEST

START_TEST(cpu_stat_when_keys_missing_then_zero)
{
    struct cgroup_cpu_stat stat = { 0 };

    ck_assert_int_eq(
        cgroup_cpu_stat_parse("usage_usec 30\nuser_usec 20\nsystem_usec 10\nnice_usec 1\n", &stat),
        0);
    ck_assert_uint_eq(stat.usage_usec, 30);
    ck_assert_uint_eq(stat.user_usec, 20);
    ck_assert_uint_eq(stat.system_usec, 10);
    ck_assert_uint_eq(stat.n_throttled, 0);
    ck_assert_int_eq(cgroup_cpu_stat_parse("usage_usec x\n", &stat), -EINVAL);
}
END_TEST

START_TEST(memory_events_when_oom_kill_then_not_taken_for_oom)
{
    struct cgroup_memory_events events = { 0 };

    ck_assert_int_eq(cgroup_memory_events_parse(
                         "low 1\nhigh 2\nmax 3\noom_kill 5\noom 4\noom_group_kill 6\n", &events),
        0);
    ck_assert_uint_eq(events.low, 1);
    ck_assert_uint_eq(events.high, 2);
    ck_assert_uint_eq(events.max, 3);
    ck_assert_uint_eq(events.oom, 4);
    ck_assert_uint_eq(events.oom_kill, 5);
}
END_TEST

START_TEST(io_stat_when_devices_then_one_each)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct cgroup_io_stat *stats = NULL;
    size_t n = 0;

    ck_assert_int_eq(cgroup_io_stat_parse(&arena,
                         "8:16 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0\n"
                         "259:1 \n253:0 rbytes=5\n",
                         &stats, &n),
        0);
    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(stats[0].major, 8);
    ck_assert_uint_eq(stats[0].minor, 16);
    ck_assert_uint_eq(stats[0].read_bytes, 1459200);
    ck_assert_uint_eq(stats[0].written_bytes, 314773504);
    ck_assert_uint_eq(stats[0].n_reads, 192);
    ck_assert_uint_eq(stats[0].n_writes, 353);
    ck_assert_uint_eq(stats[1].major, 259);
    ck_assert_uint_eq(stats[2].read_bytes, 5);
    ck_assert_int_eq(cgroup_io_stat_parse(&arena, "", &stats, &n), 0);
    ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(io_stat_when_broken_then_refused)
{
    const char *const texts[] = { "8 rbytes=1\n", ":1\n", "8:\n", "8:x\n", "8:0 rbytes\n",
        "8:0 rbytes=\n", "8:0 rbytes=1 wbytes=-1\n", "4294967296:0\n" };
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct cgroup_io_stat *stats = NULL;
    size_t n = 9;

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        ck_assert_int_eq(cgroup_io_stat_parse(&arena, texts[i], &stats, &n), -EINVAL);
    ck_assert_uint_eq(n, 9);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        events_when_both_keys_then_read,
        events_when_broken_then_refused_and_untouched,
        value_when_number_or_max_then_read,
        cpu_stat_when_keys_missing_then_zero,
        memory_events_when_oom_kill_then_not_taken_for_oom,
        io_stat_when_devices_then_one_each,
        io_stat_when_broken_then_refused,
    };

    return unit_run("cgroup_stat_parse", tests, ARRAY_SIZE(tests));
}
