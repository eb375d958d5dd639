/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tar files as a test wants them, also such as no tar program writes. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"

#define TAR_WRITER_BLOCK 512

struct tar_item {
    const char *name;
    char type;     /* 0: '0' */
    unsigned mode; /* 0: 0644 */
    unsigned uid;
    unsigned gid;
    unsigned long mtime;
    const char *link;
    const void *data;
    size_t len;
    const char *size_field; /* raw, instead of len */
    unsigned major;
    unsigned minor;
    bool has_bad_checksum;
};

static inline void tar_pad(struct buf *out)
{
    while (out->len % TAR_WRITER_BLOCK != 0)
        buf_putc(out, '\0');
}

static inline void tar_sum(char *block)
{
    unsigned sum = 0;
    memset(block + 148, ' ', 8);
    for (int i = 0; i < TAR_WRITER_BLOCK; i++)
        sum += (unsigned char)block[i];
    (void)snprintf(block + 148, 8, "%06o", sum & 0777777);
}

static inline void tar_field(char *at, size_t size, const char *text)
{
    size_t len = strlen(text);
    memcpy(at, text, len < size ? len : size);
}

static inline void tar_header(struct buf *out, const struct tar_item *item)
{
    char block[TAR_WRITER_BLOCK] = { 0 };
    char number[32];
    tar_field(block, 100, item->name);
    (void)snprintf(number, sizeof(number), "%07o", item->mode != 0 ? item->mode : 0644);
    tar_field(block + 100, 8, number);
    (void)snprintf(number, sizeof(number), "%07o", item->uid);
    tar_field(block + 108, 8, number);
    (void)snprintf(number, sizeof(number), "%07o", item->gid);
    tar_field(block + 116, 8, number);
    (void)snprintf(number, sizeof(number), "%011llo", (unsigned long long)item->len);
    tar_field(block + 124, 12, item->size_field != NULL ? item->size_field : number);
    (void)snprintf(number, sizeof(number), "%011lo", item->mtime);
    tar_field(block + 136, 12, number);
    block[156] = item->type != 0 ? item->type : '0';
    if (item->link != NULL)
        tar_field(block + 157, 100, item->link);
    memcpy(block + 257, "ustar\00000", 8);
    (void)snprintf(number, sizeof(number), "%07o", item->major);
    tar_field(block + 329, 8, number);
    (void)snprintf(number, sizeof(number), "%07o", item->minor);
    tar_field(block + 337, 8, number);
    tar_sum(block);
    if (item->has_bad_checksum)
        block[150]++;
    buf_add(out, block, sizeof(block));
}

static inline void tar_add(struct buf *out, const struct tar_item *item)
{
    tar_header(out, item);
    if (item->len > 0 && item->data != NULL)
        buf_add(out, item->data, item->len);
    tar_pad(out);
}

static inline void tar_end(struct buf *out)
{
    static const char zero[2 * TAR_WRITER_BLOCK];
    buf_add(out, zero, sizeof(zero));
}

static inline void tar_file(struct buf *out, const char *name, const char *text)
{
    tar_add(out, &(struct tar_item){ .name = name, .data = text, .len = strlen(text) });
}

static inline void tar_dir(struct buf *out, const char *name, unsigned mode)
{
    tar_add(out, &(struct tar_item){ .name = name, .type = '5', .mode = mode });
}

static inline void tar_link(struct buf *out, const char *name, char type, const char *target)
{
    tar_add(out, &(struct tar_item){ .name = name, .type = type, .mode = 0777, .link = target });
}

/* One PAX record put into text: "LEN KEY=VALUE\n". */
static inline void pax_record(struct buf *text, const char *key, const void *value, size_t len)
{
    size_t fixed = strlen(key) + len + 3;
    size_t total = fixed + 1;
    for (int i = 0; i < 3; i++) {
        char digits[32];
        total = fixed + (size_t)snprintf(digits, sizeof(digits), "%zu", total);
    }
    buf_printf(text, "%zu %s=", total, key);
    buf_add(text, value, len);
    buf_putc(text, '\n');
}

/* An extension header of the given type with a body. */
static inline void tar_extension(struct buf *out, char type, const void *body, size_t len)
{
    tar_add(out, &(struct tar_item){ .name = "././@ext", .type = type, .data = body, .len = len });
}

static inline void tar_pax(
    struct buf *out, char type, const char *key, const void *value, size_t len)
{
    struct buf text = BUF_INIT;
    pax_record(&text, key, value, len);
    tar_extension(out, type, text.data, text.len);
    buf_done(&text);
}
