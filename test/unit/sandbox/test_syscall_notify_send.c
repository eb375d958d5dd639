/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent at listenerPath receives. */
#include "syscall_notify_send.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "cleanup.h"
#include "err.h"
#include "json.h"
#include "oci_state.h"
#include "role.h"
#include "socket_call.h"
#include "strv.h"
#include "unit.h"

static const struct oci_state state = {
    .id = "box", .status = "creating", .pid = 4711, .bundle = "/srv/bundle"
};

/* One message: its text, and the fd that came with it. */
static int receive(int socket, char *text, size_t size, size_t *ret_len)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = { text, size };
    struct msghdr message = { .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes) };
    ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    ck_assert_int_gt((int)n, 0);
    *ret_len = (size_t)n;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    ck_assert_ptr_nonnull(header);
    ck_assert_int_eq(header->cmsg_type, SCM_RIGHTS);
    int fd;
    memcpy(&fd, CMSG_DATA(header), sizeof(fd));
    return fd;
}

static const char *string_of(const struct json *object, const char *key)
{
    const struct json *value = json_get(object, key);
    ck_assert_msg(value != NULL && value->type == JSON_STRING, "%s", key);
    return value->string.text;
}

static void check_document(const char *text, size_t len)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    struct json *root;
    int64_t pid;
    ck_assert_int_eq(json_parse(&arena, "state", text, len, NULL, &root, &err), 0);
    ck_assert_str_eq(json_get(root, "fds")->list.first->string.text, "seccompFd");
    ck_assert_int_eq(json_i64(json_get(root, "pid"), 0, INT32_MAX, &pid), 0);
    ck_assert_int_eq((int)pid, 4712);
    ck_assert_str_eq(string_of(root, "metadata"), "who=\"me\"");
    ck_assert_ptr_nonnull(json_get(root, "ociVersion"));
    ck_assert_str_eq(string_of(json_get(root, "state"), "id"), "box");
}

START_TEST(listener_when_sent_then_agent_has_fd_and_state)
{
    char dir[] = "/tmp/runa-notify-XXXXXX";
    char path[64];
    char text[4096];
    size_t len = 0;
    struct error err = ERR_INIT;
    struct stat sent;
    struct stat received;
    ck_assert_ptr_nonnull(mkdtemp(dir));
    (void)snprintf(path, sizeof(path), "%s/agent.sock", dir);
    role_set(ROLE_PARENT);
    autoclose int server = unix_listen(AT_FDCWD, path, SOCK_STREAM, 0600, 1);
    ck_assert_int_ge(server, 0);
    autoclose int listener = memfd_create("listener", MFD_CLOEXEC);
    int r = syscall_notify_send(path, "who=\"me\"", 4712, &state, listener, &err);
    ck_assert_msg(r == 0, "%s", err.text);
    autoclose int client = kernel_accept(server);
    autoclose int fd = receive(client, text, sizeof(text), &len);
    ck_assert_int_eq(fstat(listener, &sent), 0);
    ck_assert_int_eq(fstat(fd, &received), 0);
    ck_assert_uint_eq(sent.st_ino, received.st_ino);
    check_document(text, len);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

START_TEST(agent_when_not_there_then_error_names_the_path)
{
    struct error err = ERR_INIT;
    role_set(ROLE_PARENT);
    ck_assert_int_eq(
        syscall_notify_send("/nonexistent/agent.sock", NULL, 1, &state, 0, &err), -ENOENT);
    ck_assert(
        str_starts(err.text, "linux.seccomp.listenerPath: connect to /nonexistent/agent.sock"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        listener_when_sent_then_agent_has_fd_and_state,
        agent_when_not_there_then_error_names_the_path,
    };
    return unit_run("syscall_notify_send", tests, ARRAY_SIZE(tests));
}
