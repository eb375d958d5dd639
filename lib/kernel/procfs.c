/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: a procfs that can be trusted. */
#include "procfs.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "call.h"
#include "cleanup.h"
#include "file.h"
#include "kernel_const.h"
#include "kernel_internal.h"
#include "mount_call.h"
#include "parse_num.h"
#include "process_call.h"

#define STAT_BYTES_MAX   2048
#define STATUS_BYTES_MAX 16384
#define FIELD_STATE      3
#define FIELD_START_TIME 22

static int check_magic(int fd)
{
    struct statfs fs;
    int r = kernel_fstatfs(fd, &fs);
    if (r < 0)
        return r;
    return fs.f_type == KERNEL_MAGIC_PROC ? 0 : -EXDEV;
}

static int open_own(enum procfs_scope scope)
{
    autoclose int fs_fd = kernel_fsopen("proc");
    if (fs_fd < 0)
        return fs_fd;
    if (scope == PROCFS_PIDS) {
        int r = kernel_fsconfig_string(fs_fd, "subset", "pid");
        if (r < 0)
            return r;
    }
    int r = kernel_fsconfig_create(fs_fd);
    if (r < 0)
        return r;
    return kernel_fsmount(fs_fd, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

int procfs_open_host(struct procfs *ret)
{
    autoclose int fd = kernel_open("/proc", O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd < 0)
        return fd;
    int r = check_magic(fd);
    if (r < 0)
        return r;
    struct stat st;
    r = kernel_fstat(fd, &st);
    if (r < 0)
        return r;
    if (st.st_ino != KERNEL_PROC_ROOT_INO)
        return -EXDEV; /* a part of procfs bound over /proc */
    ret->fd = take_fd(&fd);
    ret->is_own = false;
    return 0;
}

int procfs_open(struct procfs *ret, enum procfs_scope scope)
{
    autoclose int fd = open_own(scope);
    if (fd < 0)
        return procfs_open_host(ret);
    int r = check_magic(fd);
    if (r < 0)
        return r;
    ret->fd = take_fd(&fd);
    ret->is_own = true;
    return 0;
}

void procfs_done(struct procfs *procfs)
{
    if (!procfs || procfs->fd < 0)
        return;
    (void)close(procfs->fd);
    procfs->fd = -1;
}

int procfs_openat(const struct procfs *procfs, const char *path, int flags)
{
    return kernel_openat2(procfs->fd, path, (uint64_t)flags, 0,
        RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS);
}

/* Nothing may lie over the link itself: its mount is the directory's. */
static int check_same_mount(int dirfd, const char *name)
{
    struct statx directory = { 0 }, link = { 0 };
    int r = kernel_statx(dirfd, "", AT_EMPTY_PATH, STATX_MNT_ID, &directory);
    if (r == 0)
        r = kernel_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &link);
    if (r < 0)
        return r;
    if (!(directory.stx_mask & link.stx_mask & STATX_MNT_ID))
        return -ENOSYS;
    return directory.stx_mnt_id == link.stx_mnt_id ? 0 : -EXDEV;
}

int procfs_follow(const struct procfs *procfs, const char *path, int flags)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path || (size_t)(slash - path) >= sizeof(parent))
        return -EINVAL;
    memcpy(parent, path, (size_t)(slash - path));
    parent[slash - path] = '\0';
    autoclose int dirfd = procfs_openat(procfs, parent, O_PATH | O_DIRECTORY);
    if (dirfd < 0)
        return dirfd;
    int r = procfs->is_own ? 0 : check_same_mount(dirfd, slash + 1);
    return r < 0 ? r : kernel_openat(dirfd, slash + 1, flags, 0);
}

int procfs_reopen(const struct procfs *procfs, int fd, int flags)
{
    struct stat st;
    int r = kernel_fstat(fd, &st);
    if (r < 0)
        return r;
    if (S_ISLNK(st.st_mode))
        return -ELOOP;
    char path[32];
    (void)snprintf(path, sizeof(path), "self/fd/%d", fd);
    return procfs_follow(procfs, path, flags & ~O_NOFOLLOW);
}

int procfs_open_pid(const struct procfs *procfs, pid_t pid, int pidfd)
{
    char path[32];
    if (pid <= 0)
        return -ESRCH;
    (void)snprintf(path, sizeof(path), "%d", pid);
    autoclose int fd = procfs_openat(procfs, path, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return fd == -ENOENT ? -ESRCH : fd;
    /* The number belongs to the pidfd's process until that is reaped; if it still is there now, the
       directory is its own. */
    int r = pidfd < 0 ? 0 : kernel_pidfd_send_signal(pidfd, 0);
    return r < 0 && r != -EPERM ? r : take_fd(&fd);
}

int procfs_start_time(
    const struct procfs *procfs, pid_t pid, unsigned long long *ret_ticks, char *ret_state)
{
    char path[32];
    char text[STAT_BYTES_MAX];
    if (pid <= 0)
        return -ESRCH;
    (void)snprintf(path, sizeof(path), "%d", pid);
    autoclose int dirfd = procfs_openat(procfs, path, O_PATH | O_DIRECTORY);
    if (dirfd < 0)
        return dirfd == -ENOENT ? -ESRCH : dirfd;
    ssize_t n = file_read_line(dirfd, "stat", text, sizeof(text));
    if (n < 0)
        return n == -ENOENT ? -ESRCH : (int)n;
    /* The name in field 2 may hold blanks and parentheses: count from the last one. */
    const char *at = strrchr(text, ')');
    if (!at || at[1] != ' ' || at[2] == '\0')
        return -EINVAL;
    at += 2;
    char state = *at;
    for (int field = FIELD_STATE; field < FIELD_START_TIME; field++) {
        at = strchr(at, ' ');
        if (!at)
            return -EINVAL;
        at++;
    }
    uint64_t ticks;
    int r = parse_u64(at, strspn(at, "0123456789"), UINT64_MAX, &ticks);
    if (r < 0)
        return r;
    *ret_ticks = ticks;
    if (ret_state)
        *ret_state = state;
    return 0;
}

int procfs_status_field(int pid_dirfd, const char *field, char *ret, size_t size)
{
    char text[STATUS_BYTES_MAX];
    ssize_t n = file_read_line(pid_dirfd, "status", text, sizeof(text));
    if (n < 0)
        return (int)n;
    size_t field_len = strlen(field);
    for (const char *line = text; line && *line != '\0';) {
        const char *end = strchr(line, '\n');
        size_t len = end ? (size_t)(end - line) : strlen(line);
        if (len > field_len && strncmp(line, field, field_len) == 0 && line[field_len] == ':') {
            const char *value = line + field_len + 1;
            value += strspn(value, " \t");
            size_t value_len = len - (size_t)(value - line);
            if (value_len >= size)
                return -ENOSPC;
            memcpy(ret, value, value_len);
            ret[value_len] = '\0';
            return 0;
        }
        line = end ? end + 1 : NULL;
    }
    return -ENOENT;
}
