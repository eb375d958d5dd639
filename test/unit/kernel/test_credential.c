/* SPDX-License-Identifier: Apache-2.0 */
/* Ids, groups and capabilities of a child, set and read back. */
#include <errno.h>

#include "credential.h"
#include "kernel_const.h"
#include "kernel_unit.h"

#define CAP_KILL_   5
#define CAP_SETUID_ 7

/* Runs in a forked child, whose changed ids do not matter to the leak checker. 0, or the line that
   failed. */
#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__;                                                                       \
    } while (0)

static int in_child(int (*body)(void))
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(body() == 0 ? 0 : 1);
    return kernel_unit_exit_status(pid);
}

static int change_ids(void)
{
    uid_t r = 0, e = 0, s = 0;
    gid_t groups[2] = { 7, 9 }, got[4] = { 0 };
    NEED(kernel_setgroups(2, groups) == 0);
    NEED(kernel_getgroups(0, NULL) == 2);
    NEED(kernel_getgroups(4, got) == 2 && got[0] == 7 && got[1] == 9);
    NEED(kernel_setresgid(11, 12, 13) == 0);
    NEED(kernel_getresgid(&r, &e, &s) == 0 && r == 11 && e == 12 && s == 13);
    NEED(kernel_setresuid(1000, 1000, 1000) == 0);
    NEED(kernel_getresuid(&r, &e, &s) == 0 && r == 1000 && e == 1000 && s == 1000);
    NEED(kernel_setresuid(0, 0, 0) == -EPERM);
    NEED(kernel_setgroups(0, NULL) == -EPERM);
    return 0;
}

static int change_caps(void)
{
    struct kernel_caps caps = { 0 };
    NEED(kernel_capbset_read(CAP_KILL_) == 1);
    NEED(kernel_capbset_drop(CAP_KILL_) == 0);
    NEED(kernel_capbset_read(CAP_KILL_) == 0);
    NEED(kernel_capbset_read(KERNEL_CAP_LAST + 20) == -EINVAL);
    NEED(kernel_capget(0, &caps) == 0 && (caps.permitted & 1ULL << CAP_SETUID_));
    caps = (struct kernel_caps){
        .effective = 0, .permitted = 1ULL << CAP_SETUID_, .inheritable = 1ULL << CAP_SETUID_
    };
    NEED(kernel_capset(&caps) == 0);
    NEED(kernel_ambient_raise(CAP_SETUID_) == 0 && kernel_ambient_read(CAP_SETUID_) == 1);
    NEED(kernel_ambient_raise(CAP_KILL_) == -EPERM);
    NEED(kernel_ambient_clear() == 0 && kernel_ambient_read(CAP_SETUID_) == 0);
    struct kernel_caps now = { 0 };
    NEED(kernel_capget(0, &now) == 0 && now.permitted == caps.permitted && now.effective == 0);
    caps.permitted = ~0ULL;
    NEED(kernel_capset(&caps) == -EPERM);
    return 0;
}

static int change_bits(void)
{
    NEED(kernel_get_no_new_privs() == 0);
    NEED(kernel_set_no_new_privs() == 0 && kernel_get_no_new_privs() == 1);
    NEED(kernel_set_keepcaps(true) == 0 && kernel_get_securebits() == KERNEL_SECBIT_KEEP_CAPS);
    NEED(kernel_set_securebits(KERNEL_SECBIT_NOROOT | KERNEL_SECBIT_NOROOT_LOCKED) == 0);
    NEED(kernel_set_securebits(0) == -EPERM);
    return 0;
}

START_TEST(ids_change_and_do_not_come_back)
{
    ck_assert_int_eq(in_child(change_ids), 0);
}
END_TEST

START_TEST(capabilities_only_shrink)
{
    ck_assert_int_eq(in_child(change_caps), 0);
}
END_TEST

START_TEST(bits_are_read_back_and_lock)
{
    ck_assert_int_eq(in_child(change_bits), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { ids_change_and_do_not_come_back, capabilities_only_shrink,
        bits_are_read_back_and_lock };

    if (kernel_unit_lacks_root("credential"))
        return SKIPPED;
    return unit_run("credential", tests, ARRAY_SIZE(tests));
}
