/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of `process`, in config.json or for exec. */
#include <sched.h>
#include <stdint.h>

#include "err.h"
#include "oci_check_internal.h"
#include "oci_config.h"
#include "oci_config_check.h"

#define ID_NONE           UINT32_MAX /* (uid_t)-1: "leave as it is" for the kernel */
#define GROUPS_MAX        65536      /* NGROUPS_MAX of Linux */
#define OOM_SCORE_ADJ_MAX 1000
#define IO_PRIORITY_MAX   7
#define NICE_MIN          (-20)
#define NICE_MAX          19
#define RT_PRIORITY_MAX   99
#define POLICY_DEADLINE   6          /* not in each C library's sched.h */
#define WINDOW_MAX        UINT16_MAX /* of struct winsize */

static int user_check(const struct oci_user *user, struct error *err)
{
    if (user->uid == ID_NONE)
        return oci_fault(err, NULL, "4294967295 is no user", "process.user.uid");
    if (user->gid == ID_NONE)
        return oci_fault(err, NULL, "4294967295 is no group", "process.user.gid");
    if (user->umask > 0777)
        return oci_fault(err, NULL, "larger than 511 (octal 777)", "process.user.umask");
    if (user->n_additional_gids > GROUPS_MAX)
        return oci_fault(err, NULL, "more than 65536 groups", "process.user.additionalGids");
    for (size_t i = 0; i < user->n_additional_gids; i++) {
        if (user->additional_gids[i] == ID_NONE)
            return oci_fault(
                err, NULL, "4294967295 is no group", "process.user.additionalGids[%zu]", i);
    }
    return 0;
}

static int rlimits_check(const struct oci_process *process, struct error *err)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < process->n_rlimits; i++) {
        const struct oci_rlimit *limit = &process->rlimits[i];
        const char *name = oci_rlimit_name(limit->type);
        if (!name)
            return oci_fault(err, NULL, "unknown", "process.rlimits[%zu].type", i);
        if (limit->soft > limit->hard)
            return oci_fault(
                err, name, "has a soft limit above the hard one", "process.rlimits[%zu]", i);
        if (seen >> limit->type & 1)
            return oci_fault(err, name, "is there twice", "process.rlimits[%zu]", i);
        seen |= UINT64_C(1) << limit->type;
    }
    return 0;
}

static int scheduler_check(const struct oci_scheduler *scheduler, struct error *err)
{
    bool has_priority = scheduler->policy == SCHED_FIFO || scheduler->policy == SCHED_RR;
    if (scheduler->nice < NICE_MIN || scheduler->nice > NICE_MAX)
        return oci_fault(err, NULL, "not from -20 to 19", "process.scheduler.nice");
    if (scheduler->priority != 0 && !has_priority)
        return oci_fault(
            err, NULL, "only for SCHED_FIFO and SCHED_RR", "process.scheduler.priority");
    if (has_priority && (scheduler->priority < 1 || scheduler->priority > RT_PRIORITY_MAX))
        return oci_fault(err, NULL, "not from 1 to 99", "process.scheduler.priority");
    bool has_times = scheduler->runtime || scheduler->deadline || scheduler->period;
    if (has_times && scheduler->policy != POLICY_DEADLINE)
        return oci_fault(err, NULL, "runtime, deadline and period are only for SCHED_DEADLINE",
            "process.scheduler");
    return 0;
}

int oci_process_check(const struct oci_process *process, struct error *err)
{
    if (process->n_args == 0)
        return oci_fault(err, NULL, "missing or empty", "process.args");
    if (process->args[0][0] == '\0')
        return oci_fault(err, NULL, "empty", "process.args[0]");
    if (!process->cwd)
        return oci_fault(err, NULL, "missing", "process.cwd");
    if (!oci_path_is_absolute(process->cwd))
        return oci_fault(err, process->cwd, "is not an absolute path", "process.cwd");
    if (process->console_size.height > WINDOW_MAX || process->console_size.width > WINDOW_MAX)
        return oci_fault(err, NULL, "larger than 65535", "process.consoleSize");
    if (process->has_oom_score_adj &&
        (process->oom_score_adj < -OOM_SCORE_ADJ_MAX || process->oom_score_adj > OOM_SCORE_ADJ_MAX))
        return oci_fault(err, NULL, "not from -1000 to 1000", "process.oomScoreAdj");
    if (process->io_priority && process->io_priority->priority > IO_PRIORITY_MAX)
        return oci_fault(err, NULL, "not from 0 to 7", "process.ioPriority.priority");
    int rc = oci_env_check(process->env, process->n_env, "process.env", err);
    if (rc == 0)
        rc = user_check(&process->user, err);
    if (rc == 0)
        rc = rlimits_check(process, err);
    if (rc == 0 && process->scheduler)
        rc = scheduler_check(process->scheduler, err);
    return rc;
}
