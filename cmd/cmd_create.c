/* SPDX-License-Identifier: Apache-2.0 */
/* create and run: they differ in what happens once init is ready. */
#include <errno.h>
#include <stdlib.h>

#include "buf.h"
#include "cleanup.h"
#include "command.h"
#include "err.h"
#include "lifecycle.h"
#include "parse_num.h"

struct create_words { /* options that are texts on the command line */
    const char *preserve_fds;
};

#define CREATE_OPTIONS(o, w)                                                                                           \
    { "bundle", 'b', ARG_STRING, "DIR", "the bundle (default .)", &(o).bundle },                                       \
        { "config", 'f', ARG_STRING, "FILE", "another file than config.json of the bundle", &(o).config_path },        \
        { "console-socket", 0, ARG_STRING, "PATH", "socket that gets the terminal's master", &(o).console_socket },    \
        { "pid-file", 0, ARG_STRING, "FILE", "write the pid of init there", &(o).pid_file },                           \
        { "preserve-fds", 0, ARG_STRING, "N", "hand N descriptors, from 3 on, to the container", &(w).preserve_fds },  \
        { "no-pivot", 0, ARG_FLAG, NULL, "move the root instead of pivot_root (ramdisk hosts only)", &(o).no_pivot },  \
        { "no-new-keyring", 0, ARG_FLAG, NULL, "keep the caller's session keyring", &(o).no_new_keyring }

static int options_finish(const struct command_context *context, const struct create_words *words, const char *id,
    struct create_options *options, struct error *err)
{
    options->root = context->root;
    options->id = id;
    options->is_rootless = context->is_rootless;
    options->is_cgroup_disabled = context->is_cgroup_disabled;
    if (context->is_systemd_cgroup)
        return err_set(err, ENOTSUP,
            "--systemd-cgroup: the systemd driver is not there yet; use --cgroup-manager=cgroupfs");
    if (words->preserve_fds && parse_u32(words->preserve_fds, 1024, &options->preserve_fds) < 0)
        return err_set(err, EINVAL, "--preserve-fds=%s: not a number from 0 to 1024", words->preserve_fds);
    options->n_inherited_fds = context->n_inherited_fds;
    return 0;
}

int cmd_create(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    AUTO(buf) struct buf warnings = BUF_INIT;
    struct create_options options = { .warnings = &warnings };
    struct create_words words = { 0 };
    struct error err = ERR_INIT;
    int first;
    int status;
    const struct arg_option table[] = {
        CREATE_OPTIONS(options, words),
        { 0 },
    };

    if (!command_options(self, table, argc, argv, 1, 1, &first, &status))
        return status;
    int r = options_finish(context, &words, argv[first], &options, &err);
    if (r == 0)
        r = lifecycle_create(&options, &err);
    command_warn(&warnings);
    return r < 0 ? command_fail(&err) : EXIT_SUCCESS;
}

int cmd_run(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    AUTO(buf) struct buf warnings = BUF_INIT;
    struct create_options options = { .warnings = &warnings };
    struct create_words words = { 0 };
    struct error err = ERR_INIT;
    bool no_subreaper = false;
    int first;
    int status;
    const struct arg_option table[] = {
        CREATE_OPTIONS(options, words),
        { "detach", 'd', ARG_FLAG, NULL, "leave when the container's process runs", &options.is_detached },
        { "keep", 0, ARG_FLAG, NULL, "keep the container's state when it has ended", &options.want_keep },
        { "no-subreaper", 0, ARG_FLAG, NULL, "accepted for compatibility: runa never is a subreaper", &no_subreaper },
        { 0 },
    };

    if (!command_options(self, table, argc, argv, 1, 1, &first, &status))
        return status;
    int r = options_finish(context, &words, argv[first], &options, &err);
    if (r == 0)
        r = lifecycle_run(&options, &status, &err);
    command_warn(&warnings);
    return r < 0 ? command_fail(&err) : status;
}
