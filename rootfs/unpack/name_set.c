/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: an open-addressing set of hashes. */
#include "name_set.h"

#include <stdlib.h>

#include "alloc.h"
#include "cleanup.h"

#define SIZE_FIRST 1024U

/* FNV-1a, the inode's bytes first, then mixed once more as FNV's low bits are weak. */
static uint64_t hash(uint64_t directory, const char *name)
{
    uint64_t h = 0xcbf29ce484222325U;
    for (unsigned i = 0; i < 8; i++)
        h = (h ^ ((directory >> (8 * i)) & 0xff)) * 0x100000001b3U;
    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * 0x100000001b3U;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93U;
    h ^= h >> 32;
    return h != 0 ? h : 1;
}

static void slot_set(uint64_t *slots, size_t size, uint64_t h)
{
    size_t at = (size_t)h & (size - 1);
    while (slots[at] != 0 && slots[at] != h)
        at = (at + 1) & (size - 1);
    slots[at] = h;
}

static void grow(struct name_set *set)
{
    size_t size = set->size > 0 ? set->size * 2 : SIZE_FIRST;
    uint64_t *slots = xcalloc(size, sizeof(*slots));
    for (size_t i = 0; i < set->size; i++)
        if (set->slots[i] != 0)
            slot_set(slots, size, set->slots[i]);
    free(set->slots);
    set->slots = slots;
    set->size = size;
}

void name_set_add(struct name_set *set, uint64_t directory, const char *name)
{
    if ((set->n + 1) * 2 > set->size)
        grow(set);
    slot_set(set->slots, set->size, hash(directory, name));
    set->n++;
}

bool name_set_has(const struct name_set *set, uint64_t directory, const char *name)
{
    if (set->size == 0)
        return false;
    uint64_t h = hash(directory, name);
    for (size_t at = (size_t)h & (set->size - 1); set->slots[at] != 0;
         at = (at + 1) & (set->size - 1))
        if (set->slots[at] == h)
            return true;
    return false;
}

void name_set_done(struct name_set *set)
{
    free(take_ptr(&set->slots));
    set->n = 0;
    set->size = 0;
}
