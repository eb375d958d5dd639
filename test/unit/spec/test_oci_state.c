/* SPDX-License-Identifier: Apache-2.0 */
/* State documents. */
#include "json_write.h"
#include "oci_state.h"
#include "spec_text.h"

static const struct oci_pair annotations[] = { { "note", "a\nb" } };

START_TEST(state_of_hook_has_what_the_spec_asks)
{
    const struct oci_state state = { .id = "c1", .status = "creating", .pid = 42, .bundle = "/b" };
    AUTO(buf) struct buf out = BUF_INIT;
    oci_state_write(&state, &out);
    ck_assert_str_eq(buf_str(&out), "{\"ociVersion\":\"1.3.0\",\"id\":\"c1\",\"pid\":42,"
                                    "\"status\":\"creating\",\"bundle\":\"/b\"}");
}
END_TEST

START_TEST(state_of_command_has_the_members_of_runc)
{
    const struct oci_state state = {
        .oci_version = "1.0.2",
        .id = "c1",
        .status = "stopped",
        .bundle = "/b",
        .annotations = annotations,
        .n_annotations = 1,
        .rootfs = "/b/rootfs",
        .created = "2026-12-01T07:00:00Z",
        .owner = "",
    };
    AUTO(buf) struct buf out = BUF_INIT;
    oci_state_write(&state, &out);
    ck_assert_str_eq(buf_str(&out),
        "{\"ociVersion\":\"1.0.2\",\"id\":\"c1\",\"pid\":0,\"status\":\"stopped\",\"bundle\":\"/"
        "b\","
        "\"rootfs\":\"/b/rootfs\",\"created\":\"2026-12-01T07:00:00Z\",\"annotations\":{\"note\":"
        "\"a\\nb\"},\"owner\":\"\"}");
}
END_TEST

START_TEST(state_can_be_a_member)
{
    const struct oci_state state = { .id = "c", .status = "created", .pid = 1, .bundle = "/" };
    AUTO(buf) struct buf out = BUF_INIT;
    struct json_writer w = JSON_WRITER_INIT(&out, 0);
    json_begin(&w, NULL, '{');
    json_put_i64(&w, "pid", 1);
    oci_state_put(&w, "state", &state);
    json_end(&w, '}');
    ck_assert_str_eq(buf_str(&out), "{\"pid\":1,\"state\":{\"ociVersion\":\"1.3.0\",\"id\":\"c\","
                                    "\"pid\":1,\"status\":\"created\",\"bundle\":\"/\"}}");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { state_of_hook_has_what_the_spec_asks,
        state_of_command_has_the_members_of_runc, state_can_be_a_member };
    return unit_run("oci_state", tests, ARRAY_SIZE(tests));
}
