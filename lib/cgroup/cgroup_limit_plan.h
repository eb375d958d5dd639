/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  linux.resources → the control files to write, in order. Devices: device_filter_plan.
 *            memory    limit memory.max, reservation memory.low, swap less limit memory.swap.max
 *            cpu       shares cpu.weight, quota and period cpu.max, burst cpu.max.burst, idle
 *            cpuset    cpus cpuset.cpus, mems cpuset.mems
 *            pids      limit pids.max; 0 is a limit (spec 1.3): nothing may fork; written when init is
 *                      there
 *            blockIO   weight io.bfq.weight where the kernel has it, else io.weight; throttles io.max
 *            hugetlb   hugetlb.SIZE.max and hugetlb.SIZE.rsvd.max
 *            rdma      rdma.max
 *            unified   the file of that name, last, so that it wins
 *          What v2 has no file for (kernel memory, swappiness, disableOOMKiller, realtime, leaf
 *          weights, network classes) is refused when it asks for something, as in crun; runc drops
 *          it in silence.
 * Runs in  parent (pure)
 * Trusts   resources are a stranger's
 * Owns     all in the arena; strings of the resources are borrowed
 * Fails    -EINVAL nonsense, -ENOTSUP what cgroup v2 cannot do
 * Source   config-linux.md "Control groups"; Documentation/admin-guide/cgroup-v2.rst
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;
struct error;
struct oci_resources;

enum cgroup_controller {
    CGROUP_CORE, /* cgroup.*: always there */
    CGROUP_CPUSET,
    CGROUP_CPU,
    CGROUP_IO,
    CGROUP_MEMORY,
    CGROUP_HUGETLB,
    CGROUP_PIDS,
    CGROUP_RDMA,
    CGROUP_MISC,
    CGROUP_DMEM,
    CGROUP_CONTROLLERS
};

enum cgroup_write_kind {
    CGROUP_WRITE_PLAIN,
    CGROUP_WRITE_IF_THERE,   /* "max": a kernel without the file does not limit either */
    CGROUP_WRITE_IF_NO_SWAP, /* swap "0": the file may be missing where the machine has no swap */
    CGROUP_WRITE_LATE,       /* after init is in the cgroup: cgroup_limit_late */
};

struct cgroup_write {
    enum cgroup_controller controller;
    enum cgroup_write_kind kind;
    const char *limit; /* the spec's name, for messages: "memory.limit" */
    const char *file;
    const char *value;
    const char *else_file; /* when file does not exist; NULL: none */
    const char *else_value;
};

struct cgroup_limit_plan {
    struct cgroup_write *writes;
    size_t n_writes;
    unsigned controllers; /* 1U << enum cgroup_controller */
    bool has_late;
    uint64_t memory_check_bytes; /* not 0: refuse while memory.current is above */
};

/* What is in force, for `update`; NULL for a new container. */
struct cgroup_limits_now {
    bool has_memory_max; /* the cgroup has the file */
    int64_t memory_max_bytes; /* -1: max */
    bool has_cpu_max;
    int64_t cpu_quota_usec; /* -1: max */
};

int cgroup_limit_plan(struct arena *arena, const struct oci_resources *resources,
    const struct cgroup_limits_now *now, struct cgroup_limit_plan *ret, struct error *err);
void cgroup_limit_plan_print(const struct cgroup_limit_plan *plan, struct buf *out);

const char *cgroup_controller_name(enum cgroup_controller controller);
/* CGROUP_CONTROLLERS when unknown. name need not end at len. */
enum cgroup_controller cgroup_controller_find(const char *name, size_t len);
