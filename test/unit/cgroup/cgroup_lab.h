/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  A cgroup of the test's own at the top of the v2 hierarchy, below which everything happens,
 *          and children that live in cgroups. The lab checks that nothing is left at its end.
 * Runs in  tests with root
 */
#pragma once
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "cgroup_apply.h"
#include "cgroup_plan.h"
#include "cgroup_task_apply.h"
#include "cgroupfs.h"
#include "err.h"
#include "oci_config.h"
#include "oci_config_parse.h"
#include "process_call.h"
#include "role.h"
#include "strv.h"
#include "unit.h"

#define LAB_WAIT_MS 5000
#define LAB_PREFIX  "runa-unit-%d-" /* the id of the test program, its children are one a case */

struct lab {
    struct arena arena;
    struct error err;
    struct cgroupfs h;
    const char *name; /* of the cgroup of the test's own */
    int fd;
    int n_fds;
};

static inline int lab_count_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    ck_assert_ptr_nonnull(dir);
    while (readdir(dir) != NULL)
        n++;
    (void)closedir(dir);
    return n;
}

static inline void lab_open(struct lab *lab)
{
    *lab = (struct lab){ .h = CGROUPFS_INIT, .n_fds = lab_count_fds() };
    ck_assert_msg(cgroup_hierarchy_open(&lab->h, &lab->err) == 0, "%s", lab->err.text);
    lab->name = arena_printf(&lab->arena, LAB_PREFIX "%d", getppid(), getpid());
    ck_assert_int_eq(cgroupfs_mkdir(lab->h.fd, lab->name), 0);
    lab->fd = cgroupfs_open_dir(lab->h.fd, lab->name);
    ck_assert_int_ge(lab->fd, 0);
}

/* Nothing below the test's own cgroup, and no fd more than before. */
static inline void lab_close(struct lab *lab)
{
    ck_assert_int_eq(cgroupfs_rmdir(lab->h.fd, lab->name), 0);
    ck_assert_int_eq(close(lab->fd), 0);
    cgroupfs_done(&lab->h);
    arena_done(&lab->arena);
    ck_assert_int_eq(lab_count_fds(), lab->n_fds);
}

static inline struct cgroup_plan *lab_plan(struct lab *lab, const char *path, const char *resources)
{
    struct oci_resources *parsed = NULL;
    struct oci_config *config = arena_new(&lab->arena, struct oci_config);
    struct cgroup_plan *plan = NULL;

    ck_assert_msg(oci_resources_parse(
                      &lab->arena, "test", resources, strlen(resources), &parsed, &lab->err) == 0,
        "%s", lab->err.text);
    config->linux_.resources = *parsed;
    config->linux_.cgroups_path = arena_printf(&lab->arena, "/%s/%s", lab->name, path);
    ck_assert_msg(cgroup_plan_build(&lab->arena, config, "box", NULL, &plan, &lab->err) == 0, "%s",
        lab->err.text);
    return plan;
}

/* Without a device filter, so that it works where programs cannot be loaded. */
#define LAB_ALL_DEVICES "\"devices\":[{\"allow\":true}]"

static inline struct cgroup lab_make(struct lab *lab, const char *path)
{
    struct cgroup c = CGROUP_INIT;
    struct cgroup_plan *plan = lab_plan(lab, path, "{" LAB_ALL_DEVICES "}");

    ck_assert_msg(cgroup_create(&c, &lab->h, plan, false, &lab->err) == 0, "%s", lab->err.text);
    return c;
}

static inline const char *lab_read(struct lab *lab, int dir_fd, const char *file)
{
    char text[4096];
    ssize_t n = cgroupfs_read(dir_fd, file, text, sizeof(text));

    return n < 0 ? strerror((int)-n) : arena_strdup(&lab->arena, text);
}

/* A child born in the cgroup, that waits for signals or runs body. */
static inline pid_t lab_spawn(int cgroup_fd, int (*body)(void), int *ret_pidfd)
{
    struct kernel_clone clone = KERNEL_CLONE_INIT;

    clone.cgroup_fd = cgroup_fd;
    clone.ret_pidfd = ret_pidfd;
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0) {
        if (body != NULL)
            _exit(body());
        for (;;)
            (void)pause();
    }
    return pid;
}

static inline int lab_wait(pid_t pid)
{
    int status = 0;

    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void lab_end(struct lab *lab, struct cgroup *c)
{
    ck_assert_msg(cgroup_kill(c, LAB_WAIT_MS, &lab->err) == 0, "%s", lab->err.text);
    ck_assert_msg(cgroup_remove(c, LAB_WAIT_MS, &lab->err) == 0, "%s", lab->err.text);
    cgroup_done(c);
}

/* Takes away what cases that failed have left. */
static inline void lab_sweep(const struct cgroupfs *h)
{
    char prefix[64];
    struct dirent *entry;
    DIR *dir = opendir(h->path);

    (void)snprintf(prefix, sizeof(prefix), LAB_PREFIX, getpid());
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (!str_starts(entry->d_name, prefix))
            continue;
        int fd = cgroupfs_open_dir(h->fd, entry->d_name);
        (void)cgroupfs_kill(fd);
        (void)close(fd);
        (void)cgroupfs_remove(h->fd, entry->d_name, LAB_WAIT_MS);
    }
    if (dir != NULL)
        (void)closedir(dir);
}

/* The main of such a test; 77 with the reason printed where it cannot run. */
static inline int lab_run(const char *name, const TTest *const *tests, size_t n)
{
    struct cgroupfs h = CGROUPFS_INIT;
    struct error err = ERR_INIT;
    char probe[64];

    role_set(ROLE_PARENT);
    if (geteuid() != 0) {
        puts("skipped: needs root");
        return 77;
    }
    if (cgroup_hierarchy_open(&h, &err) < 0) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    (void)snprintf(probe, sizeof(probe), LAB_PREFIX "probe", getpid());
    int r = cgroupfs_mkdir(h.fd, probe);
    if (r == 0)
        r = cgroupfs_rmdir(h.fd, probe);
    if (r < 0) {
        printf("skipped: cannot make a cgroup below %s: %s\n", h.path, strerror(-r));
        cgroupfs_done(&h);
        return 77;
    }
    r = unit_run(name, tests, n);
    lab_sweep(&h);
    cgroupfs_done(&h);
    return r;
}
