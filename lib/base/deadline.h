/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Time limits over several waits: a moment on the monotonic clock, and what is left until then.
 * Runs in  any
 * Units    milliseconds
 */
#pragma once
#include <stdint.h>

/* A negative time-out is none: the deadline is -1 then, and -1 is always left. */
int64_t deadline_in(int64_t timeout_ms);
/* As poll wants it: 0 once it is over. */
int deadline_left(int64_t deadline);
