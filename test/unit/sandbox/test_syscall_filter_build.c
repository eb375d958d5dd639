/* SPDX-License-Identifier: Apache-2.0 */
/* Built programs, run in a simulator: each verdict is what the plan's contract says. */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "arena.h"
#include "bpf_simulator.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "strv.h"
#include "syscall_filter_build.h"
#include "syscall_filter_plan.h"
#include "unit.h"

#if defined(__x86_64__)
#define ARCH 0xc000003eU
#else
#define ARCH 0xc00000b7U
#endif
#define ARCH_I386    0x40000003U
#define RET_ALLOW    0x7fff0000U
#define RET_LOG      0x7ffc0000U
#define RET_TRACE    0x7ff00000U
#define RET_NOTIFY   0x7fc00000U
#define RET_TRAP     0x00030000U
#define RET_THREAD   0x00000000U
#define RET_PROCESS  0x80000000U
#define RET_ERRNO(e) (0x00050000U | (unsigned)(e))

static struct arena arena = ARENA_INIT;

static char **names_of(const char *name)
{
    char **names = arena_new_array(&arena, 2, char *);
    names[0] = arena_strdup(&arena, name);
    return names;
}

static struct oci_seccomp_syscall call_of(const char *name, enum oci_seccomp_action action)
{
    return (struct oci_seccomp_syscall){ .names = names_of(name), .n_names = 1, .action = action };
}

static struct syscall_filter filter_of(const struct oci_seccomp *seccomp)
{
    struct error err = ERR_INIT;
    struct syscall_filter_plan plan;
    struct syscall_filter filter;
    int r = syscall_filter_plan_build(&arena, seccomp, false, &plan, &err);
    ck_assert_msg(r == 0, "%s", err.text);
    r = syscall_filter_build(&arena, &plan, &filter, &err);
    ck_assert_msg(r == 0, "%s", err.text);
    return filter;
}

static uint32_t verdict(
    const struct syscall_filter *filter, uint32_t arch, int number, uint64_t arg0, uint64_t arg1)
{
    const struct bpf_simulator_call call = {
        .number = number, .arch = arch, .args = { arg0, arg1 }
    };
    return bpf_simulator_run(filter->bytes, filter->n_insns, &call, NULL);
}

START_TEST(every_action_when_simulated_then_its_verdict)
{
    static const struct {
        enum oci_seccomp_action action;
        uint32_t expected;
    } cases[] = {
        { OCI_SECCOMP_KILL_PROCESS, RET_PROCESS },
        { OCI_SECCOMP_KILL_THREAD, RET_THREAD },
        { OCI_SECCOMP_TRAP, RET_TRAP },
        { OCI_SECCOMP_ERRNO, RET_ERRNO(EPERM) },
        { OCI_SECCOMP_NOTIFY, RET_NOTIFY },
        { OCI_SECCOMP_TRACE, RET_TRACE | EPERM },
        { OCI_SECCOMP_LOG, RET_LOG },
        { OCI_SECCOMP_ALLOW, RET_ALLOW },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
            struct oci_seccomp_syscall call = call_of("getpid", cases[k].action);
            struct oci_seccomp seccomp = { .default_action = cases[i].action,
                .syscalls = &call,
                .n_syscalls = 1,
                .listener_path = "/run/agent.sock" };
            if (cases[i].action == OCI_SECCOMP_NOTIFY)
                continue; /* never the default */
            struct syscall_filter filter = filter_of(&seccomp);
            ck_assert_uint_eq(verdict(&filter, ARCH, SYS_getpid, 0, 0), cases[k].expected);
            ck_assert_uint_eq(verdict(&filter, ARCH, 1, 0, 0), cases[i].expected);
            ck_assert_uint_eq(filter.wants_listener, cases[k].action == OCI_SECCOMP_NOTIFY);
        }
}
END_TEST

