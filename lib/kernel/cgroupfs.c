/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: the cgroup v2 hierarchy as directory fds. */
#include "cgroupfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/vfs.h>
#include <time.h>

#include "alloc.h"
#include "call.h"
#include "cleanup.h"
#include "deadline.h"
#include "directory.h"
#include "file.h"
#include "kernel_const.h"
#include "kernel_internal.h"
#include "mountinfo.h"
#include "procfs.h"

#define UNIFIED_PATH    "/sys/fs/cgroup"
#define BENEATH         (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV)
#define REMOVE_PAUSE_NS 500000 /* half a millisecond, doubled up to 16 ms */
#define DEPTH_MAX       64
#define SELF_BYTES_MAX  65536

static bool is_cgroup2(int fd)
{
    struct statfs fs;
    return kernel_fstatfs(fd, &fs) == 0 && fs.f_type == KERNEL_MAGIC_CGROUP2;
}

static int keep(struct cgroupfs *ret, int *fd, const char *path, const char *root)
{
    if (strlen(path) >= sizeof(ret->path) || strlen(root) >= sizeof(ret->root))
        return -ENAMETOOLONG;
    (void)snprintf(ret->path, sizeof(ret->path), "%s", path);
    (void)snprintf(ret->root, sizeof(ret->root), "%s", root);
    ret->is_unified = strcmp(path, UNIFIED_PATH) == 0;
    ret->fd = take_fd(fd);
    return 0;
}

/* The mount that shows most of the hierarchy: the first whose top is its root, else the first. */
struct search {
    struct cgroupfs *ret;
    bool is_found;
};

static int look_at(const struct mountinfo *mount, void *context)
{
    struct search *search = context;
    bool is_whole = strcmp(mount->root, "/") == 0;
    if (strcmp(mount->type, "cgroup2") != 0 || (search->is_found && !is_whole))
        return 0;
    autoclose int fd = kernel_open(mount->target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd < 0 || !is_cgroup2(fd))
        return 0; /* something is mounted over it */
    struct cgroupfs found = CGROUPFS_INIT;
    if (keep(&found, &fd, mount->target, mount->root) < 0)
        return 0;
    cgroupfs_done(search->ret);
    *search->ret = found;
    search->is_found = true;
    return is_whole ? 1 : 0;
}

static int search_mounts(struct cgroupfs *ret)
{
    struct procfs procfs = PROCFS_INIT;
    int r = procfs_open_host(&procfs);
    if (r < 0)
        return r;
    autoclose int self = procfs_openat(&procfs, "self", O_PATH | O_DIRECTORY);
    procfs_done(&procfs);
    if (self < 0)
        return self;
    struct search search = { .ret = ret };
    r = mountinfo_each(self, look_at, &search);
    if (r < 0) {
        cgroupfs_done(ret);
        return r;
    }
    return search.is_found ? 0 : -ENOENT;
}

int cgroupfs_open(struct cgroupfs *ret)
{
    ret->fd = -1;
    autoclose int fd = kernel_open(UNIFIED_PATH, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd >= 0 && is_cgroup2(fd))
        return keep(ret, &fd, UNIFIED_PATH, "/");
    return search_mounts(ret);
}

void cgroupfs_done(struct cgroupfs *cgroupfs)
{
    if (!cgroupfs || cgroupfs->fd < 0)
        return;
    (void)close(cgroupfs->fd);
    cgroupfs->fd = -1;
}

int cgroupfs_path_parse(const char *text, size_t len, char *ret, size_t size)
{
    const char *end = text + len;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t line_len = newline ? (size_t)(newline - text) : (size_t)(end - text);
        if (line_len > 3 && memcmp(text, "0::/", 4) == 0) {
            size_t path_len = line_len - 3;
            if (path_len >= size)
                return -ENAMETOOLONG;
            memcpy(ret, text + 3, path_len);
            ret[path_len] = '\0';
            return 0;
        }
        text += line_len + 1;
    }
    return -ENOENT;
}

