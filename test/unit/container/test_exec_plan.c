/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tests of exec_plan: words over the container's process, what a document leaves out, and that nothing in a
 * sandbox has more than its first process. */
#include "exec_plan.h"

#include <sched.h>
#include <sys/resource.h>

#include "container_unit.h"
#include "kernel_const.h"
#include "seccomp_agent.h"
#include "strv.h"

#define CAPS_LAST         40U
#define CAPS_ALL          ((1ULL << (CAPS_LAST + 1)) - 1)
#define BIT(number)       (1ULL << (number))
#define CAP_CHOWN_BIT     BIT(0)
#define CAP_KILL_BIT      BIT(5)
#define CAP_SYS_ADMIN_BIT BIT(21)

static struct arena arena;
static struct error err;
static const struct exec_facts engine = { .caps_own = CAPS_ALL, .caps_last = CAPS_LAST };
static const struct exec_facts sandbox = { .caps_own = CAPS_ALL, .caps_last = CAPS_LAST, .is_sandbox = true };
static char word_true[] = "true";
static char *args[] = { word_true, NULL };

/* A container whose process has, besides args and cwd, these members; linux has the namespaces and these. */
static struct oci_config *config_of(const char *process, const char *linux_)
{
    return container_unit_parse(
        &arena, arena_printf(&arena,
                    "{\"ociVersion\":\"1.2.0\",\"root\":{\"path\":\"rootfs\"},\"process\":{\"args\":[\"sleep\",\"9\"],"
                    "\"cwd\":\"/srv\",\"env\":[\"PATH=/bin\",\"A=1\"],\"terminal\":true,"
                    "\"consoleSize\":{\"height\":3,\"width\":4}%s},\"linux\":{\"namespaces\":[{\"type\":\"mount\"},"
                    "{\"type\":\"pid\"},{\"type\":\"network\",\"path\":\"/n\"}]%s}}",
                    process, linux_));
}

static struct oci_process *document_of(const char *members)
{
    struct oci_process *process;
    const char *text = arena_printf(&arena, "{\"args\":[\"true\"],\"cwd\":\"/\"%s}", members);

    ck_assert_msg(oci_process_parse(&arena, "process.json", text, strlen(text), &process, &err) == 0, "%s", err.text);
    return process;
}

static struct oci_process *process_of(const struct oci_config *config, struct exec_words words)
{
    struct oci_process *process;

    words.args = args;
    words.n_args = 1;
    ck_assert_msg(exec_process_make(&arena, config, &words, &process, &err) == 0, "%s", err.text);
    return process;
}

static struct exec_plan plan_of(
    const struct oci_config *config, struct oci_process *process, const struct exec_facts *facts)
{
    struct exec_plan plan;
    struct strv unknown = STRV_INIT;

    ck_assert_msg(exec_plan_build(&arena, config, process, facts, &plan, &unknown, &err) == 0, "%s", err.text);
    return plan;
}

static const char FIRST[] = ",\"user\":{\"uid\":7,\"gid\":8,\"umask\":63,\"additionalGids\":[9]},"
                            "\"noNewPrivileges\":true,\"oomScoreAdj\":100,"
                            "\"capabilities\":{\"bounding\":[\"CAP_KILL\"],\"effective\":[\"CAP_KILL\"],"
                            "\"permitted\":[\"CAP_KILL\"]},"
                            "\"rlimits\":[{\"type\":\"RLIMIT_NOFILE\",\"soft\":100,\"hard\":200},"
                            "{\"type\":\"RLIMIT_CORE\",\"soft\":0,\"hard\":0}]";

START_TEST(make_when_only_a_command_then_the_containers_process_without_its_terminal)
{
    struct oci_process *process = process_of(config_of(FIRST, ""), (struct exec_words){ 0 });

    ck_assert_str_eq(process->args[0], "true");
    ck_assert_str_eq(process->cwd, "/srv");
    ck_assert(!process->terminal);
    ck_assert_uint_eq(process->console_size.height, 0);
    ck_assert_uint_eq(process->user.uid, 7);
    ck_assert_uint_eq(process->user.umask, 63);
    ck_assert_uint_eq(process->user.n_additional_gids, 1);
    ck_assert(process->no_new_privileges);
    ck_assert_int_eq(process->oom_score_adj, 100);
    ck_assert_uint_eq(process->n_rlimits, 2);
    ck_assert_uint_eq(process->n_env, 2);
}
END_TEST

