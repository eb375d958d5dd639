/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose: the first instructions of the program, before the C library's. For the verbs whose process a container can
 * see it executes the program again from a read-only overlay, as self_exe.c does, and else (or when anything fails)
 * goes on to the C library's start.
 *
 * Why (2026-12): a static glibc program asks the processor about itself some 60 times before main. In a virtual machine
 * each cpuid traps to the hypervisor: 8 us each, 530 us of a start measured here, paid twice when main executes the
 * program again. Here nothing is paid before the second execution.
 *
 * This is only the quick way: protect_self_exe in main proves the protection, whatever happened here, and does it the
 * long way when it does not hold. So nothing in this file needs to be trusted to fail.
 *
 * Rules of this place: nothing is relocated yet, there is no thread pointer, no stack protector, no memcpy; the build
 * compiles this file freestanding. No fault table: its tests run the long way, which dev builds take.
 */
#if defined(__x86_64__) && defined(RUNA_SELF_EXE_ENTRY)
#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>

#define PATH_BYTES 4096
#define AT_EXECFN_ 31 /* auxv: the name by which the kernel was asked to execute */

static long call(long number, long a, long b, long c, long d, long e)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}

static int is_same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static int begins(const char *text, const char *head)
{
    while (*head && *text == *head) {
        text++;
        head++;
    }
    return *head == '\0';
}

/* A word of the command line that equals a verb is enough: a false alarm costs the overlay, nothing else. */
static int is_wanted(long argc, char **argv)
{
    for (long i = 1; i < argc; i++) {
        if (is_same(argv[i], "run") || is_same(argv[i], "create") || is_same(argv[i], "exec"))
            return 1;
    }
    return 0;
}

/* Executed by descriptor, as below and in self_exe.c: this is the second time. */
static int is_again(char **envp)
{
    while (*envp)
        envp++;
    for (unsigned long *aux = (unsigned long *)(void *)(envp + 1); aux[0] != 0; aux += 2) {
        if (aux[0] == AT_EXECFN_)
            return begins((const char *)aux[1], "/dev/fd/");
    }
    return 1;
}

/* "/proc/self/fd/N" of a one-digit or two-digit number, at `at`; the place behind it. */
static char *put_fd(char *at, long fd)
{
    const char *head = "/proc/self/fd/";

    while (*head)
        *at++ = *head++;
    if (fd >= 10)
        *at++ = (char)('0' + fd / 10 % 10);
    *at++ = (char)('0' + fd % 10);
    return at;
}

static int is_same_file(long a, const char *a_name, long b, const char *b_name, int b_flags)
{
    static struct stat first;
    static struct stat second;

    return call(__NR_newfstatat, a, (long)a_name, (long)&first, AT_SYMLINK_NOFOLLOW, 0) == 0 &&
        call(__NR_newfstatat, b, (long)b_name, (long)&second, b_flags, 0) == 0 && first.st_dev == second.st_dev &&
        first.st_ino == second.st_ino;
}

static long overlay_mount(long directory)
{
    static char layers[64];
    long second = call(__NR_openat, AT_FDCWD, (long)"/dev", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, 0);

    if (second < 0 || second > 99 || directory > 99)
        return -1;
    char *at = put_fd(layers, directory);
    *at++ = ':';
    at = put_fd(at, second);
    *at = '\0';
    long context = call(__NR_fsopen, (long)"overlay", FSOPEN_CLOEXEC, 0, 0, 0);
    if (context >= 0 &&
        call(__NR_fsconfig, context, FSCONFIG_SET_STRING, (long)"lowerdir", (long)layers, 0) == 0 &&
        call(__NR_fsconfig, context, FSCONFIG_CMD_CREATE, 0, 0, 0) == 0) {
        long mount = call(__NR_fsmount, context, FSMOUNT_CLOEXEC,
            MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID, 0, 0);
        (void)call(__NR_close, context, 0, 0, 0, 0);
        (void)call(__NR_close, second, 0, 0, 0, 0);
        return mount;
    }
    return -1; /* what is open is close-on-exec */
}

void runa_entry_protect(unsigned long *stack);

void runa_entry_protect(unsigned long *stack)
{
    static char path[PATH_BYTES];
    long argc = (long)stack[0];
    char **argv = (char **)(void *)(stack + 1);
    char **envp = argv + argc + 1;

    if (!is_wanted(argc, argv) || is_again(envp))
        return;
    long n = call(__NR_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)path, PATH_BYTES - 1, 0);
    if (n <= 1 || n >= PATH_BYTES - 1 || path[0] != '/')
        return;
    path[n] = '\0';
    while (path[n] != '/')
        n--;
    const char *name = path + n + 1;
    path[n] = '\0';
    long directory =
        call(__NR_openat, AT_FDCWD, (long)(n == 0 ? "/" : path), O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0);
    if (directory < 0 || !is_same_file(directory, name, AT_FDCWD, "/proc/self/exe", 0))
        return;
    long mount = overlay_mount(directory);
    long fd = mount < 0 ? -1 : call(__NR_openat, mount, (long)name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0, 0);
    (void)call(__NR_close, directory, 0, 0, 0, 0);
    if (mount >= 0)
        (void)call(__NR_close, mount, 0, 0, 0, 0);
    if (fd >= 0)
        (void)call(__NR_execveat, fd, (long)"", (long)argv, (long)envp, AT_EMPTY_PATH);
}

/* The stack is as the kernel left it: argc, argv, envp, auxv. _start finds it and rdx so again. */
__asm__(".pushsection .text\n"
        ".globl runa_entry\n"
        ".type runa_entry, @function\n"
        "runa_entry:\n"
        "    endbr64\n"
        "    xor %ebp, %ebp\n"
        "    mov %rdx, %r12\n"
        "    mov %rsp, %rbx\n"
        "    mov %rsp, %rdi\n"
        "    and $-16, %rsp\n"
        "    call runa_entry_protect\n"
        "    mov %rbx, %rsp\n"
        "    mov %r12, %rdx\n"
        "    jmp _start\n"
        ".popsection\n");
#else
typedef int self_exe_entry_is_not_built; /* a translation unit holds something */
#endif
