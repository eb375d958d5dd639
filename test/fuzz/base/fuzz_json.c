/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON from a stranger. What holds for every input: no fault; what the strict reader takes the
 * lenient one takes too, and reads the same; what was read and written again is read the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "json.h"
#include "json_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool rewrite(
    const char *text, size_t len, bool may_comment, unsigned indent, struct buf *out)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct json_limits limits = { .may_comment = may_comment };
    struct json *root = NULL;
    struct error err = ERR_INIT;

    if (json_parse(&arena, "fuzz", text, len, &limits, &root, &err) < 0) {
        if (err.code <= 0 || err.text[0] == '\0' || root)
            abort();
        return false;
    }
    struct json_writer w = JSON_WRITER_INIT(out, indent);
    json_put_tree(&w, NULL, root);
    return buf_ok(out);
}

static void require_same(const struct buf *a, const struct buf *b)
{
    if (a->len != b->len || memcmp(buf_str(a), buf_str(b), a->len) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(buf) struct buf lenient = BUF_INIT;
    AUTO(buf) struct buf strict = BUF_INIT;
    AUTO(buf) struct buf indented = BUF_INIT;
    AUTO(buf) struct buf again = BUF_INIT;

    bool is_strict = rewrite((const char *)data, size, false, 0, &strict);
    bool is_lenient = rewrite((const char *)data, size, true, 0, &lenient);
    if (is_strict && !is_lenient)
        abort();
    if (is_strict)
        require_same(&strict, &lenient);
    if (!is_lenient)
        return 0;
    if (!rewrite(buf_str(&lenient), lenient.len, false, 2, &indented))
        abort();
    if (!rewrite(buf_str(&indented), indented.len, false, 0, &again))
        abort();
    require_same(&lenient, &again);
    return 0;
}
