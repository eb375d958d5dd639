/* SPDX-License-Identifier: Apache-2.0 */
/* What of the format this version enforces: one table row for each key that is more than that. */
#include "policy_check.h"

#include <errno.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "policy_doc.h"
#include "strv.h"

static const char not_yet[] = "not enforced yet by this version";

static bool is_asked(const struct policy *policy, enum policy_key key)
{
    const char *file = policy->values[key].origin.file;

    return file && !str_eq(file, POLICY_ORIGIN_BUILT_IN);
}

/* Why the value cannot be put in force, or NULL. */
static const char *value_unsupported(enum policy_key key, const struct policy_value *value)
{
    switch (key) {
    case POLICY_FILESYSTEM_WORKSPACE:
        return value->number == POLICY_WORKSPACE_COW ? not_yet : NULL;
    case POLICY_NETWORK_MODE:
        return value->number == POLICY_NETWORK_NONE ? NULL : not_yet;
    case POLICY_FILESYSTEM_READ:
    case POLICY_FILESYSTEM_WRITE:
    case POLICY_FILESYSTEM_HIDE:
    case POLICY_FILESYSTEM_PROTECT:
    case POLICY_NETWORK_ALLOW:
    case POLICY_NETWORK_DENY:
        return value->n_items > 0 ? not_yet : NULL;
    case POLICY_RESOURCES_DISK:
    case POLICY_RESOURCES_WALL_CLOCK:
        return value->number == POLICY_UNLIMITED ? NULL : not_yet;
    case POLICY_PROCESS_NO_NEW_PRIVILEGES:
        return value->number == 1 ? NULL : "no policy may give set-id programs their privileges";
    case POLICY_IDENTITY_AGENT:
    case POLICY_IDENTITY_ON_BEHALF_OF:
    case POLICY_AUDIT_SINK:
        return not_yet;
    case POLICY_PROCESS_CAPABILITIES: /* the words of the key are the ceiling, as of seccomp */
    case POLICY_PROCESS_SECCOMP:
    case POLICY_PROCESS_ENV:
    case POLICY_RESOURCES_MEMORY:
    case POLICY_RESOURCES_CPUS:
    case POLICY_RESOURCES_PIDS:
    case POLICY_RESOURCES_FILES:
        return NULL;
    case POLICY_KEYS:
    default:
        return not_yet;
    }
}

int policy_unsupported(const struct policy *policy, struct buf *faults, struct error *err)
{
    int rc = 0;

    for (size_t i = 0; i < POLICY_KEYS; i++) {
        enum policy_key key = (enum policy_key)i;
        AUTO(buf) struct buf line = BUF_INIT;
        const char *what =
            is_asked(policy, key) ? value_unsupported(key, &policy->values[key]) : NULL;
        if (!what)
            continue;
        policy_origin_put(&line, &policy->values[key].origin);
        policy_key_put(&line, key);
        buf_printf(&line, ": %s", what);
        if (rc == 0)
            rc = err_set(err, ENOTSUP, "%s", buf_str(&line));
        if (faults)
            buf_printf(faults, "%s\n", buf_str(&line));
    }
    return rc;
}
