/* SPDX-License-Identifier: Apache-2.0 */
/* Resource limits as text. */
#include "rlimit_plan.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "buf.h"
#include "oci_config.h"

const char *rlimit_plan_name(int type)
{
    const char *name = oci_rlimit_name(type);
    return name == NULL ? "RLIMIT_?" : name;
}

static void print_value(struct buf *out, const char *label, uint64_t value)
{
    if (value == RLIM_INFINITY)
        buf_printf(out, " %s unlimited", label);
    else
        buf_printf(out, " %s %" PRIu64, label, value);
}

void rlimit_plan_print(const struct oci_rlimit *limits, size_t n_limits, struct buf *out)
{
    for (size_t i = 0; i < n_limits; i++) {
        buf_printf(out, "rlimit %s", rlimit_plan_name(limits[i].type));
        print_value(out, "soft", limits[i].soft);
        print_value(out, "hard", limits[i].hard);
        buf_putc(out, '\n');
    }
}
