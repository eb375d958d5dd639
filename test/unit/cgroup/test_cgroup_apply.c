/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of controllers run where the hierarchy has the controller: on a host that uses v2 alone, or in
 * the guest. Elsewhere they say so and pass; that a missing controller is refused is tested instead.
 */
#include "cgroup_apply.h"

#include <sched.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "buf.h"
#include "cgroup_lab.h"
#include "cleanup.h"
#include "fault.h"

static struct lab lab;
static struct error *const err = &lab.err;

static int create(struct cgroup *c, const char *path, const char *resources)
{
    struct cgroup_plan *plan = lab_plan(&lab, path, resources);
    int r = cgroup_create(c, &lab.h, plan, false, err);

    return r == 0 ? cgroup_devices_apply(c, &plan->devices, false, err) : r;
}

static bool words_have(const char *words, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = words; *at != '\0'; at += strcspn(at, " "), at += *at == ' ')
        if (strncmp(at, word, len) == 0 && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

/* On a hybrid host the top is shared with the machine: nothing is enabled there for a test's sake. */
static bool has_controller(const char *name)
{
    const char *file = lab.h.is_unified ? "cgroup.controllers" : "cgroup.subtree_control";
    bool has = words_have(lab_read(&lab, lab.h.fd, file), name);

    if (!has)
        printf("not run here, no controller %s\n", name);
    return has;
}

/* --- making --- */

START_TEST(create_when_nothing_is_asked_then_there_and_taken_back)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    ck_assert_msg(create(&c, "a/b/c", "{" LAB_ALL_DEVICES "}") == 0, "%s", err->text);
    ck_assert_int_ge(c.dir_fd, 0);
    ck_assert(cgroupfs_has(lab.fd, "a/b/c"));
    ck_assert_str_eq(c.path, arena_printf(&lab.arena, "%s/%s/a/b/c", lab.h.path, lab.name));
    cgroup_discard(&c);
    ck_assert(!cgroupfs_has(lab.fd, "a"));
    ck_assert_ptr_null(c.path);
    lab_close(&lab);
}
END_TEST

START_TEST(discard_when_parents_were_there_then_they_stay)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    ck_assert_int_eq(cgroupfs_mkdir(lab.fd, "a"), 0);
    ck_assert_int_eq(create(&c, "a/b/c", "{" LAB_ALL_DEVICES "}"), 0);
    (void)lab_spawn(c.dir_fd, NULL, NULL);
    cgroup_discard(&c);
    ck_assert(cgroupfs_has(lab.fd, "a"));
    ck_assert(!cgroupfs_has(lab.fd, "a/b"));
    ck_assert_int_eq(cgroupfs_rmdir(lab.fd, "a"), 0);
    lab_close(&lab);
}
END_TEST

START_TEST(create_when_processes_are_in_it_then_refused_and_left_alone)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    struct cgroup other = lab_make(&lab, "c");
    pid_t pid = lab_spawn(other.dir_fd, NULL, NULL);

    ck_assert_int_eq(create(&c, "c", "{" LAB_ALL_DEVICES "}"), -EEXIST);
    ck_assert_ptr_nonnull(strstr(err->text, "in use, there are processes in it"));
    ck_assert_int_eq(c.dir_fd, -1);
    ck_assert_int_eq(kill(pid, 0), 0);
    lab_end(&lab, &other);
    ck_assert_int_eq(lab_wait(pid), 128 + SIGKILL);
    lab_close(&lab);
}
END_TEST

START_TEST(create_when_an_empty_one_is_left_then_made_anew)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    struct cgroup old = lab_make(&lab, "c");
    ck_assert_int_eq(cgroupfs_write(old.dir_fd, "cgroup.freeze", "1"), 0);
    ck_assert_int_eq(cgroupfs_write(old.dir_fd, "cgroup.max.depth", "3"), 0);
    cgroup_done(&old);

    ck_assert_msg(create(&c, "c", "{" LAB_ALL_DEVICES "}") == 0, "%s", err->text);
    ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cgroup.freeze"), "0");
    ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cgroup.max.depth"), "max");
    cgroup_discard(&c);
    lab_close(&lab);
}
END_TEST

