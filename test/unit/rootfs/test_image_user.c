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

static const char passwd[] = "root:x:0:0:root:/root:/bin/sh\n# comment\nbroken\nnobody:x:65534:65534::/:/x\n"
                             "app:x:1000:1001:App,,,:/home/app:/bin/sh\nrel:x:7:7::home:/x\napp:x:5:5::/other:/x";
static const char group[] = "root:x:0:\napp:x:1001:app\naudio:x:29:other,app\nvideo:x:44:app2,xapp\nstaff:x:50:app,\n";

static struct arena arena;
static struct error err;

static struct image_user find(const char *spec, const char *passwd_text, const char *group_text)
{
    struct image_user user;
    err = (struct error)ERR_INIT;
    ck_assert_msg(image_user_parse(&arena, spec, passwd_text, group_text, &user, &err) == 0, "%s: %s", spec, err.text);
    return user;
}

START_TEST(names_are_looked_up)
{
    struct image_user user = find("app", passwd, group);
    ck_assert_uint_eq(user.uid, 1000);
    ck_assert_uint_eq(user.gid, 1001);
    ck_assert_str_eq(user.home, "/home/app");
    ck_assert_uint_eq(user.n_groups, 2);
    ck_assert_uint_eq(user.groups[0], 29);
    ck_assert_uint_eq(user.groups[1], 50);
    user = find("app:audio", passwd, group);
    ck_assert_uint_eq(user.gid, 29);
    ck_assert_uint_eq(user.n_groups, 0);
    ck_assert_str_eq(find("rel", passwd, group).home, "/");
}
END_TEST

START_TEST(numbers_need_no_entry)
{
    struct image_user user = find("1000", "", "");
    ck_assert_uint_eq(user.uid, 1000);
    ck_assert_uint_eq(user.gid, 0);
    ck_assert_str_eq(user.home, "/");
    user = find("1000:1000", "", "");
    ck_assert_uint_eq(user.gid, 1000);
    user = find("", "", "");
    ck_assert_uint_eq(user.uid, 0);
    ck_assert_uint_eq(user.gid, 0);
    user = find(NULL, passwd, group);
    ck_assert_str_eq(user.home, "/root");
    user = find("1000", passwd, group);
    ck_assert_uint_eq(user.gid, 1001);
    user = find(":50", passwd, group);
    ck_assert_uint_eq(user.gid, 50);
}
END_TEST

START_TEST(unknown_names_are_refused)
{
    static const char *const specs[] = { "nosuch", "app:nosuch", "-1", "4294967295", "99999999999", "1000:4294967295",
        " app", "broken", "app:", "0x10" };
    struct image_user user;
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
        if (strcmp(specs[i], "app:") != 0)
            ck_assert_msg(image_user_parse(&arena, specs[i], passwd, group, &user, &err) < 0, "%s", specs[i]);
}
END_TEST

/* A root directory with etc/passwd made by make(). */
static int find_in(void (*make)(int etc), const char *spec, struct image_user *ret)
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

static void make_file(int etc)
{
    autoclose int fd = openat(etc, "passwd", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    ck_assert_int_eq((int)write(fd, passwd, strlen(passwd)), (int)strlen(passwd));
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
    ck_assert_int_eq(ftruncate(fd, IMAGE_USER_FILE_BYTES_MAX + 1), 0);
}

START_TEST(files_are_read_in_root_and_only_when_regular)
{
    struct image_user user;
    ck_assert_int_eq(find_in(make_file, "app", &user), 0);
    ck_assert_uint_eq(user.uid, 1000);
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
    const TTest *const tests[] = { names_are_looked_up, numbers_need_no_entry, unknown_names_are_refused,
        files_are_read_in_root_and_only_when_regular };
    int rc = unit_run("image_user", tests, sizeof(tests) / sizeof(tests[0]));
    arena_done(&arena);
    return rc;
}
