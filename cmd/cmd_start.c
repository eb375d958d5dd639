/* SPDX-License-Identifier: Apache-2.0 */
/* start, kill, delete: verbs on one existing container. */
#include <errno.h>
#include <regex.h>
#include <stdlib.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "command.h"
#include "err.h"
#include "image_store.h"
#include "lifecycle.h"
#include "session_run.h"
#include "signal_name.h"
#include "strv.h"

int cmd_start(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    struct error err = ERR_INIT;
    int first;
    int status;
    const struct arg_option table[] = { { 0 } };

    if (!command_options(self, table, argc, argv, 1, 1, &first, &status))
        return status;
    AUTO(buf) struct buf warnings = BUF_INIT;
    int r = lifecycle_start(context->root, argv[first], &warnings, &err);
    command_warn(&warnings);
    return r < 0 ? command_fail(&err) : EXIT_SUCCESS;
}

int cmd_kill(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    struct error err = ERR_INIT;
    bool want_all = false;
    int first;
    int status;
    const struct arg_option table[] = {
        { "all", 'a', ARG_FLAG, NULL, "signal every process of the container", &want_all },
        { 0 },
    };

    if (!command_options(self, table, argc, argv, 1, 2, &first, &status))
        return status;
    const char *word = first + 1 < argc ? argv[first + 1] : "SIGTERM";
    int signal = signal_parse(word);
    if (signal < 0) {
        (void)err_set(&err, EINVAL, "kill: %s is no signal: a number, TERM or SIGTERM", word);
        return command_fail(&err);
    }
    if (lifecycle_kill(context->root, argv[first], signal, want_all, &err) < 0)
        return command_fail(&err);
    return EXIT_SUCCESS;
}

struct delete_request {
    const char *root;
    const char *data_root;
    bool is_data_there; /* what belongs to no known container of this root may be removed from data_root */
    bool force;
    struct buf *warnings;
};

static int one_delete(const struct delete_request *request, const char *id, struct error *err)
{
    enum lifecycle_origin origin;
    int r = lifecycle_delete(request->root, id, request->force, &origin, request->warnings, err);

    if (r < 0 || origin == LIFECYCLE_BUNDLE || (origin == LIFECYCLE_UNKNOWN && !request->is_data_there))
        return r;
    return session_remove(request->root, request->data_root, id, err);
}

/* All whose id matches, the first failure does not stop the others. */
static int matching_delete(const struct delete_request *request, const char *pattern, struct error *err)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct strv ids = STRV_INIT;
    regex_t regex;
    int result = 0;

    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return err_set(err, EINVAL, "delete --regex %s: not an extended regular expression", pattern);
    int r = container_list(&arena, request->root, &ids, err);
    for (size_t i = 0; r == 0 && i < ids.n; i++) {
        struct error one = ERR_INIT;
        if (regexec(&regex, ids.items[i], 0, NULL, 0) != 0 || one_delete(request, ids.items[i], &one) == 0)
            continue;
        if (result == 0)
            *err = one;
        else
            buf_printf(request->warnings, "%s\n", one.text);
        result = -one.code;
    }
    regfree(&regex);
    return r < 0 ? r : result;
}

int cmd_delete(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    AUTO(buf) struct buf warnings = BUF_INIT;
    struct delete_request request = {
        .root = context->root,
        .warnings = &warnings,
    };
    struct error err = ERR_INIT;
    bool is_regex = false;
    int first;
    int status;
    const struct arg_option table[] = {
        { "force", 'f', ARG_FLAG, NULL, "kill it first when it runs; no error when there is none", &request.force },
        { "regex", 'r', ARG_FLAG, NULL, "ID is a regular expression: all that match", &is_regex },
        { "data-root", 0, ARG_STRING, "DIR", "of launch, when it was given one (default " IMAGE_STORE_ROOT ")",
            &request.data_root },
        { 0 },
    };

    if (!command_options(self, table, argc, argv, 1, 1, &first, &status))
        return status;
    /* Another root's sandbox may have the same name. */
    request.is_data_there = request.data_root || context->is_root_default;
    if (!request.data_root)
        request.data_root = IMAGE_STORE_ROOT;
    int r = is_regex ? matching_delete(&request, argv[first], &err) : one_delete(&request, argv[first], &err);
    command_warn(&warnings);
    return r < 0 ? command_fail(&err) : EXIT_SUCCESS;
}
