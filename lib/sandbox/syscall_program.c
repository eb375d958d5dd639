/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of classic BPF. */
#include "syscall_program.h"

#include <errno.h>
#include <string.h>

#include "buf.h"
#include "syscall_filter_build.h"

#define LOAD        0x20 /* ld [k] */
#define JUMP        0x05 /* ja k */
#define JUMP_EQUAL  0x15
#define JUMP_ABOVE  0x25
#define JUMP_FROM   0x35 /* jge */
#define RETURN      0x06
#define DATA_NUMBER 0 /* offsets in struct seccomp_data */
#define DATA_ARCH   4

#define RETURN_ERRNO 0x00050000U
#define ARCH_X86_64  0xc000003eU
#define X32_BIT      0x40000000U

struct insn {
    uint16_t code;
    uint8_t jump_true;
    uint8_t jump_false;
    uint32_t k;
};

_Static_assert(sizeof(struct insn) == SYSCALL_FILTER_INSN_BYTES, "struct sock_filter");

static void emit(
    struct buf *program, uint16_t code, size_t jump_true, size_t jump_false, uint32_t k)
{
    const struct insn insn = { code, (uint8_t)jump_true, (uint8_t)jump_false, k };
    buf_add(program, &insn, sizeof(insn));
}

void syscall_program_chain(struct buf *program, const struct buf *stage)
{
    size_t n = stage->len / sizeof(struct insn);
    for (size_t i = 0; i < n; i++) {
        struct insn insn;
        memcpy(&insn, stage->data + i * sizeof(insn), sizeof(insn));
        if (insn.code == RETURN && insn.k == SYSCALL_PROGRAM_HAND_ON)
            insn = (struct insn){ .code = JUMP, .k = (uint32_t)(n - i - 1) };
        buf_add(program, &insn, sizeof(insn));
    }
}

void syscall_program_gate(
    struct buf *program, const uint32_t *numbers, size_t n, size_t n_insns_behind)
{
    emit(program, LOAD, 0, 0, DATA_NUMBER);
    for (size_t i = 0; i < n; i++)
        emit(program, JUMP_EQUAL, n - i, 0, numbers[i]);
    emit(program, JUMP, 0, 0, (uint32_t)n_insns_behind);
}

#define STUB_ARCH_INSNS 6

/* One architecture's block. A call of another one passes over it with the architecture still loaded. */
static void stub_arch(
    struct buf *program, const struct syscall_program_newest *newest, size_t n_insns_behind)
{
    /* x32 comes as x86_64 with a bit set: left to what follows. -1 is a tracer's "skip this call". */
    uint32_t end = newest->arch == ARCH_X86_64 ? X32_BIT : UINT32_MAX;
    emit(program, JUMP_EQUAL, 0, STUB_ARCH_INSNS - 1, newest->arch);
    emit(program, LOAD, 0, 0, DATA_NUMBER);
    emit(program, JUMP_FROM, 2, 0, end);
    emit(program, JUMP_ABOVE, 0, 1, newest->number);
    emit(program, RETURN, 0, 0, RETURN_ERRNO | ENOSYS);
    emit(program, JUMP, 0, 0, (uint32_t)n_insns_behind);
}

void syscall_program_stub(
    struct buf *program, const struct syscall_program_newest *newest, size_t n)
{
    emit(program, LOAD, 0, 0, DATA_ARCH);
    for (size_t i = 0; i < n; i++)
        stub_arch(program, &newest[i], (n - i - 1) * STUB_ARCH_INSNS);
}
