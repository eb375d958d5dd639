/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges are disjoint, given back, and forgotten at the next boot. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "cleanup.h"
#include "directory.h"
#include "err.h"
#include "file.h"
#include "id_range.h"
#include "role.h"
#include "unit.h"

static struct arena arena;
static struct error err;

static int registry(const char *text, struct id_range_list *ret)
{
    err = (struct error)ERR_INIT;
    return id_range_registry_parse(&arena, text, strlen(text), "b1", ret, &err);
}

START_TEST(registry_of_this_boot_is_read)
{
    struct id_range_list list;
    ck_assert_int_eq(registry("boot b1\n524288 a\n655360 c.d-e_f\n", &list), 0);
    ck_assert_uint_eq(list.n, 2);
    ck_assert_uint_eq(list.items[1].first, 655360);
    ck_assert_str_eq(list.items[1].owner, "c.d-e_f");
}
END_TEST

START_TEST(registry_of_another_boot_is_empty)
{
    struct id_range_list list;
    ck_assert_int_eq(registry("boot b0\n524288 a\n", &list), 0);
    ck_assert_uint_eq(list.n, 0);
}
END_TEST

START_TEST(damaged_registry_is_refused)
{
    static const char *const texts[] = { "", "524288 a\n", "boot b1\nx a\n", "boot b1\n524289 a\n", "boot b1\n0 a\n",
        "boot b1\n524288\n", "boot b1\n524288 \n", "boot b1\n4294901760 a\n", "boot b1\n524288 a b\n", "boot b1\n\n" };
    struct id_range_list list;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_msg(registry(texts[i], &list) < 0, "passed: %s", texts[i]);
    ck_assert_int_lt(id_range_registry_parse(&arena, "boot b1\n\0", 9, "b1", &list, &err), 0);
}
END_TEST

START_TEST(choice_goes_round_what_is_in_use)
{
    struct id_range_entry items[] = { { 524288, 65536, "a" }, { 589824 + 100, 1, "user" }, { 720896, 200000, "big" } };
    struct id_range_list list = { .items = items, .n = 0 };
    ck_assert_uint_eq(id_range_choose(&list), 524288);
    list.n = 3;
    ck_assert_uint_eq(id_range_choose(&list), 655360);
    struct id_range_entry all[] = { { 0, UINT32_MAX, "all" } };
    list = (struct id_range_list){ .items = all, .n = 1 };
    ck_assert_uint_eq(id_range_choose(&list), 0);
}
END_TEST

START_TEST(subids_are_read_and_odd_lines_skipped)
{
    static const char text[] = "me:100000:65536\nbroken\nx:1:y\nyou:524288:1\nlast:7:7";
    struct id_range_list list = { 0 };
    id_range_subid_parse(&arena, text, strlen(text), &list);
    ck_assert_uint_eq(list.n, 3);
    ck_assert_uint_eq(list.items[1].first, 524288);
    ck_assert_uint_eq(id_range_choose(&list), 589824);
}
END_TEST

START_TEST(map_is_one_line)
{
    char map[ID_RANGE_MAP_SIZE];
    id_range_map(1879048192U - 65536U, map);
    ck_assert_str_eq(map, "0 1878982656 65536\n");
}
END_TEST

static int directory_make(char path[])
{
    role_set(ROLE_PARENT);
    ck_assert_ptr_nonnull(mkdtemp(path));
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

static void directory_drop(int fd, const char *path)
{
    ck_assert_int_eq(directory_remove(fd, "ids"), 0);
    ck_assert_int_eq(directory_remove(fd, "ids.lock"), 0);
    ck_assert_int_eq(rmdir(path), 0);
}

static uint32_t take(int dir, const char *owner)
{
    uint32_t first = 0;
    ck_assert_msg(id_range_take(dir, owner, &first, &err) == 0, "%s", err.text);
    return first;
}

START_TEST(ranges_are_disjoint_until_released)
{
    char path[] = "/tmp/runa-ids.XXXXXX";
    autoclose int dir = directory_make(path);
    uint32_t a = take(dir, "a");
    uint32_t b = take(dir, "b");
    ck_assert_uint_ne(a, b);
    ck_assert_uint_eq(take(dir, "a"), a);
    ck_assert_int_eq(id_range_release(dir, "a", &err), 0);
    ck_assert_int_eq(id_range_release(dir, "a", &err), 0);
    ck_assert_uint_eq(take(dir, "c"), a);
    uint32_t first;
    ck_assert_int_lt(id_range_take(dir, "two words", &first, &err), 0);
    directory_drop(dir, path);
}
END_TEST

START_TEST(damaged_registry_gives_nothing)
{
    char path[] = "/tmp/runa-ids.XXXXXX";
    autoclose int dir = directory_make(path);
    uint32_t first = 1;
    ck_assert_int_eq(file_replace(dir, "ids", "junk", 4, 0600, 0), 0);
    ck_assert_int_lt(id_range_take(dir, "a", &first, &err), 0);
    ck_assert_uint_eq(first, 1);
    directory_drop(dir, path);
}
END_TEST

START_TEST(processes_at_once_get_different_ranges)
{
    enum { N = 16 };
    char path[] = "/tmp/runa-ids.XXXXXX";
    autoclose int dir = directory_make(path);
    for (int i = 0; i < N; i++) {
        if (fork() != 0)
            continue;
        char owner[16];
        uint32_t first;
        (void)snprintf(owner, sizeof(owner), "p%d", i);
        _exit(id_range_take(dir, owner, &first, &err) == 0 ? 0 : 1);
    }
    for (int i = 0; i < N; i++) {
        int status = 1;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    uint32_t seen[N];
    for (int i = 0; i < N; i++) {
        char owner[16];
        (void)snprintf(owner, sizeof(owner), "p%d", i);
        seen[i] = take(dir, owner);
        for (int k = 0; k < i; k++)
            ck_assert_uint_ne(seen[i], seen[k]);
    }
    directory_drop(dir, path);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { registry_of_this_boot_is_read, registry_of_another_boot_is_empty,
        damaged_registry_is_refused, choice_goes_round_what_is_in_use, subids_are_read_and_odd_lines_skipped,
        map_is_one_line, ranges_are_disjoint_until_released, damaged_registry_gives_nothing,
        processes_at_once_get_different_ranges };
    int rc = unit_run("id_range", tests, sizeof(tests) / sizeof(tests[0]));
    arena_done(&arena);
    return rc;
}
