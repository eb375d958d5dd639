/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of policies: what is read, and every way to be wrong, key by key. */
#include <errno.h>

#include "alloc.h"
#include "policy_unit.h"
#include "policy_write.h"
#include "strv.h"

static struct arena arena = ARENA_INIT;

/* A document with that one value, or without its section. */
static char *document(size_t key, const char *value)
{
    return arena_printf(&arena, "{\"version\":1,\"%s\":{\"%s\":%s}}", policy_key_table[key].section,
        policy_key_table[key].name, value);
}

static int parse(const char *text, struct policy **ret, struct error *err)
{
    *err = (struct error)ERR_INIT;
    *ret = NULL;
    return policy_parse(&arena, "p.jsonc", text, strlen(text), ret, NULL, err);
}

static const char *good_value(const struct policy_key_row *row)
{
    static const char *const by_kind[] = {
        [POLICY_TRUE] = "true",
        [POLICY_BYTES] = "\"2GiB\"",
        [POLICY_COUNT] = "512",
        [POLICY_CPUS] = "1.5",
        [POLICY_SECONDS] = "60",
        [POLICY_DENIALS] = "[\"**/.env\"]",
        [POLICY_ALLOWED] = "[{\"host\":\"a.test\",\"ports\":[443]}]",
        [POLICY_REFUSED] = "[{\"cidr\":\"10.0.0.0/8\",\"protocol\":\"udp\",\"private\":true}]",
        [POLICY_LABEL] = "\"file\"",
    };
    if (row->kind == POLICY_WORD)
        return arena_printf(&arena, "\"%s\"", row->words[0]);
    if (row->kind == POLICY_GRANTS)
        return row->words ? "[\"CAP_KILL\"]" : row->item_fault("/a") ? "[\"PATH\"]" : "[\"/a\"]";
    return by_kind[row->kind];
}

START_TEST(parse_when_each_key_is_right_then_read_with_its_place)
{
    for (size_t key = 0; key < POLICY_KEYS; key++) {
        struct error err;
        struct policy *policy;
        const char *text = document(key, good_value(&policy_key_table[key]));
        ck_assert_msg(parse(text, &policy, &err) == 0, "%s: %s", text, err.text);
        for (size_t other = 0; other < POLICY_KEYS; other++)
            ck_assert_int_eq(policy_has(policy, (enum policy_key)other), other == key);
        ck_assert_str_eq(policy->values[key].origin.file, "p.jsonc");
        ck_assert_uint_eq(policy->values[key].origin.line, 1);
    }
}
END_TEST

/* null, every type, emptiness, a word that is none: a fault, or an empty list. */
START_TEST(parse_when_each_key_is_wrong_then_refused)
{
    static const char *const values[] = { "null", "true", "false", "0", "-1", "1.2345", "1e3",
        "99999999999999999", "\"\"", "\"x y\"", "[]", "[null]", "[\"\"]", "[1]", "[[]]", "[{}]",
        "{}", "{\"a\":1}" };
    for (size_t key = 0; key < POLICY_KEYS; key++) {
        enum policy_kind kind = policy_key_table[key].kind;
        for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
            struct error err;
            struct policy *policy;
            const char *text = document(key, values[i]);
            bool is_right = kind == POLICY_TRUE && i >= 1 && i <= 2;
            bool is_list = kind == POLICY_GRANTS || kind == POLICY_DENIALS ||
                           kind == POLICY_ALLOWED || kind == POLICY_REFUSED;
            bool is_free_label = kind == POLICY_LABEL && !policy_key_table[key].words &&
                                 str_eq(values[i], "\"x y\"");
            int rc = parse(text, &policy, &err);
            if (is_right || is_free_label || (is_list && str_eq(values[i], "[]"))) {
                ck_assert_msg(rc == 0, "%s: %s", text, err.text);
                continue;
            }
            ck_assert_msg(rc == -EINVAL && !policy, "%s was taken", text);
            ck_assert_msg(strstr(err.text, "p.jsonc:1:") == err.text, "%s: %s", text, err.text);
            ck_assert_msg(
                strstr(err.text, policy_key_table[key].name) != NULL, "%s: %s", text, err.text);
        }
    }
}
END_TEST

