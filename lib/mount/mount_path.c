/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: the lexical form of paths inside the container. */
#include "mount_path.h"

#include <string.h>

#include "arena.h"

const char *mount_path_clean(struct arena *arena, const char *path)
{
    char *clean = arena_alloc(arena, strlen(path) + 2);
    size_t len = 0;

    while (*path) {
        size_t part = strcspn(path, "/");

        if (part == 2 && path[0] == '.' && path[1] == '.') {
            while (len > 0 && clean[--len] != '/')
                ;
        } else if (part > 0 && !(part == 1 && path[0] == '.')) {
            clean[len++] = '/';
            memcpy(clean + len, path, part);
            len += part;
        }
        path += part;
        path += *path == '/';
    }
    if (len == 0)
        clean[len++] = '/';
    clean[len] = '\0';
    return clean;
}

bool mount_path_is_within(const char *path, const char *dir)
{
    size_t len = strlen(dir);

    return strncmp(path, dir, len) == 0 && (path[len] == '\0' || path[len] == '/');
}
