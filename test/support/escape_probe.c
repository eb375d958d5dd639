/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The attacker's hands: one small static program that tries things inside or beside a container and prints
 *          what the kernel said, "ok" or the name of the error. Static, as most roots of the tests have no libc.
 * Runs in  a container of test/escape, or on the host next to one
 * Build    cc -static -O2
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEY_NAME  "runa-test-canary"
#define FDS_MAX   1024
#define REPORTS_MAX 20
#define HIGH_BITS (1UL << 32)

static int verdict(long result)
{
    puts(result < 0 ? strerrorname_np(errno) : "ok");
    return 0;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* open MODE PATH: r, w or p (O_PATH) */
static int cmd_open(char **argv)
{
    int flags = argv[0][0] == 'w' ? O_WRONLY : argv[0][0] == 'p' ? O_PATH : O_RDONLY;
    return verdict(open(argv[1], flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

/* fds: the numbers of all open descriptors, without a look at /proc */
static int cmd_fds(char **argv)
{
    (void)argv;
    for (int fd = 0; fd < FDS_MAX; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            printf("%d ", fd);
    puts("");
    return 0;
}

/* mount TYPE TARGET */
static int cmd_mount(char **argv)
{
    return verdict(mount(argv[0], argv[1], argv[0], 0, NULL));
}

/* remount-rw PATH, by both interfaces */
static int cmd_remount_rw(char **argv)
{
    long r = mount(NULL, argv[0], NULL, MS_REMOUNT | MS_BIND, NULL);
    if (r < 0) {
        struct {
            uint64_t set, clear, propagation, userns_fd;
        } attr = { .clear = MS_RDONLY };
        r = syscall(SYS_mount_setattr, AT_FDCWD, argv[0], 0U, &attr, sizeof(attr));
    }
    return verdict(r);
}

static int cmd_unmount(char **argv)
{
    return verdict(umount2(argv[0], MNT_DETACH));
}

/* mknod MAJOR MINOR PATH, then open it */
static int cmd_mknod(char **argv)
{
    dev_t number = makedev((unsigned)atoi(argv[0]), (unsigned)atoi(argv[1]));
    if (mknod(argv[2], S_IFCHR | 0600, number) < 0 && errno != EEXIST)
        return verdict(-1);
    return verdict(open(argv[2], O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

/* push sti|linux low|high: keystrokes into the controlling terminal; high: bits that a 64-bit comparison would stumble
 * over */
static int cmd_push(char **argv)
{
    unsigned long request = strcmp(argv[0], "sti") == 0 ? TIOCSTI : TIOCLINUX;
    char byte = request == TIOCSTI ? 'x' : 3;
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (strcmp(argv[1], "high") == 0)
        request |= HIGH_BITS;
    return verdict(syscall(SYS_ioctl, fd >= 0 ? fd : 0, request, &byte));
}

/* tty-run CMD...: CMD with a new terminal as its controlling one; what was pushed into that is printed at the end as
 * "pushed:" */
static int cmd_tty_run(char **argv)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    int status = 0;
    int n = 0;
    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
        return verdict(-1);
    pid_t pid = fork();
    if (pid == 0) {
        (void)setsid();
        int slave = open(ptsname(master), O_RDWR);
        (void)ioctl(slave, TIOCSCTTY, 0);
        (void)dup2(slave, 0);
        (void)execvp(argv[0], argv);
        _exit(127);
    }
    int keep = open(ptsname(master), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    (void)waitpid(pid, &status, 0);
    /* What TIOCSTI pushed is echoed to the master. */
    (void)fcntl(master, F_SETFL, O_NONBLOCK);
    char bytes[256];
    ssize_t got = read(master, bytes, sizeof(bytes));
    for (ssize_t i = 0; i < got; i++)
        n += bytes[i] == 'x';
    (void)close(keep);
    printf("pushed:%d\n", n);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* key-run CMD...: CMD in a session keyring with a canary in it */
static int cmd_key_run(char **argv)
{
    if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 ||
        syscall(SYS_add_key, "user", KEY_NAME, "secret", 6UL, KEY_SPEC_SESSION_KEYRING) < 0)
        return verdict(-1);
    (void)execvp(argv[0], argv);
    return verdict(-1);
}

static int cmd_key_find(char **argv)
{
    (void)argv;
    return verdict(syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user", KEY_NAME, 0));
}

static struct sockaddr_un abstract_name(const char *name, socklen_t *ret_len)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    (void)strncpy(address.sun_path + 1, name, sizeof(address.sun_path) - 2);
    *ret_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    return address;
}

/* abstract-listen NAME, until killed; abstract-connect NAME */
static int cmd_abstract(char **argv, bool is_listener)
{
    socklen_t len;
    struct sockaddr_un address = abstract_name(argv[0], &len);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!is_listener)
        return verdict(connect(fd, (struct sockaddr *)&address, len));
    if (bind(fd, (struct sockaddr *)&address, len) < 0 || listen(fd, 1) < 0)
        return verdict(-1);
    puts("ok");
    return pause();
}

static int cmd_abstract_listen(char **argv)
{
    return cmd_abstract(argv, true);
}

static int cmd_abstract_connect(char **argv)
{
    return cmd_abstract(argv, false);
}

/* swap A B SECONDS: exchanges the two names as fast as the kernel can; prints how often */
static int cmd_swap(char **argv)
{
    double end = now() + atof(argv[2]);
    unsigned long n = 0;
    while (now() < end) {
        for (int i = 0; i < 64; i++, n++)
            if (renameat2(AT_FDCWD, argv[0], AT_FDCWD, argv[1], RENAME_EXCHANGE) < 0)
                return verdict(-1);
    }
    printf("%lu\n", n);
    return 0;
}

static void report(const char *what, int fd, const char *name)
{
    static unsigned n_reports;
    if (n_reports++ < REPORTS_MAX)
        printf("%s: %s %d: %s\n", what, fd < 0 ? "executable" : "descriptor", fd, name);
}

/* What a process lets us see of it: its descriptors from 3 on, its executable, or a hold by ptrace. */
static void spy_on(pid_t pid, unsigned long *n_looks)
{
    char path[64];
    char text[256];
    ++*n_looks;
    for (int fd = 3; fd < 24; fd++) {
        (void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
        ssize_t n = readlink(path, text, sizeof(text) - 1);
        if (n < 0)
            continue;
        text[n] = '\0';
        report("seen", fd, text);
        int opened = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (opened >= 0)
            report("opened", fd, text);
        if (opened >= 0)
            (void)close(opened);
    }
    (void)snprintf(path, sizeof(path), "/proc/%d/exe", pid);
    ssize_t n = readlink(path, text, sizeof(text) - 1);
    if (n > 0) {
        text[n] = '\0';
        if (strncmp(text, "/bin/", 5) != 0)
            report("seen", -1, text);
        return; /* the payload, which is ours to see */
    }
    if (syscall(SYS_ptrace, PTRACE_SEIZE, pid, 0L, 0L) == 0) {
        n = readlink(path, text, sizeof(text) - 1);
        text[n > 0 ? n : 0] = '\0';
        if (n > 0 && strncmp(text, "/bin/", 5) != 0) /* without one it is the payload, at its end */
            report("traced", -1, text);
        (void)syscall(SYS_ptrace, PTRACE_DETACH, pid, 0L, 0L);
    }
}

/* spy SECONDS: looks at each process but init and itself without a pause; "looks:" says how often it saw one */
static int cmd_spy(char **argv)
{
    double end = now() + atof(argv[0]);
    unsigned long n_looks = 0;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    if (!proc)
        return verdict(-1);
    puts("spying");
    while (now() < end) {
        while (waitpid(-1, NULL, __WALL | WNOHANG) > 0) /* what ended while we held it */
            ;
        rewinddir(proc);
        while ((entry = readdir(proc))) {
            pid_t pid = atoi(entry->d_name);
            if (pid > 1 && pid != getpid())
                for (int i = 0; i < 50; i++)
                    spy_on(pid, &n_looks);
        }
    }
    printf("looks:%lu\n", n_looks);
    return 0;
}

/* Each way to write to what fd is a handle of. */
static void try_writing(int fd)
{
    char path[64];
    int r;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    static const int flags[] = { O_WRONLY, O_RDWR, O_WRONLY | O_TRUNC, O_WRONLY | O_APPEND };
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        r = open(path, flags[i] | O_CLOEXEC);
        if (r >= 0 || errno != ETXTBSY)
            printf("write: %s\n", r < 0 ? strerrorname_np(errno) : "ok");
        if (r >= 0)
            (void)write(r, "#!/bin/sh\n", 10);
    }
    r = truncate(path, 0);
    if (r == 0 || errno != ETXTBSY)
        printf("truncate: %s\n", r < 0 ? strerrorname_np(errno) : "ok");
    r = chmod(path, 04777);
    printf("chmod: %s\n", r < 0 ? strerrorname_np(errno) : "ok");
    r = mount(NULL, path, NULL, MS_REMOUNT | MS_BIND, NULL);
    printf("remount: %s\n", r < 0 ? strerrorname_np(errno) : "ok");
}

/* The runtime that started it may run from the same file, for a moment more. */
static void wait_for_text(int fd, double end)
{
    char path[64];
    int r = -1;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    errno = ETXTBSY;
    while (r < 0 && errno == ETXTBSY && now() < end) {
        (void)usleep(1000);
        r = open(path, O_WRONLY | O_CLOEXEC);
    }
    if (r >= 0)
        (void)close(r);
}

/* steal SECONDS: waits for a process that runs the runtime's own binary, keeps a handle of that, and tries to write to
 * it while it runs and after it has ended */
static int cmd_steal(char **argv)
{
    double end = now() + atof(argv[0]);
    char path[64];
    char text[256];
    int fd = -1;
    puts("waiting");
    while (fd < 0 && now() < end) {
        for (pid_t pid = 2; pid < 64 && fd < 0; pid++) {
            (void)snprintf(path, sizeof(path), "/proc/%d/exe", pid);
            ssize_t n = readlink(path, text, sizeof(text) - 1);
            if (n <= 0)
                continue;
            text[n] = '\0';
            if (strncmp(text, "/bin/", 5) != 0)
                fd = open(path, O_RDONLY | O_CLOEXEC);
            if (fd < 0)
                continue;
            puts("stolen");
            try_writing(fd);
            (void)kill(pid, SIGKILL);
            while (kill(pid, 0) == 0 && now() < end)
                (void)usleep(1000);
            puts("alone");
            wait_for_text(fd, end);
            try_writing(fd);
        }
    }
    return fd < 0;
}

/* terminal: the device under standard input, /dev/console and /dev/tty's session, to be compared */
static int cmd_terminal(char **argv)
{
    struct stat in, console;
    (void)argv;
    if (fstat(0, &in) < 0 || stat("/dev/console", &console) < 0)
        return verdict(-1);
    printf("%s %s %s\n", S_ISCHR(console.st_mode) && console.st_rdev == in.st_rdev ? "same" : "other",
        getsid(0) == getpid() ? "leader" : "member", tcgetpgrp(0) == getpgrp() ? "foreground" : "none");
    return 0;
}

static const char *try_at(int dir, const char *name, int flags)
{
    int fd = openat(dir, name, flags | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0)
        (void)close(fd);
    return fd < 0 ? strerrorname_np(errno) : "ok";
}

/* The mount of that type under one of two names that are swapped meanwhile; held, so that the names do not matter any
 * more. */
static int open_kernel_mount(char **names, long magic)
{
    struct statfs fs;
    for (int i = 0; i < 100000; i++) {
        int fd = open(names[i % 2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == magic)
            return fd;
        if (fd >= 0)
            (void)close(fd);
    }
    return -1;
}

/* kernel-files PROC PROC2 SYS SYS2: what is open to a process that finds procfs and sysfs under either name */
static int cmd_kernel_files(char **argv)
{
    struct stat st = { 0 };
    int proc = open_kernel_mount(argv, PROC_SUPER_MAGIC);
    int sys = open_kernel_mount(argv + 2, SYSFS_MAGIC);
    if (proc < 0 || sys < 0) {
        puts("gone");
        return 0;
    }
    (void)fstatat(proc, "keys", &st, 0);
    printf("%s %s %s\n", try_at(proc, "sys/kernel/core_pattern", O_WRONLY),
        st.st_rdev == makedev(1, 3) ? "masked" : "open", try_at(sys, "firmware/memmap", O_RDONLY));
    return 0;
}

static const struct {
    const char *name;
    int (*run)(char **argv);
    int n_min;
} commands[] = {
    { "open", cmd_open, 2 },
    { "fds", cmd_fds, 0 },
    { "mount", cmd_mount, 2 },
    { "remount-rw", cmd_remount_rw, 1 },
    { "unmount", cmd_unmount, 1 },
    { "mknod", cmd_mknod, 3 },
    { "push", cmd_push, 2 },
    { "tty-run", cmd_tty_run, 1 },
    { "key-run", cmd_key_run, 1 },
    { "key-find", cmd_key_find, 0 },
    { "abstract-listen", cmd_abstract_listen, 1 },
    { "abstract-connect", cmd_abstract_connect, 1 },
    { "swap", cmd_swap, 3 },
    { "spy", cmd_spy, 1 },
    { "steal", cmd_steal, 1 },
    { "kernel-files", cmd_kernel_files, 4 },
    { "terminal", cmd_terminal, 0 },
};

int main(int argc, char **argv)
{
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* nothing is lost when we are killed */
    for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(argv[1], commands[i].name) == 0 && argc - 2 >= commands[i].n_min)
            return commands[i].run(argv + 2);
    (void)fputs("escape_probe: no such command, or too few words\n", stderr);
    return 2;
}