START_TEST(every_operator_when_simulated_then_compares_64_bits)
{
    static const uint64_t values[] = { 0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
        0x100000001, 0xffffffff00000001, UINT64_MAX };
    for (int op = OCI_SECCOMP_NE; op <= OCI_SECCOMP_MASKED_EQ; op++)
        for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
            struct oci_seccomp_arg arg = { .index = 1,
                .op = (enum oci_seccomp_operator)op,
                .value = values[i],
                .value_two = values[i] & 0x1 };
            struct oci_seccomp_syscall call = call_of("getpid", OCI_SECCOMP_ALLOW);
            call.args = &arg;
            call.n_args = 1;
            struct oci_seccomp seccomp = {
                .default_action = OCI_SECCOMP_KILL_PROCESS, .syscalls = &call, .n_syscalls = 1
            };
            struct syscall_filter filter = filter_of(&seccomp);
            for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
                uint64_t v = values[k];
                uint64_t a = values[i];
                const bool expected[] = { v != a, v<a, v <= a, v == a, v >= a, v> a,
                    (v & a) == (a & 0x1) };
                ck_assert_msg(
                    (verdict(&filter, ARCH, SYS_getpid, 0, v) == RET_ALLOW) == expected[op],
                    "0x%" PRIx64 " op %d 0x%" PRIx64, v, op, a);
            }
        }
}
END_TEST

/* --- random rule lists against a second reading of the contract --- */

static uint32_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525U + 1013904223U;
    return (random_state >> 16) % n;
}

static bool holds(const struct oci_seccomp_arg *arg, const uint64_t *args)
{
    uint64_t v = args[arg->index];
    switch (arg->op) {
    case OCI_SECCOMP_NE:
        return v != arg->value;
    case OCI_SECCOMP_LT:
        return v < arg->value;
    case OCI_SECCOMP_LE:
        return v <= arg->value;
    case OCI_SECCOMP_EQ:
        return v == arg->value;
    case OCI_SECCOMP_GE:
        return v >= arg->value;
    case OCI_SECCOMP_GT:
        return v > arg->value;
    case OCI_SECCOMP_MASKED_EQ:
    default:
        return (v & arg->value) ==
               (arg->value_two & arg->value); /* bits outside of the mask do not count */
    }
}

static bool matches(const struct oci_seccomp_syscall *call, const uint64_t *args)
{
    bool is_any = false;
    bool is_all = true;
    bool has_twice = call->n_args == 2 && call->args[0].index == call->args[1].index;
    for (size_t i = 0; i < call->n_args; i++) {
        is_any = is_any || holds(&call->args[i], args);
        is_all = is_all && holds(&call->args[i], args);
    }
    return has_twice ? is_any : is_all;
}

/* Conditions first, the strictest first; a condition laxer than the rule without conditions does not count. */
static enum oci_seccomp_action reference(
    const struct oci_seccomp *seccomp, const char *name, const uint64_t *args)
{
    enum oci_seccomp_action base = seccomp->default_action;
    bool has_unconditional = false;
    for (size_t i = 0; i < seccomp->n_syscalls; i++) {
        const struct oci_seccomp_syscall *call = &seccomp->syscalls[i];
        if (!str_eq(call->names[0], name) || call->n_args > 0 ||
            call->action == seccomp->default_action)
            continue;
        if (!has_unconditional || call->action < base)
            base = call->action;
        has_unconditional = true;
    }
    enum oci_seccomp_action found = base;
    bool is_found = false;
    for (size_t i = 0; i < seccomp->n_syscalls; i++) {
        const struct oci_seccomp_syscall *call = &seccomp->syscalls[i];
        if (!str_eq(call->names[0], name) || call->n_args == 0 || !matches(call, args))
            continue;
        if (has_unconditional && call->action > base)
            continue;
        if (!is_found || call->action < found)
            found = call->action;
        is_found = true;
    }
    return found;
}

static const char *const call_names[] = { "getpid", "socket", "cachestat" };
static const int call_numbers[] = { SYS_getpid, SYS_socket, 451 };

static const uint64_t random_values[] = { 0, 1, 2, 3, UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1 };

static uint64_t random_value(void)
{
    return random_values[random_below(ARRAY_SIZE(random_values))];
}

