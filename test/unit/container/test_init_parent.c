/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tests of init_parent against a scripted init: what the parent believes, and that it neither hangs nor keeps
 * a descriptor when init says nonsense. */
#include "init_parent.h"

#include <limits.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "channel.h"
#include "container_plan.h"
#include "container_unit.h"
#include "init_child.h"
#include "init_message.h"
#include "oci_state.h"
#include "socket_call.h"

static struct error err;
static struct oci_config config;
static struct container_plan plan = { .config = &config };
static const struct init_context context = { .plan = &plan };
static const struct oci_console_size size = { .height = 3, .width = 4 };
static struct oci_state state = { .id = "box", .status = "creating", .bundle = "/b" };

/* What the fake init does with its end of the channel; then it ends. */
typedef void (*script_fn)(int channel);

static struct init_process start_fake(script_fn script)
{
    struct init_process process = INIT_PROCESS_INIT;
    int pair[2];

    err = (struct error)ERR_INIT;
    ck_assert_int_eq(channel_open_pair(pair), 0);
    (void)fflush(NULL);
    process.pid = fork();
    ck_assert_int_ge(process.pid, 0);
    if (process.pid == 0) {
        (void)close(pair[0]);
        script(pair[1]);
        _exit(0);
    }
    (void)close(pair[1]);
    process.channel = pair[0];
    process.pidfd = (int)syscall(SYS_pidfd_open, process.pid, 0);
    ck_assert_int_ge(process.pidfd, 0);
    return process;
}

static unsigned first_free_fd(void)
{
    int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

    (void)close(fd);
    return (unsigned)fd;
}

static void tell(int channel, enum init_message type)
{
    (void)channel_send(channel, type, NULL, 0, NULL, 0);
}

static void hear(int channel, enum init_message type)
{
    struct channel_message message;
    char none[1];

    if (channel_recv(channel, 10000, none, sizeof(none), &message) != 0 || message.type != (uint32_t)type)
        _exit(99);
}

static void say_failed(int channel, enum init_message type, int code, const char *text)
{
    struct error failed = { .code = code };

    (void)snprintf(failed.text, sizeof(failed.text), "%s", text);
    (void)channel_send(channel, type, &failed, sizeof(failed), NULL, 0);
}

static const struct init_orders of_exec = { .console_size = &size, .state = &state };
static const struct init_orders of_create = { .console_size = &size, .state = &state, .context = &context };

/* Fake init's exit status is 0 unless it missed a word of the parent's. */
static void end(struct init_process *process)
{
    int status = -1;

    (void)close(process->channel);
    process->channel = -1;
    ck_assert_int_eq(waitpid(process->pid, &status, 0), process->pid);
    ck_assert_int_eq(status, 0);
    init_process_done(process);
}

static void check_accompany(script_fn script, const struct init_orders *orders, int code, const char *text)
{
    unsigned before = first_free_fd();
    struct init_process process = start_fake(script);
    int r = init_accompany(&process, orders, &err);

    ck_assert_msg(r == -code, "%d: %s", r, err.text);
    ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
    ck_assert_int_eq(process.terminal, -1);
    end(&process);
    ck_assert_uint_eq(first_free_fd(), before);
}

/* --- from the clone to READY --- */

static void says_ready(int channel)
{
    tell(channel, INIT_MESSAGE_READY);
}

START_TEST(accompany_when_ready_then_done_and_the_pid_is_in_the_state)
{
    struct init_process process = start_fake(says_ready);

    state.pid = 0;
    ck_assert_int_eq(init_accompany(&process, &of_exec, &err), 0);
    ck_assert_int_eq(state.pid, process.pid);
    end(&process);
}
END_TEST

static void says_nothing(int channel)
{
    (void)channel;
}

START_TEST(accompany_when_the_channel_closes_then_init_ended)
{
    check_accompany(says_nothing, &of_exec, ESRCH, "ended unexpectedly");
    check_accompany(says_nothing, &of_create, ESRCH, "ended unexpectedly");
}
END_TEST

