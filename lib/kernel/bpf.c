/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: load device programs, attach them to cgroups. */
#include "bpf.h"

#include <sys/syscall.h>

#include <linux/bpf.h>

#include "kernel_const.h"
#include "kernel_internal.h"

_Static_assert(sizeof(struct bpf_insn) == BPF_INSTRUCTION_BYTES, "size of a BPF instruction");

static uint64_t address(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static int call(int command, union bpf_attr *attr)
{
    return kernel_result(syscall(SYS_bpf, command, attr, sizeof(*attr)));
}

int kernel_bpf_load_device(const void *instructions, size_t n_bytes, char *log, size_t log_size)
{
    KERNEL_CALL("bpf_load");
    if (n_bytes == 0 || n_bytes > BPF_PROGRAM_BYTES_MAX || n_bytes % BPF_INSTRUCTION_BYTES != 0)
        return -EINVAL;
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
    attr.insns = address(instructions);
    attr.insn_cnt = (uint32_t)(n_bytes / BPF_INSTRUCTION_BYTES);
    attr.license = address("Apache-2.0");
    memcpy(attr.prog_name, "runa_devices", sizeof("runa_devices"));
    int fd;
    int tries = 5; /* the verifier gives up with EAGAIN when a signal waits */
    do
        fd = call(BPF_PROG_LOAD, &attr);
    while (fd == -EAGAIN && --tries > 0);
    if (fd >= 0 || !log || log_size < 128)
        return fd;
    log[0] = '\0';
    attr.log_level = 1;
    attr.log_buf = address(log);
    attr.log_size = (uint32_t)log_size;
    int again = call(BPF_PROG_LOAD, &attr);
    return again >= 0 ? again : fd;
}

int kernel_bpf_attach_device(int cgroup_fd, int program_fd, unsigned flags, int replace_fd)
{
    KERNEL_CALL("bpf_attach");
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.target_fd = (uint32_t)cgroup_fd;
    attr.attach_bpf_fd = (uint32_t)program_fd;
    attr.attach_type = BPF_CGROUP_DEVICE;
    attr.attach_flags = flags;
    if (flags & KERNEL_BPF_REPLACE)
        attr.replace_bpf_fd = (uint32_t)replace_fd;
    return call(BPF_PROG_ATTACH, &attr);
}

int kernel_bpf_detach_device(int cgroup_fd, int program_fd)
{
    KERNEL_CALL("bpf_detach");
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.target_fd = (uint32_t)cgroup_fd;
    attr.attach_bpf_fd = (uint32_t)program_fd;
    attr.attach_type = BPF_CGROUP_DEVICE;
    return call(BPF_PROG_DETACH, &attr);
}

int kernel_bpf_query_device(int cgroup_fd, uint32_t *ret_ids, size_t max)
{
    KERNEL_CALL("bpf_query");
    if (max == 0 || max > BPF_CGROUP_IDS_MAX)
        return -EINVAL;
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.query.target_fd = (uint32_t)cgroup_fd;
    attr.query.attach_type = BPF_CGROUP_DEVICE;
    attr.query.prog_ids = address(ret_ids);
    attr.query.prog_cnt = (uint32_t)max;
    int r = call(BPF_PROG_QUERY, &attr);
    return r < 0 ? r : (int)attr.query.prog_cnt;
}

int kernel_bpf_open_id(uint32_t id)
{
    KERNEL_CALL("bpf_open_id");
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.prog_id = id;
    return call(BPF_PROG_GET_FD_BY_ID, &attr);
}
