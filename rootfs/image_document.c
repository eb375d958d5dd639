/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: typed members of an image's documents. */
#include "image_document.h"

#include <errno.h>

#include "arena.h"
#include "err.h"
#include "json.h"

#define DEPTH_MAX 32

int image_document_open(struct image_document *ret, struct arena *arena, const char *name,
    const char *text, size_t len, size_t max, struct error *err)
{
    const struct json_limits limits = { .size_bytes_max = max, .depth_max = DEPTH_MAX };
    struct json *root;
    int rc = json_parse(arena, name, text, len, &limits, &root, err);
    if (rc < 0)
        return rc;
    *ret = (struct image_document){ .arena = arena, .name = name, .root = root, .err = err };
    return 0;
}

int image_document_fail(
    const struct image_document *d, const struct json *value, const char *key, const char *what)
{
    if (value == NULL)
        value = d->root;
    return err_set(
        d->err, EINVAL, "%s:%u:%u: %s: %s", d->name, value->line, value->column, key, what);
}

static int type_check(
    const struct image_document *d, const struct json *value, const char *key, enum json_type type)
{
    if (value->type == type)
        return 0;
    return err_set(d->err, EINVAL, "%s:%u:%u: %s: %s where %s belongs", d->name, value->line,
        value->column, key, json_type_name(value->type), json_type_name(type));
}

int image_document_string(const struct image_document *d, const struct json *object,
    const char *key, bool is_required, const char **ret)
{
    const struct json *value = json_get(object, key);
    if (value == NULL)
        return is_required ? image_document_fail(d, object, key, "missing") : 0;
    int rc = type_check(d, value, key, JSON_STRING);
    if (rc == 0)
        *ret = value->string.text;
    return rc;
}

int image_document_array(const struct image_document *d, const struct json *object, const char *key,
    bool is_required, size_t max, const struct json **ret)
{
    const struct json *value = json_get(object, key);
    *ret = value;
    if (value == NULL)
        return is_required ? image_document_fail(d, object, key, "missing") : 0;
    int rc = type_check(d, value, key, JSON_ARRAY);
    if (rc == 0 && value->list.n > max)
        rc = image_document_fail(d, value, key, "too many items");
    return rc;
}

int image_document_object(const struct image_document *d, const struct json *object,
    const char *key, const struct json **ret)
{
    const struct json *value = json_get(object, key);
    *ret = value;
    return value == NULL ? 0 : type_check(d, value, key, JSON_OBJECT);
}

int image_document_strings(const struct image_document *d, const struct json *object,
    const char *key, size_t max, char ***ret, size_t *ret_n)
{
    const struct json *list;
    int rc = image_document_array(d, object, key, false, max, &list);
    if (rc < 0 || list == NULL)
        return rc;
    char **items = arena_new_array(d->arena, list->list.n + 1, char *);
    size_t n = 0;
    for (const struct json *item = list->list.first; item != NULL; item = item->next) {
        rc = type_check(d, item, key, JSON_STRING);
        if (rc < 0)
            return rc;
        items[n++] = arena_strdup(d->arena, item->string.text);
    }
    *ret = items;
    *ret_n = n;
    return 0;
}

int image_document_keys(const struct image_document *d, const struct json *object, const char *key,
    size_t max, char ***ret, size_t *ret_n)
{
    const struct json *map;
    int rc = image_document_object(d, object, key, &map);
    if (rc < 0 || map == NULL)
        return rc;
    if (map->list.n > max)
        return image_document_fail(d, map, key, "too many items");
    char **items = arena_new_array(d->arena, map->list.n + 1, char *);
    size_t n = 0;
    for (const struct json *item = map->list.first; item != NULL; item = item->next)
        items[n++] = arena_strdup(d->arena, item->key);
    *ret = items;
    *ret_n = n;
    return 0;
}
