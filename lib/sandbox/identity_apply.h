/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Takes on groups, gid, uid (real, effective, saved) and umask, and asks the kernel whether it is so.
 * Runs in  init, with CAP_SETUID and CAP_SETGID of its user namespace; between the halves of caps_apply
 * Fails    when any id differs afterwards
 * Source   setresuid(2), setgroups(2)
 */
#pragma once

struct error;
struct identity_plan;

int identity_apply(const struct identity_plan *plan, struct error *err);
