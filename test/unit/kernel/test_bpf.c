/* SPDX-License-Identifier: Apache-2.0 */
/* A device program that denies all is attached to a cgroup, and a process born there feels it. */
#include <errno.h>
#include <signal.h>

#include <linux/bpf.h>

#include "bpf.h"
#include "cgroupfs.h"
#include "kernel_const.h"
#include "kernel_unit.h"
#include "process_call.h"

static const struct bpf_insn deny_all[] = {
    { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
    { .code = BPF_JMP | BPF_EXIT },
};
static const struct bpf_insn allow_all[] = {
    { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
    { .code = BPF_JMP | BPF_EXIT },
};

static int open_null_in(int group)
{
    struct kernel_clone clone = { .cgroup_fd = group, .exit_signal = SIGCHLD };
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0)
        _exit(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0 ? 0 : errno);
    return kernel_unit_exit_status(pid);
}

START_TEST(attached_program_decides_until_replaced)
{
    struct cgroupfs hierarchy = CGROUPFS_INIT;
    char name[32];
    uint32_t ids[4];
    (void)snprintf(name, sizeof(name), "runa-bpf-%d", getpid());
    ck_assert_int_eq(cgroupfs_open(&hierarchy), 0);
    ck_assert_int_eq(cgroupfs_mkdir(hierarchy.fd, name), 0);
    autoclose int group = cgroupfs_open_dir(hierarchy.fd, name);
    autoclose int deny = kernel_bpf_load_device(deny_all, sizeof(deny_all), NULL, 0);
    autoclose int allow = kernel_bpf_load_device(allow_all, sizeof(allow_all), NULL, 0);
    int r = kernel_bpf_attach_device(group, deny, KERNEL_BPF_ALLOW_MULTI, -1);
    int denied = open_null_in(group);
    int n = kernel_bpf_query_device(group, ids, ARRAY_SIZE(ids));
    int again = n == 1 ? kernel_bpf_open_id(ids[0]) : -1;
    int replaced =
        kernel_bpf_attach_device(group, allow, KERNEL_BPF_ALLOW_MULTI | KERNEL_BPF_REPLACE, again);
    int allowed = open_null_in(group);
    int detached = kernel_bpf_detach_device(group, allow);
    int n_left = kernel_bpf_query_device(group, ids, ARRAY_SIZE(ids));
    /* before anything can fail the test */
    ck_assert_int_eq(cgroupfs_remove(hierarchy.fd, name, 1000), 0);
    ck_assert_int_eq(r, 0);
    ck_assert_int_eq(denied, EPERM);
    ck_assert_int_eq(n, 1);
    ck_assert_int_ge(again, 0);
    ck_assert(kernel_unit_is_cloexec(again));
    ck_assert_int_eq(replaced, 0);
    ck_assert_int_eq(allowed, 0);
    ck_assert_int_eq(detached, 0);
    ck_assert_int_eq(n_left, 0);
    (void)close(again);
    cgroupfs_done(&hierarchy);
}
END_TEST

START_TEST(bad_program_is_refused_with_the_verifiers_words)
{
    char log[4096] = "";
    ck_assert_int_lt(kernel_bpf_load_device(deny_all, sizeof(deny_all[0]), log, sizeof(log)), 0);
    ck_assert_uint_gt(strlen(log), 0);
    ck_assert_int_eq(kernel_bpf_load_device(deny_all, 0, NULL, 0), -EINVAL);
    ck_assert_int_eq(kernel_bpf_load_device(deny_all, 9, NULL, 0), -EINVAL);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { attached_program_decides_until_replaced,
        bad_program_is_refused_with_the_verifiers_words };
    struct cgroupfs hierarchy = CGROUPFS_INIT;

    if (kernel_unit_lacks_root("bpf"))
        return SKIPPED;
    int program = kernel_bpf_load_device(allow_all, sizeof(allow_all), NULL, 0);
    if (program < 0 || cgroupfs_open(&hierarchy) < 0) {
        printf("bpf: skipped: %s\n",
            program < 0 ? "this kernel loads no device programs" : "no cgroup2 mount");
        return SKIPPED;
    }
    (void)close(program);
    cgroupfs_done(&hierarchy);
    return unit_run("bpf", tests, ARRAY_SIZE(tests));
}
