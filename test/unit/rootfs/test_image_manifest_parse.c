/* SPDX-License-Identifier: Apache-2.0 */
/* Which blobs an image consists of, and which platform is taken (case image-864). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "err.h"
#include "image_manifest_parse.h"
#include "unit.h"

#define D1                 "sha256:1111111111111111111111111111111111111111111111111111111111111111"
#define D2                 "sha256:2222222222222222222222222222222222222222222222222222222222222222"
#define INDEX_TYPE         "application/vnd.oci.image.index.v1+json"
#define MANIFEST_TYPE      "application/vnd.oci.image.manifest.v1+json"
#define CONFIG_TYPE        "application/vnd.oci.image.config.v1+json"
#define LAYER_TYPE         "application/vnd.oci.image.layer.v1.tar+gzip"
#define BLOB(type, digest) "{\"mediaType\":\"" type "\",\"digest\":\"" digest "\",\"size\":7}"
#define CONFIG             BLOB(CONFIG_TYPE, D1)
#define LAYER              BLOB(LAYER_TYPE, D2)

static struct arena arena;
static struct error err;

static int manifest(const char *text, const char *media_type, struct image_manifest *ret)
{
    err = (struct error)ERR_INIT;
    return image_manifest_parse(&arena, "m", text, strlen(text), media_type, ret, &err);
}

static int list(const char *text, const char *media_type, struct image_index *ret)
{
    err = (struct error)ERR_INIT;
    return image_index_parse(&arena, "i", text, strlen(text), media_type, ret, &err);
}

START_TEST(manifest_gives_config_and_layers)
{
    struct image_manifest m;
    int rc = manifest("{\"schemaVersion\":2,\"mediaType\":\"" MANIFEST_TYPE "\",\"config\":" CONFIG
                      ",\"layers\":[" LAYER "," LAYER "]}",
        MANIFEST_TYPE, &m);
    ck_assert_msg(rc == 0, "%s", err.text);
    ck_assert_str_eq(m.config.digest, D1);
    ck_assert_uint_eq(m.n_layers, 2);
    ck_assert_str_eq(m.layers[1].digest, D2);
    ck_assert_uint_eq(m.layers[1].size_bytes, 7);
}
END_TEST

START_TEST(docker_style_zstd_layer_is_a_layer)
{
    struct image_manifest m;
    int rc = manifest("{\"schemaVersion\":2,\"config\":" BLOB("application/vnd.docker.container.image.v1+json",
                          D1) ",\"layers\":[" BLOB("application/vnd.docker.image.rootfs.diff.tar.zstd", D2) "]}",
        NULL, &m);
    ck_assert_msg(rc == 0, "%s", err.text);
}
END_TEST

/* CVE-2021-41190: one text, two readings. */
START_TEST(ambiguous_documents_are_refused)
{
    struct image_manifest m;
    struct image_index i;
    static const char both[] = "{\"schemaVersion\":2,\"config\":" CONFIG ",\"layers\":[" LAYER "],\"manifests\":[]}";
    ck_assert_int_eq(manifest(both, NULL, &m), -EINVAL);
    ck_assert_int_eq(list(both, NULL, &i), -EINVAL);
    ck_assert_ptr_nonnull(strstr(err.text, "ambiguous"));
    static const char fs_layers[] = "{\"schemaVersion\":2,\"config\":" CONFIG ",\"layers\":[],\"fsLayers\":[]}";
    ck_assert_int_eq(manifest(fs_layers, NULL, &m), -EINVAL);
}
END_TEST

START_TEST(media_type_must_be_that_of_the_content)
{
    struct image_manifest m;
    struct image_index i;
    static const char good[] = "{\"schemaVersion\":2,\"config\":" CONFIG ",\"layers\":[]}";
    ck_assert_int_eq(manifest(good, NULL, &m), 0);
    ck_assert_int_eq(manifest(good, MANIFEST_TYPE, &m), 0);
    ck_assert_int_eq(manifest(good, INDEX_TYPE, &m), -EINVAL);
    ck_assert_int_eq(manifest(good, "text/plain", &m), -EINVAL);
    static const char lies[] =
        "{\"schemaVersion\":2,\"mediaType\":\"" INDEX_TYPE "\",\"config\":" CONFIG ",\"layers\":[]}";
    ck_assert_int_eq(manifest(lies, NULL, &m), -EINVAL);
    static const char other[] =
        "{\"schemaVersion\":2,\"mediaType\":"
        "\"application/vnd.docker.distribution.manifest.v2+json\",\"config\":" CONFIG ",\"layers\":[]}";
    ck_assert_int_eq(manifest(other, NULL, &m), 0);
    ck_assert_int_eq(manifest(other, MANIFEST_TYPE, &m), -EINVAL);
    ck_assert_int_eq(list("{\"schemaVersion\":2,\"manifests\":[]}", MANIFEST_TYPE, &i), -EINVAL);
}
END_TEST

