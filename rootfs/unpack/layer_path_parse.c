/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: names of layer entries, taken apart and refused unless they are plain. */
#include "layer_path_parse.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define WHITEOUT_PREFIX ".wh."
#define OPAQUE_MARKER   ".wh..wh..opq"

static bool has_prefix(const char *name)
{
    return strncmp(name, WHITEOUT_PREFIX, sizeof(WHITEOUT_PREFIX) - 1) == 0;
}

/* Copies component by component into storage, "." left out. Returns the length, or negative. */
static int components_copy(const char *text, struct layer_path *ret, struct error *err)
{
    size_t len = 0;
    const char *at = text;
    while (*at != '\0') {
        size_t n = strcspn(at, "/");
        if (n > UNPACK_NAME_MAX)
            return err_set(err, ENAMETOOLONG, "a component of the name is longer than %d bytes",
                UNPACK_NAME_MAX);
        if (n == 2 && at[0] == '.' && at[1] == '.')
            return err_set(err, EINVAL, "\"..\" in the name");
        if (n > 0 && !(n == 1 && at[0] == '.')) {
            if (len > 0)
                ret->storage[len++] = '/';
            memcpy(ret->storage + len, at, n);
            len += n;
            ret->depth++;
        }
        at += n + (at[n] == '/');
    }
    ret->storage[len] = '\0';
    if (ret->depth > UNPACK_DEPTH_MAX)
        return err_set(err, ELOOP, "more than %d directories deep", UNPACK_DEPTH_MAX);
    return (int)len;
}

static int whiteout_classify(struct layer_path *path, struct error *err)
{
    if (strcmp(path->name, OPAQUE_MARKER) == 0) {
        path->kind = LAYER_NAME_OPAQUE;
        path->name = NULL;
        return 0;
    }
    const char *name = path->name + sizeof(WHITEOUT_PREFIX) - 1;
    if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || has_prefix(name))
        return err_set(err, EINVAL, "a whiteout of no plain name");
    path->kind = LAYER_NAME_WHITEOUT;
    path->name = name;
    return 0;
}

static int prefix_refuse(const struct layer_path *path, struct error *err)
{
    const char *at = path->directory;
    while (*at != '\0') {
        if (has_prefix(at))
            return err_set(err, EINVAL, "a whiteout has nothing below it");
        at += strcspn(at, "/");
        at += *at == '/';
    }
    return 0;
}

int layer_path_parse(const char *text, int may_whiteout, struct layer_path *ret, struct error *err)
{
    ret->depth = 0;
    ret->kind = LAYER_NAME_ROOT;
    ret->name = NULL;
    ret->directory = "";
    if (strlen(text) > UNPACK_PATH_MAX)
        return err_set(err, ENAMETOOLONG, "the name is longer than %d bytes", UNPACK_PATH_MAX);
    if (text[0] == '\0')
        return err_set(err, EINVAL, "the name is empty");
    if (text[0] == '/' && text[strspn(text, "/")] != '\0')
        return err_set(err, EINVAL, "the name is absolute");
    int len = components_copy(text, ret, err);
    if (len < 0)
        return len;
    if (len == 0)
        return 0;
    ret->kind = LAYER_NAME_PLAIN;
    char *slash = strrchr(ret->storage, '/');
    if (slash != NULL) {
        *slash = '\0';
        ret->directory = ret->storage;
        ret->name = slash + 1;
    } else {
        ret->name = ret->storage;
    }
    if (!may_whiteout)
        return 0;
    int rc = prefix_refuse(ret, err);
    if (rc < 0)
        return rc;
    return has_prefix(ret->name) ? whiteout_classify(ret, err) : 0;
}
