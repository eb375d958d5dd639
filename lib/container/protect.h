/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The first things that the program does, before it opens or reads anything: standard streams that are open,
 *          no inherited handlers, no foreign descriptor that would outlive an exec, a binary that no container can
 *          write to.
 * Runs in  parent
 * Fails    the program must end: nothing has happened yet
 */
#pragma once

struct error;

/* 0-2 open (on /dev/null where the caller closed them), signals at their defaults. -errno; there is no log yet to say
 * more. */
int protect_stdio(void);
/* Executes the program again from a copy that cannot be written (CVE-2019-5736), unless it runs from one already.
 * Returns only then, or with an error. */
int protect_self_exe(char *const *argv, struct error *err);
/* After those, before anything is opened: *ret_n descriptors from 3 on, without a gap, were handed over by the caller;
 * they and all others become close-on-exec. */
int protect_inherited_fds(unsigned *ret_n);
