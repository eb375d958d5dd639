/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: looks for read-only mounts of the host among a source and, for rbind, what is below. */
#include "mount_readonly.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "buf.h"
#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "mount_plan.h"
#include "mountinfo.h"
#include "procfs.h"
#include "role.h"
#include "strv.h"

struct search {
    uint64_t mount_id;
    const char *path; /* of the source, as the kernel knows it */
    size_t len;
    bool is_recursive;
    struct buf *found;
};

static bool is_readonly(const char *options)
{
    return str_eq(options, "ro") || str_starts(options, "ro,");
}

static int each(const struct mountinfo *mount, void *context)
{
    const struct search *s = context;
    bool is_below = s->is_recursive && strncmp(mount->target, s->path, s->len) == 0 &&
                    (mount->target[s->len] == '/' || str_eq(s->path, "/"));

    if ((mount->id != s->mount_id && !is_below) || !is_readonly(mount->options))
        return 0;
    buf_put_quoted(s->found, mount->target, strlen(mount->target));
    return 1;
}

int mount_readonly_check(const struct procfs *procfs, const char *source, bool is_recursive, struct error *err)
{
    AUTO(buf) struct buf found = BUF_INIT;
    char path[MOUNT_PATH_MAX];
    char link[32];
    struct statx stx;

    role_require(ROLE_PARENT);
    autoclose int fd = kernel_open(source, O_PATH, 0);
    if (fd < 0)
        return err_sys(err, fd, "source %s: open", source);
    int r = kernel_statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx);
    if (r == 0 && !(stx.stx_mask & STATX_MNT_ID))
        r = -EOPNOTSUPP;
    (void)snprintf(link, sizeof(link), "self/fd/%d", fd);
    if (r >= 0)
        r = kernel_readlinkat(procfs->fd, link, path, sizeof(path));
    if (r < 0)
        return err_sys(err, r, "source %s: cannot find its mount", source);
    struct search search = {
        .mount_id = stx.stx_mnt_id,
        .path = path,
        .len = strlen(path),
        .is_recursive = is_recursive,
        .found = &found,
    };
    autoclose int self = procfs_openat(procfs, "self", O_PATH | O_DIRECTORY);
    r = self < 0 ? self : mountinfo_each(self, each, &search);
    if (r < 0)
        return err_sys(err, r, "source %s: cannot read the mounts", source);
    if (r > 0)
        return err_set(err, EPERM,
            "source %s: the host has %s mounted read-only, and CAP_SYS_ADMIN in a user namespace could undo that; "
            "leave out one of them",
            source, buf_str(&found));
    return 0;
}
