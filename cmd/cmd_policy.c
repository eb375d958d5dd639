/* SPDX-License-Identifier: Apache-2.0 */
/* policy: list, show and check policies. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "command.h"
#include "err.h"
#include "log.h"
#include "policy_doc.h"
#include "policy_find.h"
#include "policy_load.h"
#include "policy_write.h"
#include "strv.h"

static void row_put(struct buf *out, const char *name, const char *from)
{
    buf_printf(out, "%-24s  %s\n", name, from);
}

static int list(struct arena *arena, int argc, char **argv, struct error *err)
{
    AUTO(buf) struct buf text = BUF_INIT;
    struct strv installed = STRV_INIT;

    (void)argv;
    if (argc > 0)
        return err_set(err, EINVAL, "policy ls: takes no arguments");
    int rc = policy_installed(arena, POLICY_CONFIG_DIR, &installed, err);
    if (rc < 0)
        return rc;
    row_put(&text, "NAME", "FROM");
    for (size_t i = 0; i < installed.n; i++)
        row_put(&text, installed.items[i], POLICY_CONFIG_DIR "/policies");
    for (const struct policy_text *shipped = policy_shipped; shipped->name; shipped++) {
        if (!strv_has(&installed, shipped->name))
            row_put(&text, shipped->name, "shipped");
    }
    (void)fputs(buf_str(&text), stdout);
    return 0;
}

/* Each line is a complaint of its own; the last error is among them. */
static void lines_print(const struct buf *lines, const char *what)
{
    for (const char *line = buf_str(lines); *line;) {
        size_t len = strcspn(line, "\n");
        (void)fprintf(stderr, "%s%.*s\n", what, (int)len, line);
        line += len + (line[len] == '\n');
    }
}

static int show(struct arena *arena, int argc, char **argv, struct error *err)
{
    AUTO(buf) struct buf notes = BUF_INIT;
    AUTO(buf) struct buf text = BUF_INIT;
    struct policy *policy = NULL;

    if (argc != 1)
        return err_set(err, EINVAL, "policy show: takes one NAME or FILE");
    int rc = policy_load(arena, POLICY_CONFIG_DIR, argv[0], &policy, NULL, &notes, err);
    if (rc < 0)
        return rc;
    policy_write(policy, true, &text);
    command_warn(&notes);
    (void)fputs(buf_str(&text), stdout);
    return 0;
}

/* Every fault of every file in one run, as a compiler tells them. */
static int check(struct arena *arena, int argc, char **argv, struct error *err)
{
    int n_bad = 0;

    if (argc == 0)
        return err_set(err, EINVAL, "policy check: takes at least one FILE");
    for (int i = 0; i < argc; i++) {
        AUTO(buf) struct buf faults = BUF_INIT;
        AUTO(buf) struct buf notes = BUF_INIT;
        struct error first = ERR_INIT;
        struct policy *policy = NULL;
        const char *path = strchr(argv[i], '/') ? argv[i] : arena_printf(arena, "./%s", argv[i]);
        int rc = policy_load(arena, POLICY_CONFIG_DIR, path, &policy, &faults, &notes, &first);
        if (rc < 0 && faults.len == 0)
            buf_printf(&faults, "%s\n", first.text);
        lines_print(&faults, "");
        lines_print(&notes, "note: ");
        if (rc < 0)
            n_bad++;
        else
            printf("%s: ok\n", argv[i]);
    }
    return n_bad == 0 ? 0
                      : err_set(err, EINVAL, "policy check: %d of %d files refused", n_bad, argc);
}

static const struct {
    const char *name;
    int (*run)(struct arena *arena, int argc, char **argv, struct error *err);
} verbs[] = {
    { "ls", list },
    { "show", show },
    { "check", check },
};

int cmd_policy(
    const struct command_context *context, const struct command *self, int argc, char **argv)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    int first;
    int status;
    const struct arg_option table[] = { { 0 } };

    (void)context;
    if (!command_options(self, table, argc, argv, 1, -1, &first, &status))
        return status;
    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
        if (!str_eq(verbs[i].name, argv[first]))
            continue;
        int rc = verbs[i].run(&arena, argc - first - 1, argv + first + 1, &err);
        return rc < 0 ? command_fail(&err) : EXIT_SUCCESS;
    }
    (void)err_set(&err, EINVAL, "policy %s: not one of ls, show, check", argv[first]);
    return command_fail(&err);
}
