/* SPDX-License-Identifier: Apache-2.0 */
/* Labels asked for against what the kernel has. */
#include "label_plan.h"

#include <errno.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "oci_config.h"
#include "strv.h"

static int check(
    const char *label, const char *field, bool is_supported, const char *module, struct error *err)
{
    if (label == NULL)
        return 0;
    if (!is_supported)
        return err_set(err, ENOTSUP, "%s: %s is not enabled on this host", field, module);
    if (strlen(label) > LABEL_MAX)
        return err_set(err, EINVAL, "%s: longer than %d bytes", field, LABEL_MAX);
    for (const char *c = label; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return err_set(err, EINVAL, "%s: has control bytes", field);
    return 0;
}

/* What asks for nothing: no text, and without AppArmor the profile that confines nothing. */
static const char *wanted_profile(const char *profile, bool has_apparmor)
{
    if (profile == NULL || profile[0] == '\0' || (!has_apparmor && str_eq(profile, "unconfined")))
        return NULL;
    return profile;
}

int label_plan_build(const struct oci_process *process, const struct label_host *host,
    struct label_plan *ret, struct error *err)
{
    struct label_plan plan = {
        .apparmor_profile = wanted_profile(process->apparmor_profile, host->has_apparmor),
        .selinux_label = process->selinux_label,
    };
    if (plan.selinux_label != NULL && plan.selinux_label[0] == '\0')
        plan.selinux_label = NULL;
    int r = check(
        plan.apparmor_profile, "process.apparmorProfile", host->has_apparmor, "AppArmor", err);
    if (r == 0)
        r = check(plan.selinux_label, "process.selinuxLabel", host->has_selinux, "SELinux", err);
    if (r == 0)
        *ret = plan;
    return r;
}

static void print_one(struct buf *out, const char *module, const char *label)
{
    if (label == NULL)
        return;
    buf_printf(out, "label %s ", module);
    buf_put_quoted(out, label, strlen(label));
    buf_putc(out, '\n');
}

void label_plan_print(const struct label_plan *plan, struct buf *out)
{
    print_one(out, "apparmor", plan->apparmor_profile);
    print_one(out, "selinux", plan->selinux_label);
}
