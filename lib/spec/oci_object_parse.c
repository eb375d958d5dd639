/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the tree and the table together; the way down is kept on the stack, for messages. */
#include "oci_object_parse.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "json.h"
#include "oci_config.h"
#include "oci_schema.h"

struct reader {
    struct arena *arena;
    const char *name;
    struct error *err;
};

/* One step from the document down to a value. */
struct place {
    const struct place *up;
    enum { PLACE_FIELD, PLACE_KEY, PLACE_INDEX } kind;
    const char *name; /* of a field or a key */
    size_t index;
};

static void place_print(const struct place *place, struct buf *out)
{
    if (!place)
        return;
    place_print(place->up, out);
    switch (place->kind) {
    case PLACE_FIELD:
        buf_printf(out, "%s%s", out->len > 0 ? "." : "", place->name);
        break;
    case PLACE_KEY: /* a stranger's text */
        buf_putc(out, '[');
        buf_put_quoted(out, place->name, strlen(place->name));
        buf_putc(out, ']');
        break;
    case PLACE_INDEX:
        buf_printf(out, "[%zu]", place->index);
        break;
    }
}

__attribute__((format(printf, 4, 5))) static int refuse(const struct reader *r,
    const struct place *place, const struct json *value, const char *format, ...)
{
    AUTO(buf) struct buf where = BUF_INIT;
    place_print(place, &where);
    AUTO(buf) struct buf what = BUF_INIT;
    va_list ap;
    va_start(ap, format);
    buf_vprintf(&what, format, ap);
    va_end(ap);
    return err_set(r->err, EINVAL, "%s:%" PRIu32 ":%" PRIu32 ": %s%s%s", r->name, value->line,
        value->column, buf_str(&where), where.len > 0 ? ": " : "", buf_str(&what));
}

static int expect(const struct reader *r, const struct place *place, const struct json *value,
    enum json_type type)
{
    if (value->type == type)
        return 0;
    return refuse(
        r, place, value, "%s instead of %s", json_type_name(value->type), json_type_name(type));
}

static void *at(void *base, int32_t offset)
{
    return (char *)base + offset;
}

static void set_count(const struct oci_field *field, void *base, size_t n)
{
    memcpy(at(base, field->aside), &n, sizeof(n));
}

static void set_has(const struct oci_field *field, void *base)
{
    if (field->aside != OCI_NO_ASIDE)
        memcpy(at(base, field->aside), &(bool){ true }, sizeof(bool));
}

static void store(const struct oci_field *field, void *base, uint64_t number)
{
    void *p = at(base, field->offset);
    switch (field->size) {
    case sizeof(char):
        memcpy(p, &(uint8_t){ (uint8_t)number }, sizeof(uint8_t));
        break;
    case sizeof(uint32_t):
        memcpy(p, &(uint32_t){ (uint32_t)number }, sizeof(uint32_t));
        break;
    default:
        assert(field->size == sizeof(uint64_t));
        memcpy(p, &number, sizeof(number));
    }
}

static void store_pointer(const struct oci_field *field, void *base, const void *pointer)
{
    memcpy(at(base, field->offset), &pointer, sizeof(pointer));
}

static int object_parse(const struct reader *r, const struct place *up,
    const struct oci_object *object, const struct json *value, void *ret);

static int unsigned_parse(const struct reader *r, const struct place *place,
    const struct oci_field *field, const struct json *value, void *base)
{
    int64_t minus = 0;
    if (field->options & OCI_MINUS_IS_ABSENT && json_i64(value, -1, -1, &minus) == 0)
        return 0;
    uint64_t max = field->size == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
    uint64_t number = 0;
    if (json_u64(value, max, &number) < 0)
        return refuse(r, place, value, "not a whole number from 0 to %" PRIu64, max);
    if (field->options & OCI_ZERO_IS_ABSENT && number == 0)
        return 0;
    store(field, base, field->options & OCI_MODE_BITS ? number & 07777 : number);
    set_has(field, base);
    return 0;
}

static int signed_parse(const struct reader *r, const struct place *place,
    const struct oci_field *field, const struct json *value, void *base)
{
    bool is_32 = field->size == sizeof(int32_t);
    int64_t min = is_32 ? INT32_MIN : INT64_MIN;
    int64_t max = is_32 ? INT32_MAX : INT64_MAX;
    int64_t number = 0;
    if (json_i64(value, min, max, &number) < 0)
        return refuse(r, place, value, "not a whole number from %" PRId64 " to %" PRId64, min, max);
    if (field->options & OCI_ZERO_IS_ABSENT && number == 0)
        return 0;
    store(field, base, (uint64_t)number);
    set_has(field, base);
    return 0;
}

