/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Puts the capability sets in force, in two halves around the change of ids, and reads all five back.
 * Runs in  init: caps_apply_bounding (wants CAP_SETPCAP) → identity_apply → caps_apply_sets
 * Fails    when a set that is in force holds more than the plan, or when a planned capability is not there to be given;
 *          the message names the first one. What was dropped stays dropped.
 * Source   capabilities(7) "Effect of user ID changes on capabilities"; PR_SET_KEEPCAPS in prctl(2)
 */
#pragma once
#include <stdint.h>

struct caps_plan;
struct error;

/* Drops from the bounding set what the plan does not have, and keeps the permitted set over the change of ids. */
int caps_apply_bounding(const struct caps_plan *plan, struct error *err);
/* Between identity_apply and caps_apply_sets: makes the kept permitted set effective again, which leaving uid 0
 * empties. For what must be done as the new user with a right of the old one, like loading a filter without
 * no_new_privs. */
int caps_apply_kept(struct error *err);
/* Sets effective, permitted, inheritable and ambient, ends keep-caps, then compares all five with the plan. */
int caps_apply_sets(const struct caps_plan *plan, struct error *err);
/* kernel.cap_last_cap of the running kernel, for caps_plan_build. */
unsigned caps_last(void);
/* What this process could hand on without a new user namespace: its permitted set. */
int caps_own(uint64_t *ret, struct error *err);
