/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device rules → eBPF. The program walks the rules from the last to the first and keeps the accesses
 * that no rule has granted yet; the first rule met that denies one of them ends it.
 *
 *     r1 context  r2 type  r3 accesses still to be granted  r4 major  r5 minor  r6 both in one
 *
 * Why: loading costs the verifier 1 to 2 µs a branch (2026-12), and every container pays. So neighbours
 * of one type share its test, a device is compared as one number, and all jumps share two endings.
 */
#include "device_filter_plan.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "oci_config.h"

#define INSNS_HEAD    9
#define INSNS_TAIL    4
#define INSNS_OF_RULE 4 /* at most: type, numbers, access, jump */

/* The kernel's own dev_t: no device has larger numbers. */
#define DEV_MINOR_BITS 20
#define DEV_MAJOR_MAX  4095U
#define DEV_MINOR_MAX  ((1U << DEV_MINOR_BITS) - 1)

#define ACCESS_ALL (KERNEL_BPF_DEVCG_MKNOD | KERNEL_BPF_DEVCG_READ | KERNEL_BPF_DEVCG_WRITE)

/* Opcodes of the eBPF instruction set, RFC 9669. */
enum {
    OP_LOAD_WORD = 0x61,     /* dst = *(u32 *)(src + off) */
    OP_MOVE_IMM = 0xb7,      /* dst = imm */
    OP_MOVE_REG32 = 0xbc,    /* dst = (u32)src */
    OP_OR_REG32 = 0x4c,      /* dst = (u32)(dst | src) */
    OP_AND_IMM32 = 0x54,     /* dst = (u32)(dst & imm) */
    OP_SHIFT_LEFT32 = 0x64,  /* dst = (u32)(dst << imm) */
    OP_SHIFT_RIGHT32 = 0x74, /* dst = (u32)dst >> imm */
    OP_JUMP = 0x05,          /* pc += off */
    OP_JUMP_EQ32 = 0x16,     /* if ((u32)dst == imm) pc += off; the 32 bit jumps: Linux 5.1 */
    OP_JUMP_SET32 = 0x46,    /* if ((u32)dst & imm) pc += off */
    OP_JUMP_NE32 = 0x56,     /* if ((u32)dst != imm) pc += off */
    OP_EXIT = 0x95,
};

enum { R_RESULT, R_CONTEXT, R_TYPE, R_ACCESS, R_MAJOR, R_MINOR, R_DEVICE };

enum { CONTEXT_ACCESS_TYPE = 0, CONTEXT_MAJOR = 4, CONTEXT_MINOR = 8 };

/* --- rules --- */

/* The character devices that every container has; of pts/N any minor. */
static const struct {
    uint32_t major;
    uint32_t minor;
} default_devices[] = {
    { 1, 3 }, /* null */
    { 1, 5 }, /* zero */
    { 1, 7 }, /* full */
    { 1, 8 }, /* random */
    { 1, 9 }, /* urandom */
    { 5, 0 }, /* tty */
    { 5, 2 }, /* ptmx */
};

#define PTS_MAJOR 136
/* mknod of any device, which alone opens nothing; pts/N. */
#define N_DEFAULT_RULES (ARRAY_SIZE(default_devices) + 2)