START_TEST(make_when_words_then_they_win)
{
    static const char *const env[] = { "A=2", "B=x=y", "C=" };
    static const uint32_t groups[] = { 5, 6 };
    struct oci_config *config = config_of("", "");
    struct oci_process *process = process_of(config, (struct exec_words){
                                                         .cwd = "/tmp",
                                                         .env = env,
                                                         .n_env = ARRAY_SIZE(env),
                                                         .groups = groups,
                                                         .n_groups = ARRAY_SIZE(groups),
                                                         .has_user = true,
                                                         .uid = 1,
                                                         .has_gid = true,
                                                         .gid = 2,
                                                         .apparmor_profile = "p",
                                                         .selinux_label = "l",
                                                         .want_terminal = true,
                                                         .no_new_privileges = true,
                                                     });

    ck_assert_str_eq(process->cwd, "/tmp");
    ck_assert_str_eq(env_get(process->env, "A"), "2");
    ck_assert_str_eq(env_get(process->env, "B"), "x=y");
    ck_assert_str_eq(env_get(process->env, "C"), "");
    ck_assert_str_eq(env_get(process->env, "PATH"), "/bin");
    ck_assert_uint_eq(process->n_env, 4);
    ck_assert_uint_eq(process->user.uid, 1);
    ck_assert_uint_eq(process->user.gid, 2);
    ck_assert_uint_eq(process->user.n_additional_gids, 2);
    ck_assert_uint_eq(process->user.additional_gids[1], 6);
    ck_assert_str_eq(process->apparmor_profile, "p");
    ck_assert_str_eq(process->selinux_label, "l");
    ck_assert(process->terminal);
    ck_assert(process->no_new_privileges);
    /* the container's own stays what it is */
    ck_assert_uint_eq(config->process->n_env, 2);
    ck_assert_uint_eq(config->process->user.uid, 0);
    ck_assert(!config->process->no_new_privileges);
}
END_TEST

START_TEST(make_when_env_is_no_assignment_then_refused)
{
    static const char *const wrong[] = { "NAME", "=value", "" };
    struct oci_config *config = config_of("", "");

    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct exec_words words = { .args = args, .n_args = 1, .env = &wrong[i], .n_env = 1 };
        struct oci_process *process = NULL;
        err = (struct error)ERR_INIT;
        ck_assert_int_eq(exec_process_make(&arena, config, &words, &process, &err), -EINVAL);
        ck_assert_ptr_null(process);
        ck_assert_ptr_nonnull(strstr(err.text, "--env"));
    }
}
END_TEST

START_TEST(make_when_caps_then_bounding_effective_and_permitted_grow)
{
    static const char *const caps[] = { "CAP_CHOWN", "CAP_KILL" };
    struct oci_config *config = config_of(FIRST, "");
    struct exec_plan plan =
        plan_of(config, process_of(config, (struct exec_words){ .caps = caps, .n_caps = ARRAY_SIZE(caps) }), &engine);

    ck_assert_uint_eq(plan.caps.bounding, CAP_CHOWN_BIT | CAP_KILL_BIT);
    ck_assert_uint_eq(plan.caps.effective, CAP_CHOWN_BIT | CAP_KILL_BIT);
    ck_assert_uint_eq(plan.caps.permitted, CAP_CHOWN_BIT | CAP_KILL_BIT);
    ck_assert_uint_eq(plan.caps.inheritable, 0);
    ck_assert_uint_eq(plan.caps.ambient, 0);
    ck_assert_uint_eq(config->process->capabilities->n_bounding, 1);
}
END_TEST

START_TEST(make_when_caps_over_a_process_without_any_then_those_alone)
{
    static const char *const caps[] = { "CAP_CHOWN" };
    struct oci_config *config = config_of("", "");
    struct exec_plan plan =
        plan_of(config, process_of(config, (struct exec_words){ .caps = caps, .n_caps = 1 }), &engine);

    ck_assert_uint_eq(plan.caps.effective, CAP_CHOWN_BIT);
    ck_assert_ptr_null(config->process->capabilities);
}
END_TEST

