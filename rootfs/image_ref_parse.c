/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: references to images, taken apart and brought into one form. */
#include "image_ref_parse.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "digest.h"
#include "err.h"
#include "strv.h"

#define TAG_DEFAULT "latest"

static const char *const transport_names[] = {
    [IMAGE_STORED] = "",
    [IMAGE_DOCKER_ARCHIVE] = "docker-archive",
    [IMAGE_OCI_LAYOUT] = "oci",
    [IMAGE_OCI_ARCHIVE] = "oci-archive",
};

const char *image_transport_name(enum image_transport transport)
{
    return transport_names[transport];
}

static bool is_lower_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_word(char c)
{
    return is_lower_alnum(c) || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A host may have capitals and a port: only the first component, when there is a second one. */
static bool host_is_valid(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!is_word(s[i]) && strchr(".-:", s[i]) == NULL)
            return false;
    return len > 0 && is_word(s[0]) && is_word(s[len - 1]);
}

static bool component_is_valid(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!is_lower_alnum(s[i]) && strchr("._-", s[i]) == NULL)
            return false;
    return len > 0 && is_lower_alnum(s[0]) && is_lower_alnum(s[len - 1]);
}

static bool tag_is_valid(const char *tag)
{
    size_t len = strlen(tag);
    for (size_t i = 0; i < len; i++)
        if (!is_word(tag[i]) && strchr(".-", tag[i]) == NULL)
            return false;
    return len > 0 && len <= IMAGE_TAG_MAX && is_word(tag[0]);
}

static bool repository_is_valid(const char *s, size_t len)
{
    const char *end = s + len;
    for (bool is_first = true;; is_first = false) {
        const char *slash = memchr(s, '/', (size_t)(end - s));
        size_t n = slash != NULL ? (size_t)(slash - s) : (size_t)(end - s);
        if (!component_is_valid(s, n) && !(is_first && slash != NULL && host_is_valid(s, n)))
            return false;
        if (slash == NULL)
            return true;
        s = slash + 1;
    }
}

static const char *prefix_cut(const char *s, const char *prefix)
{
    return str_starts(s, prefix) ? s + strlen(prefix) : s;
}

/* Docker Hub goes unnamed, and so do its own images. Until nothing is left to cut, so that the form is one. */
static const char *registry_cut(const char *name)
{
    for (const char *before = NULL; before != name;) {
        before = name;
        name = prefix_cut(prefix_cut(name, "index.docker.io/"), "docker.io/");
        if (name != before)
            name = prefix_cut(name, "library/");
    }
    return name;
}

int image_name_parse(struct arena *arena, const char *text, const char **ret, struct error *err)
{
    const char *slash = strrchr(text, '/');
    const char *colon = strchr(slash != NULL ? slash : text, ':');
    size_t len = colon != NULL ? (size_t)(colon - text) : strlen(text);
    const char *tag = colon != NULL ? colon + 1 : TAG_DEFAULT;
    if (len + 1 + strlen(tag) > IMAGE_NAME_MAX || !repository_is_valid(text, len) ||
        !tag_is_valid(tag))
        return err_set(err, EINVAL,
            "image name \"%.64s\": not NAME[:TAG] of lower-case letters, digits, \"._-/\"", text);
    const char *name = arena_printf(arena, "%.*s:%s", (int)len, text, tag);
    *ret = registry_cut(name);
    return 0;
}

static int path_split(
    struct arena *arena, const char *text, struct image_ref *ret, struct error *err)
{
    const char *colon = strchr(text, ':');
    size_t len = colon != NULL ? (size_t)(colon - text) : strlen(text);
    if (len == 0 || (colon != NULL && colon[1] == '\0'))
        return err_set(err, EINVAL, "image \"%s:%.64s\": a path or name is missing",
            image_transport_name(ret->transport), text);
    ret->path = arena_strndup(arena, text, len);
    ret->name = colon != NULL ? arena_strdup(arena, colon + 1) : NULL;
    if (ret->transport == IMAGE_DOCKER_ARCHIVE && ret->name != NULL)
        return image_name_parse(arena, ret->name, &ret->name, err);
    return 0;
}

int image_ref_parse(struct arena *arena, const char *text, struct image_ref *ret, struct error *err)
{
    struct image_ref ref = { 0 };
    for (size_t i = IMAGE_DOCKER_ARCHIVE; i < ARRAY_SIZE(transport_names); i++) {
        size_t len = strlen(transport_names[i]);
        if (strncmp(text, transport_names[i], len) != 0 || text[len] != ':')
            continue;
        ref.transport = (enum image_transport)i;
        int rc = path_split(arena, text + len + 1, &ref, err);
        if (rc == 0)
            *ret = ref;
        return rc;
    }
    const char *at = strchr(text, '@');
    const char *digest = at != NULL ? at + 1 : text;
    if (at != NULL || str_starts(text, "sha256:")) {
        if (!digest_text_is_valid(digest))
            return err_set(err, EINVAL, "image \"%.80s\": not a digest sha256:HEX", text);
        ref.digest = arena_strdup(arena, digest);
    }
    int rc = 0;
    if (at != NULL)
        rc = image_name_parse(
            arena, arena_strndup(arena, text, (size_t)(at - text)), &ref.name, err);
    else if (ref.digest == NULL)
        rc = image_name_parse(arena, text, &ref.name, err);
    if (rc == 0)
        *ret = ref;
    return rc;
}
