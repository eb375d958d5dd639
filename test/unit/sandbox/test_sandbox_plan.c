/* SPDX-License-Identifier: Apache-2.0 */
/* All plans of the room: test/golden/sandbox/NAME.json → NAME.plan. */
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "caps_plan.h"
#include "cleanup.h"
#include "err.h"
#include "golden.h"
#include "identity_plan.h"
#include "kernel_const.h"
#include "label_plan.h"
#include "oci_config.h"
#include "oci_config_parse.h"
#include "process_attr_plan.h"
#include "rlimit_plan.h"
#include "strv.h"
#include "syscall_filter_build.h"
#include "syscall_filter_plan.h"
#include "sysctl_plan.h"
#include "unit.h"

static struct arena arena = ARENA_INIT;

static unsigned own_namespaces(const struct oci_config *config)
{
    unsigned own = 0;
    own |= oci_namespace_find(config, OCI_NAMESPACE_IPC) != NULL ? CLONE_NEWIPC : 0;
    own |= oci_namespace_find(config, OCI_NAMESPACE_UTS) != NULL ? CLONE_NEWUTS : 0;
    own |= oci_namespace_find(config, OCI_NAMESPACE_NETWORK) != NULL ? CLONE_NEWNET : 0;
    return own;
}

static void print_names(struct buf *out, const char *label, const struct strv *names)
{
    for (size_t i = 0; i < names->n; i++)
        buf_printf(out, "%s %s\n", label, names->items[i]);
}

static int print_process(const struct oci_config *config, struct buf *out, struct error *err)
{
    const struct oci_process *process = config->process;
    const struct label_host host = { .has_apparmor = false, .has_selinux = false };
    struct strv unknown = STRV_INIT;
    struct caps_plan caps;
    struct identity_plan identity;
    struct process_attr_plan attr;
    struct label_plan label;
    caps_plan_build(&arena, process->capabilities, KERNEL_CAP_LAST, &caps, &unknown);
    int r = identity_plan_build(&arena, &process->user, true, &identity, err);
    if (r == 0)
        r = process_attr_plan_build(config, process, &attr, err);
    if (r == 0)
        r = label_plan_build(process, &host, &label, err);
    if (r < 0)
        return r;
    caps_plan_print(&caps, out);
    print_names(out, "caps-unknown", &unknown);
    identity_plan_print(&identity, out);
    rlimit_plan_print(process->rlimits, process->n_rlimits, out);
    process_attr_plan_print(&attr, out);
    label_plan_print(&label, out);
    return 0;
}

static int print_filter(const struct oci_seccomp *seccomp, struct buf *out, struct error *err)
{
    struct syscall_filter_plan filter;
    struct strv unknown = STRV_INIT;
    int r = syscall_filter_plan_build(&arena, seccomp, false, &filter, err);
    if (r < 0)
        return r;
    syscall_filter_plan_print(&filter, out);
    syscall_filter_unknown_names(&arena, &filter, &unknown);
    print_names(out, "seccomp-unknown", &unknown);
    return 0;
}

static int print_plans(const struct oci_config *config, struct buf *out, struct error *err)
{
    const struct oci_linux *lx = &config->linux_;
    struct host_name_plan host_name;
    struct sysctl_plan sysctl;
    unsigned own = own_namespaces(config);
    int r = print_process(config, out, err);
    if (r == 0)
        r = host_name_plan_build(config, (own & CLONE_NEWUTS) != 0, &host_name, err);
    if (r == 0)
        r = sysctl_plan_build(&arena, lx->sysctl, lx->n_sysctl, own, &sysctl, err);
    if (r < 0)
        return r;
    host_name_plan_print(&host_name, out);
    sysctl_plan_print(&sysctl, out);
    return lx->seccomp == NULL ? 0 : print_filter(lx->seccomp, out, err);
}

static void golden_check(const char *name)
{
    AUTO(buf) struct buf out = BUF_INIT;
    struct error err = ERR_INIT;
    struct oci_config *config = NULL;
    const char *base = arena_printf(&arena, GOLDEN_DIR "sandbox/%s", name);
    const char *plan_path = arena_printf(&arena, "%s.plan", base);
    const char *json = golden_read(&arena, arena_printf(&arena, "%s.json", base));
    int r = oci_config_parse(&arena, name, json, strlen(json), &config, &err);
    ck_assert_msg(r == 0, "%s", err.text);
    r = print_plans(config, &out, &err);
    if (r < 0)
        buf_printf(&out, "error %s\n", err.text);
    golden_compare(&arena, plan_path, &out);
}

START_TEST(engine_bundle_when_planned_then_as_golden)
{
    golden_check("engine");
}
END_TEST

START_TEST(notify_bundle_when_planned_then_as_golden)
{
    golden_check("notify");
}
END_TEST

START_TEST(host_sysctl_when_planned_then_error_as_golden)
{
    golden_check("host-sysctl");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        engine_bundle_when_planned_then_as_golden,
        notify_bundle_when_planned_then_as_golden,
        host_sysctl_when_planned_then_error_as_golden,
    };
    int r = unit_run("sandbox_plan", tests, ARRAY_SIZE(tests));
    arena_done(&arena);
    return r;
}
