/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Is a policy one that this version puts in force as a whole?
 * Runs in  any (pure)
 */
#pragma once

struct buf;
struct error;
struct policy;

/* What the format knows but nothing enforces yet, and what no policy may give: refused, never ignored. -ENOTSUP with
 * "FILE:LINE:COLUMN: network.mode: …" of the first in err. faults: NULL, or gets all, a line each. */
int policy_unsupported(const struct policy *policy, struct buf *faults, struct error *err);
