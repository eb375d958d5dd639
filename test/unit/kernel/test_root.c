/* SPDX-License-Identifier: Apache-2.0 */
/* Names in a hostile root: links, dangling links, "..", and a second process that swaps what is
   looked at. */
#include <errno.h>
#include <signal.h>
#include <sys/vfs.h>
#include <time.h>

#include "kernel_const.h"
#include "kernel_unit.h"
#include "procfs.h"
#include "root.h"

static int outside_fd; /* parent of the root */

static struct root new_root(void)
{
    struct root root = ROOT_INIT;
    outside_fd = kernel_unit_private_directory();
    ck_assert_int_eq(mkdirat(outside_fd, "root", 0755), 0);
    kernel_unit_write(outside_fd, "canary", "outside");
    ck_assert_int_eq(root_open(&root, outside_fd, "root"), 0);
    return root;
}

static bool is_same(int fd, const struct root *root, const char *path)
{
    struct stat a, b;
    ck_assert_int_eq(fstat(fd, &a), 0);
    ck_assert_int_eq(fstatat(root->fd, path, &b, AT_SYMLINK_NOFOLLOW), 0);
    return a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

START_TEST(open_of_a_link_as_root_is_refused)
{
    struct root root = new_root();
    struct root other = ROOT_INIT;
    ck_assert_int_eq(symlinkat("root", outside_fd, "link"), 0);
    int r = root_open(&other, outside_fd, "link");
    ck_assert(r == -ELOOP || r == -ENOTDIR);
    root_done(&root);
    root_done(&root);
    root_done(NULL);
}
END_TEST

START_TEST(dots_and_absolute_links_stay_inside)
{
    struct root root = new_root();
    kernel_unit_write(root.fd, "canary", "inside");
    ck_assert_int_eq(symlinkat("/canary", root.fd, "absolute"), 0);
    ck_assert_int_eq(symlinkat("../../../canary", root.fd, "up"), 0);
    const char *const names[] = { "canary", "/canary", "../canary", "/../../canary", "absolute",
        "up" };
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char text[16] = "";
        autoclose int fd = root_resolve(&root, names[i], O_RDONLY);
        ck_assert_int_ge(fd, 0);
        ck_assert(kernel_unit_is_cloexec(fd));
        ck_assert_int_eq((int)read(fd, text, sizeof(text)), 6);
        ck_assert_str_eq(text, "inside");
    }
    root_done(&root);
}
END_TEST

START_TEST(magic_links_are_refused)
{
    struct root root = new_root();
    ck_assert_int_eq(mkdirat(root.fd, "proc", 0755), 0);
    ck_assert_int_eq(mount("proc", "/tmp/root/proc", "proc", 0, NULL), 0);
    ck_assert_int_eq(root_resolve(&root, "/proc/self/root/etc/passwd", O_RDONLY), -ELOOP);
    ck_assert_int_eq(root_resolve(&root, "/proc/self/exe", O_RDONLY), -ELOOP);
    ck_assert_int_lt(root_mkdirs(&root, "/proc/self/root/tmp/made", 0755), 0);
    ck_assert_int_lt(root_create_file(&root, "/proc/self/cwd/made", 0644), 0);
    struct stat st;
    ck_assert_int_eq(stat("/tmp/made", &st), -1);
    root_done(&root);
}
END_TEST

START_TEST(creating_through_resolve_is_refused)
{
    struct root root = new_root();
    ck_assert_int_eq(root_resolve(&root, "new", O_WRONLY | O_CREAT), -EINVAL);
    root_done(&root);
}
END_TEST

