/* SPDX-License-Identifier: Apache-2.0 */
/* The lattice of documents, key by key. */
#include "policy_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "policy_doc.h"
#include "strv.h"

/* Does a allow no more than b? Both are there. */
static bool number_within(enum policy_kind kind, uint64_t a, uint64_t b)
{
    return kind == POLICY_TRUE ? a >= b : a <= b;
}

static bool items_within(const struct policy_value *few, const struct policy_value *many)
{
    for (size_t i = 0; i < few->n_items; i++) {
        if (!policy_value_has(many, few->items[i].text))
            return false;
    }
    return true;
}

static bool value_within(
    enum policy_kind kind, const struct policy_value *inner, const struct policy_value *outer)
{
    if (!outer->origin.file)
        return true;
    if (!inner->origin.file)
        return false;
    switch (kind) {
    case POLICY_GRANTS:
    case POLICY_ALLOWED:
        return items_within(inner, outer);
    case POLICY_DENIALS:
    case POLICY_REFUSED:
        return items_within(outer, inner);
    case POLICY_LABEL:
        return str_eq(inner->text, outer->text);
    case POLICY_WORD:
    case POLICY_TRUE:
    case POLICY_BYTES:
    case POLICY_COUNT:
    case POLICY_CPUS:
    case POLICY_SECONDS:
        return number_within(kind, inner->number, outer->number);
    default:
        abort();
    }
}

static void wider_put(
    struct buf *out, const struct policy_value *value, enum policy_key key, const char *than)
{
    policy_origin_put(out, &value->origin);
    policy_key_put(out, key);
    buf_printf(out, ": more than %s allows\n", than);
}

bool policy_within(const struct policy *inner, const struct policy *outer, struct buf *wider)
{
    bool is_within = true;

    for (size_t key = 0; key < POLICY_KEYS; key++) {
        const struct policy_value *value = &inner->values[key];
        if (value_within(policy_key_table[key].kind, value, &outer->values[key]))
            continue;
        is_within = false;
        if (wider && value->origin.file)
            wider_put(wider, value, (enum policy_key)key, outer->name);
    }
    return is_within;
}

/* Of two sorted lists the items that are in both, or all. */
static void items_merge(struct arena *arena, const struct policy_value *a,
    const struct policy_value *b, bool want_all, struct policy_value *ret)
{
    size_t i = 0;
    size_t k = 0;

    ret->items = arena_new_array(arena, a->n_items + b->n_items + 1, struct policy_item);
    ret->n_items = 0;
    while (i < a->n_items || k < b->n_items) {
        int order = i == a->n_items   ? 1
                    : k == b->n_items ? -1
                                      : strcmp(a->items[i].text, b->items[k].text);
        if (order == 0 || want_all)
            ret->items[ret->n_items++] = order <= 0 ? a->items[i] : b->items[k];
        i += order <= 0;
        k += order >= 0;
    }
}

/* Neither is within the other: lists only. */
static struct policy_value value_mix(struct arena *arena, enum policy_kind kind,
    const struct policy_value *a, const struct policy_value *b)
{
    struct policy_value value = *a;
    items_merge(arena, a, b, kind == POLICY_DENIALS || kind == POLICY_REFUSED, &value);
    return value;
}

static int label_conflict(enum policy_key key, const struct policy_value *a,
    const struct policy_value *b, struct error *err)
{
    AUTO(buf) struct buf text = BUF_INIT;

    policy_origin_put(&text, &b->origin);
    policy_key_put(&text, key);
    buf_puts(&text, ": not what is said at ");
    policy_origin_put(&text, &a->origin);
    return err_set(err, EINVAL, "%.*s", (int)(text.len - 2), buf_str(&text));
}

int policy_merge(struct arena *arena, const struct policy *a, const struct policy *b,
    struct policy **ret, struct error *err)
{
    struct policy *merged = arena_new(arena, struct policy);

    merged->name = a->name;
    for (size_t i = 0; i < POLICY_KEYS; i++) {
        enum policy_kind kind = policy_key_table[i].kind;
        const struct policy_value *of_a = &a->values[i];
        const struct policy_value *of_b = &b->values[i];
        if (value_within(kind, of_a, of_b))
            merged->values[i] = *of_a;
        else if (value_within(kind, of_b, of_a))
            merged->values[i] = *of_b;
        else if (kind == POLICY_LABEL)
            return label_conflict((enum policy_key)i, of_a, of_b, err);
        else
            merged->values[i] = value_mix(arena, kind, of_a, of_b);
    }
    *ret = merged;
    return 0;
}

void policy_close(struct policy *policy)
{
    for (size_t key = 0; key < POLICY_KEYS; key++) {
        if (policy->values[key].origin.file || policy_key_table[key].kind == POLICY_LABEL)
            continue;
        policy->values[key] = (struct policy_value){
            .origin.file = POLICY_ORIGIN_BUILT_IN,
            .number = policy_key_table[key].least,
        };
    }
}
