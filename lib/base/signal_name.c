/* SPDX-License-Identifier: Apache-2.0 */
/* Table of signal names. */
#include "signal_name.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "cleanup.h"
#include "parse_num.h"

static const struct {
    const char *name; /* with SIG */
    int number;
} signal_table[] = {
    { "SIGHUP", SIGHUP },
    { "SIGINT", SIGINT },
    { "SIGQUIT", SIGQUIT },
    { "SIGILL", SIGILL },
    { "SIGTRAP", SIGTRAP },
    { "SIGABRT", SIGABRT },
    { "SIGIOT", SIGABRT },
    { "SIGBUS", SIGBUS },
    { "SIGFPE", SIGFPE },
    { "SIGKILL", SIGKILL },
    { "SIGUSR1", SIGUSR1 },
    { "SIGSEGV", SIGSEGV },
    { "SIGUSR2", SIGUSR2 },
    { "SIGPIPE", SIGPIPE },
    { "SIGALRM", SIGALRM },
    { "SIGTERM", SIGTERM },
    { "SIGSTKFLT", SIGSTKFLT },
    { "SIGCHLD", SIGCHLD },
    { "SIGCLD", SIGCHLD },
    { "SIGCONT", SIGCONT },
    { "SIGSTOP", SIGSTOP },
    { "SIGTSTP", SIGTSTP },
    { "SIGTTIN", SIGTTIN },
    { "SIGTTOU", SIGTTOU },
    { "SIGURG", SIGURG },
    { "SIGXCPU", SIGXCPU },
    { "SIGXFSZ", SIGXFSZ },
    { "SIGVTALRM", SIGVTALRM },
    { "SIGPROF", SIGPROF },
    { "SIGWINCH", SIGWINCH },
    { "SIGIO", SIGIO },
    { "SIGPOLL", SIGIO },
    { "SIGPWR", SIGPWR },
    { "SIGSYS", SIGSYS },
};

/* RTMIN, RTMIN+N, RTMAX, RTMAX-N with the C library's limits, as every tool that sends them means.
 */
static int realtime_parse(const char *word)
{
    uint32_t offset = 0;
    int span = SIGRTMAX - SIGRTMIN;

    if (strncasecmp(word, "RTMIN", 5) == 0) {
        word += 5;
        if (*word == '\0')
            return SIGRTMIN;
        if (*word != '+' || parse_u32(word + 1, (uint32_t)span, &offset) < 0)
            return -EINVAL;
        return SIGRTMIN + (int)offset;
    }
    if (strncasecmp(word, "RTMAX", 5) == 0) {
        word += 5;
        if (*word == '\0')
            return SIGRTMAX;
        if (*word != '-' || parse_u32(word + 1, (uint32_t)span, &offset) < 0)
            return -EINVAL;
        return SIGRTMAX - (int)offset;
    }
    return -EINVAL;
}

int signal_parse(const char *word)
{
    uint32_t number;

    if (parse_u32(word, (uint32_t)SIGRTMAX, &number) == 0)
        return (int)number;
    if (strncasecmp(word, "SIG", 3) == 0)
        word += 3;
    for (size_t i = 0; i < ARRAY_SIZE(signal_table); i++) {
        if (strcasecmp(signal_table[i].name + 3, word) == 0)
            return signal_table[i].number;
    }
    return realtime_parse(word);
}

const char *signal_name(int signal)
{
    for (size_t i = 0; i < ARRAY_SIZE(signal_table); i++) {
        if (signal_table[i].number == signal)
            return signal_table[i].name;
    }
    return NULL;
}