START_TEST(parent_gives_last_component)
{
    struct root root = new_root();
    char name[NAME_MAX + 1];
    ck_assert_int_eq(mkdirat(root.fd, "a", 0755), 0);
    autoclose int fd = root_parent(&root, "/a/b//", name);
    ck_assert_int_ge(fd, 0);
    ck_assert(is_same(fd, &root, "a"));
    ck_assert_str_eq(name, "b");
    autoclose int top = root_parent(&root, "b", name);
    ck_assert(is_same(top, &root, "."));
    const char *const bad[] = { "", "/", "..", "a/..", ".", "a/." };
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_int_eq(root_parent(&root, bad[i], name), -EINVAL);
    char too_long[NAME_MAX + 2];
    memset(too_long, 'x', sizeof(too_long) - 1);
    too_long[sizeof(too_long) - 1] = '\0';
    ck_assert_int_eq(root_parent(&root, too_long, name), -ENAMETOOLONG);
    root_done(&root);
}
END_TEST

START_TEST(mkdirs_makes_what_is_missing)
{
    struct root root = new_root();
    unsigned before = kernel_unit_count_fds();
    (void)umask(0);
    int fd = root_mkdirs(&root, "/a/./b//c/", 0700);
    ck_assert_int_ge(fd, 0);
    ck_assert(is_same(fd, &root, "a/b/c"));
    struct stat st;
    ck_assert_int_eq(fstat(fd, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0700);
    (void)close(fd);
    fd = root_mkdirs(&root, "/a/b/c", 0755);
    ck_assert_int_ge(fd, 0);
    (void)close(fd);
    fd = root_mkdirs(&root, "", 0755);
    ck_assert(is_same(fd, &root, "."));
    (void)close(fd);
    fd = root_mkdirs(&root, "x/../../../y/..", 0755);
    ck_assert(is_same(fd, &root, "."));
    (void)close(fd);
    ck_assert_int_eq(faccessat(root.fd, "y", F_OK, 0), 0);
    ck_assert_int_eq(faccessat(outside_fd, "y", F_OK, 0), -1);
    ck_assert_uint_eq(kernel_unit_count_fds(), before);
    root_done(&root);
}
END_TEST

/* runc-5090: /conf -> /real/conf, whose target is missing. */
START_TEST(mkdirs_makes_target_of_dangling_link_inside)
{
    struct root root = new_root();
    ck_assert_int_eq(symlinkat("/real/conf", root.fd, "conf"), 0);
    ck_assert_int_eq(symlinkat("../../../tmp/escape", root.fd, "up"), 0);
    autoclose int fd = root_mkdirs(&root, "/conf/stack", 0755);
    ck_assert_int_ge(fd, 0);
    ck_assert(is_same(fd, &root, "real/conf/stack"));
    autoclose int up = root_mkdirs(&root, "up", 0755);
    ck_assert_int_ge(up, 0);
    ck_assert(is_same(up, &root, "tmp/escape"));
    ck_assert_int_eq(faccessat(outside_fd, "escape", F_OK, 0), -1);
    ck_assert_int_eq(faccessat(AT_FDCWD, "/real", F_OK, 0), -1);
    root_done(&root);
}
END_TEST

START_TEST(link_chains_end)
{
    struct root root = new_root();
    char from[16], to[16];
    for (int i = 0; i < 39; i++) {
        (void)snprintf(from, sizeof(from), "l%d", i);
        (void)snprintf(to, sizeof(to), "l%d", i + 1);
        ck_assert_int_eq(symlinkat(to, root.fd, from), 0);
    }
    autoclose int fd = root_mkdirs(&root, "l0/end", 0755);
    ck_assert_int_ge(fd, 0);
    ck_assert(is_same(fd, &root, "l39/end"));
    ck_assert_int_eq(symlinkat("loop", root.fd, "loop"), 0);
    ck_assert_int_eq(symlinkat("ring2", root.fd, "ring1"), 0);
    ck_assert_int_eq(symlinkat("ring1", root.fd, "ring2"), 0);
    ck_assert_int_eq(symlinkat("deep/x", root.fd, "deep"), 0);
    ck_assert_int_eq(root_mkdirs(&root, "loop/a", 0755), -ELOOP);
    ck_assert_int_eq(root_mkdirs(&root, "ring1", 0755), -ELOOP);
    ck_assert_int_eq(root_mkdirs(&root, "deep", 0755), -ELOOP);
    ck_assert_int_eq(root_create_file(&root, "ring1", 0644), -ELOOP);
    root_done(&root);
}
END_TEST

START_TEST(file_in_the_way_is_not_a_directory)
{
    struct root root = new_root();
    kernel_unit_write(root.fd, "file", "x");
    ck_assert_int_eq(root_mkdirs(&root, "file", 0755), -ENOTDIR);
    ck_assert_int_eq(root_mkdirs(&root, "file/a", 0755), -ENOTDIR);
    ck_assert_int_eq(root_mkdirs(&root, "missing/../file/a", 0755), -ENOTDIR);
    ck_assert_int_eq(root_create_file(&root, "file/a", 0644), -ENOTDIR);
    root_done(&root);
}
END_TEST

START_TEST(create_file_makes_parents_and_follows_dangling_link)
{
    struct root root = new_root();
    (void)umask(022);
    autoclose int plain = root_create_file(&root, "/etc/sub/resolv.conf", 0644);
    ck_assert_int_ge(plain, 0);
    ck_assert(is_same(plain, &root, "etc/sub/resolv.conf"));
    ck_assert(kernel_unit_is_cloexec(plain));
    ck_assert_int_eq(symlinkat("/usr/share/zoneinfo/Nowhere/City", root.fd, "etc/localtime"), 0);
    autoclose int zone = root_create_file(&root, "etc/localtime", 0644);
    ck_assert_int_ge(zone, 0);
    ck_assert(is_same(zone, &root, "usr/share/zoneinfo/Nowhere/City"));
    ck_assert_int_eq(faccessat(AT_FDCWD, "/usr/share/zoneinfo/Nowhere", F_OK, 0), -1);
    ck_assert_int_eq(root_create_file(&root, "etc/sub", 0644), -EISDIR);
    ck_assert_int_eq(root_create_file(&root, "/", 0644), -EISDIR);
    ck_assert_int_eq(root_create_file(&root, "etc/..", 0644), -EISDIR);
    root_done(&root);
}
END_TEST

START_TEST(existing_target_is_neither_opened_nor_changed)
{
    struct root root = new_root();
    kernel_unit_write(root.fd, "file", "kept");
    ck_assert_int_eq(mkfifoat(root.fd, "fifo", 0600), 0);
    /* an open for reading would block */
    autoclose int fifo = root_create_file(&root, "fifo", 0644);
    ck_assert(is_same(fifo, &root, "fifo"));
    autoclose int file = root_create_file(&root, "file", 0644);
    struct stat st;
    ck_assert_int_eq(fstat(file, &st), 0);
    ck_assert_int_eq((int)st.st_size, 4);
    ck_assert_int_ne(fcntl(file, F_GETFL) & O_PATH, 0);
    root_done(&root);
}
END_TEST

START_TEST(path_of_great_length_is_refused)
{
    struct root root = new_root();
    char path[PATH_MAX + 10];
    for (size_t i = 0; i + 1 < sizeof(path); i++)
        path[i] = i % 2 ? 'a' : '/';
    path[sizeof(path) - 1] = '\0';
    ck_assert_int_eq(root_mkdirs(&root, path, 0755), -ENAMETOOLONG);
    char name[NAME_MAX + 10];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    ck_assert_int_eq(root_mkdirs(&root, name, 0755), -ENAMETOOLONG);
    ck_assert_int_eq(root_create_file(&root, name, 0644), -ENAMETOOLONG);
    root_done(&root);
}
END_TEST

/* Swaps a directory and a link out of the root as fast as it can. */
static pid_t start_swapper(int dirfd, const char *a, const char *b)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    for (;;)
        (void)renameat2(dirfd, a, dirfd, b, RENAME_EXCHANGE);
}

