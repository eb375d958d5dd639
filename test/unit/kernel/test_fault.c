/* SPDX-License-Identifier: Apache-2.0 */
/* The fault table: the Nth call fails, in whichever process it happens. */
#include <errno.h>

#include "call.h"
#include "fault.h"
#include "kernel_unit.h"
#include "process_call.h"
#include "role.h"

#ifdef RUNA_FAULT_TABLE
static void order(const char *fault, const char *log)
{
    (void)unsetenv("RUNA_FAULT");
    (void)unsetenv("RUNA_FAULT_LOG");
    if (fault)
        (void)setenv("RUNA_FAULT", fault, 1);
    if (log)
        (void)setenv("RUNA_FAULT_LOG", log, 1);
    kernel_fault_reset();
}

static int stat_once(void)
{
    struct stat st;
    return kernel_fstat(0, &st);
}

START_TEST(nothing_fails_without_order)
{
    order(NULL, NULL);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(stat_once(), 0);
}
END_TEST

START_TEST(nth_call_fails_once_with_eio)
{
    order("3", NULL);
    ck_assert_int_eq(stat_once(), 0);
    ck_assert_int_eq(stat_once(), 0);
    ck_assert_int_eq(stat_once(), -EIO);
    ck_assert_int_eq(stat_once(), 0);
}
END_TEST

START_TEST(errno_by_name_and_number)
{
    order("1:EPERM", NULL);
    ck_assert_int_eq(stat_once(), -EPERM);
    order("1:28", NULL);
    ck_assert_int_eq(stat_once(), -ENOSPC);
}
END_TEST

START_TEST(named_call_fails_at_its_own_count)
{
    order("memfd_create:ENFILE:2", NULL);
    int first = kernel_memfd_create("a", 0);
    ck_assert_int_ge(first, 0);
    ck_assert_int_eq(stat_once(), 0);
    ck_assert_int_eq(kernel_memfd_create("b", 0), -ENFILE);
    int third = kernel_memfd_create("c", 0);
    ck_assert_int_ge(third, 0);
    order("fstat:EACCES", NULL);
    ck_assert_int_eq(stat_once(), -EACCES);
    (void)close(first);
    (void)close(third);
}
END_TEST

START_TEST(child_counts_on_in_the_same_counter)
{
    order("4", NULL);
    ck_assert_int_eq(stat_once(), 0);
    struct kernel_clone clone = KERNEL_CLONE_INIT;
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0)
        _exit(stat_once() == 0 && stat_once() == -EIO ? 0 : 1);
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(kernel_unit_exit_status(pid), 0);
    ck_assert_int_eq(stat_once(), 0);
}
END_TEST

START_TEST(log_names_call_and_role)
{
    char path[] = "/tmp/fault-log-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    order(NULL, path);
    role_set(ROLE_INIT);
    ck_assert_int_eq(stat_once(), 0);
    (void)kernel_get_dumpable();
    char record[97] = "";
    ck_assert_int_eq((int)pread(fd, record, 96, 0), 96);
    ck_assert_str_eq(record, "1 fstat init\n");
    ck_assert_str_eq(record + 48, "2 get_dumpable init\n");
    (void)close(fd);
    (void)unlink(path);
}
END_TEST
#endif

int main(void)
{
#ifdef RUNA_FAULT_TABLE
    const TTest *const tests[] = { nothing_fails_without_order, nth_call_fails_once_with_eio,
        errno_by_name_and_number, named_call_fails_at_its_own_count,
        child_counts_on_in_the_same_counter, log_names_call_and_role };

    return unit_run("fault", tests, ARRAY_SIZE(tests));
#else
    printf("fault: skipped: this build has no fault table\n");
    return SKIPPED;
#endif
}
