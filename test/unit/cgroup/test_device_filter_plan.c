/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the programs in a small interpreter, and compares them with the rules read by another hand. */
#include "device_filter_plan.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "unit.h"

enum { MKNOD = 1, READ = 2, WRITE = 4 };
enum { BLOCK = 1, CHAR = 2 };

static struct arena arena = ARENA_INIT;
static struct error err = ERR_INIT;

/* ck_assert leaves a mark at each call, passed or not, which takes too long a million times. */
static void insist(bool is_true, const char *what, size_t at)
{
    if (!is_true)
        ck_abort_msg("%s at %zu", what, at);
}

/* Executes as the kernel would; any instruction that the verifier would refuse fails the test. */
static uint64_t run(const struct device_filter *filter, const uint32_t context[3])
{
    uint64_t r[11] = { 0 };
    size_t pc = 0;

    for (size_t n_steps = 0; n_steps < 100000; n_steps++) {
        insist(pc < filter->n_insns, "end passed", pc);
        const struct device_filter_insn *insn = &filter->insns[pc++];
        unsigned dst = insn->regs & 0xf;
        unsigned src = insn->regs >> 4;
        uint32_t imm = (uint32_t)insn->imm;
        insist(dst < 10, "register written", pc);
        switch (insn->code) {
        case 0x61:
            insist(src == 1, "context only", pc);
            insist(insn->off >= 0 && insn->off <= 8, "context passed", pc);
            r[dst] = context[insn->off / 4];
            break;
        case 0xb7:
            r[dst] = (uint64_t)(int64_t)insn->imm;
            break;
        case 0xbc:
            r[dst] = (uint32_t)r[src];
            break;
        case 0x4c:
            r[dst] = (uint32_t)(r[dst] | r[src]);
            break;
        case 0x54:
            r[dst] = (uint32_t)r[dst] & imm;
            break;
        case 0x64:
            r[dst] = (uint32_t)(r[dst] << imm);
            break;
        case 0x74:
            r[dst] = (uint32_t)r[dst] >> imm;
            break;
        case 0x05:
            pc += (size_t)insn->off;
            break;
        case 0x16:
            pc += (uint32_t)r[dst] == imm ? (size_t)insn->off : 0;
            break;
        case 0x46:
            pc += ((uint32_t)r[dst] & imm) != 0 ? (size_t)insn->off : 0;
            break;
        case 0x56:
            pc += (uint32_t)r[dst] != imm ? (size_t)insn->off : 0;
            break;
        case 0x95:
            return r[0];
        default:
            ck_abort_msg("unknown instruction %#x", insn->code);
        }
    }
    ck_abort_msg("the program does not end");
    return 0;
}

static bool allows(const struct device_filter *filter, unsigned type, uint32_t major,
    uint32_t minor, unsigned bits)
{
    const uint32_t context[3] = { bits << 16 | type, major, minor };

    return filter->n_insns == 0 || run(filter, context) == 1;
}

/* The contract read literally: for each access alone, the last rule that matches. */
static bool by_rules(const struct device_filter *filter, unsigned type, uint32_t major,
    uint32_t minor, unsigned bits)
{
    static const struct {
        unsigned bit;
        char letter;
    } letters[] = { { MKNOD, 'm' }, { READ, 'r' }, { WRITE, 'w' } };
    bool all = true;

    for (size_t k = 0; k < ARRAY_SIZE(letters); k++) {
        bool one = false;
        if ((bits & letters[k].bit) == 0)
            continue;
        for (size_t i = 0; i < filter->n_rules; i++) {
            const struct oci_device_rule *rule = &filter->rules[i];
            bool is_type = rule->type == 'a' || (rule->type == 'b') == (type == BLOCK);
            bool is_number = (!rule->has_major || rule->major == major) &&
                             (!rule->has_minor || rule->minor == minor);
            if (is_type && is_number &&
                (rule->access_ == NULL || strchr(rule->access_, letters[k].letter) != NULL))
                one = rule->allow;
        }
        all = all && one;
    }
    return all;
}

static struct device_filter planned(const struct oci_device_rule *rules, size_t n)
{
    struct device_filter filter = { 0 };

    ck_assert_int_eq(device_filter_plan(&arena, rules, n, &filter, &err), 0);
    return filter;
}

START_TEST(no_rules_when_planned_then_default_devices_only)
{
    struct device_filter filter = planned(NULL, 0);
    static const uint32_t numbers[][2] = { { 1, 3 }, { 1, 5 }, { 1, 7 }, { 1, 8 }, { 1, 9 },
        { 5, 0 }, { 5, 2 }, { 136, 0 }, { 136, 77 } };

    ck_assert_uint_gt(filter.n_insns, 0);
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        ck_assert(allows(&filter, CHAR, numbers[i][0], numbers[i][1], READ | WRITE | MKNOD));
        ck_assert(!allows(&filter, BLOCK, numbers[i][0], numbers[i][1], READ));
    }
    ck_assert(!allows(&filter, CHAR, 1, 1, READ));            /* /dev/mem */
    ck_assert(!allows(&filter, CHAR, 5, 1, WRITE));           /* the host's console */
    ck_assert(!allows(&filter, CHAR, 10, 200, READ | WRITE)); /* tun */
    ck_assert(!allows(&filter, BLOCK, 8, 0, READ));
    ck_assert(allows(&filter, BLOCK, 8, 0, MKNOD));
    ck_assert(!allows(&filter, BLOCK, 8, 0, MKNOD | READ));
}
END_TEST

