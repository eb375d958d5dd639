/* SPDX-License-Identifier: Apache-2.0 */
/* Options by table. */
#include <errno.h>
#include <string.h>

#include "args.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "unit.h"

static bool is_detached;
static bool is_tty;
static const char *bundle;
static struct arg_strings env;
static unsigned verbosity;
static struct error err;

static const struct arg_option options[] = {
    { "bundle", 'b', ARG_STRING, "PATH", "folder of config.json", &bundle },
    { "detach", 'd', ARG_FLAG, NULL, "do not wait", &is_detached },
    { "tty", 't', ARG_FLAG, NULL, "with a terminal", &is_tty },
    { "env", 'e', ARG_STRINGS, "K=V", "set a variable", &env },
    { "verbose", 'v', ARG_COUNT, NULL, "say more", &verbosity },
    { "no-pivot", 0, ARG_FLAG, NULL, NULL, &is_tty },
    { NULL, 0, ARG_FLAG, NULL, NULL, NULL },
};

/* The words of a line, split at blanks. Returns args_parse's result; *ret_first too. */
static int parse(const char *line, int *ret_first)
{
    static char copy[256];
    static char *words[64];
    int n = 0;
    char *rest = copy;

    ck_assert_uint_lt(strlen(line), sizeof(copy));
    memcpy(copy, line, strlen(line) + 1);
    is_detached = is_tty = false;
    bundle = NULL;
    env.n = 0;
    verbosity = 0;
    for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " "))
        words[n++] = word;
    return args_parse(options, n, words, ret_first, &err);
}

static void refuse(const char *line, const char *message)
{
    int first = -7;

    ck_assert_int_eq(parse(line, &first), -EINVAL);
    ck_assert_str_eq(err.text, message);
    ck_assert_int_eq(first, -7);
}

START_TEST(every_form_of_option_is_read)
{
    int first = 0;

    ck_assert_int_eq(
        parse("run --bundle /b -d -e A=1 --env=B=2 -eC=3 -vv --verbose id cmd", &first), 0);
    ck_assert_str_eq(bundle, "/b");
    ck_assert(is_detached);
    ck_assert_uint_eq(env.n, 3);
    ck_assert_str_eq(env.items[0], "A=1");
    ck_assert_str_eq(env.items[1], "B=2");
    ck_assert_str_eq(env.items[2], "C=3");
    ck_assert_uint_eq(verbosity, 3);
    ck_assert_int_eq(first, 10);
}
END_TEST

START_TEST(grouped_letters_may_end_with_a_value)
{
    int first = 0;

    ck_assert_int_eq(parse("run -dtb/x id", &first), 0);
    ck_assert(is_detached && is_tty);
    ck_assert_str_eq(bundle, "/x");
    ck_assert_int_eq(parse("run -dtb /x id", &first), 0);
    ck_assert_str_eq(bundle, "/x");
    ck_assert_int_eq(first, 3);
}
END_TEST

START_TEST(first_other_word_ends_the_options)
{
    int first = 0;

    ck_assert_int_eq(parse("exec id -d", &first), 0);
    ck_assert_int_eq(first, 1);
    ck_assert(!is_detached);
    ck_assert_int_eq(parse("exec -d -- -t", &first), 0);
    ck_assert_int_eq(first, 3);
    ck_assert(!is_tty);
    ck_assert_int_eq(parse("exec -", &first), 0);
    ck_assert_int_eq(first, 1);
    ck_assert_int_eq(parse("exec", &first), 0);
    ck_assert_int_eq(first, 1);
    ck_assert_int_eq(parse("exec --", &first), 0);
    ck_assert_int_eq(first, 2);
}
END_TEST

START_TEST(flag_may_say_true_or_false)
{
    int first = 0;

    ck_assert_int_eq(parse("run --detach=true --tty=false", &first), 0);
    ck_assert(is_detached && !is_tty);
    ck_assert_int_eq(parse("run --tty --tty=0", &first), 0);
    ck_assert(!is_tty);
    refuse("run --tty=maybe", "--tty: true or false wanted, not maybe");
    refuse("run --tty=", "--tty: true or false wanted, not ");
}
END_TEST

START_TEST(empty_value_is_a_value)
{
    int first = 0;

    ck_assert_int_eq(parse("run --bundle= id", &first), 0);
    ck_assert_str_eq(bundle, "");
    ck_assert_int_eq(first, 2);
}
END_TEST

START_TEST(wrong_option_is_named)
{
    refuse("run --bundel x", "--bundel: unknown option, did you mean --bundle?");
    refuse("run --nothing-like-it", "--nothing-like-it: unknown option");
    refuse("run --bund=x", "--bund: unknown option, did you mean --bundle?");
    refuse("run -x", "-x: unknown option");
    refuse("run --bundle", "--bundle: value missing");
    refuse("run -b", "--bundle: value missing");
    refuse("run --verbose=3", "--verbose: takes no value");
    refuse("run --=x", "--: unknown option");
}
END_TEST

START_TEST(too_many_values_are_refused)
{
    char *words[2 * ARG_STRINGS_MAX + 4];
    static char name[] = "-e";
    static char value[] = "A=1";
    int first = 0;

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        words[i] = i % 2 ? name : value;
    env.n = 0;
    ck_assert_int_eq(args_parse(options, 2 * ARG_STRINGS_MAX + 1, words, &first, &err), 0);
    ck_assert_uint_eq(env.n, ARG_STRINGS_MAX);
    env.n = 0;
    ck_assert_int_eq(args_parse(options, 2 * ARG_STRINGS_MAX + 3, words, &first, &err), -EINVAL);
}
END_TEST

START_TEST(usage_is_a_table)
{
    AUTO(buf) struct buf b = BUF_INIT;

    args_usage(options, &b);
    ck_assert_str_eq(buf_str(&b), "  -b, --bundle PATH  folder of config.json\n"
                                  "  -d, --detach       do not wait\n"
                                  "  -t, --tty          with a terminal\n"
                                  "  -e, --env K=V      set a variable\n"
                                  "  -v, --verbose      say more\n"
                                  "      --no-pivot     \n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { every_form_of_option_is_read,
        grouped_letters_may_end_with_a_value, first_other_word_ends_the_options,
        flag_may_say_true_or_false, empty_value_is_a_value, wrong_option_is_named,
        too_many_values_are_refused, usage_is_a_table };

    return unit_run("args", tests, ARRAY_SIZE(tests));
}