static void random_seccomp(struct oci_seccomp *seccomp)
{
    static const enum oci_seccomp_action actions[] = { OCI_SECCOMP_KILL_PROCESS, OCI_SECCOMP_TRAP,
        OCI_SECCOMP_ERRNO, OCI_SECCOMP_LOG, OCI_SECCOMP_ALLOW };
    size_t n = 1 + random_below(8);
    *seccomp = (struct oci_seccomp){ .default_action = actions[random_below(ARRAY_SIZE(actions))] };
    seccomp->syscalls = arena_new_array(&arena, n, struct oci_seccomp_syscall);
    if (random_below(2) == 0) {
        seccomp->architectures = names_of("SCMP_ARCH_X86");
        seccomp->n_architectures = 1;
    }
    for (size_t i = 0; i < n; i++) {
        struct oci_seccomp_syscall call = call_of(call_names[random_below(ARRAY_SIZE(call_names))],
            actions[random_below(ARRAY_SIZE(actions))]);
        call.n_args = random_below(3);
        call.args = arena_new_array(&arena, 2, struct oci_seccomp_arg);
        for (size_t k = 0; k < call.n_args; k++)
            call.args[k] = (struct oci_seccomp_arg){ .index = random_below(2),
                .op = (enum oci_seccomp_operator)random_below(7),
                .value = random_value(),
                .value_two = random_value() };
        seccomp->syscalls[seccomp->n_syscalls++] = call;
    }
}

START_TEST(random_rules_when_simulated_then_as_the_contract_says)
{
    static const uint32_t verdicts[] = { [OCI_SECCOMP_KILL_PROCESS] = RET_PROCESS,
        [OCI_SECCOMP_TRAP] = RET_TRAP,
        [OCI_SECCOMP_ERRNO] = RET_ERRNO(EPERM),
        [OCI_SECCOMP_LOG] = RET_LOG,
        [OCI_SECCOMP_ALLOW] = RET_ALLOW };
    for (uint32_t seed = 0; seed < 600; seed++) {
        struct oci_seccomp seccomp;
        random_state = seed * 7919 + 1;
        random_seccomp(&seccomp);
        struct syscall_filter filter = filter_of(&seccomp);
        for (size_t c = 0; c < ARRAY_SIZE(call_names); c++)
            for (size_t i = 0; i < ARRAY_SIZE(random_values) * ARRAY_SIZE(random_values); i++) {
                const uint64_t a = random_values[i % ARRAY_SIZE(random_values)];
                const uint64_t b = random_values[i / ARRAY_SIZE(random_values)];
                const uint64_t args[] = { a, b };
                uint32_t expected = verdicts[reference(&seccomp, call_names[c], args)];
                uint32_t got = verdict(&filter, ARCH, call_numbers[c], a, b);
                /* a call that the profile does not name and that is newer than those it names */
                if (got == RET_ERRNO(ENOSYS) && expected == verdicts[seccomp.default_action])
                    continue;
                ck_assert_msg(got == expected,
                    "seed %u: %s(%" PRIu64 ", %" PRIu64 "): 0x%x, not 0x%x", seed, call_names[c], a,
                    b, got, expected);
            }
    }
}
END_TEST

START_TEST(call_newer_than_profile_gets_enosys)
{
    struct oci_seccomp_syscall calls[] = { call_of("read", OCI_SECCOMP_ALLOW),
        call_of("statx", OCI_SECCOMP_ALLOW) };
    struct oci_seccomp seccomp = { .default_action = OCI_SECCOMP_ERRNO,
        .syscalls = calls,
        .n_syscalls = ARRAY_SIZE(calls),
        .architectures = names_of("SCMP_ARCH_X86"),
        .n_architectures = 1 };
    struct syscall_filter filter = filter_of(&seccomp);
    ck_assert_uint_eq(verdict(&filter, ARCH, SYS_statx, 0, 0), RET_ALLOW);
    ck_assert_uint_eq(verdict(&filter, ARCH, SYS_statx - 1, 0, 0), RET_ERRNO(EPERM));
    ck_assert_uint_eq(verdict(&filter, ARCH, SYS_statx + 1, 0, 0), RET_ERRNO(ENOSYS));
    ck_assert_uint_eq(verdict(&filter, ARCH, 3000, 0, 0), RET_ERRNO(ENOSYS));
#if defined(__x86_64__)
    ck_assert_uint_eq(verdict(&filter, ARCH, 0x40000000 | 3000, 0, 0), RET_PROCESS); /* x32 */
    ck_assert_uint_eq(verdict(&filter, ARCH_I386, 383, 0, 0), RET_ALLOW); /* statx there */
    ck_assert_uint_eq(verdict(&filter, ARCH_I386, 382, 0, 0), RET_ERRNO(EPERM));
    ck_assert_uint_eq(verdict(&filter, ARCH_I386, 384, 0, 0), RET_ERRNO(ENOSYS));
#endif
    seccomp.has_default_errno_ret = true;
    seccomp.default_errno_ret = EACCES;
    filter = filter_of(&seccomp);
    ck_assert_uint_eq(verdict(&filter, ARCH, SYS_statx - 1, 0, 0), RET_ERRNO(EACCES));
    seccomp.default_action = OCI_SECCOMP_ALLOW;
    seccomp.has_default_errno_ret = false;
    filter = filter_of(&seccomp);
    ck_assert_uint_eq(verdict(&filter, ARCH, 3000, 0, 0), RET_ALLOW);
}
END_TEST

