/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: wrappers of the system calls on processes, limits and scheduling. */
#include "process_call.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kernel_const.h"
#include "kernel_internal.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif
#define IOPRIO_WHO_PROCESS 1

/* The kernel's struct clone_args, version 2. */
struct clone_arguments {
    uint64_t flags;
    uint64_t pidfd;
    uint64_t child_tid;
    uint64_t parent_tid;
    uint64_t exit_signal;
    uint64_t stack;
    uint64_t stack_size;
    uint64_t tls;
    uint64_t set_tid;
    uint64_t set_tid_size;
    uint64_t cgroup;
};

pid_t kernel_clone3(const struct kernel_clone *clone)
{
    KERNEL_CALL("clone3");
    int pidfd = -1;
    struct clone_arguments arguments = { .flags = clone->flags,
        .exit_signal = (uint64_t)clone->exit_signal };
    if (clone->ret_pidfd) {
        arguments.flags |= CLONE_PIDFD;
        arguments.pidfd = (uint64_t)(uintptr_t)&pidfd;
    }
    if (clone->cgroup_fd >= 0) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = (uint64_t)clone->cgroup_fd;
    }
    int pid = kernel_result(syscall(SYS_clone3, &arguments, sizeof(arguments)));
    if (pid > 0 && clone->ret_pidfd)
        *clone->ret_pidfd = pidfd;
    return pid;
}

int kernel_unshare(uint64_t flags)
{
    KERNEL_CALL("unshare");
    return kernel_result(syscall(SYS_unshare, flags));
}

int kernel_setns(int fd, int type)
{
    KERNEL_CALL("setns");
    return kernel_result(setns(fd, type));
}

int kernel_pidfd_open(pid_t pid)
{
    KERNEL_CALL("pidfd_open");
    return kernel_result(syscall(SYS_pidfd_open, pid, 0));
}

int kernel_pidfd_send_signal(int pidfd, int signal)
{
    KERNEL_CALL("pidfd_send_signal");
    return kernel_result(syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0));
}

static int status_of(const siginfo_t *info)
{
    if (info->si_code == CLD_EXITED)
        return (info->si_status & 0xff) << 8;
    return (info->si_status & 0x7f) | (info->si_code == CLD_DUMPED ? 0x80 : 0);
}

int kernel_wait(int pidfd, int options, int *ret_status)
{
    KERNEL_CALL("wait");
    siginfo_t info = { 0 };
    int r = kernel_result(
        KERNEL_RETRY(waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, options | WEXITED)));
    if (r < 0)
        return r;
    if (info.si_pid == 0)
        return -EAGAIN;
    *ret_status = status_of(&info);
    return 0;
}

int kernel_execve(const char *path, char *const argv[], char *const envp[])
{
    KERNEL_CALL("execve");
    return kernel_result(execve(path, argv, envp));
}

int kernel_execveat(int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
    KERNEL_CALL("execveat");
    return kernel_result(syscall(SYS_execveat, dirfd, path, argv, envp, flags));
}

int kernel_setsid(void)
{
    KERNEL_CALL("setsid");
    return kernel_result(setsid());
}

int kernel_setpgid(pid_t pid, pid_t pgid)
{
    KERNEL_CALL("setpgid");
    return kernel_result(setpgid(pid, pgid));
}

static int set_process_bit(int option, unsigned long value)
{
    return kernel_result(prctl(option, value, 0UL, 0UL, 0UL));
}

int kernel_set_pdeathsig(int signal)
{
    KERNEL_CALL("set_pdeathsig");
    return set_process_bit(PR_SET_PDEATHSIG, (unsigned long)signal);
}

int kernel_set_dumpable(int is_on)
{
    KERNEL_CALL("set_dumpable");
    return set_process_bit(PR_SET_DUMPABLE, is_on ? 1 : 0);
}

int kernel_get_dumpable(void)
{
    KERNEL_CALL("get_dumpable");
    return set_process_bit(PR_GET_DUMPABLE, 0);
}

int kernel_set_name(const char *name)
{
    KERNEL_CALL("set_name");
    return set_process_bit(PR_SET_NAME, (unsigned long)(uintptr_t)name);
}

int kernel_personality(unsigned long persona)
{
    KERNEL_CALL("personality");
    return kernel_result(personality(persona));
}

int kernel_sethostname(const char *name, size_t len)
{
    KERNEL_CALL("sethostname");
    return kernel_result(sethostname(name, len));
}

int kernel_setdomainname(const char *name, size_t len)
{
    KERNEL_CALL("setdomainname");
    return kernel_result(setdomainname(name, len));
}

int kernel_prlimit(pid_t pid, int resource, const struct rlimit *set, struct rlimit *ret_old)
{
    KERNEL_CALL("prlimit");
    return kernel_result(prlimit(pid, (enum __rlimit_resource)resource, set, ret_old));
}

int kernel_sched_setattr(pid_t pid, const struct kernel_sched_attr *attr)
{
    KERNEL_CALL("sched_setattr");
    struct kernel_sched_attr copy = *attr;
    copy.size = sizeof(copy);
    return kernel_result(syscall(SYS_sched_setattr, pid, &copy, 0));
}

int kernel_sched_getattr(pid_t pid, struct kernel_sched_attr *ret)
{
    KERNEL_CALL("sched_getattr");
    return kernel_result(syscall(SYS_sched_getattr, pid, ret, sizeof(*ret), 0));
}

int kernel_ioprio_set(pid_t pid, int value)
{
    KERNEL_CALL("ioprio_set");
    return kernel_result(syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, pid, value));
}

int kernel_ioprio_get(pid_t pid)
{
    KERNEL_CALL("ioprio_get");
    return kernel_result(syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, pid));
}
