/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: mount option strings to what the kernel calls take, by one sorted table. */
#include "mount_option_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "strv.h"

enum option_kind {
    OPTION_NOTHING, /* known, no effect */
    OPTION_SET,     /* attribute on */
    OPTION_CLEAR,
    OPTION_ATIME, /* value of the access time field */
    OPTION_PROPAGATION,
    OPTION_SB_SET,
    OPTION_SB_CLEAR,
    OPTION_BIND,
    OPTION_REMOUNT,
    OPTION_COPY_UP,
    OPTION_IDMAP,
    OPTION_SOURCE_NOFOLLOW,
    OPTION_SOURCE_NOLINKS,
    OPTION_TARGET_NOFOLLOW,
    OPTION_LINK_COPY,
};

struct option_row {
    const char *name;
    enum option_kind kind;
    bool is_recursive;
    uint64_t value;
};

/* Sorted by name in ASCII order, for bsearch. */
static const struct option_row option_rows[] = {
    { "async", OPTION_SB_CLEAR, false, MOUNT_SB_SYNC },
    { "atime", OPTION_ATIME, false, MOUNT_ATTR_RELATIME },
    { "bind", OPTION_BIND, false, 0 },
    { "copy-symlink", OPTION_LINK_COPY, false, 0 },
    { "defaults", OPTION_NOTHING, false, 0 },
    { "dest-nofollow", OPTION_TARGET_NOFOLLOW, false, 0 },
    { "dev", OPTION_CLEAR, false, MOUNT_ATTR_NODEV },
    { "diratime", OPTION_CLEAR, false, MOUNT_ATTR_NODIRATIME },
    { "dirsync", OPTION_SB_SET, false, MOUNT_SB_DIRSYNC },
    { "exec", OPTION_CLEAR, false, MOUNT_ATTR_NOEXEC },
    { "idmap", OPTION_IDMAP, false, 0 },
    { "iversion", OPTION_SB_SET, false, MOUNT_SB_IVERSION },
    { "lazytime", OPTION_SB_SET, false, MOUNT_SB_LAZYTIME },
    { "loud", OPTION_NOTHING, false, 0 },
    { "mand", OPTION_SB_SET, false, MOUNT_SB_MAND },
    { "noatime", OPTION_ATIME, false, MOUNT_ATTR_NOATIME },
    { "nodev", OPTION_SET, false, MOUNT_ATTR_NODEV },
    { "nodiratime", OPTION_SET, false, MOUNT_ATTR_NODIRATIME },
    { "noexec", OPTION_SET, false, MOUNT_ATTR_NOEXEC },
    { "noiversion", OPTION_SB_CLEAR, false, MOUNT_SB_IVERSION },
    { "nolazytime", OPTION_SB_CLEAR, false, MOUNT_SB_LAZYTIME },
    { "nomand", OPTION_SB_CLEAR, false, MOUNT_SB_MAND },
    { "norelatime", OPTION_ATIME, false, MOUNT_ATTR_RELATIME }, /* the kernel's default again */
    { "nostrictatime", OPTION_ATIME, false, MOUNT_ATTR_RELATIME },
    { "nosuid", OPTION_SET, false, MOUNT_ATTR_NOSUID },
    { "nosymfollow", OPTION_SET, false, MOUNT_ATTR_NOSYMFOLLOW },
    { "private", OPTION_PROPAGATION, false, MS_PRIVATE },
    { "ratime", OPTION_ATIME, true, MOUNT_ATTR_RELATIME },
    { "rbind", OPTION_BIND, true, 0 },
    { "rdev", OPTION_CLEAR, true, MOUNT_ATTR_NODEV },
    { "rdiratime", OPTION_CLEAR, true, MOUNT_ATTR_NODIRATIME },
    { "relatime", OPTION_ATIME, false, MOUNT_ATTR_RELATIME },
    { "remount", OPTION_REMOUNT, false, 0 },
    { "rexec", OPTION_CLEAR, true, MOUNT_ATTR_NOEXEC },
    { "ridmap", OPTION_IDMAP, true, 0 },
    { "rnoatime", OPTION_ATIME, true, MOUNT_ATTR_NOATIME },
    { "rnodev", OPTION_SET, true, MOUNT_ATTR_NODEV },
    { "rnodiratime", OPTION_SET, true, MOUNT_ATTR_NODIRATIME },
    { "rnoexec", OPTION_SET, true, MOUNT_ATTR_NOEXEC },
    { "rnorelatime", OPTION_ATIME, true, MOUNT_ATTR_RELATIME },
    { "rnostrictatime", OPTION_ATIME, true, MOUNT_ATTR_RELATIME },
    { "rnosuid", OPTION_SET, true, MOUNT_ATTR_NOSUID },
    { "rnosymfollow", OPTION_SET, true, MOUNT_ATTR_NOSYMFOLLOW },
    { "ro", OPTION_SET, false, MOUNT_ATTR_RDONLY },
    { "rprivate", OPTION_PROPAGATION, true, MS_PRIVATE },
    { "rrelatime", OPTION_ATIME, true, MOUNT_ATTR_RELATIME },
    { "rro", OPTION_SET, true, MOUNT_ATTR_RDONLY },
    { "rrw", OPTION_CLEAR, true, MOUNT_ATTR_RDONLY },
    { "rshared", OPTION_PROPAGATION, true, MS_SHARED },
    { "rslave", OPTION_PROPAGATION, true, MS_SLAVE },
    { "rstrictatime", OPTION_ATIME, true, MOUNT_ATTR_STRICTATIME },
    { "rsuid", OPTION_CLEAR, true, MOUNT_ATTR_NOSUID },
    { "rsymfollow", OPTION_CLEAR, true, MOUNT_ATTR_NOSYMFOLLOW },
    { "runbindable", OPTION_PROPAGATION, true, MS_UNBINDABLE },
    { "rw", OPTION_CLEAR, false, MOUNT_ATTR_RDONLY },
    { "shared", OPTION_PROPAGATION, false, MS_SHARED },
    { "silent", OPTION_NOTHING, false, 0 },
    { "slave", OPTION_PROPAGATION, false, MS_SLAVE },
    { "src-nofollow", OPTION_SOURCE_NOFOLLOW, false, 0 },
    { "src-nolinks", OPTION_SOURCE_NOLINKS, false, 0 },
    { "strictatime", OPTION_ATIME, false, MOUNT_ATTR_STRICTATIME },
    { "suid", OPTION_CLEAR, false, MOUNT_ATTR_NOSUID },
    { "symfollow", OPTION_CLEAR, false, MOUNT_ATTR_NOSYMFOLLOW },
    { "sync", OPTION_SB_SET, false, MOUNT_SB_SYNC },
    { "tmpcopyup", OPTION_COPY_UP, false, 0 },
    { "unbindable", OPTION_PROPAGATION, false, MS_UNBINDABLE },
};