#if defined(__x86_64__)
START_TEST(foreign_architecture_when_listed_then_filtered_by_its_numbers)
{
    struct oci_seccomp_syscall calls[] = { call_of("read", OCI_SECCOMP_ALLOW),
        call_of("cachestat", OCI_SECCOMP_ALLOW) };
    struct oci_seccomp seccomp = {
        .default_action = OCI_SECCOMP_ERRNO, .syscalls = calls, .n_syscalls = ARRAY_SIZE(calls)
    };
    struct syscall_filter filter = filter_of(&seccomp);
    ck_assert_uint_eq(verdict(&filter, ARCH_I386, 3, 0, 0), RET_PROCESS);
    seccomp.architectures = names_of("SCMP_ARCH_X86");
    seccomp.n_architectures = 1;
    filter = filter_of(&seccomp);
    ck_assert_uint_eq(verdict(&filter, ARCH, 0, 0, 0), RET_ALLOW);
    ck_assert_uint_eq(verdict(&filter, ARCH, 451, 0, 0), RET_ALLOW);
    ck_assert_uint_eq(verdict(&filter, ARCH, 3, 0, 0), RET_ERRNO(EPERM));
    ck_assert_uint_eq(verdict(&filter, ARCH_I386, 3, 0, 0), RET_ALLOW);
    ck_assert_uint_eq(verdict(&filter, ARCH_I386, 4, 0, 0), RET_ERRNO(EPERM));
    ck_assert_uint_eq(verdict(&filter, 0xc00000b7U, 3, 0, 0), RET_PROCESS); /* aarch64 */
}
END_TEST
#endif

START_TEST(unknown_name_when_strict_then_error_else_left_out)
{
    struct oci_seccomp_syscall calls[] = { call_of("read", OCI_SECCOMP_ALLOW),
        call_of("unlinkatt", OCI_SECCOMP_ALLOW) };
    struct oci_seccomp seccomp = {
        .default_action = OCI_SECCOMP_ERRNO, .syscalls = calls, .n_syscalls = ARRAY_SIZE(calls)
    };
    struct syscall_filter filter = filter_of(&seccomp);
    ck_assert_uint_eq(verdict(&filter, ARCH, SYS_read, 0, 0), RET_ALLOW);
    struct error err = ERR_INIT;
    struct syscall_filter_plan plan;
    ck_assert_int_eq(syscall_filter_plan_build(&arena, &seccomp, true, &plan, &err), 0);
    ck_assert_int_eq(syscall_filter_build(&arena, &plan, &filter, &err), -EINVAL);
    ck_assert_str_eq(err.text, "linux.seccomp: unlinkatt: no such system call");
}
END_TEST

