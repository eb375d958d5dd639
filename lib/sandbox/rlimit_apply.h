/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  process.rlimits and process.oomScoreAdj.
 * Runs in  init, before capabilities are dropped (raising a hard limit wants CAP_SYS_RESOURCE); oom_score_apply also in
 *          the parent, where init's user namespace would not be allowed to lower it
 * Fails    the message names the limit and both values; limits set before stay set
 * Source   prlimit(2); proc_pid_oom_score_adj(5)
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct error;
struct oci_rlimit;
struct procfs;

int rlimit_apply(const struct oci_rlimit *limits, size_t n_limits, struct error *err);
/* For the calling process, which its children inherit. */
int oom_score_apply(const struct procfs *procfs, int32_t value, struct error *err);
