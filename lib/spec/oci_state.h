/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The state of a container as JSON: for `state`, for the stdin of hooks and for the
 *          receiver of seccomp notifications.
 * Runs in  any (pure)
 * Owns     all strings are borrowed
 * Source   OCI runtime-spec 1.3 runtime.md "State"; rootfs, created and owner are runc's
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

struct buf;
struct json_writer;
struct oci_pair;

struct oci_state {
    const char *oci_version; /* NULL: OCI_VERSION_MAX */
    const char *id;
    const char *status; /* "creating", "created", "running", "stopped"; runc's "paused" */
    pid_t pid;          /* as the runtime sees it; 0: none any more */
    const char *bundle;
    const struct oci_pair *annotations;
    size_t n_annotations;
    /* Left out when NULL, as in hooks. */
    const char *rootfs;
    const char *created; /* RFC 3339 */
    const char *owner;
};

/* One document on one line, without a line end. */
void oci_state_write(const struct oci_state *state, struct buf *out);
/* The same as a member of another document, or with key NULL as a document of its own layout. */
void oci_state_put(struct json_writer *w, const char *key, const struct oci_state *state);
