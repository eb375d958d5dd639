/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: which blobs an image is made of. */
#include "image_manifest_parse.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "digest.h"
#include "err.h"
#include "image_document.h"
#include "image_ref_parse.h"
#include "json.h"
#include "parse_num.h"
#include "strv.h"

#define LAYOUT_BYTES_MAX 4096
#define NAMES_MAX        64
#define REF_NAME_KEY     "org.opencontainers.image.ref.name"

static const struct {
    const char *text;
    bool is_prefix;
    enum image_media media;
} media_types[] = {
    { "application/vnd.oci.image.index.v1+json", false, IMAGE_MEDIA_INDEX },
    { "application/vnd.docker.distribution.manifest.list.v2+json", false, IMAGE_MEDIA_INDEX },
    { "application/vnd.oci.image.manifest.v1+json", false, IMAGE_MEDIA_MANIFEST },
    { "application/vnd.docker.distribution.manifest.v2+json", false, IMAGE_MEDIA_MANIFEST },
    { "application/vnd.oci.image.config.v1+json", false, IMAGE_MEDIA_CONFIG },
    { "application/vnd.docker.container.image.v1+json", false, IMAGE_MEDIA_CONFIG },
    { "application/vnd.oci.image.layer.v1.tar", true, IMAGE_MEDIA_LAYER },
    { "application/vnd.oci.image.layer.nondistributable.v1.tar", true, IMAGE_MEDIA_LAYER },
    { "application/vnd.docker.image.rootfs.diff.tar", true, IMAGE_MEDIA_LAYER },
    { "application/vnd.docker.image.rootfs.foreign.diff.tar", true, IMAGE_MEDIA_LAYER },
};

static enum image_media media_of(const char *text)
{
    for (size_t i = 0; i < ARRAY_SIZE(media_types); i++) {
        bool is_it = media_types[i].is_prefix ? str_starts(text, media_types[i].text)
                                              : strcmp(text, media_types[i].text) == 0;
        if (is_it)
            return media_types[i].media;
    }
    return IMAGE_MEDIA_OTHER;
}

/* --- descriptors --- */

static int platform_parse(
    const struct image_document *d, const struct json *object, struct image_platform *ret)
{
    const struct json *platform;
    int rc = image_document_object(d, object, "platform", &platform);
    if (rc < 0 || platform == NULL)
        return rc;
    rc = image_document_string(d, platform, "os", true, &ret->os);
    if (rc == 0)
        rc = image_document_string(d, platform, "architecture", true, &ret->architecture);
    return rc == 0 ? image_document_string(d, platform, "variant", false, &ret->variant) : rc;
}

static int descriptor_parse(const struct image_document *d, const struct json *object,
    const char *key, struct image_descriptor *ret)
{
    if (object->type != JSON_OBJECT)
        return image_document_fail(d, object, key, "not a descriptor");
    struct image_descriptor descriptor = { .media_type = "" };
    int rc = image_document_string(d, object, "mediaType", false, &descriptor.media_type);
    if (rc == 0)
        rc = image_document_string(d, object, "digest", true, &descriptor.digest);
    if (rc == 0 && !digest_text_is_valid(descriptor.digest))
        rc = image_document_fail(d, object, "digest", "not sha256:HEX");
    const struct json *size = json_get(object, "size");
    if (rc == 0 && (size == NULL || json_u64(size, INT64_MAX, &descriptor.size_bytes) < 0))
        rc = image_document_fail(d, object, "size", "missing or no number of bytes");
    if (rc == 0)
        rc = platform_parse(d, object, &descriptor.platform);
    const struct json *annotations = NULL;
    if (rc == 0)
        rc = image_document_object(d, object, "annotations", &annotations);
    if (rc == 0 && annotations != NULL)
        rc = image_document_string(d, annotations, REF_NAME_KEY, false, &descriptor.ref_name);
    if (rc < 0)
        return rc;
    descriptor.media = media_of(descriptor.media_type);
    *ret = descriptor;
    return 0;
}

