/* SPDX-License-Identifier: Apache-2.0 */
/* From names to policies in force: the shipped set, installed ones, extends, what is not enforced. */
#include <errno.h>

#include "policy_check.h"
#include "policy_merge.h"
#include "policy_unit.h"
#include "strv.h"

static struct arena arena = ARENA_INIT;

/* Installed: NAME, text, NAME, text, NULL. */
static int load(
    void *context, struct arena *of, const char *name, struct policy_text *ret, struct error *err)
{
    const char *const *installed = context;

    (void)of;
    (void)err;
    for (size_t i = 0; installed[i]; i += 2) {
        if (strcmp(installed[i], name) == 0) {
            *ret = (struct policy_text){ name, installed[i + 1], strlen(installed[i + 1]) };
            return 0;
        }
    }
    return POLICY_NOT_FOUND;
}

static int open_text(const char *text, const char *const *installed, struct policy **ret,
    struct buf *faults, struct buf *notes, struct error *err)
{
    union {
        const char *const *in;
        void *out;
    } context = { .in = installed };
    const struct policy_source source = { load, context.out };
    const struct policy_text document = { "top", text, strlen(text) };

    *err = (struct error)ERR_INIT;
    *ret = NULL;
    return policy_open(&arena, installed ? &source : NULL, &document, ret, faults, notes, err);
}

START_TEST(open_when_shipped_then_each_holds_and_is_ordered)
{
    size_t n = 0;
    for (const struct policy_text *text = policy_shipped; text->name; text++, n++) {
        struct error err = ERR_INIT;
        struct policy *policy;
        ck_assert(policy_name_is_valid(text->name));
        ck_assert_msg(
            policy_open(&arena, NULL, text, &policy, NULL, NULL, &err) == 0, "%s", err.text);
        ck_assert_uint_eq(policy->values[POLICY_NETWORK_MODE].number, POLICY_NETWORK_NONE);
        ck_assert(policy->values[POLICY_RESOURCES_MEMORY].number < POLICY_UNLIMITED);
    }
    ck_assert_uint_eq(n, 2);
    const struct policy *read_only = policy_shipped_open(&arena, "read-only");
    const struct policy *write = policy_shipped_open(&arena, "workspace-write");
    ck_assert(policy_within(read_only, write, NULL));
    ck_assert(!policy_within(write, read_only, NULL));
    ck_assert_uint_eq(write->values[POLICY_PROCESS_CAPABILITIES].n_items, 7);
    ck_assert_uint_eq(read_only->values[POLICY_FILESYSTEM_WORKSPACE].number, POLICY_WORKSPACE_READ);
}
END_TEST

