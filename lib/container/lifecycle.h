/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The life of a container: create, start, run, kill, delete, state. One function a verb; the order of deeds
 *          and of their undoing is here, each deed itself in the room it belongs to.
 * Runs in  parent
 * Fails    whatever was made is removed again: process, cgroup, state directory
 * Source   OCI runtime.md "Lifecycle", "Operations"; runc 1.3 for exit codes and texts that engines look for
 *
 *     creating ──> created ──start──> running ──> stopped ──delete──> gone
 *                     └───────────────kill─────────────^
 */
#pragma once
#include <stdbool.h>

#include "container_store.h"

struct arena;
struct buf;
struct error;
struct oci_config;
struct root_file;

struct create_options {
    const char *root; /* state directory of all containers */
    const char *id;
    const char *bundle; /* NULL: the current directory */
    const char *config_path; /* NULL: BUNDLE/config.json */
    const char *pid_file;
    const char *console_socket;
    unsigned preserve_fds; /* at most so many of 3.. are handed to the container, LISTEN_FDS not counted */
    unsigned n_inherited_fds; /* so many from 3 on are the caller's; ours are never handed over */
    bool no_pivot;
    bool no_new_keyring;
    bool is_rootless;
    bool is_cgroup_disabled;
    bool is_detached; /* run: leave when the payload runs */
    bool want_keep; /* run: keep the state of the stopped container */
    bool is_filter_strict; /* launch: the seccomp profile is our own */
    struct buf *warnings; /* a line each */
    bool *ret_is_unexecutable; /* run, after a failure: the payload's program was the reason; or NULL */
    /* launch: the configuration was made, not read; borrowed. */
    struct oci_config *config;
    const struct root_file *files; /* launch: made in that root, nothing of it is followed */
    size_t n_files;
    int *rootfs_fdp; /* launch: the detached root, taken; NULL: config.root.path */
};

int lifecycle_create(const struct create_options *options, struct error *err);
int lifecycle_start(const char *root, const char *id, struct buf *warnings, struct error *err);
/* *ret_status: the payload's exit code, or 128 + signal; 0 when detached. */
int lifecycle_run(const struct create_options *options, int *ret_status, struct error *err);
int lifecycle_kill(const char *root, const char *id, int signal, bool want_all, struct error *err);
/* Who made it, and may have data of its own to remove. */
enum lifecycle_origin {
    LIFECYCLE_BUNDLE,
    LIFECYCLE_LAUNCH,
    LIFECYCLE_UNKNOWN, /* by force: there was none of that name, or its record could not be read */
};

/* force: a running one is killed first, a missing one is no error. */
int lifecycle_delete(const char *root, const char *id, bool force, enum lifecycle_origin *ret_origin,
    struct buf *warnings, struct error *err);

/* The state document of an opened container; strings live as long as it does. */
struct oci_state;
int lifecycle_state(struct container *c, struct oci_state *ret, struct error *err);

/* What --dry-run prints: the plan of this container, nothing done. */
int lifecycle_plan_print(const struct create_options *options, struct buf *out, struct error *err);
