/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Weights of the spec, which come from cgroup v1, on the scale of cgroup v2.
 * Runs in  any (pure)
 */
#pragma once
#include <stdint.h>

#define CGROUP_IO_WEIGHT_MIN 10
#define CGROUP_IO_WEIGHT_MAX 1000

/* cpu.shares 2..262144 → cpu.weight 1..10000, with 1024 → 100; what is outside is drawn in. As runc
 * ≥ 1.4 and crun ≥ 1.23. */
uint64_t cgroup_weight_of_shares(uint64_t shares);
/* blockIO.weight 10..1000 → io.weight 1..10000. */
uint32_t cgroup_weight_of_io(uint32_t weight);
