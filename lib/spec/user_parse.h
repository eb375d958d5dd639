/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  An image's or option's user string ("uid", "uid:gid", "name", "name:group") → ids, by the text of the
 *          rootfs' own /etc/passwd and /etc/group; and the home directory of an id.
 * Runs in  any (pure)
 * Trusts   nothing: all three texts may be hostile. Digits are a number in 0..2^32-2 or an error, and are never looked
 *          up as a name; a malformed line of passwd or group is skipped.
 * Owns     results live in the arena
 * Fails    -EINVAL a string that is none, -ENOENT a name without an entry, -E2BIG more than USER_GROUPS_MAX groups,
 *          -EFBIG a text that is too long
 * Source   passwd(5), group(5); image-spec config.md "User". CVE-2016-3697, CVE-2024-40635, CVE-2026-30892
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct arena;
struct error;

#define USER_FILE_SIZE_MAX (1U << 20) /* of passwd and of group text; the caller reads at most one byte more */
#define USER_STRING_MAX    256
#define USER_GROUPS_MAX    256 /* supplementary groups taken from group text */

/* Text of a file; text NULL: there is no such file. Need not end with NUL. */
struct user_file {
    const char *text;
    size_t len;
};

struct user {
    uid_t uid;
    gid_t gid;
    gid_t *groups; /* by group text, without gid, when the string names no group and the user has a name; else none */
    size_t n_groups;
    const char *home; /* absolute; "/" when not known */
    const char *name; /* NULL when passwd does not know the uid */
};

/* NULL and "" are "0", and so is an empty user part; an empty group part is none. A number without passwd entry has gid
 * 0. A name without entry is an error. */
int user_parse(struct arena *arena, const char *string, const struct user_file *passwd,
    const struct user_file *group, struct user *ret, struct error *err);
/* The home directory of the first passwd entry with that uid; "/" when there is none or it is not an absolute path. */
const char *user_home_find(struct arena *arena, uid_t uid, const struct user_file *passwd);
