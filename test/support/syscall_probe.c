/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Makes one system call of each kind that a sandbox must answer in its own way, and prints "NAME ANSWER"
 *          lines: "ok" or the name of the error. What really happened does not matter here, only who answered.
 * Runs in  a sandbox, static
 * Build    cc -static -O2
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROTO_MPTCP   262
#define CALL_INVENTED 987
#define WORDS         6
#define HIGH_BITS     0x100000000L

static long zeroes[64];

static const struct {
    const char *name;
    long number;
    long words[WORDS];
} calls[] = {
    { "unshare-user", SYS_unshare, { CLONE_NEWUSER } },
    { "unshare-mount", SYS_unshare, { CLONE_NEWNS } },
    { "clone-user", SYS_clone, { CLONE_NEWUSER | SIGCHLD } },
    { "clone-net", SYS_clone, { CLONE_NEWNET | SIGCHLD } },
    { "clone3", SYS_clone3, { (long)zeroes, sizeof(zeroes) } },
    { "setns", SYS_setns, { 0, CLONE_NEWNS } },
    { "mount", SYS_mount, { (long)"x", (long)"/", (long)"tmpfs" } },
    { "umount", SYS_umount2, { (long)"/proc" } },
    { "open_tree", SYS_open_tree, { AT_FDCWD, (long)"/", 1 } },
    { "fsopen", SYS_fsopen, { (long)"tmpfs" } },
    { "pivot_root", SYS_pivot_root, { (long)"/", (long)"/" } },
    { "chroot", SYS_chroot, { (long)"/" } },
    { "open_by_handle", SYS_open_by_handle_at, { -1, (long)zeroes } },
    { "keyctl", SYS_keyctl, { 0, -3 } },
    { "add_key", SYS_add_key, { (long)"user", (long)"x", (long)"x", 1, -3 } },
    { "request_key", SYS_request_key, { (long)"user", (long)"x" } },
    { "ptrace", SYS_ptrace, { 0 } },
    { "process_vm_readv", SYS_process_vm_readv, { 1 } },
    { "bpf", SYS_bpf, { 0, (long)zeroes, sizeof(zeroes) } },
    { "perf_event_open", SYS_perf_event_open, { (long)zeroes, 0, -1, -1 } },
    { "userfaultfd", SYS_userfaultfd, { 0 } },
    { "io_uring_setup", SYS_io_uring_setup, { 1, (long)zeroes } },
    { "init_module", SYS_init_module, { (long)zeroes, 1, (long)"" } },
    { "finit_module", SYS_finit_module, { 0, (long)"" } },
    { "kexec_load", SYS_kexec_load, { 0 } },
    { "reboot", SYS_reboot, { 0 } },
    { "swapon", SYS_swapon, { (long)"/x" } },
    { "settimeofday", SYS_settimeofday, { (long)zeroes } },
    { "sethostname", SYS_sethostname, { (long)"x", 1 } },
    { "syslog", SYS_syslog, { 10 } },
    { "personality-exec", SYS_personality, { 0x0400000 } },
    { "tiocsti", SYS_ioctl, { 0, TIOCSTI, (long)"x" } },
    { "tiocsti-high", SYS_ioctl, { 0, TIOCSTI | HIGH_BITS, (long)"x" } },
    { "tioclinux", SYS_ioctl, { 0, TIOCLINUX, (long)"\3" } },
    { "socket-unix", SYS_socket, { AF_UNIX, SOCK_STREAM } },
    { "socket-tcp", SYS_socket, { AF_INET, SOCK_STREAM } },
    { "socket-udp6", SYS_socket, { AF_INET6, SOCK_DGRAM } },
    { "socket-route", SYS_socket, { AF_NETLINK, SOCK_RAW, 0 } },
    { "socket-netfilter", SYS_socket, { AF_NETLINK, SOCK_RAW, 12 } },
    { "socket-raw", SYS_socket, { AF_INET, SOCK_RAW, 1 } },
    { "socket-packet", SYS_socket, { AF_PACKET, SOCK_RAW } },
    { "socket-alg", SYS_socket, { AF_ALG, SOCK_SEQPACKET } },
    { "socket-vsock", SYS_socket, { AF_VSOCK, SOCK_STREAM } },
    { "socket-mptcp", SYS_socket, { AF_INET, SOCK_STREAM, PROTO_MPTCP } },
    { "invented", CALL_INVENTED, { 0 } },
};

int main(void)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        const long *w = calls[i].words;
        long r = syscall(calls[i].number, w[0], w[1], w[2], w[3], w[4], w[5]);
        if (r == 0 && calls[i].number == SYS_clone)
            _exit(0);
        printf("%s %s\n", calls[i].name, r < 0 ? strerrorname_np(errno) : "ok");
        (void)fflush(stdout);
    }
    return 0;
}