static const struct {
    const char *text;
    const char *what;
} faults[] = {
    { "", "p.jsonc:1:1: " },
    { "[]", "p.jsonc:1:1: array where an object belongs" },
    { "{}", "p.jsonc:1:1: version: missing; this runa knows 1" },
    { "{\"version\":2}", "p.jsonc:1:12: version: 2 is not known to this runa, only 1" },
    { "{\"version\":\"1\"}", "p.jsonc:1:14: version: string where the number 1 belongs" },
    { "{\"version\":1,\"version\":1}", "a second time" },
    { "{\"version\":1,\"netwrk\":{}}",
        "p.jsonc:1:23: \"netwrk\" is not a key; did you mean \"network\"?" },
    { "{\"version\":1,\"network\":[]}", "network: array where an object belongs" },
    { "{\"version\":1,\"network\":null}", "network: null where an object belongs" },
    { "{\"version\":1,\"xyzzy\":{}}",
        "known: version, extends, filesystem, network, process, resources, identity, audit" },
    { "{\"version\":1,\"process\":{\"capabilites\":[]}}", "did you mean \"capabilities\"?" },
    { "{\"version\":1,\"process\":{\"capabilities\":[\"KILL\"]}}",
        "is not a word of this key; known: CAP_CHOWN" },
    { "{\"version\":1,\"process\":{\"capabilities\":[\"CAP_SYS_ADMIN\"]}}",
        "is not a word of this key" },
    { "{\"version\":1,\"process\":{\"env\":[\"A=b\"]}}",
        "process.env: \"A=b\": not the name of a variable" },
    { "{\"version\":1,\"process\":{\"env\":[\"A\\u0000\"]}}", "NUL" },
    { "{\"version\":1,\"resources\":{\"memory\":2147483648}}",
        "resources.memory: number where a size as \"2GiB\"" },
    { "{\"version\":1,\"resources\":{\"memory\":\"2 GiB\"}}", "resources.memory: not a size" },
    { "{\"version\":1,\"resources\":{\"memory\":\"0\"}}", "not within \"1MiB\" to " },
    { "{\"version\":1,\"resources\":{\"cpus\":0.001}}",
        "resources.cpus: not within 0.01 to 65536" },
    { "{\"version\":1,\"resources\":{\"cpus\":2.}}", "1:" },
    { "{\"version\":1,\"filesystem\":{\"read\":[\"usr\"]}}", "not an absolute path" },
    { "{\"version\":1,\"filesystem\":{\"read\":[\"/a/../b\"]}}", "\"..\" in a path" },
    { "{\"version\":1,\"extends\":\"../x\"}", "extends: not the name of a policy" },
    { "{\"version\":1,\"extends\":\"\"}", "extends: not the name of a policy" },
    { "{\"version\":1,\"network\":{\"allow\":[{\"host\":\"a\",\"port\":[1]}]}}",
        "no such key of a rule" },
    { "{\"version\":1,\"network\":{\"allow\":[{\"host\":\"a\",\"cidr\":\"::/0\"}]}}",
        "either a host or a cidr" },
    { "{\"version\":1,\"network\":{\"allow\":[{\"host\":\"a\",\"ports\":[0]}]}}", "not a port" },
    { "{\"version\":1,\"network\":{\"allow\":[{\"host\":\"a b\"}]}}", "byte that is in no name" },
    { "{\"version\":1,,}", "p.jsonc:1:" },
    { "{\"version\":1} x", "p.jsonc:1:" },
};

START_TEST(parse_when_wrong_then_place_and_reason)
{
    for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
        struct error err;
        struct policy *policy;
        ck_assert_msg(parse(faults[i].text, &policy, &err) == -EINVAL, "%s", faults[i].text);
        ck_assert_msg(strstr(err.text, faults[i].what) != NULL, "%s: %s", faults[i].text, err.text);
    }
}
END_TEST

START_TEST(parse_when_many_faults_then_all_in_one_run)
{
    static const char text[] =
        "{\n\"version\": 1,\n\"process\": { \"env\": [\"1\", \"A\", \"B=\"],\n\"seccomp\": null "
        "},\n"
        "\"network\": { \"mode\": \"host\" },\n\"resources\": { \"pid\": 1 },\n}";
    AUTO(buf) struct buf lines = BUF_INIT;
    struct error err = ERR_INIT;
    struct policy *policy = NULL;
    ck_assert_int_eq(policy_parse(&arena, "p", text, strlen(text), &policy, &lines, &err), -EINVAL);
    ck_assert_str_eq(buf_str(&lines),
        "p:3:24: process.env: \"1\": not the name of a variable\n"
        "p:3:35: process.env: \"B=\": not the name of a variable\n"
        "p:4:15: process.seccomp: null where a string belongs\n"
        "p:6:23: resources: \"pid\" is not a key; did you mean \"pids\"?\n"
        "p:5:27: network.mode: not enforced yet by this version\n");
    ck_assert_str_eq(err.text, "p:3:24: process.env: \"1\": not the name of a variable");
}
END_TEST

