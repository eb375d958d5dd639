/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Struct → text of an OCI document. Absent members are left out; the same struct gives the
 *          same bytes; reading the text gives the same struct.
 * Runs in  any (pure)
 * Fails    never at once: ask buf_ok
 */
#pragma once

struct buf;
struct oci_config;
struct oci_process;
struct oci_resources;

/* indent: spaces a level, 0 for one line. No line end is put behind. */
void oci_config_write(const struct oci_config *config, unsigned indent, struct buf *out);
void oci_process_write(const struct oci_process *process, unsigned indent, struct buf *out);
void oci_resources_write(const struct oci_resources *resources, unsigned indent, struct buf *out);
