/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the container's namespaces, written. */
#include "sysctl_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "procfs.h"
#include "role.h"
#include "sysctl_plan.h"

#define PATH_SIZE 320 /* "sys/" and the longest key */

static int write_step(
    const struct procfs *procfs, const struct sysctl_step *step, struct error *err)
{
    char path[PATH_SIZE];
    int len = snprintf(path, sizeof(path), "sys/%s", step->path);
    if (len < 0 || (size_t)len >= sizeof(path))
        return err_set(err, ENAMETOOLONG, "sysctl %s: name too long", step->path);
    autoclose int fd = procfs_openat(procfs, path, O_WRONLY);
    if (fd < 0)
        return err_sys(err, fd, "sysctl %s: open", step->path);
    size_t n = strlen(step->value);
    ssize_t r = kernel_write(fd, step->value, n);
    if (r < 0)
        return err_sys(err, (int)r, "sysctl %s: set", step->path);
    if ((size_t)r != n)
        return err_set(err, EIO, "sysctl %s: value only taken in part", step->path);
    return 0;
}

int sysctl_apply(const struct procfs *procfs, const struct sysctl_plan *plan, struct error *err)
{
    role_require(ROLE_INIT);
    for (size_t i = 0; i < plan->n_steps; i++) {
        int r = write_step(procfs, &plan->steps[i], err);
        if (r < 0)
            return r;
    }
    return 0;
}
