/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Does a configuration that could be read make sense? The first fault is told, by field and value.
 * Runs in  parent (pure)
 * Trusts   nothing but the types, which oci_config_parse has seen to
 * Fails    -EINVAL, or -ENOTSUP of the _unsupported functions, with "process.cwd: "srv" is not an absolute path" in
 *          err; the file's name is the caller's to add
 * Source   OCI runtime-spec 1.3 config.md, config-linux.md; where the text is silent, runc 1.3
 *
 * What only a plan can know is left to it: words of mount options and capabilities, which sysctl a namespace owns,
 * which limits a cgroup has, whether a path exists.
 */
#pragma once

struct error;
struct oci_config;
struct oci_process;
struct oci_resources;

#define OCI_VERSION_MIN "1.0.0"
#define OCI_VERSION_MAX "1.3.0"

int oci_config_check(const struct oci_config *config, struct error *err);
/* For exec; the fields are named as in config.json. */
int oci_process_check(const struct oci_process *process, struct error *err);
/* For update; the fields are named as in config.json. */
int oci_resources_check(const struct oci_resources *resources, struct error *err);

/* What is read but not yet enforced: a bundle that asks for it is refused, never run without it. */
int oci_config_unsupported(const struct oci_config *config, struct error *err);
int oci_process_unsupported(const struct oci_process *process, struct error *err);
int oci_resources_unsupported(const struct oci_resources *resources, struct error *err);