START_TEST(build_when_a_document_leaves_things_out_then_the_containers)
{
    struct oci_process *process = document_of("");
    struct oci_config *config = config_of(FIRST, "");
    struct exec_plan plan = plan_of(config, process, &engine);

    ck_assert_uint_eq(plan.caps.effective, CAP_KILL_BIT);
    ck_assert_uint_eq(process->n_rlimits, 2);
    ck_assert_int_eq(process->oom_score_adj, 100);
    /* but ids, groups, mask and no_new_privs are as the document has them: absent is a value */
    ck_assert_uint_eq(plan.identity.uid, 0);
    ck_assert_uint_eq(plan.identity.n_groups, 0);
    ck_assert_uint_eq(plan.identity.umask, 0022);
    ck_assert(!plan.attributes.has_no_new_privs);
}
END_TEST

START_TEST(build_when_a_document_says_it_then_it_counts)
{
    struct oci_process *process = document_of(",\"capabilities\":{},\"oomScoreAdj\":-5,\"noNewPrivileges\":true,"
                                              "\"rlimits\":[{\"type\":\"RLIMIT_NOFILE\",\"soft\":1000,\"hard\":2000}]");
    struct exec_plan plan = plan_of(config_of(FIRST, ""), process, &engine);

    ck_assert_uint_eq(plan.caps.bounding, 0);
    ck_assert_int_eq(process->oom_score_adj, -5);
    ck_assert_uint_eq(process->n_rlimits, 1);
    ck_assert_uint_eq(process->rlimits[0].hard, 2000);
    ck_assert(plan.attributes.has_no_new_privs);
}
END_TEST

static const char GREEDY[] =
    ",\"noNewPrivileges\":false,\"oomScoreAdj\":-900,\"apparmorProfile\":\"unconfined\","
    "\"selinuxLabel\":\"other\",\"scheduler\":{\"policy\":\"SCHED_FIFO\",\"priority\":50},"
    "\"ioPriority\":{\"class\":\"IOPRIO_CLASS_RT\",\"priority\":0},"
    "\"capabilities\":{\"bounding\":[\"CAP_SYS_ADMIN\",\"CAP_KILL\"],\"effective\":[\"CAP_SYS_ADMIN\",\"CAP_KILL\"],"
    "\"permitted\":[\"CAP_SYS_ADMIN\",\"CAP_KILL\"],\"inheritable\":[\"CAP_SYS_ADMIN\",\"CAP_KILL\"],"
    "\"ambient\":[\"CAP_SYS_ADMIN\",\"CAP_KILL\"]},"
    "\"rlimits\":[{\"type\":\"RLIMIT_NOFILE\",\"soft\":1000,\"hard\":2000},"
    "{\"type\":\"RLIMIT_NPROC\",\"soft\":5,\"hard\":6}]";

static const char LABELS[] = ",\"apparmorProfile\":\"mine\",\"selinuxLabel\":\"label\"";

static struct exec_facts with_labels(struct exec_facts facts)
{
    facts.labels = (struct label_host){ .has_apparmor = true, .has_selinux = true };
    return facts;
}

START_TEST(build_when_sandbox_then_a_greedy_document_has_no_more_than_the_first)
{
    struct oci_process *process = document_of(GREEDY);
    struct exec_facts facts = with_labels(sandbox);
    struct exec_plan plan = plan_of(config_of(arena_printf(&arena, "%s%s", FIRST, LABELS), ""), process, &facts);

    ck_assert_uint_eq(plan.caps.bounding, CAP_KILL_BIT);
    ck_assert_uint_eq(plan.caps.effective, CAP_KILL_BIT);
    ck_assert_uint_eq(plan.caps.permitted, CAP_KILL_BIT);
    ck_assert_uint_eq(plan.caps.inheritable & ~CAP_KILL_BIT, 0);
    ck_assert_uint_eq(plan.caps.ambient & ~CAP_KILL_BIT, 0);
    ck_assert(plan.attributes.has_no_new_privs);
    ck_assert_ptr_null(plan.attributes.scheduler);
    ck_assert_ptr_null(plan.attributes.io_priority);
    ck_assert_str_eq(plan.labels.apparmor_profile, "mine");
    ck_assert_str_eq(plan.labels.selinux_label, "label");
    ck_assert_int_eq(process->oom_score_adj, 100);
}
END_TEST

