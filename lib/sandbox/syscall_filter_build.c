/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules to one BPF program. libseccomp makes a program per stage; a stage whose rules do not match hands on to the
 * next:
 *
 *   guards, strictest first → [rules that have to stand alone] → [calls that the library has no name for, when there
 *   are foreign architectures] → [stub: calls newer than the profile get ENOSYS] → main (checks the architecture, ends
 *   with the default action)
 *
 * Each stage but the last has a default action that nobody else uses, and each of its returns of that action is
 * replaced by a jump behind its end. Programs of libseccomp load what they test, so they do not mind what ran before.
 */
#include "syscall_filter_build.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <seccomp.h>

#include "arena.h"
#include "buf.h"
#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "strv.h"
#include "syscall_filter_plan.h"
#include "syscall_filter_rules.h"
#include "syscall_program.h"

#define FORMAT_VERSION 1
#define HAND_ON        SYSCALL_PROGRAM_HAND_ON
#define X32_BIT        0x40000000U

/* Calls that are newer than the library on the build machine. From 403 on the numbers are the same everywhere (x32 adds
 * its bit; alpha, which libseccomp does not know, differs). */
static const struct new_call {
    const char *name;
    int number;
} new_calls[] = {
    { "futex_waitv", 449 },
    { "set_mempolicy_home_node", 450 },
    { "cachestat", 451 },
    { "fchmodat2", 452 },
    { "map_shadow_stack", 453 },
    { "futex_wake", 454 },
    { "futex_wait", 455 },
    { "futex_requeue", 456 },
    { "statmount", 457 },
    { "listmount", 458 },
    { "lsm_get_self_attr", 459 },
    { "lsm_set_self_attr", 460 },
    { "lsm_list_modules", 461 },
    { "mseal", 462 },
    { "setxattrat", 463 },
    { "getxattrat", 464 },
    { "listxattrat", 465 },
    { "removexattrat", 466 },
    { "open_tree_attr", 467 },
    { "file_getattr", 468 },
    { "file_setattr", 469 },
    { "listns", 470 },
};

static const int operators[] = {
    [OCI_SECCOMP_NE] = SCMP_CMP_NE,
    [OCI_SECCOMP_LT] = SCMP_CMP_LT,
    [OCI_SECCOMP_LE] = SCMP_CMP_LE,
    [OCI_SECCOMP_EQ] = SCMP_CMP_EQ,
    [OCI_SECCOMP_GE] = SCMP_CMP_GE,
    [OCI_SECCOMP_GT] = SCMP_CMP_GT,
    [OCI_SECCOMP_MASKED_EQ] = SCMP_CMP_MASKED_EQ,
};

/* --- names --- */

static bool is_resolved(int number)
{
    return number != __NR_SCMP_ERROR;
}

/* The number of the library, which is negative for calls of other architectures only. */
static int number_of(const char *name, bool *ret_is_new)
{
    int number = seccomp_syscall_resolve_name(name);
    *ret_is_new = false;
    for (size_t i = 0; !is_resolved(number) && i < ARRAY_SIZE(new_calls); i++)
        if (str_eq(name, new_calls[i].name)) {
            *ret_is_new = true;
            number = new_calls[i].number;
        }
    return number;
}

/* The library's token, 0 when it does not know the architecture. name is one of the plan's. */
static uint32_t arch_token(const char *name)
{
    char text[32];
    const char *tail = name + strlen("SCMP_ARCH_");
    size_t i = 0;
    for (; tail[i] != '\0' && i < sizeof(text) - 1; i++)
        text[i] = (char)tolower((unsigned char)tail[i]);
    text[i] = '\0';
    return seccomp_arch_resolve_name(text);
}

