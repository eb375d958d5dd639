/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system call profile "agent": the rows of this file are the profile.
 *
 * Longer than 300 lines: tables. Names are checked when the filter is built (a misspelt one is an error). Conditions
 * compare the low 32 bits where the kernel takes an int: the upper half of the register is whatever the caller left
 * there (CVE-2019-10063).
 */
#include "seccomp_agent.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "oci_config.h"
#include "strv.h"

#define ARGS_MAX 3

struct row {
    enum oci_seccomp_action action;
    uint32_t errno_ret;
    const char *names; /* separated by blanks */
    struct {
        uint32_t index;
        uint64_t mask;
        uint64_t value;
    } args[ARGS_MAX]; /* all must hold; the first without mask ends the list */
};

#define INT 0xffffffffU
#define ALLOW(names, ...)                                                                          \
    {                                                                                              \
        OCI_SECCOMP_ALLOW, 0, (names),                                                             \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define DENY(errno_ret, names, ...)                                                                \
    {                                                                                              \
        OCI_SECCOMP_ERRNO, (errno_ret), (names),                                                   \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* clang-format off */

/* --- harmless, or only as powerful as the ids, capabilities, namespaces and limits around them -------------------- */

static const struct row allowed[] = {
    /* files by name and by descriptor */
    ALLOW(
        "access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64 "
        "fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync flock fstat fstatfs fsync "
        "ftruncate futimesat getcwd getdents getdents64 lchown link linkat lseek lstat mkdir mkdirat newfstatat open "
        "openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv "
        "rename renameat renameat2 rmdir sendfile splice stat statfs statx symlink symlinkat sync sync_file_range "
        "syncfs tee truncate umask unlink unlinkat utime utimensat utimes vmsplice write writev cachestat"),
    /* FIFOs and sockets are made with it too; device nodes are stopped by the user namespace and the device filter */
    ALLOW("mknod mknodat"),
    /* only tells a handle; open_by_handle_at, which turns it into a file of any mount, is below */
    ALLOW("name_to_handle_at"),
    ALLOW(
        "fgetxattr flistxattr fremovexattr fsetxattr getxattr getxattrat lgetxattr listxattr listxattrat llistxattr "
        "lremovexattr lsetxattr removexattr removexattrat setxattr setxattrat"),
    ALLOW("inotify_add_watch inotify_init inotify_init1 inotify_rm_watch"),
    /* the old asynchronous I/O of databases; io_uring is below */
    ALLOW("io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit"),

    /* memory; files in memory run as any other file does */
    ALLOW(
        "brk madvise map_shadow_stack memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap mseal msync "
        "munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect remap_file_pages"),

    /* processes, threads, time, signals; whom a signal reaches is the PID namespace's business */
    ALLOW(
        "execve execveat exit exit_group fork getcpu getpgid getpgrp getpid getppid getpriority getrlimit getrusage "
        "getsid gettid prctl prlimit64 sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr "
        "sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam "
        "sched_setscheduler sched_yield setpgid setpriority setrlimit setsid set_tid_address sysinfo times uname vfork "
        "wait4 waitid ioprio_get ioprio_set pidfd_open pidfd_send_signal arch_prctl"),
    ALLOW(
        "futex futex_requeue futex_wait futex_waitv futex_wake get_robust_list set_robust_list membarrier rseq "
        "restart_syscall"),
    ALLOW(
        "alarm clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep setitimer time timer_create "
        "timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime"),
    ALLOW(
        "kill pause rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend "
        "rt_sigtimedwait rt_tgsigqueueinfo sigaltstack signalfd signalfd4 tgkill tkill"),
    ALLOW("getrandom"),

    /* waiting, pipes, sockets once they exist */
    ALLOW(
        "epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 pipe pipe2 poll "
        "ppoll pselect6 select"),
    ALLOW(
        "accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg "
        "sendmsg sendto setsockopt shutdown"),

    /* System V and POSIX queues: within the IPC namespace */
    ALLOW(
        "mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd semctl "
        "semget semop semtimedop shmat shmctl shmdt shmget"),

    /* ids: within the id range of the user namespace; package managers of an image change them */
    ALLOW(
        "capget capset getegid geteuid getgid getgroups getresgid getresuid getuid setfsgid setfsuid setgid setgroups "
        "setregid setresgid setresuid setreuid setuid"),

    /* programs may confine themselves further */
    ALLOW("landlock_add_rule landlock_create_ruleset landlock_restrict_self seccomp"),
};

/* --- allowed with certain arguments ------------------------------------------------------------------------------- */

#define CLONE_NAMESPACES 0x7e020000U /* CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET */

static const struct row conditional[] = {
    /* new threads and processes, not new namespaces: a user namespace opens the kernel's privileged code to anyone */
    ALLOW("clone", { 0, CLONE_NAMESPACES, 0 }),
    DENY(EPERM, "clone", { 0, 0x00020000, 0x00020000 }),
    DENY(EPERM, "clone", { 0, 0x02000000, 0x02000000 }),
    DENY(EPERM, "clone", { 0, 0x04000000, 0x04000000 }),
    DENY(EPERM, "clone", { 0, 0x08000000, 0x08000000 }),
    DENY(EPERM, "clone", { 0, 0x10000000, 0x10000000 }),
    DENY(EPERM, "clone", { 0, 0x20000000, 0x20000000 }),
    DENY(EPERM, "clone", { 0, 0x40000000, 0x40000000 }),

    /* TIOCSTI and TIOCLINUX type into the terminal for its user; TIOCSETD loads line disciplines */
    ALLOW("ioctl"),
    DENY(EPERM, "ioctl", { 1, INT, 0x5412 }),
    DENY(EPERM, "ioctl", { 1, INT, 0x541c }),
    DENY(EPERM, "ioctl", { 1, INT, 0x5423 }),

    /* PER_LINUX, PER_LINUX32, both with UNAME26, and asking. ADDR_NO_RANDOMIZE weakens only the program that asks for
     * it: debuggers and sanitizers do. READ_IMPLIES_EXEC and MMAP_PAGE_ZERO are not among them. */
    ALLOW("personality", { 0, INT, 0x00000000 }),
    ALLOW("personality", { 0, INT, 0x00000008 }),
    ALLOW("personality", { 0, INT, 0x00020000 }),
    ALLOW("personality", { 0, INT, 0x00020008 }),
    ALLOW("personality", { 0, INT, 0x00040000 }),
    ALLOW("personality", { 0, INT, 0xffffffff }),
};

/* --- sockets by family, type and protocol (Copy Fail, CVE-2026-31431, went through AF_ALG) ------------------------ */

#define UNIX     { 0, INT, 1 }
#define INET     { 0, INT, 2 }
#define INET6    { 0, INT, 10 }
#define NETLINK  { 0, INT, 16 }
#define STREAM   { 1, 0xf, 1 } /* SOCK_TYPE_MASK of the kernel: SOCK_CLOEXEC and SOCK_NONBLOCK are above it */
#define DGRAM    { 1, 0xf, 2 }
#define RAW      { 1, 0xf, 3 }
#define PROTO(n) { 2, INT, (n) }
#define BITS(i, mask, value) { (i), (mask), (value) }

static const struct row sockets[] = {
    ALLOW("socket socketpair", UNIX),
    /* TCP, UDP and ping; type and protocol, as either alone also names SCTP or DCCP */
    ALLOW("socket", INET, STREAM, PROTO(0)),
    ALLOW("socket", INET, STREAM, PROTO(6)),
    ALLOW("socket", INET, DGRAM, PROTO(0)),
    ALLOW("socket", INET, DGRAM, PROTO(1)),
    ALLOW("socket", INET, DGRAM, PROTO(17)),
    ALLOW("socket", INET6, STREAM, PROTO(0)),
    ALLOW("socket", INET6, STREAM, PROTO(6)),
    ALLOW("socket", INET6, DGRAM, PROTO(0)),
    ALLOW("socket", INET6, DGRAM, PROTO(17)),
    ALLOW("socket", INET6, DGRAM, PROTO(58)),
    DENY(EPERM, "socket", INET, RAW),
    DENY(EPERM, "socket", INET6, RAW),
    /* NETLINK_ROUTE, which the C library asks for the addresses of the interfaces */
    ALLOW("socket", NETLINK, PROTO(0)),

    /* Answers for the rest; without them it would be ENOSYS, which callers do not expect here. DCCP, L2TP, SCTP,
     * UDPLITE, SMC, MPTCP (Go tries it first and falls back), and any netlink protocol with one of the low five
     * bits. */
    DENY(EPROTONOSUPPORT, "socket", PROTO(33)),
    DENY(EPROTONOSUPPORT, "socket", PROTO(115)),
    DENY(EPROTONOSUPPORT, "socket", PROTO(132)),
    DENY(EPROTONOSUPPORT, "socket", PROTO(136)),
    DENY(EPROTONOSUPPORT, "socket", PROTO(256)),
    DENY(EPROTONOSUPPORT, "socket", PROTO(262)),
    DENY(EPROTONOSUPPORT, "socket", NETLINK, BITS(2, 0x01, 0x01)),
    DENY(EPROTONOSUPPORT, "socket", NETLINK, BITS(2, 0x02, 0x02)),
    DENY(EPROTONOSUPPORT, "socket", NETLINK, BITS(2, 0x04, 0x04)),
    DENY(EPROTONOSUPPORT, "socket", NETLINK, BITS(2, 0x08, 0x08)),
    DENY(EPROTONOSUPPORT, "socket", NETLINK, BITS(2, 0x10, 0x10)),

    /* Every family below 256 but 1, 2, 10 and 16, by the bits that none of these has: 12 comparisons, not 252. */
    DENY(EAFNOSUPPORT, "socket socketpair", BITS(0, 0x80, 0x80)),
    DENY(EAFNOSUPPORT, "socket socketpair", BITS(0, 0x40, 0x40)),
    DENY(EAFNOSUPPORT, "socket socketpair", BITS(0, 0x20, 0x20)),
    DENY(EAFNOSUPPORT, "socket socketpair", BITS(0, 0x11, 0x11)),
    DENY(EAFNOSUPPORT, "socket socketpair", BITS(0, 0x12, 0x12)),
    DENY(EAFNOSUPPORT, "socket socketpair", BITS(0, 0x14, 0x14)),
    DENY(EAFNOSUPPORT, "socket socketpair", BITS(0, 0x18, 0x18)),
    DENY(EAFNOSUPPORT, "socket socketpair", BITS(0, 0x04, 0x04)),
    DENY(EAFNOSUPPORT, "socket socketpair", BITS(0, 0x0e, 0x08)),
    DENY(EAFNOSUPPORT, "socket socketpair", BITS(0, 0x0f, 0x0b)),
    DENY(EAFNOSUPPORT, "socket socketpair", BITS(0, 0x0f, 0x03)),
    DENY(EAFNOSUPPORT, "socket socketpair", BITS(0, 0x1f, 0x00)),
};

/* --- refused ------------------------------------------------------------------------------------------------------ */

static const struct row refused[] = {
    /* namespaces and mounts: the walls of the sandbox, and what is behind them */
    DENY(EPERM,
        "chroot fsconfig fsmount fsopen fspick listmount listns mount mount_setattr move_mount open_by_handle_at "
        "open_tree open_tree_attr pivot_root quotactl quotactl_fd setdomainname sethostname setns statmount swapoff "
        "swapon umount2 unshare"),
    /* large parts of the kernel that code in a sandbox has no use for: the source of most escapes */
    DENY(EPERM,
        "bpf fanotify_init fanotify_mark io_uring_enter io_uring_register io_uring_setup memfd_secret perf_event_open "
        "userfaultfd"),
    /* keys are not in namespaces that fit the sandbox */
    DENY(EPERM, "add_key keyctl request_key"),
    /* other processes' memory and descriptors */
    DENY(EPERM,
        "kcmp pidfd_getfd process_madvise process_mrelease process_vm_readv process_vm_writev ptrace"),
    /* the machine */
    DENY(EPERM,
        "acct adjtimex clock_adjtime clock_settime delete_module finit_module init_module ioperm iopl kexec_file_load "
        "kexec_load lookup_dcookie modify_ldt reboot settimeofday syslog vhangup"),
    /* placement of memory on the machine's nodes: with CAP_SYS_NICE elsewhere; callers go on without */
    DENY(EPERM,
        "get_mempolicy mbind migrate_pages move_pages set_mempolicy set_mempolicy_home_node"),
    /* its flags are behind a pointer, where no filter can see them; the C library falls back to clone */
    DENY(ENOSYS, "clone3"),
};

/* clang-format on */

static void add_names(struct arena *arena, const char *names, struct oci_seccomp_syscall *call)
{
    struct strv list = STRV_INIT;
    while (*names != '\0') {
        size_t len = strcspn(names, " ");
        strv_add(arena, &list, arena_strndup(arena, names, len));
        names += len + strspn(names + len, " ");
    }
    call->names = list.items;
    call->n_names = list.n;
}

static void add_args(struct arena *arena, const struct row *row, struct oci_seccomp_syscall *call)
{
    call->args = arena_new_array(arena, ARGS_MAX, struct oci_seccomp_arg);
    for (size_t i = 0; i < ARGS_MAX && row->args[i].mask != 0; i++)
        call->args[call->n_args++] = (struct oci_seccomp_arg){
            .index = row->args[i].index,
            .op = OCI_SECCOMP_MASKED_EQ,
            .value = row->args[i].mask,
            .value_two = row->args[i].value,
        };
}

static void add_rows(
    struct arena *arena, const struct row *rows, size_t n, struct oci_seccomp *profile)
{
    for (size_t i = 0; i < n; i++) {
        struct oci_seccomp_syscall *call = &profile->syscalls[profile->n_syscalls++];
        call->action = rows[i].action;
        call->has_errno_ret = rows[i].action == OCI_SECCOMP_ERRNO;
        call->errno_ret = rows[i].errno_ret;
        add_names(arena, rows[i].names, call);
        add_args(arena, &rows[i], call);
    }
}

struct oci_seccomp *seccomp_agent(struct arena *arena)
{
    struct oci_seccomp *profile = arena_new(arena, struct oci_seccomp);
    size_t n =
        ARRAY_SIZE(allowed) + ARRAY_SIZE(conditional) + ARRAY_SIZE(sockets) + ARRAY_SIZE(refused);
    *profile = (struct oci_seccomp){
        .default_action = OCI_SECCOMP_ERRNO,
        .has_default_errno_ret = true,
        .default_errno_ret = ENOSYS,
        .syscalls = arena_new_array(arena, n, struct oci_seccomp_syscall),
    };
    add_rows(arena, allowed, ARRAY_SIZE(allowed), profile);
    add_rows(arena, conditional, ARRAY_SIZE(conditional), profile);
    add_rows(arena, sockets, ARRAY_SIZE(sockets), profile);
    add_rows(arena, refused, ARRAY_SIZE(refused), profile);
    return profile;
}
