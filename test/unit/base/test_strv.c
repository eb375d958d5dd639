/* SPDX-License-Identifier: Apache-2.0 */
/* String vectors and environments. */
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "strv.h"
#include "unit.h"

START_TEST(vector_grows_and_ends_with_null)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct strv v = STRV_INIT;

    ck_assert(!strv_has(&v, "0"));
    for (int i = 0; i < 100; i++) {
        strv_add(&arena, &v, arena_printf(&arena, "%d", i));
        ck_assert_uint_eq(v.n, (size_t)i + 1);
        ck_assert_ptr_null(v.items[v.n]);
    }
    for (int i = 0; i < 100; i++)
        ck_assert_str_eq(v.items[i], arena_printf(&arena, "%d", i));
    ck_assert(strv_has(&v, "99"));
    ck_assert(!strv_has(&v, "100"));
}
END_TEST

START_TEST(comparisons_know_their_ends)
{
    ck_assert(str_eq("a", "a"));
    ck_assert(!str_eq("a", "ab"));
    ck_assert(str_eq(NULL, NULL));
    ck_assert(!str_eq(NULL, ""));
    ck_assert(!str_eq("", NULL));
    ck_assert(str_starts("abc", "ab"));
    ck_assert(str_starts("abc", ""));
    ck_assert(!str_starts("ab", "abc"));
    ck_assert(str_ends("abc", "bc"));
    ck_assert(!str_ends("bc", "abc"));
    ck_assert(str_ends("a", ""));
}
END_TEST

START_TEST(env_set_replaces_all_of_a_name)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct strv env = STRV_INIT;

    env_set(&arena, &env, "A", "1");
    strv_add(&arena, &env, "AB=2");
    strv_add(&arena, &env, "A=3");
    strv_add(&arena, &env, "bare");
    strv_add(&arena, &env, "A=4");
    env_set(&arena, &env, "A", "x=y");
    ck_assert_uint_eq(env.n, 3);
    ck_assert_str_eq(env.items[0], "A=x=y");
    ck_assert_str_eq(env.items[1], "AB=2");
    ck_assert_str_eq(env.items[2], "bare");
    ck_assert_ptr_null(env.items[3]);
    ck_assert_str_eq(env_get(env.items, "A"), "x=y");
    ck_assert_str_eq(env_get(env.items, "AB"), "2");
    ck_assert_ptr_null(env_get(env.items, "bare"));
    ck_assert_ptr_null(env_get(env.items, "B"));
    ck_assert_ptr_null(env_get(NULL, "A"));
}
END_TEST

START_TEST(distance_counts_edits)
{
    char longest[64];

    memset(longest, 'x', 63);
    longest[63] = '\0';
    ck_assert_uint_eq(str_distance("", ""), 0);
    ck_assert_uint_eq(str_distance("", "abc"), 3);
    ck_assert_uint_eq(str_distance("abc", ""), 3);
    ck_assert_uint_eq(str_distance("kitten", "sitting"), 3);
    ck_assert_uint_eq(str_distance("readonly", "readOnly"), 1);
    ck_assert_uint_eq(str_distance(longest, ""), 63);
    ck_assert_uint_eq(str_distance(longest, longest), 0);
    ck_assert_uint_eq(
        str_distance("y123456789012345678901234567890123456789012345678901234567890123", longest),
        SIZE_MAX);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { vector_grows_and_ends_with_null, comparisons_know_their_ends,
        env_set_replaces_all_of_a_name, distance_counts_edits };

    return unit_run("strv", tests, ARRAY_SIZE(tests));
}
