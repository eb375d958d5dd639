/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The classic BPF that is written by hand around the programs of libseccomp: chaining them, skipping those
 *          that have nothing to say, and the answer to calls newer than the profile.
 * Runs in  any (pure)
 * Source   struct sock_filter and seccomp_data of seccomp(2)
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct buf;

#define SYSCALL_PROGRAM_HAND_ON                                                                    \
    0x7ff0ffffU /* SECCOMP_RET_TRACE | 0xffff: plans have no such action */
#define SYSCALL_PROGRAM_GATES_MAX 32

/* Appends a stage. Where it returns HAND_ON it goes on behind its end instead. */
void syscall_program_chain(struct buf *program, const struct buf *stage);

/* Appends: only the calls with these numbers go on here; all others pass over n_insns_behind. Only for a program whose
 * other architectures are refused in the end: it looks at the number alone. */
void syscall_program_gate(
    struct buf *program, const uint32_t *numbers, size_t n, size_t n_insns_behind);

struct syscall_program_newest {
    uint32_t arch;   /* AUDIT_ARCH_* */
    uint32_t number; /* UINT32_MAX: no limit */
};

/* Appends: a number above that of its architecture fails with ENOSYS. */
void syscall_program_stub(
    struct buf *program, const struct syscall_program_newest *newest, size_t n);
