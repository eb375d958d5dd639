/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  --debug: "time role pid room: text" lines on the log. Costs one branch when off.
 * Runs in  any, the child included (it writes to an inherited fd, one write a line)
 */
#pragma once
#include <stdbool.h>

extern bool trace_is_on;

void trace_setup(bool is_on, int fd);
int trace_fd(void); /* where lines go; -1 when off */
void trace_line(const char *room, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define trace(room, ...)                    \
    do {                                    \
        if (trace_is_on)                    \
            trace_line(room, __VA_ARGS__);  \
    } while (0)