START_TEST(create_when_cgroups_are_below_it_then_refused_and_left_alone)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    struct cgroup other = lab_make(&lab, "a/b");
    ck_assert_int_eq(create(&c, "a", "{" LAB_ALL_DEVICES "}"), -EEXIST);
    ck_assert_ptr_nonnull(strstr(err->text, "in use, there are cgroups below it"));
    ck_assert(cgroupfs_has(lab.fd, "a/b"));
    cgroup_discard(&other);
    lab_close(&lab);
}
END_TEST

START_TEST(create_when_path_is_a_control_file_then_refused)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    ck_assert_int_lt(create(&c, "cgroup.procs", "{" LAB_ALL_DEVICES "}"), 0);
    ck_assert_int_lt(create(&c, "cgroup.procs/a", "{" LAB_ALL_DEVICES "}"), 0);
    ck_assert_ptr_nonnull(strstr(err->text, "cgroup.procs\": is the name of a control file"));
    lab_close(&lab);
}
END_TEST

START_TEST(create_when_core_limits_then_written)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    ck_assert_msg(create(&c, "c",
                      "{" LAB_ALL_DEVICES ",\"unified\":{\"cgroup.max.depth\":\"2\","
                      "\"cgroup.max.descendants\":\"7\"}}") == 0,
        "%s", err->text);
    ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cgroup.max.depth"), "2");
    ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cgroup.max.descendants"), "7");
    cgroup_discard(&c);
    lab_close(&lab);
}
END_TEST

START_TEST(create_when_a_value_is_refused_then_named_and_taken_back)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    ck_assert_int_eq(
        create(&c, "a/c", "{" LAB_ALL_DEVICES ",\"unified\":{\"cgroup.max.depth\":\"x\"}}"),
        -EINVAL);
    ck_assert_str_eq(err->text,
        arena_printf(&lab.arena,
            "linux.resources.unified.cgroup.max.depth: cannot write \"x\" to cgroup.max.depth of "
            "cgroup \"%s/%s/a/c\": Invalid argument",
            lab.h.path, lab.name));
    ck_assert(!cgroupfs_has(lab.fd, "a"));
    lab_close(&lab);
}
END_TEST

START_TEST(create_when_owner_then_only_what_it_needs_is_given)
{
    struct cgroup c = CGROUP_INIT;
    struct stat st;

    lab_open(&lab);
    struct cgroup_plan *plan = lab_plan(&lab, "c", "{" LAB_ALL_DEVICES "}");
    plan->has_owner = true;
    plan->owner_uid = 12345;
    ck_assert_int_eq(cgroup_create(&c, &lab.h, plan, false, err), 0);
    ck_assert_int_eq(fstat(c.dir_fd, &st), 0);
    ck_assert_uint_eq(st.st_uid, 12345);
    ck_assert_int_eq(fstatat(c.dir_fd, "cgroup.procs", &st, 0), 0);
    ck_assert_uint_eq(st.st_uid, 12345);
    ck_assert_int_eq(fstatat(c.dir_fd, "cgroup.freeze", &st, 0), 0);
    ck_assert_uint_eq(st.st_uid, 0);
    cgroup_discard(&c);
    lab_close(&lab);
}
END_TEST

/* --- permission --- */

static int as_nobody(const char *resources, bool is_path_given)
{
    struct cgroup c = CGROUP_INIT;
    struct cgroup_plan *plan = lab_plan(&lab, "c", resources);

    plan->is_path_given = is_path_given;
    if (setresuid(65534, 65534, 65534) < 0)
        return -1;
    return cgroup_create(&c, &lab.h, plan, true, err);
}

START_TEST(create_when_not_permitted_and_nothing_asked_then_none)
{
    lab_open(&lab);
    pid_t pid = fork();
    if (pid == 0)
        _exit(as_nobody("{}", false) == CGROUP_NONE && err->code == 0 ? 0 : 1);
    ck_assert_int_eq(lab_wait(pid), 0);
    lab_close(&lab);
}
END_TEST

