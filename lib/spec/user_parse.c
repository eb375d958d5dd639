/* SPDX-License-Identifier: Apache-2.0 */
/* User strings against the text of passwd and group. */
#include "user_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "parse_num.h"

#define ID_MAX        (UINT32_MAX - 1) /* UINT32_MAX is "no id" to the kernel */
#define PASSWD_FIELDS 7
#define GROUP_FIELDS  4
#define NAME_MAX_LEN  64

/* A piece of a text, not terminated; at is never NULL. */
struct span {
    const char *at;
    size_t len;
};

static const struct span span_empty = { "", 0 };

static bool span_is(struct span a, struct span b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static bool span_has(struct span s, char c)
{
    return memchr(s.at, c, s.len) != NULL;
}

/* Cuts the piece before the first `end` off `rest`; what is left is behind it. */
static struct span cut(struct span *rest, char end)
{
    const char *hit = memchr(rest->at, end, rest->len);
    struct span piece = { rest->at, hit == NULL ? rest->len : (size_t)(hit - rest->at) };
    size_t used = hit == NULL ? rest->len : piece.len + 1;
    *rest = (struct span){ rest->at + used, rest->len - used };
    return piece;
}

/* The next line that has n fields (the last may be missing, as old tools write). False at the end. */
static bool next_entry(struct span *rest, struct span *fields, size_t n)
{
    while (rest->len > 0) {
        struct span line = cut(rest, '\n');
        if (line.len == 0 || line.at[0] == '#' || span_has(line, '\0'))
            continue;
        size_t n_found = 0;
        bool has_more = true;
        while (has_more && n_found < n) {
            has_more = span_has(line, ':');
            fields[n_found++] = cut(&line, ':');
        }
        if (n_found == n - 1)
            fields[n_found++] = span_empty;
        if (n_found == n)
            return true;
    }
    return false;
}

static bool is_digits(struct span s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!isdigit((unsigned char)s.at[i]))
            return false;
    return s.len > 0;
}

/* Digits of an id field of passwd or group. */
static bool id_of(struct span s, uint32_t *ret)
{
    uint64_t value;
    if (!is_digits(s) || parse_u64(s.at, s.len, ID_MAX, &value) < 0)
        return false;
    *ret = (uint32_t)value;
    return true;
}

/* Bytes that a name may have; more than useradd makes, but nothing that could be taken for a number with a sign, a
 * list, or be of harm on a terminal. */
static bool is_name(struct span s)
{
    if (s.len == 0 || s.len > NAME_MAX_LEN || s.at[0] == '-' || s.at[0] == '+')
        return false;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.at[i];
        if (c <= ' ' || c == 0x7f || c == ':' || c == ',' || c == '/')
            return false;
    }
    return true;
}

static int fail(struct error *err, const char *string, int code, const char *why)
{
    AUTO(buf) struct buf text = BUF_INIT;
    size_t len = strlen(string);
    buf_put_quoted(&text, string, len > USER_STRING_MAX ? USER_STRING_MAX : len);
    return err_set(err, code, "user %s: %s", buf_str(&text), why);
}

static int file_span(
    const struct user_file *file, const char *name, struct span *ret, struct error *err)
{
    if (file == NULL || file->text == NULL) {
        *ret = span_empty;
        return 0;
    }
    if (file->len > USER_FILE_SIZE_MAX)
        return err_set(err, EFBIG, "%s: longer than %u bytes", name, USER_FILE_SIZE_MAX);
    *ret = (struct span){ file->text, file->len };
    return 0;
}

struct passwd_entry {
    struct span name;
    uint32_t uid;
    uint32_t gid;
    struct span home;
};

/* The first entry of that name, or of that uid when name is empty. */
static bool passwd_find(
    struct span passwd, struct span name, uint32_t uid, struct passwd_entry *ret)
{
    struct span f[PASSWD_FIELDS];
    while (next_entry(&passwd, f, PASSWD_FIELDS)) {
        struct passwd_entry entry = { .name = f[0], .home = f[5] };
        if (!is_name(f[0]) || !id_of(f[2], &entry.uid) || !id_of(f[3], &entry.gid))
            continue;
        if (name.len > 0 ? span_is(name, entry.name) : uid == entry.uid) {
            *ret = entry;
            return true;
        }
    }
    return false;
}

static bool group_find(struct span group, struct span name, uint32_t *ret_gid)
{
    struct span f[GROUP_FIELDS];
    while (next_entry(&group, f, GROUP_FIELDS))
        if (span_is(name, f[0]) && id_of(f[2], ret_gid))
            return true;
    return false;
}

