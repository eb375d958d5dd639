/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose: protection of our own binary.
 * Why overlay first: it copies nothing and costs no memory. A read-only bind mount would not do,
 * since its holder can reach the writable mount below it; an overlay has another inode, whose file
 * system has no way to write.
 */
#include "self_exe.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "call.h"
#include "cleanup.h"
#include "file.h"
#include "kernel_const.h"
#include "kernel_internal.h"
#include "mount_call.h"
#include "mountinfo.h"
#include "procfs.h"

#define EXE_BYTES_MAX (256U << 20)
#define SEALS_NEEDED  (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static int open_exe(const struct procfs *procfs)
{
    return procfs_follow(procfs, "self/exe", O_RDONLY | O_NOCTTY);
}

static bool is_sealed(int fd)
{
    int seals = kernel_get_seals(fd);
    return seals >= 0 && (seals & SEALS_NEEDED) == SEALS_NEEDED;
}

static int has_id(const struct mountinfo *mount, void *context)
{
    return mount->id == *(const uint64_t *)context;
}

/* The quick proof: what lies at the root of a mount that is in no place has a path of one component, which names no
 * such file from here. 0: this does not tell, the mounts have to be read. */
static int is_surely_detached(const struct procfs *procfs, int fd)
{
    char path[NAME_MAX + 2];
    struct stat own = { 0 };
    struct stat there = { 0 };
    autoclose int self = procfs_openat(procfs, "self", O_PATH | O_DIRECTORY);

    if (self < 0 || kernel_readlinkat(self, "exe", path, sizeof(path)) < 0 || path[0] != '/' || strchr(path + 1, '/') ||
        kernel_fstat(fd, &own) < 0)
        return 0;
    int r = kernel_fstatat(AT_FDCWD, path, &there, AT_SYMLINK_NOFOLLOW);
    return r == -ENOENT || (r == 0 && (own.st_dev != there.st_dev || own.st_ino != there.st_ino));
}

/* 1 when the file's mount is in no place: nobody but the holders of its fds can reach it. */
static int is_detached(const struct procfs *procfs, int fd)
{
    if (is_surely_detached(procfs, fd))
        return 1;
    struct statx stx;
    int r = kernel_statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx);
    if (r < 0)
        return r;
    if (!(stx.stx_mask & STATX_MNT_ID))
        return 0;
    autoclose int self = procfs_openat(procfs, "self", O_PATH | O_DIRECTORY);
    if (self < 0)
        return self;
    uint64_t id = stx.stx_mnt_id;
    r = mountinfo_each(self, has_id, &id);
    return r < 0 ? r : r == 0;
}

int self_exe_is_protected(const struct procfs *procfs)
{
    autoclose int fd = open_exe(procfs);
    if (fd < 0)
        return fd;
    if (is_sealed(fd))
        return 1;
    struct statfs fs;
    int r = kernel_fstatfs(fd, &fs);
    if (r < 0)
        return r;
    if (fs.f_type == KERNEL_MAGIC_EROFS)
        return 1;
    if (fs.f_type != KERNEL_MAGIC_OVERLAY || !(fs.f_flags & ST_RDONLY))
        return 0;
    return is_detached(procfs, fd);
}

static int check_same_file(int a, int b)
{
    int r = file_is_same(a, b);
    return r < 0 ? r : r == 1 ? 0 : -ESTALE;
}

/* The directory of our binary and the name in it, proved to lead to the very file. */
static int open_exe_directory(
    const struct procfs *procfs, char path[PATH_MAX], const char **ret_name)
{
    autoclose int self = procfs_openat(procfs, "self", O_PATH | O_DIRECTORY);
    if (self < 0)
        return self;
    int n = kernel_readlinkat(self, "exe", path, PATH_MAX);
    if (n < 0)
        return n;
    char *slash = strrchr(path, '/');
    if (path[0] != '/' || !slash || slash[1] == '\0')
        return -ENOENT;
    *slash = '\0';
    autoclose int directory = kernel_open(slash == path ? "/" : path, O_PATH | O_DIRECTORY, 0);
    if (directory < 0)
        return directory;
    autoclose int file = kernel_openat(directory, slash + 1, O_PATH | O_NOFOLLOW, 0);
    if (file < 0)
        return file;
    autoclose int exe = open_exe(procfs);
    if (exe < 0)
        return exe;
    int r = check_same_file(file, exe);
    if (r < 0)
        return r;
    *ret_name = slash + 1;
    return take_fd(&directory);
}

