/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Init's side of init_message.h: from the clone to the payload's execve, by the plan that it inherited in
 *          memory.
 * Runs in  init; it enters with the parent's rights in new namespaces and leaves as the payload
 * Trusts   the parent; nothing that it finds in the root. It is not dumpable and cannot be joined or traced by what
 *          runs in a namespace that it joins.
 * Fails    to the parent (or start) as a struct error; init ends with status 1
 */
#pragma once
#include <stdnoreturn.h>

#include "container_plan.h"
#include "procfs.h"

struct mount_sources;
struct syscall_filter;

struct init_context {
    const struct container_plan *plan;
    struct mount_sources *sources;
    const struct syscall_filter *filter; /* NULL: none */
    struct procfs procfs; /* of the host, opened before the clone */
    const char *bundle;
    int channel; /* init's end */
    int start_socket; /* listening; -1: START comes on the channel */
    bool has_listen_fds; /* LISTEN_PID is rewritten for the payload */
    bool is_rootless; /* the mount sources are opened here: the parent has no right to */
    bool is_relayed; /* namespaces were joined before the clone */
    int join_fds[OCI_NAMESPACE_TYPES]; /* opened by the parent; -1 where nothing is joined */
};

noreturn void init_child_main(struct init_context *context);
