/* SPDX-License-Identifier: Apache-2.0 */
/* Names of entries. What holds: no part of a name that was taken is empty, "." or "..". */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "layer_path_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_component(const char *s, size_t len)
{
    if (len == 0 || len > UNPACK_NAME_MAX || (len == 1 && s[0] == '.') ||
        (len == 2 && s[0] == '.' && s[1] == '.'))
        abort();
}

static void check(const struct layer_path *path)
{
    for (const char *at = path->directory; *at != '\0';) {
        size_t len = strcspn(at, "/");
        check_component(at, len);
        at += len + (at[len] == '/');
    }
    if (path->kind == LAYER_NAME_PLAIN || path->kind == LAYER_NAME_WHITEOUT) {
        if (strchr(path->name, '/') != NULL)
            abort();
        check_component(path->name, strlen(path->name));
    } else if (path->name != NULL) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct layer_path path;
    struct error err = ERR_INIT;
    char *text = malloc(size + 1);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    if (layer_path_parse(text, 1, &path, &err) == 0)
        check(&path);
    if (layer_path_parse(text, 0, &path, &err) == 0)
        check(&path);
    free(text);
    return 0;
}
