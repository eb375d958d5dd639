/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user string, a passwd and a group text from a stranger, each ended by a NUL. What holds for every input: no fault;
 * an id is never "none"; digits are that number and nothing else; a home is absolute.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "err.h"
#include "user_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Cuts the piece before the first NUL off. */
static struct user_file piece(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size == 0 ? NULL : memchr(*data, 0, *size);
    size_t len = end == NULL ? *size : (size_t)(end - *data);
    struct user_file file = { (const char *)*data, len };
    size_t used = end == NULL ? len : len + 1;
    *data += used;
    *size -= used;
    return file;
}

static void check(const char *string, const struct user *user)
{
    size_t n_digits = strspn(string, "0123456789");
    if (user->uid == UINT32_MAX || user->gid == UINT32_MAX || user->home[0] != '/')
        abort();
    if (n_digits > 0 && (string[n_digits] == '\0' || string[n_digits] == ':') &&
        strtoull(string, NULL, 10) != user->uid)
        abort();
    for (size_t i = 0; i < user->n_groups; i++)
        if (user->groups[i] == UINT32_MAX)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    struct user user;
    struct user_file text = piece(&data, &size);
    struct user_file passwd = piece(&data, &size);
    struct user_file group = { (const char *)data, size };
    const char *string = arena_strndup(&arena, text.text, text.len);
    int r = user_parse(&arena, string, &passwd, &group, &user, &err);
    if (r == 0)
        check(string, &user);
    else if (err.code <= 0 || err.text[0] == '\0')
        abort();
    return 0;
}
