/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Puts the attributes of process_attr_plan in force, one function for each moment of the set-up.
 * Runs in  init
 * Source   sched_setattr(2), ioprio_set(2), personality(2), sethostname(2), PR_SET_NO_NEW_PRIVS in prctl(2)
 */
#pragma once

struct error;
struct host_name_plan;
struct process_attr_plan;

/* In the container's UTS namespace; wants CAP_SYS_ADMIN there. */
int host_name_apply(const struct host_name_plan *plan, struct error *err);
/* Scheduler, I/O priority, personality: before capabilities are dropped. */
int process_attr_apply(const struct process_attr_plan *plan, struct error *err);
/* Sets it when the plan asks for it, and reads it back. Before syscall_filter_apply without CAP_SYS_ADMIN. */
int no_new_privs_apply(const struct process_attr_plan *plan, struct error *err);
