/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What launch will run, as a configuration: the image's own words, then the command line, then the policy,
 *          which only narrows.
 * Runs in  parent (pure)
 * Trusts   the image's configuration is hostile; the command line is the operator's
 * Owns     the configuration lives in the arena
 * Source   image-spec config.md; docker run(1) for what -v, -e, -w, -u mean
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;
struct error;
struct image_config;
struct user;
struct oci_config;
struct policy;

struct session_volume {
    const char *source; /* absolute, on the host */
    const char *destination; /* absolute, inside */
    bool is_readonly;
    uint32_t owner_uid; /* of source, on the host */
    uint32_t owner_gid;
};

struct session_request {
    const char *id;
    char **command; /* replaces the image's Cmd; NULL: not given */
    size_t n_command;
    const char *const *env; /* -e: NAME=value */
    size_t n_env;
    const char *working_dir; /* or NULL */
    const struct session_volume *volumes;
    size_t n_volumes;
    bool want_terminal;
    uint32_t first_id; /* of the sandbox's range of 65536 */
    uint64_t n_files_max; /* hard RLIMIT_NOFILE of the caller */
    char *const *caller_env;
};

/* SRC:DST[:ro]; owners are not set. */
int session_volume_parse(struct arena *arena, const char *text, struct session_volume *ret, struct error *err);

/* narrowed: gets a line for each thing that the policy took away. */
int session_plan(struct arena *arena, const struct session_request *request, const struct image_config *image,
    const struct user *user, const struct policy *policy, struct oci_config **ret, struct buf *narrowed,
    struct error *err);
