/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Runs a seccomp program on a made-up system call, so that a test sees the verdict on calls that this kernel
 *          does not have, of other architectures, and without dying of a kill.
 * Trusts   nothing: a program that the kernel would refuse (jump beyond the end, unknown instruction, no return, load
 *          outside of struct seccomp_data) gives BPF_SIMULATOR_BROKEN
 * Source   the classic BPF that seccomp_check_filter in the kernel lets through
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BPF_SIMULATOR_BROKEN 0xdeadbeefU

/* struct seccomp_data */
struct bpf_simulator_call {
    int32_t number;
    uint32_t arch;
    uint64_t instruction_pointer;
    uint64_t args[6];
};

struct bpf_simulator_insn {
    uint16_t code;
    uint8_t jump_true;
    uint8_t jump_false;
    uint32_t k;
};

static inline int bpf_simulator_compare(uint16_t code, uint32_t a, uint32_t k)
{
    switch (code & 0xf0) {
    case 0x10:
        return a == k;
    case 0x20:
        return a > k;
    case 0x30:
        return a >= k;
    default:
        return (a & k) != 0;
    }
}

/* The SECCOMP_RET_* value. *ret_n_steps (may be NULL): instructions that were run. */
static inline uint32_t bpf_simulator_run(const uint8_t *bytes, size_t n_insns,
    const struct bpf_simulator_call *call, size_t *ret_n_steps)
{
    uint32_t a = 0;
    uint32_t x = 0;
    uint32_t memory[16] = { 0 };
    size_t n_steps = 0;
    for (size_t at = 0; at < n_insns; at++, n_steps++) {
        struct bpf_simulator_insn insn;
        memcpy(&insn, bytes + at * sizeof(insn), sizeof(insn));
        switch (insn.code) {
        case 0x20: /* ld [k] */
            if (insn.k % 4 != 0 || insn.k + 4 > sizeof(*call))
                return BPF_SIMULATOR_BROKEN;
            memcpy(&a, (const char *)call + insn.k, sizeof(a));
            break;
        case 0x00: /* ld #k */
            a = insn.k;
            break;
        case 0x02: /* st M[k] */
        case 0x60: /* ld M[k] */
            if (insn.k >= 16)
                return BPF_SIMULATOR_BROKEN;
            if (insn.code == 0x02)
                memory[insn.k] = a;
            else
                a = memory[insn.k];
            break;
        case 0x07: /* tax */
            x = a;
            break;
        case 0x87: /* txa */
            a = x;
            break;
        case 0x54: /* and #k */
            a &= insn.k;
            break;
        case 0x05: /* ja k */
            at += insn.k;
            break;
        case 0x15: /* jeq, jgt, jge, jset #k */
        case 0x25:
        case 0x35:
        case 0x45:
            at += bpf_simulator_compare(insn.code, a, insn.k) ? insn.jump_true : insn.jump_false;
            break;
        case 0x06: /* ret #k */
            if (ret_n_steps != NULL)
                *ret_n_steps = n_steps + 1;
            return insn.k;
        default:
            return BPF_SIMULATOR_BROKEN;
        }
    }
    return BPF_SIMULATOR_BROKEN;
}
