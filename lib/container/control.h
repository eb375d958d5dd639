/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What is done to a running container as a whole, through its cgroup: pause, resume, list its processes,
 *          change its limits.
 * Runs in  parent
 * Trusts   the operator; the container may have made cgroups of its own below
 * Owns     results live in the caller's arena
 * Fails    a container without a cgroup (rootless, --cgroup-manager=disabled) has none of these
 * Source   runc-pause(8), runc-resume(8), runc-ps(8), runc-update(8)
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

struct arena;
struct error;
struct oci_resources;

int container_pause(const char *root, const char *id, struct error *err);
int container_resume(const char *root, const char *id, struct error *err);
/* As the caller's PID namespace numbers them, ascending. */
int container_processes(struct arena *arena, const char *root, const char *id, pid_t **ret, size_t *ret_n,
    struct error *err);
/* What resources does not say stays as it is. Device rules are not changed: they are those of create. */
int container_update(const char *root, const char *id, const struct oci_resources *resources, struct error *err);
