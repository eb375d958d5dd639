/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  process.rlimits in force.
 * Runs in  init, before capabilities are dropped: raising a hard limit wants CAP_SYS_RESOURCE
 * Fails    the message names the limit and both values; limits set before stay set
 * Source   prlimit(2)
 */
#pragma once
#include <stddef.h>

struct error;
struct oci_rlimit;

int rlimit_apply(const struct oci_rlimit *limits, size_t n_limits, struct error *err);
