/* SPDX-License-Identifier: Apache-2.0 */
/* Every share against the formula in libm, and the ends of both scales. */
#include "cgroup_weight.h"

#include <inttypes.h>
#include <math.h>

#include "unit.h"

static uint64_t by_libm(uint64_t shares)
{
    double l = log2((double)shares);

    return (uint64_t)ceil(pow(10.0, (l * l + 125.0 * l) / 612.0 - 7.0 / 34.0));
}

START_TEST(every_share_when_converted_then_is_what_libm_says)
{
    for (uint64_t shares = 3; shares < 262144; shares++) {
        uint64_t got = cgroup_weight_of_shares(shares);
        uint64_t expected = by_libm(shares);
        if (got != expected)
            ck_abort_msg("%" PRIu64 ": %" PRIu64 ", not %" PRIu64, shares, got, expected);
    }
}
END_TEST

START_TEST(known_shares_when_converted_then_ends_and_default_fit)
{
    ck_assert_uint_eq(cgroup_weight_of_shares(1), 1);
    ck_assert_uint_eq(cgroup_weight_of_shares(2), 1);
    ck_assert_uint_eq(cgroup_weight_of_shares(1024), 100);
    ck_assert_uint_eq(cgroup_weight_of_shares(262144), 10000);
    ck_assert_uint_eq(cgroup_weight_of_shares(UINT64_MAX), 10000);
}
END_TEST

START_TEST(io_weight_when_converted_then_ends_fit)
{
    ck_assert_uint_eq(cgroup_weight_of_io(10), 1);
    ck_assert_uint_eq(cgroup_weight_of_io(100), 910);
    ck_assert_uint_eq(cgroup_weight_of_io(1000), 10000);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        every_share_when_converted_then_is_what_libm_says,
        known_shares_when_converted_then_ends_and_default_fit,
        io_weight_when_converted_then_ends_fit,
    };

    return unit_run("cgroup_weight", tests, sizeof(tests) / sizeof(tests[0]));
}
