/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tests of mount_option_parse. */
#include "mount_option_parse.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "strv.h"
#include "unit.h"

/* Each test is a process of its own. */
static struct arena arena;
static struct error err;

static int parse(const char *const *words, size_t n, struct mount_option *ret)
{
    char **copies = arena_new_array(&arena, n, char *);

    for (size_t i = 0; i < n; i++)
        copies[i] = words[i] ? arena_strdup(&arena, words[i]) : NULL;
    return mount_option_parse(&arena, copies, n, ret, &err);
}

#define PARSE(option, ...)                                                                         \
    do {                                                                                           \
        const char *const words_[] = { __VA_ARGS__ };                                              \
        ck_assert_int_eq(parse(words_, ARRAY_SIZE(words_), (option)), 0);                          \
    } while (0)

START_TEST(parse_when_attributes_then_set_and_clear)
{
    struct mount_option option;

    PARSE(&option, "ro", "nosuid", "nodev", "exec");
    ck_assert_uint_eq(option.attrs.set, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    ck_assert_uint_eq(option.attrs.clear, MOUNT_ATTR_NOEXEC);
    ck_assert(!option.is_bind);
    ck_assert_uint_eq(option.n_data, 0);
}
END_TEST

START_TEST(parse_when_opposite_words_then_later_wins)
{
    struct mount_option option;

    PARSE(&option, "ro", "rw", "dev", "nodev");
    ck_assert_uint_eq(option.attrs.set, MOUNT_ATTR_NODEV);
    ck_assert_uint_eq(option.attrs.clear, MOUNT_ATTR_RDONLY);
}
END_TEST

START_TEST(parse_when_access_time_then_whole_field_is_cleared)
{
    struct mount_option option;

    PARSE(&option, "noatime", "strictatime");
    ck_assert_uint_eq(option.attrs.set, MOUNT_ATTR_STRICTATIME);
    ck_assert_uint_eq(option.attrs.clear, MOUNT_ATTR__ATIME);
    PARSE(&option, "rnoatime");
    ck_assert_uint_eq(option.recursive.set, MOUNT_ATTR_NOATIME);
    ck_assert_uint_eq(option.recursive.clear, MOUNT_ATTR__ATIME);
}
END_TEST

START_TEST(parse_when_recursive_after_plain_then_plain_is_overruled)
{
    struct mount_option option;

    PARSE(&option, "rbind", "rw", "rro");
    ck_assert_uint_eq(option.attrs.clear, 0);
    ck_assert_uint_eq(option.recursive.set, MOUNT_ATTR_RDONLY);
    PARSE(&option, "rbind", "rro", "rw");
    ck_assert_uint_eq(mount_attrs_merge(&option).set, 0);
    ck_assert_uint_eq(mount_attrs_merge(&option).clear, MOUNT_ATTR_RDONLY);
}
END_TEST

START_TEST(parse_when_binds_and_propagation_then_kept_in_order)
{
    struct mount_option option;

    PARSE(&option, "rbind", "slave", "rshared");
    ck_assert(option.is_bind && option.is_recursive);
    ck_assert_uint_eq(option.n_propagation, 2);
    ck_assert_uint_eq(option.propagation[0].type, MS_SLAVE);
    ck_assert(!option.propagation[0].is_recursive);
    ck_assert_uint_eq(option.propagation[1].type, MS_SHARED);
    ck_assert(option.propagation[1].is_recursive);
}
END_TEST

START_TEST(parse_when_filesystem_options_then_key_and_value)
{
    struct mount_option option;

    PARSE(&option, "mode=1777", "size=64k", "newinstance", "sync", "tmpcopyup", "x=");
    ck_assert_uint_eq(option.n_data, 4);
    ck_assert_str_eq(option.data[0].key, "mode");
    ck_assert_str_eq(option.data[0].value, "1777");
    ck_assert_str_eq(option.data[2].key, "newinstance");
    ck_assert_ptr_null(option.data[2].value);
    ck_assert_str_eq(option.data[3].value, "");
    ck_assert_uint_eq(option.sb_flags, MOUNT_SB_SYNC);
    ck_assert(option.want_copy_up);
}
END_TEST

START_TEST(parse_when_null_item_then_skipped)
{
    struct mount_option option;

    PARSE(&option, "nosuid", NULL, "nodev");
    ck_assert_uint_eq(option.attrs.set, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
}
END_TEST

START_TEST(parse_when_idmap_words_then_kind)
{
    struct mount_option option;

    PARSE(&option, "bind", "idmap");
    ck_assert_int_eq(option.idmap, MOUNT_IDMAP_TOP);
    PARSE(&option, "bind", "ridmap");
    ck_assert_int_eq(option.idmap, MOUNT_IDMAP_RECURSIVE);
}
END_TEST

START_TEST(parse_when_bad_option_then_refused_and_result_untouched)
{
    static const char *const bad[] = { "", "=x", "a\nb", "size=1\x01" };
    struct mount_option option = { .n_data = 77 };

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        err.code = 0;
        ck_assert_int_eq(parse(&bad[i], 1, &option), -EINVAL);
        ck_assert_int_eq(err.code, EINVAL);
        ck_assert_uint_eq(option.n_data, 77);
    }
}
END_TEST

START_TEST(parse_when_too_many_then_refused)
{
    const char *words[MOUNT_DATA_MAX + 1];
    struct mount_option option;

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        words[i] = arena_printf(&arena, "k%zu=v", i);
    ck_assert_int_eq(parse(words, ARRAY_SIZE(words), &option), -EINVAL);
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        words[i] = "shared";
    ck_assert_int_eq(parse(words, ARRAY_SIZE(words), &option), -EINVAL);
}
END_TEST

/* bsearch finds nothing in a table that is out of order. */
START_TEST(list_when_asked_then_sorted_and_each_word_is_known)
{
    struct strv list = STRV_INIT;
    struct mount_option option;

    mount_option_list(&arena, &list);
    ck_assert_uint_gt(list.n, 55);
    for (size_t i = 0; i < list.n; i++) {
        if (i > 0)
            ck_assert_int_lt(strcmp(list.items[i - 1], list.items[i]), 0);
        PARSE(&option, list.items[i]);
        ck_assert_msg(option.n_data == 0, "%s went to the filesystem", list.items[i]);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        parse_when_attributes_then_set_and_clear,
        parse_when_opposite_words_then_later_wins,
        parse_when_access_time_then_whole_field_is_cleared,
        parse_when_recursive_after_plain_then_plain_is_overruled,
        parse_when_binds_and_propagation_then_kept_in_order,
        parse_when_filesystem_options_then_key_and_value,
        parse_when_null_item_then_skipped,
        parse_when_idmap_words_then_kind,
        parse_when_bad_option_then_refused_and_result_untouched,
        parse_when_too_many_then_refused,
        list_when_asked_then_sorted_and_each_word_is_known,
    };

    return unit_run("mount_option_parse", tests, ARRAY_SIZE(tests));
}
