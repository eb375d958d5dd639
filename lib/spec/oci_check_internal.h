/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What the files of oci_config_check share.
 * Runs in  parent (pure)
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct error;
struct oci_config;
struct oci_id_mapping;
struct oci_seccomp;

/* Sets err to `FIELD: "value" what`, or `FIELD: what` without a value, and returns -EINVAL. */
int oci_fault(struct error *err, const char *value, const char *what, const char *field, ...)
    __attribute__((format(printf, 4, 5)));

/* "/…" */
bool oci_path_is_absolute(const char *path);
/* One of the parts between the separators is "..". */
bool oci_path_climbs(const char *path, const char *separators);
/* Each path is absolute. */
int oci_paths_check(char *const *paths, size_t n, const char *field, struct error *err);
/* Each entry is NAME=value. */
int oci_env_check(char *const *env, size_t n, const char *field, struct error *err);
/* Ranges that the kernel would take: not empty, without overflow or overlap. */
int oci_id_mappings_check(
    const struct oci_id_mapping *mappings, size_t n, const char *field, struct error *err);

int oci_linux_check(const struct oci_config *config, struct error *err);
int oci_seccomp_check(const struct oci_seccomp *seccomp, struct error *err);