static int compare_row(const void *key, const void *row)
{
    return strcmp(key, ((const struct option_row *)row)->name);
}

/* The access time is a field of several bits: the kernel wants all of it cleared whenever one value is set. */
static void put_attr(struct mount_option *ret, const struct option_row *row)
{
    uint64_t field = row->kind == OPTION_ATIME ? MOUNT_ATTR__ATIME : row->value;
    struct mount_attrs *attrs = row->is_recursive ? &ret->recursive : &ret->attrs;

    if (row->is_recursive) { /* the later word wins, and attrs come after recursive */
        ret->attrs.set &= ~field;
        ret->attrs.clear &= ~field;
    }
    attrs->set &= ~field;
    attrs->clear &= ~field;
    if (row->kind != OPTION_CLEAR)
        attrs->set |= row->value;
    if (row->kind != OPTION_SET)
        attrs->clear |= field;
}

static int put_propagation(
    struct mount_option *ret, const struct option_row *row, struct error *err)
{
    if (ret->n_propagation == MOUNT_PROPAGATION_MAX)
        return err_set(err, EINVAL, "option %s: more than %d propagation options", row->name,
            MOUNT_PROPAGATION_MAX);
    ret->propagation[ret->n_propagation++] =
        (struct mount_propagation){ .type = row->value, .is_recursive = row->is_recursive };
    return 0;
}

