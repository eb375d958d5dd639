/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Command-line options by table: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, grouped short flags, "--". One
 *          left-to-right pass; the first word that is no option ends it. Usage text comes from the same table.
 * Runs in  parent (pure)
 * Fails    -EINVAL with a text that names the option and, when close, the known one that may be meant
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct buf;
struct error;

enum arg_kind { ARG_FLAG, ARG_STRING, ARG_STRINGS, ARG_COUNT };

struct arg_option {
    const char *name; /* "bundle" */
    char letter; /* 'b' or 0 */
    enum arg_kind kind;
    const char *value_name; /* "PATH"; NULL for flags */
    const char *help;
    void *value; /* bool *, const char **, struct arg_strings *, unsigned * */
};

#define ARG_STRINGS_MAX 256

struct arg_strings {
    const char *items[ARG_STRINGS_MAX];
    size_t n;
};

/* Options end with an entry whose name is NULL. argv[0] is the command's name and skipped. *ret_first is the index of
 * the first argument behind the options. A flag may be given as --flag, --flag=true or --flag=false (as engines do). */
int args_parse(const struct arg_option *options, int argc, char *const *argv, int *ret_first, struct error *err);
void args_usage(const struct arg_option *options, struct buf *out);
