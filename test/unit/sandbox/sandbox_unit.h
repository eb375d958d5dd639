/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: what the tests of lib/sandbox share: a deed in a child of its own, as init would do it. */
#pragma once
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "err.h"
#include "role.h"
#include "unit.h"

#define SKIPPED 77

/* For main: a reason and 77 where root is needed and absent. */
static inline int sandbox_unit_lacks_root(const char *name)
{
    if (geteuid() == 0)
        return 0;
    printf("%s: skipped: needs root\n", name);
    return 1;
}

/* Runs deed as init in a child; its exit status, or 128 + the signal. */
static inline int sandbox_unit_run(int (*deed)(void))
{
    (void)fflush(NULL);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        role_set(ROLE_INIT);
        _exit(deed());
    }
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Within a deed: leave with that status when the condition does not hold; prints where. */
#define DEED_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                  \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

#define DEED_OK(call)                                                                              \
    do {                                                                                           \
        if ((call) < 0) {                                                                          \
            (void)fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, err.text);         \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)