static int put_row(struct mount_option *ret, const struct option_row *row, struct error *err)
{
    switch (row->kind) {
    case OPTION_NOTHING:
        break;
    case OPTION_SET:
    case OPTION_CLEAR:
    case OPTION_ATIME:
        put_attr(ret, row);
        break;
    case OPTION_PROPAGATION:
        return put_propagation(ret, row, err);
    case OPTION_SB_SET:
        ret->sb_flags |= (unsigned)row->value;
        break;
    case OPTION_SB_CLEAR:
        ret->sb_flags &= ~(unsigned)row->value;
        break;
    case OPTION_BIND:
        ret->is_bind = true;
        ret->is_recursive |= row->is_recursive;
        break;
    case OPTION_REMOUNT:
        ret->is_remount = true;
        break;
    case OPTION_COPY_UP:
        ret->want_copy_up = true;
        break;
    case OPTION_IDMAP:
        ret->idmap = row->is_recursive ? MOUNT_IDMAP_RECURSIVE : MOUNT_IDMAP_TOP;
        break;
    case OPTION_SOURCE_NOFOLLOW:
        ret->is_source_nofollow = true;
        break;
    case OPTION_SOURCE_NOLINKS:
        ret->is_source_nolinks = true;
        break;
    case OPTION_TARGET_NOFOLLOW:
        ret->is_target_nofollow = true;
        break;
    case OPTION_LINK_COPY:
        ret->want_link_copy = true;
        break;
    }
    return 0;
}

static bool has_control(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            return true;
    return false;
}

static int put_data(
    struct arena *arena, struct mount_option *ret, const char *option, struct error *err)
{
    const char *equals = strchr(option, '=');
    struct mount_data *data = &ret->data[ret->n_data];

    if (option[0] == '\0' || option == equals || has_control(option))
        return err_set(err, EINVAL, "option: empty, without a name or with control bytes");
    if (ret->n_data == MOUNT_DATA_MAX)
        return err_set(err, EINVAL, "option %s: more than %d options of the filesystem", option,
            MOUNT_DATA_MAX);
    data->key = equals ? arena_strndup(arena, option, (size_t)(equals - option)) : option;
    data->value = equals ? equals + 1 : NULL;
    ret->n_data++;
    return 0;
}

static int put_option(
    struct arena *arena, struct mount_option *ret, const char *option, struct error *err)
{
    const struct option_row *row =
        bsearch(option, option_rows, ARRAY_SIZE(option_rows), sizeof(option_rows[0]), compare_row);

    if (row)
        return put_row(ret, row, err);
    return put_data(arena, ret, option, err);
}

int mount_option_parse(struct arena *arena, char *const *options, size_t n_options,
    struct mount_option *ret, struct error *err)
{
    struct mount_option parsed = { .data = NULL };
    size_t n_data_max = n_options < MOUNT_DATA_MAX ? n_options : MOUNT_DATA_MAX;

    if (n_data_max > 0)
        parsed.data = arena_new_array(arena, n_data_max, struct mount_data);
    for (size_t i = 0; i < n_options; i++) {
        int r = options[i] ? put_option(arena, &parsed, options[i], err) : 0;

        if (r < 0)
            return r;
    }
    *ret = parsed;
    return 0;
}

void mount_option_list(struct arena *arena, struct strv *out)
{
    for (size_t i = 0; i < ARRAY_SIZE(option_rows); i++)
        strv_add(arena, out, option_rows[i].name);
}

const char *mount_sb_flag_name(unsigned bit)
{
    static const char *const names[MOUNT_SB_FLAGS] = { "sync", "dirsync", "lazytime", "mand",
        "iversion" };

    return bit < MOUNT_SB_FLAGS ? names[bit] : NULL;
}

struct mount_attrs mount_attrs_merge(const struct mount_option *option)
{
    const struct mount_attrs *first = &option->recursive;
    const struct mount_attrs *last = &option->attrs;
    uint64_t said = last->set | last->clear;

    return (struct mount_attrs){
        .set = (first->set & ~said) | last->set,
        .clear = (first->clear & ~said) | last->clear,
    };
}
