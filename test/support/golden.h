/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Golden texts: what a test made is compared to the file in test/golden. RUNA_GOLDEN_UPDATE in the environment
 *          writes the files anew, to be read in the diff. By stdio, as not every room may use lib/kernel.
 * Owns     nothing: what is read belongs to the arena.
 */
#pragma once
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"

#define GOLDEN_DIR RUNA_TEST_DIR "/golden/"
#define GOLDEN_MAX (1U << 20)

static inline char *golden_read(struct arena *arena, const char *path)
{
    FILE *f = fopen(path, "re");

    ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));
    char *text = arena_alloc(arena, GOLDEN_MAX);
    size_t len = fread(text, 1, GOLDEN_MAX, f);
    ck_assert_msg(len < GOLDEN_MAX && !ferror(f), "%s: cannot be read, or is larger than %u bytes", path, GOLDEN_MAX);
    text[len] = '\0';
    ck_assert_int_eq(fclose(f), 0);
    return text;
}

static inline void golden_compare(struct arena *arena, const char *path, const struct buf *out)
{
    ck_assert(buf_ok(out));
    if (getenv("RUNA_GOLDEN_UPDATE")) {
        FILE *f = fopen(path, "we");
        ck_assert(f != NULL && fputs(buf_str(out), f) >= 0 && fclose(f) == 0);
    }
    ck_assert_str_eq(buf_str(out), golden_read(arena, path));
}
