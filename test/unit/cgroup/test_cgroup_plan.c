/* SPDX-License-Identifier: Apache-2.0 */
/* test/golden/cgroup/NAME.json → NAME.plan. */
#include "cgroup_plan.h"

#include <fcntl.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cgroup_path_plan.h"
#include "cleanup.h"
#include "err.h"
#include "golden.h"
#include "oci_config.h"
#include "oci_config_parse.h"
#include "strv.h"
#include "unit.h"

static struct arena arena = ARENA_INIT;

static void golden_check(const char *name)
{
    AUTO(buf) struct buf out = BUF_INIT;
    struct error err = ERR_INIT;
    struct oci_config *config = NULL;
    struct cgroup_plan *plan = NULL;
    const char *base = arena_printf(&arena, GOLDEN_DIR "cgroup/%s", name);
    const char *plan_path = arena_printf(&arena, "%s.plan", base);
    const char *json = golden_read(&arena, arena_printf(&arena, "%s.json", base));

    int r = oci_config_parse(&arena, name, json, strlen(json), &config, &err);
    ck_assert_msg(r == 0, "%s", err.text);
    r = cgroup_plan_build(&arena, config, "box", "/user.slice/session-1.scope", &plan, &err);
    if (r < 0)
        buf_printf(&out, "error %s\n", err.text);
    else
        cgroup_plan_print(plan, &out);
    golden_compare(&arena, plan_path, &out);
}

START_TEST(default_bundle_when_planned_then_as_golden)
{
    golden_check("default");
}
END_TEST

START_TEST(docker_bundle_when_planned_then_as_golden)
{
    golden_check("docker");
}
END_TEST

START_TEST(privileged_bundle_when_planned_then_as_golden)
{
    golden_check("privileged");
}
END_TEST

START_TEST(every_limit_when_planned_then_as_golden)
{
    golden_check("every-limit");
}
END_TEST

START_TEST(systemd_inside_when_planned_then_owned_as_golden)
{
    golden_check("owned");
}
END_TEST

START_TEST(escaping_path_when_planned_then_error_as_golden)
{
    golden_check("escaping-path");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        default_bundle_when_planned_then_as_golden,
        docker_bundle_when_planned_then_as_golden,
        privileged_bundle_when_planned_then_as_golden,
        every_limit_when_planned_then_as_golden,
        systemd_inside_when_planned_then_owned_as_golden,
        escaping_path_when_planned_then_error_as_golden,
    };

    return unit_run("cgroup_plan", tests, ARRAY_SIZE(tests));
}
