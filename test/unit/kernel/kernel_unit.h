/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: what the tests of lib/kernel share: a temporary directory, counting fds, private
   namespaces, skipping. */
#pragma once
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cleanup.h"
#include "unit.h"

#define SKIPPED 77

/* For main: a reason and 77 where root is needed and absent. */
static inline bool kernel_unit_lacks_root(const char *name)
{
    if (geteuid() == 0)
        return false;
    printf("%s: skipped: needs root\n", name);
    return true;
}

/* An fd of a new directory on a tmpfs of its own, in a private mount namespace: it goes with the
   test's process. */
static inline int kernel_unit_private_directory(void)
{
    ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
    ck_assert_int_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    ck_assert_int_eq(mount("tmpfs", "/tmp", "tmpfs", 0, "mode=1777"), 0);
    int fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

static inline unsigned kernel_unit_count_fds(void)
{
    unsigned n = 0;
    DIR *directory = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(directory);
    while (readdir(directory))
        n++;
    (void)closedir(directory);
    return n;
}

static inline void kernel_unit_write(int dirfd, const char *path, const char *text)
{
    autoclose int fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
}

static inline int kernel_unit_exit_status(pid_t pid)
{
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline bool kernel_unit_is_cloexec(int fd)
{
    return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}
