/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Rules → BPF program, through libseccomp (this file alone touches it).
 * Runs in  parent (pure but for the memory file that libseccomp writes to)
 * Owns     the program lives in the arena
 * Fails    -EINVAL with the rule named; with plan->is_strict also for a name that libseccomp does not know. Otherwise
 *          such names are left out, as runc and crun do: engines list calls that are newer than the library.
 * Source   seccomp_init(3) and those it refers to; a stub for new calls as in runc ("-ENOSYS stub", since 1.0-rc93)
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct error;
struct strv;
struct syscall_filter_plan;

#define SYSCALL_FILTER_INSN_BYTES 8    /* struct sock_filter */
#define SYSCALL_FILTER_INSNS_MAX  4096 /* BPF_MAXINSNS: the kernel takes no longer program */

struct syscall_filter {
    const uint8_t *bytes; /* struct sock_filter[n_insns], in host order */
    size_t n_insns;
    unsigned flags; /* for seccomp(2), SECCOMP_FILTER_FLAG_* */
    bool wants_listener;
};

int syscall_filter_build(struct arena *arena, const struct syscall_filter_plan *plan,
    struct syscall_filter *ret, struct error *err);
/* The names in the plan that libseccomp does not know for any of its architectures, each once. */
void syscall_filter_unknown_names(
    struct arena *arena, const struct syscall_filter_plan *plan, struct strv *ret);
/* Everything besides the plan that decides about the program: library version, machine, our own format. */
const char *syscall_filter_version(void);
