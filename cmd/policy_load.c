/* SPDX-License-Identifier: Apache-2.0 */
/* Policies from files. */
#include "policy_load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "call.h"
#include "cleanup.h"
#include "directory.h"
#include "err.h"
#include "file.h"
#include "policy_check.h"
#include "policy_doc.h"
#include "policy_find.h"
#include "policy_merge.h"
#include "policy_parse.h"
#include "strv.h"

#define POLICY_SUFFIX ".jsonc"

/* Of a file of the machine: only root or the caller may have written it. */
static int owner_check(const char *path, const struct stat *status, struct error *err)
{
    if (status->st_uid != 0 && status->st_uid != geteuid())
        return err_set(err, EPERM, "policy %s: belongs to neither root nor you", path);
    if (status->st_mode & (S_IWGRP | S_IWOTH))
        return err_set(err, EPERM, "policy %s: others than its owner can write it", path);
    return 0;
}

/* 0, POLICY_NOT_FOUND or negative. */
static int text_read(struct arena *arena, const char *path, bool is_machines,
    struct policy_text *ret, struct error *err)
{
    autoclose int fd = kernel_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
    struct stat status;
    autofree char *text = NULL;
    size_t len = 0;

    if (fd == -ENOENT)
        return POLICY_NOT_FOUND;
    int rc = fd < 0 ? fd : kernel_fstat(fd, &status);
    if (rc < 0)
        return err_sys(err, rc, "policy %s: cannot open", path);
    if (!S_ISREG(status.st_mode))
        return err_set(err, EINVAL, "policy %s: not a regular file", path);
    rc = is_machines ? owner_check(path, &status, err) : 0;
    if (rc < 0)
        return rc;
    rc = file_read_fd(fd, POLICY_SIZE_MAX, &text, &len);
    if (rc == -EFBIG)
        return err_set(err, EFBIG, "policy %s: larger than %u bytes", path, POLICY_SIZE_MAX);
    if (rc < 0)
        return err_sys(err, rc, "policy %s: cannot read", path);
    char *copy = arena_alloc(arena, len + 1);
    memcpy(copy, text, len);
    *ret = (struct policy_text){ .name = arena_strdup(arena, path), .text = copy, .len = len };
    return 0;
}

static int load_installed(void *context, struct arena *arena, const char *name,
    struct policy_text *ret, struct error *err)
{
    const char *config_dir = context;

    return text_read(arena, arena_printf(arena, "%s/policies/%s" POLICY_SUFFIX, config_dir, name),
        true, ret, err);
}

struct policy_source policy_source_of(const char *config_dir)
{
    union { /* the context is handed back as it came, and only read */
        const char *in;
        void *out;
    } context = { .in = config_dir };

    return (struct policy_source){ .load = load_installed, .context = context.out };
}

int policy_word_text(struct arena *arena, const struct policy_source *source, const char *word,
    struct policy_text *ret, struct error *err)
{
    if (!strchr(word, '/'))
        return policy_find(arena, source, word, ret, err);
    int rc = text_read(arena, word, false, ret, err);
    return rc == POLICY_NOT_FOUND ? err_sys(err, ENOENT, "policy %s: cannot open", word) : rc;
}

/* What the machine allows at most. Its absent keys say nothing. */
static int floor_merge(struct arena *arena, const char *config_dir, struct policy **policy,
    struct buf *faults, struct buf *notes, struct error *err)
{
    const char *path = arena_printf(arena, "%s/floor" POLICY_SUFFIX, config_dir);
    struct policy_text text;
    struct policy *floor = NULL;

    int rc = text_read(arena, path, true, &text, err);
    if (rc == POLICY_NOT_FOUND)
        return 0;
    if (rc == 0)
        rc = policy_parse(arena, text.name, text.text, text.len, &floor, faults, err);
    if (rc == 0 && floor->extends)
        rc = err_set(err, EINVAL, "%s: extends: the floor of a machine stands alone", path);
    if (rc < 0)
        return rc;
    (void)policy_within(*policy, floor, notes);
    return policy_merge(arena, *policy, floor, policy, err);
}

int policy_load(struct arena *arena, const char *config_dir, const char *word, struct policy **ret,
    struct buf *faults, struct buf *notes, struct error *err)
{
    const struct policy_source source = policy_source_of(config_dir);
    struct policy_text text;
    struct policy *policy = NULL;

    int rc = policy_word_text(arena, &source, word, &text, err);
    if (rc == 0)
        rc = policy_open(arena, &source, &text, &policy, faults, notes, err);
    if (rc == 0)
        rc = floor_merge(arena, config_dir, &policy, faults, notes, err);
    if (rc == 0)
        rc = policy_unsupported(policy, faults, err);
    if (rc < 0)
        return rc;
    *ret = policy;
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int policy_installed(
    struct arena *arena, const char *config_dir, struct strv *ret, struct error *err)
{
    const char *path = arena_printf(arena, "%s/policies", config_dir);
    struct directory directory;
    struct directory_entry entry;
    struct strv names = STRV_INIT;

    int rc = directory_open(&directory, AT_FDCWD, path);
    if (rc == -ENOENT)
        return 0;
    if (rc < 0)
        return err_sys(err, rc, "%s: cannot open", path);
    while ((rc = directory_next(&directory, &entry)) == 0) {
        if (!str_ends(entry.name, POLICY_SUFFIX))
            continue;
        char *name = arena_strndup(arena, entry.name, strlen(entry.name) - strlen(POLICY_SUFFIX));
        if (policy_name_is_valid(name))
            strv_add(arena, &names, name);
    }
    directory_done(&directory);
    if (rc < 0)
        return err_sys(err, rc, "%s: cannot list", path);
    if (names.n > 1)
        qsort(names.items, names.n, sizeof(names.items[0]), compare_names);
    *ret = names;
    return 0;
}
