/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Built programs by the digest of what they are built from, as files, so that a start costs one read and does
 *          not touch libseccomp.
 * Runs in  parent
 * Trusts   the directory only when it is the caller's own and nobody else may write to it; a file in it only when it is
 *          a regular one of the same owner and its contents have the digest in its head. Anything else is rebuilt.
 * Owns     the program lives in the arena; cache_dir is borrowed
 * Fails    as syscall_filter_build; trouble with the cache itself never fails
 */
#pragma once

struct arena;
struct error;
struct syscall_filter;
struct syscall_filter_plan;

/* cache_dir: a directory fd (ROOT/.cache, 0700), or -1 for none. */
int syscall_filter_get(struct arena *arena, int cache_dir, const struct syscall_filter_plan *plan,
    struct syscall_filter *ret, struct error *err);