START_TEST(create_when_not_permitted_but_asked_then_clear_error)
{
    lab_open(&lab);
    pid_t pid = fork();
    if (pid == 0)
        _exit(as_nobody("{}", true) == -EACCES &&
                      strstr(err->text, "this user needs a cgroup that is delegated to it") != NULL
                  ? 0
                  : 1);
    ck_assert_int_eq(lab_wait(pid), 0);
    pid = fork();
    if (pid == 0)
        _exit(as_nobody("{\"unified\":{\"cgroup.max.depth\":\"2\"}}", false) == -EACCES ? 0 : 1);
    ck_assert_int_eq(lab_wait(pid), 0);
    lab_close(&lab);
}
END_TEST

/* --- controllers --- */

START_TEST(create_when_controller_is_missing_then_limit_controller_and_reason_are_named)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    if (!words_have(lab_read(&lab, lab.h.fd, "cgroup.controllers"), "memory")) {
        ck_assert_int_lt(
            create(&c, "a/c", "{" LAB_ALL_DEVICES ",\"memory\":{\"limit\":67108864}}"), 0);
        ck_assert_ptr_nonnull(
            strstr(err->text, "linux.resources.memory.limit: no controller \"memory\" below"));
        ck_assert_ptr_nonnull(
            strstr(err->text, ": a cgroup v1 hierarchy of this machine holds it"));
    }
    ck_assert_int_lt(
        create(&c, "a/c", "{" LAB_ALL_DEVICES ",\"rdma\":{\"mlx5_0\":{\"hcaHandles\":1}}}"), 0);
    ck_assert_ptr_nonnull(strstr(err->text, "linux.resources.rdma: "));
    ck_assert(!cgroupfs_has(lab.fd, "a"));
    lab_close(&lab);
}
END_TEST

START_TEST(create_when_parent_has_processes_then_reason_is_named)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    if (has_controller("hugetlb")) {
        pid_t pid = lab_spawn(lab.fd, NULL, NULL);
        ck_assert_int_lt(
            create(&c, "c",
                "{" LAB_ALL_DEVICES ",\"hugepageLimits\":[{\"pageSize\":\"2MB\",\"limit\":0}]}"),
            0);
        ck_assert_ptr_nonnull(strstr(err->text, "there are processes in that very cgroup"));
        ck_assert_int_eq(kill(pid, SIGKILL), 0);
        ck_assert_int_eq(lab_wait(pid), 128 + SIGKILL);
    }
    lab_close(&lab);
}
END_TEST

START_TEST(create_when_hugetlb_then_written)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    if (has_controller("hugetlb")) {
        ck_assert_msg(create(&c, "a/c",
                          "{" LAB_ALL_DEVICES
                          ",\"hugepageLimits\":[{\"pageSize\":\"2MB\",\"limit\":4194304}]}") == 0,
            "%s", err->text);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "hugetlb.2MB.max"), "4194304");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "hugetlb.2MB.rsvd.max"), "4194304");
        cgroup_discard(&c);
    }
    lab_close(&lab);
}
END_TEST

START_TEST(runc_4014_pids_when_zero_then_late_and_nothing_forks)
{
    struct cgroup c = CGROUP_INIT;
    struct cgroup_plan *plan;

    lab_open(&lab);
    if (has_controller("pids")) {
        ck_assert_int_eq(create(&c, "c", "{" LAB_ALL_DEVICES ",\"pids\":{\"limit\":-1}}"), 0);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "pids.max"), "max");
        cgroup_discard(&c);
        ck_assert_int_eq(create(&c, "c", "{" LAB_ALL_DEVICES ",\"pids\":{\"limit\":77}}"), 0);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "pids.max"), "77");
        cgroup_discard(&c);
        plan = lab_plan(&lab, "c", "{" LAB_ALL_DEVICES ",\"pids\":{\"limit\":0}}");
        ck_assert_int_eq(cgroup_create(&c, &lab.h, plan, false, err), 0);
        ck_assert_int_gt(lab_spawn(c.dir_fd, NULL, NULL), 0);
        ck_assert_msg(cgroup_limit_late(&c, &plan->limits, err) == 0, "%s", err->text);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "pids.max"), "0");
        ck_assert_int_eq(lab_spawn(c.dir_fd, NULL, NULL), -EAGAIN);
        cgroup_discard(&c);
    }
    lab_close(&lab);
}
END_TEST

