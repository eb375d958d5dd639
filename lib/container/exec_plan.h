/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What a further process of a running container is to be: from a process document or from the command line
 *          over the container's own process; and its plans.
 * Runs in  any (pure)
 * Trusts   the configuration in force of the container; the process document passed oci_process_check
 * Owns     everything lives in the arena and borrows from its inputs
 * Source   runc-exec(8); OCI config.md "Process"
 *
 * A process document is taken as it is, but what it leaves out (capabilities, labels, limits) is the container's. In a
 * sandbox that launch made, no further process may have more than the first: capabilities within its bounding set,
 * limits up to its own, no_new_privs, labels and scheduling as it, an oom_score_adj not below.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caps_plan.h"
#include "identity_plan.h"
#include "label_plan.h"
#include "process_attr_plan.h"
#include "syscall_filter_plan.h"

struct arena;
struct buf;
struct error;
struct oci_config;
struct oci_process;
struct strv;

/* The command line; NULL or 0 where nothing was said. */
struct exec_words {
    char **args;
    size_t n_args;
    const char *cwd;
    const char *const *env; /* NAME=value, over the container's */
    size_t n_env;
    const char *const *caps; /* added to the container's */
    size_t n_caps;
    const uint32_t *groups;
    size_t n_groups;
    bool has_user;
    uint32_t uid;
    bool has_gid;
    uint32_t gid;
    const char *apparmor_profile;
    const char *selinux_label;
    bool want_terminal;
    bool no_new_privileges;
};

struct exec_facts {
    struct label_host labels;
    uint64_t caps_own; /* see caps_own */
    unsigned caps_last;
    bool is_setgroups_denied; /* by the container's user namespace */
    bool is_sandbox;
};

struct exec_plan {
    const struct oci_process *process;
    struct caps_plan caps;
    struct identity_plan identity;
    struct process_attr_plan attributes;
    struct label_plan labels;
    struct syscall_filter_plan filter;
    bool has_filter;
    uint64_t join_flags; /* CLONE_NEW*: those that the container has for itself */
    bool has_user_namespace;
};

/* The container's process with the words of the command line. */
int exec_process_make(struct arena *arena, const struct oci_config *config, const struct exec_words *words,
    struct oci_process **ret, struct error *err);
/* process: of exec_process_make, or a document; it is completed, and in a sandbox narrowed, in place. */
int exec_plan_build(struct arena *arena, const struct oci_config *config, struct oci_process *process,
    const struct exec_facts *facts, struct exec_plan *ret, struct strv *ret_unknown_caps, struct error *err);
void exec_plan_print(const struct exec_plan *plan, struct buf *out);
