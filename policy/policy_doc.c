/* SPDX-License-Identifier: Apache-2.0 */
/* The table of keys. What is written here is what parser, merge, check and `policy show` know. */
#include "policy_doc.h"

#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "strv.h"

#define FILES_MIN    16U /* fewer, and nothing starts */
#define PIDS_MAX     4194304U
#define MILLICPU_MIN 10U /* the kernel's shortest quota in its usual period */
#define MILLICPU_MAX 65536000U
#define MEMORY_MIN   (1U << 20)
#define GIB          (1ULL << 30)

/* The file and id capabilities: harmless within an id range that nothing else uses. */
static const char *const capability_words[] = { "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER",
    "CAP_FSETID", "CAP_KILL", "CAP_SETGID", "CAP_SETUID", NULL };
static const char *const workspace_words[] = { [POLICY_WORKSPACE_NONE] = "none",
    [POLICY_WORKSPACE_READ] = "read",
    [POLICY_WORKSPACE_COW] = "cow",
    [POLICY_WORKSPACE_WRITE] = "write",
    NULL };
static const char *const network_words[] = { [POLICY_NETWORK_NONE] = "none",
    [POLICY_NETWORK_FILTERED] = "filtered",
    [POLICY_NETWORK_HOST] = "host",
    NULL };
static const char *const seccomp_words[] = { "agent", NULL };
static const char *const sink_words[] = { "file", NULL };

static const char *path_fault(const char *item)
{
    if (item[0] != '/' && !str_starts(item, "~/"))
        return "not an absolute path";
    for (const char *part = item; *part; part += strcspn(part, "/")) {
        part += strspn(part, "/");
        if (str_starts(part, "..") && (part[2] == '\0' || part[2] == '/'))
            return "\"..\" in a path";
    }
    return NULL;
}

static const char *pattern_fault(const char *item)
{
    return item[0] == '\0' ? "empty" : NULL;
}

static const char *variable_fault(const char *item)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";

    if (item[0] == '\0' || !strchr(letters, item[0]))
        return "not the name of a variable";
    for (size_t i = 1; item[i]; i++) {
        if (!strchr(letters, item[i]) && !(item[i] >= '0' && item[i] <= '9'))
            return "not the name of a variable";
    }
    return NULL;
}

