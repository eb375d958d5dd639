/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Writes the planned settings through a verified procfs.
 * Runs in  init, within the container's namespaces, before capabilities are dropped
 * Fails    the message names the setting; those before it stay set
 */
#pragma once

struct error;
struct procfs;
struct sysctl_plan;

/* procfs: the whole of it, never the container's own /proc. */
int sysctl_apply(const struct procfs *procfs, const struct sysctl_plan *plan, struct error *err);
