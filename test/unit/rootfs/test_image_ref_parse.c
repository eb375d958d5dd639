/* SPDX-License-Identifier: Apache-2.0 */
/* What people write for an image. */
#include <errno.h>
#include <string.h>

#include "arena.h"
#include "err.h"
#include "image_ref_parse.h"
#include "unit.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct arena arena;

static struct image_ref parse(const char *text)
{
    struct image_ref ref;
    struct error err = ERR_INIT;
    ck_assert_msg(image_ref_parse(&arena, text, &ref, &err) == 0, "%s: %s", text, err.text);
    return ref;
}

static void refuse(const char *text)
{
    struct image_ref ref;
    struct error err = ERR_INIT;
    ck_assert_msg(image_ref_parse(&arena, text, &ref, &err) == -EINVAL, "%s: not refused", text);
    ck_assert_int_ne(err.text[0], '\0');
}

START_TEST(archives_have_path_and_name)
{
    struct image_ref ref = parse("docker-archive:/a/b.tar");
    ck_assert_int_eq(ref.transport, IMAGE_DOCKER_ARCHIVE);
    ck_assert_str_eq(ref.path, "/a/b.tar");
    ck_assert_ptr_null(ref.name);
    ref = parse("docker-archive:b.tar:app");
    ck_assert_str_eq(ref.name, "app:latest");
    ref = parse("oci:dir:Tag_1");
    ck_assert_int_eq(ref.transport, IMAGE_OCI_LAYOUT);
    ck_assert_str_eq(ref.name, "Tag_1");
    ref = parse("oci-archive:x.tar:quay.io/a/b:1");
    ck_assert_str_eq(ref.name, "quay.io/a/b:1");
}
END_TEST

START_TEST(names_get_one_form)
{
    static const char *const pairs[][2] = {
        { "debian", "debian:latest" },
        { "debian:12", "debian:12" },
        { "docker.io/library/debian:12", "debian:12" },
        { "docker.io/me/app", "me/app:latest" },
        { "localhost:5000/app:1", "localhost:5000/app:1" },
        { "library/debian", "library/debian:latest" },
        { "Host.Example/app", "Host.Example/app:latest" },
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct image_ref ref = parse(pairs[i][0]);
        ck_assert_int_eq(ref.transport, IMAGE_STORED);
        ck_assert_str_eq(ref.name, pairs[i][1]);
    }
}
END_TEST

START_TEST(digests_name_an_image)
{
    struct image_ref ref = parse("sha256:" HEX);
    ck_assert_ptr_null(ref.name);
    ck_assert_str_eq(ref.digest, "sha256:" HEX);
    ref = parse("app:1@sha256:" HEX);
    ck_assert_str_eq(ref.name, "app:1");
    ck_assert_str_eq(ref.digest, "sha256:" HEX);
}
END_TEST

START_TEST(what_is_no_name_is_refused)
{
    static const char *const texts[] = { "", "docker-archive:", "docker-archive::app", "oci:dir:", "Debian", "a b",
        "../x", "a//b", "/a", "a/", "a:", ":a", "a:b:c", "-a", "a@sha256:12", "sha256:12", "a\n", "a:\x80", "app:-x",
        "docker-archive:f.tar:UPPER" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        refuse(texts[i]);
    char text[IMAGE_NAME_MAX + 2] = { 0 };
    memset(text, 'a', IMAGE_NAME_MAX + 1);
    refuse(text);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { archives_have_path_and_name, names_get_one_form, digests_name_an_image,
        what_is_no_name_is_refused };
    int rc = unit_run("image_ref_parse", tests, sizeof(tests) / sizeof(tests[0]));
    arena_done(&arena);
    return rc;
}