static bool list_has(struct span list, struct span name)
{
    while (list.len > 0)
        if (span_is(cut(&list, ','), name))
            return true;
    return false;
}

/* The groups that list the user as a member. */
static int take_groups(struct arena *arena, const char *string, struct span group, struct span name,
    struct user *user, struct error *err)
{
    struct span f[GROUP_FIELDS];
    user->groups = arena_new_array(arena, USER_GROUPS_MAX, gid_t);
    while (next_entry(&group, f, GROUP_FIELDS)) {
        uint32_t gid;
        if (!id_of(f[2], &gid) || gid == user->gid || !list_has(f[3], name))
            continue;
        if (user->n_groups == USER_GROUPS_MAX)
            return fail(err, string, E2BIG, "in too many groups");
        user->groups[user->n_groups++] = gid;
    }
    return 0;
}

static const char *home_of(struct arena *arena, const struct passwd_entry *entry)
{
    if (entry == NULL || entry->home.len == 0 || entry->home.at[0] != '/')
        return "/";
    return arena_strndup(arena, entry->home.at, entry->home.len);
}

/* The part before the colon. *ret_entry: its passwd entry, name.len 0 without one. */
static int parse_user(const char *string, struct span part, struct span passwd, struct user *user,
    struct passwd_entry *ret_entry, struct error *err)
{
    *ret_entry = (struct passwd_entry){ .name = span_empty, .home = span_empty };
    if (is_digits(part)) {
        if (!id_of(part, &user->uid))
            return fail(err, string, EINVAL, "the number is not a user id (0 to 4294967294, no leading zero)");
        (void)passwd_find(passwd, span_empty, user->uid, ret_entry);
    } else {
        if (!is_name(part))
            return fail(err, string, EINVAL, "not a user name or number");
        if (!passwd_find(passwd, part, 0, ret_entry))
            return fail(err, string, ENOENT, "no such user in the container's passwd file");
        user->uid = ret_entry->uid;
    }
    user->gid = ret_entry->gid;
    return 0;
}

static int parse_group(
    const char *string, struct span part, struct span group, gid_t *ret, struct error *err)
{
    if (is_digits(part)) {
        if (!id_of(part, ret))
            return fail(err, string, EINVAL, "the number is not a group id (0 to 4294967294, no leading zero)");
        return 0;
    }
    if (!is_name(part))
        return fail(err, string, EINVAL, "not a group name or number");
    if (!group_find(group, part, ret))
        return fail(err, string, ENOENT, "no such group in the container's group file");
    return 0;
}

int user_parse(struct arena *arena, const char *string, const struct user_file *passwd,
    const struct user_file *group, struct user *ret, struct error *err)
{
    if (string == NULL || string[0] == '\0')
        string = "0";
    size_t len = strlen(string);
    if (len > USER_STRING_MAX)
        return fail(err, string, EINVAL, "too long");
    struct span passwd_text = span_empty;
    struct span group_text = span_empty;
    int r = file_span(passwd, "passwd", &passwd_text, err);
    if (r == 0)
        r = file_span(group, "group", &group_text, err);
    if (r < 0)
        return r;

    struct user user = { 0 };
    struct passwd_entry entry;
    struct span group_part = { string, len };
    struct span user_part = cut(&group_part, ':');
    bool has_group = group_part.len > 0;
    if (user_part.len == 0)
        user_part = (struct span){ "0", 1 };
    r = parse_user(string, user_part, passwd_text, &user, &entry, err);
    if (r == 0 && has_group)
        r = parse_group(string, group_part, group_text, &user.gid, err);
    if (r == 0 && !has_group && entry.name.len > 0)
        r = take_groups(arena, string, group_text, entry.name, &user, err);
    if (r < 0)
        return r;
    if (entry.name.len > 0)
        user.name = arena_strndup(arena, entry.name.at, entry.name.len);
    user.home = home_of(arena, entry.name.len > 0 ? &entry : NULL);
    *ret = user;
    return 0;
}

const char *user_home_find(struct arena *arena, uid_t uid, const struct user_file *passwd)
{
    struct passwd_entry entry;
    if (passwd == NULL || passwd->text == NULL || passwd->len > USER_FILE_SIZE_MAX)
        return "/";
    struct span text = { passwd->text, passwd->len };
    bool is_found = passwd_find(text, span_empty, uid, &entry);
    return home_of(arena, is_found ? &entry : NULL);
}
