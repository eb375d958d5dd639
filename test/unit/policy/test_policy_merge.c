/* SPDX-License-Identifier: Apache-2.0 */
/* The algebra of documents, on some thousand random ones. */
#include <errno.h>

#include "policy_merge.h"
#include "policy_unit.h"

#define ROUNDS 3000

static struct arena arena = ARENA_INIT;

static struct policy *merge(const struct policy *a, const struct policy *b)
{
    struct error err = ERR_INIT;
    struct policy *merged = NULL;

    ck_assert_msg(policy_merge(&arena, a, b, &merged, &err) == 0, "%s", err.text);
    return merged;
}

START_TEST(merge_when_order_changes_then_same)
{
    uint64_t state = 1;
    for (int i = 0; i < ROUNDS; i++) {
        const struct policy *a = policy_random(&arena, &state);
        const struct policy *b = policy_random(&arena, &state);
        const struct policy *c = policy_random(&arena, &state);
        ck_assert(policy_equal(merge(a, b), merge(b, a)));
        ck_assert(policy_equal(merge(merge(a, b), c), merge(a, merge(b, c))));
        ck_assert(policy_equal(merge(a, a), a));
    }
}
END_TEST

START_TEST(merge_when_two_then_within_both_and_nothing_narrower_is_lost)
{
    uint64_t state = 2;
    for (int i = 0; i < ROUNDS; i++) {
        const struct policy *a = policy_random(&arena, &state);
        const struct policy *b = policy_random(&arena, &state);
        const struct policy *c = policy_random(&arena, &state);
        const struct policy *both = merge(a, b);
        ck_assert(policy_within(both, a, NULL));
        ck_assert(policy_within(both, b, NULL));
        if (policy_within(c, a, NULL) && policy_within(c, b, NULL)) /* the widest of those */
            ck_assert(policy_within(c, both, NULL));
        ck_assert(policy_within(merge(both, c), merge(a, c), NULL)); /* monotone */
    }
}
END_TEST

START_TEST(within_when_both_ways_then_equal)
{
    uint64_t state = 3;
    for (int i = 0; i < ROUNDS; i++) {
        const struct policy *a = policy_random(&arena, &state);
        const struct policy *b = policy_random(&arena, &state);
        if (policy_within(a, b, NULL) && policy_within(b, a, NULL))
            ck_assert(policy_equal(a, b));
        ck_assert(policy_equal(merge(a, b), a) == policy_within(a, b, NULL));
    }
}
END_TEST

START_TEST(close_when_keys_absent_then_least_access_within_all)
{
    uint64_t state = 4;
    for (int i = 0; i < ROUNDS; i++) {
        struct policy *a = policy_random(&arena, &state);
        struct policy closed = *a;
        policy_close(&closed);
        ck_assert(policy_within(&closed, a, NULL));
        for (size_t key = 0; key < POLICY_KEYS; key++)
            ck_assert(policy_has(&closed, (enum policy_key)key) ||
                      policy_key_table[key].kind == POLICY_LABEL);
    }
}
END_TEST

START_TEST(close_when_empty_then_nothing_is_given)
{
    struct policy *policy = policy_of(&arena, "{\"version\":1}");
    policy_close(policy);
    ck_assert_uint_eq(policy->values[POLICY_FILESYSTEM_WORKSPACE].number, POLICY_WORKSPACE_NONE);
    ck_assert_uint_eq(policy->values[POLICY_NETWORK_MODE].number, POLICY_NETWORK_NONE);
    ck_assert_uint_eq(policy->values[POLICY_PROCESS_CAPABILITIES].n_items, 0);
    ck_assert_uint_eq(policy->values[POLICY_PROCESS_NO_NEW_PRIVILEGES].number, 1);
    ck_assert_uint_eq(policy->values[POLICY_PROCESS_ENV].n_items, 0);
    ck_assert(policy->values[POLICY_RESOURCES_MEMORY].number < POLICY_UNLIMITED);
    ck_assert(policy->values[POLICY_RESOURCES_PIDS].number < POLICY_UNLIMITED);
}
END_TEST

START_TEST(merge_when_narrower_wins_then_its_origin_stays)
{
    const struct policy *a = policy_of(&arena, "{\"version\":1,\n\"resources\":{\"pids\":5}}");
    const struct policy *b =
        policy_of(&arena, "{\"version\":1,\"resources\":{\n\n\"pids\":6,\"memory\":\"1GiB\"}}");
    const struct policy *both = merge(b, a);
    ck_assert_uint_eq(both->values[POLICY_RESOURCES_PIDS].number, 5);
    ck_assert_uint_eq(both->values[POLICY_RESOURCES_PIDS].origin.line, 2);
    ck_assert_uint_eq(both->values[POLICY_RESOURCES_MEMORY].origin.line, 3);
}
END_TEST

START_TEST(merge_when_labels_differ_then_refused)
{
    struct error err = ERR_INIT;
    struct policy *merged = NULL;
    const struct policy *a = policy_of(&arena, "{\"version\":1,\"identity\":{\"agent\":\"x\"}}");
    const struct policy *b = policy_of(&arena, "{\"version\":1,\"identity\":{\"agent\":\"y\"}}");
    ck_assert_int_eq(policy_merge(&arena, a, b, &merged, &err), -EINVAL);
    ck_assert_ptr_null(merged);
    ck_assert_str_eq(err.text, "test:1:36: identity.agent: not what is said at test:1:36");
}
END_TEST

START_TEST(within_when_wider_then_told_with_place)
{
    AUTO(buf) struct buf wider = BUF_INIT;
    const struct policy *a = policy_of(
        &arena, "{\"version\":1,\"resources\":{\"pids\":5},\"process\":{\"env\":[\"A\"]}}");
    const struct policy *b = policy_of(
        &arena, "{\"version\":1,\"resources\":{\"pids\":4},\"process\":{\"env\":[\"A\",\"B\"]}}");
    ck_assert(!policy_within(a, b, &wider));
    ck_assert_str_eq(buf_str(&wider), "test:1:34: resources.pids: more than test allows\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        merge_when_order_changes_then_same,
        merge_when_two_then_within_both_and_nothing_narrower_is_lost,
        within_when_both_ways_then_equal,
        close_when_keys_absent_then_least_access_within_all,
        close_when_empty_then_nothing_is_given,
        merge_when_narrower_wins_then_its_origin_stays,
        merge_when_labels_differ_then_refused,
        within_when_wider_then_told_with_place,
    };
    return unit_run("policy_merge", tests, ARRAY_SIZE(tests));
}