static int word_parse(const struct reader *r, const struct place *place,
    const struct oci_choice *choices, const struct json *value, unsigned *ret)
{
    int rc = expect(r, place, value, JSON_STRING);
    if (rc < 0)
        return rc;
    const struct oci_choice *choice = oci_choice_find(choices, value->string.text);
    if (choice) {
        *ret = choice->value;
        return 0;
    }
    AUTO(buf) struct buf text = BUF_INIT;
    buf_put_quoted(&text, value->string.text, value->string.len);
    buf_puts(&text, " is not one of");
    for (; choices->text; choices++)
        buf_printf(&text, " %s", choices->text);
    return refuse(r, place, value, "%s", buf_str(&text));
}

static int choice_parse(const struct reader *r, const struct place *place,
    const struct oci_field *field, const struct json *value, void *base)
{
    if (value->type == JSON_STRING && value->string.len == 0 && !(field->options & OCI_REQUIRED))
        return 0;
    unsigned number = 0;
    int rc = word_parse(r, place, field->choices, value, &number);
    if (rc == 0)
        store(field, base, number);
    return rc;
}

/* Goes through the items of an array or object that are not null. Returns 0 at the end. */
static int next_item(const struct reader *r, const struct place *up, const struct oci_field *field,
    const struct json **item, struct place *ret_place)
{
    for (; *item; *item = (*item)->next) {
        *ret_place = (struct place){
            .up = up,
            .kind = (*item)->key ? PLACE_KEY : PLACE_INDEX,
            .name = (*item)->key,
            .index = ret_place->index + 1,
        };
        if ((*item)->type != JSON_NULL)
            return 1;
        if (!(field->options & OCI_NULL_IS_SKIPPED))
            return refuse(r, ret_place, *item, "null, but a value must be there");
    }
    return 0;
}

/* for (each item that is kept): rc is 1 in the body, 0 or negative behind the loop. */
#define EACH_ITEM(r, up, field, array, item, step, rc)                                             \
    for (const struct json *item = (array)->list.first;                                            \
         (rc = next_item(r, up, field, &item, &step)) > 0; item = item->next)

static int flags_parse(const struct reader *r, const struct place *place,
    const struct oci_field *field, const struct json *value, void *base)
{
    int rc = expect(r, place, value, JSON_ARRAY);
    if (rc < 0)
        return rc;
    unsigned mask = 0;
    struct place step = { .index = SIZE_MAX };
    EACH_ITEM(r, place, field, value, item, step, rc)
    {
        unsigned bit = 0;
        rc = word_parse(r, &step, field->choices, item, &bit);
        if (rc < 0)
            return rc;
        mask |= bit;
    }
    if (rc < 0)
        return rc;
    store(field, base, mask);
    set_has(field, base);
    return 0;
}

/* One item of a list into *ret. */
typedef int item_fn(const struct reader *r, const struct place *place, const struct oci_field *field,
    const struct json *item, void *ret);

/* An array, or a map whose keys the items take. A list of strings ends with a NULL that is not counted. */
static int list_parse(const struct reader *r, const struct place *place, const struct oci_field *field,
    const struct json *value, void *base, size_t item_size, item_fn *item_parse)
{
    bool is_map = field->kind == OCI_OBJECT_MAP || field->kind == OCI_STRING_MAP;
    int rc = expect(r, place, value, is_map ? JSON_OBJECT : JSON_ARRAY);
    if (rc < 0)
        return rc;
    char *items = arena_array(r->arena, value->list.n + (field->kind == OCI_STRINGS), item_size);
    size_t n = 0;
    struct place step = { .index = SIZE_MAX };
    EACH_ITEM(r, place, field, value, item, step, rc)
    {
        rc = item_parse(r, &step, field, item, items + n++ * item_size);
        if (rc < 0)
            return rc;
    }
    if (rc < 0)
        return rc;
    store_pointer(field, base, items);
    set_count(field, base, n);
    return 0;
}

static int string_item(const struct reader *r, const struct place *place, const struct oci_field *field,
    const struct json *item, void *ret)
{
    (void)field;
    int rc = expect(r, place, item, JSON_STRING);
    if (rc == 0)
        memcpy(ret, &item->string.text, sizeof(item->string.text));
    return rc;
}

static int number_item(const struct reader *r, const struct place *place, const struct oci_field *field,
    const struct json *item, void *ret)
{
    (void)field;
    uint64_t number = 0;
    if (json_u64(item, UINT32_MAX, &number) < 0)
        return refuse(r, place, item, "not a whole number from 0 to %" PRIu32, UINT32_MAX);
    memcpy(ret, &(uint32_t){ (uint32_t)number }, sizeof(uint32_t));
    return 0;
}

/* The key of a map becomes the first member. */
static int object_item(const struct reader *r, const struct place *place, const struct oci_field *field,
    const struct json *item, void *ret)
{
    int rc = object_parse(r, place, field->object, item, ret);
    if (rc == 0 && field->kind == OCI_OBJECT_MAP)
        memcpy(ret, &item->key, sizeof(item->key));
    return rc;
}

