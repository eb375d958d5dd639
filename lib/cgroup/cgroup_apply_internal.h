/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The part of cgroup_apply that hands controllers down, and can say why one is not there.
 * Runs in  parent
 * Source   cgroup-v2.rst "Controlling Controllers"
 */
#pragma once

struct cgroup_limit_plan;
struct error;

/* Makes the controllers of the limits available to the cgroups below dir_fd. shown: its path, for
 * messages. */
int cgroup_controllers_enable(
    int dir_fd, const char *shown, const struct cgroup_limit_plan *limits, struct error *err);
