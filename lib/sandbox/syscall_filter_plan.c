/* SPDX-License-Identifier: Apache-2.0 */
/* linux.seccomp, checked. */
#include "syscall_filter_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "strv.h"
#include "syscall_filter_rules.h"

#define NAME_BYTES_MAX 64
#define ERRNO_MAX      4095   /* the kernel's MAX_ERRNO */
#define TRACE_MAX      0xfffe /* one less than the kernel has: see syscall_program.h */

/* What the specification lists; the library may know fewer. */
static const char *const arch_names[] = { "SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM",
    "SCMP_ARCH_LOONGARCH64", "SCMP_ARCH_M68K", "SCMP_ARCH_MIPS", "SCMP_ARCH_MIPS64",
    "SCMP_ARCH_MIPS64N32", "SCMP_ARCH_MIPSEL", "SCMP_ARCH_MIPSEL64", "SCMP_ARCH_MIPSEL64N32",
    "SCMP_ARCH_PARISC", "SCMP_ARCH_PARISC64", "SCMP_ARCH_PPC", "SCMP_ARCH_PPC64",
    "SCMP_ARCH_PPC64LE", "SCMP_ARCH_RISCV64", "SCMP_ARCH_S390", "SCMP_ARCH_S390X", "SCMP_ARCH_SH",
    "SCMP_ARCH_SHEB", "SCMP_ARCH_X32", "SCMP_ARCH_X86", "SCMP_ARCH_X86_64" };

static const char *const operator_names[] = {
    [OCI_SECCOMP_NE] = "!=",
    [OCI_SECCOMP_LT] = "<",
    [OCI_SECCOMP_LE] = "<=",
    [OCI_SECCOMP_EQ] = "==",
    [OCI_SECCOMP_GE] = ">=",
    [OCI_SECCOMP_GT] = ">",
    [OCI_SECCOMP_MASKED_EQ] = "&",
};

static bool has_errno(enum oci_seccomp_action action)
{
    return action == OCI_SECCOMP_ERRNO || action == OCI_SECCOMP_TRACE;
}

/* --- check --- */

static int check_errno(enum oci_seccomp_action action, bool is_given, uint32_t given,
    const char *field, struct error *err)
{
    uint32_t max = action == OCI_SECCOMP_TRACE ? TRACE_MAX : ERRNO_MAX;
    if (is_given && !has_errno(action))
        return err_set(
            err, EINVAL, "linux.seccomp.%s: %s takes none", field, oci_seccomp_action_name(action));
    if (is_given && given > max)
        return err_set(err, EINVAL, "linux.seccomp.%s: %u is beyond %u", field, given, max);
    return 0;
}

static bool is_syscall_name(const char *name)
{
    size_t len = 0;
    for (; name[len] != '\0'; len++) {
        char c = name[len];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
            return false;
    }
    return len > 0 && len <= NAME_BYTES_MAX;
}

/* Between the load of the filter and the moment when somebody listens, init makes these calls; runc refuses write
 * too. */
static bool is_used_by_init(const char *name)
{
    return str_eq(name, "sendmsg") || str_eq(name, "write");
}

static int check_call(const struct oci_seccomp_syscall *call, struct error *err)
{
    int r =
        check_errno(call->action, call->has_errno_ret, call->errno_ret, "syscalls.errnoRet", err);
    if (r < 0)
        return r;
    for (size_t i = 0; i < call->n_args; i++)
        if (call->args[i].index >= SYSCALL_FILTER_ARGS)
            return err_set(err, EINVAL, "linux.seccomp.syscalls.args.index: %u is beyond %d",
                call->args[i].index, SYSCALL_FILTER_ARGS - 1);
    for (size_t i = 0; i < call->n_names; i++) {
        if (!is_syscall_name(call->names[i]))
            return err_set(
                err, EINVAL, "linux.seccomp.syscalls.names: not the name of a system call");
        if (call->action == OCI_SECCOMP_NOTIFY && is_used_by_init(call->names[i]))
            return err_set(err, EINVAL,
                "linux.seccomp.syscalls: SCMP_ACT_NOTIFY cannot be used for %s", call->names[i]);
    }
    return 0;
}

static int check_calls(const struct oci_seccomp *seccomp, bool *ret_has_notify, struct error *err)
{
    size_t n = 0;
    *ret_has_notify = false;
    for (size_t i = 0; i < seccomp->n_syscalls; i++) {
        const struct oci_seccomp_syscall *call = &seccomp->syscalls[i];
        size_t n_rules = call->n_args > 1 ? call->n_args : 1;
        if (n_rules > SYSCALL_FILTER_RULES_MAX || call->n_names > SYSCALL_FILTER_RULES_MAX ||
            (n += n_rules * call->n_names) > SYSCALL_FILTER_RULES_MAX)
            return err_set(err, EINVAL, "linux.seccomp.syscalls: more than %d rules",
                SYSCALL_FILTER_RULES_MAX);
        int r = check_call(call, err);
        if (r < 0)
            return r;
        *ret_has_notify = *ret_has_notify || call->action == OCI_SECCOMP_NOTIFY;
    }
    return 0;
}

/* --- architectures --- */

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_arch_name(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(arch_names); i++)
        if (str_eq(name, arch_names[i]))
            return true;
    return false;
}

