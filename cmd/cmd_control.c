/* SPDX-License-Identifier: Apache-2.0 */
/* pause, resume, ps: a running container as a whole. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "command.h"
#include "control.h"
#include "err.h"
#include "json_write.h"
#include "parse_num.h"
#include "process.h"
#include "strv.h"

#define PS_OUTPUT_BYTES (4U << 20)
#define PS_TIMEOUT_MS   10000

static int one_id(const struct command *self, int argc, char **argv, const struct command_context *context,
    int (*verb)(const char *root, const char *id, struct error *err))
{
    struct error err = ERR_INIT;
    int first;
    int status;
    const struct arg_option table[] = { { 0 } };

    if (!command_options(self, table, argc, argv, 1, 1, &first, &status))
        return status;
    return verb(context->root, argv[first], &err) < 0 ? command_fail(&err) : EXIT_SUCCESS;
}

int cmd_pause(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    return one_id(self, argc, argv, context, container_pause);
}

int cmd_resume(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    return one_id(self, argc, argv, context, container_resume);
}

struct pids {
    pid_t *items;
    size_t n;
};

static bool pids_have(const struct pids *pids, uint64_t pid)
{
    for (size_t i = 0; i < pids->n; i++) {
        if ((uint64_t)pids->items[i] == pid)
            return true;
    }
    return false;
}

/* The number in the column called PID, or 0. */
static uint64_t line_pid(const char *line, size_t len, int column)
{
    uint64_t pid = 0;
    size_t at = 0;

    for (int i = 0; at < len; i++) {
        while (at < len && line[at] == ' ')
            at++;
        size_t end = at;
        while (end < len && line[end] != ' ')
            end++;
        if (i == column)
            return parse_u64(line + at, end - at, INT32_MAX, &pid) == 0 ? pid : 0;
        at = end;
    }
    return 0;
}

static int pid_column(const char *head, size_t len)
{
    size_t at = 0;

    for (int i = 0; at < len; i++) {
        while (at < len && head[at] == ' ')
            at++;
        size_t end = at;
        while (end < len && head[end] != ' ')
            end++;
        if (end - at == 3 && strncmp(head + at, "PID", 3) == 0)
            return i;
        at = end;
    }
    return -1;
}

static int table_filter(const char *text, const struct pids *pids, struct buf *out, struct error *err)
{
    size_t len = strcspn(text, "\n");
    int column = pid_column(text, len);

    if (column < 0)
        return err_set(err, EINVAL, "ps: its output has no column PID; give options that show one");
    buf_add(out, text, len);
    buf_putc(out, '\n');
    for (text += len + (text[len] == '\n'); *text; text += len + (text[len] == '\n')) {
        len = strcspn(text, "\n");
        if (!pids_have(pids, line_pid(text, len, column)))
            continue;
        buf_add(out, text, len);
        buf_putc(out, '\n');
    }
    return 0;
}

/* As runc: the host's ps, its lines for our processes. */
static int table_print(struct arena *arena, const struct pids *pids, char **words, size_t n_words, struct buf *out,
    struct error *err)
{
    static char *const env[] = { NULL };
    struct strv argv = STRV_INIT;
    struct process_run run = PROCESS_RUN_INIT;
    autofree char *output = xmalloc(PS_OUTPUT_BYTES);
    int status;

    strv_add(arena, &argv, "ps");
    for (size_t i = 0; i < n_words; i++)
        strv_add(arena, &argv, words[i]);
    if (n_words == 0)
        strv_add(arena, &argv, "-ef");
    run.path = "/usr/bin/ps";
    run.argv = argv.items;
    run.envp = env;
    run.output = output;
    run.output_size = PS_OUTPUT_BYTES;
    run.timeout_ms = PS_TIMEOUT_MS;
    int r = process_run(&run, &status);
    if (r < 0)
        return err_sys(err, r, "ps: cannot run %s (--format json needs no program)", run.path);
    if (process_exit_code(status) != 0)
        return err_set(err, EINVAL, "ps: %s ended with status %d", run.path, process_exit_code(status));
    return table_filter(output, pids, out, err);
}

static void json_print(const struct pids *pids, struct buf *out)
{
    struct json_writer w = JSON_WRITER_INIT(out, 0);

    json_begin(&w, NULL, '[');
    for (size_t i = 0; i < pids->n; i++)
        json_put_u64(&w, NULL, (uint64_t)pids->items[i]);
    json_end(&w, ']');
    buf_putc(out, '\n');
}

int cmd_ps(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    AUTO(buf) struct buf out = BUF_INIT;
    struct error err = ERR_INIT;
    struct pids pids = { 0 };
    const char *format = "table";
    int first;
    int status;
    const struct arg_option table[] = {
        { "format", 'f', ARG_STRING, "FORMAT", "table or json", &format },
        { 0 },
    };

    if (!command_options(self, table, argc, argv, 1, -1, &first, &status))
        return status;
    int r = container_processes(&arena, context->root, argv[first], &pids.items, &pids.n, &err);
    if (r == 0 && str_eq(format, "json"))
        json_print(&pids, &out);
    else if (r == 0 && str_eq(format, "table"))
        r = table_print(&arena, &pids, argv + first + 1, (size_t)(argc - first - 1), &out, &err);
    else if (r == 0)
        r = err_set(&err, EINVAL, "ps: --format=%s: not one of table, json", format);
    (void)fputs(buf_str(&out), stdout);
    return r < 0 ? command_fail(&err) : EXIT_SUCCESS;
}
