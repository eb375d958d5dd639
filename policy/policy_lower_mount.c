/* SPDX-License-Identifier: Apache-2.0 */
/* Narrowing mounts: which kinds there may be, what of the host they show, what they may hold. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "parse_num.h"
#include "policy_doc.h"
#include "policy_lower_internal.h"
#include "strv.h"

#define MIB        (1ULL << 20)
#define TMP_BYTES  (512 * MIB) /* of a tmpfs that says nothing itself */
#define SHM_BYTES  (64 * MIB)
#define INODES     65536U
#define INODES_MAX 1048576U
#define WORD_MAX   64

enum mount_class {
    CLASS_KERNEL, /* proc, devpts, mqueue */
    CLASS_VIEW,   /* sysfs, cgroup: of the kernel's state, to look at only */
    CLASS_TMPFS,
    CLASS_BIND,
    CLASS_UNKNOWN
};

/* --- paths ------------------------------------------------------------------------------------- */

/* Without "." and "..", single slashes: "/" or "/a/b". Only words count here; links are the plan's business. */
static const char *path_plain(struct arena *arena, const char *path)
{
    char *plain = arena_alloc(arena, strlen(path) + 2);
    size_t len = 0;

    for (const char *part = path + strspn(path, "/"); *part; part += strspn(part, "/")) {
        size_t n = strcspn(part, "/");
        if (n == 2 && memcmp(part, "..", 2) == 0) {
            while (len > 0 && plain[--len] != '/')
                ;
        } else if (n != 1 || part[0] != '.') {
            plain[len++] = '/';
            memcpy(plain + len, part, n);
            len += n;
        }
        part += n;
    }
    if (len == 0)
        plain[len++] = '/';
    plain[len] = '\0';
    return plain;
}

