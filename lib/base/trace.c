/* SPDX-License-Identifier: Apache-2.0 */
/* Debug lines. No heap: the container's init runs it too. */
#include "trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "role.h"
#include "utf8.h"

enum { LINE_SIZE = 2048, TEXT_SIZE = 1024 };

bool trace_is_on;
static int line_fd = -1;

void trace_setup(bool is_on, int fd)
{
    trace_is_on = is_on && fd >= 0;
    line_fd = fd;
}

int trace_fd(void)
{
    return trace_is_on ? line_fd : -1;
}

void trace_line(const char *room, const char *format, ...)
{
    char text[TEXT_SIZE];
    char line[LINE_SIZE];
    struct timespec now = { 0 };
    va_list ap;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    va_start(ap, format);
    int r = vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    int head = snprintf(line, sizeof(line), "%lld.%06ld %s %d %s: ", (long long)now.tv_sec,
        now.tv_nsec / 1000, role_name(), (int)getpid(), room);
    if (r < 0 || head < 0 || (size_t)head >= sizeof(line) / 2)
        return;
    size_t n = (size_t)head;
    const char *rest = text;
    size_t rest_len = strlen(text);
    while (rest_len > 0 && n < sizeof(line) - UTF8_SAFE_SIZE - 1)
        n += utf8_take_safe(&rest, &rest_len, line + n);
    line[n++] = '\n';
    if (write(line_fd, line, n) < 0)
        trace_is_on = false; /* nobody reads it any more */
}
