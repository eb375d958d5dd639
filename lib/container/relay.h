/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The process between the parent and one that is to live in other namespaces: it joins them, clones the
 *          process as the parent's own child, and ends. The parent never changes its own namespaces. See
 *          namespace_plan.h for when init needs it; exec always does.
 * Runs in  parent (relay_clone), relay
 * Trusts   namespace and process fds that the parent has verified. Processes may live in the namespaces: the relay is
 *          not dumpable before it joins.
 * Owns     *ret_pidfd is the caller's
 *
 * Why the relay is born in the cgroup (2026-12): once it has joined a user namespace it has no right left to move
 * anything there; what it clones is born where it is.
 */
#pragma once
#include <stdint.h>
#include <sys/types.h>

struct error;

struct relay_request {
    int cgroup_fd; /* -1: the caller's own */
    uint64_t clone_flags; /* CLONE_NEW* of the process */
    int (*join)(void *argument, int report, struct error *err); /* in the relay; report: its own descriptor */
    void (*child)(void *argument); /* in the process; does not return */
    void *argument;
};

int relay_clone(const struct relay_request *request, pid_t *ret_pid, int *ret_pidfd, struct error *err);
