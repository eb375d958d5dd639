/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: configurations for the tests of lib/spec: a small one with changes, and the files of the
 * fuzz corpus. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "oci_config_parse.h"
#include "unit.h"

/* A bundle that passes the check; members given go into the document, process, linux. */
static inline char *spec_text(const char *top, const char *process, const char *lx)
{
    return xasprintf("{\"ociVersion\":\"1.0.2\",\"root\":{\"path\":\"rootfs\"}%s,"
                     "\"process\":{\"args\":[\"true\"],\"cwd\":\"/\"%s},"
                     "\"linux\":{\"namespaces\":[{\"type\":\"mount\"},{\"type\":\"uts\"}]%s}}",
        top, process, lx);
}

/* A corpus file as heap text. */
static inline char *spec_file(const char *name, size_t *ret_len)
{
    autofree char *path = xasprintf("%s/fuzz/corpus/oci_config/%s", RUNA_TEST_DIR, name);
    FILE *f = fopen(path, "re");
    ck_assert_msg(f != NULL, "%s", path);
    char *text = xmalloc(1U << 20);
    *ret_len = fread(text, 1, (1U << 20) - 1, f);
    text[*ret_len] = '\0';
    ck_assert_int_eq(fclose(f), 0);
    return text;
}

static inline struct oci_config *spec_parse(struct arena *arena, const char *text)
{
    struct oci_config *config = NULL;
    struct error err = ERR_INIT;
    int rc = oci_config_parse(arena, "config.json", text, strlen(text), &config, &err);
    ck_assert_msg(rc == 0, "refused: %s", err.text);
    return config;
}
