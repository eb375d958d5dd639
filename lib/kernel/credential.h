/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  One wrapper per system call on ids, groups, capabilities and the bits around them. Raw
 *          calls that change the calling thread only: the programs that use them have one thread.
 * Runs in  any; CAP_SETUID, CAP_SETGID, CAP_SETPCAP where the call needs them
 * Source   setresuid(2), capabilities(7), prctl(2); ambient capabilities Linux 4.3
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>


int kernel_setresuid(uid_t real, uid_t effective, uid_t saved);
int kernel_setresgid(gid_t real, gid_t effective, gid_t saved);
int kernel_getresuid(uid_t *ret_real, uid_t *ret_effective, uid_t *ret_saved);
int kernel_getresgid(gid_t *ret_real, gid_t *ret_effective, gid_t *ret_saved);
int kernel_setgroups(size_t n_groups, const gid_t *groups);
int kernel_getgroups(size_t size, gid_t *ret_groups); /* the number; with size 0 the number only */

int kernel_set_no_new_privs(void);
int kernel_get_no_new_privs(void);
int kernel_set_keepcaps(bool is_on);
int kernel_set_securebits(unsigned bits);
int kernel_get_securebits(void);

/* 64-bit sets, bit N is capability N. */
struct kernel_caps {
    uint64_t effective;
    uint64_t permitted;
    uint64_t inheritable;
};

int kernel_capget(pid_t pid, struct kernel_caps *ret); /* 0: the caller */
int kernel_capset(const struct kernel_caps *caps);
int kernel_capbset_read(int cap); /* 1, 0, or -EINVAL above the kernel's last capability */
int kernel_capbset_drop(int cap);
int kernel_ambient_read(int cap);
int kernel_ambient_raise(int cap);
int kernel_ambient_clear(void);