START_TEST(deny_all_when_planned_then_as_without_rules)
{
    const struct oci_device_rule rules[] = { { .allow = false, .type = 'a' } };
    struct device_filter filter = planned(rules, 1);

    ck_assert(allows(&filter, CHAR, 1, 3, READ | WRITE));
    ck_assert(!allows(&filter, BLOCK, 8, 0, READ));
}
END_TEST

START_TEST(allow_all_when_planned_then_no_program)
{
    const struct oci_device_rule rules[] = {
        { .allow = false, .type = 'b' },
        { .allow = true, .type = 'a', .access_ = "mrw" },
        { .allow = true, .type = 'c', .has_major = true, .major = 4 },
    };
    struct device_filter filter = planned(rules, ARRAY_SIZE(rules));
    AUTO(buf) struct buf text = BUF_INIT;

    ck_assert_ptr_null(filter.insns);
    ck_assert_uint_eq(filter.n_insns, 0);
    device_filter_print(&filter, &text);
    ck_assert_str_eq(buf_str(&text), "device-filter none: everything is allowed\n");
}
END_TEST

START_TEST(allow_all_when_something_is_taken_away_then_program)
{
    const struct oci_device_rule rules[] = {
        { .allow = true, .type = 'a' },
        { .allow = false, .type = 'b', .has_major = true, .major = 8, .access_ = "w" },
    };
    struct device_filter filter = planned(rules, ARRAY_SIZE(rules));

    ck_assert_uint_gt(filter.n_insns, 0);
    ck_assert(allows(&filter, BLOCK, 9, 0, READ | WRITE));
    ck_assert(allows(&filter, BLOCK, 8, 0, READ));
    ck_assert(!allows(&filter, BLOCK, 8, 0, WRITE));
    ck_assert(!allows(&filter, BLOCK, 8, 3, READ | WRITE)); /* a part that is denied denies it */
}
END_TEST

START_TEST(access_split_over_rules_when_asked_together_then_allowed)
{
    const struct oci_device_rule rules[] = {
        { .allow = true, .type = 'c', .has_major = true, .major = 10, .access_ = "r" },
        { .allow = true, .type = 'c', .has_minor = true, .minor = 200, .access_ = "w" },
    };
    struct device_filter filter = planned(rules, ARRAY_SIZE(rules));

    ck_assert(allows(&filter, CHAR, 10, 200, READ | WRITE));
    ck_assert(!allows(&filter, CHAR, 10, 201, READ | WRITE));
    ck_assert(!allows(&filter, CHAR, 11, 200, READ | WRITE));
}
END_TEST

START_TEST(numbers_at_the_end_of_their_range_when_compared_then_exact)
{
    struct oci_device_rule rules[] = {
        { .allow = true, .type = 'c', .has_major = true, .has_minor = true },
        { .allow = true, .type = 'b', .has_major = true, .has_minor = true },
    };

    rules[0].major = 4095;
    rules[0].minor = 1048575;
    rules[1].minor = 1048575;
    struct device_filter filter = planned(rules, ARRAY_SIZE(rules));
    ck_assert(allows(&filter, CHAR, 4095, 1048575, READ));
    ck_assert(!allows(&filter, CHAR, 4095, 1048574, READ));
    ck_assert(!allows(&filter, CHAR, 4094, 1048575, READ));
    ck_assert(allows(&filter, BLOCK, 0, 1048575, READ));
    ck_assert(!allows(&filter, BLOCK, 1, 0, READ));
}
END_TEST

START_TEST(numbers_that_no_device_has_when_planned_then_match_none)
{
    const struct oci_device_rule rules[] = {
        { .allow = true, .type = 'c', .has_major = true, .has_minor = true, .minor = 1U << 20 },
        { .allow = true, .type = 'c', .has_major = true, .major = 4096, .has_minor = true },
        { .allow = true, .type = 'b', .has_minor = true, .minor = 1U << 20 },
    };
    struct device_filter filter = planned(rules, ARRAY_SIZE(rules));

    ck_assert(!allows(&filter, CHAR, 1, 0, READ)); /* what the first would be if it spilt over */
    ck_assert(!allows(&filter, CHAR, 0, 0, READ));
    ck_assert(!allows(&filter, BLOCK, 0, 0, READ));
}
END_TEST