int cgroupfs_path_of(pid_t pid, char *ret, size_t size)
{
    char path[32] = "self/cgroup";
    if (pid > 0)
        (void)snprintf(path, sizeof(path), "%d/cgroup", pid);
    struct procfs procfs = PROCFS_INIT;
    int r = procfs_open_host(&procfs);
    if (r < 0)
        return r;
    autoclose int fd = procfs_openat(&procfs, path, O_RDONLY);
    procfs_done(&procfs);
    if (fd < 0)
        return fd == -ENOENT ? -ESRCH : fd;
    autofree char *text = NULL;
    size_t len;
    r = file_read_fd(fd, SELF_BYTES_MAX, &text, &len);
    return r < 0 ? r : cgroupfs_path_parse(text, len, ret, size);
}

int cgroupfs_open_dir(int dirfd, const char *path)
{
    path += strspn(path, "/");
    return kernel_openat2(dirfd, *path != '\0' ? path : ".", O_RDONLY | O_DIRECTORY, 0, BENEATH);
}

int cgroupfs_mkdir(int dirfd, const char *name)
{
    if (name[0] == '\0' || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return -EINVAL;
    return kernel_mkdirat(dirfd, name, 0755);
}

/* The parent's fd of path and the last component; as for cgroupfs_open_dir. */
static int open_parent(int dirfd, const char *path, const char **ret_name)
{
    char parent[PATH_MAX];
    path += strspn(path, "/");
    size_t len = strlen(path);
    if (len == 0 || len >= sizeof(parent) || path[len - 1] == '/')
        return -EINVAL;
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return -EINVAL;
    size_t parent_len = slash ? (size_t)(slash - path) : 0;
    memcpy(parent, path, parent_len);
    parent[parent_len] = '\0';
    *ret_name = name;
    return cgroupfs_open_dir(dirfd, parent);
}

int cgroupfs_rmdir(int dirfd, const char *path)
{
    const char *name;
    autoclose int parent = open_parent(dirfd, path, &name);
    if (parent == -ENOENT)
        return 0;
    if (parent < 0)
        return parent;
    int r = kernel_unlinkat(parent, name, AT_REMOVEDIR);
    return r == -ENOENT ? 0 : r;
}

/* A killed task leaves its cgroup a moment after it was reaped: EBUSY is tried again until the
   deadline. */
static int rmdir_patiently(int parent, const char *name, int64_t deadline)
{
    long pause_ns = REMOVE_PAUSE_NS;
    for (;;) {
        int r = kernel_unlinkat(parent, name, AT_REMOVEDIR);
        if (r == -ENOENT)
            return 0;
        if (r != -EBUSY || deadline_left(deadline) == 0)
            return r;
        struct timespec pause = { .tv_nsec = pause_ns };
        (void)nanosleep(&pause, NULL);
        if (pause_ns < 16000000)
            pause_ns *= 2;
    }
}

static int remove_tree(int parent, const char *name, int64_t deadline, unsigned depth)
{
    if (depth > DEPTH_MAX)
        return -ELOOP;
    autofree struct directory *directory = xmalloc(sizeof(*directory));
    int r = directory_open(directory, parent, name);
    if (r < 0)
        return r == -ENOENT ? 0 : r;
    struct directory_entry entry;
    while ((r = directory_next(directory, &entry)) == 0) {
        if (entry.type != DT_DIR)
            continue;
        r = remove_tree(directory->fd, entry.name, deadline, depth + 1);
        if (r < 0)
            break;
    }
    directory_done(directory);
    return r < 0 ? r : rmdir_patiently(parent, name, deadline);
}

int cgroupfs_remove(int dirfd, const char *path, int timeout_ms)
{
    const char *name;
    autoclose int parent = open_parent(dirfd, path, &name);
    if (parent == -ENOENT)
        return 0;
    if (parent < 0)
        return parent;
    return remove_tree(parent, name, deadline_in(timeout_ms), 0);
}

ssize_t cgroupfs_read(int dirfd, const char *name, char *ret, size_t size)
{
    return file_read_line(dirfd, name, ret, size);
}

int cgroupfs_write(int dirfd, const char *name, const char *text)
{
    return file_write_control(dirfd, name, text);
}

bool cgroupfs_has(int dirfd, const char *name)
{
    return kernel_faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int cgroupfs_kill(int dirfd)
{
    return cgroupfs_write(dirfd, "cgroup.kill", "1");
}