/* A document must be of one kind only, and say the same of itself as the descriptor that led to it. */
static int kind_check(
    const struct image_document *d, enum image_media media, const char *media_type)
{
    static const char *const of_manifest[] = { "config", "layers", "fsLayers", "history",
        "signatures" };
    static const char *const of_index[] = { "manifests", "fsLayers", "history", "signatures" };
    const char *const *foreign = media == IMAGE_MEDIA_INDEX ? of_manifest : of_index;
    size_t n = media == IMAGE_MEDIA_INDEX ? ARRAY_SIZE(of_manifest) : ARRAY_SIZE(of_index);
    if (d->root->type != JSON_OBJECT)
        return image_document_fail(d, NULL, "document", "not an object");
    for (size_t i = 0; i < n; i++)
        if (json_get(d->root, foreign[i]) != NULL)
            return image_document_fail(d, NULL, foreign[i], "makes the document ambiguous");
    uint64_t version;
    const struct json *value = json_get(d->root, "schemaVersion");
    if (value == NULL || json_u64(value, 2, &version) < 0 || version != 2)
        return image_document_fail(d, value, "schemaVersion", "not 2");
    const char *own = NULL;
    int rc = image_document_string(d, d->root, "mediaType", false, &own);
    if (rc < 0)
        return rc;
    if (own != NULL && media_of(own) != media)
        return image_document_fail(
            d, json_get(d->root, "mediaType"), "mediaType", "not that of the content");
    if (media_type != NULL && media_type[0] != '\0') {
        if (media_of(media_type) != media)
            return image_document_fail(
                d, NULL, "mediaType", "the descriptor's is not that of the content");
        if (own != NULL && strcmp(own, media_type) != 0)
            return image_document_fail(
                d, json_get(d->root, "mediaType"), "mediaType", "not the descriptor's");
    }
    return 0;
}

static int descriptors_parse(const struct image_document *d, const char *key, size_t max,
    struct image_descriptor **ret, size_t *ret_n)
{
    const struct json *list;
    int rc = image_document_array(d, d->root, key, true, max, &list);
    if (rc < 0)
        return rc;
    *ret = arena_new_array(d->arena, list->list.n + 1, struct image_descriptor);
    *ret_n = 0;
    for (const struct json *item = list->list.first; item != NULL; item = item->next) {
        rc = descriptor_parse(d, item, key, &(*ret)[*ret_n]);
        if (rc < 0)
            return rc;
        (*ret_n)++;
    }
    return 0;
}

int image_index_parse(struct arena *arena, const char *name, const char *text, size_t len,
    const char *media_type, struct image_index *ret, struct error *err)
{
    struct image_document d;
    int rc = image_document_open(&d, arena, name, text, len, IMAGE_MANIFEST_BYTES_MAX, err);
    if (rc == 0)
        rc = kind_check(&d, IMAGE_MEDIA_INDEX, media_type);
    struct image_index index = { 0 };
    if (rc == 0)
        rc = descriptors_parse(
            &d, "manifests", IMAGE_MANIFESTS_MAX, &index.manifests, &index.n_manifests);
    if (rc == 0)
        *ret = index;
    return rc;
}

static int layers_check(const struct image_document *d, const struct image_manifest *manifest)
{
    const struct json *item = json_get(d->root, "layers")->list.first;
    for (size_t i = 0; i < manifest->n_layers; i++, item = item->next) {
        if (manifest->layers[i].media != IMAGE_MEDIA_LAYER)
            return image_document_fail(d, item, "mediaType", "not that of a layer");
        const struct json *urls;
        int rc = image_document_array(d, item, "urls", false, NAMES_MAX, &urls);
        if (rc < 0)
            return rc;
        if (urls != NULL && urls->list.n > 0)
            return image_document_fail(d, urls, "urls", "layers from elsewhere are not fetched");
    }
    return 0;
}

int image_manifest_parse(struct arena *arena, const char *name, const char *text, size_t len,
    const char *media_type, struct image_manifest *ret, struct error *err)
{
    struct image_document d;
    int rc = image_document_open(&d, arena, name, text, len, IMAGE_MANIFEST_BYTES_MAX, err);
    if (rc == 0)
        rc = kind_check(&d, IMAGE_MEDIA_MANIFEST, media_type);
    if (rc < 0)
        return rc;
    struct image_manifest manifest = { 0 };
    const struct json *config = json_get(d.root, "config");
    if (config == NULL)
        return image_document_fail(&d, NULL, "config", "missing");
    rc = descriptor_parse(&d, config, "config", &manifest.config);
    if (rc == 0 && manifest.config.media != IMAGE_MEDIA_CONFIG)
        rc = image_document_fail(
            &d, config, "config.mediaType", "not that of an image's configuration");
    if (rc == 0)
        rc =
            descriptors_parse(&d, "layers", IMAGE_LAYERS_MAX, &manifest.layers, &manifest.n_layers);
    if (rc == 0)
        rc = layers_check(&d, &manifest);
    if (rc == 0)
        *ret = manifest;
    return rc;
}

