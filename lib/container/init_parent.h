/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The parent's side of init_message.h: makes init (through a relay where namespaces are joined) and
 *          accompanies it until it is ready, then tells it to start.
 * Runs in  parent
 * Trusts   init until its payload runs; what it sends is checked like a stranger's all the same
 * Owns     struct init_process: pidfd, channel and what init sent; init_process_done closes them, the process is not
 *          touched
 * Fails    with init's own words where it sent some. Init may still be alive then: the caller kills it
 *          (init_process_kill).
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct error;
struct init_context;
struct oci_console_size;
struct oci_state;

struct init_process {
    pid_t pid;
    int pidfd;
    int channel;
    bool is_unexecutable; /* after a failure: the payload's program was the reason */
    int terminal; /* master of the pty, when no console socket took it */
};

#define INIT_PROCESS_INIT { .pidfd = -1, .channel = -1, .terminal = -1 }

void init_process_done(struct init_process *process);
/* SIGKILL and reap. */
void init_process_kill(struct init_process *process);

/* Clones init into the cgroup (-1: the caller's own). context->channel is made here. */
int init_spawn(struct init_context *context, int cgroup_fd, struct init_process *ret, struct error *err);

struct init_orders {
    const struct init_context *context; /* NULL for a process of exec: no GO, no hooks */
    const struct oci_console_size *console_size;
    struct oci_state *state; /* for hooks and the seccomp agent; its pid is set here */
    const char *console_socket; /* or NULL */
    const char *listener_path;
    const char *listener_metadata;
    bool is_rootless;
    int (*late_limits)(void *argument, struct error *err); /* after the clone, before GO; NULL: none */
    void *argument;
};

/* From the clone to READY. */
int init_accompany(struct init_process *process, const struct init_orders *orders, struct error *err);
/* For run, before init_accompany, once everything of the parent's is done: START is sent ahead where init will hear
 * nothing else before it, so that it need not wait when it is ready. */
int init_start_early(const struct init_process *process, const struct init_orders *orders, bool *ret_is_sent,
    struct error *err);
/* START (unless it is_sent) on the channel or on a connection to start.sock, until the payload runs.
 * *ret_is_unexecutable is set when it fails for that reason. */
int init_start(int socket, bool is_sent, bool *ret_is_unexecutable, struct error *err);