static bool is_time_left(const struct timespec *start)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000 < 1000;
}

START_TEST(swapped_link_never_leads_outside)
{
    struct root root = new_root();
    ck_assert_int_eq(mkdirat(outside_fd, "secret", 0755), 0);
    kernel_unit_write(outside_fd, "secret/file", "outside");
    ck_assert_int_eq(mkdirat(root.fd, "dir", 0755), 0);
    ck_assert_int_eq(mkdirat(root.fd, "dir/sub", 0755), 0);
    ck_assert_int_eq(symlinkat("../../../../tmp/secret", root.fd, "link"), 0);
    pid_t pid = start_swapper(root.fd, "dir", "link");
    struct timespec start;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    unsigned n_good = 0, n_tries = 0;
    for (; is_time_left(&start); n_tries++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "dir/made%u", n_tries % 50);
        int fds[4] = {
            root_resolve(&root, "dir/file", O_RDONLY),
            root_mkdirs(&root, name, 0755),
            root_create_file(&root, "dir/sub/../new", 0644),
            root_resolve(&root, "dir/sub/../../dir/sub/../../../canary", O_RDONLY),
        };
        ck_assert_int_lt(fds[0], 0); /* exists outside only */
        ck_assert_int_lt(fds[3], 0);
        for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
            if (fds[i] >= 0) {
                n_good++;
                (void)close(fds[i]);
            }
    }
    (void)kill(pid, SIGKILL);
    (void)kernel_unit_exit_status(pid);
    ck_assert_uint_gt(n_good, 0);
    /* Outside there is nothing but what was there. */
    unsigned n = 0;
    DIR *directory = opendir("/tmp/secret");
    while (readdir(directory))
        n++;
    (void)closedir(directory);
    ck_assert_uint_eq(n, 3);
    ck_assert_int_eq(faccessat(outside_fd, "new", F_OK, 0), -1);
    root_done(&root);
}
END_TEST

