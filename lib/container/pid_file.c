/* SPDX-License-Identifier: Apache-2.0 */
/* The pid file. */
#include "pid_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "file.h"
#include "role.h"

int pid_file_write(const char *path, pid_t pid, struct error *err)
{
    char text[16];
    const char *slash = strrchr(path, '/');
    autofree char *dir_path = slash ? xstrndup(path, slash == path ? 1 : (size_t)(slash - path)) : xstrdup(".");

    (void)snprintf(text, sizeof(text), "%d", (int)pid);
    autoclose int dir = kernel_open(dir_path, O_RDONLY | O_DIRECTORY, 0);
    int r = dir < 0 ? dir : file_replace(dir, slash ? slash + 1 : path, text, strlen(text), 0644, 0);
    return r < 0 ? err_sys(err, r, "--pid-file %s: cannot write", path) : 0;
}
