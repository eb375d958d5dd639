/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What the .c files of this room share: from the C library's -1 and errno to a negative
 *          return value.
 * Runs in  any
 */
#pragma once
#include <errno.h>
#include <sys/types.h>

#include "fault.h"

/* errno as a failure: negative even if a library function forgot to set it. */
static inline int kernel_errno(void)
{
    return errno > 0 ? -errno : -EIO;
}

static inline int kernel_result(long value)
{
    return value < 0 ? kernel_errno() : (int)value;
}

static inline ssize_t kernel_size_result(ssize_t value)
{
    return value < 0 ? kernel_errno() : value;
}

/* Again while a signal came before anything happened. */
#define KERNEL_RETRY(call)                                                                         \
    ({                                                                                             \
        long result_;                                                                              \
        do                                                                                         \
            result_ = (long)(call);                                                                \
        while (result_ < 0 && errno == EINTR);                                                     \
        result_;                                                                                   \
    })
