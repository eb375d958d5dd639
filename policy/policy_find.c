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

struct opening {
    struct arena *arena;
    const struct policy_source *source;
    struct buf *faults;
    struct buf *notes;
    struct error *err;
};

static int document_resolve(
    const struct opening *o, const struct policy_text *text, unsigned depth, struct policy **ret);

/* What a document extends, with all that this one extends. */
static int base_resolve(
    const struct opening *o, const struct policy *of, unsigned depth, struct policy **ret)
{
    AUTO(buf) struct buf place = BUF_INIT;
    struct policy_text text;
    int rc = 0;

    if (depth == POLICY_EXTENDS_MAX)
        rc = err_set(o->err, EINVAL, "in a ring, or more than %d in a row", POLICY_EXTENDS_MAX);
    if (rc == 0)
        rc = policy_find(o->arena, o->source, of->extends, &text, o->err);
    if (rc == 0)
        return document_resolve(o, &text, depth + 1, ret);
    policy_origin_put(&place, &of->extends_origin);
    return note_fault(o->faults, err_in(o->err, "%sextends", buf_str(&place)), o->err);
}

static int document_resolve(
    const struct opening *o, const struct policy_text *text, unsigned depth, struct policy **ret)
{
    struct policy *policy = NULL;
    struct policy *base = NULL;

    int rc = document_open(o->arena, text, &policy, o->faults, o->err);
    if (rc == 0 && policy->extends) {
        rc = base_resolve(o, policy, depth, &base);
        if (rc < 0)
            return rc;
        (void)policy_within(policy, base, o->notes);
        rc = policy_merge(o->arena, policy, base, &policy, o->err);
        if (rc < 0)
            return note_fault(o->faults, rc, o->err);
    }
    if (rc == 0)
        *ret = policy;
    return rc;
}

int policy_open(struct arena *arena, const struct policy_source *source,
    const struct policy_text *text, struct policy **ret, struct buf *faults, struct buf *notes,
    struct error *err)
{
    const struct opening opening = {
        .arena = arena, .source = source, .faults = faults, .notes = notes, .err = err
    };

    int rc = document_resolve(&opening, text, 1, ret);
    if (rc == 0)
        policy_close(*ret);
    return rc;
}