/* --- docker save --- */

static int docker_names(
    const struct image_document *d, const struct json *item, struct image_docker_entry *ret)
{
    char **names = NULL;
    int rc = image_document_strings(d, item, "RepoTags", NAMES_MAX, &names, &ret->n_names);
    if (rc < 0)
        return rc;
    ret->names = arena_new_array(d->arena, ret->n_names + 1, const char *);
    for (size_t i = 0; i < ret->n_names; i++) {
        struct error reason = ERR_INIT;
        if (image_name_parse(d->arena, names[i], &ret->names[i], &reason) < 0)
            return image_document_fail(d, json_get(item, "RepoTags"), "RepoTags", reason.text);
    }
    return 0;
}

static int docker_entry_parse(
    const struct image_document *d, const struct json *item, struct image_docker_entry *ret)
{
    if (item->type != JSON_OBJECT)
        return image_document_fail(d, item, "image", "not an object");
    int rc = image_document_string(d, item, "Config", true, &ret->config_path);
    char **layers = NULL;
    if (rc == 0)
        rc = image_document_strings(d, item, "Layers", IMAGE_LAYERS_MAX, &layers, &ret->n_layers);
    if (rc < 0)
        return rc;
    ret->layer_paths = arena_new_array(d->arena, ret->n_layers + 1, const char *);
    for (size_t i = 0; i < ret->n_layers; i++)
        ret->layer_paths[i] = layers[i];
    return docker_names(d, item, ret);
}

int image_docker_parse(struct arena *arena, const char *name, const char *text, size_t len,
    struct image_docker_list *ret, struct error *err)
{
    struct image_document d;
    int rc = image_document_open(&d, arena, name, text, len, IMAGE_MANIFEST_BYTES_MAX, err);
    if (rc < 0)
        return rc;
    if (d.root->type != JSON_ARRAY || d.root->list.n == 0 || d.root->list.n > IMAGE_MANIFESTS_MAX)
        return image_document_fail(&d, NULL, "images", "not a list of them");
    struct image_docker_list list = { .entries = arena_new_array(
                                          arena, d.root->list.n, struct image_docker_entry) };
    for (const struct json *item = d.root->list.first; item != NULL; item = item->next) {
        rc = docker_entry_parse(&d, item, &list.entries[list.n_entries]);
        if (rc < 0)
            return rc;
        list.n_entries++;
    }
    *ret = list;
    return 0;
}

int image_layout_check(struct arena *arena, const char *text, size_t len, struct error *err)
{
    struct image_document d;
    int rc = image_document_open(&d, arena, "oci-layout", text, len, LAYOUT_BYTES_MAX, err);
    if (rc < 0)
        return rc;
    if (d.root->type != JSON_OBJECT)
        return image_document_fail(&d, NULL, "layout", "not an object");
    const char *version = NULL;
    rc = image_document_string(&d, d.root, "imageLayoutVersion", true, &version);
    if (rc == 0 && !str_starts(version, "1."))
        rc = image_document_fail(&d, NULL, "imageLayoutVersion", "not 1.x");
    return rc;
}

/* --- platforms --- */

static const char *machine_architecture(void)
{
#if defined(__x86_64__)
    return "amd64";
#elif defined(__aarch64__)
    return "arm64";
#elif defined(__arm__)
    return "arm";
#elif defined(__riscv) && __riscv_xlen == 64
    return "riscv64";
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
    return "ppc64le";
#elif defined(__s390x__)
    return "s390x";
#else
#error "unknown architecture: add its GOARCH name"
#endif
}

