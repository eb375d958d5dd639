/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: a strict walk over tar headers; see the header for why there is one beside libarchive. */
#include "tar_guard_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "cleanup.h"
#include "err.h"
#include "unpack_order.h"

#define PAX_SIZE_HEADER_MAX                                                                        \
    (8ULL << 30) /* what the header's own size field can hold: below it both must agree */

/* Offsets and lengths in a header block. */
enum {
    LEN_NAME = 100, /* and of the link's target */
    AT_SIZE = 124,
    LEN_SIZE = 12,
    AT_CHECKSUM = 148,
    LEN_CHECKSUM = 8,
    AT_TYPE = 156,
    AT_LINK = 157,
    AT_MAGIC = 257,
    AT_PREFIX = 345,
    LEN_PREFIX = 155,
    AT_SPARSE_EXTENDED = 482,      /* of a GNU header */
    AT_SPARSE_EXTENDED_MORE = 504, /* of the blocks behind it */
};

static int refuse(const struct tar_guard *g, struct error *err, const char *what)
{
    return err_set(err, EINVAL, "tar: %s (at byte %llu)", what, (unsigned long long)g->offset);
}

static int base256_parse(const uint8_t *field, size_t len, uint64_t *ret)
{
    uint64_t value = field[0] & 0x3f;
    if ((field[0] & 0x40) != 0)
        return -EINVAL; /* negative */
    for (size_t i = 1; i < len; i++) {
        if (value >> 56 != 0)
            return -ERANGE;
        value = value << 8 | field[i];
    }
    *ret = value;
    return 0;
}

/* Blanks, octal digits, then only NUL and blanks. An empty field is 0, as old writers leave it. */
static int number_parse(const uint8_t *field, size_t len, uint64_t *ret)
{
    if ((field[0] & 0x80) != 0)
        return base256_parse(field, len, ret);
    size_t i = 0;
    while (i < len && field[i] == ' ')
        i++;
    uint64_t value = 0;
    for (; i < len && field[i] >= '0' && field[i] <= '7'; i++)
        value = value * 8 + (uint64_t)(field[i] - '0'); /* 12 digits fit */
    for (; i < len; i++)
        if (field[i] != '\0' && field[i] != ' ')
            return -EINVAL;
    *ret = value;
    return 0;
}

static bool block_is_zero(const uint8_t block[TAR_BLOCK])
{
    for (size_t i = 0; i < TAR_BLOCK; i++)
        if (block[i] != 0)
            return false;
    return true;
}

/* Sums of unsigned or, by some old writers, signed bytes, the field itself as blanks. */
static bool checksum_is_right(const uint8_t block[TAR_BLOCK])
{
    uint64_t wanted;
    if (number_parse(block + AT_CHECKSUM, LEN_CHECKSUM, &wanted) < 0)
        return false;
    int64_t sum_unsigned = 0;
    int64_t sum_signed = 0;
    for (size_t i = 0; i < TAR_BLOCK; i++) {
        bool is_field = i >= AT_CHECKSUM && i < AT_CHECKSUM + LEN_CHECKSUM;
        uint8_t byte = is_field ? ' ' : block[i];
        sum_unsigned += byte;
        sum_signed += (int8_t)byte;
    }
    return (int64_t)wanted == sum_unsigned || (int64_t)wanted == sum_signed;
}

