/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocation: aligned, zeroed, never moved. */
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "unit.h"

START_TEST(objects_are_aligned_zeroed_and_apart)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    enum { N_OBJECTS = 400 };
    unsigned char *objects[N_OBJECTS];

    for (size_t i = 0; i < N_OBJECTS; i++) {
        size_t size = i % 97 + 1;
        (void)arena_strndup(&arena, "abc", i % 4); /* leaves the place unaligned */
        objects[i] = arena_alloc(&arena, size);
        ck_assert_uint_eq((uintptr_t)objects[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < size; k++)
            ck_assert_uint_eq(objects[i][k], 0);
        memset(objects[i], (int)(i & 0xff), size);
    }
    for (size_t i = 0; i < N_OBJECTS; i++)
        for (size_t k = 0; k < i % 97 + 1; k++)
            ck_assert_uint_eq(objects[i][k], i & 0xff);
}
END_TEST

START_TEST(big_object_among_small_ones_keeps_them)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    char *first = arena_alloc(&arena, 1 << 20);
    char *small = arena_strdup(&arena, "small");
    char *big = arena_alloc(&arena, 4 << 20);
    char *after = arena_strdup(&arena, "after");

    memset(first, 1, 1 << 20);
    memset(big, 1, 4 << 20);
    ck_assert_str_eq(small, "small");
    ck_assert_str_eq(after, "after");
}
END_TEST

START_TEST(strings_are_copied_and_formatted)
{
    AUTO(arena) struct arena arena = ARENA_INIT;

    ck_assert_str_eq(arena_strndup(&arena, "abcdef", 3), "abc");
    ck_assert_str_eq(arena_strndup(&arena, NULL, 0), "");
    ck_assert_str_eq(arena_printf(&arena, "%s=%d", "n", 5), "n=5");
    for (int width = 250; width < 262; width++)
        ck_assert_uint_eq(strlen(arena_printf(&arena, "%*d", width, 1)), (size_t)width);
    ck_assert_uint_eq(strlen(arena_printf(&arena, "%100000d", 1)), 100000);
}
END_TEST

START_TEST(arrays_of_nothing_are_valid)
{
    AUTO(arena) struct arena arena = ARENA_INIT;

    ck_assert_ptr_nonnull(arena_new_array(&arena, 0, int));
    ck_assert_ptr_nonnull(arena_alloc(&arena, 0));
}
END_TEST

START_TEST(done_twice_is_harmless)
{
    struct arena arena = ARENA_INIT;

    arena_done(&arena);
    (void)arena_strdup(&arena, "x");
    arena_done(&arena);
    arena_done(&arena);
    arena_done(NULL);
    ck_assert_ptr_null(arena.head);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { objects_are_aligned_zeroed_and_apart,
        big_object_among_small_ones_keeps_them, strings_are_copied_and_formatted,
        arrays_of_nothing_are_valid, done_twice_is_harmless };

    return unit_run("arena", tests, ARRAY_SIZE(tests));
}
