/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The last part of the way of every process that is to run inside: from a process with rights in the
 *          container's namespaces to the payload's execve. Shared by init (init_child) and by exec (exec_child): one
 *          way, so that no process of a container is confined less than another.
 * Runs in  init
 * Trusts   the parent; nothing that it finds in the root
 * Owns     struct payload lives until the execve; it owns its arena and the terminal
 * Fails    to the peer as a struct error, by payload_fail
 *
 * The order is the security argument:
 *   - non-dumpable and without foreign descriptors before anything of the container can see it;
 *   - everything that needs a right before the right is dropped, everything read back before the payload;
 *   - the system call filter last: before it come the words to the parent, behind it only execve. Without no_new_privs
 *     the kernel takes a filter only from a process with CAP_SYS_ADMIN, so it is loaded between the change of ids and
 *     the drop of capabilities.
 */
#pragma once
#include <stdbool.h>
#include <stdnoreturn.h>

#include "arena.h"
#include "init_message.h"
#include "strv.h"

struct caps_plan;
struct error;
struct identity_plan;
struct label_plan;
struct oci_process;
struct process_attr_plan;
struct procfs;
struct root;
struct syscall_filter;

#define PAYLOAD_STDIO_FDS 3

struct payload {
    const struct oci_process *process;
    const struct caps_plan *caps;
    const struct identity_plan *identity;
    const struct process_attr_plan *attributes;
    const struct label_plan *labels;
    const struct syscall_filter *filter; /* NULL: none */
    const struct procfs *procfs; /* of the host, opened before the clone */
    const struct root *root; /* the container's */
    int channel; /* our end */
    int peer; /* who hears of failures: the channel, later the connection of start */
    unsigned preserve_fds;
    bool has_listen_fds; /* LISTEN_FDS of the caller is the payload's, with LISTEN_PID=1 */
    /* Found on the way. */
    struct arena arena;
    struct strv env;
    const char *executable;
    int terminal; /* our side of the pty, or -1 */
    bool is_cwd_set;
    bool is_unexecutable; /* the failure is that of the payload's program */
};

#define PAYLOAD_INIT { .arena = ARENA_INIT, .channel = -1, .peer = -1, .terminal = -1 }

noreturn void payload_fail(const struct payload *payload, const struct error *err);
/* A word to the parent, with a descriptor when fd is not -1. */
int payload_tell(const struct payload *payload, enum init_message type, int fd, struct error *err);
/* Waits for that word; ends the process when the parent is gone. */
int payload_wait(const struct payload *payload, enum init_message want, struct error *err);

/* Closes from `first` on all but keep[0..n), which is sorted for it. */
int payload_descriptors_close_but(int first, int *keep, size_t n);
/* Closes all but the standard streams, those to preserve, the channel, procfs, trace and keep[0..n): none of the
 * parent's and of strangers may be alive while the container can see this process. keep is sorted. */
int payload_descriptors_close(struct payload *payload, int *keep, size_t n, struct error *err);
/* Sets the size, hands the master to the parent, keeps our side (both taken). */
int payload_terminal_take(struct payload *payload, int *master_fdp, int *terminal_fdp, struct error *err);
/* Everything up to READY: streams, environment, limits, labels, ids, capabilities, working directory, the program
 * found. */
int payload_prepare(struct payload *payload, struct error *err);
noreturn void payload_exec(struct payload *payload, struct error *err);
