/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Reads the text of control files: flat-keyed ("key value" lines), nested-keyed (io.stat),
 *          single values.
 * Runs in  any (pure)
 * Trusts   the kernel's text, but strictly: a number that does not parse is an error; unknown keys
 *          are skipped
 * Fails    -EINVAL not such a text; *ret untouched
 * Source   cgroup-v2.rst "Format"
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

#define CGROUP_MAX UINT64_MAX /* "max" */

struct cgroup_events {
    bool is_populated;
    bool is_frozen;
};

struct cgroup_cpu_stat {
    uint64_t usage_usec;
    uint64_t user_usec;
    uint64_t system_usec;
    uint64_t n_periods;
    uint64_t n_throttled;
    uint64_t throttled_usec;
};

struct cgroup_memory_events {
    uint64_t low;
    uint64_t high;
    uint64_t max;
    uint64_t oom;
    uint64_t oom_kill;
};

struct cgroup_io_stat {
    uint32_t major;
    uint32_t minor;
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t n_reads;
    uint64_t n_writes;
};

#define CGROUP_IO_DEVICES_MAX 4096

/* The value of one key of a flat-keyed text: 0, -ENOENT or -EINVAL. */
int cgroup_flat_get(const char *text, const char *key, uint64_t *ret);
/* "123\n" or "max\n" (CGROUP_MAX). */
int cgroup_value_parse(const char *text, uint64_t *ret);
int cgroup_events_parse(const char *text, struct cgroup_events *ret);
int cgroup_cpu_stat_parse(const char *text, struct cgroup_cpu_stat *ret);
int cgroup_memory_events_parse(const char *text, struct cgroup_memory_events *ret);
int cgroup_io_stat_parse(
    struct arena *arena, const char *text, struct cgroup_io_stat **ret, size_t *ret_n);
