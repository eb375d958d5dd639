/* SPDX-License-Identifier: Apache-2.0 */
/* Time limits. */
#include "deadline.h"

#include <limits.h>
#include <poll.h>

#include "cleanup.h"
#include "unit.h"

START_TEST(deadline_when_ahead_then_no_more_than_asked_is_left)
{
    int64_t deadline = deadline_in(60000);
    int left = deadline_left(deadline);
    ck_assert_int_gt(left, 0);
    ck_assert_int_le(left, 60000);
}
END_TEST

START_TEST(deadline_when_over_then_nothing_is_left)
{
    int64_t deadline = deadline_in(0);
    ck_assert_int_eq(deadline_left(deadline), 0);
    deadline = deadline_in(1);
    ck_assert_int_eq(poll(NULL, 0, 3), 0);
    ck_assert_int_eq(deadline_left(deadline), 0);
}
END_TEST

START_TEST(deadline_when_there_is_none_then_as_poll_wants_it)
{
    ck_assert_int_eq(deadline_left(deadline_in(-1)), -1);
    ck_assert_int_eq(deadline_left(deadline_in(-5)), -1);
}
END_TEST

START_TEST(deadline_when_far_then_within_an_int)
{
    ck_assert_int_eq(deadline_left(deadline_in((int64_t)INT_MAX * 4)), INT_MAX);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        deadline_when_ahead_then_no_more_than_asked_is_left,
        deadline_when_over_then_nothing_is_left,
        deadline_when_there_is_none_then_as_poll_wants_it,
        deadline_when_far_then_within_an_int,
    };

    return unit_run("deadline", tests, ARRAY_SIZE(tests));
}
