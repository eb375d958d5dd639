/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  "user[:group]" of an image or a command line → numbers, with the image's own /etc/passwd and /etc/group.
 * Runs in  parent; the text functions any (pure)
 * Trusts   nothing: the files are the image's. Read in-root, regular files only, at most IMAGE_USER_FILE_BYTES_MAX.
 * Owns     strings and lists live in the arena
 * Fails    -ENOENT a name that is not in the file; a number needs no entry (it gets group 0 and home "/")
 * Source   passwd(5), group(5); image-spec config.md "User"
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct arena;
struct error;
struct root;

#define IMAGE_USER_FILE_BYTES_MAX (1U << 20)
#define IMAGE_USER_GROUPS_MAX     256

struct image_user {
    uint32_t uid;
    uint32_t gid;
    uint32_t *
        groups; /* additional ones, of /etc/group, when only the user was given; without gid itself */
    size_t n_groups;
    const char *home; /* "/" when not known */
    const char *name; /* NULL when the uid has no entry */
};

/* Pure. passwd and group are the files' texts ("" when there is none); spec NULL or "" is root. */
int image_user_parse(struct arena *arena, const char *spec, const char *passwd, const char *group,
    struct image_user *ret, struct error *err);
/* The same from a root directory. */
int image_user_find(struct arena *arena, const struct root *root, const char *spec,
    struct image_user *ret, struct error *err);
