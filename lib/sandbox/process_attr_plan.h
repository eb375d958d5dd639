/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The remaining attributes of the payload: scheduler, I/O priority, personality, no_new_privs; and the names
 *          of the UTS namespace.
 * Runs in  any (pure)
 * Owns     strings are borrowed from the configuration
 * Source   OCI config.md "Linux Process", "Hostname"; config-linux.md "Personality"
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct buf;
struct error;
struct oci_config;
struct oci_io_priority;
struct oci_process;
struct oci_scheduler;

#define PROCESS_ATTR_HOST_MAX 64 /* bytes: the kernel's __NEW_UTS_LEN */

struct process_attr_plan {
    const struct oci_scheduler *scheduler;     /* NULL: as the caller's */
    const struct oci_io_priority *io_priority; /* NULL: as the caller's */
    bool has_personality;
    unsigned personality;
    bool has_no_new_privs;
};

struct host_name_plan {
    const char *hostname; /* NULL: as it is */
    const char *domainname;
};

/* config: for linux.personality; process: config->process, or that of exec. */
int process_attr_plan_build(const struct oci_config *config, const struct oci_process *process,
    struct process_attr_plan *ret, struct error *err);
void process_attr_plan_print(const struct process_attr_plan *plan, struct buf *out);
/* has_own_uts false with a name asked for is an error: the host's would be changed. */
int host_name_plan_build(const struct oci_config *config, bool has_own_uts,
    struct host_name_plan *ret, struct error *err);
void host_name_plan_print(const struct host_name_plan *plan, struct buf *out);
