/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Pseudo terminals by fd, window sizes, raw mode of the user's terminal.
 * Runs in  init (pair of the container's own devpts), parent (raw mode, relay)
 * Trusts   ptmx is reached through the mount fd of a devpts that we mounted, never through a name
 *          in the root
 * Owns     returned fds are the caller's, O_NOCTTY and close-on-exec
 * Source   pts(4), ioctl_tty(2) TIOCGPTPEER Linux 4.13
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct tty_size {
    unsigned short rows;
    unsigned short columns;
};

/* devpts_fd: root of a devpts (mount fd or O_PATH; fstatfs is checked). *ret_number names the
   terminal pts/N there. */
int tty_open_pair(int devpts_fd, int *ret_controller, int *ret_terminal, unsigned *ret_number);
int tty_get_size(int fd, struct tty_size *ret); /* -ENOTTY */
int tty_set_size(int fd, const struct tty_size *size);
/* Makes fd the controlling terminal of the caller, a session leader without one. */
int tty_set_controlling(int fd);
bool tty_is_terminal(int fd);
/* *ret_saved is what tty_restore takes. */
int tty_set_raw(int fd, struct termios *ret_saved);
int tty_restore(int fd, const struct termios *saved);
/* Output as the program wrote it: no "\n" to "\r\n" twice (runc turns ONLCR off for the
   controller). */
int tty_clear_onlcr(int fd);
