/* SPDX-License-Identifier: Apache-2.0 */
/* exec: a further process in a running container. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "command.h"
#include "err.h"
#include "exec.h"
#include "parse_num.h"
#include "strv.h"

#define ID_MAX 4294967294U /* the last one means "none" to the kernel */

struct exec_texts { /* what must become numbers */
    const char *user;
    const char *preserve_fds;
    struct arg_strings env;
    struct arg_strings caps;
    struct arg_strings groups;
};

/* UID[:GID], digits only: a name would be looked up in a file of the container. */
static int user_parse_ids(struct arena *arena, const char *text, struct exec_words *words, struct error *err)
{
    const char *colon = strchr(text, ':');
    const char *uid = colon ? arena_strndup(arena, text, (size_t)(colon - text)) : text;

    if (parse_u32(uid, ID_MAX, &words->uid) < 0 || (colon && parse_u32(colon + 1, ID_MAX, &words->gid) < 0))
        return err_set(err, EINVAL, "--user %s: not UID or UID:GID in numbers", text);
    words->has_user = true;
    words->has_gid = colon != NULL;
    return 0;
}

static int options_finish(struct arena *arena, const struct exec_texts *texts, struct exec_options *options,
    struct error *err)
{
    struct exec_words *words = &options->words;
    uint32_t *groups = arena_new_array(arena, texts->groups.n + 1, uint32_t);

    if (texts->user && user_parse_ids(arena, texts->user, words, err) < 0)
        return -err->code;
    for (size_t i = 0; i < texts->groups.n; i++) {
        if (parse_u32(texts->groups.items[i], ID_MAX, &groups[i]) < 0)
            return err_set(err, EINVAL, "--additional-gids %s: not a group id", texts->groups.items[i]);
    }
    if (texts->preserve_fds && parse_u32(texts->preserve_fds, 1024, &options->preserve_fds) < 0)
        return err_set(err, EINVAL, "--preserve-fds=%s: not a number from 0 to 1024", texts->preserve_fds);
    words->groups = groups;
    words->n_groups = texts->groups.n;
    words->env = texts->env.items;
    words->n_env = texts->env.n;
    words->caps = texts->caps.items;
    words->n_caps = texts->caps.n;
    return 0;
}

int cmd_exec(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    static struct exec_texts texts;
    AUTO(arena) struct arena arena = ARENA_INIT;
    AUTO(buf) struct buf warnings = BUF_INIT;
    struct exec_options options = {
        .root = context->root,
        .n_inherited_fds = context->n_inherited_fds,
        .is_rootless = context->is_rootless,
        .warnings = &warnings,
    };
    struct error err = ERR_INIT;
    int first;
    int status;
    const struct arg_option table[] = {
        { "process", 'p', ARG_STRING, "FILE", "the process as JSON, instead of a command", &options.process_path },
        { "tty", 't', ARG_FLAG, NULL, "give it a terminal", &options.words.want_terminal },
        { "detach", 'd', ARG_FLAG, NULL, "leave when it runs", &options.is_detached },
        { "user", 'u', ARG_STRING, "UID[:GID]", "run as (default: as the container's process)", &texts.user },
        { "additional-gids", 'g', ARG_STRINGS, "GID", "a further group", &texts.groups },
        { "cwd", 0, ARG_STRING, "DIR", "its working directory", &options.words.cwd },
        { "env", 'e', ARG_STRINGS, "NAME=VALUE", "a variable, over the container's", &texts.env },
        { "cap", 'c', ARG_STRINGS, "CAP", "a further capability", &texts.caps },
        { "no-new-privs", 0, ARG_FLAG, NULL, "set no_new_privs", &options.words.no_new_privileges },
        { "apparmor", 0, ARG_STRING, "PROFILE", "its AppArmor profile", &options.words.apparmor_profile },
        { "process-label", 0, ARG_STRING, "LABEL", "its SELinux label", &options.words.selinux_label },
        { "cgroup", 0, ARG_STRING, "PATH", "a cgroup below the container's", &options.cgroup },
        { "console-socket", 0, ARG_STRING, "PATH", "socket that gets the terminal's master", &options.console_socket },
        { "pid-file", 0, ARG_STRING, "FILE", "write its pid there", &options.pid_file },
        { "preserve-fds", 0, ARG_STRING, "N", "hand the first N descriptors from 3 on to it", &texts.preserve_fds },
        { "ignore-paused", 0, ARG_FLAG, NULL, "also in a paused container (it waits for the thaw)",
            &options.may_be_paused },
        { 0 },
    };

    if (!command_options(self, table, argc, argv, 1, -1, &first, &status))
        return status == EXIT_SUCCESS ? status : EXIT_EXEC;
    options.id = argv[first++];
    if (first < argc && strcmp(argv[first], "--") == 0)
        first++;
    options.words.args = argv + first;
    options.words.n_args = (size_t)(argc - first);
    int r = 0;
    if (!options.process_path && options.words.n_args == 0)
        r = err_set(&err, EINVAL, "exec: write a command behind the container's id, or --process FILE");
    if (r == 0)
        r = options_finish(&arena, &texts, &options, &err);
    if (r == 0)
        r = container_exec(&options, &status, &err);
    command_warn(&warnings);
    if (r < 0) {
        (void)command_fail(&err);
        return EXIT_EXEC;
    }
    return status;
}
