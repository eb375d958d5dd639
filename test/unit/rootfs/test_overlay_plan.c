/* SPDX-License-Identifier: Apache-2.0 */
/* Which overlay is made. */
#include <errno.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "overlay_plan.h"
#include "unit.h"

static struct arena arena;
static struct error err;

static void expect(size_t n_layers, const char *upper, const uint32_t *first_id, bool is_volatile, const char *text)
{
    char a[] = "a", b[] = "b";
    char *layers[] = { a, b };
    struct overlay_plan plan;
    AUTO(buf) struct buf out = BUF_INIT;
    ck_assert_int_eq(overlay_plan_build(&arena, layers, n_layers, upper, first_id, is_volatile, &plan, &err), 0);
    overlay_plan_print(&plan, &out);
    ck_assert_str_eq(buf_str(&out), text);
}

START_TEST(plans_print)
{
    const uint32_t first = 524288;
    expect(2, "u", &first, true,
        "rootfs overlay\nlayer \"a\"\nlayer \"b\"\nupper \"u\"\nidmap 0 524288 65536\nvolatile\n");
    expect(2, NULL, NULL, true, "rootfs overlay read-only\nlayer \"a\"\nlayer \"b\"\n");
    expect(1, NULL, &first, false, "rootfs single read-only\nlayer \"a\"\nidmap 0 524288 65536\n");
    expect(0, "u", NULL, false, "rootfs single\nupper \"u\"\n");
    expect(1, "u", NULL, false, "rootfs overlay\nlayer \"a\"\nupper \"u\"\n");
}
END_TEST

START_TEST(too_many_layers_and_none_are_refused)
{
    char *layers[OVERLAY_LAYERS_MAX + 1];
    char name[] = "l";
    struct overlay_plan plan;
    for (size_t i = 0; i <= OVERLAY_LAYERS_MAX; i++)
        layers[i] = name;
    ck_assert_int_eq(
        overlay_plan_build(&arena, layers, OVERLAY_LAYERS_MAX + 1, NULL, NULL, false, &plan, &err), -E2BIG);
    ck_assert_int_eq(overlay_plan_build(&arena, layers, 0, NULL, NULL, false, &plan, &err), -EINVAL);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { plans_print, too_many_layers_and_none_are_refused };
    int rc = unit_run("overlay_plan", tests, sizeof(tests) / sizeof(tests[0]));
    arena_done(&arena);
    return rc;
}