static uint32_t action_of(enum oci_seccomp_action action, uint32_t errno_ret)
{
    switch (action) {
    case OCI_SECCOMP_KILL_PROCESS:
        return SCMP_ACT_KILL_PROCESS;
    case OCI_SECCOMP_KILL_THREAD:
        return SCMP_ACT_KILL_THREAD;
    case OCI_SECCOMP_TRAP:
        return SCMP_ACT_TRAP;
    case OCI_SECCOMP_ERRNO:
        return SCMP_ACT_ERRNO(errno_ret);
    case OCI_SECCOMP_NOTIFY:
        return SCMP_ACT_NOTIFY;
    case OCI_SECCOMP_TRACE:
        return SCMP_ACT_TRACE(errno_ret);
    case OCI_SECCOMP_LOG:
        return SCMP_ACT_LOG;
    case OCI_SECCOMP_ALLOW:
        return SCMP_ACT_ALLOW;
    default:
        return SCMP_ACT_KILL_PROCESS;
    }
}

/* --- one stage --- */

/* Which rules of the plan belong to it. The guards of one stage have one action: within a program the library does not
 * promise an order. */
struct stage {
    const struct resolved_rule *lone; /* this rule and no other */
    bool is_main;
    bool is_guard;
    bool
        is_native_only; /* calls without a name: the library cannot translate them for another architecture */
    uint32_t action;
};

struct resolved_rule {
    const struct syscall_rule *rule;
    int number;
    bool is_new;
    bool is_lone;
    uint32_t action;
};

struct builder {
    const struct syscall_filter_plan *plan;
    struct resolved_rule *rules;
    size_t n_rules;
};

static bool is_of_stage(
    const struct builder *b, const struct stage *stage, const struct resolved_rule *rule)
{
    bool is_native_only = rule->is_new && b->plan->n_archs > 0;
    if (stage->lone != NULL || rule->is_lone)
        return stage->lone == rule;
    if (rule->rule->is_guard != stage->is_guard || is_native_only != stage->is_native_only)
        return false;
    return !stage->is_guard || rule->action == stage->action;
}

/* Why: libseccomp 2.5.4 merges the rules of one call into one tree, and goes wrong when one of them has a condition
 * other than equality: it allows what no rule allows (2026-12, found by test_syscall_filter_build, whose random rules
 * show that mixtures of equalities are right). Such a rule gets a program of its own. */
static bool is_lone(const struct syscall_rules *rules, size_t at)
{
    const struct syscall_rule *rule = &rules->items[at];
    bool has_order = false;
    for (unsigned i = 0; i < rule->n_args; i++)
        has_order = has_order || (rule->args[i].op != OCI_SECCOMP_EQ &&
                                     rule->args[i].op != OCI_SECCOMP_MASKED_EQ);
    bool is_first = at == 0 || !str_eq(rule[-1].name, rule->name);
    bool is_last = at + 1 == rules->n || !str_eq(rule[1].name, rule->name);
    return has_order && !(is_first && is_last);
}

static int fail_library(struct error *err, int code, const char *what)
{
    return err_sys(err, code, "linux.seccomp: libseccomp: %s", what);
}

static int add_archs(const struct builder *b, scmp_filter_ctx context, struct error *err)
{
    for (size_t i = 0; i < b->plan->n_archs; i++) {
        uint32_t token = arch_token(b->plan->archs[i]);
        if (token == 0) /* not known, so not added: its calls are killed */
            continue;
        int r = seccomp_arch_add(context, token);
        if (r < 0 && r != -EEXIST)
            return err_sys(err, r, "linux.seccomp.architectures: %s", b->plan->archs[i]);
    }
    return 0;
}