START_TEST(runc_2369_swap_when_given_then_difference_is_in_force)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    if (has_controller("memory")) {
        ck_assert_msg(
            create(&c, "c",
                "{" LAB_ALL_DEVICES ",\"memory\":{\"limit\":67108864,\"swap\":100663296}}") == 0,
            "%s", err->text);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.max"), "67108864");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.swap.max"), "33554432");
        cgroup_discard(&c);
        ck_assert_int_eq(
            create(
                &c, "c", "{" LAB_ALL_DEVICES ",\"memory\":{\"limit\":67108864,\"swap\":67108864}}"),
            0);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.swap.max"), "0");
        cgroup_discard(&c);
        ck_assert_int_eq(create(&c, "c", "{" LAB_ALL_DEVICES ",\"memory\":{\"limit\":-1}}"), 0);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.max"), "max");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.swap.max"), "max");
        cgroup_discard(&c);
    }
    lab_close(&lab);
}
END_TEST

static int update(struct cgroup *c, const char *json)
{
    struct cgroup_limits_now now = { 0 };
    struct cgroup_limit_plan limits = { 0 };
    struct oci_resources *resources = NULL;

    ck_assert_int_eq(cgroup_limits_read(c, &now, err), 0);
    ck_assert_int_eq(
        oci_resources_parse(&lab.arena, "test", json, strlen(json), &resources, err), 0);
    int r = cgroup_limit_plan(&lab.arena, resources, &now, &limits, err);
    return r < 0 ? r : cgroup_limits_write(c, &lab.h, &limits, err);
}

START_TEST(crun_315_update_when_one_of_memory_and_swap_then_the_other_stays)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    if (has_controller("memory") && has_controller("cpu")) {
        ck_assert_int_eq(
            create(&c, "c",
                "{" LAB_ALL_DEVICES ",\"memory\":{\"limit\":268435456,\"swap\":402653184}}"),
            0);
        ck_assert_int_eq(update(&c, "{\"memory\":{\"swap\":805306368}}"), 0);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.swap.max"), "536870912");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.max"), "268435456");
        ck_assert_int_eq(update(&c, "{\"memory\":{\"swap\":402653184}}"), 0);
        ck_assert_int_eq(update(&c, "{\"memory\":{\"limit\":268435456}}"), 0);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.swap.max"), "134217728");
        /* a controller that the cgroup was made without */
        ck_assert_msg(update(&c, "{\"cpu\":{\"shares\":512,\"quota\":20000,\"burst\":1000}}") == 0,
            "%s", err->text);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cpu.weight"), "59");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cpu.max"), "20000 100000");
        ck_assert_int_eq(
            update(&c, "{\"cpu\":{\"quota\":500000,\"period\":50000,\"burst\":2000}}"), 0);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cpu.max"), "500000 50000");
        ck_assert_int_eq(update(&c, "{\"cpu\":{\"period\":40000}}"), 0);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cpu.max"), "500000 40000");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.swap.max"), "134217728");
        cgroup_discard(&c);
    }
    lab_close(&lab);
}
END_TEST

static int eater_body(void)
{
    static char *volatile data; /* or the compiler would do without it */
    size_t size = 100U << 20;

    data = malloc(size);
    if (data == NULL)
        return 1;
    memset(data, 1, size);
    for (;;)
        (void)pause();
    return 0;
}

START_TEST(runc_3509_memory_when_lowered_below_use_with_check_then_refused)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    if (has_controller("memory")) {
        ck_assert_int_eq(
            create(&c, "c", "{" LAB_ALL_DEVICES ",\"memory\":{\"limit\":268435456}}"), 0);
        pid_t pid = lab_spawn(c.dir_fd, eater_body, NULL);
        while (strlen(lab_read(&lab, c.dir_fd, "memory.current")) < 9)
            ck_assert_int_eq(usleep(20000), 0);
        ck_assert_int_eq(
            update(&c, "{\"memory\":{\"limit\":52428800,\"checkBeforeUpdate\":true}}"), -EBUSY);
        ck_assert_ptr_nonnull(
            strstr(err->text, "linux.resources.memory.limit: 52428800 is below the 1"));
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.max"), "268435456");
        ck_assert_int_eq(kill(pid, 0), 0);
        cgroup_discard(&c);
        ck_assert_int_eq(lab_wait(pid), 128 + SIGKILL);
    }
    lab_close(&lab);
}
END_TEST

