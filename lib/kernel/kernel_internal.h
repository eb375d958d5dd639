/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What the .c files of this room share: from the C library's -1 and errno to a negative return value.
 * Runs in  any
 */
#pragma once
#include <errno.h>
#include <sys/types.h>

#include "fault.h"

static inline int kernel_result(long value)
{
    return value < 0 ? -errno : (int)value;
}

static inline ssize_t kernel_size_result(ssize_t value)
{
    return value < 0 ? -errno : value;
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
