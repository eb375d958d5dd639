/* SPDX-License-Identifier: Apache-2.0 */
/* Writing config.json: what was read is written, and reads the same again. */
#include "json.h"
#include "oci_config_write.h"
#include "spec_text.h"

static void write_again(const char *text, unsigned indent, struct buf *out)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    oci_config_write(spec_parse(&arena, text), indent, out);
    ck_assert(buf_ok(out));
}

/* The same values; the members of objects in any order. */
static bool tree_equal(const struct json *a, const struct json *b)
{
    if (a->type != b->type)
        return false;
    if (a->type == JSON_STRING || a->type == JSON_NUMBER)
        return strcmp(a->string.text, b->string.text) == 0;
    if (a->type == JSON_BOOL)
        return a->boolean == b->boolean;
    if (a->type == JSON_NULL)
        return true;
    if (a->list.n != b->list.n)
        return false;
    const struct json *other = b->list.first;
    for (const struct json *item = a->list.first; item; item = item->next) {
        const struct json *twin = item->key ? json_get(b, item->key) : other;
        if (!twin || !tree_equal(item, twin)) {
            fprintf(stderr, "differs: %s\n", item->key ? item->key : "item");
            return false;
        }
        other = other->next;
    }
    return true;
}

START_TEST(written_configuration_reads_the_same)
{
    const char *const names[] = { "docker.json", "podman.json", "containerd.json", "full.json",
        "minimal.json", "null_skipped.json" };
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        size_t len = 0;
        autofree char *text = spec_file(names[i], &len);
        AUTO(buf) struct buf first = BUF_INIT;
        AUTO(buf) struct buf second = BUF_INIT;
        write_again(text, 0, &first);
        write_again(buf_str(&first), 0, &second);
        ck_assert_str_eq(buf_str(&first), buf_str(&second));
    }
}
END_TEST

/* full.json holds every field of the tables, so nothing may be lost or added. */
START_TEST(every_field_is_written)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    size_t len = 0;
    autofree char *text = spec_file("full.json", &len);
    AUTO(buf) struct buf out = BUF_INIT;
    write_again(text, 2, &out);
    struct json *ours = NULL;
    struct json *theirs = NULL;
    struct error err = ERR_INIT;
    ck_assert_int_eq(json_parse(&arena, "a", text, len, NULL, &theirs, &err), 0);
    ck_assert_int_eq(json_parse(&arena, "b", buf_str(&out), out.len, NULL, &ours, &err), 0);
    ck_assert(tree_equal(theirs, ours));
}
END_TEST

START_TEST(absent_fields_are_not_written)
{
    AUTO(buf) struct buf out = BUF_INIT;
    write_again("{\"ociVersion\":\"1.0.2\",\"hooks\":{},\"hostname\":\"\",\"process\":{\"args\":[],"
                "\"user\":{}},\"linux\":{\"resources\":{\"cpu\":{\"shares\":0}},\"devices\":[]}}",
        0, &out);
    ck_assert_str_eq(
        buf_str(&out), "{\"ociVersion\":\"1.0.2\",\"process\":{\"user\":{\"uid\":0,\"gid\":0}}}");
}
END_TEST

START_TEST(present_but_empty_differs_from_absent)
{
    AUTO(buf) struct buf out = BUF_INIT;
    write_again("{\"process\":{\"capabilities\":{}},\"linux\":{\"seccomp\":{\"defaultAction\":"
                "\"SCMP_ACT_KILL\",\"flags\":[]}}}",
        0, &out);
    ck_assert_str_eq(buf_str(&out),
        "{\"process\":{\"user\":{\"uid\":0,\"gid\":0},\"capabilities\":{}},\"linux\":{\"seccomp\":"
        "{\"defaultAction\":\"SCMP_ACT_KILL_THREAD\",\"flags\":[]}}}");
}
END_TEST

START_TEST(device_rule_is_written_as_engines_do)
{
    AUTO(buf) struct buf out = BUF_INIT;
    write_again("{\"linux\":{\"resources\":{\"devices\":[{\"allow\":false,\"access\":\"rwm\"},"
                "{\"allow\":true,\"type\":\"c\",\"major\":1,\"minor\":-1}]}}}",
        0, &out);
    ck_assert_str_eq(buf_str(&out),
        "{\"linux\":{\"resources\":{\"devices\":[{\"allow\":false,\"access\":\"rwm\"},"
        "{\"allow\":true,\"type\":\"c\",\"major\":1}]}}}");
}
END_TEST

START_TEST(process_and_resources_are_documents_of_their_own)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    size_t len = 0;
    autofree char *text = spec_file("minimal.json", &len);
    struct oci_config *config = spec_parse(&arena, text);
    AUTO(buf) struct buf out = BUF_INIT;
    oci_process_write(config->process, 0, &out);
    ck_assert_str_eq(
        buf_str(&out), "{\"user\":{\"uid\":0,\"gid\":0},\"args\":[\"true\"],\"cwd\":\"/\"}");
    buf_reset(&out);
    config->linux_.resources.memory.has_swap = true;
    config->linux_.resources.memory.swap = OCI_UNLIMITED;
    oci_resources_write(&config->linux_.resources, 0, &out);
    ck_assert_str_eq(buf_str(&out), "{\"memory\":{\"swap\":-1}}");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { written_configuration_reads_the_same, every_field_is_written,
        absent_fields_are_not_written, present_but_empty_differs_from_absent,
        device_rule_is_written_as_engines_do, process_and_resources_are_documents_of_their_own };
    return unit_run("oci_config_write", tests, ARRAY_SIZE(tests));
}