START_TEST(create_when_many_limits_then_all_in_force)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    if (has_controller("cpu") && has_controller("cpuset") && has_controller("io") &&
        has_controller("memory")) {
        ck_assert_msg(create(&c, "a/b/c",
                          "{" LAB_ALL_DEVICES ",\"cpu\":{\"shares\":2048,\"quota\":20000,"
                          "\"period\":50000,\"burst\":10000,\"cpus\":\"0\",\"mems\":\"0\"},"
                          "\"memory\":{\"limit\":67108864,\"reservation\":33554432},"
                          "\"unified\":{\"memory.high\":\"60002304\"}}") == 0,
            "%s", err->text);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cpu.weight"), "174");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cpu.max"), "20000 50000");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cpu.max.burst"), "10000");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cpuset.cpus"), "0");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cpuset.mems"), "0");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.max"), "67108864");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.low"), "33554432");
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "memory.high"), "60002304");
        cgroup_discard(&c);
        ck_assert_msg(
            create(&c, "c", "{" LAB_ALL_DEVICES ",\"cpu\":{\"shares\":512,\"idle\":1}}") == 0, "%s",
            err->text);
        ck_assert_str_eq(lab_read(&lab, c.dir_fd, "cpu.idle"), "1");
        cgroup_discard(&c);
    }
    lab_close(&lab);
}
END_TEST

START_TEST(create_when_io_weight_then_by_the_scheduler_that_is_there)
{
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    if (has_controller("io")) {
        int r = create(&c, "c", "{" LAB_ALL_DEVICES ",\"blockIO\":{\"weight\":100}}");
        if (r < 0)
            ck_assert_str_eq(err->text,
                "linux.resources.blockIO.weight: this kernel has no control file io.weight");
        else if (cgroupfs_has(c.dir_fd, "io.bfq.weight"))
            ck_assert_str_eq(lab_read(&lab, c.dir_fd, "io.bfq.weight"), "default 100");
        else
            ck_assert_str_eq(lab_read(&lab, c.dir_fd, "io.weight"), "default 910");
        cgroup_discard(&c);
    }
    lab_close(&lab);
}
END_TEST

/* --- devices --- */

static const char *device_path;

static int opens(dev_t dev, mode_t type, int flags)
{
    (void)unlink(device_path);
    if (mknod(device_path, type | 0600, dev) < 0)
        return -1;
    int fd = open(device_path, flags | O_CLOEXEC);
    int r = fd < 0 ? errno : 0;
    (void)unlink(device_path);
    return r;
}

/* The exit status is the number of the first thing that is not as it should be. */
static int device_body(void)
{
    if (opens(makedev(1, 3), S_IFCHR, O_RDWR) != 0)
        return 1;
    if (opens(makedev(1, 5), S_IFCHR, O_RDONLY) != 0)
        return 2;
    if (opens(makedev(1, 1), S_IFCHR, O_RDONLY) != EPERM) /* memory: made, not opened */
        return 3;
    if (opens(makedev(7, 200), S_IFBLK, O_RDONLY) != EPERM)
        return 4;
    if (opens(makedev(1, 11), S_IFCHR, O_RDONLY) == EPERM) /* a rule allows reading kmsg */
        return 5;
    if (opens(makedev(1, 11), S_IFCHR, O_WRONLY) != EPERM)
        return 6;
    return 0;
}

