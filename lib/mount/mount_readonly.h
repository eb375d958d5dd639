/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Is a source on the host a read-only mount that code inside could make writable? The trees that the parent
 *          opens carry no lock: only mounts that were there when a mount namespace of another user namespace was made
 *          have one.
 * Runs in  parent
 * Trusts   the path is the operator's
 * Fails    -EPERM: such a source is refused, by its mount. A file system that is read-only itself is no such mount.
 * Source   mount_namespaces(7) "Restrictions on mount namespaces"; proc_pid_mountinfo(5), the options of the mount
 *
 * Why refuse (2026-12): with a user namespace of its own and CAP_SYS_ADMIN a container may change the flags of every
 * mount in its mount namespace that is not locked. Attaching the sources in a namespace between would lock them; until
 * then the host's own "ro" is kept by not handing it over.
 */
#pragma once
#include <stdbool.h>

struct error;
struct procfs;

int mount_readonly_check(const struct procfs *procfs, const char *source, bool is_recursive, struct error *err);
