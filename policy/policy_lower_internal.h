/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What the files of policy_lower share.
 * Runs in  parent (pure)
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct arena;
struct buf;
struct error;
struct oci_config;
struct oci_process;
struct policy;

struct lowering {
    struct arena *arena;
    const struct policy *policy;
    const struct oci_config *config; /* of the container */
    uint64_t n_files_max;            /* 0: does not matter */
    struct buf *narrowed;            /* or NULL */
    struct error *err;
};

/* One line of what was taken away. */
void lowering_note(const struct lowering *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

int lower_process(const struct lowering *l, struct oci_process *process);
int lower_linux(const struct lowering *l, struct oci_config *config);
/* After lower_linux: what a tmpfs may hold depends on the limit of memory. */
int lower_mounts(const struct lowering *l, struct oci_config *config);
