/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: pseudo terminals. */
#include "tty.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include "call.h"
#include "cleanup.h"
#include "kernel_const.h"
#include "kernel_internal.h"

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

static int check_devpts(int fd)
{
    struct statfs fs;
    int r = kernel_fstatfs(fd, &fs);
    if (r < 0)
        return r;
    return fs.f_type == KERNEL_MAGIC_DEVPTS ? 0 : -EXDEV;
}

static int unlock(int controller)
{
    KERNEL_CALL("tiocsptlck");
    int is_locked = 0;
    return kernel_result(ioctl(controller, TIOCSPTLCK, &is_locked));
}

static int get_number(int controller, unsigned *ret_number)
{
    KERNEL_CALL("tiocgptn");
    return kernel_result(ioctl(controller, TIOCGPTN, ret_number));
}

static int open_peer(int controller)
{
    KERNEL_CALL("tiocgptpeer");
    return kernel_result(ioctl(controller, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
}

int tty_open_pair(int devpts_fd, int *ret_controller, int *ret_terminal, unsigned *ret_number)
{
    int r = check_devpts(devpts_fd);
    if (r < 0)
        return r;
    autoclose int controller = kernel_openat2(devpts_fd, "ptmx", O_RDWR | O_NOCTTY, 0,
        RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS);
    if (controller < 0)
        return controller;
    unsigned number = 0;
    r = unlock(controller);
    if (r == 0)
        r = get_number(controller, &number);
    if (r < 0)
        return r;
    int terminal = open_peer(controller);
    if (terminal < 0)
        return terminal;
    *ret_controller = take_fd(&controller);
    *ret_terminal = terminal;
    *ret_number = number;
    return 0;
}

int tty_get_size(int fd, struct tty_size *ret)
{
    KERNEL_CALL("tiocgwinsz");
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) < 0)
        return -errno;
    *ret = (struct tty_size){ .rows = size.ws_row, .columns = size.ws_col };
    return 0;
}

int tty_set_size(int fd, const struct tty_size *size)
{
    KERNEL_CALL("tiocswinsz");
    struct winsize raw = { .ws_row = size->rows, .ws_col = size->columns };
    return kernel_result(ioctl(fd, TIOCSWINSZ, &raw));
}

int tty_set_controlling(int fd)
{
    KERNEL_CALL("tiocsctty");
    return kernel_result(ioctl(fd, TIOCSCTTY, 0));
}

bool tty_is_terminal(int fd)
{
    struct termios mode;
    return tcgetattr(fd, &mode) == 0;
}

int tty_set_raw(int fd, struct termios *ret_saved)
{
    KERNEL_CALL("tcsetattr");
    struct termios mode;
    if (tcgetattr(fd, &mode) < 0)
        return -errno;
    struct termios saved = mode;
    cfmakeraw(&mode);
    int r = kernel_result(KERNEL_RETRY(tcsetattr(fd, TCSANOW, &mode)));
    if (r == 0)
        *ret_saved = saved;
    return r;
}

int tty_restore(int fd, const struct termios *saved)
{
    return kernel_result(KERNEL_RETRY(tcsetattr(fd, TCSADRAIN, saved)));
}

int tty_clear_onlcr(int fd)
{
    KERNEL_CALL("tcsetattr");
    struct termios mode;
    if (tcgetattr(fd, &mode) < 0)
        return -errno;
    mode.c_oflag &= ~(tcflag_t)ONLCR;
    return kernel_result(KERNEL_RETRY(tcsetattr(fd, TCSANOW, &mode)));
}
