/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device rules → eBPF. The program walks the rules from the last to the first and keeps the
 * accesses that no rule has granted yet; the first rule met that denies one of them ends it.
 *
 *     r1 context   r2 type   r3 accesses still to be granted   r4 major   r5 minor
 */
#include "device_filter_plan.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "err.h"
#include "kernel_const.h"
#include "oci_config.h"

#define INSNS_HEAD    6
#define INSNS_TAIL    2
#define INSNS_OF_RULE 7

#define ACCESS_ALL (KERNEL_BPF_DEVCG_MKNOD | KERNEL_BPF_DEVCG_READ | KERNEL_BPF_DEVCG_WRITE)

/* Opcodes of the eBPF instruction set, RFC 9669. */
enum {
    OP_LOAD_WORD = 0x61,     /* dst = *(u32 *)(src + off) */
    OP_MOVE_IMM = 0xb7,      /* dst = imm */
    OP_MOVE_REG32 = 0xbc,    /* dst = (u32)src */
    OP_AND_IMM32 = 0x54,     /* dst = (u32)(dst & imm) */
    OP_SHIFT_RIGHT32 = 0x74, /* dst = (u32)dst >> imm */
    OP_JUMP = 0x05,          /* pc += off */
    OP_JUMP_SET = 0x45,      /* if (dst & imm) pc += off */
    OP_JUMP_NE32 = 0x56,     /* if ((u32)dst != imm) pc += off; Linux 5.1 */
    OP_EXIT = 0x95,
};

enum { R_RESULT, R_CONTEXT, R_TYPE, R_ACCESS, R_MAJOR, R_MINOR };

enum { CONTEXT_ACCESS_TYPE = 0, CONTEXT_MAJOR = 4, CONTEXT_MINOR = 8 };

/* What every container has: the nodes that the runtime makes itself, and mknod, which alone opens
 * nothing. */
static const struct oci_device_rule default_rules[] = {
    { .allow = true, .type = 'c', .access_ = "m" }, { .allow = true, .type = 'b', .access_ = "m" },
    { .allow = true,
        .type = 'c',
        .has_major = true,
        .major = 1,
        .has_minor = true,
        .minor = 3 }, /* null */
    { .allow = true,
        .type = 'c',
        .has_major = true,
        .major = 1,
        .has_minor = true,
        .minor = 5 }, /* zero */
    { .allow = true,
        .type = 'c',
        .has_major = true,
        .major = 1,
        .has_minor = true,
        .minor = 7 }, /* full */
    { .allow = true,
        .type = 'c',
        .has_major = true,
        .major = 1,
        .has_minor = true,
        .minor = 8 }, /* random */
    { .allow = true,
        .type = 'c',
        .has_major = true,
        .major = 1,
        .has_minor = true,
        .minor = 9 }, /* urandom */
    { .allow = true,
        .type = 'c',
        .has_major = true,
        .major = 5,
        .has_minor = true,
        .minor = 0 }, /* tty */
    { .allow = true,
        .type = 'c',
        .has_major = true,
        .major = 5,
        .has_minor = true,
        .minor = 2 },                                                /* ptmx */
    { .allow = true, .type = 'c', .has_major = true, .major = 136 }, /* pts/N */
};

static void emit(
    struct device_filter *filter, int code, unsigned dst, unsigned src, int off, uint32_t imm)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
    unsigned regs = dst | src << 4;
#else
    unsigned regs = dst << 4 | src;
#endif
    filter->insns[filter->n_insns++] = (struct device_filter_insn){
        .code = (uint8_t)code,
        .regs = (uint8_t)regs,
        .off = (int16_t)off,
        .imm = (int32_t)imm,
    };
}

static void emit_verdict(struct device_filter *filter, bool allow)
{
    emit(filter, OP_MOVE_IMM, R_RESULT, 0, 0, allow);
    emit(filter, OP_EXIT, 0, 0, 0, 0);
}

/* False when there is a letter other than r, w and m, or none at all. */
static bool bits_of(const char *letters, unsigned *ret)
{
    unsigned bits = letters == NULL ? ACCESS_ALL : 0;

    for (; letters != NULL && *letters != '\0'; letters++) {
        if (*letters == 'r')
            bits |= KERNEL_BPF_DEVCG_READ;
        else if (*letters == 'w')
            bits |= KERNEL_BPF_DEVCG_WRITE;
        else if (*letters == 'm')
            bits |= KERNEL_BPF_DEVCG_MKNOD;
        else
            return false;
    }
    *ret = bits;
    return bits != 0;
}

static bool is_for_all(const struct oci_device_rule *rule, unsigned bits)
{
    return rule->type == 'a' && !rule->has_major && !rule->has_minor && bits == ACCESS_ALL;
}

static int rules_check(const struct oci_device_rule *rules, size_t n, struct error *err)
{
    unsigned bits;

    for (size_t i = 0; i < n; i++) {
        if (rules[i].type != 'a' && rules[i].type != 'b' && rules[i].type != 'c')
            return err_set(err, EINVAL, "linux.resources.devices[%zu]: type is none of a, b, c", i);
        if (!bits_of(rules[i].access_, &bits))
            return err_set(
                err, EINVAL, "linux.resources.devices[%zu]: access is not made of r, w, m", i);
    }
    return 0;
}

