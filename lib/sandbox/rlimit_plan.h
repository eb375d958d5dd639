/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  process.rlimits needs no plan but to be shown: the configuration's list is what rlimit_apply works through.
 * Runs in  any (pure)
 */
#pragma once
#include <stddef.h>

struct buf;
struct oci_rlimit;

/* Never NULL. */
const char *rlimit_plan_name(int type);
void rlimit_plan_print(const struct oci_rlimit *limits, size_t n_limits, struct buf *out);
