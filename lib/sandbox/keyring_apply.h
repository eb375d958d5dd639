/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  A session keyring of the container's own, named _ses.ID, so that it does not possess the caller's keys.
 * Runs in  init, after it joined its user namespace and before ids and capabilities change; not with --no-new-keyring
 * Fails    a kernel without keyrings has none to leak: success
 * Source   keyctl(2) KEYCTL_JOIN_SESSION_KEYRING, KEYCTL_SETPERM
 */
#pragma once

struct error;
struct procfs;

/* label: the SELinux label of the keyring, or NULL. procfs is only used with a label, and may be NULL without. */
int keyring_apply(
    const struct procfs *procfs, const char *container_id, const char *label, struct error *err);
