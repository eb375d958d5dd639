/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Scope-bound release of heap memory and file descriptors.
 * Runs in  any
 *
 *     autofree char *path = xasprintf(...);
 *     autoclose int fd = kernel_open(...);
 *     AUTO(buf) struct buf text = BUF_INIT;      calls buf_done(&text)
 *     return take_fd(&fd);
 */
#pragma once
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
    free(*(void **)p);
}

static inline void cleanup_close(const int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

static inline int take_fd(int *fd)
{
    int taken = *fd;
    *fd = -1;
    return taken;
}

static inline void *take_void(void **p)
{
    void *taken = *p;
    *p = NULL;
    return taken;
}

#define take_ptr(p)   ((__typeof__(*(p)))take_void((void **)(p)))
#define autofree      __attribute__((cleanup(cleanup_free)))
#define autoclose     __attribute__((cleanup(cleanup_close)))
#define AUTO(type)    __attribute__((cleanup(type##_done)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
