/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup_task_apply.h"

#include "cgroup_lab.h"
#include "cleanup.h"

static struct lab lab;
static struct error *const err = &lab.err;

static bool is_populated(const struct cgroup *c)
{
    bool ret = false;

    ck_assert_int_eq(cgroup_is_populated(c, &ret, err), 0);
    return ret;
}

START_TEST(kill_when_processes_in_nested_cgroups_then_all_end)
{
    lab_open(&lab);
    struct cgroup c = lab_make(&lab, "c");
    ck_assert_int_eq(cgroupfs_mkdir(c.dir_fd, "below"), 0);
    int below = cgroupfs_open_dir(c.dir_fd, "below");

    ck_assert(!is_populated(&c));
    pid_t pids[] = { lab_spawn(c.dir_fd, NULL, NULL), lab_spawn(below, NULL, NULL) };
    ck_assert(is_populated(&c));
    ck_assert_int_eq(cgroup_kill(&c, LAB_WAIT_MS, err), 0);
    ck_assert(!is_populated(&c));
    for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
        ck_assert_int_eq(lab_wait(pids[i]), 128 + SIGKILL);
    ck_assert_int_eq(close(below), 0);
    lab_end(&lab, &c);
    lab_close(&lab);
}
END_TEST

static int counter_body(void)
{
    static volatile unsigned long n;

    for (;;)
        n++;
    return 0;
}

/* Clock ticks that the process has used so far. */
static unsigned long ticks_of(pid_t pid)
{
    char path[64];
    char text[1024];
    unsigned long user = 0;
    unsigned long kernel = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
    (void)fclose(file);
    ck_assert_int_eq(sscanf(strrchr(text, ')'),
                         ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel),
        2);
    return user + kernel;
}

START_TEST(freeze_when_process_runs_then_it_stands_until_thawed)
{
    bool is_frozen = false;

    lab_open(&lab);
    struct cgroup c = lab_make(&lab, "c");
    pid_t pid = lab_spawn(c.dir_fd, counter_body, NULL);

    ck_assert_int_eq(cgroup_is_frozen(&c, &is_frozen, err), 0);
    ck_assert(!is_frozen);
    ck_assert_msg(cgroup_freeze(&c, LAB_WAIT_MS, err) == 0, "%s", err->text);
    ck_assert_int_eq(cgroup_is_frozen(&c, &is_frozen, err), 0);
    ck_assert(is_frozen);
    unsigned long before = ticks_of(pid);
    ck_assert_int_eq(usleep(100000), 0);
    ck_assert_uint_eq(ticks_of(pid), before);
    ck_assert_int_eq(cgroup_freeze(&c, LAB_WAIT_MS, err), 0);
    ck_assert_int_eq(cgroup_thaw(&c, LAB_WAIT_MS, err), 0);
    ck_assert_int_eq(cgroup_is_frozen(&c, &is_frozen, err), 0);
    ck_assert(!is_frozen);
    ck_assert_int_eq(kill(pid, SIGUSR2), 0);
    ck_assert_int_eq(lab_wait(pid), 128 + SIGUSR2);
    lab_end(&lab, &c);
    lab_close(&lab);
}
END_TEST

START_TEST(kill_when_frozen_then_all_end)
{
    lab_open(&lab);
    struct cgroup c = lab_make(&lab, "c");
    pid_t pid = lab_spawn(c.dir_fd, NULL, NULL);

    ck_assert_int_eq(cgroup_freeze(&c, LAB_WAIT_MS, err), 0);
    ck_assert_int_eq(cgroup_kill(&c, LAB_WAIT_MS, err), 0);
    ck_assert_int_eq(lab_wait(pid), 128 + SIGKILL);
    lab_end(&lab, &c);
    lab_close(&lab);
}
END_TEST

static int stopper_body(void)
{
    (void)kill(getppid(), 0);
    for (;;)
        (void)pause();
    return 0;
}

START_TEST(signal_all_when_many_processes_then_each_gets_it_and_no_other)
{
    enum { N = 150 }; /* several groups of pidfds */
    pid_t pids[N];

    lab_open(&lab);
    struct cgroup c = lab_make(&lab, "c");
    ck_assert_int_eq(cgroupfs_mkdir(c.dir_fd, "below"), 0);
    int below = cgroupfs_open_dir(c.dir_fd, "below");
    pid_t outside = lab_spawn(-1, stopper_body, NULL);

    for (size_t i = 0; i < N; i++)
        pids[i] = lab_spawn(i % 2 == 0 ? c.dir_fd : below, stopper_body, NULL);
    ck_assert_msg(cgroup_signal_all(&c, SIGUSR2, err) == 0, "%s", err->text);
    for (size_t i = 0; i < N; i++)
        ck_assert_int_eq(lab_wait(pids[i]), 128 + SIGUSR2);
    ck_assert_int_eq(kill(outside, SIGUSR1), 0);
    ck_assert_int_eq(lab_wait(outside), 128 + SIGUSR1);
    ck_assert_int_eq(cgroup_signal_all(&c, SIGUSR2, err), 0);
    ck_assert_int_eq(close(below), 0);
    lab_end(&lab, &c);
    lab_close(&lab);
}
END_TEST

