/* SPDX-License-Identifier: Apache-2.0 */
/* Text of a policy to document, by policy_key_table. A fault is noted and reading goes on, so that one run tells
 * all. */
#include "policy_parse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "json.h"
#include "parse_num.h"
#include "policy_check.h"
#include "policy_doc.h"
#include "policy_find.h"
#include "policy_rule.h"
#include "policy_write.h"
#include "strv.h"

#define DEPTH_MAX        8
#define TEXT_MAX         4096 /* bytes of an item or label */
#define NEAR_DISTANCE    3    /* a word this far away is not what was meant */
#define CPU_DIGITS_AFTER 3

struct reader {
    struct arena *arena;
    const char *name; /* in the arena */
    struct policy *policy;
    struct buf *faults; /* or NULL */
    struct error *err;  /* gets the first */
    size_t n_faults;
};

static void fault(struct reader *r, const struct json *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void fault(struct reader *r, const struct json *at, const char *format, ...)
{
    AUTO(buf) struct buf line = BUF_INIT;
    va_list ap;

    if (++r->n_faults > POLICY_FAULTS_MAX)
        return;
    buf_put_plain(&line, r->name, strlen(r->name));
    buf_printf(&line, ":%" PRIu32 ":%" PRIu32 ": ", at->line, at->column);
    va_start(ap, format);
    buf_vprintf(&line, format, ap);
    va_end(ap);
    if (r->n_faults == 1)
        (void)err_set(r->err, EINVAL, "%s", buf_str(&line));
    if (r->faults)
        buf_printf(r->faults, "%s\n", buf_str(&line));
}

static struct policy_origin origin_of(const struct reader *r, const struct json *value)
{
    return (struct policy_origin){ .file = r->name, .line = value->line, .column = value->column };
}

/* Puts `"word" what; did you mean "x"?`, or all that it could be. */
static void word_fault_put(
    struct buf *out, const char *word, const char *what, const struct strv *known)
{
    const char *nearest = NULL;
    size_t best = NEAR_DISTANCE;

    buf_put_quoted(out, word, strlen(word));
    buf_printf(out, " %s", what);
    for (size_t i = 0; i < known->n; i++) {
        size_t distance = str_distance(known->items[i], word);
        if (distance < best) {
            best = distance;
            nearest = known->items[i];
        }
    }
    if (nearest) {
        buf_printf(out, "; did you mean \"%s\"?", nearest);
        return;
    }
    buf_puts(out, "; known:");
    for (size_t i = 0; i < known->n; i++)
        buf_printf(out, "%s %s", i > 0 ? "," : "", known->items[i]);
}

/* prefix: "" or "process: " */
static void unknown_key(
    struct reader *r, const struct json *member, const char *prefix, const struct strv *known)
{
    AUTO(buf) struct buf text = BUF_INIT;

    word_fault_put(&text, member->key, "is not a key", known);
    fault(r, member, "%s%s", prefix, buf_str(&text));
}

static void key_fault(
    struct reader *r, const struct json *at, enum policy_key key, const char *what)
{
    AUTO(buf) struct buf text = BUF_INIT;

    policy_key_put(&text, key);
    fault(r, at, "%s: %s", buf_str(&text), what);
}

static void type_fault(
    struct reader *r, const struct json *at, enum policy_key key, const char *wanted)
{
    AUTO(buf) struct buf text = BUF_INIT;

    buf_printf(&text, "%s where %s belongs", json_type_name(at->type), wanted);
    key_fault(r, at, key, buf_str(&text));
}

/* --- values ------------------------------------------------------------------------------------ */

static bool word_index(const char *const *words, const char *word, uint64_t *ret)
{
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static void word_unknown(struct reader *r, const struct json *at, enum policy_key key)
{
    AUTO(buf) struct buf text = BUF_INIT;
    struct strv known = STRV_INIT;

    for (const char *const *w = policy_key_table[key].words; *w; w++)
        strv_add(r->arena, &known, *w);
    word_fault_put(&text, at->string.text, "is not a word of this key", &known);
    key_fault(r, at, key, buf_str(&text));
}

/* A string that the row takes as a word, item or label. */
static bool text_read(struct reader *r, const struct json *at, enum policy_key key)
{
    const struct policy_key_row *row = &policy_key_table[key];
    uint64_t index;

    if (at->type != JSON_STRING) {
        type_fault(r, at, key, "a string");
        return false;
    }
    if (at->string.len > TEXT_MAX) {
        key_fault(r, at, key, "too long");
        return false;
    }
    if (row->words && !word_index(row->words, at->string.text, &index)) {
        word_unknown(r, at, key);
        return false;
    }
    const char *what = row->item_fault ? row->item_fault(at->string.text) : NULL;
    if (what) {
        AUTO(buf) struct buf text = BUF_INIT;
        buf_put_quoted(&text, at->string.text, at->string.len);
        buf_printf(&text, ": %s", what);
        key_fault(r, at, key, buf_str(&text));
        return false;
    }
    return true;
}

static bool word_read(
    struct reader *r, const struct json *at, enum policy_key key, struct policy_value *value)
{
    return text_read(r, at, key) &&
           word_index(policy_key_table[key].words, at->string.text, &value->number);
}

static bool label_read(
    struct reader *r, const struct json *at, enum policy_key key, struct policy_value *value)
{
    if (!text_read(r, at, key))
        return false;
    value->text = at->string.text;
    return true;
}

static bool truth_read(
    struct reader *r, const struct json *at, enum policy_key key, struct policy_value *value)
{
    if (at->type != JSON_BOOL) {
        type_fault(r, at, key, "true or false");
        return false;
    }
    value->number = at->boolean;
    return true;
}

/* "1.5" in thousandths; -EINVAL, -ERANGE. */
static int cpus_parse(const char *text, size_t len, uint64_t max, uint64_t *ret)
{
    const char *point = memchr(text, '.', len);
    size_t n_whole = point ? (size_t)(point - text) : len;
    uint64_t whole = 0;
    uint64_t part = 0;

    int rc = parse_u64(text, n_whole, max / 1000, &whole);
    if (rc < 0)
        return rc;
    size_t n_part = point ? len - n_whole - 1 : 0;
    if (n_part > CPU_DIGITS_AFTER || (point && n_part == 0))
        return -EINVAL;
    for (size_t i = 0; i < CPU_DIGITS_AFTER; i++) {
        char digit = i < n_part ? point[1 + i] : '0';
        if (digit < '0' || digit > '9')
            return -EINVAL;
        part = part * 10 + (uint64_t)(digit - '0');
    }
    *ret = whole * 1000 + part;
    return 0;
}

static const char *number_form(enum policy_kind kind)
{
    if (kind == POLICY_BYTES)
        return "a size as \"2GiB\" or \"unlimited\"";
    if (kind == POLICY_CPUS)
        return "a number as 2 or 0.125 or \"unlimited\"";
    return "a whole number or \"unlimited\"";
}

static void number_fault(struct reader *r, const struct json *at, enum policy_key key, int rc)
{
    const struct policy_key_row *row = &policy_key_table[key];
    AUTO(buf) struct buf text = BUF_INIT;

    if (rc == -ERANGE) {
        buf_puts(&text, "not within ");
        policy_number_put(&text, row->kind, row->min);
        buf_puts(&text, " to ");
        policy_number_put(&text, row->kind, row->max);
    } else {
        buf_printf(&text, "not %s", number_form(row->kind));
    }
    key_fault(r, at, key, buf_str(&text));
}

static bool number_read(
    struct reader *r, const struct json *at, enum policy_key key, struct policy_value *value)
{
    const struct policy_key_row *row = &policy_key_table[key];
    int rc = 0;

    if (at->type == JSON_STRING && str_eq(at->string.text, "unlimited")) {
        value->number = POLICY_UNLIMITED;
        return true;
    }
    if (at->type != (row->kind == POLICY_BYTES ? JSON_STRING : JSON_NUMBER)) {
        type_fault(r, at, key, number_form(row->kind));
        return false;
    }
    if (row->kind == POLICY_BYTES)
        rc = parse_size(at->string.text, &value->number);
    else if (row->kind == POLICY_CPUS)
        rc = cpus_parse(at->string.text, at->string.len, row->max, &value->number);
    else
        rc = json_u64(at, row->max, &value->number);
    if (rc == 0 && (value->number < row->min || value->number > row->max))
        rc = -ERANGE;
    if (rc < 0)
        number_fault(r, at, key, rc);
    return rc == 0;
}

static int compare_items(const void *a, const void *b)
{
    return strcmp(((const struct policy_item *)a)->text, ((const struct policy_item *)b)->text);
}

/* Sorted; of equal ones the first in the text stays. */
static void items_settle(struct policy_value *value)
{
    size_t n = 0;

    if (value->n_items > 1)
        qsort(value->items, value->n_items, sizeof(value->items[0]), compare_items);
    for (size_t i = 0; i < value->n_items; i++) {
        if (n == 0 || strcmp(value->items[n - 1].text, value->items[i].text) != 0)
            value->items[n++] = value->items[i];
    }
    value->n_items = n;
}

static const char *item_read(struct reader *r, const struct json *at, enum policy_key key)
{
    const struct json *place = at;
    const char *what = NULL;
    enum policy_kind kind = policy_key_table[key].kind;

    if (kind != POLICY_ALLOWED && kind != POLICY_REFUSED)
        return text_read(r, at, key) ? at->string.text : NULL;
    const char *text = policy_rule_text(r->arena, at, &place, &what);
    if (!text)
        key_fault(r, place, key, what);
    return text;
}

static bool list_read(
    struct reader *r, const struct json *at, enum policy_key key, struct policy_value *value)
{
    bool is_good = true;

    if (at->type != JSON_ARRAY) {
        type_fault(r, at, key, "a list");
        return false;
    }
    if (at->list.n > POLICY_ITEMS_MAX) {
        key_fault(r, at, key, "too many items");
        return false;
    }
    value->items = arena_new_array(r->arena, at->list.n + 1, struct policy_item);
    for (const struct json *item = at->list.first; item; item = item->next) {
        const char *text = item_read(r, item, key);
        if (text)
            value->items[value->n_items++] =
                (struct policy_item){ .text = text, .origin = origin_of(r, item) };
        else
            is_good = false;
    }
    items_settle(value);
    return is_good;
}

static void value_read(struct reader *r, const struct json *at, enum policy_key key)
{
    struct policy_value value = { .origin = origin_of(r, at) };
    bool is_good = false;

    switch (policy_key_table[key].kind) {
    case POLICY_WORD:
        is_good = word_read(r, at, key, &value);
        break;
    case POLICY_TRUE:
        is_good = truth_read(r, at, key, &value);
        break;
    case POLICY_BYTES:
    case POLICY_COUNT:
    case POLICY_CPUS:
    case POLICY_SECONDS:
        is_good = number_read(r, at, key, &value);
        break;
    case POLICY_GRANTS:
    case POLICY_DENIALS:
    case POLICY_ALLOWED:
    case POLICY_REFUSED:
        is_good = list_read(r, at, key, &value);
        break;
    case POLICY_LABEL:
        is_good = label_read(r, at, key, &value);
        break;
    default:
        abort();
    }
    if (is_good)
        r->policy->values[key] = value;
}

/* --- the document ------------------------------------------------------------------------------ */

static void section_read(struct reader *r, const struct json *section)
{
    struct strv known = STRV_INIT;

    for (size_t key = 0; key < POLICY_KEYS; key++) {
        if (strcmp(policy_key_table[key].section, section->key) == 0)
            strv_add(r->arena, &known, policy_key_table[key].name);
    }
    if (section->type != JSON_OBJECT) {
        fault(r, section, "%s: %s where an object belongs", section->key,
            json_type_name(section->type));
        return;
    }
    for (const struct json *member = section->list.first; member; member = member->next) {
        size_t key = 0;
        while (key < POLICY_KEYS && (strcmp(policy_key_table[key].section, section->key) != 0 ||
                                        strcmp(policy_key_table[key].name, member->key) != 0))
            key++;
        if (key < POLICY_KEYS)
            value_read(r, member, (enum policy_key)key);
        else
            unknown_key(r, member, arena_printf(r->arena, "%s: ", section->key), &known);
    }
}

static void version_read(struct reader *r, const struct json *value)
{
    uint64_t version = 0;

    if (json_u64(value, UINT64_MAX, &version) < 0)
        fault(r, value, "version: %s where the number %d belongs", json_type_name(value->type),
            POLICY_VERSION);
    else if (version != POLICY_VERSION)
        fault(r, value, "version: %" PRIu64 " is not known to this runa, only %d", version,
            POLICY_VERSION);
}

static void extends_read(struct reader *r, const struct json *value)
{
    if (value->type != JSON_STRING || !policy_name_is_valid(value->string.text)) {
        fault(r, value, "extends: not the name of a policy (a to z, 0 to 9, \"-\")");
        return;
    }
    r->policy->extends = value->string.text;
    r->policy->extends_origin = origin_of(r, value);
}

static void document_read(struct reader *r, const struct json *document)
{
    struct strv known = STRV_INIT;
    bool has_version = false;

    if (document->type != JSON_OBJECT) {
        fault(r, document, "%s where an object belongs", json_type_name(document->type));
        return;
    }
    strv_add(r->arena, &known, "version");
    strv_add(r->arena, &known, "extends");
    for (size_t key = 0; key < POLICY_KEYS; key++) {
        if (!strv_has(&known, policy_key_table[key].section))
            strv_add(r->arena, &known, policy_key_table[key].section);
    }
    for (const struct json *member = document->list.first; member; member = member->next) {
        if (str_eq(member->key, "version")) {
            has_version = true;
            version_read(r, member);
        } else if (str_eq(member->key, "extends")) {
            extends_read(r, member);
        } else if (strv_has(&known, member->key)) {
            section_read(r, member);
        } else {
            unknown_key(r, member, "", &known);
        }
    }
    if (!has_version)
        fault(r, document, "version: missing; this runa knows %d", POLICY_VERSION);
}

int policy_parse(struct arena *arena, const char *name, const char *text, size_t len,
    struct policy **ret, struct buf *faults, struct error *err)
{
    const struct json_limits limits = {
        .size_bytes_max = POLICY_SIZE_MAX, .depth_max = DEPTH_MAX, .may_comment = true
    };
    struct reader r = { .arena = arena,
        .name = arena_strdup(arena, name),
        .policy = arena_new(arena, struct policy),
        .faults = faults,
        .err = err };
    struct json *document = NULL;

    int rc = json_parse(arena, r.name, text, len, &limits, &document, err);
    if (rc < 0) {
        if (faults)
            buf_printf(faults, "%s\n", err->text);
        return rc;
    }
    r.policy->name = r.name;
    document_read(&r, document);
    if (r.n_faults > 0) {
        struct error also = ERR_INIT;
        if (faults)
            (void)policy_unsupported(r.policy, faults, &also);
        return -EINVAL;
    }
    *ret = r.policy;
    return 0;
}
