/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of the payload in force. */
#include "process_attr_apply.h"

#include <errno.h>
#include <string.h>

#include "credential.h"
#include "err.h"
#include "kernel_const.h"
#include "oci_config.h"
#include "process_attr_plan.h"
#include "process_call.h"
#include "role.h"

int host_name_apply(const struct host_name_plan *plan, struct error *err)
{
    role_require(ROLE_INIT);
    if (plan->hostname != NULL) {
        int r = kernel_sethostname(plan->hostname, strlen(plan->hostname));
        if (r < 0)
            return err_sys(err, r, "hostname: set");
    }
    if (plan->domainname != NULL) {
        int r = kernel_setdomainname(plan->domainname, strlen(plan->domainname));
        if (r < 0)
            return err_sys(err, r, "domainname: set");
    }
    return 0;
}

static int scheduler_apply(const struct oci_scheduler *scheduler, struct error *err)
{
    role_require(ROLE_INIT);
    const struct kernel_sched_attr attr = {
        .policy = scheduler->policy,
        .flags = scheduler->flags,
        .nice = scheduler->nice,
        .priority = (uint32_t)scheduler->priority,
        .runtime_nsec = scheduler->runtime,
        .deadline_nsec = scheduler->deadline,
        .period_nsec = scheduler->period,
    };
    int r = kernel_sched_setattr(0, &attr);
    return r < 0 ? err_sys(err, r, "process.scheduler: set policy %u", scheduler->policy) : 0;
}

int process_attr_apply(const struct process_attr_plan *plan, struct error *err)
{
    role_require(ROLE_INIT);
    if (plan->scheduler != NULL) {
        int r = scheduler_apply(plan->scheduler, err);
        if (r < 0)
            return r;
    }
    if (plan->io_priority != NULL) {
        const struct oci_io_priority *io = plan->io_priority;
        int r = kernel_ioprio_set(0, (int)KERNEL_IOPRIO_VALUE(io->class, io->priority));
        if (r < 0)
            return err_sys(
                err, r, "process.ioPriority: set class %u level %u", io->class, io->priority);
    }
    if (plan->has_personality) {
        int r = kernel_personality(plan->personality);
        if (r < 0)
            return err_sys(err, r, "linux.personality: set 0x%x", plan->personality);
    }
    return 0;
}

int no_new_privs_apply(const struct process_attr_plan *plan, struct error *err)
{
    role_require(ROLE_INIT);
    if (!plan->has_no_new_privs)
        return 0;
    int r = kernel_set_no_new_privs();
    if (r < 0)
        return err_sys(err, r, "process.noNewPrivileges: set");
    r = kernel_get_no_new_privs();
    if (r < 0)
        return err_sys(err, r, "process.noNewPrivileges: read back");
    return r == 1 ? 0
                  : err_set(err, EPERM, "process.noNewPrivileges: not in force after it was set");
}
