/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy from a stranger. What holds for every input: no fault, a message with every refusal; what was read and
 * written reads the same again; what is in force never lets a configuration that asks for everything have more than the
 * built-in ceiling.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config_parse.h"
#include "oci_config_write.h"
#include "policy_ceiling.h"
#include "policy_doc.h"
#include "policy_find.h"
#include "policy_lower.h"
#include "policy_merge.h"
#include "policy_parse.h"
#include "policy_write.h"

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

static void check_rewrite(struct arena *arena, const struct policy *policy)
{
    AUTO(buf) struct buf text = BUF_INIT;
    struct error err = ERR_INIT;
    struct policy *again = NULL;

    policy_write(policy, true, &text);
    require(buf_ok(&text));
    if (text.len > POLICY_SIZE_MAX) /* one with its origins can be larger than what may be read */
        return;
    require(policy_parse(arena, "again", text.data, text.len, &again, NULL, &err) == 0);
    require(policy_equal(policy, again));
}

static void check_lower(struct arena *arena, const struct policy *policy)
{
    AUTO(buf) struct buf once = BUF_INIT;
    AUTO(buf) struct buf twice = BUF_INIT;
    struct error err = ERR_INIT;
    const struct policy_subject subject = { 0 };
    struct oci_config *config = NULL;

    require(oci_config_parse(
                arena, "wide", policy_wide_config, strlen(policy_wide_config), &config, &err) == 0);
    if (policy_lower(arena, policy, &subject, config, NULL, &err) < 0) { /* its bind */
        require_line(&err);
        require(policy->values[POLICY_FILESYSTEM_WORKSPACE].number == POLICY_WORKSPACE_NONE);
        return;
    }
    require(!policy_breach(config));
    oci_config_write(config, 0, &once);
    require(policy_lower(arena, policy, &subject, config, NULL, &err) == 0);
    oci_config_write(config, 0, &twice);
    require(strcmp(buf_str(&once), buf_str(&twice)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    AUTO(buf) struct buf faults = BUF_INIT;
    AUTO(buf) struct buf notes = BUF_INIT;
    const struct policy_text text = { "fuzz", (const char *)data, size };
    struct error err = ERR_INIT;
    struct policy *policy = NULL;
    struct policy *document = NULL;

    if (policy_parse(&arena, text.name, text.text, text.len, &document, &faults, &err) < 0) {
        require_line(&err);
        require(faults.len > 0);
        return 0;
    }
    require(faults.len == 0);
    check_rewrite(&arena, document);
    if (policy_open(&arena, NULL, &text, &policy, &faults, &notes, &err) < 0) {
        require_line(&err);
        require(faults.len > 0);
        return 0;
    }
    require(policy_within(policy, document, NULL));
    check_rewrite(&arena, policy);
    check_lower(&arena, policy);
    return 0;
}
