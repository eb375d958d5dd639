/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: users of an image, by its own files, never by the host's. */
#include "image_user.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "file.h"
#include "parse_num.h"
#include "root.h"

#define FIELDS_MAX 7 /* of passwd(5) */
#define ID_MAX     (UINT32_MAX - 1)

struct fields {
    char *items[FIELDS_MAX];
    size_t n;
};

/* The next line of *at, split at its colons in an arena copy. False at the end. */
static bool line_next(struct arena *arena, const char **at, struct fields *ret)
{
    if (**at == '\0')
        return false;
    size_t len = strcspn(*at, "\n");
    char *line = arena_strndup(arena, *at, len);
    *at += len + ((*at)[len] == '\n');
    ret->n = 0;
    for (char *field = line; field != NULL && ret->n < FIELDS_MAX;) {
        char *colon = strchr(field, ':');
        if (colon != NULL)
            *colon = '\0';
        ret->items[ret->n++] = field;
        field = colon != NULL ? colon + 1 : NULL;
    }
    return true;
}

/* A line of passwd that is whole: name, password, uid, gid, gecos, home. */
static bool passwd_line(const struct fields *f, uint32_t *ret_uid, uint32_t *ret_gid)
{
    return f->n >= 6 && f->items[0][0] != '\0' && parse_u32(f->items[2], ID_MAX, ret_uid) == 0 &&
           parse_u32(f->items[3], ID_MAX, ret_gid) == 0;
}

/* By name, or by uid when name is NULL. The first line that fits counts. */
static bool passwd_find(
    struct arena *arena, const char *passwd, const char *name, uint32_t uid, struct image_user *ret)
{
    struct fields f;
    for (const char *at = passwd; line_next(arena, &at, &f);) {
        uint32_t have_uid;
        uint32_t have_gid;
        if (!passwd_line(&f, &have_uid, &have_gid))
            continue;
        if (name != NULL ? strcmp(f.items[0], name) != 0 : have_uid != uid)
            continue;
        ret->uid = have_uid;
        ret->gid = have_gid;
        ret->name = f.items[0];
        ret->home = f.items[5][0] == '/' ? f.items[5] : "/";
        return true;
    }
    return false;
}

static bool group_find(struct arena *arena, const char *group, const char *name, uint32_t *ret)
{
    struct fields f;
    for (const char *at = group; line_next(arena, &at, &f);)
        if (f.n >= 3 && strcmp(f.items[0], name) == 0 && parse_u32(f.items[2], ID_MAX, ret) == 0)
            return true;
    return false;
}

static bool member_list_has(const char *list, const char *name)
{
    size_t len = strlen(name);
    while (*list != '\0') {
        size_t n = strcspn(list, ",");
        if (n == len && memcmp(list, name, n) == 0)
            return true;
        list += n + (list[n] == ',');
    }
    return false;
}

static int groups_find(
    struct arena *arena, const char *group, struct image_user *user, struct error *err)
{
    struct fields f;
    user->groups = arena_new_array(arena, IMAGE_USER_GROUPS_MAX, uint32_t);
    for (const char *at = group; line_next(arena, &at, &f);) {
        uint32_t gid;
        if (f.n < 4 || parse_u32(f.items[2], ID_MAX, &gid) < 0 || gid == user->gid ||
            !member_list_has(f.items[3], user->name))
            continue;
        if (user->n_groups == IMAGE_USER_GROUPS_MAX)
            return err_set(err, E2BIG, "user %.64s: in more than %d groups", user->name,
                IMAGE_USER_GROUPS_MAX);
        user->groups[user->n_groups++] = gid;
    }
    return 0;
}

static bool is_number(const char *s)
{
    return s[0] != '\0' && strspn(s, "0123456789") == strlen(s);
}

static int user_part(struct arena *arena, const char *text, const char *passwd,
    struct image_user *ret, struct error *err)
{
    if (!is_number(text))
        return passwd_find(arena, passwd, text, 0, ret)
                   ? 0
                   : err_set(err, ENOENT, "user \"%.64s\": not in the image's /etc/passwd", text);
    uint32_t uid;
    if (parse_u32(text, ID_MAX, &uid) < 0)
        return err_set(err, EINVAL, "user \"%.64s\": not a user id", text);
    if (!passwd_find(arena, passwd, NULL, uid, ret))
        ret->uid = uid;
    return 0;
}

static int group_part(struct arena *arena, const char *text, const char *group,
    struct image_user *ret, struct error *err)
{
    if (is_number(text))
        return parse_u32(text, ID_MAX, &ret->gid) == 0
                   ? 0
                   : err_set(err, EINVAL, "group \"%.64s\": not a group id", text);
    return group_find(arena, group, text, &ret->gid)
               ? 0
               : err_set(err, ENOENT, "group \"%.64s\": not in the image's /etc/group", text);
}

int image_user_parse(struct arena *arena, const char *spec, const char *passwd, const char *group,
    struct image_user *ret, struct error *err)
{
    if (spec == NULL || spec[0] == '\0')
        spec = "0";
    const char *colon = strchr(spec, ':');
    const char *user_text =
        colon != NULL ? arena_strndup(arena, spec, (size_t)(colon - spec)) : spec;
    struct image_user user = { .home = "/" };
    int rc = user_part(arena, user_text[0] != '\0' ? user_text : "0", passwd, &user, err);
    if (rc == 0 && colon != NULL && colon[1] != '\0')
        rc = group_part(arena, colon + 1, group, &user, err);
    else if (rc == 0 && user.name != NULL)
        rc = groups_find(arena, group, &user, err);
    if (rc == 0)
        *ret = user;
    return rc;
}

/* The text of a file of the image, "" when it has none. Its last component may not be a link: it leads where the image
 * says. */
static int image_file_read(struct arena *arena, const struct root *root, const char *path,
    const char **ret, struct error *err)
{
    *ret = "";
    autoclose int fd = root_resolve(root, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fd == -ENOENT || fd == -ENOTDIR)
        return 0;
    struct stat status;
    int rc = fd < 0 ? fd : kernel_fstat(fd, &status);
    if (rc == 0 && !S_ISREG(status.st_mode))
        return err_set(err, EINVAL, "the image's %s: not a regular file", path);
    autofree char *text = NULL;
    size_t len = 0;
    if (rc == 0)
        rc = file_read_fd(fd, IMAGE_USER_FILE_BYTES_MAX, &text, &len);
    if (rc < 0)
        return err_sys(err, rc, "the image's %s", path);
    *ret = arena_strndup(arena, text, strnlen(text, len));
    return 0;
}

int image_user_find(struct arena *arena, const struct root *root, const char *spec,
    struct image_user *ret, struct error *err)
{
    const char *passwd;
    const char *group;
    int rc = image_file_read(arena, root, "etc/passwd", &passwd, err);
    if (rc == 0)
        rc = image_file_read(arena, root, "etc/group", &group, err);
    return rc == 0 ? image_user_parse(arena, spec, passwd, group, ret, err) : rc;
}
