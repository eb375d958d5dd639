/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose: wrappers of the system calls on ids and capabilities.
 * Why raw: the C library's set*id change every thread by signals; our programs have one thread, and
 * a child after fork must not run that machinery.
 */
#include "credential.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include <linux/capability.h>

#include "kernel_internal.h"

int kernel_setresuid(uid_t real, uid_t effective, uid_t saved)
{
    KERNEL_CALL("setresuid");
    return kernel_result(syscall(SYS_setresuid, real, effective, saved));
}

int kernel_setresgid(gid_t real, gid_t effective, gid_t saved)
{
    KERNEL_CALL("setresgid");
    return kernel_result(syscall(SYS_setresgid, real, effective, saved));
}

int kernel_getresuid(uid_t *ret_real, uid_t *ret_effective, uid_t *ret_saved)
{
    KERNEL_CALL("getresuid");
    return kernel_result(getresuid(ret_real, ret_effective, ret_saved));
}

int kernel_getresgid(gid_t *ret_real, gid_t *ret_effective, gid_t *ret_saved)
{
    KERNEL_CALL("getresgid");
    return kernel_result(getresgid(ret_real, ret_effective, ret_saved));
}

int kernel_setgroups(size_t n_groups, const gid_t *groups)
{
    KERNEL_CALL("setgroups");
    return kernel_result(syscall(SYS_setgroups, n_groups, groups));
}

int kernel_getgroups(size_t size, gid_t *ret_groups)
{
    KERNEL_CALL("getgroups");
    return kernel_result(syscall(SYS_getgroups, size, ret_groups));
}

static int set_bit(int option, unsigned long value)
{
    return kernel_result(prctl(option, value, 0UL, 0UL, 0UL));
}

int kernel_set_no_new_privs(void)
{
    KERNEL_CALL("set_no_new_privs");
    return set_bit(PR_SET_NO_NEW_PRIVS, 1);
}

int kernel_get_no_new_privs(void)
{
    KERNEL_CALL("get_no_new_privs");
    return set_bit(PR_GET_NO_NEW_PRIVS, 0);
}

int kernel_set_keepcaps(bool is_on)
{
    KERNEL_CALL("set_keepcaps");
    return set_bit(PR_SET_KEEPCAPS, is_on);
}

int kernel_set_securebits(unsigned bits)
{
    KERNEL_CALL("set_securebits");
    return set_bit(PR_SET_SECUREBITS, bits);
}

int kernel_get_securebits(void)
{
    KERNEL_CALL("get_securebits");
    return set_bit(PR_GET_SECUREBITS, 0);
}

static uint64_t join_words(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

int kernel_capget(pid_t pid, struct kernel_caps *ret)
{
    KERNEL_CALL("capget");
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3, .pid = pid };
    struct __user_cap_data_struct words[2] = { 0 };
    int r = kernel_result(syscall(SYS_capget, &header, words));
    if (r < 0)
        return r;
    *ret = (struct kernel_caps){
        .effective = join_words(words[0].effective, words[1].effective),
        .permitted = join_words(words[0].permitted, words[1].permitted),
        .inheritable = join_words(words[0].inheritable, words[1].inheritable),
    };
    return 0;
}

int kernel_capset(const struct kernel_caps *caps)
{
    KERNEL_CALL("capset");
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct words[2];
    for (unsigned i = 0; i < 2; i++)
        words[i] = (struct __user_cap_data_struct){
            .effective = (uint32_t)(caps->effective >> (32 * i)),
            .permitted = (uint32_t)(caps->permitted >> (32 * i)),
            .inheritable = (uint32_t)(caps->inheritable >> (32 * i)),
        };
    return kernel_result(syscall(SYS_capset, &header, words));
}

int kernel_capbset_read(int cap)
{
    KERNEL_CALL("capbset_read");
    return set_bit(PR_CAPBSET_READ, (unsigned long)cap);
}

int kernel_capbset_drop(int cap)
{
    KERNEL_CALL("capbset_drop");
    return set_bit(PR_CAPBSET_DROP, (unsigned long)cap);
}

static int ambient(unsigned long command, unsigned long cap)
{
    return kernel_result(prctl(PR_CAP_AMBIENT, command, cap, 0UL, 0UL));
}

int kernel_ambient_read(int cap)
{
    KERNEL_CALL("ambient_read");
    return ambient(PR_CAP_AMBIENT_IS_SET, (unsigned long)cap);
}

int kernel_ambient_raise(int cap)
{
    KERNEL_CALL("ambient_raise");
    return ambient(PR_CAP_AMBIENT_RAISE, (unsigned long)cap);
}

int kernel_ambient_clear(void)
{
    KERNEL_CALL("ambient_clear");
    return ambient(PR_CAP_AMBIENT_CLEAR_ALL, 0);
}
