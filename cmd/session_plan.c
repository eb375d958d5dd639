/* SPDX-License-Identifier: Apache-2.0 */
/* Image, command line and policy, lowered to a configuration. */
#include "session_plan.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "err.h"
#include "id_range.h"
#include "image_config_parse.h"
#include "oci_config.h"
#include "oci_config_default.h"
#include "policy_lower.h"
#include "strv.h"
#include "user_parse.h"

#define PATH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

int session_volume_parse(struct arena *arena, const char *text, struct session_volume *ret, struct error *err)
{
    const char *colon = strchr(text, ':');
    struct session_volume volume = { 0 };

    if (!colon || colon == text)
        return err_set(err, EINVAL, "-v %s: write SOURCE:DESTINATION or SOURCE:DESTINATION:ro", text);
    volume.source = arena_strndup(arena, text, (size_t)(colon - text));
    const char *second = strchr(colon + 1, ':');
    size_t len = second ? (size_t)(second - colon - 1) : strlen(colon + 1);
    volume.destination = arena_strndup(arena, colon + 1, len);
    if (second && str_eq(second + 1, "ro"))
        volume.is_readonly = true;
    else if (second && !str_eq(second + 1, "rw"))
        return err_set(err, EINVAL, "-v %s: behind the second colon only ro or rw is known", text);
    if (volume.destination[0] != '/' || str_eq(volume.destination, "/"))
        return err_set(err, EINVAL, "-v %s: the destination must be an absolute path below the root", text);
    *ret = volume;
    return 0;
}

static int args_plan(struct arena *arena, const struct session_request *request, const struct image_config *image,
    struct oci_process *process, struct error *err)
{
    struct strv args = STRV_INIT;

    for (size_t i = 0; i < image->n_entrypoint; i++)
        strv_add(arena, &args, image->entrypoint[i]);
    for (size_t i = 0; request->command && i < request->n_command; i++)
        strv_add(arena, &args, request->command[i]);
    for (size_t i = 0; !request->command && i < image->n_cmd; i++)
        strv_add(arena, &args, image->cmd[i]);
    if (args.n == 0)
        return err_set(err, EINVAL, "the image names no command: write one behind --");
    process->args = args.items;
    process->n_args = args.n;
    return 0;
}

static int env_plan(struct arena *arena, const struct session_request *request, const struct image_config *image,
    const struct user *user, const struct policy *policy, struct oci_process *process, struct error *err)
{
    struct strv env = STRV_INIT;

    env_set(arena, &env, "PATH", PATH_DEFAULT);
    env_set(arena, &env, "HOME", user->home);
    for (size_t i = 0; i < image->n_env + request->n_env; i++) {
        const char *entry = i < image->n_env ? image->env[i] : request->env[i - image->n_env];
        const char *equals = strchr(entry, '=');
        if (!equals || equals == entry)
            return err_set(err, EINVAL, "-e %s: write NAME=VALUE; a value of the caller's is never taken by name alone",
                entry);
        env_set(arena, &env, arena_strndup(arena, entry, (size_t)(equals - entry)), equals + 1);
    }
    if (request->want_terminal && !env_get(env.items, "TERM"))
        env_set(arena, &env, "TERM", "xterm");
    policy_env_pass(arena, policy, request->caller_env, &env);
    process->env = env.items;
    process->n_env = env.n;
    return 0;
}

static struct oci_id_mapping *mapping_new(struct arena *arena, uint32_t inside, uint32_t host, uint32_t n)
{
    struct oci_id_mapping *mapping = arena_new(arena, struct oci_id_mapping);

    *mapping = (struct oci_id_mapping){ .container_id = inside, .host_id = host, .size = n };
    return mapping;
}

