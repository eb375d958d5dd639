/* SPDX-License-Identifier: Apache-2.0 */
/* User strings: numbers are numbers, names are looked up, everything else is refused. */
#include "user_parse.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "unit.h"

static struct arena arena = ARENA_INIT;

/* The image maps numbers that overflow to root, as in the published attacks. */
static const char passwd_text[] = "root:x:0:0:root:/root:/bin/sh\n"
                                  "# comment:x:7:7::/:\n"
                                  "\n"
                                  "dev:x:1500:1600:,,,:/home/dev:/bin/sh\n"
                                  "4294967295:x:0:0::/root:/bin/sh\n"
                                  "4294967296:x:0:0::/root:/bin/sh\n"
                                  "1000:x:0:0::/root:/bin/sh\n"
                                  "-1:x:0:0::/root:/bin/sh\n"
                                  "bad:x:99999999999:0::/:/bin/sh\n"
                                  "bad2:x:-1:0::/:/bin/sh\n"
                                  "short:x:5\n"
                                  "odd:x:77:77::relative:/bin/sh\n"
                                  "noshell:x:78:78::/srv\n"
                                  "last:x:1501:1501::/home/last:/bin/sh";
static const char group_text[] = "root:x:0:\n"
                                 "audio:x:29:other,dev\n"
                                 "video:x:44:dev\n"
                                 "devils:x:45:devil,adev\n"
                                 "broken:x:z:dev\n"
                                 "staff:x:50:\n";

static const struct user_file passwd = { passwd_text, sizeof(passwd_text) - 1 };
static const struct user_file group = { group_text, sizeof(group_text) - 1 };

static int parse(const char *string, struct user *ret)
{
    struct error err = ERR_INIT;
    int r = user_parse(&arena, string, &passwd, &group, ret, &err);
    ck_assert_int_eq(r < 0, err.code != 0);
    return r;
}

START_TEST(string_when_good_then_these_ids)
{
    static const struct {
        const char *string;
        uint32_t uid;
        uint32_t gid;
        size_t n_groups;
        const char *home;
    } cases[] = {
        { NULL, 0, 0, 0, "/root" },
        { "", 0, 0, 0, "/root" },
        { "0", 0, 0, 0, "/root" },
        { "1", 1, 0, 0, "/" },
        { "1:1", 1, 1, 0, "/" },
        { "1500", 1500, 1600, 2, "/home/dev" },
        { "1500:7", 1500, 7, 0, "/home/dev" },
        { "dev", 1500, 1600, 2, "/home/dev" },
        { "dev:staff", 1500, 50, 0, "/home/dev" },
        { "dev:0", 1500, 0, 0, "/home/dev" },
        { "1000", 1000, 0, 0, "/" }, /* not the entry whose name is 1000 */
        { "4294967294", 4294967294U, 0, 0, "/" },
        { "odd", 77, 77, 0, "/" },
        { "noshell", 78, 78, 0, "/srv" },
        { "last", 1501, 1501, 0, "/home/last" },
        { "dev:", 1500, 1600, 2, "/home/dev" }, /* a part that is empty is not there */
        { "1:", 1, 0, 0, "/" },
        { ":1", 0, 1, 0, "/root" },
        { ":", 0, 0, 0, "/root" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct user user;
        ck_assert_msg(parse(cases[i].string, &user) == 0, "%zu", i);
        ck_assert_uint_eq(user.uid, cases[i].uid);
        ck_assert_uint_eq(user.gid, cases[i].gid);
        ck_assert_uint_eq(user.n_groups, cases[i].n_groups);
        ck_assert_str_eq(user.home, cases[i].home);
    }
}
END_TEST

/* CVE-2016-3697, CVE-2024-40635, CVE-2026-30892 */
START_TEST(string_when_not_a_plain_number_or_name_then_refused)
{
    static const char *const strings[] = { "-1", "4294967295", "4294967296", "18446744073709551616",
        "0x0", "01", "00", "+1", " 1", "1 ", ":-1", "1:-1", "1:4294967295", "1:01",
        "dev:nobody", "nobody", "bad", "bad2", "short", "de:v:x", "1:1:1", "dev\n", "#",
        "a/b", "99999999999999999999999999999999999999999999999999" };
    for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
        struct user user;
        int r = parse(strings[i], &user);
        ck_assert_msg(r == -EINVAL || r == -ENOENT, "%s", strings[i]);
    }
}
END_TEST