START_TEST(build_when_sandbox_then_limits_are_never_above_those_of_the_first)
{
    struct oci_process *process = document_of(GREEDY);
    size_t n_seen = 0;

    (void)plan_of(config_of(FIRST, ""), process,
        &(struct exec_facts){
            .caps_last = CAPS_LAST, .is_sandbox = true, .labels = { .has_apparmor = true, .has_selinux = true } });
    for (size_t i = 0; i < process->n_rlimits; i++) {
        const struct oci_rlimit *limit = &process->rlimits[i];
        if (limit->type == RLIMIT_NOFILE)
            ck_assert(limit->soft == 200 && limit->hard == 200);
        else if (limit->type == RLIMIT_CORE)
            ck_assert(limit->soft == 0 && limit->hard == 0);
        else if (limit->type == RLIMIT_NPROC)
            ck_assert(limit->soft == 5 && limit->hard == 6);
        n_seen++;
    }
    ck_assert_uint_eq(n_seen, 3);
}
END_TEST

START_TEST(build_when_sandbox_then_less_than_the_first_stays_less)
{
    struct oci_process *process = document_of(",\"capabilities\":{},\"oomScoreAdj\":500,"
                                              "\"rlimits\":[{\"type\":\"RLIMIT_NOFILE\",\"soft\":10,\"hard\":20}]");
    struct exec_plan plan = plan_of(config_of(FIRST, ""), process, &sandbox);

    ck_assert_uint_eq(plan.caps.bounding, 0);
    ck_assert_int_eq(process->oom_score_adj, 500);
    ck_assert_uint_eq(process->rlimits[0].soft, 10);
    ck_assert_uint_eq(process->rlimits[0].hard, 20);
}
END_TEST

START_TEST(build_when_sandbox_whose_first_has_no_capabilities_then_none)
{
    static const char *const caps[] = { "CAP_SYS_ADMIN" };
    struct oci_config *config = config_of("", "");
    struct exec_plan plan =
        plan_of(config, process_of(config, (struct exec_words){ .caps = caps, .n_caps = 1 }), &sandbox);

    ck_assert_uint_eq(plan.caps.bounding | plan.caps.effective | plan.caps.permitted, 0);
}
END_TEST

START_TEST(build_when_no_sandbox_then_the_engine_may_ask_for_more)
{
    struct exec_facts facts = with_labels(engine);
    struct exec_plan plan = plan_of(config_of(FIRST, ""), document_of(GREEDY), &facts);

    ck_assert_uint_eq(plan.caps.effective, CAP_KILL_BIT | CAP_SYS_ADMIN_BIT);
    ck_assert_str_eq(plan.labels.apparmor_profile, "unconfined");
    ck_assert(!plan.attributes.has_no_new_privs);
}
END_TEST

START_TEST(build_when_the_runtime_lacks_a_capability_then_told_unless_there_is_a_user_namespace)
{
    struct oci_config *config = config_of(FIRST, "");
    const struct exec_facts poor = { .caps_last = CAPS_LAST };
    struct exec_plan plan;
    struct strv unknown = STRV_INIT;

    ck_assert_int_eq(
        exec_plan_build(&arena, config, process_of(config, (struct exec_words){ 0 }), &poor, &plan, &unknown, &err), 0);
    ck_assert_uint_eq(plan.caps.effective, 0);
    ck_assert(strv_has(&unknown, "CAP_KILL"));
    config->linux_.namespaces[2] = (struct oci_namespace){ .type = OCI_NAMESPACE_USER };
    plan = plan_of(config, process_of(config, (struct exec_words){ 0 }), &poor);
    ck_assert_uint_eq(plan.caps.effective, CAP_KILL_BIT);
    ck_assert(plan.has_user_namespace);
}
END_TEST

