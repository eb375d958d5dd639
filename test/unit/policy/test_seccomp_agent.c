/* SPDX-License-Identifier: Apache-2.0 */
/* The profile "agent" as the program that the kernel gets, on every number, family and flag that matters. */
#include <errno.h>
#include <inttypes.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "bpf_simulator.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "golden.h"
#include "oci_config.h"
#include "role.h"
#include "seccomp_agent.h"
#include "strv.h"
#include "syscall_filter_apply.h"
#include "syscall_filter_build.h"
#include "syscall_filter_plan.h"
#include "syscall_filter_rules.h"
#include "unit.h"

#if defined(__x86_64__)
#define ARCH 0xc000003eU
#else
#define ARCH 0xc00000b7U
#endif
#define ARCH_I386    0x40000003U
#define RET_ALLOW    0x7fff0000U
#define RET_KILL     0x80000000U /* process */
#define RET_ERRNO(e) (0x00050000U | (unsigned)(e))

static struct arena arena = ARENA_INIT;
static struct syscall_filter_plan plan;
static struct syscall_filter filter;

static void build(void)
{
    struct error err = ERR_INIT;
    int r = syscall_filter_plan_build(&arena, seccomp_agent(&arena), true, &plan, &err);
    ck_assert_msg(r == 0, "%s", err.text);
    r = syscall_filter_build(&arena, &plan, &filter, &err);
    ck_assert_msg(r == 0, "%s", err.text);
}

static uint32_t verdict(const struct bpf_simulator_call *call)
{
    return bpf_simulator_run(filter.bytes, filter.n_insns, call, NULL);
}

static uint32_t verdict_of(int number, uint64_t arg0, uint64_t arg1, uint64_t arg2)
{
    const struct bpf_simulator_call call = {
        .number = number, .arch = ARCH, .args = { arg0, arg1, arg2 }
    };
    return verdict(&call);
}

static const struct expected {
    int number;
    const char *name;
} escapes[] = {
#define CALL(name)                                                                                 \
    {                                                                                              \
        SYS_##name, #name                                                                          \
    }
    CALL(unshare), CALL(setns), CALL(mount), CALL(umount2), CALL(pivot_root), CALL(chroot),
    CALL(open_tree), CALL(move_mount), CALL(fsopen), CALL(fsconfig), CALL(fsmount), CALL(fspick),
    CALL(mount_setattr), CALL(open_by_handle_at), CALL(bpf), CALL(perf_event_open), CALL(userfaultfd),
    CALL(io_uring_setup), CALL(io_uring_enter), CALL(io_uring_register), CALL(fanotify_init),
    CALL(add_key), CALL(keyctl), CALL(request_key), CALL(ptrace), CALL(process_vm_readv),
    CALL(process_vm_writev), CALL(kcmp), CALL(pidfd_getfd), CALL(init_module), CALL(finit_module),
    CALL(delete_module), CALL(kexec_load), CALL(reboot), CALL(swapon), CALL(settimeofday),
    CALL(clock_settime), CALL(sethostname), CALL(syslog), CALL(acct), CALL(memfd_secret),
    { 457, "statmount" }, { 458, "listmount" }, { 467, "open_tree_attr" }, { 470, "listns" },
}, needed[] = {
    CALL(read), CALL(write), CALL(openat), CALL(openat2), CALL(close_range), CALL(statx), CALL(faccessat2),
    CALL(execve), CALL(exit_group), CALL(mmap), CALL(mprotect), CALL(futex), CALL(futex_waitv), CALL(rseq),
    CALL(membarrier), CALL(memfd_create), CALL(landlock_create_ruleset), CALL(seccomp), CALL(setgroups),
    CALL(setresuid), CALL(fchownat), CALL(mknodat), CALL(renameat2), CALL(copy_file_range), CALL(epoll_pwait2),
    CALL(pidfd_open), CALL(getrandom), CALL(prlimit64), CALL(sched_setaffinity), CALL(shmget), CALL(mq_open),
    CALL(set_robust_list), CALL(io_setup), CALL(inotify_init1), CALL(accept4), CALL(sendmsg), CALL(ppoll),
    { 451, "cachestat" }, { 452, "fchmodat2" }, { 453, "map_shadow_stack" }, { 454, "futex_wake" },
    { 462, "mseal" }, { 463, "setxattrat" },
#undef CALL
};

START_TEST(names_are_all_known_to_the_library)
{
    struct strv unknown = STRV_INIT;
    build();
    syscall_filter_unknown_names(&arena, &plan, &unknown);
    ck_assert_uint_eq(unknown.n, 0);
}
END_TEST

