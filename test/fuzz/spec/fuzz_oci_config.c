/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A configuration from a stranger. What holds for every input: no fault, a message with every
 * refusal; what was read and written reads the same again, and is judged the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config_check.h"
#include "oci_config_parse.h"
#include "oci_config_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
    if (!is_true)
        abort();
}

static void require_line(const struct error *err)
{
    require(err->code > 0 && err->text[0] != '\0' && !strchr(err->text, '\n'));
}

/* False when refused. The judgement of the check is put behind the text. */
static bool rewrite(const char *text, size_t len, struct buf *out, struct buf *judgement)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct oci_config *config = NULL;
    struct error err = ERR_INIT;
    if (oci_config_parse(&arena, "fuzz", text, len, &config, &err) < 0) {
        require_line(&err);
        return false;
    }
    oci_config_write(config, 0, out);
    require(buf_ok(out));
    if (oci_config_check(config, &err) < 0 || oci_config_unsupported(config, &err) < 0) {
        require_line(&err);
        buf_puts(judgement, err.text);
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(buf) struct buf first = BUF_INIT;
    AUTO(buf) struct buf second = BUF_INIT;
    AUTO(buf) struct buf verdict = BUF_INIT;
    AUTO(buf) struct buf again = BUF_INIT;
    if (!rewrite((const char *)data, size, &first, &verdict))
        return 0;
    require(rewrite(buf_str(&first), first.len, &second, &again));
    require(strcmp(buf_str(&first), buf_str(&second)) == 0);
    require(strcmp(buf_str(&verdict), buf_str(&again)) == 0);
    return 0;
}
