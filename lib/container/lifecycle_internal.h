/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What lifecycle.c and lifecycle_create.c share: the late hooks, and the end of a container.
 * Runs in  parent
 */
#pragma once
#include <stdbool.h>

struct buf;
struct container;
struct error;
struct oci_config;
struct oci_state;

/* A line into warnings, which may be NULL. */
void lifecycle_warn(struct buf *warnings, const char *text);
/* The payload runs: poststart hooks. As the specification wants it for a failing hook, whatever goes wrong from here on
 * is told, and all else goes on; likewise the hooks of the other one, which sets state's status and pid. */
void lifecycle_started(struct container *c, struct buf *warnings);
void lifecycle_poststop(const struct oci_config *config, struct oci_state *state, struct buf *warnings);
/* Of a stopped container, its lock held: cgroup, poststop hooks, state. is_hookless: known to have no such hooks. */
int lifecycle_destroy(struct container *c, bool is_hookless, struct buf *warnings, struct error *err);
