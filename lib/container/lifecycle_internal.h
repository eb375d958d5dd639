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
/* The specification: a failing hook of these two is told, and all else goes on. They set state's status (and pid). */
void lifecycle_poststart(const struct oci_config *config, struct oci_state *state, struct buf *warnings);
void lifecycle_poststop(const struct oci_config *config, struct oci_state *state, struct buf *warnings);
/* Of a stopped container, its lock held: cgroup, poststop hooks, state. is_hookless: known to have no such hooks. */
int lifecycle_destroy(struct container *c, bool is_hookless, struct buf *warnings, struct error *err);
