/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Signal masks and handlers: what a caller made of them must not reach our children, nor
 *          ours the payload.
 * Runs in  any
 * Source   signal(7): a mask and ignored signals survive exec
 */
#pragma once
#include <signal.h>
#include <stdbool.h>

/* Every signal to its default handling and none blocked: before an exec, and at the start of the
   program. */
int signals_reset(void);
/* Only the handling; the mask stays. */
int signals_default_all(void);
int signals_block_all(sigset_t *ret_old);
int signals_set_mask(const sigset_t *mask);
int signals_ignore(int signal);
/* Blocks the signals of the set and gives an fd that reads them. */
int signals_open_fd(const sigset_t *set);
/* The next signal's number, *ret_pid its sender (may be NULL); -EAGAIN when none waits. */
int signals_read_fd(int fd, pid_t *ret_pid);
/* Whether a blocked signal waits by which somebody wants the program to end: INT, TERM, HUP or QUIT. */
bool signals_end_is_wanted(void);