START_TEST(dangerous_call_gets_eperm)
{
    build();
    for (size_t i = 0; i < ARRAY_SIZE(escapes); i++)
        ck_assert_msg(
            verdict_of(escapes[i].number, 0, 0, 0) == RET_ERRNO(EPERM), "%s", escapes[i].name);
}
END_TEST

START_TEST(call_of_everyday_programs_is_allowed)
{
    build();
    for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
        ck_assert_msg(verdict_of(needed[i].number, 0, 0, 0) == RET_ALLOW, "%s", needed[i].name);
}
END_TEST

START_TEST(number_beyond_the_list_gets_enosys)
{
    build();
    for (int number = 471; number < 4096; number++)
        ck_assert_uint_eq(verdict_of(number, 0, 0, 0), RET_ERRNO(ENOSYS));
    ck_assert_uint_eq(verdict_of(INT32_MAX & 0x3fffffff, 0, 0, 0), RET_ERRNO(ENOSYS));
    ck_assert_uint_eq(verdict_of(SYS_clone3, 0, 0, 0), RET_ERRNO(ENOSYS));
    ck_assert_uint_eq(
        verdict_of(460, 0, 0, 0), RET_ERRNO(ENOSYS)); /* lsm_set_self_attr: on no list */
}
END_TEST

#if defined(__x86_64__)
static const char *answer_name(uint32_t answer)
{
    switch (answer) {
    case RET_ALLOW: return "allow";
    case RET_ERRNO(EPERM): return "EPERM";
    case RET_ERRNO(ENOSYS): return "ENOSYS";
    case RET_ERRNO(EAFNOSUPPORT): return "EAFNOSUPPORT";
    default: ck_abort_msg("answer 0x%x", answer);
    }
}

/* One line for each number, with arguments of zero: a call that is allowed anew shows in the diff. Numbers from 451 on
 * have no name in libseccomp 2.5.4. */
START_TEST(number_when_simulated_then_golden_answer)
{
    AUTO(buf) struct buf out = BUF_INIT;

    build();
    for (int number = 0; number < 600; number++) {
        char *name = number <= 450 ? seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, number) : NULL;
        buf_printf(&out, "%d %s %s\n", number, name ? name : "-", answer_name(verdict_of(number, 0, 0, 0)));
        free(name);
    }
    golden_compare(&arena, GOLDEN_DIR "policy/seccomp_agent.x86_64", &out);
}
END_TEST
#endif

START_TEST(other_architecture_kills_the_process)
{
    build();
    for (int number = 0; number < 500; number++) {
        const struct bpf_simulator_call i386 = { .number = number, .arch = ARCH_I386 };
        ck_assert_uint_eq(verdict(&i386), RET_KILL);
#if defined(__x86_64__)
        ck_assert_uint_eq(verdict_of(number | 0x40000000, 0, 0, 0), RET_KILL); /* x32 */
#endif
    }
}
END_TEST

START_TEST(family_when_not_listed_then_eafnosupport)
{
    static const uint64_t highs[] = { 0, UINT64_C(1) << 32, UINT64_C(0xffffffff00000000) };
    build();
    for (size_t i = 0; i < ARRAY_SIZE(highs); i++)
        for (uint64_t family = 0; family < 256; family++) {
            bool is_allowed = family == 1 || family == 2 || family == 10 || family == 16;
            uint32_t expected = is_allowed ? RET_ALLOW : RET_ERRNO(EAFNOSUPPORT);
            uint64_t type = family == 16 ? 3 : 1;
            ck_assert_msg(verdict_of(SYS_socket, family | highs[i], type, 0) == expected,
                "family %" PRIu64 " high %" PRIx64, family, highs[i]);
            uint32_t pair = verdict_of(SYS_socketpair, family | highs[i], 1, 0);
            ck_assert_msg(family == 1 ? pair == RET_ALLOW : (pair & 0xffff0000U) == RET_ERRNO(0),
                "socketpair family %" PRIu64, family);
        }
    ck_assert_uint_ne(verdict_of(SYS_socket, 256, 1, 0), RET_ALLOW);
    ck_assert_uint_ne(verdict_of(SYS_socket, 0x100 | 2, 1, 0), RET_ALLOW);
    ck_assert_uint_ne(verdict_of(SYS_socket, 0xffffffffU, 1, 0), RET_ALLOW);
}
END_TEST

