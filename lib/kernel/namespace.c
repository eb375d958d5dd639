/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: namespaces as fds. */
#include "namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <linux/nsfs.h>

#include "call.h"
#include "cleanup.h"
#include "file.h"
#include "kernel_const.h"
#include "kernel_internal.h"
#include "process.h"
#include "process_call.h"
#include "procfs.h"

static const struct {
    int type;
    const char *name;
} names[] = {
    { CLONE_NEWUSER, "user" },
    { CLONE_NEWNS, "mnt" },
    { CLONE_NEWPID, "pid" },
    { CLONE_NEWNET, "net" },
    { CLONE_NEWIPC, "ipc" },
    { CLONE_NEWUTS, "uts" },
    { CLONE_NEWCGROUP, "cgroup" },
    { CLONE_NEWTIME, "time" },
};

const char *namespace_proc_name(int type)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (names[i].type == type)
            return names[i].name;
    return NULL;
}

static int check_nsfs(int fd)
{
    struct statfs fs;
    int r = kernel_fstatfs(fd, &fs);
    if (r < 0)
        return r;
    return fs.f_type == KERNEL_MAGIC_NSFS ? 0 : -EINVAL;
}

int namespace_type(int fd)
{
    int r = check_nsfs(fd);
    if (r < 0)
        return r;
    KERNEL_CALL("ns_get_nstype");
    return kernel_result(ioctl(fd, NS_GET_NSTYPE));
}

static int check_type(int fd, int type)
{
    int found = namespace_type(fd);
    if (found < 0)
        return found;
    return type == 0 || type == found ? 0 : -EINVAL;
}

int namespace_open(int dirfd, const char *path, int type)
{
    /* First by O_PATH, which does nothing to a FIFO or device; the second open may meet another
       file, and is checked again. */
    autoclose int handle = kernel_openat(dirfd, path, O_PATH, 0);
    if (handle < 0)
        return handle;
    int r = check_nsfs(handle);
    if (r < 0)
        return r;
    autoclose int fd = kernel_openat(dirfd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0)
        return fd;
    r = check_type(fd, type);
    return r < 0 ? r : take_fd(&fd);
}

int namespace_open_pid(int pid_dirfd, int type)
{
    const char *name = namespace_proc_name(type);
    if (!name)
        return -EINVAL;
    autoclose int ns_dir = kernel_openat2(pid_dirfd, "ns", O_PATH | O_DIRECTORY, 0,
        RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS);
    if (ns_dir < 0)
        return ns_dir;
    autoclose int fd = kernel_openat(ns_dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0)
        return fd;
    int r = check_type(fd, type);
    return r < 0 ? r : take_fd(&fd);
}

int namespace_owner(int fd)
{
    KERNEL_CALL("ns_get_userns");
    return kernel_result(ioctl(fd, NS_GET_USERNS)); /* close-on-exec: open_related_ns asks for it */
}

int namespace_write_uid_map(int pid_dirfd, const char *text)
{
    return strlen(text) > NAMESPACE_MAP_BYTES_MAX ? -E2BIG
                                                  : file_write_control(pid_dirfd, "uid_map", text);
}

int namespace_write_gid_map(int pid_dirfd, const char *text)
{
    return strlen(text) > NAMESPACE_MAP_BYTES_MAX ? -E2BIG
                                                  : file_write_control(pid_dirfd, "gid_map", text);
}

int namespace_deny_setgroups(int pid_dirfd)
{
    return file_write_control(pid_dirfd, "setgroups", "deny");
}

int namespace_write_time_offsets(int pid_dirfd, const char *text)
{
    return file_write_control(pid_dirfd, "timens_offsets", text);
}

static int write_maps_and_open(
    const struct procfs *procfs, pid_t pid, int pidfd, const char *uid_map, const char *gid_map)
{
    autoclose int dirfd = procfs_open_pid(procfs, pid, pidfd);
    if (dirfd < 0)
        return dirfd;
    int r = namespace_write_uid_map(dirfd, uid_map);
    if (r == 0)
        r = namespace_write_gid_map(dirfd, gid_map);
    return r < 0 ? r : namespace_open_pid(dirfd, CLONE_NEWUSER);
}

int namespace_new_user(const struct procfs *procfs, const char *uid_map, const char *gid_map)
{
    autoclose int pidfd = -1;
    struct kernel_clone clone = {
        .flags = CLONE_NEWUSER, .ret_pidfd = &pidfd, .cgroup_fd = -1, .exit_signal = SIGCHLD
    };
    pid_t pid = kernel_clone3(&clone);
    if (pid == 0) {
        for (;;)
            (void)pause(); /* killed below; it does nothing, and holds the namespace meanwhile */
    }
    if (pid < 0)
        return pid;
    int fd = write_maps_and_open(procfs, pid, pidfd, uid_map, gid_map);
    process_kill(pidfd);
    return fd;
}

int namespace_is_initial_user(void)
{
    char line[64];
    ssize_t n = file_read_line(AT_FDCWD, "/proc/self/uid_map", line, sizeof(line));
    unsigned inside;
    unsigned outside;
    unsigned count;

    if (n < 0)
        return (int)n;
    return sscanf(line, "%u %u %u", &inside, &outside, &count) == 3 && inside == 0 && outside == 0 &&
           count == UINT32_MAX;
}
