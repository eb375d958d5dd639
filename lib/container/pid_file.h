/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  --pid-file: the number alone, replaced as a whole, so that whoever waits for it never reads half of it.
 * Runs in  parent
 */
#pragma once
#include <sys/types.h>

struct error;

int pid_file_write(const char *path, pid_t pid, struct error *err);