static uint64_t padded(uint64_t size)
{
    return (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
}

static void entry_forget(struct tar_guard *g)
{
    g->has_pax = false;
    g->has_pax_size = false;
    g->has_long_name = false;
    g->has_long_link = false;
    g->pax_size = 0;
    free(take_ptr(&g->pax_path));
    free(take_ptr(&g->pax_link));
    free(take_ptr(&g->sparse_path));
    free(take_ptr(&g->long_name));
    free(take_ptr(&g->long_link));
}

static char *bytes_dup(const void *data, size_t len)
{
    char *copy = xmalloc(len + 1);
    memcpy(copy, data, len);
    copy[len] = '\0';
    return copy;
}

/* --- entries for the reader --- */

struct tar_guard_entry *tar_guard_entry_free(struct tar_guard_entry *entry)
{
    if (entry == NULL)
        return NULL;
    free(entry->path);
    free(entry->link);
    free(entry);
    return NULL;
}

struct tar_guard_entry *tar_guard_take(struct tar_guard *g)
{
    struct tar_guard_entry *entry = g->first;
    if (entry == NULL)
        return NULL;
    g->first = entry->next;
    if (g->first == NULL)
        g->last = NULL;
    return entry;
}

/* The header's own name: in ustar with a prefix, in GNU's and the oldest form without. */
static char *header_name(const struct tar_guard *g)
{
    const char *block = (const char *)g->block;
    size_t len = strnlen(block, LEN_NAME);
    bool is_ustar =
        memcmp(block + AT_MAGIC, "ustar", 5) == 0 && memcmp(block + AT_MAGIC, "ustar  ", 8) != 0;
    size_t prefix_len = is_ustar ? strnlen(block + AT_PREFIX, LEN_PREFIX) : 0;
    char *name = xmalloc(prefix_len + len + 2);
    size_t at = 0;
    if (prefix_len > 0) {
        memcpy(name, block + AT_PREFIX, prefix_len);
        at = prefix_len;
        if (name[at - 1] != '/')
            name[at++] = '/';
    }
    memcpy(name + at, block, len);
    name[at + len] = '\0';
    return name;
}

static void entry_add(struct tar_guard *g)
{
    struct tar_guard_entry *entry = xcalloc(1, sizeof(*entry));
    entry->path = g->sparse_path != NULL ? take_ptr(&g->sparse_path)
                  : g->pax_path != NULL  ? take_ptr(&g->pax_path)
                  : g->long_name != NULL ? take_ptr(&g->long_name)
                                         : header_name(g);
    if (g->block[AT_TYPE] == '1' || g->block[AT_TYPE] == '2')
        entry->link = g->pax_link != NULL    ? take_ptr(&g->pax_link)
                      : g->long_link != NULL ? take_ptr(&g->long_link)
                                             : bytes_dup(g->block + AT_LINK,
                                                   strnlen((char *)g->block + AT_LINK, LEN_NAME));
    *(g->last != NULL ? g->last : &g->first) = entry;
    g->last = &entry->next;
}

/* --- PAX --- */

struct pax_record {
    const char *key;
    size_t key_len;
    const char *value;
    size_t value_len;
};

/* "LEN KEY=VALUE\n" at text; the record's length, or -EINVAL. */
static int64_t pax_record_parse(const char *text, size_t len, struct pax_record *ret)
{
    size_t n = 0;
    size_t i = 0;
    for (; i < len && i < 9 && text[i] >= '0' && text[i] <= '9'; i++)
        n = n * 10 + (size_t)(text[i] - '0');
    if (i == 0 || i >= len || text[i] != ' ' || n > len || n < i + 4 || text[n - 1] != '\n')
        return -EINVAL;
    ret->key = text + i + 1;
    const char *equals = memchr(ret->key, '=', n - i - 2);
    if (equals == NULL || equals == ret->key)
        return -EINVAL;
    ret->key_len = (size_t)(equals - ret->key);
    ret->value = equals + 1;
    ret->value_len = (size_t)(text + n - 1 - ret->value);
    return (int64_t)n;
}

static bool key_is(const struct pax_record *r, const char *key)
{
    return strlen(key) == r->key_len && memcmp(r->key, key, r->key_len) == 0;
}

static bool key_starts(const struct pax_record *r, const char *prefix)
{
    return strlen(prefix) <= r->key_len && memcmp(r->key, prefix, strlen(prefix)) == 0;
}

static int pax_size_parse(struct tar_guard *g, const struct pax_record *r, struct error *err)
{
    if (g->has_pax_size)
        return refuse(g, err, "two PAX sizes");
    if (r->value_len == 0 || r->value_len > 18)
        return refuse(g, err, "PAX size is no number");
    uint64_t value = 0;
    for (size_t i = 0; i < r->value_len; i++) {
        if (r->value[i] < '0' || r->value[i] > '9')
            return refuse(g, err, "PAX size is no number");
        value = value * 10 + (uint64_t)(r->value[i] - '0');
    }
    g->has_pax_size = true;
    g->pax_size = value;
    return 0;
}

static int pax_record_check(struct tar_guard *g, const struct pax_record *r, struct error *err)
{
    if (memchr(r->key, '\0', r->key_len) != NULL)
        return refuse(g, err, "NUL in a PAX key");
    bool is_binary = key_starts(r, "SCHILY.xattr.") || key_starts(r, "LIBARCHIVE.xattr.");
    if (!is_binary && memchr(r->value, '\0', r->value_len) != NULL)
        return refuse(g, err, "NUL in a PAX value");
    if (g->type == 'g')
        return key_is(r, "comment") ? 0
                                    : refuse(g, err, "a global PAX header that changes entries");
    if (key_is(r, "size"))
        return pax_size_parse(g, r, err);
    char **place = key_is(r, "path")              ? &g->pax_path
                   : key_is(r, "linkpath")        ? &g->pax_link
                   : key_is(r, "GNU.sparse.name") ? &g->sparse_path
                                                  : NULL;
    if (place == NULL)
        return 0;
    if (*place != NULL || r->value_len == 0)
        return refuse(g, err, "two PAX names of one kind, or an empty one");
    *place = bytes_dup(r->value, r->value_len);
    return 0;
}

static int pax_parse(struct tar_guard *g, struct error *err)
{
    for (size_t at = 0; at < g->extension_len;) {
        struct pax_record record;
        int64_t n = pax_record_parse(g->extension + at, g->extension_len - at, &record);
        if (n < 0)
            return refuse(g, err, "a malformed PAX record");
        int rc = pax_record_check(g, &record, err);
        if (rc < 0)
            return rc;
        at += (size_t)n;
    }
    return 0;
}

/* --- blocks --- */

static int long_name_take(struct tar_guard *g, struct error *err)
{
    const char *nul = memchr(g->extension, '\0', g->extension_len);
    if (nul == g->extension)
        return refuse(g, err, "an empty long name");
    for (const char *p = nul; p != NULL && p < g->extension + g->extension_len; p++)
        if (*p != '\0')
            return refuse(g, err, "NUL within a long name");
    char **place = g->type == 'L' ? &g->long_name : &g->long_link;
    *place = bytes_dup(g->extension, strnlen(g->extension, g->extension_len));
    return 0;
}

static int extension_end(struct tar_guard *g, struct error *err)
{
    int rc = g->type == 'x' || g->type == 'g' ? pax_parse(g, err) : long_name_take(g, err);
    if (rc < 0)
        return rc;
    g->state = TAR_GUARD_HEADER;
    free(take_ptr(&g->extension));
    return 0;
}

static int extension_begin(struct tar_guard *g, uint64_t size, struct error *err)
{
    bool *seen = g->type == 'x'   ? &g->has_pax
                 : g->type == 'L' ? &g->has_long_name
                                  : &g->has_long_link;
    if (g->type != 'g') {
        if (*seen)
            return refuse(g, err, "two extensions of one kind for one entry");
        *seen = true;
    }
    if (size == 0 || size > UNPACK_EXTENSION_MAX)
        return refuse(g, err, "an empty extension header, or one that is too long");
    g->extension = xmalloc((size_t)size + 1);
    g->extension[size] = '\0';
    g->extension_len = (size_t)size;
    g->n_extension = 0;
    g->left = padded(size);
    g->state = TAR_GUARD_EXTENSION;
    return 0;
}

/* The size that counts: the header's, or PAX's where the header cannot hold it. */
static int entry_size(
    const struct tar_guard *g, uint64_t header_size, uint64_t *ret, struct error *err)
{
    *ret = header_size;
    if (g->has_pax_size && g->pax_size != header_size) {
        if (header_size != 0 || g->pax_size < PAX_SIZE_HEADER_MAX)
            return refuse(g, err, "the PAX size is not the header's");
        *ret = g->pax_size;
    }
    return *ret > UNPACK_BYTES_MAX ? refuse(g, err, "an entry that is too large") : 0;
}

static int entry_begin(struct tar_guard *g, uint64_t header_size, struct error *err)
{
    uint64_t size;
    int rc = entry_size(g, header_size, &size, err);
    if (rc < 0)
        return rc;
    if (++g->n_entries > UNPACK_ENTRIES_MAX)
        return refuse(g, err, "too many entries");
    if ((g->long_name != NULL && g->pax_path != NULL) ||
        (g->long_link != NULL && g->pax_link != NULL))
        return refuse(g, err, "two names for one entry");
    bool is_file = g->block[AT_TYPE] == '0' || g->block[AT_TYPE] == '\0' ||
                   g->block[AT_TYPE] == '7' || g->block[AT_TYPE] == 'S';
    if (!is_file && size != 0)
        return refuse(g, err, "a body where only files have one");
    g->left = padded(size);
    g->state = g->left > 0 ? TAR_GUARD_BODY : TAR_GUARD_HEADER;
    if (g->block[AT_TYPE] == 'S' && g->block[AT_SPARSE_EXTENDED] != 0)
        g->state = TAR_GUARD_SPARSE;
    entry_add(g);
    entry_forget(g);
    return 0;
}

static int header_take(struct tar_guard *g, struct error *err)
{
    if (block_is_zero(g->block)) {
        g->state = g->state == TAR_GUARD_ZERO ? TAR_GUARD_END : TAR_GUARD_ZERO;
        return g->has_pax || g->has_long_name || g->has_long_link
                   ? refuse(g, err, "an extension without its entry")
                   : 0;
    }
    if (g->state == TAR_GUARD_ZERO)
        return refuse(g, err, "an entry behind the end");
    if (!checksum_is_right(g->block))
        return refuse(g, err, "a header whose checksum is wrong");
    uint64_t size;
    if (number_parse(g->block + AT_SIZE, LEN_SIZE, &size) < 0)
        return refuse(g, err, "a size that is no number");
    g->type = (char)g->block[AT_TYPE];
    switch (g->type) {
    case 'x':
    case 'g':
    case 'L':
    case 'K':
        return extension_begin(g, size, err);
    case '\0':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case 'S':
        return entry_begin(g, size, err);
    default:
        return refuse(g, err, "an entry of unknown type");
    }
}

static int block_take(struct tar_guard *g, struct error *err)
{
    if (g->state != TAR_GUARD_SPARSE)
        return header_take(g, err);
    if (g->block[AT_SPARSE_EXTENDED_MORE] == 0)
        g->state = g->left > 0 ? TAR_GUARD_BODY : TAR_GUARD_HEADER;
    return 0;
}

/* Passes over body or extension bytes. Returns how many of len. */
static size_t bytes_pass(struct tar_guard *g, const uint8_t *data, size_t len)
{
    size_t n = g->left < len ? (size_t)g->left : len;
    if (g->state == TAR_GUARD_EXTENSION && g->n_extension < g->extension_len) {
        size_t room = g->extension_len - g->n_extension;
        size_t take = n < room ? n : room;
        memcpy(g->extension + g->n_extension, data, take);
        g->n_extension += take;
    }
    g->left -= n;
    return n;
}

int tar_guard_feed(struct tar_guard *g, const void *data, size_t len, struct error *err)
{
    const uint8_t *at = data;
    while (len > 0 && g->state != TAR_GUARD_END) {
        size_t n;
        int rc = 0;
        if (g->state == TAR_GUARD_BODY || g->state == TAR_GUARD_EXTENSION) {
            n = bytes_pass(g, at, len);
            if (g->left == 0 && g->state == TAR_GUARD_BODY)
                g->state = TAR_GUARD_HEADER;
            else if (g->left == 0)
                rc = extension_end(g, err);
        } else {
            n = TAR_BLOCK - g->n_block < len ? TAR_BLOCK - g->n_block : len;
            memcpy(g->block + g->n_block, at, n);
            g->n_block += n;
            if (g->n_block == TAR_BLOCK) {
                g->n_block = 0;
                rc = block_take(g, err);
            }
        }
        if (rc < 0)
            return rc;
        g->offset += n;
        at += n;
        len -= n;
    }
    return 0;
}

int tar_guard_end(const struct tar_guard *g, struct error *err)
{
    bool is_between = g->state == TAR_GUARD_HEADER && g->n_block == 0 && !g->has_pax &&
                      !g->has_long_name && !g->has_long_link && g->n_entries > 0;
    if (is_between || g->state == TAR_GUARD_ZERO || g->state == TAR_GUARD_END)
        return 0;
    return err_set(err, EINVAL, "tar: it ends within an entry, after byte %llu",
        (unsigned long long)g->offset);
}

void tar_guard_done(struct tar_guard *g)
{
    free(take_ptr(&g->extension));
    entry_forget(g);
    for (struct tar_guard_entry *entry; (entry = tar_guard_take(g)) != NULL;)
        (void)tar_guard_entry_free(entry);
}