/* clang-format off */
const struct policy_key_row policy_key_table[POLICY_KEYS] = {
    [POLICY_FILESYSTEM_WORKSPACE] = { "filesystem", "workspace", POLICY_WORD, .words = workspace_words,
        .least = POLICY_WORKSPACE_NONE, .summary = "directories of the host that are given to the container" },
    [POLICY_FILESYSTEM_READ] = { "filesystem", "read", POLICY_GRANTS, .item_fault = path_fault,
        .summary = "paths of the host that can be read, without an image" },
    [POLICY_FILESYSTEM_WRITE] = { "filesystem", "write", POLICY_GRANTS, .item_fault = path_fault,
        .summary = "paths of the host that can be written, without an image" },
    [POLICY_FILESYSTEM_HIDE] = { "filesystem", "hide", POLICY_DENIALS, .item_fault = pattern_fault,
        .summary = "files that do not exist inside" },
    [POLICY_FILESYSTEM_PROTECT] = { "filesystem", "protect", POLICY_DENIALS, .item_fault = pattern_fault,
        .summary = "files of which no change is kept" },
    [POLICY_NETWORK_MODE] = { "network", "mode", POLICY_WORD, .words = network_words,
        .least = POLICY_NETWORK_NONE, .summary = "what of the network can be reached" },
    [POLICY_NETWORK_ALLOW] = { "network", "allow", POLICY_ALLOWED, .summary = "names and addresses, when filtered" },
    [POLICY_NETWORK_DENY] = { "network", "deny", POLICY_REFUSED, .summary = "exceptions from allow" },
    [POLICY_PROCESS_CAPABILITIES] = { "process", "capabilities", POLICY_GRANTS, .words = capability_words,
        .summary = "the most that root may have, in an id range of its own" },
    [POLICY_PROCESS_NO_NEW_PRIVILEGES] = { "process", "noNewPrivileges", POLICY_TRUE, .least = 1,
        .summary = "set-id programs gain nothing" },
    [POLICY_PROCESS_SECCOMP] = { "process", "seccomp", POLICY_WORD, .words = seccomp_words,
        .summary = "profile of system calls" },
    [POLICY_PROCESS_ENV] = { "process", "env", POLICY_GRANTS, .item_fault = variable_fault,
        .summary = "variables of the caller that are handed on" },
    [POLICY_RESOURCES_MEMORY] = { "resources", "memory", POLICY_BYTES, .min = MEMORY_MIN, .max = INT64_MAX,
        .least = GIB, .summary = "memory, without swap" },
    [POLICY_RESOURCES_CPUS] = { "resources", "cpus", POLICY_CPUS, .min = MILLICPU_MIN, .max = MILLICPU_MAX,
        .least = 1000, .summary = "processors' time" },
    [POLICY_RESOURCES_PIDS] = { "resources", "pids", POLICY_COUNT, .min = 1, .max = PIDS_MAX,
        .least = 128, .summary = "processes and threads" },
    [POLICY_RESOURCES_DISK] = { "resources", "disk", POLICY_BYTES, .min = 1, .max = INT64_MAX,
        .least = POLICY_UNLIMITED, .summary = "bytes written to the container's own files" },
    [POLICY_RESOURCES_FILES] = { "resources", "files", POLICY_COUNT, .min = FILES_MIN, .max = INT32_MAX,
        .least = 1024, .summary = "open files of each process" },
    [POLICY_RESOURCES_WALL_CLOCK] = { "resources", "wallClock", POLICY_SECONDS, .min = 1, .max = INT32_MAX,
        .least = POLICY_UNLIMITED, .summary = "seconds until the container is stopped" },
    [POLICY_IDENTITY_AGENT] = { "identity", "agent", POLICY_LABEL, .item_fault = pattern_fault,
        .summary = "who acts, for the audit" },
    [POLICY_IDENTITY_ON_BEHALF_OF] = { "identity", "onBehalfOf", POLICY_LABEL, .item_fault = pattern_fault,
        .summary = "for whom, for the audit" },
    [POLICY_AUDIT_SINK] = { "audit", "sink", POLICY_LABEL, .words = sink_words, .summary = "where records go" },
};
/* clang-format on */

bool policy_value_has(const struct policy_value *value, const char *item)
{
    for (size_t i = 0; i < value->n_items; i++) {
        if (strcmp(value->items[i].text, item) == 0)
            return true;
    }
    return false;
}

void policy_origin_put(struct buf *out, const struct policy_origin *origin)
{
    buf_put_plain(out, origin->file, strlen(origin->file));
    if (origin->line > 0)
        buf_printf(out, ":%" PRIu32 ":%" PRIu32, origin->line, origin->column);
    buf_puts(out, ": ");
}

void policy_key_put(struct buf *out, enum policy_key key)
{
    buf_printf(out, "%s.%s", policy_key_table[key].section, policy_key_table[key].name);
}

static bool items_equal(const struct policy_value *a, const struct policy_value *b)
{
    if (a->n_items != b->n_items)
        return false;
    for (size_t i = 0; i < a->n_items; i++) {
        if (strcmp(a->items[i].text, b->items[i].text) != 0)
            return false;
    }
    return true;
}

bool policy_value_equal(const struct policy_value *a, const struct policy_value *b)
{
    if (!a->origin.file || !b->origin.file)
        return !a->origin.file && !b->origin.file;
    return a->number == b->number && str_eq(a->text, b->text) && items_equal(a, b);
}

bool policy_equal(const struct policy *a, const struct policy *b)
{
    for (size_t key = 0; key < POLICY_KEYS; key++) {
        if (!policy_value_equal(&a->values[key], &b->values[key]))
            return false;
    }
    return true;
}
