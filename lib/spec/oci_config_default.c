/* SPDX-License-Identifier: Apache-2.0 */
/* The default is kept as the document that it is; what rootless needs otherwise is edited in. */
#include "oci_config_default.h"

#include <stdlib.h>

#include "arena.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "oci_config_check.h"
#include "oci_config_parse.h"
#include "strv.h"

#define CAPABILITIES "[\"CAP_AUDIT_WRITE\", \"CAP_KILL\", \"CAP_NET_BIND_SERVICE\"]"

/* clang-format off */
static const char text[] =
    "{"
    "  \"ociVersion\": \"" OCI_VERSION_MAX "\","
    "  \"process\": {"
    "    \"terminal\": true,"
    "    \"user\": {\"uid\": 0, \"gid\": 0},"
    "    \"args\": [\"sh\"],"
    "    \"env\": [\"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\", \"TERM=xterm\"],"
    "    \"cwd\": \"/\","
    "    \"capabilities\": {"
    "      \"bounding\": " CAPABILITIES ","
    "      \"effective\": " CAPABILITIES ","
    "      \"permitted\": " CAPABILITIES
    "    },"
    "    \"rlimits\": [{\"type\": \"RLIMIT_NOFILE\", \"hard\": 1024, \"soft\": 1024}],"
    "    \"noNewPrivileges\": true"
    "  },"
    "  \"root\": {\"path\": \"rootfs\", \"readonly\": true},"
    "  \"hostname\": \"runa\","
    "  \"mounts\": ["
    "    {\"destination\": \"/proc\", \"type\": \"proc\", \"source\": \"proc\"},"
    "    {\"destination\": \"/dev\", \"type\": \"tmpfs\", \"source\": \"tmpfs\","
    "     \"options\": [\"nosuid\", \"strictatime\", \"mode=755\", \"size=65536k\"]},"
    "    {\"destination\": \"/dev/pts\", \"type\": \"devpts\", \"source\": \"devpts\","
    "     \"options\": [\"nosuid\", \"noexec\", \"newinstance\", \"ptmxmode=0666\", \"mode=0620\", \"gid=5\"]},"
    "    {\"destination\": \"/dev/shm\", \"type\": \"tmpfs\", \"source\": \"shm\","
    "     \"options\": [\"nosuid\", \"noexec\", \"nodev\", \"mode=1777\", \"size=65536k\"]},"
    "    {\"destination\": \"/dev/mqueue\", \"type\": \"mqueue\", \"source\": \"mqueue\","
    "     \"options\": [\"nosuid\", \"noexec\", \"nodev\"]},"
    "    {\"destination\": \"/sys\", \"type\": \"sysfs\", \"source\": \"sysfs\","
    "     \"options\": [\"nosuid\", \"noexec\", \"nodev\", \"ro\"]},"
    "    {\"destination\": \"/sys/fs/cgroup\", \"type\": \"cgroup\", \"source\": \"cgroup\","
    "     \"options\": [\"nosuid\", \"noexec\", \"nodev\", \"relatime\", \"ro\"]}"
    "  ],"
    "  \"linux\": {"
    "    \"resources\": {\"devices\": [{\"allow\": false, \"access\": \"rwm\"}]},"
    "    \"namespaces\": ["
    "      {\"type\": \"pid\"}, {\"type\": \"network\"}, {\"type\": \"ipc\"}, {\"type\": \"uts\"},"
    "      {\"type\": \"mount\"}, {\"type\": \"cgroup\"}"
    "    ],"
    "    \"maskedPaths\": [\"/proc/acpi\", \"/proc/asound\", \"/proc/kcore\", \"/proc/keys\","
    "      \"/proc/latency_stats\", \"/proc/timer_list\", \"/proc/timer_stats\", \"/proc/sched_debug\","
    "      \"/sys/firmware\", \"/proc/scsi\", \"/sys/devices/virtual/tpm\"],"
    "    \"readonlyPaths\": [\"/proc/bus\", \"/proc/fs\", \"/proc/irq\", \"/proc/sys\", \"/proc/sysrq-trigger\"]"
    "  }"
    "}";
/* clang-format on */

struct oci_config *oci_config_default(struct arena *arena)
{
    struct oci_config *config = NULL;
    struct error err = ERR_INIT;
    if (oci_config_parse(arena, "default", text, sizeof(text) - 1, &config, &err) < 0)
        abort(); /* the text above is wrong */
    return config;
}

/* All but the network one, and a user namespace. */
static void namespaces_edit(struct arena *arena, struct oci_linux *lx)
{
    struct oci_namespace *list = arena_new_array(arena, lx->n_namespaces + 1, struct oci_namespace);
    size_t n = 0;
    for (size_t i = 0; i < lx->n_namespaces; i++) {
        if (lx->namespaces[i].type != OCI_NAMESPACE_NETWORK)
            list[n++] = lx->namespaces[i];
    }
    list[n++] = (struct oci_namespace){ .type = OCI_NAMESPACE_USER };
    lx->namespaces = list;
    lx->n_namespaces = n;
}

static struct oci_id_mapping *single_mapping(struct arena *arena, uint32_t host_id)
{
    struct oci_id_mapping *mapping = arena_new(arena, struct oci_id_mapping);
    *mapping = (struct oci_id_mapping){ .host_id = host_id, .size = 1 };
    return mapping;
}

/* A group that is not in the map cannot be given to files. */
static void options_drop_ids(struct oci_mount *mount)
{
    size_t n = 0;
    for (size_t i = 0; i < mount->n_options; i++) {
        if (!str_starts(mount->options[i], "gid=") && !str_starts(mount->options[i], "uid="))
            mount->options[n++] = mount->options[i];
    }
    if (mount->options)
        mount->options[n] = NULL;
    mount->n_options = n;
}

/* A new sysfs can only be mounted by the owner of the network namespace. */
static void sysfs_bind(struct arena *arena, struct oci_mount *mount)
{
    static const char *const options[] = { "rbind", "nosuid", "noexec", "nodev", "ro" };
    const size_t n = ARRAY_SIZE(options);
    mount->type = "none";
    mount->source = "/sys";
    mount->options = arena_new_array(arena, n + 1, char *);
    for (size_t i = 0; i < n; i++)
        mount->options[i] = arena_strdup(arena, options[i]);
    mount->n_options = n;
}

struct oci_config *oci_config_default_rootless(struct arena *arena, uint32_t uid, uint32_t gid)
{
    struct oci_config *config = oci_config_default(arena);
    struct oci_linux *lx = &config->linux_;
    namespaces_edit(arena, lx);
    lx->uid_mappings = single_mapping(arena, uid);
    lx->n_uid_mappings = 1;
    lx->gid_mappings = single_mapping(arena, gid);
    lx->n_gid_mappings = 1;
    lx->resources = (struct oci_resources){ 0 };
    for (size_t i = 0; i < config->n_mounts; i++) {
        options_drop_ids(&config->mounts[i]);
        if (str_eq(config->mounts[i].destination, "/sys"))
            sysfs_bind(arena, &config->mounts[i]);
    }
    return config;
}
