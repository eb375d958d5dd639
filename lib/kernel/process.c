/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose: run a program of the host to its end.
 * Why a memfd as standard input and not a pipe: no writer is needed while it runs, so no deadlock
 * and no SIGPIPE.
 */
#include "process.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "call.h"
#include "cleanup.h"
#include "deadline.h"
#include "file.h"
#include "kernel_internal.h"
#include "process_call.h"
#include "role.h"
#include "signals.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif
#ifndef P_PIDFD
#define P_PIDFD 3
#endif
#define EXEC_FAILED 127
#define DRAIN_BYTES 4096

int process_exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int process_wait(int pidfd, int timeout_ms, int *ret_status)
{
    int64_t deadline = deadline_in(timeout_ms);
    struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };
    int n = 1;
    if (timeout_ms >= 0) {
        do
            n = kernel_poll(&poll_fd, 1, deadline_left(deadline));
        while (n == -EINTR);
    }
    if (n < 0)
        return n;
    return n == 0 ? -ETIMEDOUT : kernel_wait(pidfd, 0, ret_status);
}

void process_kill(int pidfd)
{
    if (pidfd < 0)
        return;
    /* Not through the fault table: undo has to work. ESRCH is a process that has ended already. */
    (void)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
    siginfo_t info;
    while (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED) < 0 && errno == EINTR)
        ;
}

int process_is_alive(int pidfd)
{
    struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };
    int n = kernel_poll(&poll_fd, 1, 0);
    if (n < 0)
        return n;
    return n == 0;
}

struct run_fds {
    int input;
    int output[2];
    int failure[2]; /* the child's errno when it cannot exec; close-on-exec otherwise ends it */
};

static void run_fds_done(struct run_fds *fds)
{
    int all[] = { fds->input, fds->output[0], fds->output[1], fds->failure[0], fds->failure[1] };
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        if (all[i] >= 0)
            (void)close(all[i]);
}

/* All of them above 2, so that the child's dup3 onto 0-2 cannot hit one. */
static int lift(int *fd)
{
    if (*fd > 2)
        return 0;
    int lifted = kernel_dup_above(*fd, 3);
    if (lifted < 0)
        return lifted;
    (void)close(*fd);
    *fd = lifted;
    return 0;
}

static int open_input(const struct process_run *run)
{
    if (!run->input)
        return kernel_open("/dev/null", O_RDONLY, 0);
    autoclose int fd = kernel_memfd_create("input", 0);
    if (fd < 0)
        return fd;
    int r = file_write_all(fd, run->input, run->n_input);
    if (r < 0)
        return r;
    off_t at = kernel_lseek(fd, 0, SEEK_SET);
    return at < 0 ? (int)at : take_fd(&fd);
}

static int open_run_fds(const struct process_run *run, struct run_fds *fds)
{
    int r = open_input(run);
    if (r < 0)
        return r;
    fds->input = r;
    r = kernel_pipe2(fds->failure, O_NONBLOCK);
    if (r == 0 && run->output)
        r = kernel_pipe2(fds->output, O_NONBLOCK);
    int *all[] = { &fds->input, &fds->output[0], &fds->output[1], &fds->failure[0],
        &fds->failure[1] };
    for (size_t i = 0; i < ARRAY_SIZE(all) && r == 0; i++)
        if (*all[i] >= 0)
            r = lift(all[i]);
    if (r == 0 && run->output)
        r = kernel_set_flags(fds->output[1], O_WRONLY); /* the program expects a pipe that blocks */
    return r;
}

static int child_exec(const struct process_run *run, const struct run_fds *fds)
{
    int r = kernel_setpgid(0, 0);
    if (r == 0)
        r = signals_reset();
    if (r == 0 && run->dirfd >= 0)
        r = kernel_fchdir(run->dirfd);
    if (r == 0)
        r = kernel_dup3(fds->input, STDIN_FILENO, 0);
    int output = run->output ? fds->output[1] : STDERR_FILENO;
    if (r >= 0 && output != STDOUT_FILENO)
        r = kernel_dup3(output, STDOUT_FILENO, 0);
    if (r >= 0 && output != STDERR_FILENO)
        r = kernel_dup3(output, STDERR_FILENO, 0);
    if (r >= 0)
        r = kernel_close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC);
    if (r >= 0)
        r = kernel_execve(run->path, run->argv, run->envp);
    return r;
}

