/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: what the tests of lib/container share: configurations from text and files, golden plans, a directory of the
 * test's own. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "directory.h"
#include "err.h"
#include "file.h"
#include "golden.h"
#include "oci_config.h"
#include "oci_config_parse.h"
#include "unit.h"

#define CONTAINER_UNIT_CORPUS RUNA_TEST_DIR "/fuzz/corpus/oci_config/"
#define CONTAINER_UNIT_MAX    (1U << 20)

static inline struct oci_config *container_unit_parse(struct arena *arena, const char *text)
{
    struct error err = ERR_INIT;
    struct oci_config *config;

    ck_assert_msg(
        oci_config_parse(arena, "config.json", text, strlen(text), &config, &err) == 0, "%s: %s", text, err.text);
    return config;
}

static inline struct oci_config *container_unit_load(struct arena *arena, const char *path)
{
    return container_unit_parse(arena, golden_read(arena, path));
}

static inline void container_unit_compare(struct arena *arena, const char *name, const struct buf *out)
{
    golden_compare(arena, arena_printf(arena, GOLDEN_DIR "container/%s.plan", name), out);
}

/* Of the test's own; its path is in *ret_path (PATH_MAX bytes). */
static inline int container_unit_directory(char ret_path[4096])
{
    const char *base = getenv("TMPDIR");

    (void)snprintf(ret_path, 4096, "%s/runa-unit-XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(ret_path));
    int fd = open(ret_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

static inline void container_unit_remove(int dir, const char *path)
{
    const char *name = strrchr(path, '/');
    autofree char *parent_path = xstrndup(path, (size_t)(name - path));
    autoclose int parent = open(parent_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    (void)close(dir);
    ck_assert_int_eq(directory_remove(parent, name + 1), 0);
}

static inline void container_unit_write(int dir, const char *name, const char *text, mode_t mode)
{
    autoclose int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
    ck_assert_int_eq(fchmod(fd, mode), 0);
}
