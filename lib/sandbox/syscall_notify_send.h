/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Hands the listener of SCMP_ACT_NOTIFY to the agent at linux.seccomp.listenerPath.
 * Runs in  parent
 * Trusts   the path is the operator's; it is connected to, nothing is read from it
 * Owns     the listener is borrowed: the caller closes it
 * Source   OCI config-linux.md "The Container Process State"
 */
#pragma once
#include <sys/types.h>

struct error;
struct oci_state;

/* metadata may be NULL. pid: of the container's process, as the runtime sees it. */
int syscall_notify_send(const char *listener_path, const char *metadata, pid_t pid,
    const struct oci_state *state, int listener, struct error *err);