START_TEST(build_when_namespaces_then_those_of_the_configuration_are_joined)
{
    struct oci_config *config = config_of("", "");
    struct exec_plan plan = plan_of(config, process_of(config, (struct exec_words){ 0 }), &engine);

    ck_assert_uint_eq(plan.join_flags, CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET);
    ck_assert(!plan.has_user_namespace);
}
END_TEST

START_TEST(build_when_groups_cannot_be_set_then_left_alone_and_asking_for_some_is_refused)
{
    static const uint32_t groups[] = { 5 };
    struct exec_facts facts = engine;
    struct oci_config *config = config_of("", "");
    struct oci_config *keeping = config_of("", "");
    struct oci_pair keep = { .key = "run.oci.keep_original_groups", .value = "1" };
    struct exec_plan plan = plan_of(config, process_of(config, (struct exec_words){ 0 }), &facts);
    struct strv unknown = STRV_INIT;

    ck_assert(plan.identity.has_setgroups);
    keeping->annotations = &keep;
    keeping->n_annotations = 1;
    plan = plan_of(keeping, process_of(keeping, (struct exec_words){ 0 }), &facts);
    ck_assert(!plan.identity.has_setgroups);
    facts.is_setgroups_denied = true;
    plan = plan_of(config, process_of(config, (struct exec_words){ 0 }), &facts);
    ck_assert(!plan.identity.has_setgroups);
    struct oci_process *process = process_of(config, (struct exec_words){ .groups = groups, .n_groups = 1 });
    ck_assert_int_eq(exec_plan_build(&arena, config, process, &facts, &plan, &unknown, &err), -EPERM);
}
END_TEST

START_TEST(build_when_there_is_no_command_then_refused)
{
    struct exec_plan plan;
    struct strv unknown = STRV_INIT;
    struct oci_process *process = document_of("");

    process->n_args = 0;
    ck_assert_int_eq(exec_plan_build(&arena, config_of("", ""), process, &engine, &plan, &unknown, &err), -EINVAL);
    ck_assert_ptr_nonnull(strstr(err.text, "args"));
}
END_TEST

START_TEST(plan_when_sandbox_of_launch_then_golden_text)
{
    static const char *const caps[] = { "CAP_SYS_ADMIN", "CAP_NET_RAW" };
    static const uint32_t groups[] = { 44, 43, 44 };
    AUTO(buf) struct buf out = BUF_INIT;
    struct oci_config *config = container_unit_load(&arena, GOLDEN_DIR "container/launch.json");

    config->linux_.seccomp = seccomp_agent(&arena);
    struct exec_plan plan = plan_of(config,
        process_of(config,
            (struct exec_words){
                .caps = caps,
                .n_caps = ARRAY_SIZE(caps),
                .groups = groups,
                .n_groups = ARRAY_SIZE(groups),
                .has_user = true,
                .uid = 1000,
            }),
        &sandbox);
    exec_plan_print(&plan, &out);
    container_unit_compare(&arena, "launch.exec", &out);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        make_when_only_a_command_then_the_containers_process_without_its_terminal,
        make_when_words_then_they_win,
        make_when_env_is_no_assignment_then_refused,
        make_when_caps_then_bounding_effective_and_permitted_grow,
        make_when_caps_over_a_process_without_any_then_those_alone,
        build_when_a_document_leaves_things_out_then_the_containers,
        build_when_a_document_says_it_then_it_counts,
        build_when_sandbox_then_a_greedy_document_has_no_more_than_the_first,
        build_when_sandbox_then_limits_are_never_above_those_of_the_first,
        build_when_sandbox_then_less_than_the_first_stays_less,
        build_when_sandbox_whose_first_has_no_capabilities_then_none,
        build_when_no_sandbox_then_the_engine_may_ask_for_more,
        build_when_the_runtime_lacks_a_capability_then_told_unless_there_is_a_user_namespace,
        build_when_namespaces_then_those_of_the_configuration_are_joined,
        build_when_groups_cannot_be_set_then_left_alone_and_asking_for_some_is_refused,
        build_when_there_is_no_command_then_refused,
        plan_when_sandbox_of_launch_then_golden_text,
    };
    return unit_run("exec_plan", tests, ARRAY_SIZE(tests));
}