/* Exactly TCP, UDP and ping, whatever the flags in the type. */
START_TEST(inet_type_and_protocol_when_not_listed_then_refused)
{
    build();
    for (uint64_t family = 2; family <= 10; family += 8)
        for (uint64_t type = 0; type < 16; type++)
            for (uint64_t protocol = 0; protocol < 300; protocol++) {
                bool is_tcp = type == 1 && (protocol == 0 || protocol == 6);
                bool is_udp = type == 2 && (protocol == 0 || protocol == 17);
                bool is_ping = type == 2 && protocol == (family == 2 ? 1 : 58);
                uint32_t got = verdict_of(SYS_socket, family, type | 0x80800, protocol);
                ck_assert_msg((got == RET_ALLOW) == (is_tcp || is_udp || is_ping),
                    "family %" PRIu64 " type %" PRIu64 " protocol %" PRIu64 ": 0x%x", family, type,
                    protocol, got);
            }
    ck_assert_uint_eq(verdict_of(SYS_socket, 2, 1, 262), RET_ERRNO(EPROTONOSUPPORT));
    ck_assert_uint_eq(verdict_of(SYS_socket, 2, 3, 1), RET_ERRNO(EPERM));
}
END_TEST

START_TEST(netlink_protocol_when_not_route_then_refused)
{
    build();
    for (uint64_t protocol = 0; protocol < 64; protocol++)
        for (uint64_t type = 2; type <= 3; type++)
            ck_assert_uint_eq(
                verdict_of(SYS_socket, 16, type, protocol) == RET_ALLOW, protocol == 0);
    for (uint64_t protocol = 1; protocol < 32; protocol++)
        ck_assert_uint_eq(verdict_of(SYS_socket, 16, 3, protocol), RET_ERRNO(EPROTONOSUPPORT));
}
END_TEST

START_TEST(clone_with_namespace_flag_gets_eperm)
{
    build();
    ck_assert_uint_eq(verdict_of(SYS_clone, 0x003d0f00, 0, 0), RET_ALLOW); /* pthread_create */
    ck_assert_uint_eq(verdict_of(SYS_clone, 0x01200011, 0, 0), RET_ALLOW); /* fork */
    for (unsigned bit = 0; bit < 32; bit++) {
        uint64_t flag = UINT64_C(1) << bit;
        bool is_namespace = (flag & 0x7e020000U) != 0;
        uint32_t expected = is_namespace ? RET_ERRNO(EPERM) : RET_ALLOW;
        ck_assert_uint_eq(verdict_of(SYS_clone, flag | 17, 0, 0), expected);
        ck_assert_uint_eq(verdict_of(SYS_clone, flag | 17 | UINT64_C(1) << 40, 0, 0), expected);
    }
}
END_TEST

START_TEST(terminal_injection_with_high_bits_gets_eperm)
{
    static const uint64_t denied[] = { 0x5412, 0x541c, 0x5423 };
    build();
    for (size_t i = 0; i < ARRAY_SIZE(denied); i++) {
        ck_assert_uint_eq(verdict_of(SYS_ioctl, 0, denied[i], 0), RET_ERRNO(EPERM));
        ck_assert_uint_eq(
            verdict_of(SYS_ioctl, 0, denied[i] | UINT64_C(1) << 32, 0), RET_ERRNO(EPERM));
        ck_assert_uint_eq(verdict_of(SYS_ioctl, 0, denied[i] | UINT64_C(0xffffffff00000000), 0),
            RET_ERRNO(EPERM));
    }
    for (uint64_t request = 0x5400; request < 0x5480; request++)
        ck_assert_uint_eq(verdict_of(SYS_ioctl, 0, request, 0) == RET_ALLOW,
            request != 0x5412 && request != 0x541c && request != 0x5423);
    ck_assert_uint_eq(verdict_of(SYS_ioctl, 0, UINT64_C(0xffffffff80045430), 0), RET_ALLOW);
}
END_TEST

START_TEST(personality_when_not_listed_then_refused)
{
    build();
    ck_assert_uint_eq(verdict_of(SYS_personality, 0xffffffff, 0, 0), RET_ALLOW);
    ck_assert_uint_eq(verdict_of(SYS_personality, 8, 0, 0), RET_ALLOW);
    ck_assert_uint_ne(verdict_of(SYS_personality, 0x00400000, 0, 0), RET_ALLOW);
    ck_assert_uint_ne(verdict_of(SYS_personality, 0x00100000, 0, 0), RET_ALLOW);
}
END_TEST

START_TEST(program_when_built_then_small_and_quick)
{
    size_t n_steps = 0;
    build();
    const struct bpf_simulator_call call = { .number = SYS_openat, .arch = ARCH };
    (void)bpf_simulator_run(filter.bytes, filter.n_insns, &call, &n_steps);
    printf("agent profile: %zu rules, %zu instructions, %zu steps for openat\n",
        syscall_filter_rules(&arena, &plan).n, filter.n_insns, n_steps);
    ck_assert_uint_lt(filter.n_insns, 1200);
    ck_assert_uint_lt(n_steps, 60);
}
END_TEST

