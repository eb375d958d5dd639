/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  A further process's own side of init_message.h: from the clone in the container's namespaces to its execve.
 * Runs in  init (of the exec: the relay has joined the namespaces before)
 * Trusts   the parent; not the container: its processes live beside this one, which is not dumpable, holds no
 *          descriptor of the host but the procfs that it proves its writes with, and is in the container's root by the
 *          namespace itself
 * Fails    to the parent as a struct error; ends with status 1
 */
#pragma once
#include <stdnoreturn.h>

#include "exec_plan.h"
#include "procfs.h"

struct syscall_filter;

struct exec_context {
    const struct exec_plan *plan;
    const struct syscall_filter *filter; /* NULL: none */
    const char *container_id;
    struct procfs procfs; /* of the host, opened before the clone */
    int pidfd; /* of the container's init */
    int root_fd; /* its root directory */
    int channel; /* our end */
    unsigned preserve_fds;
    bool want_keyring;
};

/* For relay_clone: in the relay, then in the process. */
int exec_namespaces_join(void *context, int report, struct error *err);
void exec_child_main(void *context);
