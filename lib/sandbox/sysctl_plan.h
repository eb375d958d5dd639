/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  linux.sysctl → files below /proc/sys. Only settings of a namespace that the container does not share with
 *          the host, by an exact list; everything else is refused.
 * Runs in  any (pure)
 * Trusts   nothing: key and value may be a stranger's. CVE-2022-0811
 * Owns     results live in the arena
 * Source   sysctl(8) for the separators: the first one decides. '/': the key is the path. '.': dots and slashes swap.
 */
#pragma once
#include <stddef.h>

struct arena;
struct buf;
struct error;
struct oci_pair;

#define SYSCTL_VALUE_MAX 4096 /* bytes: one page, what the kernel takes */
#define SYSCTL_STEPS_MAX 1024

struct sysctl_step {
    const char *path;  /* "net/ipv4/conf/v0.100/forwarding" */
    const char *value; /* one line, without its end */
};

struct sysctl_plan {
    struct sysctl_step *steps;
    size_t n_steps;
};

/* own_namespaces: CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS … that the container has for itself. */
int sysctl_plan_build(struct arena *arena, const struct oci_pair *sysctl, size_t n_sysctl,
    unsigned own_namespaces, struct sysctl_plan *ret, struct error *err);
void sysctl_plan_print(const struct sysctl_plan *plan, struct buf *out);
