/* SPDX-License-Identifier: Apache-2.0 */
/* linux.seccomp, normalised: one order, no overlap that the order of rules would decide. */
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

#define NAME_BYTES_MAX 64
#define ERRNO_MAX      4095   /* the kernel's MAX_ERRNO */
#define TRACE_MAX      0xfffe /* one less than the kernel has: see HAND_ON in syscall_filter_build.c */

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

/* The errno of an action, EPERM when none is given. */
static int take_errno(enum oci_seccomp_action action, bool is_given, uint32_t given,
    const char *field, uint32_t *ret, struct error *err)
{
    if (is_given && !has_errno(action))
        return err_set(
            err, EINVAL, "linux.seccomp.%s: %s takes none", field, oci_seccomp_action_name(action));
    uint32_t max = action == OCI_SECCOMP_TRACE ? TRACE_MAX : ERRNO_MAX;
    if (is_given && given > max)
        return err_set(err, EINVAL, "linux.seccomp.%s: %u is beyond %u", field, given, max);
    *ret = !has_errno(action) ? 0 : is_given ? given : EPERM;
    return 0;
}

static bool is_syscall_name(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return len > 0 && len <= NAME_BYTES_MAX && name[len] == '\0';
}

/* --- order --- */

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_args(const void *a, const void *b)
{
    const struct oci_seccomp_arg *x = a;
    const struct oci_seccomp_arg *y = b;
    int c = compare_u64(x->index, y->index);
    if (c == 0)
        c = compare_u64((uint64_t)x->op, (uint64_t)y->op);
    if (c == 0)
        c = compare_u64(x->value, y->value);
    return c != 0 ? c : compare_u64(x->value_two, y->value_two);
}

/* By name; the strictest action first; within an action those without conditions first. */
static int compare_rules(const void *a, const void *b)
{
    const struct syscall_rule *x = a;
    const struct syscall_rule *y = b;
    int c = strcmp(x->name, y->name);
    if (c == 0)
        c = compare_u64((uint64_t)x->action, (uint64_t)y->action);
    if (c == 0)
        c = compare_u64(x->n_args, y->n_args);
    for (unsigned i = 0; c == 0 && i < x->n_args; i++)
        c = compare_args(&x->args[i], &y->args[i]);
    return c != 0 ? c : compare_u64(x->errno_ret, y->errno_ret);
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* --- taking the document's rules --- */

struct builder {
    struct arena *arena;
    struct syscall_filter_plan *plan;
    size_t n_max;
};

static void add_rule(struct builder *b, struct syscall_rule rule)
{
    b->plan->rules[b->plan->n_rules++] = rule;
}

/* A copy of the conditions in one order; true in *ret_has_twice when an argument is there more than once. */
static int take_args(struct arena *arena, const struct oci_seccomp_syscall *call,
    const struct oci_seccomp_arg **ret, bool *ret_has_twice, struct error *err)
{
    struct oci_seccomp_arg *args = arena_new_array(arena, call->n_args, struct oci_seccomp_arg);
    *ret_has_twice = false;
    for (size_t i = 0; i < call->n_args; i++) {
        args[i] = call->args[i];
        if (args[i].index >= SYSCALL_FILTER_ARGS)
            return err_set(err, EINVAL, "linux.seccomp.syscalls.args.index: %u is beyond %d",
                args[i].index, SYSCALL_FILTER_ARGS - 1);
        /* libseccomp ignores what lies outside of the mask; the plan says so */
        args[i].value_two = args[i].op == OCI_SECCOMP_MASKED_EQ ? args[i].value & args[i].value_two : 0;
    }
    qsort(args, call->n_args, sizeof(args[0]), compare_args);
    for (size_t i = 1; i < call->n_args; i++)
        if (args[i].index == args[i - 1].index)
            *ret_has_twice = true;
    *ret = args;
    return 0;
}

static int take_call(struct builder *b, const struct oci_seccomp_syscall *call, struct error *err)
{
    struct syscall_rule rule = { .action = call->action };
    const struct oci_seccomp_arg *args = NULL;
    bool has_twice = false;
    int r = take_errno(call->action, call->has_errno_ret, call->errno_ret, "syscalls.errnoRet",
        &rule.errno_ret, err);
    if (r == 0 && call->n_args > 0)
        r = take_args(b->arena, call, &args, &has_twice, err);
    if (r < 0)
        return r;
    for (size_t i = 0; i < call->n_names; i++) {
        rule.name = call->names[i];
        if (!is_syscall_name(rule.name))
            return err_set(
                err, EINVAL, "linux.seccomp.syscalls.names: not the name of a system call");
        if (call->action == OCI_SECCOMP_NOTIFY && str_eq(rule.name, "write"))
            return err_set(
                err, EINVAL, "linux.seccomp.syscalls: SCMP_ACT_NOTIFY cannot be used for write");
        rule.args = args;
        rule.n_args = has_twice ? 1 : (unsigned)call->n_args;
        for (size_t k = 0; k < (has_twice ? call->n_args : 1); k++) {
            rule.args = args == NULL ? NULL : args + k;
            add_rule(b, rule);
        }
    }
    return 0;
}

static int count_rules(const struct oci_seccomp *seccomp, size_t *ret, struct error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < seccomp->n_syscalls; i++) {
        const struct oci_seccomp_syscall *call = &seccomp->syscalls[i];
        size_t n_rules = call->n_args > 1 ? call->n_args : 1;
        if (n_rules > SYSCALL_FILTER_RULES_MAX || call->n_names > SYSCALL_FILTER_RULES_MAX ||
            (n += n_rules * call->n_names) > SYSCALL_FILTER_RULES_MAX)
            return err_set(err, EINVAL, "linux.seccomp.syscalls: more than %d rules",
                SYSCALL_FILTER_RULES_MAX);
    }
    *ret = n;
    return 0;
}

