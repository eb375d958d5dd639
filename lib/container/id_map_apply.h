/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Writes the id maps of init's new user namespace: directly with the rights of root or for the caller's own
 *          single id, else through newuidmap and newgidmap, which check the caller's ranges of /etc/subuid and
 *          /etc/subgid.
 * Runs in  parent
 * Trusts   the maps passed oci_config_check
 * Source   user_namespaces(7); newuidmap(1)
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct error;
struct namespace_plan;

int id_map_apply(const struct namespace_plan *plan, pid_t pid, int pid_dir, bool is_rootless, struct error *err);