static void default_rules_add(struct oci_device_rule *rules)
{
    *rules++ = (struct oci_device_rule){ .allow = true, .type = 'a', .access_ = "m" };
    for (size_t i = 0; i < ARRAY_SIZE(default_devices); i++)
        *rules++ = (struct oci_device_rule){
            .allow = true,
            .type = 'c',
            .has_major = true,
            .major = default_devices[i].major,
            .has_minor = true,
            .minor = default_devices[i].minor,
        };
    *rules = (struct oci_device_rule){
        .allow = true,
        .type = 'c',
        .has_major = true,
        .major = PTS_MAJOR,
    };
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

/* Of a rule that was checked. */
static unsigned rule_bits(const struct oci_device_rule *rule)
{
    unsigned bits = 0;

    (void)bits_of(rule->access_, &bits);
    return bits;
}

static bool is_for_all(const struct oci_device_rule *rule)
{
    return rule->type == 'a' && !rule->has_major && !rule->has_minor &&
           rule_bits(rule) == ACCESS_ALL;
}

/* True when no rule behind the last rule for everything takes anything away from it. */
static bool allows_everything(const struct device_filter *filter)
{
    for (size_t i = filter->n_rules; i > 0; i--) {
        const struct oci_device_rule *rule = &filter->rules[i - 1];
        if (!rule->allow)
            return false;
        if (is_for_all(rule))
            return true;
    }
    return false;
}

/* --- program --- */

enum verdict { VERDICT_NONE, VERDICT_DENY, VERDICT_ALLOW };

struct program {
    struct device_filter_insn *insns;
    uint8_t *targets; /* enum verdict: where the jump goes in the end */
    size_t n;
};

static void emit(struct program *p, int code, unsigned dst, unsigned src, int off, uint32_t imm)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
    unsigned regs = dst | src << 4;
#else
    unsigned regs = dst << 4 | src;
#endif
    p->insns[p->n++] = (struct device_filter_insn){
        .code = (uint8_t)code,
        .regs = (uint8_t)regs,
        .off = (int16_t)off,
        .imm = (int32_t)imm,
    };
}

static void emit_jump(struct program *p, int code, unsigned dst, uint32_t imm, bool allow)
{
    p->targets[p->n] = allow ? VERDICT_ALLOW : VERDICT_DENY;
    emit(p, code, dst, 0, 0, imm);
}

/* Jumps of that verdict lead here. False when there are none. */
static bool targets_resolve(struct program *p, enum verdict verdict)
{
    bool is_used = false;

    for (size_t i = 0; i < p->n; i++) {
        if (p->targets[i] != verdict)
            continue;
        p->insns[i].off = (int16_t)(p->n - i - 1);
        is_used = true;
    }
    return is_used;
}

static void emit_verdict(struct program *p, bool allow)
{
    emit(p, OP_MOVE_IMM, R_RESULT, 0, 0, allow);
    emit(p, OP_EXIT, 0, 0, 0, 0);
}

/* What falls through gets the first verdict. The verifier takes no code that nothing leads to. */
static void emit_ends(struct program *p, bool allow)
{
    (void)targets_resolve(p, allow ? VERDICT_ALLOW : VERDICT_DENY);
    emit_verdict(p, allow);
    if (targets_resolve(p, allow ? VERDICT_DENY : VERDICT_ALLOW))
        emit_verdict(p, !allow);
}

static void emit_head(struct program *p)
{
    emit(p, OP_LOAD_WORD, R_TYPE, R_CONTEXT, CONTEXT_ACCESS_TYPE, 0);
    emit(p, OP_MOVE_REG32, R_ACCESS, R_TYPE, 0, 0);
    emit(p, OP_SHIFT_RIGHT32, R_ACCESS, 0, 0, 16);
    emit(p, OP_AND_IMM32, R_TYPE, 0, 0, 0xffff);
    emit(p, OP_LOAD_WORD, R_MAJOR, R_CONTEXT, CONTEXT_MAJOR, 0);
    emit(p, OP_LOAD_WORD, R_MINOR, R_CONTEXT, CONTEXT_MINOR, 0);
    emit(p, OP_MOVE_REG32, R_DEVICE, R_MAJOR, 0, 0);
    emit(p, OP_SHIFT_LEFT32, R_DEVICE, 0, 0, DEV_MINOR_BITS);
    emit(p, OP_OR_REG32, R_DEVICE, R_MINOR, 0, 0);
}

/* What a rule compares beside the type. False: it is for every number. */
static bool rule_number(const struct oci_device_rule *rule, unsigned *ret_reg, uint32_t *ret_number)
{
    if (rule->has_major && rule->has_minor) {
        *ret_reg = R_DEVICE;
        *ret_number = rule->major << DEV_MINOR_BITS | rule->minor;
    } else if (rule->has_major) {
        *ret_reg = R_MAJOR;
        *ret_number = rule->major;
    } else if (rule->has_minor) {
        *ret_reg = R_MINOR;
        *ret_number = rule->minor;
    }
    return rule->has_major || rule->has_minor;
}