START_TEST(parse_when_comments_and_commas_then_read)
{
    struct policy *policy = policy_of(&arena,
        "// a\n{ /* b */ \"version\": 1, \"process\": { \"env\": [\"B\", \"A\", \"B\",], }, }");
    const struct policy_value *env = &policy->values[POLICY_PROCESS_ENV];
    ck_assert_uint_eq(env->n_items, 2); /* sorted, once each */
    ck_assert_str_eq(env->items[0].text, "A");
    ck_assert_str_eq(env->items[1].text, "B");
}
END_TEST

START_TEST(parse_when_numbers_then_exact)
{
    struct policy *policy =
        policy_of(&arena, "{\"version\":1,\"resources\":{\"memory\":\"1536MiB\",\"cpus\":0.25,"
                          "\"pids\":1,\"disk\":\"unlimited\",\"files\":\"unlimited\"}}");
    ck_assert_uint_eq(policy->values[POLICY_RESOURCES_MEMORY].number, 1536ULL << 20);
    ck_assert_uint_eq(policy->values[POLICY_RESOURCES_CPUS].number, 250);
    ck_assert_uint_eq(policy->values[POLICY_RESOURCES_PIDS].number, 1);
    ck_assert_uint_eq(policy->values[POLICY_RESOURCES_DISK].number, POLICY_UNLIMITED);
    ck_assert_uint_eq(policy->values[POLICY_RESOURCES_FILES].number, POLICY_UNLIMITED);
}
END_TEST

START_TEST(parse_when_rules_are_the_same_then_one)
{
    struct policy *policy =
        policy_of(&arena, "{\"version\":1,\"network\":{\"allow\":[{\"ports\":[443,80,443],\"host\":"
                          "\"a.test\"},{\"host\":\"a.test\",\"ports\":[80,443]}]}}");
    ck_assert_uint_eq(policy->values[POLICY_NETWORK_ALLOW].n_items, 1);
    ck_assert_str_eq(policy->values[POLICY_NETWORK_ALLOW].items[0].text,
        "{\"host\":\"a.test\",\"ports\":[80,443]}");
}
END_TEST

START_TEST(parse_when_too_large_then_refused)
{
    struct error err = ERR_INIT;
    struct policy *policy = NULL;
    autofree char *text = xmalloc(POLICY_SIZE_MAX + 1);
    memset(text, ' ', POLICY_SIZE_MAX + 1);
    ck_assert_int_eq(
        policy_parse(&arena, "p", text, POLICY_SIZE_MAX + 1, &policy, NULL, &err), -EINVAL);
    ck_assert_msg(strstr(err.text, "larger than") != NULL, "%s", err.text);
}
END_TEST

START_TEST(write_when_read_again_then_equal_whatever_the_origins)
{
    uint64_t state = 9;
    for (int i = 0; i < 500; i++) {
        struct policy *policy = policy_random(&arena, &state);
        AUTO(buf) struct buf text = BUF_INIT;
        struct error err;
        struct policy *again;
        policy->values[POLICY_NETWORK_ALLOW] = policy->values[POLICY_NETWORK_DENY] =
            (struct policy_value){ 0 };
        policy->values[POLICY_FILESYSTEM_READ] = policy->values[POLICY_FILESYSTEM_WRITE] =
            (struct policy_value){ 0 };
        policy_write(policy, i % 2 == 0, &text);
        ck_assert_msg(parse(buf_str(&text), &again, &err) == 0, "%s: %s", buf_str(&text), err.text);
        ck_assert_msg(policy_equal(policy, again), "%s", buf_str(&text));
    }
}
END_TEST

START_TEST(write_when_numbers_then_shortest_exact_form)
{
    static const char text[] = "{\n  \"version\": 1,\n  \"extends\": \"a\",\n  \"resources\": {\n  "
                               "  \"memory\": \"1536MiB\",\n"
                               "    \"cpus\": 1.05,\n    \"disk\": \"unlimited\",\n  }\n}\n";
    AUTO(buf) struct buf out = BUF_INIT;
    policy_write(policy_of(&arena, text), false, &out);
    ck_assert_str_eq(buf_str(&out), text);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        parse_when_each_key_is_right_then_read_with_its_place,
        parse_when_each_key_is_wrong_then_refused,
        parse_when_wrong_then_place_and_reason,
        parse_when_many_faults_then_all_in_one_run,
        parse_when_comments_and_commas_then_read,
        parse_when_numbers_then_exact,
        parse_when_rules_are_the_same_then_one,
        parse_when_too_large_then_refused,
        write_when_read_again_then_equal_whatever_the_origins,
        write_when_numbers_then_shortest_exact_form,
    };
    return unit_run("policy_parse", tests, ARRAY_SIZE(tests));
}
