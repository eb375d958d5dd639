/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The order of launch: policy, image, id range, overlay, container; and its undo. A sandbox is a container
 *          whose root and ids are data of ours:
 *            DATA/sandboxes/ID/   0700: upper, work; "root", the state root; locked while launch runs
 *            DATA/ids, DATA/holds see lib rootfs
 * Runs in  parent, as root
 * Trusts   the command line; not the image
 * Fails    what was made is removed again, but for a loaded image
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct buf;
struct error;

#define SESSION_UNEXECUTABLE   1

struct session_options {
    const char *root; /* state of containers */
    const char *data_root;
    const char *image; /* as written */
    const char *policy; /* name, or a file when it holds a "/" */
    const char *id; /* NULL: made up */
    const char *user; /* NULL: the image's */
    const char *working_dir;
    const char *const *env;
    size_t n_env;
    const char *const *volumes;
    size_t n_volumes;
    char **command;
    size_t n_command;
    bool want_terminal;
    bool is_detached;
    bool want_removal; /* --rm; not with is_detached: nobody would be there to do it */
    bool is_dry_run;
    bool is_cgroup_disabled;
    struct buf *warnings;
    struct buf *output; /* --dry-run: the plan; is_detached: the name */
};

/* *ret_status: of the payload. SESSION_UNEXECUTABLE: it could not be executed; err says why, *ret_status is 126 or
 * 127. */
int session_run(const struct session_options *options, int *ret_status, struct error *err);
/* What launch made for the sandbox besides the container: nothing is no error. */
int session_remove(const char *root, const char *data_root, const char *id, struct error *err);
