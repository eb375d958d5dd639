/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  A policy as text that policy_parse reads: canonical, with trailing commas; on request behind each value
 *          its origin as a comment.
 * Runs in  any (pure)
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "policy_doc.h"

struct buf;

/* Absent keys are left out. */
void policy_write(const struct policy *policy, bool want_origins, struct buf *out);
/* A number of that kind as a policy writes it. */
void policy_number_put(struct buf *out, enum policy_kind kind, uint64_t number);