static uint32_t odd_type;

static void says_odd_type(int channel)
{
    int fds[] = { channel, channel };

    (void)channel_send(channel, odd_type, "xyz", 3, fds, 2);
}

START_TEST(accompany_when_out_of_turn_then_refused_and_nothing_is_kept)
{
    static const uint32_t types[] = { 0, INIT_MESSAGE_GO, INIT_MESSAGE_START, INIT_MESSAGE_EXECING, 10, 4711,
        UINT32_MAX };

    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        odd_type = types[i];
        check_accompany(says_odd_type, &of_exec, EPROTO, "out of turn");
    }
}
END_TEST

static void fails(int channel)
{
    say_failed(channel, INIT_MESSAGE_FAILED, ENOENT, "cannot find it");
}

static void fails_unexecutable(int channel)
{
    say_failed(channel, INIT_MESSAGE_NO_EXEC, EACCES, "exec: \"x\": permission denied");
}

START_TEST(accompany_when_init_fails_then_its_own_words)
{
    struct init_process process = start_fake(fails);

    ck_assert_int_eq(init_accompany(&process, &of_exec, &err), -ENOENT);
    ck_assert_str_eq(err.text, "cannot find it");
    ck_assert(!process.is_unexecutable);
    end(&process);
    process = start_fake(fails_unexecutable);
    ck_assert_int_eq(init_accompany(&process, &of_exec, &err), -EACCES);
    ck_assert_str_eq(err.text, "exec: \"x\": permission denied");
    ck_assert(process.is_unexecutable);
    end(&process);
}
END_TEST

static size_t odd_len;
static int odd_code;

static void fails_oddly(int channel)
{
    struct {
        struct error failed;
        char more[8];
    } data = { .failed = { .code = odd_code } };

    memset(data.failed.text, 'x', sizeof(data.failed.text)); /* without an end */
    (void)channel_send(channel, INIT_MESSAGE_FAILED, &data, odd_len, &channel, 1);
}

START_TEST(accompany_when_a_failure_has_the_wrong_length_or_no_code_then_refused)
{
    static const size_t lengths[] = { 0, 1, 4, sizeof(struct error) - 1 };
    static const int codes[] = { 0, -1, INT_MIN };

    odd_code = EPERM;
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        odd_len = lengths[i];
        check_accompany(fails_oddly, &of_exec, EPROTO, "without a reason");
    }
    odd_len = sizeof(struct error) + 1;
    check_accompany(fails_oddly, &of_exec, EMSGSIZE, "cannot hear init");
    odd_len = sizeof(struct error);
    for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
        odd_code = codes[i];
        check_accompany(fails_oddly, &of_exec, EPROTO, "without a reason");
    }
}
END_TEST

START_TEST(accompany_when_the_words_of_a_failure_have_no_end_then_cut)
{
    odd_len = sizeof(struct error);
    odd_code = EPERM;
    check_accompany(fails_oddly, &of_exec, EPERM, "xxxx");
    ck_assert_uint_lt(strlen(err.text), sizeof(err.text));
}
END_TEST

static void says_garbage(int channel)
{
    (void)write(channel, "abc", 3);
}

static void lies_about_its_length(int channel)
{
    const uint32_t header[] = { INIT_MESSAGE_READY, 1000 };

    (void)write(channel, header, sizeof(header));
}

static void sends_many_fds(int channel)
{
    enum { N_FDS = 40 };
    union {
        char bytes[CMSG_SPACE(sizeof(int) * N_FDS)];
        struct cmsghdr align;
    } control = { 0 };
    uint32_t header[] = { INIT_MESSAGE_CONSOLE, 0 };
    struct iovec part = { .iov_base = header, .iov_len = sizeof(header) };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)
    };
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);

    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int) * N_FDS);
    for (size_t i = 0; i < N_FDS; i++)
        memcpy(CMSG_DATA(rights) + i * sizeof(int), &channel, sizeof(int));
    (void)sendmsg(channel, &message, 0);
}

