/* SPDX-License-Identifier: Apache-2.0 */
/* Resource limits and the out-of-memory score. */
#include "rlimit_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "process_call.h"
#include "procfs.h"
#include "rlimit_plan.h"
#include "role.h"

int rlimit_apply(const struct oci_rlimit *limits, size_t n_limits, struct error *err)
{
    role_require(ROLE_INIT);
    for (size_t i = 0; i < n_limits; i++) {
        struct rlimit limit = { .rlim_cur = limits[i].soft, .rlim_max = limits[i].hard };
        int r = kernel_prlimit(0, limits[i].type, &limit, NULL);
        if (r < 0)
            return err_sys(err, r, "rlimit %s: set soft %" PRIu64 " hard %" PRIu64,
                rlimit_plan_name(limits[i].type), limits[i].soft, limits[i].hard);
    }
    return 0;
}

int oom_score_apply(const struct procfs *procfs, int32_t value, struct error *err)
{
    role_require(ROLE_INIT | ROLE_PARENT | ROLE_RELAY);
    char text[16];
    int len = snprintf(text, sizeof(text), "%" PRId32, value);
    autoclose int fd = procfs_openat(procfs, "self/oom_score_adj", O_WRONLY);
    if (fd < 0)
        return err_sys(err, fd, "process.oomScoreAdj: open");
    ssize_t n = kernel_write(fd, text, (size_t)len);
    if (n != len)
        return err_sys(err, n < 0 ? (int)n : EIO, "process.oomScoreAdj: set %s", text);
    return 0;
}