START_TEST(files_when_missing_then_numbers_only)
{
    const struct user_file none = { NULL, 0 };
    struct error err = ERR_INIT;
    struct user user;
    ck_assert_int_eq(user_parse(&arena, "1000", &none, &none, &user, &err), 0);
    ck_assert_uint_eq(user.uid, 1000);
    ck_assert_uint_eq(user.gid, 0);
    ck_assert_str_eq(user.home, "/");
    ck_assert_ptr_null(user.name);
    ck_assert_int_eq(user_parse(&arena, "1000:1000", NULL, NULL, &user, &err), 0);
    ck_assert_uint_eq(user.gid, 1000);
    ck_assert_int_eq(user_parse(&arena, "dev", &none, &none, &user, &err), -ENOENT);
    ck_assert_str_eq(err.text, "user \"dev\": no such user in the container's passwd file");
}
END_TEST

START_TEST(groups_when_too_many_then_refused)
{
    AUTO(buf) struct buf text = BUF_INIT;
    struct error err = ERR_INIT;
    struct user user;
    buf_puts(&text, "own:x:1600:dev\n");
    for (unsigned i = 0; i < USER_GROUPS_MAX; i++)
        buf_printf(&text, "g%u:x:%u:dev\n", i, 5000 + i);
    struct user_file many = { buf_str(&text), text.len };
    ck_assert_int_eq(user_parse(&arena, "dev", &passwd, &many, &user, &err), 0);
    ck_assert_uint_eq(user.n_groups, USER_GROUPS_MAX); /* its own is not among them */
    buf_puts(&text, "more:x:9000:dev\n");
    many = (struct user_file){ buf_str(&text), text.len };
    ck_assert_int_eq(user_parse(&arena, "dev", &passwd, &many, &user, &err), -E2BIG);
}
END_TEST

START_TEST(file_when_too_long_then_refused)
{
    const struct user_file big = { arena_alloc(&arena, USER_FILE_SIZE_MAX + 1),
        USER_FILE_SIZE_MAX + 1 };
    struct error err = ERR_INIT;
    struct user user;
    ck_assert_int_eq(user_parse(&arena, "0", &big, &group, &user, &err), -EFBIG);
    ck_assert_int_eq(user_parse(&arena, "0", &passwd, &big, &user, &err), -EFBIG);
}
END_TEST

START_TEST(file_when_bytes_of_a_stranger_then_no_harm)
{
    static const char *const texts[] = { ":::::::::\n", ":", "\n\n\n", "a",
        "root:x:0:0:::", "root:x:0:0::/r\0:/", "\xff\xfe:x:1:1::/:/", "root:::::" };
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        for (size_t len = 0; len <= strlen(texts[i]); len++) {
            const struct user_file file = { texts[i], len };
            struct error err = ERR_INIT;
            struct user user;
            (void)user_parse(&arena, "root:root", &file, &file, &user, &err);
            (void)user_parse(&arena, "0", &file, &file, &user, &err);
            ck_assert_int_eq(user_home_find(&arena, 0, &file)[0], '/');
        }
}
END_TEST

/* opencontainers/runc#4688 */
START_TEST(home_when_looked_up_then_first_entry_or_root_directory)
{
    ck_assert_str_eq(user_home_find(&arena, 0, &passwd), "/root");
    ck_assert_str_eq(user_home_find(&arena, 1500, &passwd), "/home/dev");
    ck_assert_str_eq(user_home_find(&arena, 4321, &passwd), "/");
    ck_assert_str_eq(user_home_find(&arena, 77, &passwd), "/");
    ck_assert_str_eq(user_home_find(&arena, 0, NULL), "/");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        string_when_good_then_these_ids,
        string_when_not_a_plain_number_or_name_then_refused,
        files_when_missing_then_numbers_only,
        groups_when_too_many_then_refused,
        file_when_too_long_then_refused,
        file_when_bytes_of_a_stranger_then_no_harm,
        home_when_looked_up_then_first_entry_or_root_directory,
    };
    int r = unit_run("user_parse", tests, ARRAY_SIZE(tests));
    arena_done(&arena);
    return r;
}
