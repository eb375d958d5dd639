/* SPDX-License-Identifier: Apache-2.0 */
/* The command table and the global options: pick a verb here and follow it into cmd_<verb>.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "buf.h"
#include "call.h"
#include "cleanup.h"
#include "command.h"
#include "log.h"
#include "namespace.h"
#include "protect.h"
#include "role.h"
#include "strv.h"
#include "syscall_filter_build.h"
#include "trace.h"

#define RUNA_SPEC_VERSION "1.3.0"

const struct command command_table[] = {
    { "create", "create a container: set up, waiting for start", "ID", NULL, cmd_create, true },
    { "start", "start the process of a created container", "ID", NULL, cmd_start, false },
    { "run", "create and start a container, wait for its end", "ID", NULL, cmd_run, true },
    { "exec", "run a further process in a running container", "ID COMMAND [ARGUMENTS...]", NULL, cmd_exec, true },
    { "state", "print the state of a container as JSON", "ID", NULL, cmd_state, false },
    { "kill", "send a signal to the init process of a container", "ID [SIGNAL]", NULL, cmd_kill, false },
    { "delete", "delete a stopped container", "ID", NULL, cmd_delete, false },
    { "ps", "show the processes of a container", "ID [PS OPTIONS...]", NULL, cmd_ps, false },
    { "pause", "stop all processes of a container", "ID", NULL, cmd_pause, false },
    { "resume", "let a paused container go on", "ID", NULL, cmd_resume, false },
    { "update", "change the limits of a running container", "ID", NULL, cmd_update, false },
    { "list", "list the containers of this root", "", NULL, cmd_list, false },
    { "spec", "write a default config.json", "", NULL, cmd_spec, false },
    { "features", "print what this runtime supports as JSON", "", NULL, cmd_features, false },
    /* Not protected: the sandbox's ids are a range of its own, in which the owner of the binary is not. */
    { "launch", "run a command from an image under a policy", "IMAGE [--] [COMMAND...]", NULL, cmd_launch, false },
    { "image", "load, list, show and remove images", "load|ls|rm|inspect ...", NULL, cmd_image, false },
    { "policy", "list, show and check policies", "ls|show NAME|check FILE...", NULL, cmd_policy, false },
    { 0 },
};

static void print_usage(FILE *out, const struct arg_option *options)
{
    AUTO(buf) struct buf text = BUF_INIT;
    buf_puts(&text,
        "runa: an OCI container runtime whose container is an agent sandbox\n\n"
        "usage: runa [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]\n\ncommands:\n");
    for (const struct command *c = command_table; c->name; c++)
        buf_printf(&text, "  %-10s %s\n", c->name, c->summary);
    buf_puts(&text, "\nglobal options:\n");
    args_usage(options, &text);
    buf_puts(&text, "\n\"runa COMMAND --help\" tells more of each.\n");
    (void)fputs(buf_str(&text), out);
}

static void print_version(void)
{
    printf("runa version %s\nspec: %s\nlibseccomp: %s\n", RUNA_VERSION, RUNA_SPEC_VERSION,
        syscall_filter_version());
}

int command_fail(const struct error *err)
{
    log_error("%s", err->text);
    return EXIT_RUNTIME;
}

void command_warn(const struct buf *warnings)
{
    for (const char *line = buf_str(warnings); *line;) {
        size_t len = strcspn(line, "\n");
        log_warn("%.*s", (int)len, line);
        line += len + (line[len] == '\n');
    }
}

bool command_options(const struct command *self, const struct arg_option *options, int argc, char **argv, int min,
    int max, int *ret_first, int *ret_status)
{
    struct error err = ERR_INIT;
    int first;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] != '-')
            break;
        if (!str_eq(argv[i], "--help") && !str_eq(argv[i], "-h"))
            continue;
        AUTO(buf) struct buf text = BUF_INIT;
        buf_printf(&text, "%s\n\nusage: runa %s [OPTIONS] %s\n", self->summary, self->name, self->usage);
        if (self->details)
            buf_printf(&text, "\n%s\n", self->details);
        buf_puts(&text, "\noptions:\n");
        args_usage(options, &text);
        (void)fputs(buf_str(&text), stdout);
        *ret_status = EXIT_SUCCESS;
        return false;
    }
    if (args_parse(options, argc, argv, &first, &err) < 0) {
        (void)err_in(&err, "%s", self->name);
        *ret_status = command_fail(&err);
        return false;
    }
    int n = argc - first;
    if (n < min || (max >= 0 && n > max)) {
        log_error("%s: %s arguments; usage: runa %s [OPTIONS] %s", self->name, n < min ? "too few" : "too many",
            self->name, self->usage);
        *ret_status = EXIT_RUNTIME;
        return false;
    }
    *ret_first = first;
    return true;
}

static char *root_default(void)
{
    const char *runtime_dir = getenv("XDG_RUNTIME_DIR");

    if (geteuid() == 0)
        return xstrdup("/run/runa");
    if (runtime_dir && runtime_dir[0] == '/')
        return xasprintf("%s/runa", runtime_dir);
    return xasprintf("/tmp/runa-%u", (unsigned)geteuid());
}

struct globals {
    const char *root;
    const char *log;
    const char *log_format;
    const char *log_level;
    const char *cgroup_manager;
    const char *rootless;
    bool is_debug;
    bool is_systemd_cgroup;
    bool is_help;
    bool is_version;
};

