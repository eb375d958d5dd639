/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduler, I/O priority, personality, no_new_privs and the names of the UTS namespace. */
#include "process_attr_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "kernel_const.h"
#include "oci_config.h"

#define IO_LEVEL_MAX 7

int process_attr_plan_build(const struct oci_config *config, const struct oci_process *process,
    struct process_attr_plan *ret, struct error *err)
{
    const struct oci_personality *personality = config->linux_.personality;
    if (personality != NULL && personality->n_flags > 0)
        return err_set(err, EINVAL, "linux.personality.flags: no flag is defined");
    if (process->io_priority != NULL && process->io_priority->priority > IO_LEVEL_MAX)
        return err_set(err, EINVAL, "process.ioPriority.priority: %u is beyond %d",
            process->io_priority->priority, IO_LEVEL_MAX);
    *ret = (struct process_attr_plan){
        .scheduler = process->scheduler,
        .io_priority = process->io_priority,
        .has_personality = personality != NULL,
        .personality = personality == NULL ? 0 : personality->domain,
        .has_no_new_privs = process->no_new_privileges,
    };
    return 0;
}

static void print_scheduler(const struct oci_scheduler *s, struct buf *out)
{
    buf_printf(out, "scheduler policy %u nice %" PRId32 " priority %" PRId32 " flags 0x%" PRIx64,
        s->policy, s->nice, s->priority, s->flags);
    if (s->policy == SCHED_DEADLINE)
        buf_printf(out, " runtime_ns %" PRIu64 " deadline_ns %" PRIu64 " period_ns %" PRIu64,
            s->runtime, s->deadline, s->period);
    buf_putc(out, '\n');
}

void process_attr_plan_print(const struct process_attr_plan *plan, struct buf *out)
{
    if (plan->scheduler != NULL)
        print_scheduler(plan->scheduler, out);
    if (plan->io_priority != NULL)
        buf_printf(out, "io_priority class %u level %u\n", plan->io_priority->class,
            plan->io_priority->priority);
    if (plan->has_personality)
        buf_printf(out, "personality 0x%x\n", plan->personality);
    buf_printf(out, "no_new_privs %s\n", plan->has_no_new_privs ? "yes" : "no");
}

static int check_name(const char *name, const char *field, bool has_own_uts, struct error *err)
{
    if (name == NULL)
        return 0;
    if (!has_own_uts)
        return err_set(err, EINVAL, "%s: needs a uts namespace of the container's own", field);
    if (strlen(name) > PROCESS_ATTR_HOST_MAX)
        return err_set(err, EINVAL, "%s: longer than %d bytes", field, PROCESS_ATTR_HOST_MAX);
    for (const char *c = name; *c != '\0'; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return err_set(err, EINVAL, "%s: has blanks or control bytes", field);
    return 0;
}

int host_name_plan_build(const struct oci_config *config, bool has_own_uts,
    struct host_name_plan *ret, struct error *err)
{
    int r = check_name(config->hostname, "hostname", has_own_uts, err);
    if (r == 0)
        r = check_name(config->domainname, "domainname", has_own_uts, err);
    if (r == 0)
        *ret = (struct host_name_plan){ config->hostname, config->domainname };
    return r;
}

static void print_name(struct buf *out, const char *label, const char *name)
{
    if (name == NULL)
        return;
    buf_printf(out, "%s ", label);
    buf_put_quoted(out, name, strlen(name));
    buf_putc(out, '\n');
}

void host_name_plan_print(const struct host_name_plan *plan, struct buf *out)
{
    print_name(out, "hostname", plan->hostname);
    print_name(out, "domainname", plan->domainname);
}
