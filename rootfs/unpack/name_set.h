/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Which names a layer has made itself: a set of (directory's inode, name), so that its whiteouts take away
 *          only what lies below it.
 * Runs in  runa-unpack
 * Trusts   names are hostile: two of them may share a hash (64 bit), which can only hide a whiteout of the same image
 * Owns     its table
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_set {
    uint64_t *slots; /* 0: free */
    size_t n;
    size_t size; /* a power of two, or 0 */
};

#define NAME_SET_INIT                                                                              \
    {                                                                                              \
        0                                                                                          \
    }

void name_set_done(struct name_set *set);
void name_set_add(struct name_set *set, uint64_t directory, const char *name);
bool name_set_has(const struct name_set *set, uint64_t directory, const char *name);
