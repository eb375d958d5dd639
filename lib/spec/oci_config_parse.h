/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Text of an OCI document → struct: config.json, the process.json of `exec`, the resources
 *          of `update`. Types and words are decided here, sense by oci_config_check.
 * Runs in  parent (pure)
 * Trusts   nothing: a bundle may be a stranger's
 * Owns     the result lives in the arena, with its strings; text may go
 * Fails    -EINVAL with "NAME:LINE:COLUMN: process.env[1]: what" in err
 * Source   OCI runtime-spec 1.3 config.md. null is absent for a member, refused as an item of a
 *          list or map, but skipped in mounts[].options and annotations. Unknown members are
 *          ignored ("Extensibility").
 */
#pragma once
#include <stddef.h>

#define OCI_TEXT_SIZE_MAX (4U << 20) /* bytes of a document; env and args alone may be 2 MiB */

struct arena;
struct error;
struct oci_config;
struct oci_process;
struct oci_resources;

/* name: the file's, for messages. */
int oci_config_parse(struct arena *arena, const char *name, const char *text, size_t len,
    struct oci_config **ret, struct error *err);
int oci_process_parse(struct arena *arena, const char *name, const char *text, size_t len,
    struct oci_process **ret, struct error *err);
int oci_resources_parse(struct arena *arena, const char *name, const char *text, size_t len,
    struct oci_resources **ret, struct error *err);
