/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What can be done to all processes of a cgroup and of those below it: freeze, thaw, kill,
 *          signal, list; and its removal.
 * Runs in  parent
 * Trusts   a container with a writable cgroup makes cgroups of its own below: names, depth and number
 *          are the agent's
 * Units    time limits in milliseconds; -ETIMEDOUT behind them
 * Source   cgroup-v2.rst cgroup.freeze, cgroup.kill (Linux 5.14), cgroup.events
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct arena;
struct cgroup;
struct error;

#define CGROUP_WAIT_MS        10000       /* what callers normally give */
#define CGROUP_NEST_MAX       64          /* levels below that are looked into; more is an error */
#define CGROUP_PROCS_TEXT_MAX (48U << 20) /* of one cgroup.procs: pid_max ids of 7 digits fit */

int cgroup_freeze(const struct cgroup *c, unsigned wait_ms, struct error *err);
int cgroup_thaw(const struct cgroup *c, unsigned wait_ms, struct error *err);
/* As asked for, whether or not it is reached already. */
int cgroup_is_frozen(const struct cgroup *c, bool *ret, struct error *err);

int cgroup_is_populated(const struct cgroup *c, bool *ret, struct error *err);
/* Kills everything inside, frozen or not, and waits until it is empty. */
int cgroup_kill(const struct cgroup *c, unsigned wait_ms, struct error *err);
/* One signal to each process, also to those that appear meanwhile; SIGKILL is cgroup_kill's. */
int cgroup_signal_all(const struct cgroup *c, int signal, struct error *err);
/* Process ids of the cgroup and of those below, ascending, each once; in the arena. Processes that the
 * caller's pid namespace does not show are left out. */
int cgroup_procs(struct arena *arena, const struct cgroup *c, pid_t **ret_pids, size_t *ret_n,
    struct error *err);
/* Removes it with all cgroups below it. It must be empty; one whose processes are just ending is waited
 * for. Gone already is well. */
int cgroup_remove(const struct cgroup *c, unsigned wait_ms, struct error *err);
