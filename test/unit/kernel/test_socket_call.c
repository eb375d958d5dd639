/* SPDX-License-Identifier: Apache-2.0 */
/* Unix sockets by paths of any length; fds with a message; loopback up in a new namespace. */
#include <errno.h>
#include <netinet/in.h>

#include "call.h"
#include "kernel_const.h"
#include "kernel_unit.h"
#include "netif.h"
#include "process_call.h"
#include "socket_call.h"

START_TEST(socket_listens_with_its_mode_at_once)
{
    autoclose int tmp = kernel_unit_private_directory();
    struct stat st;
    pid_t pid = 0;
    uid_t uid = 1;
    gid_t gid = 1;
    (void)umask(077);
    autoclose int listener = unix_listen(tmp, "s", SOCK_STREAM, 0620, 1);
    ck_assert_int_ge(listener, 0);
    ck_assert(kernel_unit_is_cloexec(listener));
    ck_assert_int_eq(fstatat(tmp, "s", &st, 0), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0620);
    ck_assert_int_eq(unix_listen(tmp, "s", SOCK_STREAM, 0600, 1), -EADDRINUSE);
    autoclose int client = unix_connect(AT_FDCWD, "/tmp/s", SOCK_STREAM);
    ck_assert_int_ge(client, 0);
    autoclose int server = kernel_accept(listener);
    ck_assert(kernel_unit_is_cloexec(server));
    ck_assert_int_eq(kernel_peer_credentials(server, &pid, &uid, &gid), 0);
    ck_assert_int_eq(pid, getpid());
    ck_assert_int_eq(unix_send_fd(client, "x", 1, tmp), 0);
    ck_assert_int_eq(unix_send_fd(client, "", 0, tmp), -EINVAL);
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    char byte;
    struct iovec part = { &byte, 1 };
    struct msghdr message = { .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control) };
    ck_assert_int_eq((int)kernel_recvmsg(server, &message, 0), 1);
    int fd;
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
    ck_assert(kernel_unit_is_cloexec(fd));
    ck_assert_int_eq(fstatat(fd, "s", &st, 0), 0);
    (void)close(fd);
}
END_TEST

START_TEST(long_path_works)
{
    autoclose int tmp = kernel_unit_private_directory();
    char path[400] = "/tmp";
    char part[52];
    part[0] = '/';
    memset(part + 1, 'd', 50);
    part[51] = '\0';
    size_t len = 4;
    for (int i = 0; i < 5; i++) {
        memcpy(path + len, part, 52);
        len += 51;
        ck_assert_int_eq(mkdir(path, 0755), 0);
    }
    memcpy(path + len, "/sock", 6);
    unsigned before = kernel_unit_count_fds();
    int listener = unix_listen(AT_FDCWD, path, SOCK_SEQPACKET, 0600, 1);
    ck_assert_int_ge(listener, 0);
    int client = unix_connect(AT_FDCWD, path, SOCK_SEQPACKET);
    ck_assert_int_ge(client, 0);
    (void)close(client);
    (void)close(listener);
    ck_assert_int_eq(unix_connect(AT_FDCWD, path, SOCK_SEQPACKET), -ECONNREFUSED);
    ck_assert_int_eq(unix_connect(AT_FDCWD, "", SOCK_SEQPACKET), -ENOENT);
    ck_assert_int_eq(unix_connect(tmp, "absent", SOCK_SEQPACKET), -ENOENT);
    ck_assert_uint_eq(kernel_unit_count_fds(), before);
}
END_TEST

START_TEST(loopback_comes_up)
{
    ck_assert_int_eq(kernel_unshare(CLONE_NEWNET), 0);
    autoclose int listener = kernel_socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = { .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(address);
    ck_assert_int_eq(
        kernel_bind(listener, (const struct sockaddr *)(const void *)&address, len), 0);
    ck_assert_int_eq(kernel_listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)(void *)&address, &len), 0);
    autoclose int client = kernel_socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(
        kernel_connect(client, (const struct sockaddr *)(const void *)&address, len), -ENETUNREACH);
    ck_assert_int_eq(netif_up("lo"), 0);
    ck_assert_int_eq(netif_up("lo"), 0);
    ck_assert_int_eq(
        kernel_connect(client, (const struct sockaddr *)(const void *)&address, len), 0);
    ck_assert_int_eq(netif_up("absent"), -ENODEV);
    ck_assert_int_eq(netif_up("name-that-is-too-long"), -EINVAL);
    ck_assert_int_eq(netif_up(""), -EINVAL);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { socket_listens_with_its_mode_at_once, long_path_works,
        loopback_comes_up };

    if (kernel_unit_lacks_root("socket_call"))
        return SKIPPED;
    return unit_run("socket_call", tests, ARRAY_SIZE(tests));
}