START_TEST(accompany_when_packets_are_malformed_then_refused)
{
    check_accompany(says_garbage, &of_exec, EBADMSG, "cannot hear init");
    check_accompany(lies_about_its_length, &of_exec, EBADMSG, "cannot hear init");
    check_accompany(sends_many_fds, &of_exec, EMSGSIZE, "cannot hear init");
}
END_TEST

/* --- the terminal --- */

static void sends_terminal(int channel)
{
    autoclose int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)channel_send(channel, INIT_MESSAGE_CONSOLE, NULL, 0, &null, 1);
    tell(channel, INIT_MESSAGE_READY);
}

static void sends_no_terminal(int channel)
{
    tell(channel, INIT_MESSAGE_CONSOLE);
}

static void sends_two_terminals(int channel)
{
    const int fds[] = { channel, channel };

    (void)channel_send(channel, INIT_MESSAGE_CONSOLE, NULL, 0, fds, 2);
}

START_TEST(accompany_when_a_terminal_comes_then_ours)
{
    struct init_process process = start_fake(sends_terminal);

    ck_assert_int_eq(init_accompany(&process, &of_exec, &err), 0);
    ck_assert_int_ge(process.terminal, 0);
    end(&process);
    ck_assert_int_eq(process.terminal, -1);
}
END_TEST

START_TEST(accompany_when_not_exactly_one_terminal_comes_then_refused)
{
    check_accompany(sends_no_terminal, &of_exec, EPROTO, "no terminal");
    check_accompany(sends_two_terminals, &of_exec, EPROTO, "no terminal");
}
END_TEST

START_TEST(accompany_when_a_console_socket_is_given_then_the_terminal_goes_there)
{
    char path[PATH_MAX];
    int top = container_unit_directory(path);
    autofree char *socket_path = xasprintf("%s/console", path);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct init_orders orders = of_exec;
    int got = -1;

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", socket_path);
    autoclose int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(listener, (const struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    orders.console_socket = socket_path;
    struct init_process process = start_fake(sends_terminal);
    ck_assert_msg(init_accompany(&process, &orders, &err) == 0, "%s", err.text);
    ck_assert_int_eq(process.terminal, -1);
    end(&process);

    autoclose int connection = accept(listener, NULL, NULL);
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    char text[64];
    struct iovec part = { .iov_base = text, .iov_len = sizeof(text) };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)
    };
    ck_assert_int_gt(recvmsg(connection, &message, MSG_CMSG_CLOEXEC), 0);
    ck_assert_ptr_nonnull(CMSG_FIRSTHDR(&message));
    memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
    ck_assert_int_ge(got, 0);
    (void)close(got);
    container_unit_remove(top, path);
}
END_TEST

START_TEST(accompany_when_nobody_listens_at_the_console_socket_then_refused)
{
    struct init_orders orders = of_exec;

    orders.console_socket = "/nowhere/console";
    check_accompany(sends_terminal, &orders, ENOENT, "--console-socket /nowhere/console");
}
END_TEST

/* --- the seccomp listener --- */

static void sends_listener(int channel)
{
    (void)channel_send(channel, INIT_MESSAGE_LISTENER, NULL, 0, &channel, 1);
}

static void sends_no_listener(int channel)
{
    tell(channel, INIT_MESSAGE_LISTENER);
}