static bool path_is_in(const char *path, const char *folder)
{
    size_t len = strlen(folder);

    return strncmp(path, folder, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* --- options ----------------------------------------------------------------------------------- */

static bool option_has(const struct oci_mount *mount, const char *word)
{
    for (size_t i = 0; i < mount->n_options; i++) {
        if (strcmp(mount->options[i], word) == 0)
            return true;
    }
    return false;
}

/* Takes the word against away, and puts the other in when it was not there: later words win. */
static void option_force(
    struct lowering const *l, struct oci_mount *mount, const char *word, const char *against)
{
    struct strv kept = STRV_INIT;
    bool has_word = false;

    for (size_t i = 0; i < mount->n_options; i++) {
        if (strcmp(mount->options[i], against) == 0) {
            lowering_note(l, "mounts %s: %s", mount->destination, word);
            continue;
        }
        has_word = has_word || strcmp(mount->options[i], word) == 0;
        strv_add(l->arena, &kept, mount->options[i]);
    }
    if (!has_word)
        strv_add(l->arena, &kept, word);
    mount->options = kept.items;
    mount->n_options = kept.n;
}

static void option_drop(const struct lowering *l, struct oci_mount *mount, const char *word)
{
    size_t n = 0;

    for (size_t i = 0; i < mount->n_options; i++) {
        if (strcmp(mount->options[i], word) != 0)
            mount->options[n++] = mount->options[i];
        else
            lowering_note(l, "mounts %s: not %s", mount->destination, word);
    }
    if (mount->options)
        mount->options[n] = NULL;
    mount->n_options = n;
}

static void force_readonly(const struct lowering *l, struct oci_mount *mount, bool is_tree)
{
    if (!option_has(mount, "ro") && !option_has(mount, "rw"))
        lowering_note(l, "mounts %s: ro", mount->destination);
    option_drop(l, mount, "rrw");
    option_force(l, mount, "ro", "rw");
    if (is_tree)
        option_force(l, mount, "rro", "rrw");
}

/* Nothing comes in or goes out by propagation; set-id bits and device nodes mean nothing. */
static void force_harmless(
    const struct lowering *l, struct oci_mount *mount, bool may_have_devices, bool is_tree)
{
    static const char *const propagations[] = { "shared", "rshared", "slave", "rslave" };

    for (size_t i = 0; i < ARRAY_SIZE(propagations); i++)
        option_drop(l, mount, propagations[i]);
    option_drop(l, mount, "rsuid");
    option_force(l, mount, "nosuid", "suid");
    if (is_tree)
        option_force(l, mount, "rnosuid", "rsuid");
    if (may_have_devices)
        return;
    option_drop(l, mount, "rdev");
    option_force(l, mount, "nodev", "dev");
    if (is_tree)
        option_force(l, mount, "rnodev", "rdev");
}

/* --- tmpfs ------------------------------------------------------------------------------------- */

/* The value of the last NAME= taken out, with all that were there before; NULL: none. */
static const char *option_take(struct oci_mount *mount, const char *name)
{
    const char *value = NULL;
    size_t len = strlen(name);
    size_t n = 0;

    for (size_t i = 0; i < mount->n_options; i++) {
        if (strncmp(mount->options[i], name, len) == 0)
            value = mount->options[i] + len;
        else
            mount->options[n++] = mount->options[i];
    }
    if (mount->options)
        mount->options[n] = NULL;
    mount->n_options = n;
    return value;
}

static void option_add(struct arena *arena, struct oci_mount *mount, const char *word)
{
    struct strv all = STRV_INIT;

    for (size_t i = 0; i < mount->n_options; i++)
        strv_add(arena, &all, mount->options[i]);
    strv_add(arena, &all, word);
    mount->options = all.items;
    mount->n_options = all.n;
}

/* NAME=number is there once, and at most max; 0 and shares of the machine's memory ("50%") are no limits. */
static void limit_force(const struct lowering *l, struct oci_mount *mount, const char *name,
    uint64_t usual, uint64_t max)
{
    uint64_t number = 0;
    const char *value = option_take(mount, name);
    bool is_number = value && strlen(value) < WORD_MAX && parse_size(value, &number) == 0;

    if (is_number && number > 0 && number <= max) {
        option_add(l->arena, mount, arena_printf(l->arena, "%s%s", name, value));
        return;
    }
    number = is_number || usual > max ? max : usual; /* 0 means no limit */
    if (value)
        lowering_note(l, "mounts %s: %s%" PRIu64, mount->destination, name, number);
    option_add(l->arena, mount, arena_printf(l->arena, "%s%" PRIu64, name, number));
}

static void narrow_tmpfs(const struct lowering *l, struct oci_mount *mount)
{
    const struct oci_memory *memory = &l->config->linux_.resources.memory;
    uint64_t max = memory->has_limit && memory->limit > 0 ? (uint64_t)memory->limit : INT64_MAX;
    const char *place = path_plain(l->arena, mount->destination);

    if (option_take(mount, "nr_blocks="))
        lowering_note(l, "mounts %s: size= in place of nr_blocks=", mount->destination);
    limit_force(l, mount, "size=", str_eq(place, "/dev/shm") ? SHM_BYTES : TMP_BYTES, max);
    limit_force(l, mount, "nr_inodes=", INODES, INODES_MAX);
}

/* --- one mount --------------------------------------------------------------------------------- */

static enum mount_class class_of(const struct oci_mount *mount)
{
    static const struct {
        const char *type;
        enum mount_class class;
    } table[] = {
        { "proc", CLASS_KERNEL },
        { "devpts", CLASS_KERNEL },
        { "mqueue", CLASS_KERNEL },
        { "sysfs", CLASS_VIEW },
        { "cgroup", CLASS_VIEW },
        { "cgroup2", CLASS_VIEW },
        { "tmpfs", CLASS_TMPFS },
        { "bind", CLASS_BIND },
    };

    if (option_has(mount, "bind") || option_has(mount, "rbind"))
        return CLASS_BIND;
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        if (str_eq(mount->type, table[i].type))
            return table[i].class;
    }
    return CLASS_UNKNOWN;
}

/* Trees of the host that are more than files. */
static bool is_machinery(const char *source)
{
    static const char *const folders[] = { "/proc", "/sys", "/dev" };

    for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
        if (path_is_in(source, folders[i]))
            return true;
    }
    return str_eq(source, "/");
}