START_TEST(bad_manifests_are_refused)
{
    static const char *const texts[] = {
        "",
        "[]",
        "null",
        "{}",
        "{\"schemaVersion\":2}",
        "{\"schemaVersion\":1,\"config\":" CONFIG ",\"layers\":[]}",
        "{\"schemaVersion\":2,\"config\":" CONFIG "}",
        "{\"schemaVersion\":2,\"config\":" CONFIG ",\"layers\":{}}",
        "{\"schemaVersion\":2,\"config\":" CONFIG ",\"layers\":[" CONFIG "]}",
        "{\"schemaVersion\":2,\"config\":" LAYER ",\"layers\":[]}",
        "{\"schemaVersion\":2,\"config\":" CONFIG ",\"layers\":[{\"mediaType\":\"" LAYER_TYPE
        "\",\"digest\":\"sha512:00\",\"size\":1}]}",
        "{\"schemaVersion\":2,\"config\":" CONFIG ",\"layers\":[{\"mediaType\":\"" LAYER_TYPE "\",\"digest\":\"" D1
        "\",\"size\":-1}]}",
        "{\"schemaVersion\":2,\"config\":" CONFIG ",\"layers\":[{\"mediaType\":\"" LAYER_TYPE "\",\"digest\":\"" D1
        "\"}]}",
        "{\"schemaVersion\":2,\"config\":" CONFIG ",\"layers\":[{\"mediaType\":\"" LAYER_TYPE "\",\"digest\":\"" D1
        "\",\"size\":1,\"urls\":[\"http://x\"]}]}",
        "{\"schemaVersion\":2,\"schemaVersion\":2,\"config\":" CONFIG ",\"layers\":[]}",
    };
    struct image_manifest m;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_msg(manifest(texts[i], NULL, &m) < 0, "passed: %s", texts[i]);
        ck_assert_msg(strncmp(err.text, "m:", 2) == 0, "no place in: %s", err.text);
    }
}
END_TEST

#define ENTRY(digest, arch, more)                                                                                      \
    "{\"mediaType\":\"" MANIFEST_TYPE "\",\"digest\":\"sha256:" digest                                                 \
    "000000000000000000000000000000000000000000000000000000000000000\",\"size\":7,\"platform\":{"                      \
    "\"os\":\"linux\","                                                                                                \
    "\"architecture\":\"" arch "\"" more "}}"
#define UNKNOWN                                                                                                        \
    "{\"mediaType\":\"" MANIFEST_TYPE "\",\"digest\":\"" D1                                                            \
    "\",\"size\":7,\"platform\":{\"os\":\"unknown\",\"architecture\":\"unknown\"}}"

static const char multi[] = "{\"schemaVersion\":2,\"manifests\":[" ENTRY("a", "amd64", "") "," ENTRY("b", "arm64",
    "") "," ENTRY("c", "arm", ",\"variant\":\"v6\"") "," ENTRY("d", "arm", ",\"variant\":\"v7\"") "," UNKNOWN "]}";

static char chosen(const char *platform)
{
    struct image_index index;
    struct image_platform want;
    const struct image_descriptor *entry;
    ck_assert_msg(list(multi, INDEX_TYPE, &index) == 0, "%s", err.text);
    ck_assert_int_eq(image_platform_parse(&arena, platform, &want, &err), 0);
    if (image_index_choose(&index, &want, &entry, &err) < 0)
        return '-';
    return entry->digest[strlen("sha256:")];
}

