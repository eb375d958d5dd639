/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Struct → JSON object, by a table of oci_schema. What is absent is not written, so that
 *          reading the text gives the same struct again.
 * Runs in  any (pure)
 */
#pragma once
#include <stdbool.h>

struct json_writer;
struct oci_object;

/* key: NULL for the document itself. */
void oci_object_write(
    struct json_writer *w, const char *key, const struct oci_object *object, const void *value);
/* Nothing of it would be written. */
bool oci_object_is_empty(const struct oci_object *object, const void *value);
