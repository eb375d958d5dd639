/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Narrows a container's configuration to what a policy allows, in place. The result allows nothing that the
 *          policy or the configuration before did not; lowering twice is lowering once.
 * Runs in  parent (pure)
 * Trusts   the policy (it comes out of policy_open); not the configuration, which may be a bundle's or made from an
 *          image
 * Owns     what is new in the configuration lives in the arena; the configuration may not outlive it
 * Fails    -EINVAL no process; -ENOTSUP what cannot be narrowed but only be refused (a host directory where the policy
 *          allows none, a foreign seccomp profile, a filesystem type that is not known to be harmless), or a policy
 *          that is not enforced as a whole. The configuration is then half narrowed: throw it away.
 *
 * The order for `launch`: configuration from image and options → policy_env_pass, policy_ask → policy_lower →
 * oci_config_check.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;
struct error;
struct oci_config;
struct oci_process;
struct policy;
struct strv;

/* What the parent knows of itself. */
struct policy_subject {
    uint64_t
        n_files_max; /* hard RLIMIT_NOFILE of the caller, who may be unable to go above it; 0: does not matter */
};

/* For a configuration that nobody else wrote: asks for all that the policy would let it have, and no more: the
 * capabilities of the process (none unless it is root in an id range of its own), a writable root. Before
 * policy_lower. */
void policy_ask(struct arena *arena, const struct policy *policy, struct oci_config *config);

/* narrowed: NULL, or gets a line for each thing that was taken away. */
int policy_lower(struct arena *arena, const struct policy *policy,
    const struct policy_subject *subject, struct oci_config *config, struct buf *narrowed,
    struct error *err);
/* The same for a further process (exec) of the container that has this configuration. */
int policy_lower_process(struct arena *arena, const struct policy *policy,
    const struct policy_subject *subject, const struct oci_config *container,
    struct oci_process *process, struct buf *narrowed, struct error *err);

/* Adds to env those NAME=value of the caller's environment that process.env names and env does not have yet. What an
 * image or an option (-e) says is in env before, is kept whatever its name, and wins: it is not the caller's secret by
 * accident. */
void policy_env_pass(
    struct arena *arena, const struct policy *policy, char *const *caller_env, struct strv *env);
