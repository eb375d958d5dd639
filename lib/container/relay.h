/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The process between parent and init that joins namespaces by path, then clones init as the parent's child
 *          and ends. The parent never changes its own namespaces. See namespace_plan.h for when it is needed.
 * Runs in  parent (relay_clone_init), relay
 * Trusts   namespace fds that the parent has verified. Processes may live in them: the relay is not dumpable first.
 * Owns     *ret_pidfd is the caller's
 */
#pragma once
#include <sys/types.h>

struct error;
struct init_context;

int relay_clone_init(struct init_context *context, int cgroup_fd, pid_t *ret_pid, int *ret_pidfd,
    struct error *err);