START_TEST(create_when_device_rules_then_the_kernel_keeps_them)
{
    struct cgroup c = CGROUP_INIT;
    char folder[] = "/tmp/runa-unit-XXXXXX";

    lab_open(&lab);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    device_path = arena_printf(&lab.arena, "%s/node", folder);
    ck_assert_int_eq(mknod(device_path, S_IFCHR | 0600, makedev(1, 3)), 0);
    int fd = open(device_path, O_RDWR | O_CLOEXEC);
    int r = create(&c, "c",
        "{\"devices\":[{\"allow\":false},{\"allow\":true,\"type\":\"c\",\"major\":1,\"minor\":11,"
        "\"access\":\"r\"}]}");
    if (fd < 0) {
        puts("not run here: device nodes of the temporary folder cannot be opened");
    } else if (r == -EPERM) {
        printf("not run here: %s\n", err->text);
    } else {
        ck_assert_msg(r == 0, "%s", err->text);
        ck_assert_int_eq(lab_wait(lab_spawn(c.dir_fd, device_body, NULL)), 0);
    }
    if (fd >= 0)
        (void)close(fd);
    (void)unlink(device_path);
    ck_assert_int_eq(rmdir(folder), 0);
    cgroup_discard(&c);
    lab_close(&lab);
}
END_TEST

START_TEST(largest_device_filter_when_loaded_then_the_verifier_takes_it)
{
    AUTO(buf) struct buf json = BUF_INIT;
    struct cgroup c = CGROUP_INIT;

    lab_open(&lab);
    buf_puts(&json, "{\"devices\":[");
    for (int i = 0; i < DEVICE_RULES_MAX; i++)
        buf_printf(&json,
            "%s{\"allow\":%s,\"type\":\"c\",\"major\":%d,\"minor\":7,\"access\":\"rw\"}",
            i > 0 ? "," : "", i % 3 != 0 ? "true" : "false", i);
    buf_puts(&json, "]}");
    int r = create(&c, "c", buf_str(&json));
    if (r == -EPERM)
        printf("not run here: %s\n", err->text);
    else
        ck_assert_msg(r == 0, "%s", err->text);
    cgroup_discard(&c);
    lab_close(&lab);
}
END_TEST

/* --- finding --- */

START_TEST(open_when_there_then_as_made_else_none)
{
    struct cgroup c = CGROUP_INIT;
    struct cgroup again = CGROUP_INIT;

    lab_open(&lab);
    ck_assert_int_eq(create(&c, "c", "{" LAB_ALL_DEVICES "}"), 0);
    ck_assert_int_eq(cgroup_open(&again, c.path, err), 0);
    ck_assert_str_eq(again.path, c.path);
    cgroup_discard(&c);
    ck_assert_int_eq(cgroup_open(&c, again.path, err), CGROUP_NONE);
    ck_assert_int_eq(c.dir_fd, -1);
    cgroup_done(&again);
    ck_assert_int_eq(cgroup_open(&c, "/tmp", err), -EINVAL);
    ck_assert_str_eq(err->text, "cgroup \"/tmp\": not in a cgroup v2 hierarchy");
    ck_assert_int_lt(cgroup_open(&c, "/proc/self/exe", err), 0);
    lab_close(&lab);
}
END_TEST

START_TEST(own_path_when_asked_then_where_this_process_is)
{
    struct cgroup c = CGROUP_INIT;
    const char *own = NULL;

    lab_open(&lab);
    ck_assert_int_eq(create(&c, "c", "{" LAB_ALL_DEVICES "}"), 0);
    const char *before = NULL;
    ck_assert_int_eq(cgroup_own_path(&lab.arena, &lab.h, &before, err), 0);
    ck_assert_int_eq(before[0], '/');
    pid_t pid = lab_spawn(c.dir_fd, NULL, NULL);
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(lab_wait(pid), 128 + SIGKILL);
    pid = fork();
    if (pid == 0) {
        bool is_well = cgroupfs_write(c.dir_fd, "cgroup.procs", "0") == 0 &&
                       cgroup_own_path(&lab.arena, &lab.h, &own, err) == 0 &&
                       str_eq(own, c.path + strlen(lab.h.path));
        _exit(is_well ? 0 : 1);
    }
    ck_assert_int_eq(lab_wait(pid), 0);
    cgroup_discard(&c);
    lab_close(&lab);
}
END_TEST

