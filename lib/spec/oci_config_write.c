/* SPDX-License-Identifier: Apache-2.0 */
/* The documents that are written by the tables. */
#include "oci_config_write.h"

#include "buf.h"
#include "json_write.h"
#include "oci_object_write.h"
#include "oci_schema.h"

void oci_config_write(const struct oci_config *config, unsigned indent, struct buf *out)
{
    struct json_writer w = JSON_WRITER_INIT(out, indent);
    oci_object_write(&w, NULL, &oci_config_object, config);
}

void oci_process_write(const struct oci_process *process, unsigned indent, struct buf *out)
{
    struct json_writer w = JSON_WRITER_INIT(out, indent);
    oci_object_write(&w, NULL, &oci_process_object, process);
}

void oci_resources_write(const struct oci_resources *resources, unsigned indent, struct buf *out)
{
    struct json_writer w = JSON_WRITER_INIT(out, indent);
    oci_object_write(&w, NULL, &oci_resources_object, resources);
}
