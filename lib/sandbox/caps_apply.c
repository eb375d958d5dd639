/* SPDX-License-Identifier: Apache-2.0 */
/* Capability sets in force, and read back. */
#include "caps_apply.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <sys/capability.h>

#include "caps_plan.h"
#include "credential.h"
#include "err.h"
#include "fault.h"
#include "role.h"

static unsigned lowest(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

/* The error that names the first capability of a set. */
static int fail_set(struct error *err, uint64_t set, const char *what)
{
    char name[CAPS_NAME_SIZE];
    caps_name(lowest(set), name);
    return err_set(err, EPERM, "capabilities: %s %s", name, what);
}

/* Any role: reads only. */
unsigned caps_last(void)
{
    int n = cap_max_bits(); /* libcap asked the kernel when the program started */

    return n > 0 && n <= CAPS_LAST_MAX + 1 ? (unsigned)n - 1 : CAPS_LAST_MAX;
}

/* Any role: reads only. */
int caps_own(uint64_t *ret, struct error *err)
{
    struct kernel_caps caps;
    int r = kernel_capget(0, &caps);

    if (r < 0)
        return err_sys(err, r, "capabilities: read the runtime's own");
    *ret = caps.permitted;
    return 0;
}

int caps_apply_bounding(const struct caps_plan *plan, struct error *err)
{
    role_require(ROLE_INIT);
    for (int i = 0; i <= CAPS_LAST_MAX; i++) {
        if ((plan->bounding >> i & 1) != 0)
            continue;
        int r = kernel_capbset_drop(i);
        if (r == -EINVAL && i > 0)
            break; /* above the kernel's last one */
        if (r == -EPERM && kernel_capbset_read(i) == 0)
            continue; /* not there, and no right to drop was needed; caps_apply_sets reads all back */
        if (r < 0)
            return err_sys(err, r, "capabilities: drop number %d from the bounding set", i);
    }
    int r = kernel_set_keepcaps(true);
    return r < 0 ? err_sys(err, r, "capabilities: keep them over the change of ids") : 0;
}

static int set_flag(cap_t caps, cap_flag_t flag, uint64_t set)
{
    cap_value_t values[CAPS_LAST_MAX + 1];
    int n = 0;
    for (; set != 0; set &= set - 1)
        values[n++] = (cap_value_t)lowest(set);
    return n == 0 ? 0 : cap_set_flag(caps, flag, n, values, CAP_SET);
}

static int set_three(const struct caps_plan *plan)
{
    KERNEL_CALL("cap_set_proc");
    cap_t caps = cap_init();
    if (caps == NULL)
        return -ENOMEM;
    int r = set_flag(caps, CAP_PERMITTED, plan->permitted);
    if (r == 0)
        r = set_flag(caps, CAP_EFFECTIVE, plan->effective);
    if (r == 0)
        r = set_flag(caps, CAP_INHERITABLE, plan->inheritable);
    if (r == 0)
        r = cap_set_proc(caps);
    int code = r < 0 ? -errno : 0;
    (void)cap_free(caps);
    return code;
}

int caps_apply_kept(struct error *err)
{
    role_require(ROLE_INIT);
    struct kernel_caps now;
    int r = kernel_capget(0, &now);
    if (r < 0)
        return err_sys(err, r, "capabilities: read those kept over the change of ids");
    const struct caps_plan kept = {
        .effective = now.permitted,
        .permitted = now.permitted,
        .inheritable = now.inheritable,
    };
    r = set_three(&kept);
    return r < 0 ? err_sys(err, r, "capabilities: make those kept effective") : 0;
}

static int set_ambient(uint64_t set, struct error *err)
{
    int r = kernel_ambient_clear();
    if (r < 0)
        return err_sys(err, r, "capabilities: clear the ambient set");
    for (; set != 0; set &= set - 1) {
        r = kernel_ambient_raise((int)lowest(set));
        if (r < 0)
            return err_sys(err, r, "capabilities: raise ambient number %u", lowest(set));
    }
    return 0;
}

static int check_set(const char *label, uint64_t demanded, uint64_t actual, struct error *err)
{
    if ((actual & ~demanded) != 0) {
        int r = fail_set(err, actual & ~demanded, "is in force though it was not asked for");
        (void)err_in(err, "%s set", label);
        return r;
    }
    if ((demanded & ~actual) != 0) {
        int r = fail_set(err, demanded & ~actual, "was asked for and is not in force");
        (void)err_in(err, "%s set", label);
        return r;
    }
    return 0;
}

static int check_three(const struct caps_plan *plan, struct error *err)
{
    struct kernel_caps actual;
    int r = kernel_capget(0, &actual);
    if (r < 0)
        return err_sys(err, r, "capabilities: read them back");
    r = check_set("effective", plan->effective, actual.effective, err);
    if (r == 0)
        r = check_set("permitted", plan->permitted, actual.permitted, err);
    if (r == 0)
        r = check_set("inheritable", plan->inheritable, actual.inheritable, err);
    return r;
}

/* A bounding set smaller than the plan is what a caller without that capability has: less power, not an error. */
static int check_bounding_and_ambient(const struct caps_plan *plan, struct error *err)
{
    uint64_t bounding = 0;
    uint64_t ambient = 0;
    for (int i = 0; i <= CAPS_LAST_MAX; i++) {
        int is_bounding = kernel_capbset_read(i);
        if (is_bounding == -EINVAL && i > 0)
            break;
        int is_ambient = kernel_ambient_read(i);
        if (is_bounding < 0 || is_ambient < 0)
            return err_sys(err, is_bounding < 0 ? is_bounding : is_ambient,
                "capabilities: read number %d back", i);
        bounding |= (uint64_t)is_bounding << i;
        ambient |= (uint64_t)is_ambient << i;
    }
    int r = check_set("bounding", plan->bounding & bounding, bounding, err);
    return r < 0 ? r : check_set("ambient", plan->ambient, ambient, err);
}

int caps_apply_sets(const struct caps_plan *plan, struct error *err)
{
    role_require(ROLE_INIT);
    struct kernel_caps now;
    int r = kernel_capget(0, &now);
    if (r < 0)
        return err_sys(err, r, "capabilities: read the caller's");
    uint64_t missing = (plan->permitted | plan->effective) & ~now.permitted;
    if (missing != 0)
        return fail_set(err, missing, "cannot be given: the runtime itself does not have it");
    r = set_three(plan);
    if (r < 0)
        return err_sys(err, r, "capabilities: set effective, permitted and inheritable");
    r = set_ambient(plan->ambient, err);
    if (r < 0)
        return r;
    r = kernel_set_keepcaps(false);
    if (r < 0)
        return err_sys(err, r, "capabilities: end keep-caps");
    r = check_three(plan, err);
    return r < 0 ? r : check_bounding_and_ambient(plan, err);
}
