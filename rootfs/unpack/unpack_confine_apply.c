/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: the steps into confinement, in the order in which each still has the rights that it needs. */
#include "unpack_confine_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "call.h"
#include "cleanup.h"
#include "credential.h"
#include "err.h"
#include "kernel_const.h"
#include "mount_call.h"
#include "process_call.h"
#include "role.h"
#include "unpack_filter.h"
#include "unpack_order.h"

/* capabilities(7) by number: what setting attributes of all kinds within the own id range takes. */
#define CAP_BIT_CHOWN        (1ULL << 0)
#define CAP_BIT_DAC_OVERRIDE (1ULL << 1)
#define CAP_BIT_FOWNER       (1ULL << 3)
#define CAP_BIT_FSETID       (1ULL << 4)
#define CAP_BIT_SETFCAP      (1ULL << 31)
#define CAPS_LAYER           (CAP_BIT_CHOWN | CAP_BIT_DAC_OVERRIDE | CAP_BIT_FOWNER | CAP_BIT_FSETID | CAP_BIT_SETFCAP)

#define CPU_SECONDS 1200
#define OPEN_FILES  1024 /* about two a level of a directory tree, see UNPACK_DEPTH_MAX */

static int empty_root_make(struct error *err)
{
    autoclose int fs = kernel_fsopen("tmpfs");
    if (fs < 0)
        return err_sys(err, fs, "fsopen tmpfs");
    int rc = kernel_fsconfig_string(fs, "size", "4k");
    if (rc == 0)
        rc = kernel_fsconfig_create(fs);
    if (rc == 0)
        rc = kernel_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY);
    return rc < 0 ? err_sys(err, rc, "mount tmpfs") : rc;
}

/* Puts the tree over the old root, makes it the root and lets the old one go. */
static int root_enter(int tree_fd, struct error *err)
{
    int rc = kernel_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    if (rc < 0)
        return err_sys(err, rc, "make mounts private");
    autoclose int old = kernel_open("/", O_PATH | O_DIRECTORY, 0);
    rc = old < 0 ? old : kernel_move_mount_fd(tree_fd, old);
    if (rc < 0)
        return err_sys(err, rc, "attach the tree");
    rc = kernel_fchdir(tree_fd);
    if (rc == 0)
        rc = kernel_pivot_root(".", ".");
    if (rc == 0)
        rc = kernel_umount2(".", MNT_DETACH);
    if (rc == 0)
        rc = kernel_fchdir(tree_fd);
    return rc < 0 ? err_sys(err, rc, "switch root") : 0;
}

static int caps_keep(uint64_t keep, struct error *err)
{
    for (int cap = 0; kernel_capbset_read(cap) >= 0; cap++) {
        int rc = kernel_capbset_drop(cap);
        if (rc < 0)
            return err_sys(err, rc, "drop capability %d", cap);
    }
    const struct kernel_caps caps = { .effective = keep, .permitted = keep };
    int rc = kernel_capset(&caps);
    return rc < 0 ? err_sys(err, rc, "drop capabilities") : 0;
}

static int limits_set(struct error *err)
{
    const struct {
        int resource;
        rlim_t limit;
        const char *name;
    } limits[] = {
        { RLIMIT_CORE, 0, "core" },
        { RLIMIT_CPU, CPU_SECONDS, "cpu" },
        { RLIMIT_FSIZE, UNPACK_FILE_BYTES_MAX, "fsize" },
        { RLIMIT_NOFILE, OPEN_FILES, "nofile" },
        { RLIMIT_MEMLOCK, 0, "memlock" },
        { RLIMIT_MSGQUEUE, 0, "msgqueue" },
        { RLIMIT_AS, UNPACK_MEMORY_MAX, "as" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        if (UNPACK_IS_SANITIZED && limits[i].resource == RLIMIT_AS)
            continue; /* shadow memory takes terabytes */
        struct rlimit old;
        int rc = kernel_prlimit(0, limits[i].resource, NULL, &old);
        rlim_t most = rc == 0 && old.rlim_max < limits[i].limit ? old.rlim_max : limits[i].limit;
        const struct rlimit limit = { .rlim_cur = most, .rlim_max = most };
        if (rc == 0)
            rc = kernel_prlimit(0, limits[i].resource, &limit, NULL);
        if (rc < 0)
            return err_sys(err, rc, "set limit %s", limits[i].name);
    }
    return 0;
}

int unpack_confine_apply(enum unpack_job job, struct error *err)
{
    role_require(ROLE_UNPACK);
    bool has_tree = job != UNPACK_JOB_INFLATE;
    autoclose int made = has_tree ? -1 : empty_root_make(err);
    if (!has_tree && made < 0)
        return made;
    int rc = root_enter(has_tree ? UNPACK_FD_ROOT : made, err);
    if (rc < 0)
        return rc;
    rc = kernel_close_range(has_tree ? UNPACK_FD_ROOT + 1 : UNPACK_FD_CHANNEL + 1, UINT_MAX, 0);
    if (rc < 0)
        return err_sys(err, rc, "close descriptors");
    (void)take_fd(&made); /* closed with the range */
    if (limits_set(err) < 0 || caps_keep(job == UNPACK_JOB_LAYER ? CAPS_LAYER : 0, err) < 0)
        return -err->code;
    rc = kernel_set_no_new_privs();
    if (rc == 0)
        rc = kernel_set_dumpable(0);
    if (rc < 0)
        return err_sys(err, rc, "give up privileges");
    (void)kernel_umask(0);
    return unpack_filter_apply(has_tree, err);
}