START_TEST(flags_when_listener_then_with_what_the_kernel_demands)
{
    struct oci_seccomp_syscall call = call_of("mkdir", OCI_SECCOMP_NOTIFY);
    struct oci_seccomp seccomp = { .default_action = OCI_SECCOMP_ALLOW,
        .syscalls = &call,
        .n_syscalls = 1,
        .listener_path = "/run/agent.sock",
        .has_flags = true,
        .flags = OCI_SECCOMP_FLAG_TSYNC | OCI_SECCOMP_FLAG_WAIT_KILLABLE_RECV };
    ck_assert_uint_eq(filter_of(&seccomp).flags, 0x1 | 0x20 | 0x8 | 0x10);
    call.action = OCI_SECCOMP_ERRNO;
    ck_assert_uint_eq(filter_of(&seccomp).flags, 0x1);
    seccomp.has_flags = false;
    ck_assert_uint_eq(filter_of(&seccomp).flags, OCI_SECCOMP_FLAG_SPEC_ALLOW);
}
END_TEST

START_TEST(plan_when_document_is_wrong_then_error)
{
    struct error err = ERR_INIT;
    struct syscall_filter_plan plan;
    struct oci_seccomp_arg arg = { .index = 6, .op = OCI_SECCOMP_EQ };
    struct oci_seccomp_syscall call = call_of("write", OCI_SECCOMP_NOTIFY);
    struct oci_seccomp seccomp = { .default_action = OCI_SECCOMP_ALLOW,
        .syscalls = &call,
        .n_syscalls = 1,
        .listener_path = "/run/agent.sock" };
    ck_assert_int_eq(syscall_filter_plan_build(&arena, &seccomp, false, &plan, &err), -EINVAL);
    call = call_of("sendmsg", OCI_SECCOMP_NOTIFY);
    ck_assert_int_eq(syscall_filter_plan_build(&arena, &seccomp, false, &plan, &err), -EINVAL);
    call = call_of("mkdir", OCI_SECCOMP_NOTIFY);
    seccomp.listener_path = NULL;
    ck_assert_int_eq(syscall_filter_plan_build(&arena, &seccomp, false, &plan, &err), -EINVAL);
    call = call_of("mkdir", OCI_SECCOMP_ALLOW);
    call.args = &arg;
    call.n_args = 1;
    ck_assert_int_eq(syscall_filter_plan_build(&arena, &seccomp, false, &plan, &err), -EINVAL);
    call = call_of("mk\ndir", OCI_SECCOMP_ALLOW);
    ck_assert_int_eq(syscall_filter_plan_build(&arena, &seccomp, false, &plan, &err), -EINVAL);
    call = call_of("mkdir", OCI_SECCOMP_ALLOW);
    call.has_errno_ret = true;
    ck_assert_int_eq(syscall_filter_plan_build(&arena, &seccomp, false, &plan, &err), -EINVAL);
    call.has_errno_ret = false;
    seccomp.architectures = names_of("SCMP_ARCH_Z80");
    seccomp.n_architectures = 1;
    ck_assert_int_eq(syscall_filter_plan_build(&arena, &seccomp, false, &plan, &err), -EINVAL);
    seccomp.n_architectures = 0;
    seccomp.default_action = OCI_SECCOMP_NOTIFY;
    ck_assert_int_eq(syscall_filter_plan_build(&arena, &seccomp, false, &plan, &err), -EINVAL);
}
END_TEST

START_TEST(no_rule_when_built_then_default_for_all)
{
    struct oci_seccomp seccomp = { .default_action = OCI_SECCOMP_ALLOW };
    struct syscall_filter filter = filter_of(&seccomp);
    for (int number = 0; number < 500; number++)
        ck_assert_uint_eq(verdict(&filter, ARCH, number, 0, 0), RET_ALLOW);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        every_action_when_simulated_then_its_verdict,
        every_operator_when_simulated_then_compares_64_bits,
        random_rules_when_simulated_then_as_the_contract_says,
        call_newer_than_profile_gets_enosys,
#if defined(__x86_64__)
        foreign_architecture_when_listed_then_filtered_by_its_numbers,
#endif
        unknown_name_when_strict_then_error_else_left_out,
        flags_when_listener_then_with_what_the_kernel_demands,
        plan_when_document_is_wrong_then_error,
        no_rule_when_built_then_default_for_all,
    };
    int r = unit_run("syscall_filter_build", tests, ARRAY_SIZE(tests));
    arena_done(&arena);
    return r;
}
