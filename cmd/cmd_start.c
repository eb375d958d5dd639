/* SPDX-License-Identifier: Apache-2.0 */
/* start, kill, delete: verbs on one existing container. */
#include <errno.h>
#include <stdlib.h>

#include "buf.h"
#include "cleanup.h"
#include "command.h"
#include "err.h"
#include "image_store.h"
#include "lifecycle.h"
#include "session_run.h"
#include "signal_name.h"

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

int cmd_delete(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    struct error err = ERR_INIT;
    const char *data_root = IMAGE_STORE_ROOT;
    bool force = false;
    int first;
    int status;
    const struct arg_option table[] = {
        { "force", 'f', ARG_FLAG, NULL, "kill it first when it runs; no error when there is none", &force },
        { "data-root", 0, ARG_STRING, "DIR", "of launch, when it was given one (default " IMAGE_STORE_ROOT ")",
            &data_root },
        { 0 },
    };

    if (!command_options(self, table, argc, argv, 1, 1, &first, &status))
        return status;
    AUTO(buf) struct buf warnings = BUF_INIT;
    int r = lifecycle_delete(context->root, argv[first], force, &warnings, &err);
    if (r == 0) /* of a container that launch made; the id was checked */
        r = session_remove(data_root, argv[first], &err);
    command_warn(&warnings);
    return r < 0 ? command_fail(&err) : EXIT_SUCCESS;
}
