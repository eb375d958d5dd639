/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of the next exec. */
#include "label_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "label_plan.h"
#include "procfs.h"
#include "role.h"

#define APPARMOR_SWITCH "/sys/module/apparmor/parameters/enabled"
#define SELINUX_ROOT    "/sys/fs/selinux"

static bool has_apparmor(void)
{
    autoclose int fd = kernel_open(APPARMOR_SWITCH, O_RDONLY, 0);
    char answer = 'N';
    return fd >= 0 && kernel_read(fd, &answer, 1) == 1 && answer == 'Y';
}

static bool has_selinux(void)
{
    autoclose int fd = kernel_open(SELINUX_ROOT, O_PATH | O_DIRECTORY, 0);
    struct statfs fs;
    return fd >= 0 && kernel_fstatfs(fd, &fs) == 0 &&
           (unsigned long)fs.f_type == (unsigned long)KERNEL_MAGIC_SELINUX;
}

/* Any role: reads only. */
void label_host_read(struct label_host *ret)
{
    *ret = (struct label_host){ .has_apparmor = has_apparmor(), .has_selinux = has_selinux() };
}

static int write_attr(const struct procfs *procfs, const char *path, const char *text,
    const char *what, struct error *err)
{
    autoclose int fd = procfs_openat(procfs, path, O_WRONLY);
    if (fd < 0)
        return err_sys(err, fd, "%s: open %s", what, path);
    size_t len = strlen(text);
    ssize_t n = kernel_write(fd, text, len);
    if (n < 0)
        return err_sys(err, (int)n, "%s: set \"%s\"", what, text);
    if ((size_t)n != len)
        return err_set(err, EIO, "%s: only taken in part", what);
    return 0;
}

int label_apply(const struct procfs *procfs, const struct label_plan *plan, struct error *err)
{
    role_require(ROLE_INIT);
    if (plan->selinux_label != NULL) {
        int r =
            write_attr(procfs, "self/attr/exec", plan->selinux_label, "process.selinuxLabel", err);
        if (r < 0)
            return r;
    }
    if (plan->apparmor_profile != NULL) {
        char command[sizeof("exec ") + LABEL_MAX];
        (void)snprintf(command, sizeof(command), "exec %s", plan->apparmor_profile);
        return write_attr(
            procfs, "self/attr/apparmor/exec", command, "process.apparmorProfile", err);
    }
    return 0;
}
