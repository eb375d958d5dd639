/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text to tree, over yajl's callbacks. */
#include "json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "alloc.h"
#include "arena.h"
#include "cleanup.h"
#include "err.h"
#include "json_scan.h"
#include "parse_num.h"
#include "strv.h"

enum {
    NUMBER_LEN_MAX = 64, /* no integer or double needs as much */
    FEW_KEYS = 16,       /* up to here comparing each with each is the fastest */
};

struct frame {
    struct json *list;  /* the array or object that is open; NULL for the document */
    struct json **tail; /* where the next value is linked */
    const char *key;
};

struct parser {
    struct arena *arena;
    const char *name;
    const char *text;
    size_t len;
    yajl_handle yajl;
    bool is_at_end; /* all text was given: yajl's count is of its own closing blank */
    size_t seen;    /* text[0..seen) is counted in line; line_start follows its last newline */
    uint32_t line;
    size_t line_start;
    unsigned depth;
    unsigned depth_max;
    struct frame *frames; /* depth_max + 1 */
    struct json *root;
    struct error *err; /* set once a callback gave up */
};

/* Line and column of an offset; offsets of values never decrease, so that all text is counted once.
 */
static uint32_t move_to(struct parser *p, size_t offset)
{
    while (p->seen < offset) {
        const char *newline = memchr(p->text + p->seen, '\n', offset - p->seen);
        if (!newline) {
            p->seen = offset;
            break;
        }
        p->seen = (size_t)(newline - p->text) + 1;
        p->line_start = p->seen;
        p->line++;
    }
    return (uint32_t)(offset - p->line_start) + 1;
}

static int fail_at(struct parser *p, size_t offset, const char *what)
{
    uint32_t column = move_to(p, offset);

    return err_set(p->err, EINVAL, "%s:%u:%u: %s", p->name, p->line, column, what);
}

/* Offset of the last byte of the token that yajl is at. */
static size_t token_offset(const struct parser *p)
{
    size_t end = p->is_at_end ? p->len : yajl_get_bytes_consumed(p->yajl);

    return end > 0 ? end - 1 : 0;
}

/* From a callback: the error is set, yajl must stop. */
static int stop(struct parser *p, const char *what)
{
    (void)fail_at(p, token_offset(p), what);
    return 0;
}

static struct json *add_value(struct parser *p, enum json_type type)
{
    struct frame *frame = &p->frames[p->depth];
    struct json *value = arena_new(p->arena, struct json);

    value->type = type;
    value->column = move_to(p, token_offset(p));
    value->line = p->line;
    value->key = frame->key;
    frame->key = NULL;
    *frame->tail = value;
    frame->tail = &value->next;
    if (frame->list)
        frame->list->list.n++;
    return value;
}

static int on_null(void *ctx)
{
    (void)add_value(ctx, JSON_NULL);
    return 1;
}

static int on_boolean(void *ctx, int is_true)
{
    add_value(ctx, JSON_BOOL)->boolean = is_true != 0;
    return 1;
}

/* Integers must fit int64 or uint64, others a finite double: a reader that looks closer cannot be
 * led astray. */
static bool number_fits(const char *text, size_t len)
{
    int64_t i64 = 0;
    uint64_t u64 = 0;

    if (memchr(text, '.', len) || memchr(text, 'e', len) || memchr(text, 'E', len))
        return isfinite(strtod(text, NULL));
    if (len == 2 && memcmp(text, "-0", 2) == 0)
        return true;
    return parse_u64(text, len, UINT64_MAX, &u64) == 0 ||
           parse_i64(text, len, INT64_MIN, INT64_MAX, &i64) == 0;
}

static int on_number(void *ctx, const char *text, size_t len)
{
    struct parser *p = ctx;

    if (len > NUMBER_LEN_MAX)
        return stop(p, "number too long");
    char *copy = arena_strndup(p->arena, text, len);
    if (!number_fits(copy, len))
        return stop(p, "number out of range");
    struct json *value = add_value(p, JSON_NUMBER);
    value->string.text = copy;
    value->string.len = len;
    return 1;
}