START_TEST(procs_when_nested_then_sorted_and_whole)
{
    pid_t *pids = NULL;
    size_t n = 9;

    lab_open(&lab);
    struct cgroup c = lab_make(&lab, "c");
    ck_assert_int_eq(cgroup_procs(&lab.arena, &c, &pids, &n, err), 0);
    ck_assert_uint_eq(n, 0);
    ck_assert_int_eq(cgroupfs_mkdir(c.dir_fd, "below"), 0);
    int below = cgroupfs_open_dir(c.dir_fd, "below");
    pid_t first = lab_spawn(below, NULL, NULL);
    pid_t second = lab_spawn(c.dir_fd, NULL, NULL);

    ck_assert_int_eq(cgroup_procs(&lab.arena, &c, &pids, &n, err), 0);
    ck_assert_uint_eq(n, 2);
    ck_assert_int_eq(pids[0], first < second ? first : second);
    ck_assert_int_eq(pids[1], first < second ? second : first);
    ck_assert_int_eq(close(below), 0);
    lab_end(&lab, &c);
    ck_assert_int_eq(lab_wait(first), 128 + SIGKILL);
    ck_assert_int_eq(lab_wait(second), 128 + SIGKILL);
    lab_close(&lab);
}
END_TEST

START_TEST(procs_when_nested_beyond_the_limit_then_refused)
{
    pid_t *pids = NULL;
    size_t n = 0;

    lab_open(&lab);
    struct cgroup c = lab_make(&lab, "c");
    int fd = cgroupfs_open_dir(c.dir_fd, "");
    for (int i = 0; i <= CGROUP_NEST_MAX; i++) {
        ck_assert_int_eq(cgroupfs_mkdir(fd, "d"), 0);
        int next = cgroupfs_open_dir(fd, "d");
        ck_assert_int_ge(next, 0);
        ck_assert_int_eq(close(fd), 0);
        fd = next;
    }
    ck_assert_int_eq(cgroup_procs(&lab.arena, &c, &pids, &n, err), -ELOOP);
    for (int i = 0; i <= CGROUP_NEST_MAX; i++) {
        int above = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        ck_assert_int_eq(cgroupfs_rmdir(above, "d"), 0);
        ck_assert_int_eq(close(fd), 0);
        fd = above;
    }
    ck_assert_int_eq(close(fd), 0);
    lab_end(&lab, &c);
    lab_close(&lab);
}
END_TEST

START_TEST(remove_when_nested_and_empty_then_gone)
{
    lab_open(&lab);
    struct cgroup c = lab_make(&lab, "c");
    ck_assert_int_eq(cgroupfs_mkdir(c.dir_fd, "a"), 0);
    int a = cgroupfs_open_dir(c.dir_fd, "a");
    ck_assert_int_eq(cgroupfs_mkdir(a, "b"), 0);
    ck_assert_int_eq(close(a), 0);

    ck_assert_msg(cgroup_remove(&c, 0, err) == 0, "%s", err->text);
    ck_assert(!cgroupfs_has(lab.fd, "c"));
    ck_assert_int_eq(cgroup_remove(&c, 0, err), 0);
    ck_assert_int_eq(cgroup_kill(&c, 0, err), 0);
    ck_assert(!is_populated(&c));
    cgroup_done(&c);
    lab_close(&lab);
}
END_TEST

START_TEST(remove_when_populated_then_refused)
{
    lab_open(&lab);
    struct cgroup c = lab_make(&lab, "c");
    pid_t pid = lab_spawn(c.dir_fd, NULL, NULL);

    ck_assert_int_eq(cgroup_remove(&c, 20, err), -EBUSY);
    ck_assert_ptr_nonnull(strstr(err->text, "there are still processes in it"));
    lab_end(&lab, &c);
    ck_assert_int_eq(lab_wait(pid), 128 + SIGKILL);
    lab_close(&lab);
}
END_TEST

START_TEST(anything_when_there_is_no_cgroup_then_remove_is_well)
{
    struct cgroup c = CGROUP_INIT;

    ck_assert_int_eq(cgroup_remove(&c, 0, err), 0);
    cgroup_discard(&c);
    cgroup_done(&c);
    cgroup_done(NULL);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        kill_when_processes_in_nested_cgroups_then_all_end,
        freeze_when_process_runs_then_it_stands_until_thawed,
        kill_when_frozen_then_all_end,
        signal_all_when_many_processes_then_each_gets_it_and_no_other,
        procs_when_nested_then_sorted_and_whole,
        procs_when_nested_beyond_the_limit_then_refused,
        remove_when_nested_and_empty_then_gone,
        remove_when_populated_then_refused,
        anything_when_there_is_no_cgroup_then_remove_is_well,
    };

    return lab_run("cgroup_task_apply", tests, ARRAY_SIZE(tests));
}
