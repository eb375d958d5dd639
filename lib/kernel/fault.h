/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The fault table of dev builds: the Nth kernel call of a process tree can be made to
 *          fail, so that a test can walk every failure path. Nothing of it is in release builds.
 *          close and exit paths are never made to fail.
 * Runs in  any; forked children count on in the same (shared) counter
 *
 *     RUNA_FAULT=N[:ERRNO]       the Nth call fails; ERRNO is a number or a name such as EPERM,
 *                                EIO when absent
 *     RUNA_FAULT=NAME:ERRNO[:K]  the Kth (1st) call of that name: mount:EPERM, openat2:EAGAIN:3
 *     RUNA_FAULT_LOG=PATH        a file of 48-byte records, one line "N name role" and NULs each:
 *                                tr -d '\0' <PATH. It is mapped, and so works after pivot_root
 */
#pragma once

#ifdef RUNA_FAULT_TABLE
/* 0, or the negative errno that the call has to fail with. */
int kernel_fault(const char *name);
/* Reads the environment again and starts counting at zero; for tests. */
void kernel_fault_reset(void);
#define KERNEL_CALL(name)                                                                          \
    do {                                                                                           \
        int fault_ = kernel_fault(name);                                                           \
        if (fault_ < 0)                                                                            \
            return fault_;                                                                         \
    } while (0)
#else
#define KERNEL_CALL(name) ((void)0)
#endif
