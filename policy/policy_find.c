/* SPDX-License-Identifier: Apache-2.0 */
/* From a name to the policy in force. */
#include "policy_find.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "policy_check.h"
#include "policy_doc.h"
#include "policy_merge.h"
#include "policy_parse.h"
#include "strv.h"

bool policy_name_is_valid(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

    return len > 0 && len <= POLICY_NAME_MAX && name[len] == '\0' && name[0] >= 'a';
}

static int find_shipped(const char *name, struct policy_text *ret)
{
    for (const struct policy_text *text = policy_shipped; text->name; text++) {
        if (strcmp(text->name, name) == 0) {
            *ret = *text;
            return 0;
        }
    }
    return POLICY_NOT_FOUND;
}

static const char *quoted(struct arena *arena, const char *word)
{
    AUTO(buf) struct buf text = BUF_INIT;

    buf_put_quoted(&text, word, strlen(word));
    return arena_strdup(arena, buf_str(&text));
}

int policy_find(struct arena *arena, const struct policy_source *source, const char *name,
    struct policy_text *ret, struct error *err)
{
    int rc = POLICY_NOT_FOUND;

    if (!policy_name_is_valid(name))
        return err_set(err, EINVAL,
            "policy %s: a name is of a to z, 0 to 9 and \"-\"; a file is named with a \"/\"",
            quoted(arena, name));
    if (source)
        rc = source->load(source->context, arena, name, ret, err);
    if (rc == POLICY_NOT_FOUND)
        rc = find_shipped(name, ret);
    if (rc == POLICY_NOT_FOUND)
        return err_set(err, ENOENT,
            "policy \"%s\": neither installed nor shipped; \"runa policy ls\" lists them", name);
    return rc;
}

static int note_fault(struct buf *faults, int rc, const struct error *err)
{
    if (faults)
        buf_printf(faults, "%s\n", err->text);
    return rc;
}

/* Parses; what the document itself asks for must be enforceable, whether or not something else takes it away again. */
static int document_open(struct arena *arena, const struct policy_text *text, struct policy **ret,
    struct buf *faults, struct error *err)
{
    int rc = policy_parse(arena, text->name, text->text, text->len, ret, faults, err);

    return rc < 0 ? rc : policy_unsupported(*ret, faults, err);
}

/* The document that another one extends. */
static int base_open(struct arena *arena, const struct policy_source *source,
    const struct policy *of, struct policy **ret, struct buf *faults, struct error *err)
{
    struct policy_text text;

    if (policy_find(arena, source, of->extends, &text, err) < 0) {
        AUTO(buf) struct buf place = BUF_INIT;
        policy_origin_put(&place, &of->extends_origin);
        return note_fault(faults, err_in(err, "%sextends", buf_str(&place)), err);
    }
    return document_open(arena, &text, ret, faults, err);
}

int policy_open(struct arena *arena, const struct policy_source *source,
    const struct policy_text *text, struct policy **ret, struct buf *faults, struct buf *notes,
    struct error *err)
{
    struct policy *policy = NULL;

    int rc = document_open(arena, text, &policy, faults, err);
    if (rc < 0)
        return rc;
    const struct policy *last = policy;
    for (unsigned depth = 1; last->extends; depth++) {
        struct policy *base = NULL;
        if (depth == POLICY_EXTENDS_MAX)
            return note_fault(faults,
                err_set(err, EINVAL, "%s: extends itself, or more than %d policies in a row",
                    text->name, POLICY_EXTENDS_MAX),
                err);
        rc = base_open(arena, source, last, &base, faults, err);
        if (rc < 0)
            return rc;
        (void)policy_within(last, base, notes);
        rc = policy_merge(arena, policy, base, &policy, err);
        if (rc < 0)
            return note_fault(faults, rc, err);
        last = base;
    }
    policy_close(policy);
    *ret = policy;
    return 0;
}
