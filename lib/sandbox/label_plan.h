/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Which AppArmor profile and SELinux label the payload is executed under; a clear refusal where one is asked
 *          for and the kernel cannot enforce it.
 * Runs in  any (pure)
 * Trusts   names may be a stranger's: control bytes are refused
 * Owns     strings are borrowed from the configuration
 */
#pragma once
#include <stdbool.h>

struct buf;
struct error;
struct oci_process;

#define LABEL_MAX 4096 /* bytes, as the kernel's attribute files take */

/* Facts about the running kernel: label_host_read of label_apply.h. */
struct label_host {
    bool has_apparmor;
    bool has_selinux;
};

struct label_plan {
    const char *apparmor_profile; /* NULL: none to set */
    const char *selinux_label;
};

int label_plan_build(const struct oci_process *process, const struct label_host *host,
    struct label_plan *ret, struct error *err);
void label_plan_print(const struct label_plan *plan, struct buf *out);