START_TEST(component_swapped_while_walked_stays_inside)
{
    struct root root = new_root();
    ck_assert_int_eq(mkdirat(outside_fd, "secret", 0755), 0);
    ck_assert_int_eq(symlinkat("/tmp/secret", root.fd, "link"), 0);
    pid_t pid = fork();
    if (pid == 0) {
        for (;;) { /* takes away what was just made and puts the link there */
            (void)unlinkat(root.fd, "a/b", AT_REMOVEDIR);
            (void)renameat2(root.fd, "a", root.fd, "link", RENAME_EXCHANGE);
            (void)unlinkat(root.fd, "a/b", AT_REMOVEDIR);
        }
    }
    struct timespec start;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    while (is_time_left(&start)) {
        autoclose int fd = root_mkdirs(&root, "a/b/c", 0755);
        if (fd >= 0)
            (void)unlinkat(root.fd, "a/b/c", AT_REMOVEDIR);
        autoclose int file = root_create_file(&root, "a/b/f", 0644);
        if (file >= 0)
            (void)unlinkat(root.fd, "a/b/f", 0);
    }
    (void)kill(pid, SIGKILL);
    (void)kernel_unit_exit_status(pid);
    ck_assert_int_eq(unlinkat(outside_fd, "secret", AT_REMOVEDIR), 0); /* still empty */
    root_done(&root);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { open_of_a_link_as_root_is_refused,
        dots_and_absolute_links_stay_inside, magic_links_are_refused,
        creating_through_resolve_is_refused, parent_gives_last_component,
        mkdirs_makes_what_is_missing, mkdirs_makes_target_of_dangling_link_inside, link_chains_end,
        file_in_the_way_is_not_a_directory, create_file_makes_parents_and_follows_dangling_link,
        existing_target_is_neither_opened_nor_changed, path_of_great_length_is_refused,
        swapped_link_never_leads_outside, component_swapped_while_walked_stays_inside };

    if (kernel_unit_lacks_root("root"))
        return SKIPPED;
    return unit_run("root", tests, ARRAY_SIZE(tests));
}
