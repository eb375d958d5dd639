/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tests of foreground: which signals reach the process, that its last output is not lost, and that the
 * caller's terminal is as it was. */
#include "foreground.h"

#include <limits.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>

#include "container_unit.h"

static struct error err;

/* What the process does; its result is its exit code. terminal: our side of the pty, or -1. */
typedef int (*process_fn)(int terminal);

struct pty {
    int master;
    int terminal;
};

static struct pty pty_open(void)
{
    struct pty pty = { .master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) };
    struct termios raw;

    ck_assert_int_ge(pty.master, 0);
    ck_assert_int_eq(grantpt(pty.master), 0);
    ck_assert_int_eq(unlockpt(pty.master), 0);
    pty.terminal = ioctl(pty.master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    ck_assert_int_ge(pty.terminal, 0);
    ck_assert_int_eq(tcgetattr(pty.terminal, &raw), 0);
    cfmakeraw(&raw);
    ck_assert_int_eq(tcsetattr(pty.terminal, TCSANOW, &raw), 0);
    return pty;
}

static void stdio_replace(int number, int fd)
{
    ck_assert_int_eq(dup2(fd, number), number);
    (void)close(fd);
}

static void stdin_from(const char *bytes, size_t len)
{
    int fds[2];

    ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
    ck_assert_int_eq(write(fds[1], bytes, len), (ssize_t)len);
    (void)close(fds[1]);
    stdio_replace(STDIN_FILENO, fds[0]);
}

/* Runs it as foreground does; raise_first are sent to us before the wait. */
static int wait_for(process_fn work, struct pty *pty, const int *raise_first, size_t n_raise)
{
    struct foreground foreground = FOREGROUND_INIT;
    int status = -1;

    ck_assert_msg(foreground_open(&foreground, &err) == 0, "%s", err.text);
    (void)fflush(NULL);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        if (pty)
            (void)close(pty->master);
        _exit(work(pty ? pty->terminal : -1));
    }
    if (pty)
        (void)close(pty->terminal);
    autoclose int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    ck_assert_int_ge(pidfd, 0);
    for (size_t i = 0; i < n_raise; i++)
        ck_assert_int_eq(raise(raise_first[i]), 0);
    ck_assert_msg(foreground_wait(&foreground, pidfd, pty ? pty->master : -1, &status, &err) == 0, "%s", err.text);
    ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), -1); /* reaped */
    foreground_done(&foreground);
    ck_assert_int_eq(foreground.signal_fd, -1);
    return status;
}

/* --- the end --- */

static int exits_7(int terminal)
{
    (void)terminal;
    return 7;
}

static int kills_itself(int terminal)
{
    (void)terminal;
    return raise(SIGKILL);
}

START_TEST(wait_when_it_ends_then_its_code_or_128_and_the_signal)
{
    ck_assert_int_eq(wait_for(exits_7, NULL, NULL, 0), 7);
    ck_assert_int_eq(wait_for(kills_itself, NULL, NULL, 0), 137);
}
END_TEST

/* --- signals: blocked since foreground_open, the process takes them one by one --- */

/* The number of the first to come, or 0 when none does for a while. */
static int first_signal(int terminal)
{
    const struct timespec patience = { .tv_nsec = 300000000 };
    sigset_t all;

    (void)terminal;
    (void)sigfillset(&all);
    int r = sigtimedwait(&all, NULL, &patience);
    return r < 0 ? 0 : r;
}

START_TEST(signals_when_they_ask_something_then_forwarded)
{
    static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP, SIGPIPE,
        SIGALRM };

    for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
        ck_assert_int_eq(wait_for(first_signal, NULL, &signals[i], 1), signals[i]);
    int realtime = SIGRTMIN + 3;
    ck_assert_int_eq(wait_for(first_signal, NULL, &realtime, 1), realtime);
}
END_TEST

START_TEST(signals_when_they_ask_nothing_of_it_then_kept)
{
    static const int signals[] = { SIGCHLD, SIGURG, SIGWINCH };

    ck_assert_int_eq(wait_for(first_signal, NULL, signals, ARRAY_SIZE(signals)), 0);
}
END_TEST

START_TEST(signals_when_faults_of_our_own_then_not_blocked)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS };
    struct foreground foreground = FOREGROUND_INIT;
    sigset_t now;

    ck_assert_int_eq(foreground_open(&foreground, &err), 0);
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, NULL, &now), 0);
    for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
        ck_assert_int_eq(sigismember(&now, faults[i]), 0);
    ck_assert_int_eq(sigismember(&now, SIGTERM), 1);
    foreground_done(&foreground);
    foreground_done(&foreground);
}
END_TEST

/* --- the terminal --- */

#define MUCH (200U << 10)

static int writes_much(int terminal)
{
    static char bytes[MUCH];

    memset(bytes, 'x', sizeof(bytes));
    bytes[sizeof(bytes) - 1] = '.';
    for (size_t done = 0; done < sizeof(bytes);) {
        ssize_t n = write(terminal, bytes + done, sizeof(bytes) - done);
        if (n < 0)
            return 1;
        done += (size_t)n;
    }
    return 0;
}

static int writes_a_last_word(int terminal)
{
    return write(terminal, "last word", 9) == 9 ? 0 : 1;
}

