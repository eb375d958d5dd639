/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of built programs: found again, never believed when it is not ours or not whole. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "cleanup.h"
#include "directory.h"
#include "err.h"
#include "oci_config.h"
#include "syscall_filter_build.h"
#include "syscall_filter_cache.h"
#include "syscall_filter_plan.h"
#include "unit.h"

static struct arena arena = ARENA_INIT;
static struct syscall_filter_plan plan;
static char dir_path[64];
static char file_name[NAME_MAX + 1];

static void make_plan(enum oci_seccomp_action action)
{
    static char name[] = "getpid";
    static char *names[] = { name, NULL };
    static struct oci_seccomp_syscall call = { .names = names, .n_names = 1 };
    static struct oci_seccomp seccomp = {
        .default_action = OCI_SECCOMP_ERRNO, .syscalls = &call, .n_syscalls = 1
    };
    struct error err = ERR_INIT;
    call.action = action;
    ck_assert_int_eq(syscall_filter_plan_build(&arena, &seccomp, false, &plan, &err), 0);
}

static int make_dir(void)
{
    (void)snprintf(dir_path, sizeof(dir_path), "/tmp/runa-cache-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir_path));
    int fd = open(dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

static size_t count_files(int dir)
{
    AUTO(directory) struct directory list = { .fd = -1 };
    struct directory_entry entry;
    size_t n = 0;
    ck_assert_int_eq(directory_open(&list, dir, "."), 0);
    while (directory_next(&list, &entry) == 0) {
        (void)snprintf(file_name, sizeof(file_name), "%s", entry.name);
        n++;
    }
    return n;
}

static void remove_dir(int dir)
{
    while (count_files(dir) > 0)
        ck_assert_int_eq(unlinkat(dir, file_name, 0), 0);
    ck_assert_int_eq(rmdir(dir_path), 0);
    (void)close(dir);
}

static struct syscall_filter get(int dir)
{
    struct error err = ERR_INIT;
    struct syscall_filter filter;
    int r = syscall_filter_get(&arena, dir, &plan, &filter, &err);
    ck_assert_msg(r == 0, "%s", err.text);
    return filter;
}

static void check_same(const struct syscall_filter *a, const struct syscall_filter *b)
{
    ck_assert_uint_eq(a->n_insns, b->n_insns);
    ck_assert_uint_eq(a->flags, b->flags);
    ck_assert_uint_eq(a->wants_listener, b->wants_listener);
    ck_assert_mem_eq(a->bytes, b->bytes, a->n_insns * SYSCALL_FILTER_INSN_BYTES);
}

/* Changes the stored file so that a hit is told from a fresh program only by what is in it. */
static void damage(int dir, off_t at, uint8_t flip)
{
    autoclose int fd = openat(dir, file_name, O_RDWR | O_CLOEXEC);
    uint8_t byte;
    ck_assert_int_eq((int)pread(fd, &byte, 1, at), 1);
    byte ^= flip;
    ck_assert_int_eq((int)pwrite(fd, &byte, 1, at), 1);
}

START_TEST(second_time_when_asked_then_from_the_file)
{
    int dir = make_dir();
    struct stat before;
    struct stat after;
    make_plan(OCI_SECCOMP_ALLOW);
    struct syscall_filter built = get(dir);
    ck_assert_uint_eq(count_files(dir), 1);
    ck_assert_int_eq(fstatat(dir, file_name, &before, 0), 0);
    ck_assert_uint_eq(before.st_mode & 07777, 0600);
    struct syscall_filter found = get(dir);
    check_same(&built, &found);
    ck_assert_int_eq(fstatat(dir, file_name, &after, 0), 0);
    ck_assert_uint_eq(before.st_ino, after.st_ino); /* not written anew */
    make_plan(OCI_SECCOMP_LOG);
    (void)get(dir);
    ck_assert_uint_eq(count_files(dir), 2);
    remove_dir(dir);
}
END_TEST

START_TEST(damaged_file_when_asked_then_rebuilt)
{
    int dir = make_dir();
    make_plan(OCI_SECCOMP_ALLOW);
    struct syscall_filter built = get(dir);
    struct stat st;
    ck_assert_uint_eq(count_files(dir), 1);
    ck_assert_int_eq(fstatat(dir, file_name, &st, 0), 0);
    for (off_t at = 0; at < st.st_size; at++) {
        damage(dir, at, 0x01);
        struct syscall_filter again = get(dir);
        check_same(&built, &again);
    }
    for (off_t size = 0; size < st.st_size; size += 13) {
        autoclose int fd = openat(dir, file_name, O_RDWR | O_CLOEXEC);
        ck_assert_int_eq(ftruncate(fd, size), 0);
        struct syscall_filter again = get(dir);
        check_same(&built, &again);
    }
    remove_dir(dir);
}
END_TEST

START_TEST(file_when_writable_by_others_or_link_then_not_believed)
{
    int dir = make_dir();
    make_plan(OCI_SECCOMP_ALLOW);
    struct syscall_filter built = get(dir);
    ck_assert_uint_eq(count_files(dir), 1);
    ck_assert_int_eq(fchmodat(dir, file_name, 0666, 0), 0);
    struct syscall_filter again = get(dir);
    check_same(&built, &again);
    struct stat st;
    ck_assert_int_eq(fstatat(dir, file_name, &st, 0), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600); /* replaced */
    ck_assert_int_eq(unlinkat(dir, file_name, 0), 0);
    ck_assert_int_eq(symlinkat("/etc/passwd", dir, file_name), 0);
    again = get(dir);
    check_same(&built, &again);
    ck_assert_int_eq(fstatat(dir, file_name, &st, AT_SYMLINK_NOFOLLOW), 0);
    ck_assert(S_ISREG(st.st_mode));
    remove_dir(dir);
}
END_TEST

START_TEST(directory_when_open_to_others_then_not_used)
{
    int dir = make_dir();
    make_plan(OCI_SECCOMP_ALLOW);
    ck_assert_int_eq(fchmod(dir, 0755), 0);
    (void)get(dir);
    ck_assert_uint_eq(count_files(dir), 0);
    (void)get(-1);
    remove_dir(dir);
}
END_TEST

START_TEST(cache_when_full_then_starts_anew)
{
    int dir = make_dir();
    make_plan(OCI_SECCOMP_ALLOW);
    for (int i = 0; i < 300; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "f%d", i);
        autoclose int fd = openat(dir, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        ck_assert_int_ge(fd, 0);
    }
    (void)get(dir);
    ck_assert_uint_eq(count_files(dir), 1);
    remove_dir(dir);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        second_time_when_asked_then_from_the_file,
        damaged_file_when_asked_then_rebuilt,
        file_when_writable_by_others_or_link_then_not_believed,
        directory_when_open_to_others_then_not_used,
        cache_when_full_then_starts_anew,
    };
    int r = unit_run("syscall_filter_cache", tests, ARRAY_SIZE(tests));
    arena_done(&arena);
    return r;
}
