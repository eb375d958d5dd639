/* SPDX-License-Identifier: Apache-2.0 */
/* The set of names that a layer made. */
#include <stdio.h>

#include "name_set.h"
#include "unit.h"

START_TEST(empty_set_has_nothing)
{
    struct name_set set = NAME_SET_INIT;
    ck_assert(!name_set_has(&set, 1, "a"));
    name_set_done(&set);
}
END_TEST

START_TEST(same_name_elsewhere_is_another)
{
    struct name_set set = NAME_SET_INIT;
    name_set_add(&set, 1, "a");
    ck_assert(name_set_has(&set, 1, "a"));
    ck_assert(!name_set_has(&set, 2, "a"));
    ck_assert(!name_set_has(&set, 1, "b"));
    name_set_done(&set);
}
END_TEST

START_TEST(many_names_all_stay)
{
    struct name_set set = NAME_SET_INIT;
    char name[32];
    for (unsigned i = 0; i < 50000; i++) {
        (void)snprintf(name, sizeof(name), "file%u", i);
        name_set_add(&set, i % 7, name);
        name_set_add(&set, i % 7, name);
    }
    for (unsigned i = 0; i < 50000; i++) {
        (void)snprintf(name, sizeof(name), "file%u", i);
        ck_assert(name_set_has(&set, i % 7, name));
        ck_assert(!name_set_has(&set, i % 7 + 100, name));
    }
    name_set_done(&set);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { empty_set_has_nothing, same_name_elsewhere_is_another,
        many_names_all_stay };
    return unit_run("name_set", tests, sizeof(tests) / sizeof(tests[0]));
}
