/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Which file process.args[0] is: as execvp(3) would find it, before anything runs, with a text that engines
 *          turn into 126 (found, not executable) or 127 (not found).
 * Runs in  init, in its root and working directory, with the payload's ids
 * Trusts   nothing: the answer is only for the message and the path of the execve to come, no right depends on it
 */
#pragma once

struct arena;
struct error;

/* path: the value of PATH in process.env, NULL or "" when absent. Fails with ENOENT or EACCES. */
int executable_find(struct arena *arena, const char *name, const char *path, const char **ret, struct error *err);
