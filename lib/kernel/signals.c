/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: signal masks and handlers. */
#include "signals.h"

#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

#include "call.h"
#include "kernel_internal.h"

#define SIGNAL_LAST       64
#define SIGNAL_MASK_BYTES 8

/* The kernel's struct sigaction with everything zero: SIG_DFL. Larger than it is on any of our
   machines. */
static const uint64_t default_action[5];

int signals_default_all(void)
{
    KERNEL_CALL("sigaction");
    /* Raw: the C library hides signals 32 and 33, which a caller may have ignored all the same. */
    for (int signal = 1; signal <= SIGNAL_LAST; signal++) {
        if (signal == SIGKILL || signal == SIGSTOP)
            continue;
        if (syscall(SYS_rt_sigaction, signal, default_action, NULL, SIGNAL_MASK_BYTES) < 0)
            return -errno;
    }
    return 0;
}

static int set_mask(int how, const uint64_t *mask, uint64_t *ret_old)
{
    return kernel_result(syscall(SYS_rt_sigprocmask, how, mask, ret_old, SIGNAL_MASK_BYTES));
}

int signals_reset(void)
{
    int r = signals_default_all();
    if (r < 0)
        return r;
    KERNEL_CALL("sigprocmask");
    uint64_t none = 0;
    return set_mask(SIG_SETMASK, &none, NULL);
}

int signals_block_all(sigset_t *ret_old)
{
    KERNEL_CALL("sigprocmask");
    uint64_t all = UINT64_MAX;
    sigset_t old;
    (void)sigemptyset(&old);
    int r = set_mask(SIG_SETMASK, &all, (uint64_t *)(void *)&old);
    if (r == 0 && ret_old)
        *ret_old = old;
    return r;
}

int signals_set_mask(const sigset_t *mask)
{
    KERNEL_CALL("sigprocmask");
    return set_mask(SIG_SETMASK, (const uint64_t *)(const void *)mask, NULL);
}

int signals_ignore(int signal)
{
    KERNEL_CALL("sigaction");
    struct sigaction action = { .sa_handler = SIG_IGN };
    return kernel_result(sigaction(signal, &action, NULL));
}

int signals_open_fd(const sigset_t *set)
{
    KERNEL_CALL("signalfd");
    int r = kernel_result(sigprocmask(SIG_BLOCK, set, NULL));
    if (r < 0)
        return r;
    return kernel_result(signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int signals_read_fd(int fd, pid_t *ret_pid)
{
    struct signalfd_siginfo info;
    ssize_t n = kernel_read(fd, &info, sizeof(info));
    if (n < 0)
        return (int)n;
    if ((size_t)n != sizeof(info))
        return -EIO;
    if (ret_pid)
        *ret_pid = (pid_t)info.ssi_pid;
    return (int)info.ssi_signo;
}

bool signals_end_is_wanted(void)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    sigset_t waiting;

    if (sigpending(&waiting) < 0)
        return false;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (sigismember(&waiting, ends[i]) == 1)
            return true;
    }
    return false;
}
