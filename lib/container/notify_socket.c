/* SPDX-License-Identifier: Apache-2.0 */
/* Readiness of payloads. */
#include "notify_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "arena.h"
#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "role.h"
#include "socket_call.h"
#include "strv.h"

#define SOCKET_NAME    "notify"
#define DATAGRAM_BYTES 4096

static const char ready[] = "READY=1";

const char *notify_socket_wanted(void)
{
    const char *path = getenv("NOTIFY_SOCKET");

    return path && path[0] == '/' && strlen(path) < sizeof(((struct sockaddr_un *)0)->sun_path) ? path : NULL;
}

void notify_socket_plan(struct arena *arena, struct oci_config *config, const char *socket_path,
    const char *state_directory)
{
    static const char *const words[] = { "bind", "nosuid", "noexec", "nodev", "rprivate" };
    struct oci_mount *mounts = arena_new_array(arena, config->n_mounts + 1, struct oci_mount);
    struct strv options = STRV_INIT;
    struct strv env = STRV_INIT;

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        strv_add(arena, &options, words[i]);
    for (size_t i = 0; i < config->n_mounts; i++)
        mounts[i] = config->mounts[i];
    mounts[config->n_mounts] = (struct oci_mount){
        .destination = socket_path,
        .type = "bind",
        .source = arena_printf(arena, "%s/" NOTIFY_DIRECTORY, state_directory),
        .options = options.items,
        .n_options = options.n,
    };
    config->mounts = mounts;
    config->n_mounts++;
    if (!config->process)
        return;
    for (size_t i = 0; i < config->process->n_env; i++)
        strv_add(arena, &env, config->process->env[i]);
    env_set(arena, &env, "NOTIFY_SOCKET", arena_printf(arena, "%s/" SOCKET_NAME, socket_path));
    config->process->env = env.items;
    config->process->n_env = env.n;
}

int notify_directory_make(int container_dir, struct error *err)
{
    role_require(ROLE_PARENT);
    int r = kernel_mkdirat(container_dir, NOTIFY_DIRECTORY, 0755);

    /* The payload may be any user; users of the host do not get past the state directory. */
    if (r == 0)
        r = kernel_fchmodat(container_dir, NOTIFY_DIRECTORY, 0755);
    return r < 0 && r != -EEXIST ? err_sys(err, r, "NOTIFY_SOCKET: cannot make its directory") : 0;
}

int notify_socket_make(int container_dir, int *ret_fd, struct error *err)
{
    role_require(ROLE_PARENT);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    autoclose int dir = kernel_openat(container_dir, NOTIFY_DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    autoclose int fd = dir < 0 ? dir : kernel_socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return err_sys(err, fd, "NOTIFY_SOCKET: cannot make the socket");
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/" SOCKET_NAME, dir);
    int r = kernel_unlinkat(dir, SOCKET_NAME, 0);
    if (r == 0 || r == -ENOENT)
        r = kernel_bind(fd, (const struct sockaddr *)&address, sizeof(address));
    if (r == 0)
        r = kernel_fchmodat(dir, SOCKET_NAME, 0666);
    if (r < 0)
        return err_sys(err, r, "NOTIFY_SOCKET: cannot make the socket");
    *ret_fd = take_fd(&fd);
    return 0;
}

/* Lines of NAME=value; only this one counts. */
static bool is_ready(const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        if (len == sizeof(ready) - 1 && strncmp(text, ready, len) == 0)
            return true;
        text += len + (text[len] == '\n');
    }
    return false;
}

static void ready_send(const char *socket_path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct iovec part = { .iov_base = (void *)(uintptr_t)ready, .iov_len = sizeof(ready) - 1 };
    struct msghdr message = { .msg_name = &address, .msg_namelen = sizeof(address), .msg_iov = &part, .msg_iovlen = 1 };
    autoclose int fd = kernel_socket(AF_UNIX, SOCK_DGRAM, 0);

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", socket_path);
    if (fd >= 0)
        (void)kernel_sendmsg(fd, &message, 0); /* whoever asked is gone: nobody to tell */
}

bool notify_socket_forward(int fd, const char *socket_path)
{
    char text[DATAGRAM_BYTES];

    for (;;) {
        struct iovec part = { .iov_base = text, .iov_len = sizeof(text) - 1 };
        struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
        ssize_t n = kernel_recvmsg(fd, &message, 0);
        if (n == -EINTR)
            continue;
        if (n < 0)
            return n != -EAGAIN;
        text[n] = '\0';
        if (!is_ready(text))
            continue;
        ready_send(socket_path);
        return true;
    }
}

void notify_socket_wait(int fd, const char *socket_path, int pidfd)
{
    struct pollfd fds[] = {
        { .fd = fd, .events = POLLIN },
        { .fd = pidfd, .events = POLLIN },
    };

    for (;;) {
        int r = kernel_poll(fds, ARRAY_SIZE(fds), -1);
        if (r == -EINTR)
            continue;
        if (r < 0 || notify_socket_forward(fd, socket_path) || fds[1].revents)
            return;
    }
}
