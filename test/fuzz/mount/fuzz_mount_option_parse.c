/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mount options, one a line, and destinations. What holds for every input: no fault; what is set is
 * not cleared but for the access time field; a clean path stays what it is and has no "..".
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "mount_option_parse.h"
#include "mount_path.h"

#define OPTIONS_MAX 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void require_attrs(const struct mount_attrs *attrs)
{
    require((attrs->set & attrs->clear & ~(uint64_t)MOUNT_ATTR__ATIME) == 0);
    if (attrs->set & MOUNT_ATTR__ATIME)
        require((attrs->clear & MOUNT_ATTR__ATIME) == MOUNT_ATTR__ATIME);
}

static void try_path(struct arena *arena, const char *path)
{
    const char *clean = mount_path_clean(arena, path);

    require(clean[0] == '/' && !strstr(clean, "//") && !strstr(clean, "/../"));
    require(strcmp(mount_path_clean(arena, clean), clean) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    struct mount_option option;
    char *options[OPTIONS_MAX];
    size_t n = 0;
    char *text = arena_strndup(&arena, (const char *)data, size);

    for (char *line; n < OPTIONS_MAX && (line = strsep(&text, "\n"));) {
        options[n++] = line;
        try_path(&arena, line);
    }
    if (mount_option_parse(&arena, options, n, &option, &err) < 0) {
        require(err.code > 0 && err.text[0]);
        return 0;
    }
    struct mount_attrs merged = mount_attrs_merge(&option);
    require_attrs(&option.attrs);
    require_attrs(&option.recursive);
    require_attrs(&merged);
    require(option.n_data <= MOUNT_DATA_MAX && option.n_propagation <= MOUNT_PROPAGATION_MAX);
    return 0;
}
