/* SPDX-License-Identifier: Apache-2.0 */
/* Terminals from a devpts of our own. */
#include <errno.h>
#include <sys/ioctl.h>

#include "kernel_unit.h"
#include "mount_call.h"
#include "process_call.h"
#include "tty.h"

static int new_devpts(void)
{
    autoclose int fs_fd = kernel_fsopen("devpts");
    ck_assert_int_ge(fs_fd, 0);
    ck_assert_int_eq(kernel_fsconfig_flag(fs_fd, "newinstance"), 0);
    ck_assert_int_eq(kernel_fsconfig_string(fs_fd, "ptmxmode", "0666"), 0);
    ck_assert_int_eq(kernel_fsconfig_create(fs_fd), 0);
    int fd = kernel_fsmount(fs_fd, 0);
    ck_assert_int_ge(fd, 0);
    return fd;
}

START_TEST(pair_of_own_devpts_talks)
{
    autoclose int devpts = new_devpts();
    int controller = -1, terminal = -1;
    unsigned number = 77;
    ck_assert_int_eq(tty_open_pair(devpts, &controller, &terminal, &number), 0);
    ck_assert_uint_eq(number, 0);
    ck_assert(kernel_unit_is_cloexec(controller) && kernel_unit_is_cloexec(terminal));
    ck_assert(tty_is_terminal(terminal));
    ck_assert_int_eq(tty_set_size(controller, &(struct tty_size){ 24, 81 }), 0);
    struct tty_size size;
    ck_assert_int_eq(tty_get_size(terminal, &size), 0);
    ck_assert_uint_eq(size.rows, 24);
    ck_assert_uint_eq(size.columns, 81);
    char text[8] = "";
    ck_assert_int_eq((int)write(terminal, "a\n", 2), 2);
    ck_assert_int_eq((int)read(controller, text, sizeof(text)), 3);
    ck_assert_str_eq(text, "a\r\n");
    ck_assert_int_eq(tty_clear_onlcr(terminal), 0);
    ck_assert_int_eq((int)write(terminal, "b\n", 2), 2);
    ck_assert_int_eq((int)read(controller, text, sizeof(text)), 2);
    (void)close(controller);
    (void)close(terminal);
}
END_TEST

START_TEST(raw_mode_is_undone)
{
    autoclose int devpts = new_devpts();
    int controller = -1, terminal = -1;
    unsigned number;
    ck_assert_int_eq(tty_open_pair(devpts, &controller, &terminal, &number), 0);
    struct termios before, raw, after;
    ck_assert_int_eq(tcgetattr(terminal, &before), 0);
    ck_assert_int_eq(tty_set_raw(terminal, &after), 0);
    ck_assert_int_eq(tcgetattr(terminal, &raw), 0);
    ck_assert_uint_eq(raw.c_lflag & (ECHO | ICANON), 0);
    ck_assert_int_eq(tty_restore(terminal, &after), 0);
    ck_assert_int_eq(tcgetattr(terminal, &after), 0);
    ck_assert_uint_eq(after.c_lflag, before.c_lflag);
    (void)close(controller);
    (void)close(terminal);
}
END_TEST

START_TEST(terminal_becomes_controlling)
{
    autoclose int devpts = new_devpts();
    int controller = -1, terminal = -1;
    unsigned number;
    ck_assert_int_eq(tty_open_pair(devpts, &controller, &terminal, &number), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (kernel_setsid() < 0 || tty_set_controlling(terminal) < 0)
            _exit(1);
        _exit(tcgetsid(terminal) == getpid() ? 0 : 2);
    }
    ck_assert_int_eq(kernel_unit_exit_status(pid), 0);
    (void)close(controller);
    (void)close(terminal);
}
END_TEST

START_TEST(what_is_no_terminal_is_told)
{
    int a = -1, b = -1;
    unsigned number = 5;
    struct tty_size size;
    struct termios saved;
    autoclose int tmp = open("/tmp", O_PATH | O_CLOEXEC);
    autoclose int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    /* not a devpts: a name in a root */
    ck_assert_int_eq(tty_open_pair(tmp, &a, &b, &number), -EXDEV);
    ck_assert_int_eq(a, -1);
    ck_assert_int_eq(tty_get_size(null, &size), -ENOTTY);
    ck_assert_int_eq(tty_set_raw(null, &saved), -ENOTTY);
    ck_assert(!tty_is_terminal(null));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { pair_of_own_devpts_talks, raw_mode_is_undone,
        terminal_becomes_controlling, what_is_no_terminal_is_told };

    if (kernel_unit_lacks_root("tty"))
        return SKIPPED;
    return unit_run("tty", tests, ARRAY_SIZE(tests));
}
