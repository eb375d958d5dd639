/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: disjoint id ranges, kept in a locked file. */
#include "id_range.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "alloc.h"
#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "file.h"
#include "parse_num.h"
#include "role.h"

#define REGISTRY      "ids"
#define REGISTRY_LOCK "ids.lock"
#define REGISTRY_MAX  (4U << 20)
#define REGISTRY_MODE 0600
#define SUBID_MAX     (4U << 20)
#define BOOT_ID_SIZE  64
#define OWNER_MAX     255

static void list_add(struct arena *arena, struct id_range_list *list, struct id_range_entry entry)
{
    if (list->n == list->size) {
        size_t size = list->size > 0 ? list->size * 2 : 16;
        struct id_range_entry *items = arena_new_array(arena, size, struct id_range_entry);
        if (list->n > 0)
            memcpy(items, list->items, list->n * sizeof(*items));
        list->items = items;
        list->size = size;
    }
    list->items[list->n++] = entry;
}

/* The next line as an arena string, or NULL at the end. */
static char *line_next(struct arena *arena, const char **at, const char *end)
{
    if (*at >= end)
        return NULL;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    const char *stop = newline != NULL ? newline : end;
    char *line = arena_strndup(arena, *at, (size_t)(stop - *at));
    *at = newline != NULL ? newline + 1 : end;
    return line;
}

static bool owner_is_valid(const char *owner)
{
    size_t len = strlen(owner);
    for (size_t i = 0; i < len; i++)
        if (owner[i] <= ' ' || owner[i] > '~')
            return false;
    return len > 0 && len <= OWNER_MAX;
}

static int registry_line_parse(char *line, struct id_range_entry *ret)
{
    char *blank = strchr(line, ' ');
    if (blank == NULL || !owner_is_valid(blank + 1))
        return -EINVAL;
    *blank = '\0';
    int rc = parse_u32(line, ID_RANGE_END - 1, &ret->first);
    if (rc < 0 || ret->first < ID_RANGE_FIRST || ret->first % ID_RANGE_SIZE != 0)
        return -EINVAL;
    ret->n_ids = ID_RANGE_SIZE;
    ret->owner = blank + 1;
    return 0;
}

int id_range_registry_parse(struct arena *arena, const char *text, size_t len, const char *boot_id,
    struct id_range_list *ret, struct error *err)
{
    struct id_range_list list = { 0 };
    if (memchr(text, '\0', len) != NULL)
        return err_set(err, EINVAL, "%s: NUL in the file", REGISTRY);
    const char *at = text;
    const char *end = text + len;
    const char *boot = line_next(arena, &at, end);
    if (boot == NULL || strncmp(boot, "boot ", 5) != 0)
        return err_set(err, EINVAL, "%s:1: not \"boot ID\"", REGISTRY);
    bool is_of_this_boot = strcmp(boot + 5, boot_id) == 0;
    unsigned number = 1;
    for (char *line; (line = line_next(arena, &at, end)) != NULL;) {
        struct id_range_entry entry;
        if (++number > ID_RANGE_ENTRIES_MAX || registry_line_parse(line, &entry) < 0)
            return err_set(err, EINVAL, "%s:%u: not \"FIRST OWNER\"", REGISTRY, number);
        if (is_of_this_boot)
            list_add(arena, &list, entry);
    }
    *ret = list;
    return 0;
}

void id_range_subid_parse(
    struct arena *arena, const char *text, size_t len, struct id_range_list *ret)
{
    const char *at = text;
    for (char *line;
         (line = line_next(arena, &at, text + len)) != NULL && ret->n < ID_RANGE_ENTRIES_MAX;) {
        char *first = strchr(line, ':');
        char *count = first != NULL ? strchr(first + 1, ':') : NULL;
        if (count == NULL)
            continue;
        *first = '\0';
        *count = '\0';
        struct id_range_entry entry = { .owner = line };
        if (parse_u32(first + 1, UINT32_MAX, &entry.first) == 0 &&
            parse_u32(count + 1, UINT32_MAX, &entry.n_ids) == 0)
            list_add(arena, ret, entry);
    }
}

static bool overlaps(const struct id_range_entry *entry, uint64_t first)
{
    return entry->first < first + ID_RANGE_SIZE && first < (uint64_t)entry->first + entry->n_ids;
}

/* Jumps behind whatever is in the way, so that many users cost no more than their number squared. */
uint32_t id_range_choose(const struct id_range_list *in_use)
{
    uint64_t first = ID_RANGE_FIRST;
    bool is_free;
    do {
        is_free = true;
        for (size_t i = 0; i < in_use->n; i++) {
            if (!overlaps(&in_use->items[i], first))
                continue;
            uint64_t end = (uint64_t)in_use->items[i].first + in_use->items[i].n_ids;
            first = (end + ID_RANGE_SIZE - 1) / ID_RANGE_SIZE * ID_RANGE_SIZE;
            is_free = false;
        }
    } while (!is_free && first < ID_RANGE_END);
    return is_free && first < ID_RANGE_END ? (uint32_t)first : 0;
}

