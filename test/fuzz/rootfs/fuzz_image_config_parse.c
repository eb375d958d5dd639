/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations of images. What holds: paths are absolute, variables have names, digests are digests. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "digest.h"
#include "err.h"
#include "image_config_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    struct image_config config;
    if (image_config_parse(&arena, "fuzz", (const char *)data, size, &config, &err) == 0) {
        struct buf out = BUF_INIT;
        image_config_print(&config, &out);
        buf_done(&out);
        for (size_t i = 0; i < config.n_env; i++)
            if (strchr(config.env[i], '=') == NULL || config.env[i][0] == '=')
                abort();
        for (size_t i = 0; i < config.n_volumes; i++)
            if (config.volumes[i][0] != '/')
                abort();
        for (size_t i = 0; i < config.n_diff_ids; i++)
            if (!digest_text_is_valid(config.diff_ids[i]))
                abort();
    }
    arena_done(&arena);
    return 0;
}