static int on_string(void *ctx, const unsigned char *text, size_t len)
{
    struct parser *p = ctx;

    if (memchr(text, 0, len))
        return stop(p, "NUL in string");
    struct json *value = add_value(p, JSON_STRING);
    value->string.text = arena_strndup(p->arena, (const char *)text, len);
    value->string.len = len;
    return 1;
}

static int on_key(void *ctx, const unsigned char *text, size_t len)
{
    struct parser *p = ctx;

    if (memchr(text, 0, len))
        return stop(p, "NUL in key");
    p->frames[p->depth].key = arena_strndup(p->arena, (const char *)text, len);
    return 1;
}

static int open_list(struct parser *p, enum json_type type)
{
    if (p->depth >= p->depth_max)
        return stop(p, "nested too deeply");
    struct json *list = add_value(p, type);
    p->frames[++p->depth] = (struct frame){ .list = list, .tail = &list->list.first };
    return 1;
}

static int on_start_object(void *ctx)
{
    return open_list(ctx, JSON_OBJECT);
}

static int on_start_array(void *ctx)
{
    return open_list(ctx, JSON_ARRAY);
}

static int on_end_array(void *ctx)
{
    struct parser *p = ctx;

    p->depth--;
    return 1;
}

/* By key, then by place. */
static int compare_keys(const void *a, const void *b)
{
    const struct json *left = *(const struct json *const *)a;
    const struct json *right = *(const struct json *const *)b;
    int r = strcmp(left->key, right->key);

    if (r != 0)
        return r;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return left->column < right->column ? -1 : left->column > right->column;
}

static const struct json *find_twice_of_few(const struct json *object)
{
    for (const struct json *a = object->list.first; a; a = a->next)
        for (const struct json *b = a->next; b; b = b->next)
            if (strcmp(a->key, b->key) == 0)
                return b;
    return NULL;
}

/* By sorting: no choice of keys makes it slow. */
static const struct json *find_twice_of_many(const struct json *object)
{
    size_t n = 0;
    const struct json **sorted = xcalloc(object->list.n, sizeof(*sorted));
    const struct json *found = NULL;

    for (const struct json *item = object->list.first; item; item = item->next)
        sorted[n++] = item;
    qsort(sorted, n, sizeof(*sorted), compare_keys);
    for (size_t i = 1; i < n && !found; i++)
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0)
            found = sorted[i];
    free(sorted);
    return found;
}

static int on_end_object(void *ctx)
{
    struct parser *p = ctx;
    const struct json *object = p->frames[p->depth].list;
    const struct json *twice =
        object->list.n <= FEW_KEYS ? find_twice_of_few(object) : find_twice_of_many(object);

    p->depth--;
    if (!twice)
        return 1;
    (void)err_set(p->err, EINVAL, "%s:%u:%u: key \"%.100s\" a second time in one object", p->name,
        twice->line, twice->column, twice->key);
    return 0;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_map_key = on_key,
    .yajl_start_map = on_start_object,
    .yajl_end_map = on_end_object,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end_array,
};

/* yajl does not look whether it got memory. */
static void *memory_new(void *ctx, size_t size)
{
    (void)ctx;
    return xmalloc(size);
}

static void *memory_grow(void *ctx, void *p, size_t size)
{
    (void)ctx;
    return xrealloc(p, size, 1);
}

static void memory_free(void *ctx, void *p)
{
    (void)ctx;
    free(p);
}