START_TEST(platform_is_chosen_by_variant_and_never_unknown)
{
    ck_assert_int_eq(chosen("linux/amd64"), 'a');
    ck_assert_int_eq(chosen("linux/amd64/v1"), 'a');
    ck_assert_int_eq(chosen("linux/arm64/v8"), 'b');
    ck_assert_int_eq(chosen("linux/arm64"), 'b');
    ck_assert_int_eq(chosen("linux/arm/v7"), 'd');
    ck_assert_int_eq(chosen("linux/arm/v6"), 'c');
    ck_assert_int_eq(chosen("linux/arm/v5"), '-');
    ck_assert_int_eq(chosen("linux/s390x"), '-');
    ck_assert_ptr_nonnull(strstr(err.text, "linux/amd64, linux/arm64, linux/arm/v6, linux/arm/v7"));
    ck_assert_int_eq(chosen("windows/amd64"), '-');
}
END_TEST

START_TEST(two_images_for_one_platform_are_ambiguous)
{
    struct image_index index;
    struct image_platform want;
    const struct image_descriptor *entry;
    ck_assert_int_eq(
        list("{\"schemaVersion\":2,\"manifests\":[" ENTRY("a", "amd64", "") "," ENTRY("b", "amd64", "") "]}", NULL,
            &index),
        0);
    ck_assert_int_eq(image_platform_parse(&arena, "linux/amd64", &want, &err), 0);
    ck_assert_int_eq(image_index_choose(&index, &want, &entry, &err), -EINVAL);
    ck_assert_int_eq(
        list("{\"schemaVersion\":2,\"manifests\":[" ENTRY("a", "amd64", "") "," ENTRY("a", "amd64", "") "]}", NULL,
            &index),
        0);
    ck_assert_int_eq(image_index_choose(&index, &want, &entry, &err), 0);
}
END_TEST

START_TEST(platform_texts_are_checked)
{
    static const char *const texts[] = { "", "linux", "linux/", "/amd64", "linux/arm/", "linux/arm/v7/x", "linux//v7" };
    struct image_platform platform;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_msg(image_platform_parse(&arena, texts[i], &platform, &err) < 0, "%s", texts[i]);
    ck_assert_int_eq(image_platform_parse(&arena, NULL, &platform, &err), 0);
    ck_assert_str_eq(platform.os, "linux");
}
END_TEST

START_TEST(docker_list_gives_names_in_one_form)
{
    struct image_docker_list l;
    static const char text[] = "[{\"Config\":\"c.json\",\"RepoTags\":[\"docker.io/library/app:1\"],\"Layers\":[\"a/"
                               "layer.tar\","
                               "\"a/layer.tar\"]},{\"Config\":\"d.json\",\"RepoTags\":null,\"Layers\":null}]";
    err = (struct error)ERR_INIT;
    ck_assert_msg(image_docker_parse(&arena, "l", text, strlen(text), &l, &err) == 0, "%s", err.text);
    ck_assert_uint_eq(l.n_entries, 2);
    ck_assert_str_eq(l.entries[0].names[0], "app:1");
    ck_assert_uint_eq(l.entries[0].n_layers, 2);
    ck_assert_uint_eq(l.entries[1].n_names, 0);
    static const char *const bad[] = { "{}", "[]", "[1]", "[{\"Layers\":[]}]", "[{\"Config\":1,\"Layers\":[]}]",
        "[{\"Config\":\"c\",\"Layers\":[1]}]", "[{\"Config\":\"c\",\"RepoTags\":[\"A B\"],\"Layers\":[]}]" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(image_docker_parse(&arena, "l", bad[i], strlen(bad[i]), &l, &err) < 0, "%s", bad[i]);
}
END_TEST

START_TEST(layout_version_is_checked)
{
    static const char good[] = "{\"imageLayoutVersion\":\"1.0.0\"}";
    static const char bad[] = "{\"imageLayoutVersion\":\"2.0.0\"}";
    ck_assert_int_eq(image_layout_check(&arena, good, strlen(good), &err), 0);
    ck_assert_int_lt(image_layout_check(&arena, bad, strlen(bad), &err), 0);
    ck_assert_int_lt(image_layout_check(&arena, "{}", 2, &err), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { manifest_gives_config_and_layers, docker_style_zstd_layer_is_a_layer,
        ambiguous_documents_are_refused, media_type_must_be_that_of_the_content, bad_manifests_are_refused,
        platform_is_chosen_by_variant_and_never_unknown, two_images_for_one_platform_are_ambiguous,
        platform_texts_are_checked, docker_list_gives_names_in_one_form, layout_version_is_checked };
    int rc = unit_run("image_manifest_parse", tests, sizeof(tests) / sizeof(tests[0]));
    arena_done(&arena);
    return rc;
}