START_TEST(accompany_when_a_listener_comes_unasked_or_without_descriptor_then_refused)
{
    struct init_orders orders = of_exec;

    check_accompany(sends_listener, &of_exec, EPROTO, "seccomp listener");
    orders.listener_path = "/nowhere/agent";
    check_accompany(sends_no_listener, &orders, EPROTO, "seccomp listener");
    unsigned before = first_free_fd();
    struct init_process process = start_fake(sends_listener);
    ck_assert_int_lt(init_accompany(&process, &orders, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/agent"));
    end(&process);
    ck_assert_uint_eq(first_free_fd(), before);
}
END_TEST

/* --- hooks --- */

static void wants_hooks(int channel)
{
    tell(channel, INIT_MESSAGE_HOOKS);
    hear(channel, INIT_MESSAGE_GO);
    tell(channel, INIT_MESSAGE_READY);
}

static void wants_hooks_and_is_gone(int channel)
{
    tell(channel, INIT_MESSAGE_HOOKS);
}

START_TEST(accompany_when_hooks_are_wanted_then_run_and_told_to_go_on)
{
    struct oci_hook hook = { .path = "/bin/true" };
    struct init_process process = start_fake(wants_hooks);

    config.hooks[OCI_HOOK_CREATE_RUNTIME] = (struct oci_hook_list){ .items = &hook, .n_items = 1 };
    ck_assert_msg(init_accompany(&process, &of_create, &err) == 0, "%s", err.text);
    end(&process);
    config.hooks[OCI_HOOK_CREATE_RUNTIME].n_items = 0;
}
END_TEST

START_TEST(accompany_when_a_hook_fails_then_over)
{
    struct oci_hook hook = { .path = "/bin/false" };

    config.hooks[OCI_HOOK_PRESTART] = (struct oci_hook_list){ .items = &hook, .n_items = 1 };
    check_accompany(wants_hooks_and_is_gone, &of_create, ECANCELED, "prestart");
    config.hooks[OCI_HOOK_PRESTART].n_items = 0;
}
END_TEST

START_TEST(accompany_when_exec_asks_for_hooks_then_refused)
{
    check_accompany(wants_hooks_and_is_gone, &of_exec, EPROTO, "hooks");
}
END_TEST

START_TEST(accompany_when_init_is_gone_before_go_then_no_signal_kills_us)
{
    check_accompany(wants_hooks_and_is_gone, &of_create, ESRCH, "ended unexpectedly");
}
END_TEST

/* --- start --- */

static void starts_well(int channel)
{
    hear(channel, INIT_MESSAGE_START);
    tell(channel, INIT_MESSAGE_EXECING);
}

static void starts_unasked(int channel)
{
    tell(channel, INIT_MESSAGE_EXECING);
}

static void is_gone_at_start(int channel)
{
    hear(channel, INIT_MESSAGE_START);
}

static void fails_behind_the_word(int channel)
{
    hear(channel, INIT_MESSAGE_START);
    tell(channel, INIT_MESSAGE_EXECING);
    say_failed(channel, INIT_MESSAGE_NO_EXEC, ENOEXEC, "exec format");
}

static void fails_with_the_code_of_an_end(int channel)
{
    hear(channel, INIT_MESSAGE_START);
    tell(channel, INIT_MESSAGE_EXECING);
    say_failed(channel, INIT_MESSAGE_FAILED, ESRCH, "no such process");
}

static void is_ready_at_start(int channel)
{
    hear(channel, INIT_MESSAGE_START);
    tell(channel, INIT_MESSAGE_READY);
}

static void check_start(script_fn script, bool is_sent, int code, const char *text, bool is_unexecutable)
{
    bool unexecutable = false;
    struct init_process process = start_fake(script);
    int r = init_start(process.channel, is_sent, &unexecutable, &err);

    ck_assert_msg(r == -code, "%d: %s", r, err.text);
    ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
    ck_assert(unexecutable == is_unexecutable);
    end(&process);
}

START_TEST(start_when_the_channel_ends_behind_execing_then_the_payload_runs)
{
    check_start(starts_well, false, 0, "", false);
    check_start(starts_unasked, true, 0, "", false);
}
END_TEST

START_TEST(start_when_it_ends_without_execing_then_an_error)
{
    check_start(is_gone_at_start, false, ESRCH, "ended unexpectedly", false);
    check_start(says_nothing, false, ESRCH, "ended unexpectedly", false);
}
END_TEST

START_TEST(start_when_it_fails_behind_execing_then_an_error_whatever_the_code)
{
    check_start(fails_behind_the_word, false, ENOEXEC, "exec format", true);
    check_start(fails_with_the_code_of_an_end, false, ESRCH, "no such process", false);
}
END_TEST

START_TEST(start_when_anything_else_is_answered_then_refused)
{
    check_start(is_ready_at_start, false, EPROTO, "in answer to start", false);
}
END_TEST

static void hears_start(int channel)
{
    hear(channel, INIT_MESSAGE_START);
}

START_TEST(start_early_when_init_waits_for_nothing_else_then_sent)
{
    bool is_sent = false;
    struct init_process process = start_fake(hears_start);

    ck_assert_int_eq(init_start_early(&process, &of_create, &is_sent, &err), 0);
    ck_assert(is_sent);
    end(&process);
}
END_TEST

START_TEST(start_early_when_init_waits_for_another_word_then_not_sent)
{
    struct oci_hook hook = { .path = "/bin/true" };
    bool is_sent = true;
    struct init_process process = start_fake(says_nothing);

    plan.want_go = true;
    ck_assert_int_eq(init_start_early(&process, &of_create, &is_sent, &err), 0);
    ck_assert(!is_sent);
    plan.want_go = false;
    static const enum oci_hook_point points[] = { OCI_HOOK_PRESTART, OCI_HOOK_CREATE_RUNTIME };
    for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
        is_sent = true;
        config.hooks[points[i]] = (struct oci_hook_list){ .items = &hook, .n_items = 1 };
        ck_assert_int_eq(init_start_early(&process, &of_create, &is_sent, &err), 0);
        ck_assert(!is_sent);
        config.hooks[points[i]].n_items = 0;
    }
    end(&process);
}
END_TEST

/* --- the end --- */

static void waits(int channel)
{
    (void)channel;
    (void)pause();
}

START_TEST(kill_when_alive_then_dead_and_reaped)
{
    struct init_process process = start_fake(waits);

    init_process_kill(&process);
    ck_assert_int_eq(waitpid(process.pid, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    init_process_done(&process);
    init_process_kill(&process); /* emptied: nothing */
    init_process_done(&process);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        accompany_when_ready_then_done_and_the_pid_is_in_the_state,
        accompany_when_the_channel_closes_then_init_ended,
        accompany_when_out_of_turn_then_refused_and_nothing_is_kept,
        accompany_when_init_fails_then_its_own_words,
        accompany_when_a_failure_has_the_wrong_length_or_no_code_then_refused,
        accompany_when_the_words_of_a_failure_have_no_end_then_cut,
        accompany_when_packets_are_malformed_then_refused,
        accompany_when_a_terminal_comes_then_ours,
        accompany_when_not_exactly_one_terminal_comes_then_refused,
        accompany_when_a_console_socket_is_given_then_the_terminal_goes_there,
        accompany_when_nobody_listens_at_the_console_socket_then_refused,
        accompany_when_a_listener_comes_unasked_or_without_descriptor_then_refused,
        accompany_when_hooks_are_wanted_then_run_and_told_to_go_on,
        accompany_when_a_hook_fails_then_over,
        accompany_when_exec_asks_for_hooks_then_refused,
        accompany_when_init_is_gone_before_go_then_no_signal_kills_us,
        start_when_the_channel_ends_behind_execing_then_the_payload_runs,
        start_when_it_ends_without_execing_then_an_error,
        start_when_it_fails_behind_execing_then_an_error_whatever_the_code,
        start_when_anything_else_is_answered_then_refused,
        start_early_when_init_waits_for_nothing_else_then_sent,
        start_early_when_init_waits_for_another_word_then_not_sent,
        kill_when_alive_then_dead_and_reaped,
    };
    return unit_run("init_parent", tests, ARRAY_SIZE(tests));
}
