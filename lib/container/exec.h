/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  exec: a further process in a running container.
 * Runs in  parent
 * Trusts   the command line and the process document are the operator's; the container's processes are hostile
 * Fails    EXIT 255 is the verb's rule; the process is killed and reaped on every failure before it runs
 * Source   runc-exec(8) of 1.3
 */
#pragma once
#include <stdbool.h>

#include "exec_plan.h"

struct buf;
struct error;

struct exec_options {
    const char *root; /* state of containers */
    const char *id;
    const char *process_path; /* NULL: words */
    struct exec_words words;
    const char *pid_file;
    const char *console_socket;
    const char *cgroup; /* below the container's: "/sub"; NULL: where init is */
    unsigned preserve_fds;
    unsigned n_inherited_fds;
    bool is_detached;
    bool may_be_paused; /* --ignore-paused */
    bool is_rootless;
    struct buf *warnings;
};

/* *ret_status: the process's exit code, or 128 + signal; 0 when detached. */
int container_exec(const struct exec_options *options, int *ret_status, struct error *err);
