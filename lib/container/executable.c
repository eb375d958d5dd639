/* SPDX-License-Identifier: Apache-2.0 */
/* PATH search for the payload. */
#include "executable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "call.h"
#include "cleanup.h"
#include "err.h"

/* 0: a file that may be executed. */
static int executable_test(const char *path)
{
    struct stat st;
    int r = kernel_fstatat(AT_FDCWD, path, &st, 0);

    if (r < 0)
        return r;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    if (!S_ISREG(st.st_mode))
        return -EACCES;
    return kernel_faccessat(AT_FDCWD, path, X_OK, AT_EACCESS);
}

static int fail(const char *name, int code, struct error *err)
{
    AUTO(buf) struct buf quoted = BUF_INIT;

    buf_put_quoted(&quoted, name, strlen(name));
    switch (code) {
    case -EISDIR:
        return err_set(err, EACCES, "exec: %s: is a directory: permission denied", buf_str(&quoted));
    case -EACCES:
    case -EPERM:
        return err_set(err, EACCES, "exec: %s: permission denied", buf_str(&quoted));
    default:
        if (strchr(name, '/') && (code == -ENOENT || code == -ENOTDIR))
            return err_set(err, ENOENT, "exec: %s: stat %s: no such file or directory", buf_str(&quoted),
                buf_str(&quoted));
        if (code == -ENOENT || code == -ENOTDIR)
            return err_set(err, ENOENT, "exec: %s: executable file not found in $PATH", buf_str(&quoted));
        return err_sys(err, code, "exec: %s", buf_str(&quoted));
    }
}

int executable_find(struct arena *arena, const char *name, const char *path, const char **ret, struct error *err)
{
    int worst = -ENOENT;

    if (*name == '\0')
        return err_set(err, ENOENT, "exec: process.args[0] is empty: executable file not found in $PATH");
    if (strchr(name, '/')) {
        int r = executable_test(name);
        if (r < 0)
            return fail(name, r, err);
        *ret = name;
        return 0;
    }
    while (path && *path) {
        size_t len = strcspn(path, ":");
        const char *dir = len ? arena_strndup(arena, path, len) : ".";
        const char *candidate = arena_printf(arena, "%s/%s", dir, name);
        int r = executable_test(candidate);
        if (r == 0) {
            *ret = candidate;
            return 0;
        }
        if (r != -ENOENT && r != -ENOTDIR)
            worst = r; /* a directory or a file without the right: another one may follow */
        path += len;
        if (*path == ':')
            path++;
    }
    return fail(name, worst, err);
}
