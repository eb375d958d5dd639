/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The parent of a foreground container (run, launch): waits for the end of init, forwards the signals that it
 *          gets, and carries bytes between its own terminal and the container's.
 * Runs in  parent
 * Trusts   the container's output is bytes to be passed on, nothing more
 * Units    one buffer of 64 KiB in each direction; a slow reader slows the container, nothing grows
 * Fails    the terminal is put back as it was, on every path
 *
 * Signals that ask nothing of the container (SIGCHLD, SIGURG, SIGWINCH without a terminal) are not forwarded and do not
 * end the wait.
 */
#pragma once
struct error;

struct foreground {
    int signal_fd;
    int notify_fd; /* of notify_socket_make, borrowed; -1: none */
    const char *notify_path;
};

#define FOREGROUND_INIT { .signal_fd = -1, .notify_fd = -1 }

/* Before init is cloned, so that no signal is lost. Init puts its own mask back before the exec. */
int foreground_open(struct foreground *ret, struct error *err);
void foreground_done(struct foreground *foreground);
/* terminal: master of the container's pty, or -1. *ret_status: the exit code, or 128 + signal. Init is reaped. */
int foreground_wait(const struct foreground *foreground, int pidfd, int terminal, int *ret_status, struct error *err);