/* --- in the running kernel --- */

static void confine(void)
{
    struct error err = ERR_INIT;
    int listener;
    role_set(ROLE_INIT);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        syscall_filter_apply(&filter, &listener, &err) < 0)
        _exit(126);
}

static int status_of(pid_t pid)
{
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool fails_with(long result, int code)
{
    return result == -1 && errno == code;
}

static int try_escapes(void)
{
    confine();
    if (!fails_with(syscall(SYS_unshare, 0x10000000), EPERM))
        return 1;
    if (!fails_with(syscall(SYS_clone, 0x10000011, 0, 0, 0, 0), EPERM))
        return 2;
    if (!fails_with(syscall(SYS_clone3, NULL, 0), ENOSYS))
        return 3;
    if (!fails_with(syscall(SYS_socket, 38, 5, 0), EAFNOSUPPORT)) /* AF_ALG */
        return 4;
    if (!fails_with(syscall(SYS_socket, 40, 1, 0), EAFNOSUPPORT)) /* AF_VSOCK */
        return 5;
    if (!fails_with(syscall(SYS_io_uring_setup, 1, NULL), EPERM))
        return 6;
    if (!fails_with(syscall(SYS_ioctl, 0, UINT64_C(0x100005412), ""), EPERM)) /* TIOCSTI */
        return 7;
    return fails_with(syscall(4000), ENOSYS) ? 0 : 8;
}

START_TEST(escapes_when_tried_then_refused)
{
    build();
    pid_t pid = fork();
    if (pid == 0)
        _exit(try_escapes());
    ck_assert_int_eq(status_of(pid), 0);
}
END_TEST

#if defined(__x86_64__)
START_TEST(call_of_i386_when_made_then_killed)
{
    build();
    pid_t pid = fork();
    if (pid == 0) {
        long result;
        confine();
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory"); /* getpid there */
        _exit(result >= 0 ? 1 : 2);
    }
    ck_assert_int_eq(status_of(pid), 128 + SIGSYS);
}
END_TEST
#endif

/* What is not installed (127) is passed over. */
START_TEST(everyday_program_when_run_then_works)
{
    static const char *const commands[] = {
        "echo b a | tr ' ' '\\n' | sort | head -1 >/dev/null && ls -l / >/dev/null",
        "dpkg --version >/dev/null && dpkg -l dpkg >/dev/null",
        "apt-get --version >/dev/null",
        "python3 -c 'import socket,subprocess,threading; t=threading.Thread(target=int); "
        "t.start(); t.join(); "
        "subprocess.check_call([\"true\"]); socket.socket(); socket.socketpair()'",
        "perl -e 'exit 0 unless fork; wait; exit $? >> 8'",
        "node -e 'require(\"child_process\").execSync(\"true\")'",
        "java -version 2>/dev/null",
        "echo 'int main(void){return 0;}' | gcc -x c -S -o - - >/dev/null",
        "tar cf - /etc/hostname 2>/dev/null | tar tf - >/dev/null",
        "git --version >/dev/null",
        "getent hosts localhost >/dev/null",
        "setarch -R true",
    };
    build();
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        pid_t pid = fork();
        if (pid == 0) {
            confine();
            (void)execl("/bin/sh", "sh", "-c", commands[i], NULL);
            _exit(125);
        }
        int status = status_of(pid);
        ck_assert_msg(status == 0 || status == 127, "%s: %d", commands[i], status);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        names_are_all_known_to_the_library,
        dangerous_call_gets_eperm,
        call_of_everyday_programs_is_allowed,
        number_beyond_the_list_gets_enosys,
#if defined(__x86_64__)
        number_when_simulated_then_golden_answer,
#endif
        other_architecture_kills_the_process,
        family_when_not_listed_then_eafnosupport,
        inet_type_and_protocol_when_not_listed_then_refused,
        netlink_protocol_when_not_route_then_refused,
        clone_with_namespace_flag_gets_eperm,
        terminal_injection_with_high_bits_gets_eperm,
        personality_when_not_listed_then_refused,
        program_when_built_then_small_and_quick,
        escapes_when_tried_then_refused,
#if defined(__x86_64__)
        call_of_i386_when_made_then_killed,
#endif
        everyday_program_when_run_then_works,
    };
    int r = unit_run("seccomp_agent", tests, ARRAY_SIZE(tests));
    arena_done(&arena);
    return r;
}
