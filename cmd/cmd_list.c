/* SPDX-License-Identifier: Apache-2.0 */
/* state and list: what the containers of this root are doing. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "command.h"
#include "err.h"
#include "json_write.h"
#include "lifecycle.h"
#include "oci_state.h"
#include "strv.h"

int cmd_state(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    struct error err = ERR_INIT;
    struct oci_state state;
    int first;
    int status;
    const struct arg_option table[] = { { 0 } };

    if (!command_options(self, table, argc, argv, 1, 1, &first, &status))
        return status;
    AUTO(container) struct container c = CONTAINER_INIT;
    if (container_get(&c, context->root, argv[first], &err) < 0 || lifecycle_state(&c, &state, &err) < 0)
        return command_fail(&err);
    AUTO(buf) struct buf text = BUF_INIT;
    struct json_writer w = JSON_WRITER_INIT(&text, 2);
    oci_state_put(&w, NULL, &state);
    printf("%s\n", buf_str(&text));
    return EXIT_SUCCESS;
}

enum list_format { LIST_TABLE, LIST_JSON, LIST_QUIET };

struct list_row {
    struct container container;
    struct oci_state state;
};

/* A column as wide as its widest cell, three blanks between, as engines and people know it from runc. */
static void table_print(const struct list_row *rows, size_t n, struct buf *out)
{
    int id_width = 2;
    int bundle_width = 6;

    for (size_t i = 0; i < n; i++) {
        int id_len = (int)strlen(rows[i].state.id);
        int bundle_len = (int)strlen(rows[i].state.bundle);
        id_width = id_len > id_width ? id_len : id_width;
        bundle_width = bundle_len > bundle_width ? bundle_len : bundle_width;
    }
    buf_printf(out, "%-*s   %-10s   %-10s   %-*s   %-30s   %s\n", id_width, "ID", "PID", "STATUS", bundle_width,
        "BUNDLE", "CREATED", "OWNER");
    for (size_t i = 0; i < n; i++) {
        const struct oci_state *s = &rows[i].state;
        buf_printf(out, "%-*s   %-10d   %-10s   %-*s   %-30s   %s\n", id_width, s->id, (int)s->pid,
            s->status, bundle_width, s->bundle, s->created, s->owner);
    }
}

static void rows_print(const struct list_row *rows, size_t n, enum list_format format, struct buf *out)
{
    struct json_writer w = JSON_WRITER_INIT(out, 0);

    switch (format) {
    case LIST_TABLE:
        table_print(rows, n, out);
        break;
    case LIST_JSON:
        json_begin(&w, NULL, '[');
        for (size_t i = 0; i < n; i++)
            oci_state_put(&w, NULL, &rows[i].state);
        json_end(&w, ']');
        buf_putc(out, '\n');
        break;
    case LIST_QUIET:
        for (size_t i = 0; i < n; i++)
            buf_printf(out, "%s\n", rows[i].state.id);
        break;
    default:
        abort();
    }
}

/* One that vanishes meanwhile is left out; one that cannot be read is shown with what is known of it. */
static size_t rows_read(struct arena *arena, const struct strv *ids, const char *root, struct list_row *rows)
{
    size_t n = 0;

    for (size_t i = 0; i < ids->n; i++) {
        struct error err = ERR_INIT;
        struct list_row *row = &rows[n];
        row->container = (struct container)CONTAINER_INIT;
        int r = container_open(&row->container, root, ids->items[i], &err);
        if (r == 0)
            r = lifecycle_state(&row->container, &row->state, &err);
        if (r == CONTAINER_NOT_FOUND)
            continue;
        if (r < 0)
            row->state = (struct oci_state){
                .id = ids->items[i],
                .status = container_status_name(CONTAINER_STOPPED),
                .bundle = arena_printf(arena, "(%s)", err.text),
                .created = "",
                .owner = "",
            };
        n++;
    }
    return n;
}

int cmd_list(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    AUTO(buf) struct buf text = BUF_INIT;
    struct error err = ERR_INIT;
    struct strv ids = STRV_INIT;
    const char *format_word = "table";
    bool is_quiet = false;
    int first;
    int status;
    const struct arg_option table[] = {
        { "format", 'f', ARG_STRING, "FORMAT", "table or json", &format_word },
        { "quiet", 'q', ARG_FLAG, NULL, "ids only", &is_quiet },
        { 0 },
    };

    if (!command_options(self, table, argc, argv, 0, 0, &first, &status))
        return status;
    enum list_format format = is_quiet ? LIST_QUIET : str_eq(format_word, "json") ? LIST_JSON : LIST_TABLE;
    if (format == LIST_TABLE && !str_eq(format_word, "table")) {
        (void)err_set(&err, EINVAL, "list: --format=%s: not one of table, json", format_word);
        return command_fail(&err);
    }
    if (container_list(&arena, context->root, &ids, &err) < 0)
        return command_fail(&err);
    struct list_row *rows = arena_new_array(&arena, ids.n + 1, struct list_row);
    size_t n = rows_read(&arena, &ids, context->root, rows);
    rows_print(rows, n, format, &text);
    (void)fputs(buf_str(&text), stdout);
    for (size_t i = 0; i < n; i++)
        container_done(&rows[i].container);
    return EXIT_SUCCESS;
}
