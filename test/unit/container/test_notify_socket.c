/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tests of notify_socket: the plan, and that a payload can say READY=1 to the caller and nothing else. */
#include "notify_socket.h"

#include <limits.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "container_unit.h"
#include "strv.h"

static struct arena arena;
static struct error err;
static char path[PATH_MAX];
static int top = -1;
static int service = -1; /* the caller's service manager hears here */
static char service_path[108];
static int notify = -1;
static int payload = -1;

static int datagram_socket(const char *at, bool is_bound)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    ck_assert_int_ge(fd, 0);
    ck_assert_uint_lt(strlen(at), sizeof(address.sun_path));
    memcpy(address.sun_path, at, strlen(at));
    int r = is_bound ? bind(fd, (const struct sockaddr *)&address, sizeof(address))
                     : connect(fd, (const struct sockaddr *)&address, sizeof(address));
    ck_assert_msg(r == 0, "%s: %s", at, strerror(errno));
    return fd;
}

static void setup(void)
{
    const char *inner;

    top = container_unit_directory(path);
    (void)snprintf(service_path, sizeof(service_path), "%.80s/service", path);
    service = datagram_socket(service_path, true);
    ck_assert_msg(notify_directory_make(top, &err) == 0, "%s", err.text);
    ck_assert_int_eq(notify_directory_make(top, &err), 0); /* start makes it again */
    ck_assert_msg(notify_socket_make(top, &notify, &err) == 0, "%s", err.text);
    inner = arena_printf(&arena, "%s/" NOTIFY_DIRECTORY "/notify", path);
    payload = datagram_socket(inner, false);
}

static void teardown(void)
{
    (void)close(service);
    (void)close(notify);
    (void)close(payload);
    arena_done(&arena);
    container_unit_remove(top, path);
}

static void say(const void *bytes, size_t len)
{
    ck_assert_int_eq(send(payload, bytes, len, 0), (ssize_t)len);
}

static void say_text(const char *text)
{
    say(text, strlen(text));
}

/* What has reached the service, or "". */
static const char *heard(void)
{
    static char text[65536];
    ssize_t n = recv(service, text, sizeof(text) - 1, 0);

    text[n < 0 ? 0 : n] = '\0';
    return text;
}

START_TEST(wanted_when_the_variable_is_an_absolute_path_then_it)
{
    char long_path[200];

    ck_assert_int_eq(unsetenv("NOTIFY_SOCKET"), 0);
    ck_assert_ptr_null(notify_socket_wanted());
    ck_assert_int_eq(setenv("NOTIFY_SOCKET", "/run/x", 1), 0);
    ck_assert_str_eq(notify_socket_wanted(), "/run/x");
    ck_assert_int_eq(setenv("NOTIFY_SOCKET", "@abstract", 1), 0);
    ck_assert_ptr_null(notify_socket_wanted());
    ck_assert_int_eq(setenv("NOTIFY_SOCKET", "", 1), 0);
    ck_assert_ptr_null(notify_socket_wanted());
    memset(long_path, '/', sizeof(long_path) - 1);
    long_path[sizeof(long_path) - 1] = '\0';
    ck_assert_int_eq(setenv("NOTIFY_SOCKET", long_path, 1), 0);
    ck_assert_ptr_null(notify_socket_wanted());
}
END_TEST

START_TEST(plan_when_made_then_a_harmless_mount_and_the_variable)
{
    struct oci_config *config = container_unit_parse(&arena,
        "{\"ociVersion\":\"1.2.0\",\"root\":{\"path\":\"r\"},\"mounts\":[{\"destination\":\"/"
        "proc\",\"type\":\"proc\"}],"
        "\"process\":{\"args\":[\"x\"],\"cwd\":\"/\",\"env\":[\"A=1\",\"NOTIFY_SOCKET=/elsewhere\"]}}");

    notify_socket_plan(&arena, config, "/run/host", "/state/box");
    ck_assert_uint_eq(config->n_mounts, 2);
    ck_assert_str_eq(config->mounts[0].destination, "/proc");
    ck_assert_str_eq(config->mounts[1].destination, "/run/host");
    ck_assert_str_eq(config->mounts[1].source, "/state/box/notify");
    const struct strv options = { .items = config->mounts[1].options, .n = config->mounts[1].n_options };
    ck_assert(strv_has(&options, "nosuid") && strv_has(&options, "nodev") && strv_has(&options, "noexec"));
    ck_assert_str_eq(env_get(config->process->env, "NOTIFY_SOCKET"), "/run/host/notify");
    ck_assert_str_eq(env_get(config->process->env, "A"), "1");
    ck_assert_uint_eq(config->process->n_env, 2);
    ck_assert_ptr_null(config->process->env[2]);
    arena_done(&arena);
}
END_TEST

START_TEST(plan_when_there_is_no_process_then_the_mount_alone)
{
    struct oci_config *config = container_unit_parse(&arena, "{\"ociVersion\":\"1.2.0\",\"root\":{\"path\":\"r\"}}");

    notify_socket_plan(&arena, config, "/run/host", "/state/box");
    ck_assert_uint_eq(config->n_mounts, 1);
    ck_assert_ptr_null(config->process);
    arena_done(&arena);
}
END_TEST