/* Standard output is a new file. */
static void stdout_to_file(const char *path)
{
    stdio_replace(STDOUT_FILENO, open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
}

static void check_output(process_fn work, size_t len, const char *tail)
{
    char path[PATH_MAX];
    int top = container_unit_directory(path);
    autofree char *file = xasprintf("%s/out", path);
    autofree char *text = NULL;
    size_t n;
    struct pty pty = pty_open();
    int old = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);

    stdin_from("", 0);
    (void)fflush(stdout);
    stdout_to_file(file);
    ck_assert_int_eq(wait_for(work, &pty, NULL, 0), 0);
    stdio_replace(STDOUT_FILENO, old);
    (void)close(pty.master);
    ck_assert_int_eq(file_read(top, "out", CONTAINER_UNIT_MAX, &text, &n), 0);
    ck_assert_uint_eq(n, len);
    ck_assert_str_eq(text + n - strlen(tail), tail);
    container_unit_remove(top, path);
}

START_TEST(output_when_much_then_all_of_it)
{
    check_output(writes_much, MUCH, "x.");
}
END_TEST

START_TEST(output_when_written_just_before_the_end_then_not_lost)
{
    for (int i = 0; i < 30; i++)
        check_output(writes_a_last_word, 9, "last word");
}
END_TEST

static int reads_a_line(int terminal)
{
    char text[16];
    size_t len = 0;

    while (len < 6) {
        ssize_t n = read(terminal, text + len, sizeof(text) - len);
        if (n <= 0)
            return 1;
        len += (size_t)n;
    }
    return memcmp(text, "typed\n", 6) == 0 ? 0 : 2;
}

START_TEST(input_when_typed_then_it_reaches_the_process)
{
    struct pty pty = pty_open();

    stdin_from("typed\n", 6);
    ck_assert_int_eq(wait_for(reads_a_line, &pty, NULL, 0), 0);
    (void)close(pty.master);
}
END_TEST

static int sleeps_a_little(int terminal)
{
    (void)terminal;
    (void)usleep(200000);
    return 0;
}

START_TEST(wait_when_input_has_ended_then_no_time_is_burnt)
{
    struct timespec before;
    struct timespec after;
    struct pty pty = pty_open();

    stdin_from("", 0);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    ck_assert_int_eq(wait_for(sleeps_a_little, &pty, NULL, 0), 0);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    ck_assert_int_lt((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000, 100);
    (void)close(pty.master);
}
END_TEST

static int has_size_33_101(int terminal)
{
    struct winsize size = { 0 };

    for (int i = 0; i < 100 && size.ws_row != 33; i++) {
        (void)usleep(10000);
        (void)ioctl(terminal, TIOCGWINSZ, &size);
    }
    return size.ws_row == 33 && size.ws_col == 101 ? 0 : 1;
}

START_TEST(window_when_resized_then_the_size_is_copied_and_the_signal_is_not)
{
    static const int winch = SIGWINCH;
    struct pty own = pty_open();
    struct pty pty = pty_open();

    ck_assert_int_eq(ioctl(own.master, TIOCSWINSZ, &(struct winsize){ .ws_row = 33, .ws_col = 101 }), 0);
    stdio_replace(STDIN_FILENO, own.terminal);
    ck_assert_int_eq(wait_for(has_size_33_101, &pty, &winch, 1), 0);
    (void)close(own.master);
    (void)close(pty.master);
}
END_TEST

static int master_of_caller;

/* The caller's terminal is raw while it runs. */
static int sees_raw(int terminal)
{
    struct termios now = { .c_lflag = ICANON };

    (void)terminal;
    for (int i = 0; i < 100 && (now.c_lflag & ICANON); i++) {
        (void)usleep(10000);
        (void)tcgetattr(master_of_caller, &now);
    }
    return (now.c_lflag & (ICANON | ECHO)) == 0 ? 0 : 1;
}

START_TEST(terminal_of_the_caller_when_over_then_as_it_was)
{
    struct pty own = pty_open();
    struct pty pty = pty_open();
    struct termios before;
    struct termios after;

    ck_assert_int_eq(tcgetattr(own.terminal, &before), 0);
    before.c_lflag |= ICANON | ECHO | ISIG;
    ck_assert_int_eq(tcsetattr(own.terminal, TCSANOW, &before), 0);
    ck_assert_int_eq(tcgetattr(own.terminal, &before), 0);
    master_of_caller = own.master;
    stdio_replace(STDIN_FILENO, own.terminal);
    ck_assert_int_eq(wait_for(sees_raw, &pty, NULL, 0), 0);
    ck_assert_int_eq(tcgetattr(STDIN_FILENO, &after), 0);
    ck_assert_uint_eq(after.c_lflag, before.c_lflag);
    ck_assert_uint_eq(after.c_iflag, before.c_iflag);
    ck_assert_uint_eq(after.c_oflag, before.c_oflag);
    (void)close(own.master);
    (void)close(pty.master);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        wait_when_it_ends_then_its_code_or_128_and_the_signal,
        signals_when_they_ask_something_then_forwarded,
        signals_when_they_ask_nothing_of_it_then_kept,
        signals_when_faults_of_our_own_then_not_blocked,
        output_when_much_then_all_of_it,
        output_when_written_just_before_the_end_then_not_lost,
        input_when_typed_then_it_reaches_the_process,
        wait_when_input_has_ended_then_no_time_is_burnt,
        window_when_resized_then_the_size_is_copied_and_the_signal_is_not,
        terminal_of_the_caller_when_over_then_as_it_was,
    };
    return unit_run("foreground", tests, ARRAY_SIZE(tests));
}
