/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  JSON object → struct, by a table of oci_schema.
 * Runs in  any (pure)
 * Trusts   nothing: the tree is a stranger's, within the limits of json_parse
 * Owns     lists are allocated in the arena; strings stay where the tree has them
 * Fails    -EINVAL with "NAME:LINE:COLUMN: process.env[1]: what" in err
 *
 * null is the same as absent for a member, and refused as an item of a list or map (but for
 * OCI_NULL_IS_SKIPPED). Unknown members are ignored, as config.md "Extensibility" asks.
 */
#pragma once

struct arena;
struct error;
struct json;
struct oci_object;

/* ret is zeroed first. */
int oci_object_parse(struct arena *arena, const char *name, const struct oci_object *object,
    const struct json *value, void *ret, struct error *err);
