/* SPDX-License-Identifier: Apache-2.0 */
/* Id maps. */
#include "id_map_apply.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "namespace.h"
#include "namespace_plan.h"
#include "process.h"
#include "role.h"
#include "strv.h"

#define HELPER_TIMEOUT_MS 10000

static void map_text(const struct oci_id_mapping *map, size_t n, struct buf *out)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", map[i].container_id, map[i].host_id, map[i].size);
}

static int direct_write(const struct namespace_plan *plan, int pid_dir, struct error *err)
{
    AUTO(buf) struct buf uid_text = BUF_INIT;
    AUTO(buf) struct buf gid_text = BUF_INIT;

    map_text(plan->uid_map, plan->n_uid_map, &uid_text);
    map_text(plan->gid_map, plan->n_gid_map, &gid_text);
    int r = namespace_write_gid_map(pid_dir, buf_str(&gid_text));
    if (r < 0)
        return err_sys(err, r, "linux.gidMappings: cannot write the map");
    r = namespace_write_uid_map(pid_dir, buf_str(&uid_text));
    return r < 0 ? err_sys(err, r, "linux.uidMappings: cannot write the map") : 0;
}

static bool is_single(const struct oci_id_mapping *map, size_t n, uint32_t own_id)
{
    return n == 1 && map[0].size == 1 && map[0].host_id == own_id;
}

static int helper_run(const char *const paths[2], const char *what, pid_t pid, const struct oci_id_mapping *map,
    size_t n, struct error *err)
{
    static char *const no_env[] = { NULL };
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct strv argv = STRV_INIT;
    char output[512];
    struct process_run run = PROCESS_RUN_INIT;
    int status;
    int r = -ENOENT;

    for (int i = 0; i < 2 && r == -ENOENT; i++) {
        argv = (struct strv)STRV_INIT;
        strv_add(&arena, &argv, paths[i]);
        strv_add(&arena, &argv, arena_printf(&arena, "%d", (int)pid));
        for (size_t k = 0; k < n; k++) {
            strv_add(&arena, &argv, arena_printf(&arena, "%" PRIu32, map[k].container_id));
            strv_add(&arena, &argv, arena_printf(&arena, "%" PRIu32, map[k].host_id));
            strv_add(&arena, &argv, arena_printf(&arena, "%" PRIu32, map[k].size));
        }
        run.path = paths[i];
        run.argv = argv.items;
        run.envp = no_env;
        run.output = output;
        run.output_size = sizeof(output);
        run.timeout_ms = HELPER_TIMEOUT_MS;
        r = process_run(&run, &status);
    }
    if (r == -ENOENT)
        return err_set(err, ENOENT, "%s: %s is not installed; install the package uidmap", what, paths[0]);
    if (r < 0)
        return err_sys(err, r, "%s: cannot run %s", what, run.path);
    if (process_exit_code(status) != 0) {
        AUTO(buf) struct buf quoted = BUF_INIT;
        buf_put_quoted(&quoted, output, strlen(output));
        return err_set(err, EPERM, "%s: %s refused: %s (has the caller a range in /etc/subuid and /etc/subgid?)", what,
            run.path, buf_str(&quoted));
    }
    return 0;
}

int id_map_apply(const struct namespace_plan *plan, pid_t pid, int pid_dir, bool is_rootless, struct error *err)
{
    role_require(ROLE_PARENT);
    static const char *const uid_helpers[2] = { "/usr/bin/newuidmap", "/bin/newuidmap" };
    static const char *const gid_helpers[2] = { "/usr/bin/newgidmap", "/bin/newgidmap" };

    if (!is_rootless)
        return direct_write(plan, pid_dir, err);
    if (is_single(plan->uid_map, plan->n_uid_map, geteuid()) && is_single(plan->gid_map, plan->n_gid_map, getegid())) {
        int r = namespace_deny_setgroups(pid_dir);
        if (r < 0)
            return err_sys(err, r, "user namespace: cannot deny setgroups");
        return direct_write(plan, pid_dir, err);
    }
    if (helper_run(uid_helpers, "linux.uidMappings", pid, plan->uid_map, plan->n_uid_map, err) < 0)
        return -err->code;
    return helper_run(gid_helpers, "linux.gidMappings", pid, plan->gid_map, plan->n_gid_map, err);
}
