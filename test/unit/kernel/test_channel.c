/* SPDX-License-Identifier: Apache-2.0 */
/* Messages with fds: whole, in order, nothing leaked whatever the peer sends. */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>

#include "channel.h"
#include "kernel_unit.h"

static int pair[2];

static void open_pair(void)
{
    ck_assert_int_eq(channel_open_pair(pair), 0);
    ck_assert(kernel_unit_is_cloexec(pair[0]) && kernel_unit_is_cloexec(pair[1]));
}

START_TEST(message_arrives_with_type_bytes_and_fds)
{
    open_pair();
    struct stat a, b;
    ck_assert_int_eq(channel_send(pair[0], 7, "hello", 6, (int[]){ 0, pair[0] }, 2), 0);
    char data[64];
    struct channel_message message;
    ck_assert_int_eq(channel_recv(pair[1], CHANNEL_FOREVER, data, sizeof(data), &message), 0);
    ck_assert_uint_eq(message.type, 7);
    ck_assert_uint_eq(message.len, 6);
    ck_assert_str_eq(data, "hello");
    ck_assert_uint_eq(message.n_fds, 2);
    ck_assert(kernel_unit_is_cloexec(message.fds[0]));
    ck_assert_int_eq(fstat(pair[0], &a), 0);
    ck_assert_int_eq(fstat(message.fds[1], &b), 0);
    ck_assert_uint_eq(a.st_ino, b.st_ino);
    unsigned before = kernel_unit_count_fds();
    int kept = take_fd(&message.fds[0]);
    channel_message_done(&message);
    ck_assert_uint_eq(kernel_unit_count_fds(), before - 1);
    (void)close(kept);
}
END_TEST

START_TEST(empty_messages_keep_their_borders)
{
    open_pair();
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_int_eq(channel_send(pair[0], i, NULL, 0, NULL, 0), 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct channel_message message;
        ck_assert_int_eq(channel_recv(pair[1], 0, NULL, 0, &message), 0);
        ck_assert_uint_eq(message.type, i);
        ck_assert_uint_eq(message.len, 0);
    }
}
END_TEST

START_TEST(written_message_is_like_a_sent_one)
{
    open_pair();
    static char big[CHANNEL_WRITE_MAX + 1];
    char data[8];
    struct channel_message message;
    ck_assert_int_eq(channel_write(pair[0], 3, "abc", 4), 0);
    ck_assert_int_eq(channel_recv(pair[1], 0, data, sizeof(data), &message), 0);
    ck_assert_uint_eq(message.type, 3);
    ck_assert_str_eq(data, "abc");
    ck_assert_uint_eq(message.n_fds, 0);
    ck_assert_int_eq(channel_write(pair[0], 3, big, sizeof(big)), -EMSGSIZE);
}
END_TEST

START_TEST(peer_gone_is_told)
{
    open_pair();
    char data[8];
    struct channel_message message;
    ck_assert_int_eq(channel_send(pair[0], 1, "x", 1, NULL, 0), 0);
    (void)close(pair[0]);
    ck_assert_int_eq(channel_recv(pair[1], CHANNEL_FOREVER, data, sizeof(data), &message), 0);
    ck_assert_int_eq(
        channel_recv(pair[1], CHANNEL_FOREVER, data, sizeof(data), &message), CHANNEL_CLOSED);
    ck_assert_int_eq(channel_send(pair[1], 1, NULL, 0, NULL, 0), -EPIPE); /* and no SIGPIPE */
}
END_TEST

START_TEST(last_words_are_heard_when_the_peer_has_left_messages_unread)
{
    open_pair();
    char data[8];
    struct channel_message message;
    ck_assert_int_eq(channel_send(pair[1], 6, NULL, 0, NULL, 0), 0);
    ck_assert_int_eq(channel_send(pair[0], 1, "bye", 4, NULL, 0), 0);
    (void)close(pair[0]);
    ck_assert_int_eq(channel_recv(pair[1], CHANNEL_FOREVER, data, sizeof(data), &message), 0);
    ck_assert_str_eq(data, "bye");
    ck_assert_int_eq(
        channel_recv(pair[1], CHANNEL_FOREVER, data, sizeof(data), &message), CHANNEL_CLOSED);
}
END_TEST

START_TEST(silence_times_out)
{
    open_pair();
    char data[8];
    struct channel_message message = { .type = 99 };
    ck_assert_int_eq(channel_recv(pair[1], 10, data, sizeof(data), &message), -ETIMEDOUT);
    ck_assert_uint_eq(message.type, 99);
}
END_TEST

START_TEST(oversize_is_refused_on_both_ends)
{
    open_pair();
    static char big[CHANNEL_BYTES_MAX + 1];
    int fds[CHANNEL_FDS_MAX + 1] = { 0 };
    ck_assert_int_eq(channel_send(pair[0], 1, big, sizeof(big), NULL, 0), -EMSGSIZE);
    ck_assert_int_eq(channel_send(pair[0], 1, NULL, 0, fds, CHANNEL_FDS_MAX + 1), -EMSGSIZE);
    ck_assert_int_eq(channel_send(pair[0], 1, big, CHANNEL_BYTES_MAX, fds, CHANNEL_FDS_MAX), 0);
    unsigned before = kernel_unit_count_fds();
    char small[16];
    struct channel_message message;
    ck_assert_int_eq(channel_recv(pair[1], 0, small, sizeof(small), &message), -EMSGSIZE);
    ck_assert_uint_eq(kernel_unit_count_fds(), before);
    ck_assert_int_eq(channel_send(pair[0], 2, big, CHANNEL_BYTES_MAX, fds, CHANNEL_FDS_MAX), 0);
    ck_assert_int_eq(channel_recv(pair[1], 0, big, CHANNEL_BYTES_MAX, &message), 0);
    ck_assert_uint_eq(message.n_fds, CHANNEL_FDS_MAX);
    channel_message_done(&message);
}
END_TEST

static void send_raw(const void *data, size_t len, size_t n_fds)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int) * 32)];
        struct cmsghdr align;
    } control = { 0 };
    struct iovec part = { .iov_base = (void *)(uintptr_t)data, .iov_len = len };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    if (n_fds > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
    }
    ck_assert_int_eq((int)sendmsg(pair[0], &message, 0), (int)len);
}

START_TEST(malformed_packet_leaks_no_fd)
{
    open_pair();
    unsigned before = kernel_unit_count_fds();
    uint32_t lying[3] = { 1, 400, 0 };
    char data[64];
    struct channel_message message;
    send_raw(lying, sizeof(lying), 3);
    ck_assert_int_eq(channel_recv(pair[1], 0, data, sizeof(data), &message), -EBADMSG);
    send_raw(lying, 3, 1);
    ck_assert_int_eq(channel_recv(pair[1], 0, data, sizeof(data), &message), -EBADMSG);
    uint32_t honest[2] = { 1, 0 };
    send_raw(honest, sizeof(honest), 32);
    ck_assert_int_eq(channel_recv(pair[1], 0, data, sizeof(data), &message), -EMSGSIZE);
    ck_assert_uint_eq(kernel_unit_count_fds(), before);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { written_message_is_like_a_sent_one,
        message_arrives_with_type_bytes_and_fds, empty_messages_keep_their_borders,
        peer_gone_is_told, last_words_are_heard_when_the_peer_has_left_messages_unread,
        silence_times_out, oversize_is_refused_on_both_ends,
        malformed_packet_leaks_no_fd };

    return unit_run("channel", tests, ARRAY_SIZE(tests));
}