/* yajl's own complaint, "parse error: What.\n", in our form. */
static int fail_as_yajl(struct parser *p)
{
    unsigned char *text = yajl_get_error(p->yajl, 0, NULL, 0);
    char *what = (char *)text;
    char *colon = strstr(what, ": ");

    what[strcspn(what, "\n")] = '\0';
    if (colon)
        what = colon + 2;
    if (str_ends(what, "."))
        what[strlen(what) - 1] = '\0';
    int r = fail_at(p, token_offset(p), what);
    yajl_free_error(p->yajl, text);
    return r;
}

static int run_yajl(struct parser *p, const char *text)
{
    yajl_alloc_funcs memory = {
        .malloc = memory_new, .realloc = memory_grow, .free = memory_free
    };

    p->yajl = yajl_alloc(&callbacks, &memory, p);
    yajl_status status = yajl_parse(p->yajl, (const unsigned char *)text, p->len);
    if (status == yajl_status_ok) {
        p->is_at_end = true;
        status = yajl_complete_parse(p->yajl);
    }
    int r = 0;
    if (status == yajl_status_client_canceled)
        r = -p->err->code;
    else if (status != yajl_status_ok)
        r = fail_as_yajl(p);
    yajl_free(p->yajl);
    return r;
}

static int parse(struct parser *p, const char *text)
{
    autofree struct frame *frames = xcalloc((size_t)p->depth_max + 1, sizeof(*frames));

    p->frames = frames;
    p->frames[0].tail = &p->root;
    int r = run_yajl(p, text);
    if (r == 0 && !p->root)
        r = fail_at(p, p->len, "no value");
    return r;
}

int json_parse(struct arena *arena, const char *name, const char *text, size_t len,
    const struct json_limits *limits, struct json **ret, struct error *err)
{
    static const struct json_limits none;
    const struct json_limits *by = limits ? limits : &none;
    size_t size_max = by->size_bytes_max ? by->size_bytes_max : JSON_SIZE_MAX;
    struct parser p = { .arena = arena,
        .name = name,
        .text = text,
        .len = len,
        .line = 1,
        .depth_max = by->depth_max ? by->depth_max : JSON_DEPTH_MAX,
        .err = err };
    autofree char *blank = NULL;
    size_t offset = 0;
    const char *what = NULL;

    if (len > size_max)
        return err_set(err, EINVAL, "%s: larger than %zu bytes", name, size_max);
    if (by->may_comment) {
        blank = xmalloc(len);
        if (len)
            memcpy(blank, text, len);
    }
    if (json_scan(text, len, blank, &offset, &what) < 0)
        return fail_at(&p, offset, what);
    int r = parse(&p, blank ? blank : text);
    if (r < 0)
        return r;
    *ret = p.root;
    return 0;
}

const struct json *json_get(const struct json *object, const char *key)
{
    if (!object || object->type != JSON_OBJECT)
        return NULL;
    for (const struct json *item = object->list.first; item; item = item->next)
        if (strcmp(item->key, key) == 0)
            return item->type == JSON_NULL ? NULL : item;
    return NULL;
}

int json_u64(const struct json *value, uint64_t max, uint64_t *ret)
{
    if (value->type != JSON_NUMBER)
        return -EINVAL;
    int r = parse_u64(value->string.text, value->string.len, max, ret);
    int64_t negative = 0;
    if (r == -EINVAL && value->string.text[0] == '-' &&
        parse_i64(value->string.text, value->string.len, INT64_MIN, 0, &negative) == 0)
        return -ERANGE;
    return r;
}

int json_i64(const struct json *value, int64_t min, int64_t max, int64_t *ret)
{
    if (value->type != JSON_NUMBER)
        return -EINVAL;
    return parse_i64(value->string.text, value->string.len, min, max, ret);
}

const char *json_type_name(enum json_type type)
{
    switch (type) {
    case JSON_NULL:
        return "null";
    case JSON_BOOL:
        return "boolean";
    case JSON_NUMBER:
        return "number";
    case JSON_STRING:
        return "string";
    case JSON_ARRAY:
        return "array";
    case JSON_OBJECT:
        return "object";
    }
    return "nothing";
}
