/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The system calls that runa-unpack may make, as an allow-list: anything else ends the process. Built with
 *          libseccomp.
 * Runs in  runa-unpack, before it reads a byte
 * Fails    negative with err
 * Source   seccomp(2), seccomp_rule_add(3)
 */
#pragma once
#include <stdbool.h>

struct error;

/* has_tree: may make files too. */
int unpack_filter_apply(bool has_tree, struct error *err);