/* True when no rule behind the last rule for everything takes anything away from it. */
static bool allows_everything(const struct device_filter *filter)
{
    for (size_t i = filter->n_rules; i > 0; i--) {
        const struct oci_device_rule *rule = &filter->rules[i - 1];
        unsigned bits = 0;
        (void)bits_of(rule->access_, &bits);
        if (!rule->allow)
            return false;
        if (is_for_all(rule, bits))
            return true;
    }
    return false;
}

static void emit_rule(
    struct device_filter *filter, const struct oci_device_rule *rule, unsigned bits)
{
    bool is_whole = bits == ACCESS_ALL;
    /* Instructions behind the conditions: whole ones end here; the others test r3 first. */
    int skip = is_whole ? 2 : 4;

    if (rule->has_minor)
        skip++;
    if (rule->has_major)
        skip++;
    if (rule->type != 'a') {
        uint32_t type = rule->type == 'b' ? KERNEL_BPF_DEVCG_BLOCK : KERNEL_BPF_DEVCG_CHAR;
        emit(filter, OP_JUMP_NE32, R_TYPE, 0, skip, type);
    }
    if (rule->has_major)
        emit(filter, OP_JUMP_NE32, R_MAJOR, 0, --skip, rule->major);
    if (rule->has_minor)
        emit(filter, OP_JUMP_NE32, R_MINOR, 0, --skip, rule->minor);
    if (!is_whole && rule->allow) {
        emit(filter, OP_AND_IMM32, R_ACCESS, 0, 0, ~bits & ACCESS_ALL);
        emit(filter, OP_JUMP_NE32, R_ACCESS, 0, 2, 0);
    } else if (!is_whole) {
        emit(filter, OP_JUMP_SET, R_ACCESS, 0, 1, bits);
        emit(filter, OP_JUMP, 0, 0, 2, 0);
    }
    emit_verdict(filter, rule->allow);
}

static void emit_program(struct arena *arena, struct device_filter *filter)
{
    size_t n_max = INSNS_HEAD + INSNS_TAIL + INSNS_OF_RULE * filter->n_rules;

    filter->insns = arena_new_array(arena, n_max, struct device_filter_insn);
    emit(filter, OP_LOAD_WORD, R_TYPE, R_CONTEXT, CONTEXT_ACCESS_TYPE, 0);
    emit(filter, OP_MOVE_REG32, R_ACCESS, R_TYPE, 0, 0);
    emit(filter, OP_SHIFT_RIGHT32, R_ACCESS, 0, 0, 16);
    emit(filter, OP_AND_IMM32, R_TYPE, 0, 0, 0xffff);
    emit(filter, OP_LOAD_WORD, R_MAJOR, R_CONTEXT, CONTEXT_MAJOR, 0);
    emit(filter, OP_LOAD_WORD, R_MINOR, R_CONTEXT, CONTEXT_MINOR, 0);
    for (size_t i = filter->n_rules; i > 0; i--) {
        const struct oci_device_rule *rule = &filter->rules[i - 1];
        unsigned bits = 0;
        (void)bits_of(rule->access_, &bits);
        if (is_for_all(rule, bits)) {
            emit_verdict(filter, rule->allow);
            return; /* nothing in front of it counts, and the verifier takes no dead code */
        }
        emit_rule(filter, rule, bits);
    }
    emit_verdict(filter, false);
}

int device_filter_plan(struct arena *arena, const struct oci_device_rule *rules, size_t n_rules,
    struct device_filter *ret, struct error *err)
{
    size_t n_default = sizeof(default_rules) / sizeof(default_rules[0]);
    struct device_filter filter = { 0 };

    if (n_rules > DEVICE_RULES_MAX)
        return err_set(err, E2BIG, "linux.resources.devices: more than %d rules", DEVICE_RULES_MAX);
    int r = rules_check(rules, n_rules, err);
    if (r < 0)
        return r;
    filter.n_rules = n_rules + n_default;
    filter.rules = arena_new_array(arena, filter.n_rules, struct oci_device_rule);
    if (n_rules > 0)
        memcpy(filter.rules, rules, n_rules * sizeof(*rules));
    memcpy(filter.rules + n_rules, default_rules, sizeof(default_rules));
    if (!allows_everything(&filter))
        emit_program(arena, &filter);
    *ret = filter;
    return 0;
}

static void number_print(struct buf *out, bool has_number, uint32_t number)
{
    if (has_number)
        buf_printf(out, "%" PRIu32, number);
    else
        buf_putc(out, '*');
}

void device_filter_print(const struct device_filter *filter, struct buf *out)
{
    if (filter->n_insns == 0) {
        buf_puts(out, "device-filter none: everything is allowed\n");
        return;
    }
    for (size_t i = 0; i < filter->n_rules; i++) {
        const struct oci_device_rule *rule = &filter->rules[i];
        buf_printf(out, "device %s %c ", rule->allow ? "allow" : "deny", rule->type);
        number_print(out, rule->has_major, rule->major);
        buf_putc(out, ':');
        number_print(out, rule->has_minor, rule->minor);
        buf_printf(out, " %s\n", rule->access_ != NULL ? rule->access_ : "rwm");
    }
    buf_printf(out, "device-filter %zu instructions\n", filter->n_insns);
}
