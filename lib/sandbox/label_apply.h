/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Sets the AppArmor profile and SELinux label of the next exec, through a verified procfs.
 * Runs in  init, as late as possible: after the mounts, before the system call filter
 * Fails    when the kernel refuses the name, or there is no such attribute
 * Source   proc_pid_attr(5). CVE-2019-16884, CVE-2019-19921, CVE-2025-52881
 */
#pragma once

struct error;
struct label_host;
struct label_plan;
struct procfs;

/* Any role; costs two system calls. Nothing readable counts as "not there". */
void label_host_read(struct label_host *ret);
int label_apply(const struct procfs *procfs, const struct label_plan *plan, struct error *err);
