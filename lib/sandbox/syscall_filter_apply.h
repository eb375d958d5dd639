/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Loads a built program into the calling process.
 * Runs in  init; with no_new_privs set, or CAP_SYS_ADMIN in its user namespace
 * Owns     *ret_listener is the caller's, close-on-exec
 * Source   seccomp(2) SECCOMP_SET_MODE_FILTER; NEW_LISTENER since Linux 5.0, TSYNC_ESRCH 5.7, WAIT_KILLABLE_RECV 5.19
 */
#pragma once

struct error;
struct syscall_filter;

/* *ret_listener: -1 when the filter wants none. The next call is already filtered, that which sends the listener
 * too. */
int syscall_filter_apply(const struct syscall_filter *filter, int *ret_listener, struct error *err);
