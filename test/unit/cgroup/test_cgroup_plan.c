/* SPDX-License-Identifier: Apache-2.0 */
/* test/golden/cgroup/NAME.json → NAME.plan; RUNA_GOLDEN_UPDATE=1 writes the plans anew. */
#include "cgroup_plan.h"

#include <fcntl.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cgroup_path_plan.h"
#include "cleanup.h"
#include "err.h"
#include "file.h"
#include "oci_config.h"
#include "oci_config_parse.h"
#include "strv.h"
#include "unit.h"

#define GOLDEN_MAX 65536

static struct arena arena = ARENA_INIT;

static char *golden_read(const char *path)
{
    char *text = NULL;
    size_t len = 0;
    int r = file_read(AT_FDCWD, path, GOLDEN_MAX, &text, &len);

    ck_assert_msg(r == 0, "%s: %s", path, strerror(-r));
    char *copy = arena_strndup(&arena, text, len);
    free(text);
    return copy;
}

static void golden_check(const char *name)
{
    AUTO(buf) struct buf out = BUF_INIT;
    struct error err = ERR_INIT;
    struct oci_config *config = NULL;
    struct cgroup_plan *plan = NULL;
    const char *base = arena_printf(&arena, RUNA_TEST_DIR "/golden/cgroup/%s", name);
    const char *plan_path = arena_printf(&arena, "%s.plan", base);
    const char *json = golden_read(arena_printf(&arena, "%s.json", base));

    int r = oci_config_parse(&arena, name, json, strlen(json), &config, &err);
    ck_assert_msg(r == 0, "%s", err.text);
    r = cgroup_plan_build(&arena, config, "box", "/user.slice/session-1.scope", &plan, &err);
    if (r < 0)
        buf_printf(&out, "error %s\n", err.text);
    else
        cgroup_plan_print(plan, &out);
    if (getenv("RUNA_GOLDEN_UPDATE") != NULL)
        ck_assert_int_eq(file_replace(AT_FDCWD, plan_path, buf_str(&out), out.len, 0644, false), 0);
    ck_assert_str_eq(buf_str(&out), golden_read(plan_path));
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
