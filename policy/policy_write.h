/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  A policy as text that policy_parse reads: canonical JSON, behind each value the origin as a comment.
 * Runs in  any (pure)
 */
#pragma once
#include <stdbool.h>

struct buf;
struct policy;

/* Absent keys are left out. */
void policy_write(const struct policy *policy, bool want_origins, struct buf *out);
