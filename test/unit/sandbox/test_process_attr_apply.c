/* SPDX-License-Identifier: Apache-2.0 */
/* Names, scheduler, limits, sysctls, keyring in the running kernel, each in a child of its own. */
#include "process_attr_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "arena.h"
#include "cleanup.h"
#include "file.h"
#include "keyring_apply.h"
#include "label_apply.h"
#include "label_plan.h"
#include "oci_config.h"
#include "process_attr_plan.h"
#include "procfs.h"
#include "rlimit_apply.h"
#include "sandbox_unit.h"
#include "sysctl_apply.h"
#include "sysctl_plan.h"

static int deed_host_name(void)
{
    struct error err = ERR_INIT;
    struct utsname names;
    const struct host_name_plan plan = { "box", "lab.example" };
    DEED_CHECK(unshare(CLONE_NEWUTS) == 0);
    DEED_OK(host_name_apply(&plan, &err));
    DEED_CHECK(uname(&names) == 0);
    DEED_CHECK(strcmp(names.nodename, "box") == 0);
    DEED_CHECK(strcmp(names.domainname, "lab.example") == 0);
    return 0;
}

static int deed_attributes(void)
{
    struct error err = ERR_INIT;
    const struct oci_scheduler scheduler = { .policy = SCHED_BATCH, .nice = 7 };
    const struct oci_io_priority io = { .class = 2, .priority = 6 };
    const struct process_attr_plan plan = { .scheduler = &scheduler,
        .io_priority = &io,
        .has_personality = true,
        .personality = PER_LINUX32 };
    DEED_OK(process_attr_apply(&plan, &err));
    DEED_CHECK(sched_getscheduler(0) == SCHED_BATCH);
    DEED_CHECK(getpriority(PRIO_PROCESS, 0) == 7);
    DEED_CHECK(syscall(SYS_ioprio_get, 1, 0) == (2 << 13 | 6));
    DEED_CHECK(personality(0xffffffff) == PER_LINUX32);
    return 0;
}

static int deed_limits(void)
{
    struct error err = ERR_INIT;
    struct rlimit now;
    const struct oci_rlimit limits[] = { { RLIMIT_NOFILE, 100, 200 }, { RLIMIT_CORE, 0, 0 } };
    DEED_OK(rlimit_apply(limits, 2, &err));
    DEED_CHECK(getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur == 100 && now.rlim_max == 200);
    const struct oci_rlimit wrong = { RLIMIT_NOFILE, 300, 200 };
    DEED_CHECK(rlimit_apply(&wrong, 1, &err) == -EINVAL);
    DEED_CHECK(strncmp(err.text, "rlimit RLIMIT_NOFILE: set soft 300 hard 200: ", 45) == 0);
    return 0;
}

static int deed_sysctl(void)
{
    struct error err = ERR_INIT;
    AUTO(procfs) struct procfs procfs = PROCFS_INIT;
    char text[64];
    struct sysctl_step steps[] = { { "net/ipv4/ip_forward", "1" },
        { "kernel/shm_rmid_forced", "1" } };
    struct sysctl_plan plan = { steps, 2 };
    DEED_CHECK(unshare(CLONE_NEWNET | CLONE_NEWIPC) == 0);
    DEED_CHECK(procfs_open(&procfs, PROCFS_WHOLE) == 0);
    DEED_OK(sysctl_apply(&procfs, &plan, &err));
    DEED_CHECK(file_read_line(AT_FDCWD, "/proc/sys/net/ipv4/ip_forward", text, sizeof(text)) > 0);
    DEED_CHECK(strcmp(text, "1") == 0);
    steps[0] = (struct sysctl_step){ "net/ipv4/no_such_setting", "1" };
    DEED_CHECK(sysctl_apply(&procfs, &plan, &err) == -ENOENT);
    DEED_CHECK(strncmp(err.text, "sysctl net/ipv4/no_such_setting: open", 37) == 0);
    return 0;
}

static long session_keyring(void)
{
    return syscall(SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -3 /* the session's */, 0);
}

static int deed_keyring(void)
{
    struct error err = ERR_INIT;
    char text[256] = "";
    long before = session_keyring();
    DEED_OK(keyring_apply(NULL, "unit-test-box", NULL, &err));
    if (before < 0 && errno == ENOSYS)
        return 0;
    DEED_CHECK(session_keyring() != before);
    DEED_CHECK(syscall(SYS_keyctl, 6 /* KEYCTL_DESCRIBE */, -3, text, sizeof(text)) > 0);
    DEED_CHECK(strstr(text, "_ses.unit-test-box") != NULL);
    return 0;
}

static int deed_label(void)
{
    struct error err = ERR_INIT;
    AUTO(procfs) struct procfs procfs = PROCFS_INIT;
    struct label_host host;
    const struct label_plan nothing = { NULL, NULL };
    const struct label_plan something = { "no-such-profile-of-the-unit-test", NULL };
    label_host_read(&host);
    DEED_CHECK(procfs_open(&procfs, PROCFS_WHOLE) == 0);
    DEED_OK(label_apply(&procfs, &nothing, &err));
    DEED_CHECK(label_apply(&procfs, &something, &err) < 0);
    DEED_CHECK(strncmp(err.text, "process.apparmorProfile: ", 25) == 0);
    return 0;
}

START_TEST(names_when_applied_then_in_force)
{
    ck_assert_int_eq(sandbox_unit_run(deed_host_name), 0);
}
END_TEST

START_TEST(scheduler_and_personality_when_applied_then_in_force)
{
    ck_assert_int_eq(sandbox_unit_run(deed_attributes), 0);
}
END_TEST

START_TEST(limit_when_refused_then_named)
{
    ck_assert_int_eq(sandbox_unit_run(deed_limits), 0);
}
END_TEST

START_TEST(sysctl_when_applied_then_in_the_namespace)
{
    ck_assert_int_eq(sandbox_unit_run(deed_sysctl), 0);
}
END_TEST

START_TEST(keyring_when_joined_then_a_new_one)
{
    ck_assert_int_eq(sandbox_unit_run(deed_keyring), 0);
}
END_TEST

START_TEST(label_when_kernel_refuses_then_error)
{
    ck_assert_int_eq(sandbox_unit_run(deed_label), 0);
}
END_TEST

START_TEST(plan_when_host_would_be_changed_then_refused)
{
    struct host_name_plan plan;
    struct error err = ERR_INIT;
    struct oci_config config = { .hostname = "box" };
    ck_assert_int_eq(host_name_plan_build(&config, false, &plan, &err), -EINVAL);
    config.hostname = "b\nx";
    ck_assert_int_eq(host_name_plan_build(&config, true, &plan, &err), -EINVAL);
    config.hostname = "12345678901234567890123456789012345678901234567890123456789012345";
    ck_assert_int_eq(host_name_plan_build(&config, true, &plan, &err), -EINVAL);
    config.hostname = NULL;
    ck_assert_int_eq(host_name_plan_build(&config, false, &plan, &err), 0);
}
END_TEST

int main(void)
{
    if (sandbox_unit_lacks_root("process_attr_apply"))
        return SKIPPED;
    const TTest *const tests[] = {
        names_when_applied_then_in_force,
        scheduler_and_personality_when_applied_then_in_force,
        limit_when_refused_then_named,
        sysctl_when_applied_then_in_the_namespace,
        keyring_when_joined_then_a_new_one,
        label_when_kernel_refuses_then_error,
        plan_when_host_would_be_changed_then_refused,
    };
    return unit_run("process_attr_apply", tests, ARRAY_SIZE(tests));
}
