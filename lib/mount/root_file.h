/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  A small file that the runtime itself brings into a root of its own making: a sandbox's /etc/hosts.
 * Runs in  any (pure)
 */
#pragma once

struct root_file {
    const char *path; /* absolute, inside */
    const char *text;
};
