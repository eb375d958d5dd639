/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The rules of a plan, settled: which system call gets which action under which conditions, so that no order
 *          of rules in the document decides anything.
 * Runs in  any (pure)
 * Owns     results live in the arena; names are borrowed from the document
 * Source   seccomp_rule_add(3)
 *
 * What decides when several rules name one call: rules with conditions first, the strictest action first; then the one
 * without. Two things that libseccomp would do silently are therefore settled here:
 *   - An unconditional rule swallows conditional ones. A stricter conditional one is kept (is_guard); a laxer one is
 *     dropped, as runc does.
 *   - Two conditions on one argument within one rule: each becomes a rule of its own (either suffices), as in runc.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oci_config.h"

struct arena;
struct syscall_filter_plan;

struct syscall_rule {
    const char *name;
    enum oci_seccomp_action action;
    uint32_t errno_ret; /* of ERRNO and TRACE */
    bool is_guard;      /* asked before the call's laxer rules */
    unsigned n_args;    /* 0: without conditions */
    const struct oci_seccomp_arg *args;
};

/* Sorted: name, action, conditions. */
struct syscall_rules {
    struct syscall_rule *items;
    size_t n;
};

struct syscall_rules syscall_filter_rules(
    struct arena *arena, const struct syscall_filter_plan *plan);
/* The number that goes with an action; EPERM when the document gives none. */
uint32_t syscall_filter_errno(enum oci_seccomp_action action, bool is_given, uint32_t given);