static _Noreturn void child_main(const struct process_run *run, const struct run_fds *fds)
{
    role_set(ROLE_WORKER);
    int r = child_exec(run, fds);
    (void)!write(fds->failure[1], &r, sizeof(r));
    _exit(EXEC_FAILED);
}

/* Reads what is there; 1 at the end of the output, 0 when there may be more later. */
static int drain(int fd, const struct process_run *run, size_t *n_output)
{
    for (;;) {
        char rest[DRAIN_BYTES];
        size_t room = run->output_size > *n_output + 1 ? run->output_size - *n_output - 1 : 0;
        ssize_t n = room > 0 ? kernel_read(fd, run->output + *n_output, room)
                             : kernel_read(fd, rest, sizeof(rest));
        if (n == -EAGAIN)
            return 0;
        if (n <= 0)
            return n < 0 ? (int)n : 1;
        if (room > 0)
            *n_output += (size_t)n;
    }
}

/* Until the process has ended or the time is up. A descendant that keeps the pipe open is not
   waited for. */
static int watch(const struct process_run *run, int pidfd, int output_fd, size_t *n_output)
{
    int64_t deadline = deadline_in(run->timeout_ms);
    struct pollfd fds[2] = {
        { .fd = pidfd, .events = POLLIN },
        { .fd = output_fd, .events = POLLIN },
    };
    for (;;) {
        int n = kernel_poll(fds, ARRAY_SIZE(fds), deadline_left(deadline));
        if (n == -EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? n : -ETIMEDOUT;
        if (fds[1].revents) {
            int r = drain(output_fd, run, n_output);
            if (r < 0)
                return r;
            if (r == 1)
                fds[1].fd = -1;
        }
        if (fds[0].revents)
            return fds[1].fd < 0 || output_fd < 0 ? 0 : drain(output_fd, run, n_output);
    }
}

static int run_to_end(
    const struct process_run *run, const struct run_fds *fds, pid_t pid, int pidfd, int *ret_status)
{
    size_t n_output = 0;
    int status = 0;
    int r = watch(run, pidfd, fds->output[0], &n_output);
    if (r < 0) {
        (void)kill(-pid, SIGKILL); /* its group: it is not reaped, so the number is still its own */
        process_kill(pidfd);
    } else {
        r = kernel_wait(pidfd, 0, &status);
        if (r < 0)
            process_kill(pidfd);
    }
    if (run->output && run->output_size > 0)
        run->output[n_output] = '\0';
    if (r < 0)
        return r;
    int failure;
    if (read(fds->failure[0], &failure, sizeof(failure)) == sizeof(failure))
        return failure;
    if (run->ret_n_output)
        *run->ret_n_output = n_output;
    *ret_status = status;
    return 0;
}

int process_run(const struct process_run *run, int *ret_status)
{
    if (run->path[0] != '/')
        return -EINVAL;
    struct run_fds fds = { .input = -1, .output = { -1, -1 }, .failure = { -1, -1 } };
    autoclose int pidfd = -1;
    struct kernel_clone clone = { .ret_pidfd = &pidfd, .cgroup_fd = -1, .exit_signal = SIGCHLD };
    int r = open_run_fds(run, &fds);
    pid_t pid = r < 0 ? r : kernel_clone3(&clone);
    if (pid == 0)
        child_main(run, &fds);
    if (pid > 0) {
        (void)close(fds.failure[1]);
        fds.failure[1] = -1;
        if (fds.output[1] >= 0)
            (void)close(fds.output[1]);
        fds.output[1] = -1;
        r = run_to_end(run, &fds, pid, pidfd, ret_status);
    } else {
        r = pid;
    }
    run_fds_done(&fds);
    return r;
}