/* --- one call's rules, settled --- */

static bool is_default(const struct syscall_filter_plan *plan, const struct syscall_rule *rule)
{
    return rule->action == plan->default_action && rule->errno_ret == plan->default_errno_ret;
}

/* The action that a call gets when no stricter condition holds: that of its strictest rule without conditions, else the
 * laxest of all. Rules without conditions that only repeat the default do not count. */
static enum oci_seccomp_action base_action(const struct syscall_filter_plan *plan,
    const struct syscall_rule *rules, size_t n, const struct syscall_rule **ret_unconditional)
{
    *ret_unconditional = NULL;
    for (size_t i = 0; i < n; i++)
        if (rules[i].n_args == 0 && !is_default(plan, &rules[i])) {
            *ret_unconditional = &rules[i];
            return rules[i].action;
        }
    return rules[n - 1].action; /* sorted: the laxest */
}

/* Settles rules[0..n) of one name into out (which may lie over them); returns how many there are then. */
static size_t settle(const struct syscall_filter_plan *plan, const struct syscall_rule *rules,
    size_t n, struct syscall_rule *out)
{
    const struct syscall_rule *unconditional;
    const struct syscall_rule first = rules[0];
    const enum oci_seccomp_action base = base_action(plan, rules, n, &unconditional);
    const struct syscall_rule base_rule = unconditional == NULL ? first : *unconditional;
    size_t n_out = 0;
    for (size_t i = 0; i < n; i++) {
        struct syscall_rule rule = rules[i];
        if (rule.n_args == 0)
            continue;
        if (rule.action < base)
            rule.is_guard = true;
        else if (unconditional != NULL || is_default(plan, &rule))
            continue;
        if (n_out > 0 && compare_rules(&out[n_out - 1], &rule) == 0)
            continue;
        out[n_out++] = rule;
    }
    if (unconditional != NULL)
        out[n_out++] = base_rule;
    if (n_out == 0) { /* the default in other words: kept, since the profile knows the call */
        out[n_out] = first;
        out[n_out].n_args = 0;
        out[n_out].args = NULL;
        out[n_out].action = plan->default_action;
        out[n_out++].errno_ret = plan->default_errno_ret;
    }
    return n_out;
}

