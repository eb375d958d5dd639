/* SPDX-License-Identifier: Apache-2.0 */
/* bubblewrap-705: nothing of a caller's signal handling survives. */
#include <errno.h>
#include <sys/syscall.h>

#include "kernel_unit.h"
#include "procfs.h"
#include "signals.h"

static void status_field(const char *field, char value[64])
{
    struct procfs procfs = PROCFS_INIT;
    ck_assert_int_eq(procfs_open_host(&procfs), 0);
    autoclose int self = procfs_openat(&procfs, "self", O_PATH | O_DIRECTORY);
    ck_assert_int_eq(procfs_status_field(self, field, value, 64), 0);
    procfs_done(&procfs);
}

START_TEST(reset_clears_every_ignored_and_blocked_signal)
{
    char value[64];
    for (int signal = 1; signal <= 64; signal++) {
        const unsigned long ignore[5] = { 1 }; /* raw, so that 32 and 33 are ignored as well */
        (void)syscall(SYS_rt_sigaction, signal, ignore, NULL, 8);
    }
    ck_assert_int_eq(signals_block_all(NULL), 0);
    status_field("SigIgn", value);
    ck_assert_str_eq(value, "fffffffffffbfeff");
    status_field("SigBlk", value);
    ck_assert_str_eq(value, "fffffffffffbfeff");
    ck_assert_int_eq(signals_reset(), 0);
    status_field("SigIgn", value);
    ck_assert_str_eq(value, "0000000000000000");
    status_field("SigBlk", value);
    ck_assert_str_eq(value, "0000000000000000");
    status_field("SigCgt", value);
    ck_assert_str_eq(value, "0000000000000000");
}
END_TEST

START_TEST(mask_comes_back)
{
    sigset_t set, old, now;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGUSR1);
    ck_assert_int_eq(signals_set_mask(&set), 0);
    ck_assert_int_eq(signals_block_all(&old), 0);
    ck_assert_int_eq(signals_set_mask(&old), 0);
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, NULL, &now), 0);
    ck_assert_int_eq(sigismember(&now, SIGUSR1), 1);
    ck_assert_int_eq(sigismember(&now, SIGUSR2), 0);
}
END_TEST

START_TEST(fd_reads_blocked_signals)
{
    sigset_t set;
    pid_t sender = 0;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    autoclose int fd = signals_open_fd(&set);
    ck_assert_int_ge(fd, 0);
    ck_assert(kernel_unit_is_cloexec(fd));
    ck_assert_int_eq(signals_read_fd(fd, &sender), -EAGAIN);
    ck_assert_int_eq(kill(getpid(), SIGTERM), 0);
    ck_assert_int_eq(signals_read_fd(fd, &sender), SIGTERM);
    ck_assert_int_eq(sender, getpid());
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { reset_clears_every_ignored_and_blocked_signal, mask_comes_back,
        fd_reads_blocked_signals };

    return unit_run("signals", tests, ARRAY_SIZE(tests));
}