/* Each instruction is reached and each jump lands inside, forward: what the verifier asks for. */
static void verify(const struct device_filter *filter)
{
    bool is_reached[4097] = { [0] = true };

    ck_assert_uint_lt(filter->n_insns, ARRAY_SIZE(is_reached));
    for (size_t i = 0; i < filter->n_insns; i++) {
        const struct device_filter_insn *insn = &filter->insns[i];
        bool is_exit = insn->code == 0x95;
        bool is_jump = (insn->code & 7) >= 5 && !is_exit;
        insist(is_reached[i], "not reached", i);
        if (is_jump) {
            insist(insn->off >= 0, "jump back", i);
            insist(i + 1 + (size_t)insn->off < filter->n_insns, "jump out", i);
            is_reached[i + 1 + (size_t)insn->off] = true;
        }
        if (!is_exit && insn->code != 0x05)
            is_reached[i + 1] = true;
    }
    ck_assert(!is_reached[filter->n_insns]);
}

START_TEST(random_rules_when_run_then_as_the_contract_says)
{
    static const char *const accesses[] = { NULL, "r", "w", "m", "rw", "rm", "wm", "rwm" };
    struct oci_device_rule rules[6];
    unsigned seed = 1;

#define DRAW(n) ((seed = seed * 1103515245U + 12345U) >> 16) % (n)
    for (int round = 0; round < 2000; round++) {
        size_t n = DRAW(7);
        for (size_t i = 0; i < n; i++)
            rules[i] = (struct oci_device_rule){
                .allow = DRAW(2),
                .type = "abc"[DRAW(3)],
                .has_major = DRAW(2),
                .major = DRAW(3),
                .has_minor = DRAW(2),
                .minor = DRAW(3),
                .access_ = accesses[DRAW(8)],
            };
        struct device_filter filter = planned(rules, n);
        if (filter.n_insns > 0)
            verify(&filter);
        for (unsigned at = 0; at < 2 * 3 * 3 * 7; at++) {
            unsigned type = 1 + at % 2;
            uint32_t major = at / 2 % 3;
            uint32_t minor = at / 6 % 3;
            unsigned bits = 1 + at / 18;
            insist(allows(&filter, type, major, minor, bits) ==
                       by_rules(&filter, type, major, minor, bits),
                "other verdict", at);
        }
    }
#undef DRAW
}
END_TEST

START_TEST(no_access_at_all_when_asked_then_only_where_a_rule_allows)
{
    struct device_filter filter = planned(NULL, 0);

    ck_assert(allows(&filter, CHAR, 1, 3, 0));
    /* mknod of any is a match too: it opens nothing */
    ck_assert(allows(&filter, BLOCK, 8, 0, 0));
}
END_TEST

START_TEST(nonsense_when_planned_then_refused)
{
    const struct oci_device_rule rules[] = {
        { .allow = true, .type = 'p' },
        { .allow = true, .type = 'c', .access_ = "x" },
        { .allow = true, .type = 'c', .access_ = "" },
    };
    struct device_filter filter = { 0 };

    for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
        ck_assert_int_eq(device_filter_plan(&arena, &rules[i], 1, &filter, &err), -EINVAL);
    ck_assert_str_eq(err.text, "linux.resources.devices[0]: access is not made of r, w, m");
    ck_assert_uint_eq(filter.n_rules, 0);
}
END_TEST

START_TEST(many_rules_when_planned_then_bounded)
{
    static struct oci_device_rule rules[DEVICE_RULES_MAX + 1];
    struct device_filter filter = { 0 };

    for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
        rules[i] = (struct oci_device_rule){ .allow = true,
            .type = 'c',
            .has_major = true,
            .major = (uint32_t)i,
            .has_minor = true,
            .access_ = "r" };
    ck_assert_int_eq(device_filter_plan(&arena, rules, ARRAY_SIZE(rules), &filter, &err), -E2BIG);
    ck_assert_int_eq(device_filter_plan(&arena, rules, DEVICE_RULES_MAX, &filter, &err), 0);
    ck_assert_uint_le(filter.n_insns, 4096);
    ck_assert(allows(&filter, CHAR, 0, 0, READ));
    ck_assert(allows(&filter, CHAR, DEVICE_RULES_MAX - 1, 0, READ));
    ck_assert(!allows(&filter, CHAR, DEVICE_RULES_MAX, 0, READ));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        no_rules_when_planned_then_default_devices_only,
        deny_all_when_planned_then_as_without_rules,
        allow_all_when_planned_then_no_program,
        allow_all_when_something_is_taken_away_then_program,
        access_split_over_rules_when_asked_together_then_allowed,
        numbers_at_the_end_of_their_range_when_compared_then_exact,
        numbers_that_no_device_has_when_planned_then_match_none,
        random_rules_when_run_then_as_the_contract_says,
        no_access_at_all_when_asked_then_only_where_a_rule_allows,
        nonsense_when_planned_then_refused,
        many_rules_when_planned_then_bounded,
    };

    return unit_run("device_filter_plan", tests, ARRAY_SIZE(tests));
}