static int add_rule(
    scmp_filter_ctx context, const struct resolved_rule *resolved, struct error *err)
{
    const struct syscall_rule *rule = resolved->rule;
    struct scmp_arg_cmp compare[SYSCALL_FILTER_ARGS];
    for (unsigned i = 0; i < rule->n_args; i++)
        compare[i] = (struct scmp_arg_cmp){
            .arg = rule->args[i].index,
            .op = (enum scmp_compare)operators[rule->args[i].op],
            .datum_a = rule->args[i].value,
            .datum_b = rule->args[i].value_two,
        };
    int r =
        seccomp_rule_add_array(context, resolved->action, resolved->number, rule->n_args, compare);
    if (r < 0 && r != -EEXIST)
        return err_sys(err, r, "linux.seccomp: rule for %s", rule->name);
    return 0;
}

static int fill_stage(
    const struct builder *b, const struct stage *stage, scmp_filter_ctx context, struct error *err)
{
    uint32_t bad_arch = stage->is_main ? SCMP_ACT_KILL_PROCESS : HAND_ON;
    /* 2: a binary tree over the numbers. The kernel walks the program once for each number when it is loaded. */
    int r = seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, bad_arch);
    if (r == 0)
        r = seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (r < 0)
        return fail_library(err, r, "set attribute");
    if (!stage->is_native_only) {
        r = add_archs(b, context, err);
        if (r < 0)
            return r;
    }
    uint32_t default_action = action_of(b->plan->default_action, b->plan->default_errno_ret);
    for (size_t i = 0; i < b->n_rules; i++) {
        const struct resolved_rule *rule = &b->rules[i];
        if (!is_of_stage(b, stage, rule) || (stage->is_main && rule->action == default_action))
            continue;
        r = add_rule(context, rule, err);
        if (r < 0)
            return r;
    }
    return 0;
}

static int export(scmp_filter_ctx context, struct buf *ret, struct error *err)
{
    autoclose int fd = kernel_memfd_create("seccomp", 0);
    if (fd < 0)
        return err_sys(err, fd, "linux.seccomp: memory file");
    int r = seccomp_export_bpf(context, fd);
    if (r < 0)
        return fail_library(err, r, "export");
    char chunk[4096];
    for (off_t at = 0;;) {
        ssize_t n = kernel_pread(fd, chunk, sizeof(chunk), at);
        if (n < 0)
            return err_sys(err, (int)n, "linux.seccomp: read the program");
        if (n == 0)
            return 0;
        buf_add(ret, chunk, (size_t)n);
        at += n;
    }
}

static int build_stage(
    const struct builder *b, const struct stage *stage, struct buf *program, struct error *err)
{
    AUTO(buf) struct buf bytes = BUF_INIT;
    uint32_t default_action = HAND_ON;
    if (stage->is_main)
        default_action = action_of(b->plan->default_action, b->plan->default_errno_ret);
    scmp_filter_ctx context = seccomp_init(default_action);
    if (context == NULL)
        return fail_library(err, ENOMEM, "start a filter");
    int r = fill_stage(b, stage, context, err);
    if (r == 0)
        r = export(context, &bytes, err);
    seccomp_release(context);
    if (r < 0)
        return r;
    syscall_program_chain(program, &bytes);
    return 0;
}

/* --- the stub for new calls --- */

/* The highest number of the profile's calls, without the bit of x32; -1 for none. */
static int newest_number(const struct builder *b, uint32_t token)
{
    int newest = -1;
    for (size_t i = 0; i < b->n_rules; i++) {
        int number = seccomp_syscall_resolve_name_arch(token, b->rules[i].rule->name);
        if (b->rules[i].is_new && token == seccomp_arch_native())
            number = b->rules[i].number;
        if (number < 0)
            continue;
        if (token == SCMP_ARCH_X32)
            number &= (int)~X32_BIT;
        if (number > newest)
            newest = number;
    }
    return newest;
}