static bool may_match(const struct oci_device_rule *rule)
{
    return (!rule->has_major || rule->major <= DEV_MAJOR_MAX) &&
           (!rule->has_minor || rule->minor <= DEV_MINOR_MAX);
}

/* The type is tested already. True when nothing gets past the rule. */
static bool emit_rule(struct program *p, const struct oci_device_rule *rule)
{
    unsigned bits = rule_bits(rule);
    unsigned reg = 0;
    uint32_t number = 0;
    bool has_number = rule_number(rule, &reg, &number);

    if (!may_match(rule))
        return false;
    if (bits == ACCESS_ALL) {
        if (has_number)
            emit_jump(p, OP_JUMP_EQ32, reg, number, rule->allow);
        else
            emit_jump(p, OP_JUMP, 0, 0, rule->allow);
        return !has_number;
    }
    if (has_number)
        emit(p, OP_JUMP_NE32, reg, 0, rule->allow ? 2 : 1, number);
    if (rule->allow) {
        emit(p, OP_AND_IMM32, R_ACCESS, 0, 0, ~bits & ACCESS_ALL);
        emit_jump(p, OP_JUMP_EQ32, R_ACCESS, 0, true);
    } else {
        emit_jump(p, OP_JUMP_SET32, R_ACCESS, bits, false);
    }
    return false;
}

/* The neighbours of one type that end with rules[end - 1], last first; returns where they begin. */
static size_t emit_group(struct program *p, const struct oci_device_rule *rules, size_t end)
{
    char type = rules[end - 1].type;
    size_t at = p->n;
    bool is_closed = false;
    size_t i = end;

    emit(p, OP_JUMP_NE32, R_TYPE, 0, 0,
        type == 'b' ? KERNEL_BPF_DEVCG_BLOCK : KERNEL_BPF_DEVCG_CHAR);
    for (; i > 0 && rules[i - 1].type == type; i--)
        if (!is_closed)
            is_closed = emit_rule(p, &rules[i - 1]);
    p->insns[at].off = (int16_t)(p->n - at - 1);
    return i;
}

static void emit_program(struct arena *arena, struct device_filter *filter)
{
    size_t n_max = INSNS_HEAD + INSNS_TAIL + INSNS_OF_RULE * filter->n_rules;
    struct program p = {
        .insns = arena_new_array(arena, n_max, struct device_filter_insn),
        .targets = arena_new_array(arena, n_max, uint8_t),
    };
    bool allow = false;

    emit_head(&p);
    for (size_t i = filter->n_rules; i > 0;) {
        const struct oci_device_rule *rule = &filter->rules[i - 1];
        if (is_for_all(rule)) { /* nothing in front of it counts */
            allow = rule->allow;
            break;
        }
        if (rule->type != 'a') {
            i = emit_group(&p, filter->rules, i);
        } else {
            (void)emit_rule(&p, rule);
            i--;
        }
    }
    emit_ends(&p, allow);
    filter->insns = p.insns;
    filter->n_insns = p.n;
}

int device_filter_plan(struct arena *arena, const struct oci_device_rule *rules, size_t n_rules,
    struct device_filter *ret, struct error *err)
{
    struct device_filter filter = { 0 };

    if (n_rules > DEVICE_RULES_MAX)
        return err_set(err, E2BIG, "linux.resources.devices: more than %d rules", DEVICE_RULES_MAX);
    int r = rules_check(rules, n_rules, err);
    if (r < 0)
        return r;
    filter.n_rules = n_rules + N_DEFAULT_RULES;
    filter.rules = arena_new_array(arena, filter.n_rules, struct oci_device_rule);
    if (n_rules > 0)
        memcpy(filter.rules, rules, n_rules * sizeof(*rules));
    default_rules_add(filter.rules + n_rules);
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
