/* SPDX-License-Identifier: Apache-2.0 */
/* The image's configuration, as engines write it and as nobody should. */
#include <errno.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "image_config_parse.h"
#include "unit.h"

#define ID "sha256:1111111111111111111111111111111111111111111111111111111111111111"
#define FRAME(config)                                                                                                  \
    "{\"architecture\":\"amd64\",\"os\":\"linux\",\"config\":" config                                                  \
    ",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"" ID "\",\"" ID "\"]},\"history\":[{\"empty_layer\":true}]}"

static struct arena arena;
static struct error err;

static int parse(const char *text, struct image_config *ret)
{
    err = (struct error)ERR_INIT;
    return image_config_parse(&arena, "c", text, strlen(text), ret, &err);
}

START_TEST(whole_configuration_prints_as_written)
{
    static const char text[] = FRAME("{\"Env\":[\"A=1\",\"B=\",\"A=2\"],\"Entrypoint\":[\"/e\",\"x y\"],\"Cmd\":null,"
                                     "\"User\":\"1000:50\",\"WorkingDir\":\"/"
                                     "w\",\"StopSignal\":\"SIGUSR1\",\"Volumes\":{\"/v\":{}},"
                                     "\"ExposedPorts\":{\"80/"
                                     "tcp\":{}},\"Labels\":{\"k\":\"v\"},\"OnBuild\":null,\"unknown\":[]}");
    struct image_config c;
    ck_assert_msg(parse(text, &c) == 0, "%s", err.text);
    AUTO(buf) struct buf out = BUF_INIT;
    image_config_print(&c, &out);
    ck_assert_str_eq(buf_str(&out),
        "os \"linux\"\narchitecture \"amd64\"\nuser \"1000:50\"\nworking-dir \"/w\"\n"
        "stop-signal \"SIGUSR1\"\nenv \"A=2\"\nenv \"B=\"\nentrypoint \"/e\"\nentrypoint \"x "
        "y\"\nvolume \"/v\"\n"
        "port \"80/tcp\"\nlayer \"" ID "\"\nlayer \"" ID "\"\n");
    ck_assert_str_eq(c.labels[0].value, "v");
    ck_assert_ptr_null(c.entrypoint[2]);
}
END_TEST

START_TEST(empty_configuration_is_fine)
{
    struct image_config c;
    ck_assert_msg(parse(FRAME("{}"), &c) == 0, "%s", err.text);
    ck_assert_msg(parse(FRAME("null"), &c) == 0, "%s", err.text);
    ck_assert_uint_eq(c.n_env, 0);
    ck_assert_uint_eq(c.n_diff_ids, 2);
}
END_TEST

START_TEST(bad_configurations_are_refused)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"architecture\":\"amd64\",\"os\":\"linux\"}",
        "{\"os\":\"linux\",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[]}}",
        "{\"architecture\":\"amd64\",\"os\":\"linux\",\"rootfs\":{\"type\":\"tree\",\"diff_ids\":[]"
        "}}",
        "{\"architecture\":\"amd64\",\"os\":\"linux\",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":"
        "[\"x\"]}}",
        "{\"architecture\":\"amd64\",\"os\":\"linux\",\"schemaVersion\":2,\"rootfs\":{\"type\":"
        "\"layers\",\"diff_ids\":[]}}",
        FRAME("{\"Env\":[\"A\"]}"),
        FRAME("{\"Env\":[\"=1\"]}"),
        FRAME("{\"Env\":\"A=1\"}"),
        FRAME("{\"Env\":[1]}"),
        FRAME("{\"Cmd\":\"sh\"}"),
        FRAME("{\"Volumes\":{\"v\":{}}}"),
        FRAME("{\"Volumes\":[]}"),
        FRAME("{\"WorkingDir\":\"w\"}"),
        FRAME("{\"User\":1000}"),
        FRAME("{\"User\":\"a\\u0000b\"}"),
        FRAME("{\"Labels\":{\"a\":1}}"),
        FRAME("{\"Cmd\":[\"a\"],\"Cmd\":[\"b\"]}"),
        FRAME("[]"),
    };
    struct image_config c;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_msg(parse(texts[i], &c) < 0, "passed: %s", texts[i]);
        ck_assert_msg(strncmp(err.text, "c:", 2) == 0, "no place in: %s", err.text);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { whole_configuration_prints_as_written, empty_configuration_is_fine,
        bad_configurations_are_refused };
    int rc = unit_run("image_config_parse", tests, sizeof(tests) / sizeof(tests[0]));
    arena_done(&arena);
    return rc;
}