int image_platform_parse(
    struct arena *arena, const char *text, struct image_platform *ret, struct error *err)
{
    if (text == NULL) {
        *ret = (struct image_platform){ .os = "linux", .architecture = machine_architecture() };
        return 0;
    }
    const char *slash = strchr(text, '/');
    const char *second = slash != NULL ? strchr(slash + 1, '/') : NULL;
    if (slash == NULL || slash == text || slash[1] == '\0' || slash[1] == '/' ||
        (second != NULL && (second[1] == '\0' || strchr(second + 1, '/') != NULL)))
        return err_set(err, EINVAL, "platform \"%.64s\": not OS/ARCHITECTURE[/VARIANT]", text);
    *ret = (struct image_platform){
        .os = arena_strndup(arena, text, (size_t)(slash - text)),
        .architecture = second != NULL
                            ? arena_strndup(arena, slash + 1, (size_t)(second - slash - 1))
                            : arena_strdup(arena, slash + 1),
        .variant = second != NULL ? arena_strdup(arena, second + 1) : NULL,
    };
    return 0;
}

/* What a variant asks of the machine, as a number; -1 when it is none that is known. */
static int variant_level(const char *architecture, const char *variant)
{
    static const struct {
        const char *architecture;
        int level;
    } defaults[] = { { "amd64", 1 }, { "arm", 7 }, { "arm64", 8 } };
    if (variant == NULL || variant[0] == '\0') {
        for (size_t i = 0; i < ARRAY_SIZE(defaults); i++)
            if (strcmp(defaults[i].architecture, architecture) == 0)
                return defaults[i].level;
        return 0;
    }
    uint32_t level;
    if (variant[0] != 'v' || parse_u32(variant + 1, 99, &level) < 0)
        return -1;
    return (int)level;
}

/* How well an entry fits: -1 not at all, 0 it does not say, else 1 + the level. */
static int entry_rank(const struct image_descriptor *entry, const struct image_platform *want)
{
    const struct image_platform *have = &entry->platform;
    if (entry->media == IMAGE_MEDIA_INDEX)
        return -1;
    if (have->os == NULL || have->architecture == NULL)
        return 0;
    if (strcmp(have->os, want->os) != 0 || strcmp(have->architecture, want->architecture) != 0)
        return -1;
    int wanted = variant_level(want->architecture, want->variant);
    int level = variant_level(have->architecture, have->variant);
    return level < 0 || level > wanted ? -1 : 1 + level;
}

static void platform_print(const struct image_platform *platform, struct buf *out)
{
    if (platform->os == NULL) {
        buf_puts(out, "unspecified");
        return;
    }
    buf_printf(out, "%s/%s", platform->os, platform->architecture);
    if (platform->variant != NULL && platform->variant[0] != '\0')
        buf_printf(out, "/%s", platform->variant);
}

static void entries_print(const struct image_index *index, bool want_names, struct buf *out)
{
    for (size_t i = 0; i < index->n_manifests; i++) {
        const struct image_descriptor *entry = &index->manifests[i];
        if (entry->media == IMAGE_MEDIA_INDEX || (want_names && entry->ref_name == NULL))
            continue;
        buf_puts(out, out->len > 0 ? ", " : "");
        if (want_names)
            buf_puts(out, entry->ref_name);
        else
            platform_print(&entry->platform, out);
    }
}

int image_index_choose(const struct image_index *index, const struct image_platform *want,
    const struct image_descriptor **ret, struct error *err)
{
    const struct image_descriptor *best = NULL;
    int best_rank = -1;
    bool is_ambiguous = false;
    for (size_t i = 0; i < index->n_manifests; i++) {
        const struct image_descriptor *entry = &index->manifests[i];
        int rank = entry_rank(entry, want);
        if (rank < 0 || rank < best_rank)
            continue;
        is_ambiguous = rank == best_rank && strcmp(best->digest, entry->digest) != 0;
        best = entry;
        best_rank = rank;
    }
    AUTO(buf) struct buf list = BUF_INIT;
    AUTO(buf) struct buf wanted = BUF_INIT;
    platform_print(want, &wanted);
    if (best == NULL) {
        entries_print(index, false, &list);
        return err_set(err, ENOENT, "no image for %s; there is: %.400s", buf_str(&wanted),
            list.len > 0 ? buf_str(&list) : "nothing");
    }
    if (is_ambiguous) {
        entries_print(index, true, &list);
        return err_set(err, EINVAL, "more than one image for %s; say which: %.400s",
            buf_str(&wanted), list.len > 0 ? buf_str(&list) : "they have no names");
    }
    *ret = best;
    return 0;
}