static int take_archs(struct arena *arena, const struct oci_seccomp *seccomp,
    struct syscall_filter_plan *plan, struct error *err)
{
    if (seccomp->n_architectures == 0)
        return 0;
    if (seccomp->n_architectures > SYSCALL_FILTER_ARCHS_MAX)
        return err_set(
            err, EINVAL, "linux.seccomp.architectures: more than %d", SYSCALL_FILTER_ARCHS_MAX);
    plan->archs = arena_new_array(arena, seccomp->n_architectures, const char *);
    for (size_t i = 0; i < seccomp->n_architectures; i++) {
        if (!is_arch_name(seccomp->architectures[i]))
            return err_set(err, EINVAL, "linux.seccomp.architectures[%zu]: not an architecture", i);
        plan->archs[i] = seccomp->architectures[i];
    }
    qsort(plan->archs, seccomp->n_architectures, sizeof(plan->archs[0]), compare_strings);
    for (size_t i = 0; i < seccomp->n_architectures; i++)
        if (i == 0 || !str_eq(plan->archs[i], plan->archs[i - 1]))
            plan->archs[plan->n_archs++] = plan->archs[i];
    return 0;
}

/* --- plan --- */

/* As runc: not when the default lets calls through, and not where it is ENOSYS already. */
static bool wants_enosys_stub(const struct syscall_filter_plan *plan)
{
    if (plan->default_action == OCI_SECCOMP_ALLOW || plan->default_action == OCI_SECCOMP_LOG)
        return false;
    bool is_enosys = plan->default_action == OCI_SECCOMP_ERRNO && plan->default_errno_ret == ENOSYS;
    return !is_enosys && plan->document->n_syscalls > 0;
}

static unsigned take_flags(const struct oci_seccomp *seccomp, bool wants_listener)
{
    unsigned flags = seccomp->has_flags ? seccomp->flags : OCI_SECCOMP_FLAG_SPEC_ALLOW;
    return wants_listener ? flags : flags & ~OCI_SECCOMP_FLAG_WAIT_KILLABLE_RECV;
}

int syscall_filter_plan_build(struct arena *arena, const struct oci_seccomp *seccomp,
    bool is_strict, struct syscall_filter_plan *ret, struct error *err)
{
    struct syscall_filter_plan plan = {
        .document = seccomp, .default_action = seccomp->default_action, .is_strict = is_strict
    };
    if (plan.default_action == OCI_SECCOMP_NOTIFY)
        return err_set(
            err, EINVAL, "linux.seccomp.defaultAction: SCMP_ACT_NOTIFY cannot be the default");
    int r = check_errno(seccomp->default_action, seccomp->has_default_errno_ret,
        seccomp->default_errno_ret, "defaultErrnoRet", err);
    if (r == 0)
        r = take_archs(arena, seccomp, &plan, err);
    if (r == 0)
        r = check_calls(seccomp, &plan.wants_listener, err);
    if (r < 0)
        return r;
    if (plan.wants_listener && seccomp->listener_path == NULL)
        return err_set(err, EINVAL, "linux.seccomp.listenerPath: SCMP_ACT_NOTIFY needs it");
    plan.default_errno_ret = syscall_filter_errno(
        plan.default_action, seccomp->has_default_errno_ret, seccomp->default_errno_ret);
    plan.has_enosys_stub = wants_enosys_stub(&plan);
    plan.flags = take_flags(seccomp, plan.wants_listener);
    *ret = plan;
    return 0;
}

/* --- print --- */

static void print_action(struct buf *out, enum oci_seccomp_action action, uint32_t errno_ret)
{
    buf_puts(out, oci_seccomp_action_name(action));
    if (has_errno(action))
        buf_printf(out, "(%u)", errno_ret);
}

static void print_arg(struct buf *out, const struct oci_seccomp_arg *arg)
{
    buf_printf(out, " arg%u %s 0x%" PRIx64, arg->index, operator_names[arg->op], arg->value);
    if (arg->op == OCI_SECCOMP_MASKED_EQ)
        buf_printf(out, " == 0x%" PRIx64, arg->value_two);
}

void syscall_filter_plan_print(const struct syscall_filter_plan *plan, struct buf *out)
{
    buf_puts(out, "seccomp default ");
    print_action(out, plan->default_action, plan->default_errno_ret);
    buf_printf(out, " flags 0x%x%s%s%s\n", plan->flags,
        plan->has_enosys_stub ? " new-calls-enosys" : "", plan->is_strict ? " strict" : "",
        plan->wants_listener ? " listener" : "");
    for (size_t i = 0; i < plan->n_archs; i++)
        buf_printf(out, "seccomp arch %s\n", plan->archs[i]);
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct syscall_rules rules = syscall_filter_rules(&arena, plan);
    for (size_t i = 0; i < rules.n; i++) {
        const struct syscall_rule *rule = &rules.items[i];
        buf_printf(out, "seccomp %s ", rule->name);
        print_action(out, rule->action, rule->errno_ret);
        for (unsigned k = 0; k < rule->n_args; k++)
            print_arg(out, &rule->args[k]);
        buf_puts(out, rule->is_guard ? " first\n" : "\n");
    }
}
