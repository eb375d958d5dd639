/* SPDX-License-Identifier: Apache-2.0 */
/* The writing side of the tables. */
#include "oci_object_write.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "json_write.h"
#include "oci_config.h"
#include "oci_schema.h"

static const void *at(const void *base, int32_t offset)
{
    return (const char *)base + offset;
}

static uint64_t load(const struct oci_field *field, const void *base)
{
    uint8_t byte = 0;
    uint32_t word = 0;
    uint64_t number = 0;
    switch (field->size) {
    case sizeof(byte):
        memcpy(&byte, at(base, field->offset), sizeof(byte));
        return byte;
    case sizeof(word):
        memcpy(&word, at(base, field->offset), sizeof(word));
        return word;
    default:
        memcpy(&number, at(base, field->offset), sizeof(number));
        return number;
    }
}

static int64_t load_signed(const struct oci_field *field, const void *base)
{
    uint64_t number = load(field, base);
    return field->size == sizeof(int32_t) ? (int32_t)(uint32_t)number : (int64_t)number;
}

static void *load_pointer(const struct oci_field *field, const void *base)
{
    void *pointer = NULL;
    memcpy(&pointer, at(base, field->offset), sizeof(pointer));
    return pointer;
}

static size_t count(const struct oci_field *field, const void *base)
{
    size_t n = 0;
    memcpy(&n, at(base, field->aside), sizeof(n));
    return n;
}

static bool has(const struct oci_field *field, const void *base)
{
    bool is_there = false;
    memcpy(&is_there, at(base, field->aside), sizeof(is_there));
    return is_there;
}

static bool field_is_absent(const struct oci_field *field, const void *base)
{
    switch (field->kind) {
    case OCI_STRING:
    case OCI_POINTER:
        return !load_pointer(field, base);
    case OCI_BOOL:
        return load(field, base) == 0 && !(field->options & OCI_WRITE_FALSE);
    case OCI_UNSIGNED:
    case OCI_SIGNED:
    case OCI_CHOICE:
        if (field->aside != OCI_NO_ASIDE)
            return !has(field, base);
        return field->options & OCI_OMIT_DEFAULT && load(field, base) == field->fallback;
    case OCI_FLAGS:
        return field->aside != OCI_NO_ASIDE ? !has(field, base) : load(field, base) == 0;
    case OCI_OBJECT:
        if (field->aside != OCI_NO_ASIDE)
            return !has(field, base);
        return oci_object_is_empty(field->object, at(base, field->offset));
    case OCI_STRINGS:
    case OCI_NUMBERS:
    case OCI_OBJECTS:
    case OCI_STRING_MAP:
    case OCI_OBJECT_MAP:
        return count(field, base) == 0;
    }
    return true;
}

bool oci_object_is_empty(const struct oci_object *object, const void *value)
{
    for (size_t i = 0; i < object->n_fields; i++) {
        if (!field_is_absent(&object->fields[i], value))
            return false;
    }
    return true;
}

static void flags_write(struct json_writer *w, const struct oci_field *field, uint64_t mask)
{
    json_begin(w, field->name, '[');
    for (const struct oci_choice *choice = field->choices; choice->text; choice++) {
        if (mask & choice->value)
            json_put_str(w, NULL, choice->text);
    }
    json_end(w, ']');
}

static void numbers_write(struct json_writer *w, const char *key, const uint32_t *items, size_t n)
{
    json_begin(w, key, '[');
    for (size_t i = 0; i < n; i++)
        json_put_u64(w, NULL, items[i]);
    json_end(w, ']');
}

static void objects_write(
    struct json_writer *w, const struct oci_field *field, const char *items, size_t n)
{
    bool is_map = field->kind == OCI_OBJECT_MAP;
    json_begin(w, field->name, is_map ? '{' : '[');
    for (size_t i = 0; i < n; i++) {
        const void *one = items + i * field->object->size;
        const char *key = NULL;
        if (is_map)
            memcpy(&key, one, sizeof(key));
        oci_object_write(w, key, field->object, one);
    }
    json_end(w, is_map ? '}' : ']');
}

static void string_map_write(
    struct json_writer *w, const char *key, const struct oci_pair *pairs, size_t n)
{
    json_begin(w, key, '{');
    for (size_t i = 0; i < n; i++)
        json_put_str(w, pairs[i].key, pairs[i].value);
    json_end(w, '}');
}

static void field_write(struct json_writer *w, const struct oci_field *field, const void *base)
{
    switch (field->kind) {
    case OCI_STRING:
        json_put_str(w, field->name, load_pointer(field, base));
        break;
    case OCI_BOOL:
        json_put_bool(w, field->name, load(field, base) != 0);
        break;
    case OCI_UNSIGNED:
        json_put_u64(w, field->name, load(field, base));
        break;
    case OCI_SIGNED:
        json_put_i64(w, field->name, load_signed(field, base));
        break;
    case OCI_CHOICE:
        json_put_str(w, field->name, oci_choice_text(field->choices, (unsigned)load(field, base)));
        break;
    case OCI_FLAGS:
        flags_write(w, field, load(field, base));
        break;
    case OCI_STRINGS:
        json_put_strs(w, field->name, load_pointer(field, base), count(field, base));
        break;
    case OCI_NUMBERS:
        numbers_write(w, field->name, load_pointer(field, base), count(field, base));
        break;
    case OCI_OBJECT:
        oci_object_write(w, field->name, field->object, at(base, field->offset));
        break;
    case OCI_POINTER:
        oci_object_write(w, field->name, field->object, load_pointer(field, base));
        break;
    case OCI_OBJECTS:
    case OCI_OBJECT_MAP:
        objects_write(w, field, load_pointer(field, base), count(field, base));
        break;
    case OCI_STRING_MAP:
        string_map_write(w, field->name, load_pointer(field, base), count(field, base));
        break;
    }
}

void oci_object_write(
    struct json_writer *w, const char *key, const struct oci_object *object, const void *value)
{
    json_begin(w, key, '{');
    for (size_t i = 0; i < object->n_fields; i++) {
        if (!field_is_absent(&object->fields[i], value))
            field_write(w, &object->fields[i], value);
    }
    json_end(w, '}');
}
