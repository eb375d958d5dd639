/* SPDX-License-Identifier: Apache-2.0 */
/* Users by the image's own files (case containerization-278, CVE-2024-9676). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "cleanup.h"
#include "directory.h"
#include "err.h"
#include "image_user.h"
#include "root.h"
#include "unit.h"
#include "user_parse.h"

static const char passwd[] = "root:x:0:0:root:/root:/bin/sh\n# comment\nbroken\nnobody:x:65534:65534::/:/x\n"
                             "app:x:1000:1001:App,,,:/home/app:/bin/sh\nrel:x:7:7::home:/x\napp:x:5:5::/other:/x";
static const char group[] = "root:x:0:\napp:x:1001:app\naudio:x:29:other,app\nvideo:x:44:app2,xapp\nstaff:x:50:app,\n";

static struct arena arena;
static struct error err;

/* A root directory with etc/passwd made by make(). */
static int find_in(void (*make)(int etc), const char *spec, struct user *ret)
{
    char path[] = "/tmp/runa-user.XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(path));
    autoclose int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_eq(mkdirat(dir, "etc", 0755), 0);
    autoclose int etc = openat(dir, "etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    make(etc);
    struct root root = { .fd = dir };
    err = (struct error)ERR_INIT;
    int rc = image_user_find(&arena, &root, spec, ret, &err);
    ck_assert_int_eq(directory_remove(dir, "etc"), 0);
    ck_assert_int_eq(rmdir(path), 0);
    return rc;
}

static void file_make(int etc, const char *name, const char *text)
{
    autoclose int fd = openat(etc, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
}

static void make_file(int etc)
{
    file_make(etc, "passwd", passwd);
    file_make(etc, "group", group);
}

static void make_nothing(int etc)
{
    (void)etc;
}

static void make_link(int etc)
{
    ck_assert_int_eq(symlinkat("/etc/shadow", etc, "passwd"), 0);
}

static void make_fifo(int etc)
{
    ck_assert_int_eq(mkfifoat(etc, "passwd", 0644), 0);
}

static void make_directory(int etc)
{
    ck_assert_int_eq(mkdirat(etc, "passwd", 0755), 0);
}

static void make_huge(int etc)
{
    autoclose int fd = openat(etc, "passwd", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    ck_assert_int_eq(ftruncate(fd, USER_FILE_SIZE_MAX + 1), 0);
}

START_TEST(files_are_read_in_root_and_only_when_regular)
{
    struct user user;
    ck_assert_int_eq(find_in(make_file, "app", &user), 0);
    ck_assert_uint_eq(user.uid, 1000);
    ck_assert_uint_eq(user.gid, 1001);
    ck_assert_str_eq(user.home, "/home/app");
    ck_assert_uint_eq(user.n_groups, 2);
    ck_assert_uint_eq(user.groups[0], 29);
    ck_assert_uint_eq(user.groups[1], 50);
    ck_assert_int_eq(find_in(make_file, "app:audio", &user), 0);
    ck_assert_uint_eq(user.gid, 29);
    ck_assert_int_eq(find_in(make_file, "broken", &user), -ENOENT);
    ck_assert_int_eq(find_in(make_nothing, "1000", &user), 0);
    ck_assert_int_eq(find_in(make_nothing, "app", &user), -ENOENT);
    ck_assert_int_lt(find_in(make_link, "root", &user), 0);
    ck_assert_int_lt(find_in(make_fifo, "root", &user), 0);
    ck_assert_int_lt(find_in(make_directory, "root", &user), 0);
    ck_assert_int_lt(find_in(make_huge, "root", &user), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { files_are_read_in_root_and_only_when_regular };
    int rc = unit_run("image_user", tests, sizeof(tests) / sizeof(tests[0]));
    arena_done(&arena);
    return rc;
}
