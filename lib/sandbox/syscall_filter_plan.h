/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  linux.seccomp → a normalised, printable list of rules: which system call gets which action under which
 *          conditions. The print is also what the cache's key is made of.
 * Runs in  any (pure); names of system calls are not resolved here, that is libseccomp's trade (syscall_filter_build.h)
 * Trusts   nothing
 * Owns     results live in the arena; strings are borrowed from the configuration
 * Source   OCI config-linux.md "Seccomp"; seccomp(2), seccomp_rule_add(3)
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
struct buf;
struct error;

#define SYSCALL_FILTER_ARGS      6
#define SYSCALL_FILTER_RULES_MAX 16384 /* system call names over all rules */
#define SYSCALL_FILTER_ARCHS_MAX 24

struct syscall_rule {
    const char *name;
    enum oci_seccomp_action action;
    uint32_t errno_ret; /* of ERRNO and TRACE */
    bool is_guard;      /* asked before the rule without conditions that the call has too */
    unsigned n_args;    /* 0: without conditions */
    const struct oci_seccomp_arg *args;
};

struct syscall_filter_plan {
    enum oci_seccomp_action default_action;
    uint32_t default_errno_ret;
    bool has_enosys_stub; /* calls newer than every listed one get ENOSYS, not the default action */
    bool is_strict;       /* a name that libseccomp does not know is an error: our own profiles */
    bool wants_listener;  /* there is a NOTIFY rule */
    unsigned flags;       /* OCI_SECCOMP_FLAG_* for seccomp(2) */
    const char **archs;   /* SCMP_ARCH_* besides the native one, sorted */
    size_t n_archs;
    struct syscall_rule *rules; /* sorted: name, action, conditions */
    size_t n_rules;
};

/* is_strict: the profile is our own. Refused: NOTIFY as default action or for write(2) (init reports over it), NOTIFY
 * without a listenerPath, argument numbers above 5, unknown architecture names. */
int syscall_filter_plan_build(struct arena *arena, const struct oci_seccomp *seccomp,
    bool is_strict, struct syscall_filter_plan *ret, struct error *err);
void syscall_filter_plan_print(const struct syscall_filter_plan *plan, struct buf *out);
