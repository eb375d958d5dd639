/* SPDX-License-Identifier: Apache-2.0 */
/* Command-line options by table. */
#include "args.h"

#include <errno.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "strv.h"

struct cursor {
    const struct arg_option *options;
    int argc;
    char *const *argv;
    int at; /* the word that is read */
    struct error *err;
};

static const struct arg_option *find_name(
    const struct arg_option *options, const char *name, size_t len)
{
    for (const struct arg_option *o = options; o->name; o++)
        if (strlen(o->name) == len && memcmp(o->name, name, len) == 0)
            return o;
    return NULL;
}

static const struct arg_option *find_letter(const struct arg_option *options, char letter)
{
    for (const struct arg_option *o = options; o->name; o++)
        if (o->letter == letter)
            return o;
    return NULL;
}

static int fail_unknown(const struct cursor *c, const char *name, size_t len)
{
    enum { TYPOS_MAX = 2 };
    char word[64] = "";
    const char *nearest = NULL;
    size_t least = TYPOS_MAX + 1;

    if (len < sizeof(word))
        memcpy(word, name, len);
    for (const struct arg_option *o = c->options; o->name && word[0]; o++) {
        size_t distance = str_distance(word, o->name);
        if (distance < least && distance < strlen(o->name)) {
            least = distance;
            nearest = o->name;
        }
    }
    if (nearest)
        return err_set(c->err, EINVAL, "--%s: unknown option, did you mean --%s?", word, nearest);
    return err_set(c->err, EINVAL, "--%.*s: unknown option", len < 100 ? (int)len : 100, name);
}

static int parse_bool(const struct cursor *c, const struct arg_option *o, const char *text)
{
    bool *value = o->value;

    if (!text || str_eq(text, "true") || str_eq(text, "1"))
        *value = true;
    else if (str_eq(text, "false") || str_eq(text, "0"))
        *value = false;
    else
        return err_set(c->err, EINVAL, "--%s: true or false wanted, not %.100s", o->name, text);
    return 0;
}

static bool wants_value(const struct arg_option *o)
{
    return o->kind == ARG_STRING || o->kind == ARG_STRINGS;
}

/* text: the value within the same word, or NULL. */
static int set_option(struct cursor *c, const struct arg_option *o, const char *text)
{
    if (wants_value(o) && !text) {
        if (c->at + 1 >= c->argc)
            return err_set(c->err, EINVAL, "--%s: value missing", o->name);
        text = c->argv[++c->at];
    }
    switch (o->kind) {
    case ARG_FLAG:
        return parse_bool(c, o, text);
    case ARG_COUNT:
        if (text)
            return err_set(c->err, EINVAL, "--%s: takes no value", o->name);
        ++*(unsigned *)o->value;
        return 0;
    case ARG_STRING:
        *(const char **)o->value = text;
        return 0;
    case ARG_STRINGS: {
        struct arg_strings *strings = o->value;
        if (strings->n >= ARG_STRINGS_MAX)
            return err_set(
                c->err, EINVAL, "--%s: given more than %d times", o->name, ARG_STRINGS_MAX);
        strings->items[strings->n++] = text;
        return 0;
    }
    }
    return err_set(c->err, EINVAL, "--%s: option of no kind", o->name);
}

/* --name, --name=VALUE */
static int parse_long(struct cursor *c, const char *word)
{
    size_t len = strcspn(word, "=");
    const struct arg_option *o = find_name(c->options, word, len);

    if (!o)
        return fail_unknown(c, word, len);
    return set_option(c, o, word[len] == '=' ? word + len + 1 : NULL);
}

/* -a, -abc, -nVALUE */
static int parse_letters(struct cursor *c, const char *word)
{
    for (; *word; word++) {
        const struct arg_option *o = find_letter(c->options, *word);
        if (!o)
            return err_set(c->err, EINVAL, "-%c: unknown option", *word);
        if (wants_value(o))
            return set_option(c, o, word[1] ? word + 1 : NULL);
        int r = set_option(c, o, NULL);
        if (r < 0)
            return r;
    }
    return 0;
}

int args_parse(const struct arg_option *options, int argc, char *const *argv, int *ret_first,
    struct error *err)
{
    struct cursor c = { .options = options, .argc = argc, .argv = argv, .at = 1, .err = err };

    for (; c.at < c.argc; c.at++) {
        const char *word = c.argv[c.at];
        if (word[0] != '-' || word[1] == '\0')
            break;
        if (strcmp(word, "--") == 0) {
            c.at++;
            break;
        }
        int r = word[1] == '-' ? parse_long(&c, word + 2) : parse_letters(&c, word + 1);
        if (r < 0)
            return r;
    }
    *ret_first = c.at < argc ? c.at : argc;
    return 0;
}

static size_t usage_width(const struct arg_option *o)
{
    return strlen(o->name) + (o->value_name ? 1 + strlen(o->value_name) : 0);
}

void args_usage(const struct arg_option *options, struct buf *out)
{
    size_t width = 0;

    for (const struct arg_option *o = options; o->name; o++)
        if (usage_width(o) > width)
            width = usage_width(o);
    for (const struct arg_option *o = options; o->name; o++) {
        if (o->letter)
            buf_printf(out, "  -%c, ", o->letter);
        else
            buf_puts(out, "      ");
        buf_printf(out, "--%s%s%s%*s  %s\n", o->name, o->value_name ? " " : "",
            o->value_name ? o->value_name : "", (int)(width - usage_width(o)), "",
            o->help ? o->help : "");
    }
}