static int pair_item(const struct reader *r, const struct place *place, const struct oci_field *field,
    const struct json *item, void *ret)
{
    (void)field;
    int rc = expect(r, place, item, JSON_STRING);
    if (rc == 0)
        memcpy(ret, &(struct oci_pair){ .key = item->key, .value = item->string.text }, sizeof(struct oci_pair));
    return rc;
}

static int pointer_parse(const struct reader *r, const struct place *place,
    const struct oci_field *field, const struct json *value, void *base)
{
    int rc = expect(r, place, value, JSON_OBJECT);
    if (rc < 0)
        return rc;
    if (field->options & OCI_EMPTY_IS_ABSENT && value->list.n == 0)
        return 0;
    void *one = arena_alloc(r->arena, field->object->size);
    rc = object_parse(r, place, field->object, value, one);
    if (rc == 0)
        store_pointer(field, base, one);
    return rc;
}

static int field_parse(const struct reader *r, const struct place *place,
    const struct oci_field *field, const struct json *value, void *base)
{
    int rc = 0;
    switch (field->kind) {
    case OCI_STRING:
        rc = expect(r, place, value, JSON_STRING);
        if (rc == 0 && value->string.len > 0)
            store_pointer(field, base, value->string.text);
        return rc;
    case OCI_BOOL:
        rc = expect(r, place, value, JSON_BOOL);
        if (rc == 0)
            store(field, base, value->boolean);
        return rc;
    case OCI_UNSIGNED:
        return unsigned_parse(r, place, field, value, base);
    case OCI_SIGNED:
        return signed_parse(r, place, field, value, base);
    case OCI_CHOICE:
        return choice_parse(r, place, field, value, base);
    case OCI_FLAGS:
        return flags_parse(r, place, field, value, base);
    case OCI_STRINGS:
        return list_parse(r, place, field, value, base, sizeof(char *), string_item);
    case OCI_NUMBERS:
        return list_parse(r, place, field, value, base, sizeof(uint32_t), number_item);
    case OCI_OBJECT:
        rc = object_parse(r, place, field->object, value, at(base, field->offset));
        if (rc == 0)
            set_has(field, base);
        return rc;
    case OCI_POINTER:
        return pointer_parse(r, place, field, value, base);
    case OCI_OBJECTS:
    case OCI_OBJECT_MAP:
        return list_parse(r, place, field, value, base, field->object->size, object_item);
    case OCI_STRING_MAP:
        return list_parse(r, place, field, value, base, sizeof(struct oci_pair), pair_item);
    }
    return refuse(r, place, value, "not readable");
}

/* The field of that name. Engines write fields in the order of the spec, so the search begins
 * behind the last one found. */
static const struct oci_field *field_find(
    const struct oci_object *object, const char *name, size_t start)
{
    for (size_t i = 0; i < object->n_fields; i++) {
        const struct oci_field *field = &object->fields[(start + i) % object->n_fields];
        if (strcmp(field->name, name) == 0)
            return field;
    }
    return NULL;
}

static int object_parse(const struct reader *r, const struct place *up,
    const struct oci_object *object, const struct json *value, void *ret)
{
    int rc = expect(r, up, value, JSON_OBJECT);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < object->n_fields; i++) {
        if (object->fields[i].fallback)
            store(&object->fields[i], ret, object->fields[i].fallback);
    }
    uint64_t seen = 0;
    size_t last = 0;
    for (const struct json *item = value->list.first; item; item = item->next) {
        const struct oci_field *field = field_find(object, item->key, last);
        struct place place = {
            .up = up, .kind = field ? PLACE_FIELD : PLACE_KEY, .name = item->key
        };
        if (!field && object->is_closed)
            return refuse(r, &place, item, "unknown");
        if (!field || item->type == JSON_NULL)
            continue;
        last = (size_t)(field - object->fields);
        seen |= UINT64_C(1) << last;
        rc = field_parse(r, &place, field, item, ret);
        if (rc < 0)
            return rc;
    }
    for (size_t i = 0; i < object->n_fields; i++) {
        const struct oci_field *field = &object->fields[i];
        struct place place = { .up = up, .kind = PLACE_FIELD, .name = field->name };
        if (field->options & OCI_REQUIRED && !(seen >> i & 1))
            return refuse(r, &place, value, "missing");
    }
    return 0;
}

int oci_object_parse(struct arena *arena, const char *name, const struct oci_object *object,
    const struct json *value, void *ret, struct error *err)
{
    struct reader r = { .arena = arena, .name = name, .err = err };
    memset(ret, 0, object->size);
    return object_parse(&r, NULL, object, value, ret);
}
