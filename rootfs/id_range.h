/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  One range of 65536 host ids for each sandbox (and each unpacking), disjoint from all others that are in use
 *          and from those that /etc/subuid and /etc/subgid give to people. A locked file keeps who has which.
 * Runs in  parent
 * Trusts   owner names are container ids that were checked; the registry is root's own and read strictly
 * Units    ids of the host
 * Fails    -ENOSPC no range is free. A range whose owner was killed stays taken until released or the next boot.
 * Source   systemd UIDS-GIDS.md: container ranges start at multiples of 65536, 524288 to 1879048191
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct error;

#define ID_RANGE_SIZE     65536U
#define ID_RANGE_FIRST    524288U
#define ID_RANGE_END      1879048192U /* the first id behind the last range */
#define ID_RANGE_MAP_SIZE 32          /* of the text that id_range_map writes */

/* dirfd: the data directory (image_store.dir). An owner that has a range gets the same again. */
int id_range_take(int dirfd, const char *owner, uint32_t *ret_first, struct error *err);
/* 0 too when it had none. */
int id_range_release(int dirfd, const char *owner, struct error *err);
/* "0 FIRST 65536\n", for uid_map and gid_map. */
void id_range_map(uint32_t first, char ret[ID_RANGE_MAP_SIZE]);

/* --- pure parts --- */
struct id_range_entry {
    uint32_t first;
    uint32_t n_ids; /* ID_RANGE_SIZE in the registry, anything in subuid */
    const char *owner;
};

struct id_range_list {
    struct id_range_entry *items;
    size_t n;
    size_t size;
};

#define ID_RANGE_ENTRIES_MAX 32768

/* The registry: a line "boot ID", then "FIRST OWNER" lines. Entries of another boot are dropped. */
int id_range_registry_parse(struct arena *arena, const char *text, size_t len, const char *boot_id,
    struct id_range_list *ret, struct error *err);
/* NAME:FIRST:COUNT lines of subuid(5); lines that are not are skipped. */
void id_range_subid_parse(
    struct arena *arena, const char *text, size_t len, struct id_range_list *ret);
/* The lowest multiple of 65536 in [ID_RANGE_FIRST, ID_RANGE_END) whose range overlaps none. 0 when there is none. */
uint32_t id_range_choose(const struct id_range_list *in_use);
