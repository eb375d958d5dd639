/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting in the foreground. */
#include "foreground.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "notify_socket.h"
#include "process.h"
#include "process_call.h"
#include "role.h"
#include "signals.h"
#include "tty.h"

#define PIPE_BYTES   (64U << 10)
#define TERMINAL_EOF '\004' /* VEOF of a terminal that nobody has changed */

/* One direction of the terminal. */
struct flow {
    int from;
    int to;
    size_t start;
    size_t end;
    bool is_ended; /* nothing more will come */
    bool is_end_told; /* of input: the terminal was told */
    char bytes[PIPE_BYTES];
};

int foreground_open(struct foreground *ret, struct error *err)
{
    sigset_t set;

    (void)sigfillset(&set);
    /* Faults of our own must not be swallowed. */
    static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGTTOU, SIGTTIN };
    for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
        (void)sigdelset(&set, faults[i]);
    int fd = signals_open_fd(&set);
    if (fd < 0)
        return err_sys(err, fd, "cannot watch for signals");
    ret->signal_fd = fd;
    return 0;
}

void foreground_done(struct foreground *foreground)
{
    if (foreground->signal_fd >= 0)
        (void)close(foreground->signal_fd);
    foreground->signal_fd = -1;
}

static void size_copy(int terminal)
{
    struct tty_size size;

    if (terminal >= 0 && tty_get_size(STDIN_FILENO, &size) == 0)
        (void)tty_set_size(terminal, &size); /* gone with its container at worst */
}

static void signals_forward(int signal_fd, int pidfd, int terminal)
{
    for (;;) {
        int signal = signals_read_fd(signal_fd, NULL);
        if (signal < 0)
            return;
        if (signal == SIGCHLD || signal == SIGURG)
            continue;
        if (signal == SIGWINCH)
            size_copy(terminal);
        else
            (void)kernel_pidfd_send_signal(pidfd, signal); /* ESRCH: it has just ended */
    }
}

static void flow_fill(struct flow *flow)
{
    ssize_t n = kernel_read(flow->from, flow->bytes, sizeof(flow->bytes));

    if (n > 0) {
        flow->start = 0;
        flow->end = (size_t)n;
    } else if (n != -EAGAIN && n != -EINTR) {
        flow->is_ended = true; /* end of input, or EIO: the other side of the pty is closed */
    }
}

static void flow_empty(struct flow *flow)
{
    ssize_t n = kernel_write(flow->to, flow->bytes + flow->start, flow->end - flow->start);

    if (n >= 0)
        flow->start += (size_t)n;
    else if (n != -EAGAIN && n != -EINTR)
        flow->start = flow->end; /* nobody reads: drop it, as a closed terminal does */
}

static void flow_poll(const struct flow *flow, struct pollfd *fd)
{
    bool is_full = flow->start < flow->end;

    fd->fd = is_full ? flow->to : flow->is_ended ? -1 : flow->from;
    fd->events = is_full ? POLLOUT : POLLIN;
    fd->revents = 0;
}

static void flow_move(struct flow *flow, const struct pollfd *fd)
{
    if (fd->fd < 0 || !fd->revents)
        return;
    if (flow->start < flow->end)
        flow_empty(flow);
    else
        flow_fill(flow);
}

/* The caller's input has ended: so does the terminal's, as if somebody had typed ^D. In raw mode a byte like any. */
static void input_end(struct flow *input)
{
    if (!input->is_ended || input->start < input->end || input->to < 0 || input->is_end_told)
        return;
    input->bytes[0] = TERMINAL_EOF;
    input->start = 0;
    input->end = 1;
    input->is_end_told = true;
}

/* What the container had written before its end. */
static void output_drain(struct flow *output)
{
    while (!output->is_ended || output->start < output->end) {
        struct pollfd fd;
        flow_poll(output, &fd);
        if (kernel_poll(&fd, 1, 0) <= 0)
            return;
        flow_move(output, &fd);
    }
}

static int wait_loop(const struct foreground *foreground, int pidfd, int terminal, struct error *err)
{
    static struct flow input;
    static struct flow output;
    struct pollfd fds[5] = {
        { .fd = pidfd, .events = POLLIN },
        { .fd = foreground->signal_fd, .events = POLLIN },
        { .fd = -1 },
        { .fd = -1 },
        { .fd = foreground->notify_fd, .events = POLLIN },
    };

    input = (struct flow){ .from = STDIN_FILENO, .to = terminal, .is_ended = terminal < 0 };
    output = (struct flow){ .from = terminal, .to = STDOUT_FILENO, .is_ended = terminal < 0 };
    for (;;) {
        flow_poll(&input, &fds[2]);
        flow_poll(&output, &fds[3]);
        int r = kernel_poll(fds, ARRAY_SIZE(fds), -1);
        if (r < 0 && r != -EINTR)
            return err_sys(err, r, "cannot wait for the container");
        if (r < 0)
            continue;
        if (fds[1].revents)
            signals_forward(foreground->signal_fd, pidfd, terminal);
        flow_move(&input, &fds[2]);
        input_end(&input);
        flow_move(&output, &fds[3]);
        if (fds[4].fd >= 0 && (fds[4].revents || fds[0].revents) &&
            notify_socket_forward(fds[4].fd, foreground->notify_path))
            fds[4].fd = -1;
        if (fds[0].revents) {
            output_drain(&output);
            return 0;
        }
    }
}

int foreground_wait(const struct foreground *foreground, int pidfd, int terminal, int *ret_status, struct error *err)
{
    role_require(ROLE_PARENT);
    struct termios saved;
    int status;
    bool is_raw = false;

    if (terminal >= 0) {
        is_raw = tty_is_terminal(STDIN_FILENO) && tty_set_raw(STDIN_FILENO, &saved) == 0;
        (void)kernel_set_flags(terminal, O_NONBLOCK);
    }
    int r = wait_loop(foreground, pidfd, terminal, err);
    if (is_raw)
        (void)tty_restore(STDIN_FILENO, &saved);
    if (r < 0)
        return r;
    r = process_wait(pidfd, -1, &status);
    if (r < 0)
        return err_sys(err, r, "cannot read the container's exit status");
    *ret_status = process_exit_code(status);
    return 0;
}
