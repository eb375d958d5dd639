/* SPDX-License-Identifier: Apache-2.0 */
/* An image's passwd and group, and the user asked for: three texts with 0xff between them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "err.h"
#include "image_user.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *part_take(struct arena *arena, const char **at, const char *end)
{
    const char *stop = memchr(*at, 0xff, (size_t)(end - *at));
    size_t len = stop != NULL ? (size_t)(stop - *at) : (size_t)(end - *at);
    char *part = arena_strndup(arena, *at, strnlen(*at, len));
    *at = stop != NULL ? stop + 1 : end;
    return part;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    struct image_user user;
    const char *at = size > 0 ? (const char *)data : "";
    const char *end = at + size;
    const char *spec = part_take(&arena, &at, end);
    const char *passwd = part_take(&arena, &at, end);
    const char *group = part_take(&arena, &at, end);
    if (image_user_parse(&arena, spec, passwd, group, &user, &err) == 0 &&
        (user.home[0] != '/' || user.uid == UINT32_MAX || user.gid == UINT32_MAX))
        abort();
    arena_done(&arena);
    return 0;
}
