/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: messages with fds over a seqpacket socket. */
#include "channel.h"

#include <poll.h>
#include <sys/socket.h>

#include "call.h"
#include "kernel_internal.h"
#include "signals.h"
#include "socket_call.h"

struct header {
    uint32_t type;
    uint32_t len;
};

union control {
    char bytes[CMSG_SPACE(sizeof(int) * CHANNEL_FDS_MAX)];
    struct cmsghdr align;
};

int channel_open_pair(int ret_fds[2])
{
    return kernel_socketpair(AF_UNIX, SOCK_SEQPACKET, ret_fds);
}

int channel_send(
    int socket, uint32_t type, const void *data, size_t len, const int *fds, size_t n_fds)
{
    if (len > CHANNEL_BYTES_MAX || n_fds > CHANNEL_FDS_MAX)
        return -EMSGSIZE;
    struct header header = { .type = type, .len = (uint32_t)len };
    struct iovec parts[2] = {
        { .iov_base = &header, .iov_len = sizeof(header) },
        { .iov_base = (void *)(uintptr_t)data, .iov_len = len },
    };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = len > 0 ? 2 : 1 };
    union control control = { 0 };
    if (n_fds > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
        memcpy(CMSG_DATA(rights), fds, sizeof(int) * n_fds);
    }
    ssize_t n = kernel_sendmsg(socket, &message, 0);
    if (n < 0)
        return (int)n;
    return (size_t)n == sizeof(header) + len ? 0 : -EIO;
}

int channel_write(int socket, uint32_t type, const void *data, size_t len)
{
    struct {
        struct header header;
        unsigned char data[CHANNEL_WRITE_MAX];
    } packet = { .header = { .type = type, .len = (uint32_t)len } };

    if (len > sizeof(packet.data))
        return -EMSGSIZE;
    if (len > 0)
        memcpy(packet.data, data, len);
    ssize_t n = kernel_write(socket, &packet, sizeof(packet.header) + len);
    return n < 0 ? (int)n : 0;
}

/* Takes the fds of every SCM_RIGHTS part; those beyond the maximum are closed and counted as too
   many. */
static int take_fds(struct msghdr *message, struct channel_message *ret)
{
    int r = 0;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        size_t n = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
            if (ret->n_fds < CHANNEL_FDS_MAX) {
                ret->fds[ret->n_fds++] = fd;
            } else {
                (void)close(fd);
                r = -EMSGSIZE;
            }
        }
    }
    return r;
}

static int wait_readable(int socket, int timeout_ms)
{
    if (timeout_ms < 0)
        return 0;
    struct pollfd poll_fd = { .fd = socket, .events = POLLIN };
    int r = kernel_poll(&poll_fd, 1, timeout_ms);
    if (r < 0)
        return r;
    return r == 0 ? -ETIMEDOUT : 0;
}

static int receive(int socket, void *data, size_t size, struct channel_message *message)
{
    struct header header = { 0 };
    struct iovec parts[2] = {
        { .iov_base = &header, .iov_len = sizeof(header) },
        { .iov_base = data, .iov_len = size },
    };
    union control control;
    struct msghdr packet = {
        .msg_iov = parts,
        .msg_iovlen = 2,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes),
    };
    ssize_t n = kernel_recvmsg(socket, &packet, 0);
    /* A peer that ended with messages unread resets the connection. That is said once, before what it had written. */
    if (n == -ECONNRESET)
        n = kernel_recvmsg(socket, &packet, 0);
    if (n == 0 || n == -ECONNRESET)
        return CHANNEL_CLOSED;
    if (n < 0)
        return (int)n;
    int r = take_fds(&packet, message);
    if (packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
        r = -EMSGSIZE;
    if (r < 0)
        return r;
    if ((size_t)n < sizeof(header) || header.len != (size_t)n - sizeof(header))
        return -EBADMSG;
    message->type = header.type;
    message->len = header.len;
    return 0;
}

int channel_recv(int socket, int timeout_ms, void *data, size_t size, struct channel_message *ret)
{
    int r = wait_readable(socket, timeout_ms);
    if (r < 0)
        return r;
    struct channel_message message = { .n_fds = 0 };
    r = receive(socket, data, size, &message);
    if (r != 0) {
        channel_message_done(&message);
        return r;
    }
    *ret = message;
    return 0;
}

int channel_recv_patient(int socket, void *data, size_t size, struct channel_message *ret)
{
    for (;;) {
        int r = channel_recv(socket, CHANNEL_PATIENCE, data, size, ret);
        if (r == -ETIMEDOUT && signals_end_is_wanted())
            return -ECANCELED;
        if (r != -ETIMEDOUT && r != -EINTR)
            return r;
    }
}

void channel_message_done(struct channel_message *message)
{
    if (!message)
        return;
    for (size_t i = 0; i < message->n_fds; i++)
        if (message->fds[i] >= 0)
            (void)close(message->fds[i]);
    message->n_fds = 0;
}