static void settle_all(struct syscall_filter_plan *plan)
{
    if (plan->n_rules > 0)
        qsort(plan->rules, plan->n_rules, sizeof(plan->rules[0]), compare_rules);
    size_t n_out = 0;
    for (size_t at = 0; at < plan->n_rules;) {
        size_t end = at + 1;
        while (end < plan->n_rules && str_eq(plan->rules[at].name, plan->rules[end].name))
            end++;
        n_out += settle(plan, plan->rules + at, end - at, plan->rules + n_out);
        at = end;
    }
    plan->n_rules = n_out;
    for (size_t i = 0; i < n_out; i++)
        if (plan->rules[i].action == OCI_SECCOMP_NOTIFY)
            plan->wants_listener = true;
}

/* --- the rest of the document --- */

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

/* As runc: not when the default lets calls through, and not where it is ENOSYS already. */
static bool wants_enosys_stub(const struct syscall_filter_plan *plan)
{
    if (plan->default_action == OCI_SECCOMP_ALLOW || plan->default_action == OCI_SECCOMP_LOG)
        return false;
    bool is_enosys = plan->default_action == OCI_SECCOMP_ERRNO && plan->default_errno_ret == ENOSYS;
    return !is_enosys && plan->n_rules > 0;
}

static unsigned take_flags(const struct oci_seccomp *seccomp, bool wants_listener)
{
    unsigned flags = seccomp->has_flags ? seccomp->flags : OCI_SECCOMP_FLAG_SPEC_ALLOW;
    return wants_listener ? flags : flags & ~OCI_SECCOMP_FLAG_WAIT_KILLABLE_RECV;
}

int syscall_filter_plan_build(struct arena *arena, const struct oci_seccomp *seccomp,
    bool is_strict, struct syscall_filter_plan *ret, struct error *err)
{
    struct syscall_filter_plan plan = { .default_action = seccomp->default_action,
        .is_strict = is_strict };
    struct builder b = { .arena = arena, .plan = &plan };
    if (plan.default_action == OCI_SECCOMP_NOTIFY)
        return err_set(
            err, EINVAL, "linux.seccomp.defaultAction: SCMP_ACT_NOTIFY cannot be the default");
    int r = take_errno(seccomp->default_action, seccomp->has_default_errno_ret,
        seccomp->default_errno_ret, "defaultErrnoRet", &plan.default_errno_ret, err);
    if (r == 0)
        r = take_archs(arena, seccomp, &plan, err);
    if (r == 0)
        r = count_rules(seccomp, &b.n_max, err);
    if (r < 0)
        return r;
    if (b.n_max > 0)
        plan.rules = arena_new_array(arena, b.n_max, struct syscall_rule);
    for (size_t i = 0; i < seccomp->n_syscalls; i++) {
        r = take_call(&b, &seccomp->syscalls[i], err);
        if (r < 0)
            return r;
    }
    settle_all(&plan);
    if (plan.wants_listener && seccomp->listener_path == NULL)
        return err_set(err, EINVAL, "linux.seccomp.listenerPath: SCMP_ACT_NOTIFY needs it");
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
    for (size_t i = 0; i < plan->n_rules; i++) {
        const struct syscall_rule *rule = &plan->rules[i];
        buf_printf(out, "seccomp %s ", rule->name);
        print_action(out, rule->action, rule->errno_ret);
        for (unsigned k = 0; k < rule->n_args; k++)
            print_arg(out, &rule->args[k]);
        buf_puts(out, rule->is_guard ? " first\n" : "\n");
    }
}