static void add_stub(const struct builder *b, struct buf *program)
{
    struct syscall_program_newest newest[SYSCALL_FILTER_ARCHS_MAX + 1] = {
        { .arch = seccomp_arch_native() }
    };
    size_t n = 1;
    for (size_t i = 0; i < b->plan->n_archs; i++) {
        uint32_t token = arch_token(b->plan->archs[i]);
        if (token != 0 && token != newest[0].arch && token != SCMP_ARCH_X32)
            newest[n++].arch = token;
    }
    for (size_t i = 0; i < n; i++) {
        int number = newest_number(b, newest[i].arch);
        newest[i].number = number < 0 ? UINT32_MAX : (uint32_t)number;
    }
    syscall_program_stub(program, newest, n);
}

/* --- the whole --- */

static int resolve(struct builder *b, struct arena *arena, struct error *err)
{
    const struct syscall_rules rules = syscall_filter_rules(arena, b->plan);
    if (rules.n == 0)
        return 0;
    b->rules = arena_new_array(arena, rules.n, struct resolved_rule);
    for (size_t i = 0; i < rules.n; i++) {
        const struct syscall_rule *rule = &rules.items[i];
        bool is_new;
        int number = number_of(rule->name, &is_new);
        if (!is_resolved(number) && b->plan->is_strict)
            return err_set(err, EINVAL, "linux.seccomp: %s: no such system call", rule->name);
        if (!is_resolved(number))
            continue;
        b->rules[b->n_rules++] = (struct resolved_rule){ .rule = rule,
            .number = number,
            .is_new = is_new,
            .is_lone = is_lone(&rules, i),
            .action = action_of(rule->action, rule->errno_ret) };
    }
    return 0;
}

static bool has_rules(const struct builder *b, const struct stage *stage)
{
    for (size_t i = 0; i < b->n_rules; i++)
        if (is_of_stage(b, stage, &b->rules[i]))
            return true;
    return false;
}

static struct stage stage_of(const struct builder *b, const struct resolved_rule *rule)
{
    return (struct stage){ .lone = rule->is_lone ? rule : NULL,
        .is_guard = rule->rule->is_guard,
        .is_native_only = rule->is_new && b->plan->n_archs > 0,
        .action = rule->action };
}

/* All guards of one strictness: one stage for each errno, and for each rule that has to stand alone. */
static int build_guards(
    const struct builder *b, enum oci_seccomp_action action, struct buf *program, struct error *err)
{
    for (size_t i = 0; i < b->n_rules; i++) {
        const struct resolved_rule *rule = &b->rules[i];
        if (!rule->rule->is_guard || rule->rule->action != action)
            continue;
        const struct stage stage = stage_of(b, rule);
        bool is_done = false;
        for (size_t k = 0; k < i && !is_done; k++)
            is_done = is_of_stage(b, &stage, &b->rules[k]);
        int r = is_done ? 0 : build_stage(b, &stage, program, err);
        if (r < 0)
            return r;
    }
    return 0;
}

static int build_lone(const struct builder *b, struct buf *program, struct error *err)
{
    for (size_t i = 0; i < b->n_rules; i++) {
        const struct resolved_rule *rule = &b->rules[i];
        if (!rule->is_lone || rule->rule->is_guard)
            continue;
        const struct stage stage = stage_of(b, rule);
        int r = build_stage(b, &stage, program, err);
        if (r < 0)
            return r;
    }
    return 0;
}

/* The numbers that the stages before main have rules for; false when they do not pay or do not fit. */
static bool gate_numbers(const struct builder *b, uint32_t *ret, size_t *ret_n)
{
    size_t n = 0;
    if (b->plan->n_archs > 0) /* other numbers there */
        return false;
    for (size_t i = 0; i < b->n_rules; i++) {
        const struct resolved_rule *rule = &b->rules[i];
        if ((!rule->rule->is_guard && !rule->is_lone) || rule->number < 0 ||
            (n > 0 && ret[n - 1] == (uint32_t)rule->number))
            continue;
        if (n == SYSCALL_PROGRAM_GATES_MAX)
            return false;
        ret[n++] = (uint32_t)rule->number;
    }
    *ret_n = n;
    return n > 0;
}

