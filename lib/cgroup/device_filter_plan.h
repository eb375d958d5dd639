/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  linux.resources.devices → the eBPF program of type CGROUP_DEVICE that decides on open and
 *          mknod of devices. Everything is denied at first. For each of read, write and mknod alone the
 *          last rule that matches the device decides; the access is allowed when each part of it is.
 *          Behind the rules of the configuration come, as in runc, the devices that every container
 *          has: mknod of any, null zero full random urandom tty ptmx and pts/N.
 * Runs in  parent (pure)
 * Trusts   rules are a stranger's
 * Source   config-linux.md "Allowed Device list"; uapi/linux/bpf.h bpf_cgroup_dev_ctx; Linux 4.15
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;
struct error;
struct oci_device_rule;

#define DEVICE_RULES_MAX 512 /* of at most 4 instructions; BPF_PROGRAM_BYTES_MAX holds 4096 */

/* As struct bpf_insn. */
struct device_filter_insn {
    uint8_t code;
    uint8_t regs; /* destination and source, four bits each, in the machine's order of bit-fields */
    int16_t off;
    int32_t imm;
};

struct device_filter {
    struct device_filter_insn *insns; /* NULL: everything is allowed, no program is needed */
    size_t n_insns;
    struct oci_device_rule *rules; /* in force, the default ones behind */
    size_t n_rules;
};

int device_filter_plan(struct arena *arena, const struct oci_device_rule *rules, size_t n_rules,
    struct device_filter *ret, struct error *err);
void device_filter_print(const struct device_filter *filter, struct buf *out);