/* What a container sees of its place, when it is cloned into it and into a namespace at once. */
static int namespace_body(void)
{
    char path[PATH_MAX];

    return cgroupfs_path_of(0, path, sizeof(path)) == 0 && str_eq(path, "/") ? 0 : 1;
}

START_TEST(clone_when_into_cgroup_and_namespace_at_once_then_rooted_in_it)
{
    struct kernel_clone clone = KERNEL_CLONE_INIT;

    lab_open(&lab);
    struct cgroup c = lab_make(&lab, "c");
    clone.cgroup_fd = c.dir_fd;
    clone.flags = CLONE_NEWCGROUP;
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0)
        _exit(namespace_body());
    ck_assert_int_eq(lab_wait(pid), 0);
    lab_end(&lab, &c);
    lab_close(&lab);
}
END_TEST

/* --- faults --- */

#ifdef RUNA_FAULT_TABLE
/* Every kernel call of a create fails once: either it says so and nothing is left, or it was not needed. */
START_TEST(create_when_any_call_fails_then_error_and_nothing_left)
{
    const char *resources = "{\"unified\":{\"cgroup.max.depth\":\"2\"}}";
    int n_failed = 0;

    lab_open(&lab);
    struct cgroup_plan *plan = lab_plan(&lab, "a/c", resources);
    for (int n = 1; n < 200; n++) {
        struct cgroup c = CGROUP_INIT;
        *err = (struct error)ERR_INIT;
        ck_assert_int_eq(setenv("RUNA_FAULT", arena_printf(&lab.arena, "%d:EIO", n), 1), 0);
        kernel_fault_reset();
        int r = cgroup_create(&c, &lab.h, plan, false, err);
        ck_assert_int_eq(unsetenv("RUNA_FAULT"), 0);
        kernel_fault_reset();
        if (r == 0) {
            cgroup_discard(&c);
            break;
        }
        n_failed++;
        ck_assert_int_eq(r, -EIO);
        ck_assert_int_eq(err->code, EIO);
        ck_assert_int_eq(c.dir_fd, -1);
        ck_assert_msg(!cgroupfs_has(lab.fd, "a"), "call %d: %s", n, err->text);
    }
    ck_assert_int_ge(n_failed, 5);
    lab_close(&lab);
}
END_TEST
#endif

int main(void)
{
    const TTest *const tests[] = {
        create_when_nothing_is_asked_then_there_and_taken_back,
        discard_when_parents_were_there_then_they_stay,
        create_when_processes_are_in_it_then_refused_and_left_alone,
        create_when_an_empty_one_is_left_then_made_anew,
        create_when_cgroups_are_below_it_then_refused_and_left_alone,
        create_when_path_is_a_control_file_then_refused,
        create_when_core_limits_then_written,
        create_when_a_value_is_refused_then_named_and_taken_back,
        create_when_owner_then_only_what_it_needs_is_given,
        create_when_not_permitted_and_nothing_asked_then_none,
        create_when_not_permitted_but_asked_then_clear_error,
        create_when_controller_is_missing_then_limit_controller_and_reason_are_named,
        create_when_parent_has_processes_then_reason_is_named,
        create_when_hugetlb_then_written,
        runc_4014_pids_when_zero_then_late_and_nothing_forks,
        runc_2369_swap_when_given_then_difference_is_in_force,
        crun_315_update_when_one_of_memory_and_swap_then_the_other_stays,
        runc_3509_memory_when_lowered_below_use_with_check_then_refused,
        create_when_many_limits_then_all_in_force,
        create_when_io_weight_then_by_the_scheduler_that_is_there,
        create_when_device_rules_then_the_kernel_keeps_them,
        largest_device_filter_when_loaded_then_the_verifier_takes_it,
        open_when_there_then_as_made_else_none,
        own_path_when_asked_then_where_this_process_is,
        clone_when_into_cgroup_and_namespace_at_once_then_rooted_in_it,
#ifdef RUNA_FAULT_TABLE
        create_when_any_call_fails_then_error_and_nothing_left,
#endif
    };

    return lab_run("cgroup_apply", tests, ARRAY_SIZE(tests));
}
