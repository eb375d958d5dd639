/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  One thin wrapper per system call on processes, sessions, limits and scheduling: a value
 *          >= 0, or -errno. See process.h for spawn-and-wait.
 * Runs in  any
 * Owns     a returned fd is the caller's and close-on-exec
 * Source   clone3(2) Linux 5.3 (CLONE_INTO_CGROUP 5.7), pidfd_open(2) 5.3, waitid(2) P_PIDFD 5.4
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rlimit;

struct kernel_clone {
    /* CLONE_NEW* and the like; PIDFD and INTO_CGROUP follow from the members below */
    uint64_t flags;
    int *ret_pidfd;  /* NULL: none wanted */
    int cgroup_fd;   /* directory of the cgroup to be born in; -1: the caller's */
    int exit_signal; /* SIGCHLD */
};

#define KERNEL_CLONE_INIT                                                                          \
    {                                                                                              \
        .cgroup_fd = -1, .exit_signal = 17                                                         \
    }

/* As fork: 0 in the child (with a copy of the memory), the pid in the parent. No atfork handlers
   run. */
pid_t kernel_clone3(const struct kernel_clone *clone);
int kernel_unshare(uint64_t flags);
int kernel_setns(int fd, int type); /* fd of a namespace, or a pidfd with several types */

int kernel_pidfd_open(pid_t pid);
int kernel_pidfd_send_signal(int pidfd, int signal);
/* Waits for the process that the pidfd names. *ret_status as waitpid's. 0, or -EAGAIN with WNOHANG
   and none ended. options: WEXITED is added; WNOHANG, WNOWAIT. */
int kernel_wait(int pidfd, int options, int *ret_status);
/* Any child; the pid, 0 with WNOHANG and none, -ECHILD. */

/* returns on failure only */
int kernel_execve(const char *path, char *const argv[], char *const envp[]);
int kernel_execveat(int dirfd, const char *path, char *const argv[], char *const envp[], int flags);

int kernel_setsid(void);
int kernel_setpgid(pid_t pid, pid_t pgid);
int kernel_set_pdeathsig(int signal);
int kernel_set_dumpable(int is_on);
int kernel_get_dumpable(void);
int kernel_set_name(const char *name);         /* comm; cut at 15 bytes */
int kernel_personality(unsigned long persona); /* the previous one */
int kernel_sethostname(const char *name, size_t len);
int kernel_setdomainname(const char *name, size_t len);

/* pid 0: the caller. set or ret_old may be NULL. */
int kernel_prlimit(pid_t pid, int resource, const struct rlimit *set, struct rlimit *ret_old);

/* The layout is the kernel's struct sched_attr (size and order). */
struct kernel_sched_attr {
    uint32_t size; /* set by the wrapper */
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_nsec;
    uint64_t deadline_nsec;
    uint64_t period_nsec;
    uint32_t util_min;
    uint32_t util_max;
};

int kernel_sched_setattr(pid_t pid, const struct kernel_sched_attr *attr);
int kernel_sched_getattr(pid_t pid, struct kernel_sched_attr *ret);
int kernel_ioprio_set(pid_t pid, int value); /* KERNEL_IOPRIO_VALUE(class, level) */
int kernel_ioprio_get(pid_t pid);
