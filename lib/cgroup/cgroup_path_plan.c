/* SPDX-License-Identifier: Apache-2.0 */
/* Place of a container's cgroup, from linux.cgroupsPath. */
#include "cgroup_path_plan.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "strv.h"

bool cgroup_path_needs_own(const char *cgroups_path)
{
    return cgroups_path == NULL || cgroups_path[0] != '/';
}

static bool part_is_printable(const char *part, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)part[i] < ' ' || part[i] == 0x7f)
            return false;
    return true;
}

static int part_check(const char *part, size_t len, struct error *err)
{
    if (len == 2 && memcmp(part, "..", 2) == 0)
        return err_set(err, EINVAL, "linux.cgroupsPath: \"..\" is not allowed in it");
    if (len > NAME_MAX)
        return err_set(
            err, ENAMETOOLONG, "linux.cgroupsPath: a name in it is longer than %d bytes", NAME_MAX);
    if (!part_is_printable(part, len))
        return err_set(err, EINVAL, "linux.cgroupsPath: control characters are not allowed in it");
    return 0;
}

/* Appends the parts of path to out, without empty ones and ".". */
static int parts_add(struct buf *out, const char *path, unsigned *n_parts, struct error *err)
{
    for (const char *at = path; *at != '\0';) {
        size_t len = strcspn(at, "/");
        if (len > 0 && !(len == 1 && at[0] == '.')) {
            int r = part_check(at, len, err);
            if (r < 0)
                return r;
            if (out->len > 0)
                buf_putc(out, '/');
            buf_add(out, at, len);
            *n_parts += 1;
        }
        at += len;
        at += *at == '/';
    }
    return 0;
}

/* The cgroup above the caller's. A caller outside of its own cgroup namespace ("/../x") has no
 * place in it: the root. */
static const char *own_parent(struct arena *arena, const char *own_path)
{
    const char *last = strrchr(own_path, '/');
    if (last == NULL || str_starts(own_path, "/.."))
        return "";
    return arena_strndup(arena, own_path, (size_t)(last - own_path));
}

int cgroup_path_plan(struct arena *arena, const char *cgroups_path, const char *own_path,
    const char *id, const char **ret_path, struct error *err)
{
    AUTO(buf) struct buf out = { .max = CGROUP_PATH_MAX };
    const char *path = cgroups_path != NULL ? cgroups_path : arena_printf(arena, "runa-%s", id);
    unsigned n_parts = 0;
    unsigned n_before = 0;
    int r;

    if (cgroup_path_needs_own(cgroups_path)) {
        r = parts_add(&out, own_parent(arena, own_path), &n_parts, err);
        if (r < 0)
            return err_in(err, "own cgroup");
        n_before = n_parts;
    }
    r = parts_add(&out, path, &n_parts, err);
    if (r < 0)
        return r;
    if (n_parts == n_before)
        return err_set(err, EINVAL, "linux.cgroupsPath: names no cgroup of its own");
    if (n_parts > CGROUP_DEPTH_MAX)
        return err_set(err, EINVAL, "linux.cgroupsPath: deeper than %d levels", CGROUP_DEPTH_MAX);
    if (!buf_ok(&out))
        return err_set(
            err, ENAMETOOLONG, "linux.cgroupsPath: longer than %d bytes", CGROUP_PATH_MAX);
    *ret_path = arena_strdup(arena, buf_str(&out));
    return 0;
}
