/* SPDX-License-Identifier: Apache-2.0 */
/* The three documents that are read by the tables. */
#include "oci_config_parse.h"

#include <errno.h>

#include "arena.h"
#include "json.h"
#include "oci_config.h"
#include "oci_object_parse.h"
#include "oci_schema.h"

/* The struct of a document, or NULL with err set. */
static void *document_parse(struct arena *arena, const char *name, const char *text, size_t len,
    const struct oci_object *object, struct error *err)
{
    const struct json_limits limits = { .size_bytes_max = OCI_TEXT_SIZE_MAX };
    struct json *tree = NULL;
    if (json_parse(arena, name, text, len, &limits, &tree, err) < 0)
        return NULL;
    void *document = arena_alloc(arena, object->size);
    if (oci_object_parse(arena, name, object, tree, document, err) < 0)
        return NULL;
    return document;
}

int oci_config_parse(struct arena *arena, const char *name, const char *text, size_t len,
    struct oci_config **ret, struct error *err)
{
    struct oci_config *config = document_parse(arena, name, text, len, &oci_config_object, err);
    if (!config)
        return -EINVAL;
    *ret = config;
    return 0;
}

int oci_process_parse(struct arena *arena, const char *name, const char *text, size_t len,
    struct oci_process **ret, struct error *err)
{
    struct oci_process *process = document_parse(arena, name, text, len, &oci_process_object, err);
    if (!process)
        return -EINVAL;
    *ret = process;
    return 0;
}

int oci_resources_parse(struct arena *arena, const char *name, const char *text, size_t len,
    struct oci_resources **ret, struct error *err)
{
    struct oci_resources *resources =
        document_parse(arena, name, text, len, &oci_resources_object, err);
    if (!resources)
        return -EINVAL;
    *ret = resources;
    return 0;
}
