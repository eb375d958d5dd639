/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Sockets: raw wrappers, and unix sockets by path of any length. See channel.h for framed
 *          messages.
 * Runs in  any
 * Trusts   a peer's bytes are hostile; fds beyond those asked for are closed
 * Owns     a returned fd is the caller's and close-on-exec
 * Source   unix(7); sun_path holds 108 bytes, longer ones go through /proc/self/fd of the directory
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

int kernel_socket(int domain, int type, int protocol);
int kernel_socketpair(int domain, int type, int ret_fds[2]);
int kernel_bind(int fd, const struct sockaddr *address, socklen_t len);
int kernel_connect(int fd, const struct sockaddr *address, socklen_t len);
int kernel_listen(int fd, int backlog);
int kernel_accept(int fd); /* one connection; its fd */
ssize_t kernel_sendmsg(int fd, const struct msghdr *message, int flags); /* MSG_NOSIGNAL added */
/* MSG_CMSG_CLOEXEC added */
ssize_t kernel_recvmsg(int fd, struct msghdr *message, int flags);
int kernel_getsockopt(int fd, int level, int option, void *value, socklen_t *len);
int kernel_peer_credentials(int fd, pid_t *ret_pid, uid_t *ret_uid, gid_t *ret_gid);

/* type: SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM, with SOCK_NONBLOCK if wanted. path is relative to
   dirfd (AT_FDCWD). */
int unix_connect(int dirfd, const char *path, int type);
/* Makes the socket file with the given mode (whatever the umask) and listens. */
int unix_listen(int dirfd, const char *path, int type, mode_t mode, int backlog);
/* One message with one fd, as the receivers of --console-socket and listenerPath expect it. len >
   0. */
int unix_send_fd(int socket, const void *data, size_t len, int fd);