START_TEST(make_when_done_then_every_user_of_the_payload_can_speak)
{
    struct stat st;

    setup();
    ck_assert_int_eq(fstatat(top, NOTIFY_DIRECTORY, &st, 0), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0755);
    ck_assert_int_eq(fstatat(top, NOTIFY_DIRECTORY "/notify", &st, 0), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0666);
    ck_assert_uint_eq(fcntl(notify, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    teardown();
}
END_TEST

START_TEST(make_when_the_directory_is_a_link_then_refused)
{
    int fd = -1;

    top = container_unit_directory(path);
    ck_assert_int_eq(symlinkat("/tmp", top, NOTIFY_DIRECTORY), 0);
    ck_assert_int_lt(notify_socket_make(top, &fd, &err), 0);
    ck_assert_int_eq(fd, -1);
    container_unit_remove(top, path);
}
END_TEST

START_TEST(make_when_an_older_socket_is_there_then_replaced)
{
    int again = -1;

    setup();
    ck_assert_int_eq(notify_socket_make(top, &again, &err), 0);
    (void)close(again);
    teardown();
}
END_TEST

START_TEST(forward_when_ready_then_exactly_that_is_passed_on)
{
    static const char *const texts[] = { "READY=1", "READY=1\n", "STATUS=up\nREADY=1", "READY=1\nMAINPID=1\nFDSTORE=1",
        "\n\nREADY=1\n" };

    setup();
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        say_text(texts[i]);
        ck_assert_msg(notify_socket_forward(notify, service_path), "%s", texts[i]);
        ck_assert_str_eq(heard(), "READY=1");
        ck_assert_str_eq(heard(), "");
    }
    teardown();
}
END_TEST

START_TEST(forward_when_anything_else_then_nothing_leaves)
{
    static const char *const texts[] = { "MAINPID=1", "STOPPING=1", "RELOADING=1", "WATCHDOG=1", "FDSTORE=1", "ERRNO=2",
        "STATUS=READY=1", "READY=0", "READY=11", "READY=1 ", " READY=1", "XREADY=1", "ready=1", "READY=1\r", "READY",
        "\n" };
    char long_text[4500];

    setup();
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        say_text(texts[i]);
        ck_assert_msg(!notify_socket_forward(notify, service_path), "%s", texts[i]);
    }
    say("", 0);
    say("X=\0\nREADY=1", 11); /* behind a NUL */
    memset(long_text, 'x', sizeof(long_text));
    memcpy(long_text + sizeof(long_text) - 9, "\nREADY=1", 9); /* behind the end of what is read */
    say(long_text, sizeof(long_text) - 1);
    ck_assert(!notify_socket_forward(notify, service_path));
    ck_assert_str_eq(heard(), "");
    /* and all of it is gone: the next one counts */
    say_text("READY=1");
    ck_assert(notify_socket_forward(notify, service_path));
    ck_assert_str_eq(heard(), "READY=1");
    teardown();
}
END_TEST

START_TEST(forward_when_descriptors_come_along_then_they_are_not_kept)
{
    char control[CMSG_SPACE(sizeof(int))] = { 0 };
    char text[] = "FDSTORE=1\nREADY=1";
    struct iovec part = { .iov_base = text, .iov_len = strlen(text) };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    setup();
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &top, sizeof(int));
    int before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    (void)close(before);
    ck_assert_int_gt(sendmsg(payload, &message, 0), 0);
    ck_assert(notify_socket_forward(notify, service_path));
    int after = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    (void)close(after);
    ck_assert_int_eq(after, before);
    ck_assert_str_eq(heard(), "READY=1");
    teardown();
}
END_TEST

START_TEST(forward_when_nobody_hears_then_done_all_the_same)
{
    setup();
    say_text("READY=1");
    ck_assert(notify_socket_forward(notify, "/nowhere/at/all"));
    teardown();
}
END_TEST

START_TEST(wait_when_the_process_ends_without_a_word_then_over)
{
    setup();
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    autoclose int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    ck_assert_int_ge(pidfd, 0);
    notify_socket_wait(notify, service_path, pidfd);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    ck_assert_str_eq(heard(), "");
    teardown();
}
END_TEST

START_TEST(wait_when_ready_comes_later_then_until_it)
{
    setup();
    pid_t pid = fork();
    if (pid == 0) {
        (void)usleep(50000);
        (void)send(payload, "STATUS=x", 8, 0);
        (void)usleep(50000);
        (void)send(payload, "READY=1", 7, 0);
        (void)pause();
    }
    autoclose int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    notify_socket_wait(notify, service_path, pidfd);
    ck_assert_str_eq(heard(), "READY=1");
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    teardown();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        wanted_when_the_variable_is_an_absolute_path_then_it,
        plan_when_made_then_a_harmless_mount_and_the_variable,
        plan_when_there_is_no_process_then_the_mount_alone,
        make_when_done_then_every_user_of_the_payload_can_speak,
        make_when_the_directory_is_a_link_then_refused,
        make_when_an_older_socket_is_there_then_replaced,
        forward_when_ready_then_exactly_that_is_passed_on,
        forward_when_anything_else_then_nothing_leaves,
        forward_when_descriptors_come_along_then_they_are_not_kept,
        forward_when_nobody_hears_then_done_all_the_same,
        wait_when_the_process_ends_without_a_word_then_over,
        wait_when_ready_comes_later_then_until_it,
    };
    return unit_run("notify_socket", tests, ARRAY_SIZE(tests));
}