static int globals_apply(const struct globals *g, struct command_context *context, int *ret_log_fd, struct error *err)
{
    enum log_format format = LOG_FORMAT_TEXT;

    if (g->log_format && str_eq(g->log_format, "json"))
        format = LOG_FORMAT_JSON;
    else if (g->log_format && !str_eq(g->log_format, "text"))
        return err_set(err, EINVAL, "--log-format=%s: not one of text, json", g->log_format);
    if (g->log && *g->log) {
        const char *path = g->log;
        if (str_starts(path, "file:")) /* crun's form */
            path += strlen("file:");
        int fd = kernel_open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
        if (fd < 0)
            return err_sys(err, fd, "--log=%s: cannot open", path);
        *ret_log_fd = fd;
    }
    context->is_debug = g->is_debug || (g->log_level && str_eq(g->log_level, "debug"));
    log_setup(*ret_log_fd, format, context->is_debug ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
    trace_setup(context->is_debug, *ret_log_fd >= 0 ? *ret_log_fd : STDERR_FILENO);

    context->is_systemd_cgroup = g->is_systemd_cgroup;
    if (g->cgroup_manager && str_eq(g->cgroup_manager, "systemd"))
        context->is_systemd_cgroup = true;
    else if (g->cgroup_manager && str_eq(g->cgroup_manager, "disabled"))
        context->is_cgroup_disabled = true;
    else if (g->cgroup_manager && !str_eq(g->cgroup_manager, "cgroupfs"))
        return err_set(err, EINVAL, "--cgroup-manager=%s: not one of cgroupfs, systemd, disabled", g->cgroup_manager);
    if (g->rootless && str_eq(g->rootless, "true"))
        context->is_rootless = true;
    else if (g->rootless && str_eq(g->rootless, "false"))
        context->is_rootless = false;
    else if (g->rootless && !str_eq(g->rootless, "auto"))
        return err_set(err, EINVAL, "--rootless=%s: not one of true, false, auto", g->rootless);
    context->is_root_default = g->root == NULL;
    if (g->root)
        context->root = g->root;
    return 0;
}

static const struct command *command_find(const char *name)
{
    for (const struct command *c = command_table; c->name; c++) {
        if (strcmp(c->name, name) == 0)
            return c;
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *nearest = NULL;
    size_t best = 3;

    for (const struct command *c = command_table; c->name; c++) {
        size_t distance = str_distance(c->name, name);
        if (distance < best) {
            best = distance;
            nearest = c->name;
        }
    }
    AUTO(buf) struct buf quoted = BUF_INIT;
    buf_put_quoted(&quoted, name, strlen(name));
    log_error("no command %s%s%s%s; \"runa --help\" lists them", buf_str(&quoted), nearest ? "; did you mean \"" : "",
        nearest ? nearest : "", nearest ? "\"?" : "");
    return EXIT_RUNTIME;
}

int main(int argc, char **argv)
{
    struct globals g = { 0 };
    struct error err = ERR_INIT;
    struct command_context context = { .program = argv[0] };
    autoclose int log_fd = -1;
    int first;
    const struct arg_option options[] = {
        { "root", 0, ARG_STRING, "DIR", "state of the containers (default for root /run/runa)", &g.root },
        { "log", 0, ARG_STRING, "FILE", "write the log there too", &g.log },
        { "log-format", 0, ARG_STRING, "FORMAT", "text or json", &g.log_format },
        { "log-level", 0, ARG_STRING, "LEVEL", "debug, or anything else", &g.log_level },
        { "debug", 0, ARG_FLAG, NULL, "trace each step", &g.is_debug },
        { "systemd-cgroup", 0, ARG_FLAG, NULL, "cgroups by systemd", &g.is_systemd_cgroup },
        { "cgroup-manager", 0, ARG_STRING, "NAME", "cgroupfs, systemd or disabled", &g.cgroup_manager },
        { "rootless", 0, ARG_STRING, "BOOL", "true, false or auto", &g.rootless },
        { "help", 'h', ARG_FLAG, NULL, "this text", &g.is_help },
        { "version", 'v', ARG_FLAG, NULL, "the version", &g.is_version },
        { 0 },
    };

    role_set(ROLE_PARENT);
    int r = protect_stdio();
    if (r < 0) {
        (void)err_sys(&err, r, "cannot set up standard streams and signals");
        return command_fail(&err);
    }
    if (args_parse(options, argc, argv, &first, &err) < 0)
        return command_fail(&err);
    const struct command *command = first < argc ? command_find(argv[first]) : NULL;
    if (command && command->is_protected && protect_self_exe(argv, &err) < 0)
        return command_fail(&err);
    r = protect_inherited_fds(&context.n_inherited_fds);
    if (r < 0) {
        (void)err_sys(&err, r, "cannot keep the inherited descriptors from programs that runa executes");
        return command_fail(&err);
    }
    autofree char *own_root = root_default();
    context.root = own_root;
    /* Root of a user namespace has no right on the host either. */
    context.is_rootless = geteuid() != 0 || namespace_is_initial_user() != 1;
    if (globals_apply(&g, &context, &log_fd, &err) < 0)
        return command_fail(&err);
    if (g.is_version) {
        print_version();
        return EXIT_SUCCESS;
    }
    if (g.is_help || first >= argc) {
        print_usage(g.is_help ? stdout : stderr, options);
        return g.is_help ? EXIT_SUCCESS : EXIT_RUNTIME;
    }
    if (!command)
        return unknown_command(argv[first]);
    return command->run(&context, command, argc - first, argv + first);
}
