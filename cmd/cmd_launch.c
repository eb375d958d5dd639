/* SPDX-License-Identifier: Apache-2.0 */
/* launch: a command from an image under a policy. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "command.h"
#include "err.h"
#include "image_store.h"
#include "policy_load.h"
#include "session_run.h"
#include "tty.h"

int cmd_launch(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    AUTO(buf) struct buf warnings = BUF_INIT;
    AUTO(buf) struct buf output = BUF_INIT;
    struct session_options options = {
        .root = context->root,
        .data_root = IMAGE_STORE_ROOT,
        .is_cgroup_disabled = context->is_cgroup_disabled,
        .warnings = &warnings,
        .output = &output,
    };
    static struct arg_strings env;
    static struct arg_strings volumes;
    struct error err = ERR_INIT;
    bool is_interactive = false;
    int first;
    int status;
    const struct arg_option table[] = {
        { "policy", 'p', ARG_STRING, "NAME|FILE", "what the command may do (default " POLICY_DEFAULT ")",
            &options.policy },
        { "volume", 'v', ARG_STRINGS, "SRC:DST[:ro]", "a directory or file of the host, at DST inside", &volumes },
        { "env", 'e', ARG_STRINGS, "NAME=VALUE", "a variable of its environment", &env },
        { "workdir", 'w', ARG_STRING, "DIR", "its working directory (default the image's)", &options.working_dir },
        { "user", 'u', ARG_STRING, "USER[:GROUP]", "names or ids of the image (default the image's)", &options.user },
        { "interactive", 'i', ARG_FLAG, NULL, "keep standard input open (it always is; accepted for habit)",
            &is_interactive },
        { "tty", 't', ARG_FLAG, NULL, "give it a terminal", &options.want_terminal },
        { "detach", 'd', ARG_FLAG, NULL, "leave when it runs, print its name", &options.is_detached },
        { "rm", 0, ARG_FLAG, NULL, "remove the sandbox and its files when it has ended", &options.want_removal },
        { "name", 0, ARG_STRING, "NAME", "its name (default made up)", &options.id },
        { "dry-run", 0, ARG_FLAG, NULL, "print the plan, run nothing", &options.is_dry_run },
        { "data-root", 0, ARG_STRING, "DIR", "images and sandboxes (default " IMAGE_STORE_ROOT ")",
            &options.data_root },
        { 0 },
    };

    if (!command_options(self, table, argc, argv, 1, -1, &first, &status))
        return status;
    options.image = argv[first++];
    if (first < argc && strcmp(argv[first], "--") == 0)
        first++;
    options.env = env.items;
    options.n_env = env.n;
    options.volumes = volumes.items;
    options.n_volumes = volumes.n;
    options.n_command = (size_t)(argc - first);
    options.command = options.n_command > 0 ? argv + first : NULL;
    if (options.want_terminal && options.is_detached) {
        (void)err_set(&err, EINVAL, "launch: --tty needs somebody at the terminal; leave out --detach");
        return command_fail(&err);
    }
    if (options.want_removal && options.is_detached) {
        (void)err_set(
            &err, EINVAL, "launch: --rm needs somebody who waits for the end; \"runa delete\" removes it later");
        return command_fail(&err);
    }
    if (options.want_terminal && !options.is_dry_run && !tty_is_terminal(STDIN_FILENO)) {
        (void)err_set(&err, ENOTTY, "launch: --tty: standard input is no terminal; leave out --tty (-t)");
        return command_fail(&err);
    }
    int r = session_run(&options, &status, &err);
    command_warn(&warnings);
    (void)fputs(buf_str(&output), stdout);
    if (r == SESSION_UNEXECUTABLE) {
        (void)command_fail(&err);
        return status;
    }
    return r < 0 ? command_fail(&err) : status;
}
