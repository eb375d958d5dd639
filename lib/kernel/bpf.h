/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Load a device program and attach it to a cgroup.
 * Runs in  parent; CAP_BPF or CAP_SYS_ADMIN, and CAP_NET_ADMIN for attach
 * Owns     a returned program fd is the caller's; an attached program lives as long as the cgroup
 * Source   bpf(2) BPF_PROG_TYPE_CGROUP_DEVICE Linux 4.15, BPF_F_REPLACE 5.6
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define BPF_INSTRUCTION_BYTES 8
#define BPF_PROGRAM_BYTES_MAX 32768 /* 4096 instructions */
#define BPF_CGROUP_IDS_MAX    64

/* instructions: n_bytes of struct bpf_insn. log may be NULL; it gets the verifier's words on
   failure. */
int kernel_bpf_load_device(const void *instructions, size_t n_bytes, char *log, size_t log_size);
/* flags: KERNEL_BPF_ALLOW_MULTI, with KERNEL_BPF_REPLACE the program replace_fd makes place; else
   replace_fd is -1. */
int kernel_bpf_attach_device(int cgroup_fd, int program_fd, unsigned flags, int replace_fd);
int kernel_bpf_detach_device(int cgroup_fd, int program_fd);
/* Ids of the device programs attached to exactly this cgroup; their number, -ENOSPC above max. */
int kernel_bpf_query_device(int cgroup_fd, uint32_t *ret_ids, size_t max);
int kernel_bpf_open_id(uint32_t id);
