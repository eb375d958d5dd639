/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Mount option strings of the OCI spec → attributes, recursive attributes, propagation, superblock flags and
 *          the options that are the filesystem's own. Later words win over earlier ones.
 * Runs in  any (pure)
 * Trusts   nothing: the strings may be a stranger's; they never become one joined string again
 * Owns     key and value of filesystem options live in the arena
 * Fails    -EINVAL more filesystem options or propagation words than the maxima, or an option with control bytes
 * Source   OCI runtime-spec config.md "Linux mount options", mount_setattr(2), mount(8)
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct error;
struct strv;

#define MOUNT_PROPAGATION_MAX 4
#define MOUNT_DATA_MAX        64 /* filesystem options of one mount */

/* In the order of mount_sb_flag_name. */
#define MOUNT_SB_SYNC     (1U << 0)
#define MOUNT_SB_DIRSYNC  (1U << 1)
#define MOUNT_SB_LAZYTIME (1U << 2)
#define MOUNT_SB_MAND     (1U << 3)
#define MOUNT_SB_IVERSION (1U << 4)
#define MOUNT_SB_FLAGS    5

enum mount_idmap { MOUNT_IDMAP_NONE, MOUNT_IDMAP_TOP, MOUNT_IDMAP_RECURSIVE };

/* MOUNT_ATTR_* to set and to clear; of the access time modes one at most is set, with the whole field cleared. */
struct mount_attrs {
    uint64_t set;
    uint64_t clear;
};

struct mount_propagation {
    uint64_t type; /* MS_SHARED, MS_SLAVE, MS_PRIVATE or MS_UNBINDABLE */
    bool is_recursive;
};

struct mount_data {
    const char *key;
    const char *value; /* NULL: a flag */
};

struct mount_option {
    struct mount_attrs attrs;
    struct mount_attrs recursive; /* rro, rnosuid …: of the whole tree, put in force before attrs */
    struct mount_propagation propagation[MOUNT_PROPAGATION_MAX]; /* in order */
    size_t n_propagation;
    unsigned sb_flags; /* MOUNT_SB_*: of the filesystem, not the mount */
    struct mount_data *data;
    size_t n_data;
    bool is_bind;      /* bind or rbind */
    bool is_recursive; /* rbind */
    bool is_remount;
    bool want_copy_up;       /* tmpcopyup */
    bool is_source_nofollow; /* src-nofollow: a link is mounted itself */
    bool is_source_nolinks;  /* src-nolinks (runa's own): no component of the source may be a link */
    bool is_target_nofollow; /* dest-nofollow */
    bool want_link_copy;     /* copy-symlink: a source that is a link is copied as a link */
    enum mount_idmap idmap;
};

int mount_option_parse(struct arena *arena, char *const *options, size_t n_options,
    struct mount_option *ret, struct error *err);
/* Every word that is not handed to the filesystem, sorted: the list of `features`. */
void mount_option_list(struct arena *arena, struct strv *out);
/* As fsconfig(2) wants it: "sync" … for bit 0 to MOUNT_SB_FLAGS - 1. */
const char *mount_sb_flag_name(unsigned bit);
/* The attributes of a tree that is one mount: recursive, then attrs. */
struct mount_attrs mount_attrs_merge(const struct mount_option *option);
