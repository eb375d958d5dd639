/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The contract between main.c and the files cmd_<verb>.c: parse options, call one function of a room, print.
 * Runs in  parent
 */
#pragma once
#include <stdbool.h>

#include "args.h"
#include "err.h"

#define EXIT_RUNTIME 1   /* the runtime failed; runc's rule for all verbs but exec */
#define EXIT_EXEC    255 /* the same for exec */

struct command_context {
    const char *root; /* state directory of all containers */
    bool is_root_default; /* --root was not given */
    const char *program; /* argv[0], for messages */
    bool is_systemd_cgroup;
    bool is_cgroup_disabled;
    bool is_debug;
    bool is_rootless;
    unsigned n_inherited_fds; /* from 3 on, without a gap */
};

struct command {
    const char *name;
    const char *summary; /* one line */
    const char *usage; /* what follows "runa NAME [OPTIONS]" */
    const char *details; /* paragraphs for --help, or NULL */
    /* Returns the exit status. argv[0] is the verb. */
    int (*run)(const struct command_context *context, const struct command *self, int argc, char **argv);
    bool is_protected; /* a container can see this process: it runs from a copy that cannot be written */
};


extern const struct command command_table[]; /* ends with an entry whose name is NULL */

/* Parses options, answers --help, checks the number of arguments behind them (max -1: any). True: go on with
 * *ret_first; false: leave with *ret_status. */
bool command_options(const struct command *self, const struct arg_option *options, int argc, char **argv, int min,
    int max, int *ret_first, int *ret_status);
struct buf;
/* Logs each line of it as a warning. */
void command_warn(const struct buf *warnings);
/* Logs err and returns EXIT_RUNTIME. */
int command_fail(const struct error *err);

int cmd_create(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_start(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_run(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_exec(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_state(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_kill(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_delete(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_ps(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_pause(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_resume(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_update(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_list(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_spec(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_features(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_image(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_launch(const struct command_context *context, const struct command *self, int argc, char **argv);
int cmd_policy(const struct command_context *context, const struct command *self, int argc, char **argv);
