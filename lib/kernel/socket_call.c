/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: wrappers of the socket calls; unix sockets by path. */
#include "socket_call.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "call.h"
#include "cleanup.h"
#include "kernel_internal.h"

int kernel_socket(int domain, int type, int protocol)
{
    KERNEL_CALL("socket");
    return kernel_result(socket(domain, type | SOCK_CLOEXEC, protocol));
}

int kernel_socketpair(int domain, int type, int ret_fds[2])
{
    KERNEL_CALL("socketpair");
    return kernel_result(socketpair(domain, type | SOCK_CLOEXEC, 0, ret_fds));
}

int kernel_bind(int fd, const struct sockaddr *address, socklen_t len)
{
    KERNEL_CALL("bind");
    return kernel_result(bind(fd, address, len));
}

int kernel_connect(int fd, const struct sockaddr *address, socklen_t len)
{
    KERNEL_CALL("connect");
    return kernel_result(connect(fd, address, len));
}

int kernel_listen(int fd, int backlog)
{
    KERNEL_CALL("listen");
    return kernel_result(listen(fd, backlog));
}

int kernel_accept(int fd)
{
    KERNEL_CALL("accept");
    return kernel_result(KERNEL_RETRY(accept4(fd, NULL, NULL, SOCK_CLOEXEC)));
}

ssize_t kernel_sendmsg(int fd, const struct msghdr *message, int flags)
{
    KERNEL_CALL("sendmsg");
    return kernel_size_result(KERNEL_RETRY(sendmsg(fd, message, flags | MSG_NOSIGNAL)));
}

ssize_t kernel_recvmsg(int fd, struct msghdr *message, int flags)
{
    KERNEL_CALL("recvmsg");
    return kernel_size_result(KERNEL_RETRY(recvmsg(fd, message, flags | MSG_CMSG_CLOEXEC)));
}

int kernel_getsockopt(int fd, int level, int option, void *value, socklen_t *len)
{
    KERNEL_CALL("getsockopt");
    return kernel_result(getsockopt(fd, level, option, value, len));
}

int kernel_peer_credentials(int fd, pid_t *ret_pid, uid_t *ret_uid, gid_t *ret_gid)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);
    int r = kernel_getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len);
    if (r < 0)
        return r;
    *ret_pid = peer.pid;
    *ret_uid = peer.uid;
    *ret_gid = peer.gid;
    return 0;
}

/* The address of dirfd/path. Where it does not fit, or is not relative to the working directory,
   *ret_dirfd is the parent opened, and the address goes through its descriptor; it must stay open
   for the call. */
static int unix_address(int dirfd, const char *path, struct sockaddr_un *ret, int *ret_dirfd)
{
    *ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
    size_t len = strlen(path);
    if (len == 0 || len >= PATH_MAX)
        return -ENOENT;
    if ((dirfd == AT_FDCWD || path[0] == '/') && len < sizeof(ret->sun_path)) {
        memcpy(ret->sun_path, path, len + 1);
        return 0;
    }
    char parent[PATH_MAX];
    memcpy(parent, path, len + 1);
    char *slash = strrchr(parent, '/');
    const char *name = slash ? path + (slash - parent) + 1 : path;
    if (slash == parent)
        memcpy(parent, "/", 2);
    else if (slash)
        *slash = '\0';
    else
        memcpy(parent, ".", 2);
    int fd = kernel_openat(dirfd, parent, O_PATH | O_DIRECTORY, 0);
    if (fd < 0)
        return fd;
    int n = snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s", fd, name);
    if (n < 0 || (size_t)n >= sizeof(ret->sun_path)) {
        (void)close(fd);
        return -ENAMETOOLONG;
    }
    *ret_dirfd = fd;
    return 0;
}

int unix_connect(int dirfd, const char *path, int type)
{
    struct sockaddr_un address;
    autoclose int parent = -1;
    int r = unix_address(dirfd, path, &address, &parent);
    if (r < 0)
        return r;
    autoclose int fd = kernel_socket(AF_UNIX, type, 0);
    if (fd < 0)
        return fd;
    r = kernel_connect(fd, (const struct sockaddr *)&address, sizeof(address));
    return r < 0 ? r : take_fd(&fd);
}

int unix_listen(int dirfd, const char *path, int type, mode_t mode, int backlog)
{
    struct sockaddr_un address;
    autoclose int parent = -1;
    int r = unix_address(dirfd, path, &address, &parent);
    if (r < 0)
        return r;
    autoclose int fd = kernel_socket(AF_UNIX, type, 0);
    if (fd < 0)
        return fd;
    /* The mode of the socket's inode becomes that of the file: there is no moment at which it is
       wider. */
    r = kernel_fchmod(fd, mode);
    if (r < 0)
        return r;
    mode_t old = kernel_umask(0);
    r = kernel_bind(fd, (const struct sockaddr *)&address, sizeof(address));
    (void)kernel_umask(old);
    if (r < 0)
        return r;
    r = kernel_listen(fd, backlog);
    if (r < 0) {
        (void)unlinkat(AT_FDCWD, address.sun_path, 0);
        return r;
    }
    return take_fd(&fd);
}

int unix_send_fd(int socket, const void *data, size_t len, int fd)
{
    if (len == 0)
        return -EINVAL;
    struct iovec part = { .iov_base = (void *)(uintptr_t)data, .iov_len = len };
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = { 0 };
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes),
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &fd, sizeof(int));
    ssize_t n = kernel_sendmsg(socket, &message, 0);
    if (n < 0)
        return (int)n;
    return (size_t)n == len ? 0 : -EIO;
}
