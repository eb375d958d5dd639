/* SPDX-License-Identifier: Apache-2.0 */
/* Protection of the program itself. */
#include "protect.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "process_call.h"
#include "procfs.h"
#include "role.h"
#include "self_exe.h"
#include "signals.h"

int protect_stdio(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (kernel_get_flags(fd) != -EBADF)
            continue;
        /* The lowest free number is fd itself, since all below it are open. */
        int opened = kernel_open("/dev/null", O_RDWR, 0);
        if (opened != fd)
            return opened < 0 ? opened : -EBADF;
        int r = kernel_set_cloexec(fd, 0);
        if (r < 0)
            return r;
    }
    return signals_default_all();
}

int protect_inherited_fds(unsigned *ret_n)
{
    int lowest = kernel_dup_above(STDIN_FILENO, STDERR_FILENO + 1);

    if (lowest < 0)
        return lowest;
    (void)close(lowest);
    *ret_n = (unsigned)(lowest - (STDERR_FILENO + 1));
    return kernel_close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
}

int protect_self_exe(char *const *argv, struct error *err)
{
    role_require(ROLE_PARENT);
    struct procfs procfs = PROCFS_INIT;
    int r = procfs_open_host(&procfs);

    if (r < 0)
        return err_sys(err, r, "/proc: cannot open, or it is no procfs");
    if (self_exe_is_protected(&procfs) == 1) {
        procfs_done(&procfs);
        return 0;
    }
    autoclose int fd = self_exe_open(&procfs);
    procfs_done(&procfs);
    if (fd < 0)
        return err_sys(err, fd, "cannot make a copy of the runa binary that no container can write to");
    r = kernel_execveat(fd, "", argv, environ, AT_EMPTY_PATH);
    return err_sys(err, r, "cannot execute the protected copy of runa");
}
