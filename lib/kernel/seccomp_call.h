/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Load a system call filter; ask which actions the kernel knows; answer notifications.
 * Runs in  init, worker (load): no_new_privs or CAP_SYS_ADMIN. monitor (notify).
 * Trusts   struct kernel_notify comes from the kernel, its arguments from the sandbox: hostile.
 *          Pointers in them may change after they were read; ask kernel_notify_valid after each
 *          read of the target's memory.
 * Source   seccomp(2); listener Linux 5.0, ADDFD 5.9 (with SEND 5.14)
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* program: n_bytes of struct sock_filter, as libseccomp exports it. 0, or with FLAG_NEW_LISTENER
   the listener's fd. */
int kernel_seccomp_load(const void *program, size_t n_bytes, unsigned flags);
int kernel_seccomp_action_available(uint32_t action); /* 0, or -EOPNOTSUPP */

struct kernel_notify {
    uint64_t id;
    pid_t pid; /* in the listener's pid namespace; 0 when not visible there */
    int32_t number;
    uint32_t arch;
    uint64_t instruction_pointer;
    uint64_t args[6];
};

/* -ENOENT: the caller is gone, go on */
int kernel_notify_recv(int listener, struct kernel_notify *ret);
int kernel_notify_valid(int listener, uint64_t id); /* -ENOENT: no longer */
/* the call fails with errno `error` > 0 */
int kernel_notify_error(int listener, uint64_t id, int error);
int kernel_notify_value(int listener, uint64_t id, int64_t value);
/* never a security decision: see seccomp_unotify(2) */
/* number in the target */
int kernel_notify_add_fd(int listener, uint64_t id, int fd, bool is_cloexec, bool is_answer);
