/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Makes the container's root the root of the process and lets go of the host's tree.
 * Runs in  init, after mount_apply
 * Fails    the process must end
 * Source   pivot_root(2) "pivot_root(".", ".")"
 */
#pragma once

struct error;
struct mount_plan;
struct mount_root;

/* cwd is the new "/" afterwards. */
int root_switch_apply(
    const struct mount_plan *plan, const struct mount_root *root, struct error *err);
