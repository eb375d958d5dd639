/* SPDX-License-Identifier: Apache-2.0 */
/* Resource limits in force. */
#include "rlimit_apply.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "err.h"
#include "oci_config.h"
#include "process_call.h"
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
