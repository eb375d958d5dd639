/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: load system call filters, answer notifications. */
#include "seccomp_call.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "kernel_internal.h"

#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

int kernel_seccomp_load(const void *program, size_t n_bytes, unsigned flags)
{
    KERNEL_CALL("seccomp");
    size_t n = n_bytes / sizeof(struct sock_filter);
    if (n == 0 || n > BPF_MAXINSNS || n_bytes % sizeof(struct sock_filter) != 0)
        return -EINVAL;
    const struct {
        unsigned short len;
        const void *filter;
    } program_fields = { (unsigned short)n, program };
    _Static_assert(sizeof(program_fields) == sizeof(struct sock_fprog), "layout of sock_fprog");
    return kernel_result(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program_fields));
}

int kernel_seccomp_action_available(uint32_t action)
{
    KERNEL_CALL("seccomp_action");
    return kernel_result(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action));
}

int kernel_notify_recv(int listener, struct kernel_notify *ret)
{
    KERNEL_CALL("notify_recv");
    struct seccomp_notif notif;
    memset(&notif, 0, sizeof(notif)); /* the kernel wants every byte zero, padding too */
    int r = kernel_result(KERNEL_RETRY(ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notif)));
    if (r < 0)
        return r;
    struct kernel_notify notify = {
        .id = notif.id,
        .pid = (pid_t)notif.pid,
        .number = notif.data.nr,
        .arch = notif.data.arch,
        .instruction_pointer = notif.data.instruction_pointer,
    };
    for (unsigned i = 0; i < 6; i++)
        notify.args[i] = notif.data.args[i];
    *ret = notify;
    return 0;
}

int kernel_notify_valid(int listener, uint64_t id)
{
    KERNEL_CALL("notify_valid");
    return kernel_result(ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id));
}

static int answer(int listener, const struct seccomp_notif_resp *response)
{
    struct seccomp_notif_resp copy = *response;
    return kernel_result(KERNEL_RETRY(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &copy)));
}

int kernel_notify_error(int listener, uint64_t id, int error)
{
    KERNEL_CALL("notify_error");
    return answer(
        listener, &(struct seccomp_notif_resp){ .id = id, .error = error < 0 ? error : -error });
}

int kernel_notify_value(int listener, uint64_t id, int64_t value)
{
    KERNEL_CALL("notify_value");
    return answer(listener, &(struct seccomp_notif_resp){ .id = id, .val = value });
}

int kernel_notify_add_fd(int listener, uint64_t id, int fd, bool is_cloexec, bool is_answer)
{
    KERNEL_CALL("notify_add_fd");
    struct seccomp_notif_addfd add = {
        .id = id,
        .flags = is_answer ? (uint32_t)SECCOMP_ADDFD_FLAG_SEND : 0,
        .srcfd = (uint32_t)fd,
        .newfd_flags = is_cloexec ? O_CLOEXEC : 0,
    };
    return kernel_result(KERNEL_RETRY(ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add)));
}
