/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The state directory: which containers exist, and what a later command needs to know of each.
 *            ROOT/ID/            0700
 *              state.json        written once, before init exists: bundle, rootfs, cgroup, creation time, owner
 *              config.json       the configuration in force (the policy's narrowing included)
 *              init              "PID STARTTIME", written when init exists
 *              start.sock        there until start was called: init listens on it
 * Runs in  parent
 * Trusts   a container id is a stranger's; the files are root's own, and read with the same strictness as any input.
 * Owns     struct container holds the directory and, when locked, an exclusive flock on it; container_done releases
 *          both.
 * Fails    CONTAINER_NOT_FOUND (positive) where the caller must decide
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "arena.h"

struct error;
struct oci_config;

#define CONTAINER_ID_MAX    250 /* a file name, also with the "runa-" of the cgroup */
#define CONTAINER_NOT_FOUND 1

enum container_status {
    CONTAINER_CREATING,
    CONTAINER_CREATED,
    CONTAINER_RUNNING,
    CONTAINER_PAUSED,
    CONTAINER_STOPPED,
};

struct container_record {
    const char *id;
    const char *bundle; /* absolute */
    const char *rootfs; /* absolute */
    const char *created; /* RFC 3339, UTC */
    const char *cgroup; /* absolute path of the cgroup's directory; "" when there is none */
    const char *owner; /* user name or number */
    uint32_t uid;
    bool is_sandbox; /* made by launch: data of its own to remove */
};

struct container {
    int root_dir; /* ROOT */
    int dir; /* ROOT/ID */
    bool is_locked;
    struct arena arena;
    struct container_record record;
    pid_t pid; /* 0: init was never there */
    uint64_t start_time; /* field 22 of /proc/PID/stat, ticks since boot */
};

#define CONTAINER_INIT { .root_dir = -1, .dir = -1, .arena = ARENA_INIT }

void container_done(struct container *c);

/* Letters, digits and _+-. ; the first no "." or "-"; 1 to CONTAINER_ID_MAX bytes. Checked before any file is
 * touched. */
int container_id_check(const char *id, struct error *err);

const char *container_status_name(enum container_status status); /* as oci_state has it */

/* Makes ROOT (0700, when missing) and ROOT/ID, locked. -EEXIST when there is one of that name. */
int container_create(struct container *c, const char *root, const char *id, struct error *err);
int container_save(struct container *c, const struct container_record *record, struct error *err);
int container_save_config(struct container *c, const char *text, size_t len, struct error *err);
int container_save_init(struct container *c, pid_t pid, struct error *err);

/* Opens an existing one: 0, CONTAINER_NOT_FOUND, or negative. A directory without a complete state.json opens with an
 * empty record (record.bundle NULL): it is one whose create was cut off, and can only be deleted. */
int container_open(struct container *c, const char *root, const char *id, struct error *err);
/* For a delete by force after container_open has failed: what is damaged is left empty. */
int container_open_damaged(struct container *c, const char *root, const char *id, struct error *err);
/* Under the lock: what its create wrote while we waited. What cannot be read stays as it was, and is an error. */
int container_reread(struct container *c, struct error *err);
/* As container_open, but absence is an error: "container \"ID\" does not exist". */
int container_get(struct container *c, const char *root, const char *id, struct error *err);
int container_lock(struct container *c, struct error *err);

/* A pidfd of init, -ESRCH when it is gone (or its number belongs to another process by now), another error when that
 * cannot be told. */
int container_pidfd(const struct container *c);
int container_status_get(const struct container *c, enum container_status *ret, struct error *err);
/* As container_status_get, with the pidfd that the status was told of: -1 when there is no process. */
int container_status_open(const struct container *c, enum container_status *ret, int *ret_pidfd, struct error *err);

/* The configuration in force, parsed into *ret_config within c->arena. */
int container_config(struct container *c, struct oci_config **ret_config, struct error *err);

/* Removes ROOT/ID. The lock must be held. */
int container_remove(struct container *c, struct error *err);

/* Ids below ROOT in byte order, into c's arena. A missing ROOT is an empty list. */
struct strv;
int container_list(struct arena *arena, const char *root, struct strv *ret, struct error *err);
