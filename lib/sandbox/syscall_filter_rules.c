/* SPDX-License-Identifier: Apache-2.0 */
/* Rules in one order, without overlap that the order of the document would decide. */
#include "syscall_filter_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "strv.h"
#include "syscall_filter_plan.h"

uint32_t syscall_filter_errno(enum oci_seccomp_action action, bool is_given, uint32_t given)
{
    if (action != OCI_SECCOMP_ERRNO && action != OCI_SECCOMP_TRACE)
        return 0;
    return is_given ? given : EPERM;
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

/* --- taking the document's rules --- */

/* A copy of the conditions in one order; true in *ret_has_twice when an argument is there more than once. */
static const struct oci_seccomp_arg *take_args(
    struct arena *arena, const struct oci_seccomp_syscall *call, bool *ret_has_twice)
{
    struct oci_seccomp_arg *args = arena_new_array(arena, call->n_args, struct oci_seccomp_arg);
    for (size_t i = 0; i < call->n_args; i++) {
        args[i] = call->args[i];
        /* libseccomp ignores what lies outside of the mask; the plan says so */
        args[i].value_two =
            args[i].op == OCI_SECCOMP_MASKED_EQ ? args[i].value & args[i].value_two : 0;
    }
    qsort(args, call->n_args, sizeof(args[0]), compare_args);
    for (size_t i = 1; i < call->n_args; i++)
        if (args[i].index == args[i - 1].index)
            *ret_has_twice = true;
    return args;
}

static void take_call(
    struct arena *arena, const struct oci_seccomp_syscall *call, struct syscall_rules *rules)
{
    bool has_twice = false;
    const struct oci_seccomp_arg *args =
        call->n_args == 0 ? NULL : take_args(arena, call, &has_twice);
    size_t n_each = has_twice ? call->n_args : 1;
    for (size_t i = 0; i < call->n_names * n_each; i++)
        rules->items[rules->n++] = (struct syscall_rule){
            .name = call->names[i / n_each],
            .action = call->action,
            .errno_ret = syscall_filter_errno(call->action, call->has_errno_ret, call->errno_ret),
            .n_args = has_twice ? 1 : (unsigned)call->n_args,
            .args = has_twice ? args + i % n_each : args,
        };
}

static size_t count(const struct oci_seccomp *document)
{
    size_t n = 0;
    for (size_t i = 0; i < document->n_syscalls; i++) {
        const struct oci_seccomp_syscall *call = &document->syscalls[i];
        n += call->n_names * (call->n_args > 1 ? call->n_args : 1);
    }
    return n;
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

struct syscall_rules syscall_filter_rules(
    struct arena *arena, const struct syscall_filter_plan *plan)
{
    const struct oci_seccomp *document = plan->document;
    struct syscall_rules rules = { NULL, 0 };
    size_t n_max = count(document);
    if (n_max == 0)
        return rules;
    rules.items = arena_new_array(arena, n_max, struct syscall_rule);
    for (size_t i = 0; i < document->n_syscalls; i++)
        take_call(arena, &document->syscalls[i], &rules);
    qsort(rules.items, rules.n, sizeof(rules.items[0]), compare_rules);
    size_t n_out = 0;
    for (size_t at = 0; at < rules.n;) {
        size_t end = at + 1;
        while (end < rules.n && str_eq(rules.items[at].name, rules.items[end].name))
            end++;
        n_out += settle(plan, rules.items + at, end - at, rules.items + n_out);
        at = end;
    }
    rules.n = n_out;
    return rules;
}
