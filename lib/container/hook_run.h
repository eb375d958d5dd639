/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Runs the hooks of one point, in order, each with the container's state on its standard input and exactly the
 *          environment of its own entry; one without any gets PATH, the caller's.
 * Runs in  parent (prestart, createRuntime, poststart, poststop), init (createContainer, startContainer)
 * Trusts   the paths are the operator's; nothing of the image or of process.env reaches a hook
 * Fails    at the first hook that cannot be run, fails or runs out of time; the message holds its last output
 * Source   OCI config.md "POSIX-platform Hooks"
 */
#pragma once
#include "oci_config.h"

struct buf;
struct error;
struct oci_state;

int hook_run(const struct oci_config *config, enum oci_hook_point point, const struct oci_state *state,
    struct error *err);

/* Every hook of the point, whatever becomes of the others: poststart and poststop. A line for each failure into
 * failures. */
void hook_run_all(const struct oci_config *config, enum oci_hook_point point, const struct oci_state *state,
    struct buf *failures);
