/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Run a program of the host to its end (hooks, newuidmap): arguments, input, limited
 *          output, time limit. Decode exit statuses.
 * Runs in  parent, init (hooks of the container's namespaces)
 * Trusts   the program is the administrator's; its output is bytes of a stranger
 * Owns     output is the caller's buffer
 * Fails    -ETIMEDOUT: it was killed and reaped; the exec's own errno when it could not start.
 *          Nothing is left behind.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_run {
    const char *path; /* absolute; no search */
    char *const *argv;
    char *const *envp;
    int dirfd;         /* working directory; -1: the caller's */
    const void *input; /* its standard input; NULL: empty */
    size_t n_input;
    /* standard output and error together, NUL-terminated, cut at the size; NULL: to the caller's
       stderr */
    char *output;
    size_t output_size;
    size_t *ret_n_output; /* may be NULL */
    int timeout_ms;       /* < 0: none */
};

#define PROCESS_RUN_INIT                                                                           \
    {                                                                                              \
        .dirfd = -1, .timeout_ms = -1                                                              \
    }

/* On success *ret_status is as waitpid's. The child: own session-less process group, no fds but
   0-2, default signals. */
int process_run(const struct process_run *run, int *ret_status);

/* N, or 128 + the signal */
int process_exit_code(int status);
/* -ETIMEDOUT; -1 waits for ever. The child is reaped. */
int process_wait(int pidfd, int timeout_ms, int *ret_status);
/* SIGKILL and reap; for undo paths, never fails loudly. */
void process_kill(int pidfd);
/* 1 alive, 0 ended (a zombie too) */
int process_is_alive(int pidfd);