START_TEST(name_when_not_of_its_letters_then_refused)
{
    static const char *const names[] = { "", "A", "a b", "../a", "a/b", "a.jsonc", "-a", "1a",
        "a\n", "a_b" };
    ck_assert(policy_name_is_valid("a-1"));
    ck_assert(
        !policy_name_is_valid("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct error err = ERR_INIT;
        struct policy_text text;
        ck_assert_msg(!policy_name_is_valid(names[i]), "%s", names[i]);
        ck_assert_int_eq(policy_find(&arena, NULL, names[i], &text, &err), -EINVAL);
        ck_assert(err.text[0] && !strchr(err.text, '\n'));
    }
}
END_TEST

START_TEST(find_when_installed_then_before_shipped)
{
    static const char *const installed[] = { "read-only", "{\"version\":1}", NULL };
    struct error err;
    struct policy *policy;
    ck_assert_int_eq(open_text("{\"version\":1,\"extends\":\"read-only\"}", installed, &policy,
                         NULL, NULL, &err),
        0);
    ck_assert_uint_eq(policy->values[POLICY_FILESYSTEM_WORKSPACE].number, POLICY_WORKSPACE_NONE);
}
END_TEST

START_TEST(open_when_extends_nothing_then_absent_keys_are_least)
{
    struct error err;
    struct policy *policy;
    ck_assert_int_eq(open_text("{\"version\":1,\"filesystem\":{\"workspace\":\"write\"}}", NULL,
                         &policy, NULL, NULL, &err),
        0);
    ck_assert_uint_eq(policy->values[POLICY_PROCESS_CAPABILITIES].n_items, 0);
    ck_assert_str_eq(policy->values[POLICY_PROCESS_ENV].origin.file, POLICY_ORIGIN_BUILT_IN);
}
END_TEST

START_TEST(open_when_child_asks_for_more_then_base_holds_and_a_note_says_so)
{
    AUTO(buf) struct buf notes = BUF_INIT;
    struct error err;
    struct policy *policy;
    ck_assert_int_eq(
        open_text(
            "{\"version\":1,\"extends\":\"read-only\",\"filesystem\":{\"workspace\":\"write\"},"
            "\"resources\":{\"pids\":9,\"memory\":\"5GiB\"}}",
            NULL, &policy, NULL, &notes, &err),
        0);
    ck_assert_uint_eq(policy->values[POLICY_FILESYSTEM_WORKSPACE].number, POLICY_WORKSPACE_READ);
    ck_assert_uint_eq(policy->values[POLICY_RESOURCES_PIDS].number, 9);
    ck_assert_str_eq(buf_str(&notes), "top:1:68: filesystem.workspace: more than read-only allows\n"
                                      "top:1:107: resources.memory: more than read-only allows\n");
}
END_TEST

START_TEST(open_when_extends_is_wrong_then_refused)
{
    static const char *const ring[] = { "a", "{\"version\":1,\"extends\":\"b\"}", "b",
        "{\"version\":1,\"extends\":\"a\"}", "bad", "{\"version\":1,\"x\":1}", NULL };
    static const struct {
        const char *extends;
        int code;
        const char *what;
    } cases[] = {
        { "a", EINVAL, "a:1:26: extends: in a ring, or more than 8 in a row" },
        { "nosuch", ENOENT, "top:1:31: extends: policy \"nosuch\": neither installed nor shipped" },
        { "bad", EINVAL, "bad:1:18: \"x\" is not a key" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(buf) struct buf faults = BUF_INIT;
        struct error err;
        struct policy *policy;
        const char *text =
            arena_printf(&arena, "{\"version\":1,\"extends\":\"%s\"}", cases[i].extends);
        ck_assert_int_eq(open_text(text, ring, &policy, &faults, NULL, &err), -cases[i].code);
        ck_assert_ptr_null(policy);
        ck_assert_msg(strstr(err.text, cases[i].what) == err.text, "%s", err.text);
        ck_assert_msg(strstr(buf_str(&faults), cases[i].what) != NULL, "%s", buf_str(&faults));
    }
}
END_TEST

/* What is written and not enforced is never ignored. */
START_TEST(open_when_not_enforced_then_refused_by_name)
{
    static const char *const members[] = {
        "\"filesystem\":{\"workspace\":\"cow\"}",
        "\"filesystem\":{\"read\":[\"/usr\"]}",
        "\"filesystem\":{\"write\":[\"/tmp\"]}",
        "\"filesystem\":{\"hide\":[\"**/.env\"]}",
        "\"filesystem\":{\"protect\":[\"x\"]}",
        "\"network\":{\"mode\":\"filtered\"}",
        "\"network\":{\"mode\":\"host\"}",
        "\"network\":{\"allow\":[{\"host\":\"a.test\"}]}",
        "\"network\":{\"deny\":[{\"host\":\"a.test\"}]}",
        "\"process\":{\"noNewPrivileges\":false}",
        "\"resources\":{\"disk\":\"1GiB\"}",
        "\"resources\":{\"wallClock\":60}",
        "\"identity\":{\"agent\":\"x\"}",
        "\"identity\":{\"onBehalfOf\":\"x\"}",
        "\"audit\":{\"sink\":\"file\"}",
    };
    for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
        static const char *const starts[] = { "", "\"extends\":\"read-only\"," };
        for (size_t k = 0; k < ARRAY_SIZE(starts); k++) {
            struct error err;
            struct policy *policy;
            const char *text = arena_printf(&arena, "{\"version\":1,%s%s}", starts[k], members[i]);
            ck_assert_msg(open_text(text, NULL, &policy, NULL, NULL, &err) == -ENOTSUP, "%s", text);
            ck_assert_msg(strstr(err.text, "top:1:") == err.text, "%s", err.text);
        }
    }
}
END_TEST

START_TEST(open_when_nothing_is_asked_of_what_is_not_enforced_then_taken)
{
    struct error err;
    struct policy *policy;
    ck_assert_msg(open_text("{\"version\":1,\"filesystem\":{\"hide\":[],\"read\":[]},\"network\":{"
                            "\"allow\":[],\"mode\":\"none\"},"
                            "\"resources\":{\"disk\":\"unlimited\"}}",
                      NULL, &policy, NULL, NULL, &err) == 0,
        "%s", err.text);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        open_when_shipped_then_each_holds_and_is_ordered,
        name_when_not_of_its_letters_then_refused,
        find_when_installed_then_before_shipped,
        open_when_extends_nothing_then_absent_keys_are_least,
        open_when_child_asks_for_more_then_base_holds_and_a_note_says_so,
        open_when_extends_is_wrong_then_refused,
        open_when_not_enforced_then_refused_by_name,
        open_when_nothing_is_asked_of_what_is_not_enforced_then_taken,
    };
    return unit_run("policy_find", tests, ARRAY_SIZE(tests));
}
