/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of mountinfo: sources and targets are bytes of whoever may mount. What holds: no fault, and what is taken has
 * strings that end inside the line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cgroupfs.h"
#include "mountinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need_inside(const char *text, const char *line, size_t size)
{
    if (text < line || text + strlen(text) > line + size)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    char *line = malloc(size + 1);
    if (!line)
        return 0;
    if (size > 0)
        memcpy(line, data, size);
    line[size] = '\0';
    if (cgroupfs_path_parse(line, size, path, sizeof(path)) == 0 && path[0] != '/')
        abort();
    struct mountinfo mount;
    if (mountinfo_parse_line(line, &mount) == 0) {
        const char *const texts[] = { mount.root, mount.target, mount.options, mount.fields,
            mount.type, mount.source, mount.super_options };
        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
            need_inside(texts[i], line, size);
    }
    free(line);
    return 0;
}
