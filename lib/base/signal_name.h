/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Signals by name or number, as kill(1) and engines write them: 9, KILL, SIGKILL, RTMIN+1.
 * Runs in  any (pure)
 */
#pragma once

/* 0 to SIGRTMAX, or -EINVAL. Case does not matter. */
int signal_parse(const char *word);
/* "SIGKILL"; NULL for numbers without a name. */
const char *signal_name(int signal);