static void namespaces_plan(struct arena *arena, const struct session_request *request, struct oci_config *config)
{
    struct oci_linux *lx = &config->linux_;
    struct oci_namespace *list = arena_new_array(arena, lx->n_namespaces + 1, struct oci_namespace);

    memcpy(list, lx->namespaces, lx->n_namespaces * sizeof(list[0]));
    list[lx->n_namespaces] = (struct oci_namespace){ .type = OCI_NAMESPACE_USER };
    lx->namespaces = list;
    lx->n_namespaces++;
    lx->uid_mappings = mapping_new(arena, 0, request->first_id, ID_RANGE_SIZE);
    lx->n_uid_mappings = 1;
    lx->gid_mappings = mapping_new(arena, 0, request->first_id, ID_RANGE_SIZE);
    lx->n_gid_mappings = 1;
}

/* Why one id is mapped: what the payload makes in a volume belongs to the owner of the volume on the host, and it
 * reaches the files of no other user there. */
static void volume_plan(struct arena *arena, const struct session_request *request, const struct session_volume *volume,
    const struct user *user, struct oci_mount *mount)
{
    struct strv options = STRV_INIT;

    strv_add(arena, &options, "rbind");
    strv_add(arena, &options, "rprivate");
    strv_add(arena, &options, "src-nolinks");
    strv_add(arena, &options, "rnosuid");
    strv_add(arena, &options, "rnodev");
    strv_add(arena, &options, "idmap");
    strv_add(arena, &options, volume->is_readonly ? "rro" : "rw");
    *mount = (struct oci_mount){
        .destination = volume->destination,
        .type = "bind",
        .source = volume->source,
        .options = options.items,
        .n_options = options.n,
        .uid_mappings = mapping_new(arena, volume->owner_uid, request->first_id + user->uid, 1),
        .n_uid_mappings = 1,
        .gid_mappings = mapping_new(arena, volume->owner_gid, request->first_id + user->gid, 1),
        .n_gid_mappings = 1,
    };
}

static void mounts_plan(struct arena *arena, const struct session_request *request, const struct user *user,
    struct oci_config *config)
{
    struct oci_mount *list = arena_new_array(arena, config->n_mounts + request->n_volumes, struct oci_mount);

    memcpy(list, config->mounts, config->n_mounts * sizeof(list[0]));
    for (size_t i = 0; i < request->n_volumes; i++)
        volume_plan(arena, request, &request->volumes[i], user, &list[config->n_mounts + i]);
    config->mounts = list;
    config->n_mounts += request->n_volumes;
}

int session_plan(struct arena *arena, const struct session_request *request, const struct image_config *image,
    const struct user *user, const struct policy *policy, struct oci_config **ret, struct buf *narrowed,
    struct error *err)
{
    struct oci_config *config = oci_config_default(arena);
    struct oci_process *process = config->process;
    const struct policy_subject subject = { .n_files_max = request->n_files_max };

    if (user->uid >= ID_RANGE_SIZE || user->gid >= ID_RANGE_SIZE)
        return err_set(
            err, EINVAL, "user %u:%u: a sandbox has the ids 0 to %u", user->uid, user->gid, ID_RANGE_SIZE - 1);
    config->root.path = "rootfs"; /* brought as a mount */
    config->root.readonly = false;
    config->hostname = arena_strndup(arena, request->id, strnlen(request->id, 63));
    process->rlimits = NULL; /* what the policy says, not what a bundle starts from */
    process->n_rlimits = 0;
    process->terminal = request->want_terminal;
    process->user = (struct oci_user){
        .uid = user->uid,
        .gid = user->gid,
        .additional_gids = user->groups,
        .n_additional_gids = user->n_groups,
    };
    process->cwd = request->working_dir ? request->working_dir : image->working_dir ? image->working_dir : "/";
    if (process->cwd[0] != '/')
        process->cwd = arena_printf(arena, "/%s", process->cwd);
    if (args_plan(arena, request, image, process, err) < 0 ||
        env_plan(arena, request, image, user, policy, process, err) < 0)
        return -err->code;
    namespaces_plan(arena, request, config);
    mounts_plan(arena, request, user, config);
    policy_ask(arena, policy, config);
    if (policy_lower(arena, policy, &subject, config, narrowed, err) < 0)
        return -err->code;
    *ret = config;
    return 0;
}