static int narrow_bind(const struct lowering *l, struct oci_mount *mount)
{
    uint64_t mode = l->policy->values[POLICY_FILESYSTEM_WORKSPACE].number;
    bool is_tree = option_has(mount, "rbind");
    const char *source =
        mount->source && mount->source[0] == '/' ? path_plain(l->arena, mount->source) : NULL;
    const char *place = path_plain(l->arena, mount->destination);

    force_harmless(l, mount, false, is_tree);
    if (str_eq(source, "/sys") &&
        str_eq(place, "/sys")) { /* in place of a sysfs that rootless cannot mount */
        force_readonly(l, mount, is_tree);
        return 0;
    }
    if (!source && mount->source && strstr(mount->source, ".."))
        return err_set(l->err, ENOTSUP, "mounts %s: a policy cannot tell what \"..\" leads to",
            mount->destination);
    if (source && is_machinery(source))
        return err_set(
            l->err, ENOTSUP, "mounts %s: a policy gives nothing of %s", mount->destination, source);
    if (mode == POLICY_WORKSPACE_NONE)
        return err_set(l->err, ENOTSUP,
            "mounts %s: the policy (filesystem.workspace) gives no directory of the host",
            mount->destination);
    if (mode == POLICY_WORKSPACE_READ)
        force_readonly(l, mount, is_tree);
    return 0;
}

static int narrow_mount(const struct lowering *l, struct oci_mount *mount)
{
    const char *place = path_plain(l->arena, mount->destination);

    switch (class_of(mount)) {
    case CLASS_KERNEL:
        force_harmless(l, mount, str_eq(mount->type, "devpts"), false);
        return 0;
    case CLASS_VIEW:
        force_harmless(l, mount, false, false);
        force_readonly(l, mount, false);
        return 0;
    case CLASS_TMPFS:
        force_harmless(l, mount, str_eq(place, "/dev"), false);
        narrow_tmpfs(l, mount);
        return 0;
    case CLASS_BIND:
        return narrow_bind(l, mount);
    case CLASS_UNKNOWN:
    default:
        break;
    }
    AUTO(buf) struct buf type = BUF_INIT;
    if (mount->type)
        buf_put_quoted(&type, mount->type, strlen(mount->type));
    return err_set(l->err, ENOTSUP, "mounts %s: a policy gives no filesystem of type %s",
        mount->destination, mount->type ? buf_str(&type) : "unknown");
}

/* --- private places for temporary files ---------------------------------------------------------- */

/* A tmpfs at that place unless something is mounted there; before what is mounted below it. */
static void private_tmpfs(
    const struct lowering *l, struct oci_config *config, const char *place, const char *extra)
{
    size_t at = config->n_mounts;
    struct oci_mount *larger;
    struct oci_mount mount = { .destination = place, .type = "tmpfs", .source = "tmpfs" };

    for (size_t i = config->n_mounts; i-- > 0;) {
        const char *other = path_plain(l->arena, config->mounts[i].destination);
        if (str_eq(other, place))
            return;
        if (path_is_in(other, place))
            at = i;
    }
    option_add(l->arena, &mount, "nosuid");
    option_add(l->arena, &mount, "nodev");
    option_add(l->arena, &mount, "mode=1777");
    if (extra)
        option_add(l->arena, &mount, extra);
    larger = arena_new_array(l->arena, config->n_mounts + 1, struct oci_mount);
    for (size_t i = 0; i < config->n_mounts; i++)
        larger[i < at ? i : i + 1] = config->mounts[i];
    larger[at] = mount;
    config->mounts = larger;
    config->n_mounts++;
}

int lower_mounts(const struct lowering *l, struct oci_config *config)
{
    for (size_t i = 0; i < config->n_mounts; i++) {
        if (!config->mounts[i].destination)
            return err_set(l->err, EINVAL, "mounts[%zu]: no destination", i);
    }
    private_tmpfs(l, config, "/tmp", NULL); /* programs are built and run there */
    private_tmpfs(l, config, "/dev/shm", "noexec");
    for (size_t i = 0; i < config->n_mounts; i++) {
        int rc = narrow_mount(l, &config->mounts[i]);
        if (rc < 0)
            return rc;
    }
    return 0;
}
