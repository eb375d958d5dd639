/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Lexical form of a path inside the container, for comparisons and messages. What is really met there is for
 *          the kernel to resolve (root.h).
 * Runs in  any (pure)
 */
#pragma once
#include <stdbool.h>

struct arena;

/* Absolute, without "//", "." and a slash at the end; ".." goes up lexically and stops at "/". */
const char *mount_path_clean(struct arena *arena, const char *path);
/* path equals dir or lies below it; both clean. */
bool mount_path_is_within(const char *path, const char *dir);