/* An overlay without an upper layer needs two lower ones: any directory of another file system
   does. */
static int open_second_layer(int first)
{
    static const char *const places[] = { "/dev", "/sys", "/run", "/tmp" };
    struct stat own = { 0 }, other = { 0 };
    int r = kernel_fstat(first, &own);
    if (r < 0)
        return r;
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        autoclose int fd = kernel_open(places[i], O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
        if (fd >= 0 && kernel_fstat(fd, &other) == 0 && other.st_dev != own.st_dev)
            return take_fd(&fd);
    }
    return -ENOENT;
}

static int mount_overlay(int first, int second)
{
    char layers[64];
    (void)snprintf(layers, sizeof(layers), "/proc/self/fd/%d:/proc/self/fd/%d", first, second);
    autoclose int fs_fd = kernel_fsopen("overlay");
    if (fs_fd < 0)
        return fs_fd;
    int r = kernel_fsconfig_string(fs_fd, "lowerdir", layers);
    if (r == 0)
        r = kernel_fsconfig_create(fs_fd);
    if (r < 0)
        return r;
    return kernel_fsmount(fs_fd, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID);
}

int self_exe_open_overlay(const struct procfs *procfs)
{
    char path[PATH_MAX];
    const char *name;
    autoclose int directory = open_exe_directory(procfs, path, &name);
    if (directory < 0)
        return directory;
    autoclose int second = open_second_layer(directory);
    if (second < 0)
        return second;
    autoclose int mount = mount_overlay(directory, second);
    if (mount < 0)
        return mount;
    autoclose int fd = kernel_openat2(mount, name, O_PATH | O_NOFOLLOW, 0,
        RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
    if (fd < 0)
        return fd;
    struct statfs fs;
    int r = kernel_fstatfs(fd, &fs);
    if (r < 0)
        return r;
    /* Without an upper layer the super block itself is read-only, whatever is done to a mount of
       it. */
    return fs.f_type == KERNEL_MAGIC_OVERLAY && (fs.f_flags & ST_RDONLY) ? take_fd(&fd) : -EPERM;
}

static int create_memfd(void)
{
    int fd = kernel_memfd_create("runa", MFD_ALLOW_SEALING | MFD_EXEC);
    /* Before 6.3 the flag is unknown, and every memfd can be executed. */
    return fd == -EINVAL ? kernel_memfd_create("runa", MFD_ALLOW_SEALING) : fd;
}

static int seal(int fd)
{
    int r = kernel_fchmod(fd, 0555); /* before F_SEAL_EXEC, which freezes the bits */
    if (r < 0)
        return r;
    r = kernel_add_seals(fd, SEALS_NEEDED | F_SEAL_EXEC);
    if (r == -EINVAL)
        r = kernel_add_seals(fd, SEALS_NEEDED);
    if (r < 0)
        return r;
    return is_sealed(fd) ? 0 : -EPERM;
}

int self_exe_open_memfd(const struct procfs *procfs)
{
    autoclose int exe = open_exe(procfs);
    if (exe < 0)
        return exe;
    autoclose int fd = create_memfd();
    if (fd < 0)
        return fd;
    struct stat from = { 0 }, to = { 0 };
    int r = kernel_fstat(exe, &from);
    if (r == 0)
        r = file_copy(exe, fd, EXE_BYTES_MAX);
    if (r == 0)
        r = kernel_fstat(fd, &to);
    if (r < 0)
        return r;
    if (from.st_size != to.st_size)
        return -EIO;
    r = seal(fd);
    return r < 0 ? r : take_fd(&fd);
}

int self_exe_open(const struct procfs *procfs)
{
    int fd = self_exe_open_overlay(procfs);
    return fd >= 0 ? fd : self_exe_open_memfd(procfs);
}
