/* SPDX-License-Identifier: Apache-2.0 */
/* The floor: the least work that any runtime must do for the default bundle. clone3 with the bundle's
 * namespaces, its mounts, the default devices and links, masked and read-only paths, hostname,
 * pivot_root, exec, wait. No JSON, no state, no cgroup of its own, no capabilities, no seccomp, no rlimits.
 *
 *   floor BUNDLE             run the bundle's /true
 *   floor BUNDLE CGROUP      the same in a fresh cgroup v2 directory CGROUP, removed afterwards
 *
 * bench/run writes floor_bundle.h out of the very config.json that the runtimes get. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

struct floor_mount {
    const char *source;
    const char *target;
    const char *type;
    unsigned long flags;
    const char *data;
};

#include "floor_bundle.h"

static const struct {
    const char *path;
    unsigned major;
    unsigned minor;
} device_nodes[] = {
    { "dev/null", 1, 3 },
    { "dev/zero", 1, 5 },
    { "dev/full", 1, 7 },
    { "dev/random", 1, 8 },
    { "dev/urandom", 1, 9 },
    { "dev/tty", 5, 0 },
};

static const struct {
    const char *path;
    const char *target;
} device_links[] = {
    { "dev/fd", "/proc/self/fd" },
    { "dev/stdin", "/proc/self/fd/0" },
    { "dev/stdout", "/proc/self/fd/1" },
    { "dev/stderr", "/proc/self/fd/2" },
    { "dev/core", "/proc/kcore" },
    { "dev/ptmx", "pts/ptmx" },
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

__attribute__((noreturn)) static void die(const char *what)
{
    perror(what);
    _exit(125);
}

static void check(long result, const char *what)
{
    if (result < 0)
        die(what);
}

static void mount_filesystems(void)
{
    for (size_t i = 0; floor_mounts[i].target; i++) {
        const struct floor_mount *m = &floor_mounts[i];

        if (mkdir(m->target, 0755) < 0 && errno != EEXIST)
            die(m->target);
        check(mount(m->source, m->target, m->type, m->flags, m->data), m->target);
    }
}

static void make_devices(void)
{
    mode_t old_mask = umask(0);

    for (size_t i = 0; i < LENGTH(device_nodes); i++)
        check(mknod(device_nodes[i].path, S_IFCHR | 0666,
                  makedev(device_nodes[i].major, device_nodes[i].minor)),
            device_nodes[i].path);
    for (size_t i = 0; i < LENGTH(device_links); i++)
        check(symlink(device_links[i].target, device_links[i].path), device_links[i].path);
    umask(old_mask);
}

/* Where a path does not exist there is nothing to hide, as every runtime has it. */
static void restrict_paths(void)
{
    for (size_t i = 0; floor_readonly[i]; i++) {
        if (mount(floor_readonly[i], floor_readonly[i], NULL, MS_BIND | MS_REC, NULL) < 0) {
            if (errno == ENOENT)
                continue;
            die(floor_readonly[i]);
        }
        check(mount(NULL, floor_readonly[i], NULL,
                  MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL),
            floor_readonly[i]);
    }
    for (size_t i = 0; floor_masked[i]; i++) {
        if (mount("/dev/null", floor_masked[i], NULL, MS_BIND, NULL) == 0 || errno == ENOENT)
            continue;
        if (errno != ENOTDIR)
            die(floor_masked[i]);
        check(mount("tmpfs", floor_masked[i], "tmpfs", MS_RDONLY, "nr_blocks=1,nr_inodes=1"),
            floor_masked[i]);
    }
}

__attribute__((noreturn)) static void child_run(const char *bundle)
{
    static char *const argv[] = { "/true", NULL };
    static char *const envp[] = { "PATH=/bin", NULL };

    check(mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL), "/");
    check(chdir(bundle), bundle);
    check(mount("rootfs", "rootfs", NULL, MS_BIND | MS_REC, NULL), "rootfs");
    check(chdir("rootfs"), "rootfs");
    mount_filesystems();
    make_devices();
    check(sethostname(floor_hostname, sizeof(floor_hostname) - 1), "hostname");
    check(syscall(SYS_pivot_root, ".", "."), "pivot_root");
    check(umount2(".", MNT_DETACH), "umount");
    check(chdir("/"), "/");
    restrict_paths();
    if (FLOOR_ROOT_READONLY)
        check(mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), "/");
    execve(argv[0], argv, envp);
    die(argv[0]);
}

int main(int argc, char **argv)
{
    struct clone_args args = { .flags = FLOOR_NAMESPACES, .exit_signal = SIGCHLD };
    const char *cgroup = argc > 2 ? argv[2] : NULL;
    int status;
    long pid;

    if (argc < 2) {
        fputs("usage: floor BUNDLE [CGROUP]\n", stderr);
        return 2;
    }
    if (cgroup) {
        int fd;

        check(mkdir(cgroup, 0755), cgroup);
        fd = open(cgroup, O_DIRECTORY | O_CLOEXEC | O_PATH);
        check(fd, cgroup);
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = (uint64_t)(unsigned)fd;
    }
    pid = syscall(SYS_clone3, &args, sizeof(args));
    check(pid, "clone3");
    if (pid == 0)
        child_run(argv[1]);
    check(waitpid((pid_t)pid, &status, 0), "waitpid");
    if (cgroup)
        check(rmdir(cgroup), cgroup);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