/* Everything that is asked before main, behind a gate so that most calls do not pass through it. */
static int build_before(const struct builder *b, struct buf *program, struct error *err)
{
    AUTO(buf) struct buf stages = BUF_INIT;
    uint32_t numbers[SYSCALL_PROGRAM_GATES_MAX];
    size_t n = 0;
    int r = 0;
    for (int action = OCI_SECCOMP_KILL_PROCESS; r == 0 && action <= OCI_SECCOMP_ALLOW; action++)
        r = build_guards(b, (enum oci_seccomp_action)action, &stages, err);
    if (r == 0)
        r = build_lone(b, &stages, err);
    if (r < 0)
        return r;
    if (gate_numbers(b, numbers, &n))
        syscall_program_gate(program, numbers, n, stages.len / SYSCALL_FILTER_INSN_BYTES);
    buf_add(program, stages.data, stages.len);
    return 0;
}

static int build_all(const struct builder *b, struct buf *program, struct error *err)
{
    int r = build_before(b, program, err);
    const struct stage native_only = { .is_native_only = true };
    if (r == 0 && has_rules(b, &native_only))
        r = build_stage(b, &native_only, program, err);
    if (r < 0)
        return r;
    if (b->plan->has_enosys_stub)
        add_stub(b, program);
    const struct stage main_stage = { .is_main = true };
    return build_stage(b, &main_stage, program, err);
}

static unsigned load_flags(const struct syscall_filter_plan *plan)
{
    unsigned flags = plan->flags;
    if (plan->wants_listener)
        flags |= KERNEL_SECCOMP_FLAG_NEW_LISTENER;
    if (plan->wants_listener && (flags & KERNEL_SECCOMP_FLAG_TSYNC) != 0)
        flags |=
            KERNEL_SECCOMP_FLAG_TSYNC_ESRCH; /* the kernel takes the two only together with it */
    return flags;
}

int syscall_filter_build(struct arena *arena, const struct syscall_filter_plan *plan,
    struct syscall_filter *ret, struct error *err)
{
    AUTO(buf) struct buf program = BUF_INIT;
    struct builder b = { .plan = plan };
    int r = resolve(&b, arena, err);
    if (r == 0)
        r = build_all(&b, &program, err);
    if (r < 0)
        return r;
    size_t n_insns = program.len / SYSCALL_FILTER_INSN_BYTES;
    if (!buf_ok(&program) || n_insns > SYSCALL_FILTER_INSNS_MAX)
        return err_set(err, EINVAL, "linux.seccomp: the program has more than %d instructions",
            SYSCALL_FILTER_INSNS_MAX);
    uint8_t *bytes = arena_alloc(arena, program.len);
    memcpy(bytes, program.data, program.len);
    *ret = (struct syscall_filter){ bytes, n_insns, load_flags(plan), plan->wants_listener };
    return 0;
}

void syscall_filter_unknown_names(
    struct arena *arena, const struct syscall_filter_plan *plan, struct strv *ret)
{
    const struct syscall_rules rules = syscall_filter_rules(arena, plan);
    for (size_t i = 0; i < rules.n; i++) {
        const char *name = rules.items[i].name;
        bool is_new;
        if (!is_resolved(number_of(name, &is_new)) && !strv_has(ret, name))
            strv_add(arena, ret, name);
    }
}

#define TEXT_OF(x)     #x
#define NUMBER_TEXT(x) TEXT_OF(x)
#if defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__aarch64__)
#define MACHINE "aarch64"
#else
#error "add the machine's name: it is part of the cache's key"
#endif

const char *syscall_filter_version(void)
{
    return "format " NUMBER_TEXT(FORMAT_VERSION) " libseccomp " NUMBER_TEXT(
        SCMP_VER_MAJOR) "." NUMBER_TEXT(SCMP_VER_MINOR) "." NUMBER_TEXT(SCMP_VER_MICRO) " machine"
                                                                                        " " MACHINE;
}
