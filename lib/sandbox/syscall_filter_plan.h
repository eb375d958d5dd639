/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  linux.seccomp, checked, with everything decided but the order of its rules (syscall_filter_rules.h), which a
 *          start that finds its program in the cache never needs.
 * Runs in  any (pure); names of system calls are not resolved here, that is libseccomp's trade (syscall_filter_build.h)
 * Trusts   nothing
 * Owns     archs live in the arena; the document is borrowed and must not change any more
 * Source   OCI config-linux.md "Seccomp"; seccomp(2)
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

struct syscall_filter_plan {
    const struct oci_seccomp *document;
    enum oci_seccomp_action default_action;
    uint32_t default_errno_ret;
    bool has_enosys_stub; /* calls newer than every listed one get ENOSYS, not the default action */
    bool is_strict;       /* a name that libseccomp does not know is an error: our own profiles */
    bool wants_listener;  /* there is a NOTIFY rule */
    unsigned flags;       /* OCI_SECCOMP_FLAG_* for seccomp(2) */
    const char **archs;   /* SCMP_ARCH_* besides the native one, sorted */
    size_t n_archs;
};

/* is_strict: the profile is our own. Refused: NOTIFY as default action or for write and sendmsg (init sends the
 * listener by it), NOTIFY without a listenerPath, argument numbers above 5, unknown architecture names. */
int syscall_filter_plan_build(struct arena *arena, const struct oci_seccomp *seccomp,
    bool is_strict, struct syscall_filter_plan *ret, struct error *err);
/* Head, architectures, and the rules as settled. */
void syscall_filter_plan_print(const struct syscall_filter_plan *plan, struct buf *out);
