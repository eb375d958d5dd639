/* SPDX-License-Identifier: Apache-2.0 */
/* A built program into the kernel. */
#include "syscall_filter_apply.h"

#include <errno.h>

#include "err.h"
#include "role.h"
#include "seccomp_call.h"
#include "syscall_filter_build.h"

int syscall_filter_apply(const struct syscall_filter *filter, int *ret_listener, struct error *err)
{
    role_require(ROLE_INIT | ROLE_WORKER | ROLE_UNPACK);
    size_t n_bytes = filter->n_insns * SYSCALL_FILTER_INSN_BYTES;
    int r = kernel_seccomp_load(filter->bytes, n_bytes, filter->flags);
    if (r < 0)
        return err_sys(err, r, "linux.seccomp: load the filter (%zu instructions, flags 0x%x)",
            filter->n_insns, filter->flags);
    *ret_listener = filter->wants_listener ? r : -1;
    return 0;
}
