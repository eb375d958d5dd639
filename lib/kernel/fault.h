/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The fault table of dev builds: the Nth kernel call of a process tree can be made to
 *          fail, so that a test can walk every failure path. Nothing of it is in release builds.
 *          close and exit paths are never made to fail.
 * Runs in  any; forked children count on in the same (shared) counter
 *
 *     RUNA_FAULT=[ROLE/]N[:ACTION]       the Nth call
 *     RUNA_FAULT=[ROLE/]NAME:ACTION[:K]  the Kth (1st) call of that name: mount:EPERM,
 *                                        init/openat2:EAGAIN:3
 *         ROLE    parent, init, ...: only that role's calls count. Roles run side by side: with a
 *                 role the count is the same each time
 *         ACTION  an errno, as a number or a name such as EPERM (EIO when absent): the call fails
 *                 with it. KILL: the process dies of SIGKILL before the call
 *     RUNA_FAULT_LOG=PATH                a file of 256-byte records, each one line and NULs:
 *                                        "N name role", "!" when it was made fail, and the calling
 *                                        places, inner ones first, as offsets in the program for
 *                                        addr2line -i: tr -d '\0' <PATH. It is mapped, and so
 *                                        works after pivot_root
 *
 *          An order is carried out once: a program that executes itself again has none left, and no
 *          log. Without an order carried out the log begins anew then.
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
