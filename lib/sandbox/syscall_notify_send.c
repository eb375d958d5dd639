/* SPDX-License-Identifier: Apache-2.0 */
/* The listener and who it belongs to, in one message. */
#include "syscall_notify_send.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/socket.h>

#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "json_write.h"
#include "oci_config_check.h"
#include "oci_state.h"
#include "role.h"
#include "socket_call.h"

static void write_process_state(
    const char *metadata, pid_t pid, const struct oci_state *state, struct buf *out)
{
    struct json_writer w = JSON_WRITER_INIT(out, 0);
    json_begin(&w, NULL, '{');
    json_put_str(&w, "ociVersion", state->oci_version ? state->oci_version : OCI_VERSION_MAX);
    json_begin(&w, "fds", '[');
    json_put_str(&w, NULL, "seccompFd");
    json_end(&w, ']');
    json_put_i64(&w, "pid", pid);
    if (metadata != NULL)
        json_put_str(&w, "metadata", metadata);
    oci_state_put(&w, "state", state);
    json_end(&w, '}');
}

int syscall_notify_send(const char *listener_path, const char *metadata, pid_t pid,
    const struct oci_state *state, int listener, struct error *err)
{
    role_require(ROLE_PARENT);
    AUTO(buf) struct buf text = BUF_INIT;
    write_process_state(metadata, pid, state, &text);
    if (!buf_ok(&text))
        return err_set(err, EMSGSIZE, "linux.seccomp.listenerPath: the state is too long to send");
    autoclose int socket = unix_connect(AT_FDCWD, listener_path, SOCK_STREAM);
    if (socket < 0)
        return err_sys(err, socket, "linux.seccomp.listenerPath: connect to %s", listener_path);
    int r = unix_send_fd(socket, text.data, text.len, listener);
    return r < 0 ? err_sys(err, r, "linux.seccomp.listenerPath: send to %s", listener_path) : 0;
}
