/* SPDX-License-Identifier: Apache-2.0 */
/* Time limits over several waits. */
#include "deadline.h"

#include <limits.h>
#include <time.h>

static int64_t now_ms(void)
{
    struct timespec now = { 0 };

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t deadline_in(int64_t timeout_ms)
{
    return timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
}

int deadline_left(int64_t deadline)
{
    if (deadline < 0)
        return -1;
    int64_t left = deadline - now_ms();
    if (left <= 0)
        return 0;
    return left > INT_MAX ? INT_MAX : (int)left;
}
