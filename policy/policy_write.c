/* SPDX-License-Identifier: Apache-2.0 */
/* A policy as text, in the order of policy_key_table. */
#include "policy_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "json_write.h"
#include "policy_doc.h"

static void string_put(struct buf *out, const char *text)
{
    struct json_writer w = JSON_WRITER_INIT(out, 0);

    json_put_str(&w, NULL, text);
}

/* In the largest unit that is exact. */
static void size_put(struct buf *out, uint64_t bytes)
{
    static const char *const units[] = { "", "KiB", "MiB", "GiB", "TiB" };
    size_t unit = 0;

    while (unit + 1 < sizeof(units) / sizeof(units[0]) && bytes % 1024 == 0 && bytes > 0) {
        bytes /= 1024;
        unit++;
    }
    buf_printf(out, "\"%" PRIu64 "%s\"", bytes, units[unit]);
}

static void cpus_put(struct buf *out, uint64_t millicpus)
{
    unsigned part = (unsigned)(millicpus % 1000);
    int n_digits = 3;

    buf_printf(out, "%" PRIu64, millicpus / 1000);
    if (part == 0)
        return;
    for (; part % 10 == 0; n_digits--)
        part /= 10;
    buf_printf(out, ".%0*u", n_digits, part);
}

static void list_put(struct buf *out, const struct policy_value *value, bool is_text)
{
    buf_putc(out, '[');
    for (size_t i = 0; i < value->n_items; i++) {
        if (i > 0)
            buf_puts(out, ", ");
        if (is_text)
            string_put(out, value->items[i].text);
        else
            buf_puts(out, value->items[i].text); /* a rule: JSON already */
    }
    buf_putc(out, ']');
}

void policy_number_put(struct buf *out, enum policy_kind kind, uint64_t number)
{
    if (number == POLICY_UNLIMITED)
        buf_puts(out, "\"unlimited\"");
    else if (kind == POLICY_BYTES)
        size_put(out, number);
    else if (kind == POLICY_CPUS)
        cpus_put(out, number);
    else
        buf_printf(out, "%" PRIu64, number);
}

static void value_put(
    struct buf *out, const struct policy_key_row *row, const struct policy_value *value)
{
    switch (row->kind) {
    case POLICY_WORD:
        string_put(out, row->words[value->number]);
        break;
    case POLICY_TRUE:
        buf_puts(out, value->number ? "true" : "false");
        break;
    case POLICY_BYTES:
    case POLICY_COUNT:
    case POLICY_CPUS:
    case POLICY_SECONDS:
        policy_number_put(out, row->kind, value->number);
        break;
    case POLICY_GRANTS:
    case POLICY_DENIALS:
        list_put(out, value, true);
        break;
    case POLICY_ALLOWED:
    case POLICY_REFUSED:
        list_put(out, value, false);
        break;
    case POLICY_LABEL:
        string_put(out, value->text);
        break;
    default:
        abort();
    }
}

/* A line's comment: one line, whatever the file is called. */
static void origin_put(struct buf *out, const struct policy_origin *origin)
{
    buf_puts(out, " // ");
    buf_put_plain(out, origin->file, strlen(origin->file));
    if (origin->line > 0)
        buf_printf(out, ":%" PRIu32, origin->line);
}

void policy_write(const struct policy *policy, bool want_origins, struct buf *out)
{
    const char *section = "";

    buf_printf(out, "{\n  \"version\": %d", POLICY_VERSION);
    if (policy->extends) {
        buf_puts(out, ",\n  \"extends\": ");
        string_put(out, policy->extends);
    }
    for (size_t key = 0; key < POLICY_KEYS; key++) {
        const struct policy_key_row *row = &policy_key_table[key];
        const struct policy_value *value = &policy->values[key];
        if (!value->origin.file)
            continue;
        if (strcmp(section, row->section) != 0) {
            buf_printf(out, "%s,\n  \"%s\": {", *section ? "\n  }" : "", row->section);
            section = row->section;
        }
        buf_printf(out, "\n    \"%s\": ", row->name);
        value_put(out, row, value);
        buf_putc(out, ',');
        if (want_origins)
            origin_put(out, &value->origin);
    }
    buf_printf(out, "%s\n}\n", *section ? "\n  }" : "");
}