void id_range_map(uint32_t first, char ret[ID_RANGE_MAP_SIZE])
{
    (void)snprintf(ret, ID_RANGE_MAP_SIZE, "0 %u %u\n", first, ID_RANGE_SIZE);
}

/* --- the file --- */

struct registry {
    struct arena arena;
    char boot_id[BOOT_ID_SIZE];
    struct id_range_list list;
};

static int registry_read(int dirfd, struct registry *registry, struct error *err)
{
    ssize_t n = file_read_line(
        AT_FDCWD, "/proc/sys/kernel/random/boot_id", registry->boot_id, BOOT_ID_SIZE);
    if (n <= 0)
        return err_sys(err, n < 0 ? (int)n : -EIO, "read the boot id");
    autofree char *text = NULL;
    size_t len = 0;
    int rc = file_read(dirfd, REGISTRY, REGISTRY_MAX, &text, &len);
    if (rc == -ENOENT)
        return 0;
    if (rc < 0)
        return err_sys(err, rc, "%s: read", REGISTRY);
    return id_range_registry_parse(
        &registry->arena, text, len, registry->boot_id, &registry->list, err);
}

static int registry_write(
    int dirfd, const struct registry *registry, const char *without, struct error *err)
{
    AUTO(buf) struct buf text = BUF_INIT;
    buf_printf(&text, "boot %s\n", registry->boot_id);
    for (size_t i = 0; i < registry->list.n; i++) {
        const struct id_range_entry *entry = &registry->list.items[i];
        if (without == NULL || strcmp(entry->owner, without) != 0)
            buf_printf(&text, "%u %s\n", entry->first, entry->owner);
    }
    if (!buf_ok(&text))
        return err_set(err, EFBIG, "%s: too many ranges", REGISTRY);
    int rc = file_replace(dirfd, REGISTRY, text.data, text.len, REGISTRY_MODE, 0);
    return rc < 0 ? err_sys(err, rc, "%s: write", REGISTRY) : 0;
}

static const struct id_range_entry *entry_of(const struct id_range_list *list, const char *owner)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->items[i].owner, owner) == 0)
            return &list->items[i];
    return NULL;
}

/* What people got in /etc/sub?id counts as in use. A file that is not there gives nobody anything. */
static int subids_add(struct arena *arena, struct id_range_list *list, struct error *err)
{
    static const char *const paths[] = { "/etc/subuid", "/etc/subgid" };
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        autofree char *text = NULL;
        size_t len = 0;
        int rc = file_read(AT_FDCWD, paths[i], SUBID_MAX, &text, &len);
        if (rc == -ENOENT)
            continue;
        if (rc < 0)
            return err_sys(err, rc, "%s: read", paths[i]);
        id_range_subid_parse(arena, text, len, list);
    }
    return 0;
}

static int registry_take(
    int dirfd, struct registry *registry, const char *owner, uint32_t *ret_first, struct error *err)
{
    int rc = registry_read(dirfd, registry, err);
    if (rc < 0)
        return rc;
    const struct id_range_entry *old = entry_of(&registry->list, owner);
    if (old != NULL) {
        *ret_first = old->first;
        return 0;
    }
    struct id_range_list in_use = { 0 };
    for (size_t i = 0; i < registry->list.n; i++)
        list_add(&registry->arena, &in_use, registry->list.items[i]);
    rc = subids_add(&registry->arena, &in_use, err);
    if (rc < 0)
        return rc;
    struct id_range_entry entry = {
        .first = id_range_choose(&in_use), .n_ids = ID_RANGE_SIZE, .owner = owner
    };
    if (entry.first == 0 || registry->list.n + 2 > ID_RANGE_ENTRIES_MAX)
        return err_set(err, ENOSPC, "no range of %u ids is free", ID_RANGE_SIZE);
    list_add(&registry->arena, &registry->list, entry);
    rc = registry_write(dirfd, registry, NULL, err);
    if (rc == 0)
        *ret_first = entry.first;
    return rc;
}

int id_range_take(int dirfd, const char *owner, uint32_t *ret_first, struct error *err)
{
    role_require(ROLE_PARENT);
    if (!owner_is_valid(owner))
        return err_set(err, EINVAL, "id range: owner without a plain name");
    autoclose int lock = file_lock(dirfd, REGISTRY_LOCK, 1);
    if (lock < 0)
        return err_sys(err, lock, "%s: lock", REGISTRY_LOCK);
    struct registry registry = { .arena = ARENA_INIT };
    int rc = registry_take(dirfd, &registry, owner, ret_first, err);
    arena_done(&registry.arena);
    return rc;
}

int id_range_release(int dirfd, const char *owner, struct error *err)
{
    role_require(ROLE_PARENT);
    autoclose int lock = file_lock(dirfd, REGISTRY_LOCK, 1);
    if (lock < 0)
        return err_sys(err, lock, "%s: lock", REGISTRY_LOCK);
    struct registry registry = { .arena = ARENA_INIT };
    int rc = registry_read(dirfd, &registry, err);
    if (rc == 0 && entry_of(&registry.list, owner) != NULL)
        rc = registry_write(dirfd, &registry, owner, err);
    arena_done(&registry.arena);
    return rc;
}
