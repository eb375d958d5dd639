/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: tests of container_store: ids, what a state directory keeps, and what of it is not believed. */
#include "container_store.h"

#include <limits.h>
#include <signal.h>
#include <sys/file.h>

#include "container_unit.h"
#include "strv.h"

static struct error err;
static char path[PATH_MAX];
static int top = -1;
static const char *root;

static const struct container_record record = {
    .id = "box",
    .bundle = "/bundle",
    .rootfs = "/bundle/rootfs",
    .created = "2026-01-02T03:04:05Z",
    .cgroup = "",
    .owner = "root",
    .uid = 12,
    .is_sandbox = true,
};

static void setup(void)
{
    top = container_unit_directory(path);
    root = path;
    err = (struct error)ERR_INIT;
}

static void teardown(void)
{
    container_unit_remove(top, path);
}

static void check_bad_id(const char *id, const char *text)
{
    err = (struct error)ERR_INIT;
    ck_assert_int_eq(container_id_check(id, &err), -EINVAL);
    ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
}

START_TEST(id_when_allowed_then_accepted)
{
    static const char *const ids[] = { "a", "A-b_c+d.e", "0", "_x", "+", "a..b",
        "4f1c0d6b6f7a3e9c1b2d5e8f7a6c9b0d3e2f1a4c5b6d7e8f9a0b1c2d3e4f5a6b" };
    char longest[CONTAINER_ID_MAX + 1];

    for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
        ck_assert_msg(container_id_check(ids[i], &err) == 0, "%s: %s", ids[i], err.text);
    memset(longest, 'x', CONTAINER_ID_MAX);
    longest[CONTAINER_ID_MAX] = '\0';
    ck_assert_int_eq(container_id_check(longest, &err), 0);
}
END_TEST

START_TEST(id_when_not_a_plain_name_then_refused_in_one_safe_line)
{
    static char longer[3 * CONTAINER_ID_MAX];

    check_bad_id("", "empty");
    check_bad_id(".", "directory");
    check_bad_id("..", "directory");
    check_bad_id(".cache", "begins with .");
    check_bad_id("-f", "begins with -");
    check_bad_id("a/b", "only letters");
    check_bad_id("../x", "only letters");
    check_bad_id("a b", "only letters");
    check_bad_id("a\nb", "\\x0");
    check_bad_id("\033[2J", "\\x1");
    check_bad_id("\xc3\xa9", "only letters");
    memset(longer, 'x', sizeof(longer) - 1);
    check_bad_id(longer, "at most");
    longer[2 * CONTAINER_ID_MAX] = '/';
    check_bad_id(longer, "at most");
}
END_TEST

START_TEST(status_when_named_then_as_the_state_document_has_it)
{
    ck_assert_str_eq(container_status_name(CONTAINER_CREATING), "creating");
    ck_assert_str_eq(container_status_name(CONTAINER_CREATED), "created");
    ck_assert_str_eq(container_status_name(CONTAINER_RUNNING), "running");
    ck_assert_str_eq(container_status_name(CONTAINER_PAUSED), "paused");
    ck_assert_str_eq(container_status_name(CONTAINER_STOPPED), "stopped");
}
END_TEST

static void make(struct container *c, const char *id)
{
    ck_assert_msg(container_create(c, root, id, &err) == 0, "%s", err.text);
}

static void make_saved(const char *id)
{
    struct container c = CONTAINER_INIT;
    struct container_record own = record;

    own.id = id;
    make(&c, id);
    ck_assert_msg(container_save(&c, &own, &err) == 0, "%s", err.text);
    ck_assert_msg(container_save_init(&c, getpid(), &err) == 0, "%s", err.text);
    container_done(&c);
}

static void overwrite(const char *name, const char *text)
{
    container_unit_write(top, name, text, 0600);
}

START_TEST(save_when_opened_again_then_the_same)
{
    struct container c = CONTAINER_INIT;

    setup();
    make_saved("box");
    ck_assert_int_eq(container_open(&c, root, "box", &err), 0);
    ck_assert_str_eq(c.record.id, "box");
    ck_assert_str_eq(c.record.bundle, record.bundle);
    ck_assert_str_eq(c.record.rootfs, record.rootfs);
    ck_assert_str_eq(c.record.created, record.created);
    ck_assert_str_eq(c.record.cgroup, "");
    ck_assert_str_eq(c.record.owner, "root");
    ck_assert_uint_eq(c.record.uid, 12);
    ck_assert(c.record.is_sandbox);
    ck_assert_int_eq(c.pid, getpid());
    ck_assert_uint_gt(c.start_time, 0);
    ck_assert(!c.is_locked);
    container_done(&c);
    container_done(&c); /* emptied: nothing */
    teardown();
}
END_TEST

START_TEST(create_when_done_then_private_locked_and_levels_are_made)
{
    struct container c = CONTAINER_INIT;
    char deep[PATH_MAX + 16];
    struct stat st;
    mode_t old = umask(0);

    setup();
    (void)snprintf(deep, sizeof(deep), "%s/a/b", path);
    root = deep;
    make(&c, "box");
    ck_assert(c.is_locked);
    ck_assert_int_eq(fstat(c.dir, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0700);
    ck_assert_int_eq(fstat(c.root_dir, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0700);
    ck_assert_int_eq(fstatat(top, "a", &st, 0), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0755);
    container_done(&c);
    (void)umask(old);
    teardown();
}
END_TEST

START_TEST(create_when_the_name_is_taken_then_refused_and_the_first_stays)
{
    struct container c = CONTAINER_INIT;

    setup();
    make_saved("box");
    ck_assert_int_eq(container_create(&c, root, "box", &err), -EEXIST);
    ck_assert_ptr_nonnull(strstr(err.text, "container with given ID already exists"));
    ck_assert_int_eq(c.dir, -1);
    ck_assert_int_eq(container_open(&c, root, "box", &err), 0);
    container_done(&c);
    teardown();
}
END_TEST

START_TEST(root_when_others_may_write_then_refused)
{
    struct container c = CONTAINER_INIT;

    setup();
    make_saved("box");
    static const mode_t modes[] = { 0770, 0707, 0777 };
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
        ck_assert_int_eq(fchmod(top, modes[i]), 0);
        err = (struct error)ERR_INIT;
        ck_assert_int_eq(container_create(&c, root, "other", &err), -EPERM);
        ck_assert_ptr_nonnull(strstr(err.text, "others write"));
        ck_assert_int_eq(container_open(&c, root, "box", &err), -EPERM);
        ck_assert_int_eq(container_get(&c, root, "box", &err), -EPERM);
        ck_assert_int_eq(container_open_damaged(&c, root, "box", &err), -EPERM);
    }
    ck_assert_int_eq(fchmod(top, 0755), 0);
    ck_assert_int_eq(container_open(&c, root, "box", &err), 0);
    container_done(&c);
    teardown();
}
END_TEST

START_TEST(root_when_it_belongs_to_another_then_refused)
{
    struct container c = CONTAINER_INIT;

    if (geteuid() != 0)
        return;
    setup();
    make_saved("box");
    ck_assert_int_eq(fchown(top, 12345, (gid_t)-1), 0);
    ck_assert_int_eq(container_open(&c, root, "box", &err), -EPERM);
    ck_assert_ptr_nonnull(strstr(err.text, "12345"));
    ck_assert_int_eq(container_create(&c, root, "other", &err), -EPERM);
    ck_assert_int_eq(fchown(top, 0, (gid_t)-1), 0);
    teardown();
}
END_TEST

START_TEST(open_when_absent_then_not_found)
{
    struct container c = CONTAINER_INIT;
    char nowhere[PATH_MAX + 16];

    setup();
    ck_assert_int_eq(container_open(&c, root, "box", &err), CONTAINER_NOT_FOUND);
    ck_assert_int_eq(err.code, 0);
    ck_assert_int_eq(container_get(&c, root, "box", &err), -ENOENT);
    ck_assert_ptr_nonnull(strstr(err.text, "container \"box\" does not exist"));
    (void)snprintf(nowhere, sizeof(nowhere), "%s/nowhere", path);
    ck_assert_int_eq(container_open(&c, nowhere, "box", &err), CONTAINER_NOT_FOUND);
    ck_assert_int_eq(container_open(&c, root, "../box", &err), -EINVAL);
    teardown();
}
END_TEST

START_TEST(open_when_the_directory_is_a_link_or_a_file_then_refused)
{
    struct container c = CONTAINER_INIT;

    setup();
    make_saved("box");
    ck_assert_int_eq(symlinkat("box", top, "link"), 0);
    container_unit_write(top, "file", "", 0600);
    ck_assert_int_lt(container_open(&c, root, "link", &err), 0);
    ck_assert_int_lt(container_open(&c, root, "file", &err), 0);
    ck_assert_int_eq(c.dir, -1);
    teardown();
}
END_TEST

START_TEST(open_when_create_was_cut_off_then_an_empty_record)
{
    struct container c = CONTAINER_INIT;
    enum container_status status;

    setup();
    make(&c, "box");
    container_done(&c);
    ck_assert_int_eq(container_open(&c, root, "box", &err), 0);
    ck_assert_ptr_null(c.record.bundle);
    ck_assert_str_eq(c.record.id, "box");
    ck_assert_int_eq(container_status_get(&c, &status, &err), 0);
    ck_assert_int_eq(status, CONTAINER_STOPPED);
    container_done(&c);
    overwrite("box/state.json", ""); /* made, and the power went */
    ck_assert_int_eq(container_open(&c, root, "box", &err), 0);
    ck_assert_ptr_null(c.record.bundle);
    container_done(&c);
    teardown();
}
END_TEST

START_TEST(status_when_the_creator_is_at_work_then_creating)
{
    struct container creator = CONTAINER_INIT;
    struct container c = CONTAINER_INIT;
    enum container_status status;

    setup();
    make(&creator, "box");
    ck_assert_int_eq(container_open(&c, root, "box", &err), 0);
    ck_assert_int_eq(container_status_get(&c, &status, &err), 0);
    ck_assert_int_eq(status, CONTAINER_CREATING);
    container_done(&c);
    container_done(&creator);
    teardown();
}
END_TEST

static const char *const damaged_states[] = {
    "{",
    "null",
    "[]",
    "{}",
    "{\"version\":2,\"id\":\"box\",\"bundle\":\"/b\",\"rootfs\":\"/r\",\"created\":\"c\",\"cgroup\":\"\","
    "\"owner\":\"o\",\"uid\":0}",
    /* another one's */
    "{\"version\":1,\"id\":\"other\",\"bundle\":\"/b\",\"rootfs\":\"/r\",\"created\":\"c\",\"cgroup\":\"\","
    "\"owner\":\"o\",\"uid\":0}",
    "{\"version\":1,\"id\":\"box\",\"bundle\":7,\"rootfs\":\"/r\",\"created\":\"c\",\"cgroup\":\"\","
    "\"owner\":\"o\",\"uid\":0}",
    "{\"version\":1,\"id\":\"box\",\"bundle\":\"/b\",\"rootfs\":\"/r\",\"created\":\"c\","
    "\"owner\":\"o\",\"uid\":0}",
    "{\"version\":1,\"id\":\"box\",\"bundle\":\"/b\",\"rootfs\":\"/r\",\"created\":\"c\",\"cgroup\":\"\","
    "\"owner\":\"o\",\"uid\":-1}",
};

START_TEST(open_when_the_state_is_damaged_then_an_error_but_a_forced_delete_gets_it)
{
    setup();
    make_saved("box");
    for (size_t i = 0; i < ARRAY_SIZE(damaged_states); i++) {
        struct container c = CONTAINER_INIT;
        err = (struct error)ERR_INIT;
        overwrite("box/state.json", damaged_states[i]);
        ck_assert_msg(container_open(&c, root, "box", &err) < 0, "%s", damaged_states[i]);
        ck_assert_msg(strstr(err.text, "box") != NULL, "%s", err.text);
        ck_assert_int_eq(c.dir, -1);
        ck_assert_int_eq(container_open_damaged(&c, root, "box", &err), 0);
        ck_assert_ptr_null(c.record.bundle);
        ck_assert_int_eq(c.pid, getpid()); /* what can be read counts: it must be killed */
        container_done(&c);
    }
    teardown();
}
END_TEST

static const char *const damaged_inits[] = { "", "12", "x 5", "0 5", "-1 5", "5 ", "5 x", "5 6 7", "99999999999 5",
    "5 99999999999999999999999", " 5 6", "5  6" };

START_TEST(open_when_init_is_damaged_then_an_error)
{
    setup();
    make_saved("box");
    for (size_t i = 0; i < ARRAY_SIZE(damaged_inits); i++) {
        struct container c = CONTAINER_INIT;
        err = (struct error)ERR_INIT;
        overwrite("box/init", damaged_inits[i]);
        ck_assert_msg(container_open(&c, root, "box", &err) < 0, "\"%s\"", damaged_inits[i]);
        ck_assert_ptr_nonnull(strstr(err.text, "damaged"));
        ck_assert_int_eq(container_open_damaged(&c, root, "box", &err), 0);
        ck_assert_str_eq(c.record.bundle, "/bundle");
        ck_assert_int_eq(c.pid, 0);
        container_done(&c);
    }
    teardown();
}
END_TEST

START_TEST(pidfd_when_the_number_belongs_to_another_process_then_it_is_gone)
{
    struct container c = CONTAINER_INIT;
    enum container_status status;

    setup();
    make_saved("box");
    ck_assert_int_eq(container_open(&c, root, "box", &err), 0);
    autoclose int alive = container_pidfd(&c);
    ck_assert_int_ge(alive, 0);
    ck_assert_int_eq(container_status_get(&c, &status, &err), 0);
    ck_assert_int_eq(status, CONTAINER_RUNNING);
    c.start_time++;
    ck_assert_int_eq(container_pidfd(&c), -ESRCH);
    ck_assert_int_eq(container_status_get(&c, &status, &err), 0);
    ck_assert_int_eq(status, CONTAINER_STOPPED);
    c.pid = 0;
    ck_assert_int_eq(container_pidfd(&c), -ESRCH);
    container_done(&c);
    teardown();
}
END_TEST

START_TEST(pidfd_when_init_is_a_zombie_then_it_is_gone)
{
    struct container c = CONTAINER_INIT;
    siginfo_t info;

    setup();
    make(&c, "box");
    pid_t pid = fork();
    if (pid == 0)
        (void)pause();
    ck_assert_int_eq(container_save_init(&c, pid, &err), 0);
    autoclose int alive = container_pidfd(&c);
    ck_assert_int_ge(alive, 0);
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    ck_assert_int_eq(container_pidfd(&c), -ESRCH);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    ck_assert_int_eq(container_pidfd(&c), -ESRCH);
    container_done(&c);
    teardown();
}
END_TEST

START_TEST(status_when_init_listens_for_start_then_created)
{
    struct container c = CONTAINER_INIT;
    enum container_status status;

    setup();
    make_saved("box");
    overwrite("box/start.sock", "");
    ck_assert_int_eq(container_open(&c, root, "box", &err), 0);
    ck_assert_int_eq(container_status_get(&c, &status, &err), 0);
    ck_assert_int_eq(status, CONTAINER_CREATED);
    container_done(&c);
    teardown();
}
END_TEST

START_TEST(config_when_saved_then_read_again_and_written_once)
{
    static const char text[] = "{\"ociVersion\":\"1.2.0\",\"root\":{\"path\":\"r\"},\"hostname\":\"h\"}";
    struct container c = CONTAINER_INIT;
    struct oci_config *config;

    setup();
    make(&c, "box");
    ck_assert_int_lt(container_config(&c, &config, &err), 0);
    ck_assert_int_eq(container_save_config(&c, text, strlen(text), &err), 0);
    ck_assert_int_eq(container_config(&c, &config, &err), 0);
    ck_assert_str_eq(config->hostname, "h");
    ck_assert_int_eq(container_save_config(&c, text, strlen(text), &err), -EEXIST);
    container_done(&c);
    teardown();
}
END_TEST

START_TEST(lock_when_held_then_exclusive_and_gone_with_the_container)
{
    struct container c = CONTAINER_INIT;
    struct container other = CONTAINER_INIT;

    setup();
    make_saved("box");
    ck_assert_int_eq(container_open(&c, root, "box", &err), 0);
    ck_assert_int_eq(container_lock(&c, &err), 0);
    ck_assert_int_eq(container_open(&other, root, "box", &err), 0);
    ck_assert_int_eq(flock(other.dir, LOCK_EX | LOCK_NB), -1);
    ck_assert_int_eq(errno, EWOULDBLOCK);
    container_done(&c);
    ck_assert_int_eq(container_lock(&other, &err), 0);
    container_done(&other);
    teardown();
}
END_TEST

START_TEST(lock_when_the_holder_has_deleted_it_then_it_does_not_exist)
{
    struct container c = CONTAINER_INIT;
    struct container late = CONTAINER_INIT;

    setup();
    make_saved("box");
    ck_assert_int_eq(container_open(&c, root, "box", &err), 0);
    ck_assert_int_eq(container_open(&late, root, "box", &err), 0);
    ck_assert_int_eq(container_lock(&c, &err), 0);
    ck_assert_int_eq(container_remove(&c, &err), 0);
    container_done(&c);
    ck_assert_int_eq(container_lock(&late, &err), -ENOENT);
    ck_assert_ptr_nonnull(strstr(err.text, "does not exist"));
    container_done(&late);
    teardown();
}
END_TEST

START_TEST(remove_when_there_is_more_than_we_wrote_then_all_of_it_goes)
{
    struct container c = CONTAINER_INIT;
    struct stat st;

    setup();
    make_saved("box");
    ck_assert_int_eq(mkdirat(top, "box/notify", 0700), 0);
    overwrite("box/notify/x", "x");
    ck_assert_int_eq(symlinkat("/", top, "box/link"), 0);
    ck_assert_int_eq(container_open(&c, root, "box", &err), 0);
    ck_assert_int_eq(container_lock(&c, &err), 0);
    ck_assert_int_eq(container_remove(&c, &err), 0);
    container_done(&c);
    ck_assert_int_eq(container_open(&c, root, "box", &err), CONTAINER_NOT_FOUND);
    ck_assert_int_eq(stat("/etc", &st), 0);
    teardown();
}
END_TEST

START_TEST(list_when_several_then_in_byte_order_without_our_own_files)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct strv ids = STRV_INIT;

    setup();
    make_saved("b");
    make_saved("a");
    make_saved("B");
    ck_assert_int_eq(mkdirat(top, ".cache", 0700), 0);
    overwrite("file", "");
    ck_assert_int_eq(container_list(&arena, root, &ids, &err), 0);
    ck_assert_uint_eq(ids.n, 3);
    ck_assert_str_eq(ids.items[0], "B");
    ck_assert_str_eq(ids.items[1], "a");
    ck_assert_str_eq(ids.items[2], "b");
    teardown();
}
END_TEST

START_TEST(list_when_there_is_no_root_then_empty)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct strv ids = STRV_INIT;

    ck_assert_int_eq(container_list(&arena, "/nowhere/at/all", &ids, &err), 0);
    ck_assert_uint_eq(ids.n, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        id_when_allowed_then_accepted,
        id_when_not_a_plain_name_then_refused_in_one_safe_line,
        status_when_named_then_as_the_state_document_has_it,
        save_when_opened_again_then_the_same,
        create_when_done_then_private_locked_and_levels_are_made,
        create_when_the_name_is_taken_then_refused_and_the_first_stays,
        root_when_others_may_write_then_refused,
        root_when_it_belongs_to_another_then_refused,
        open_when_absent_then_not_found,
        open_when_the_directory_is_a_link_or_a_file_then_refused,
        open_when_create_was_cut_off_then_an_empty_record,
        status_when_the_creator_is_at_work_then_creating,
        open_when_the_state_is_damaged_then_an_error_but_a_forced_delete_gets_it,
        open_when_init_is_damaged_then_an_error,
        pidfd_when_the_number_belongs_to_another_process_then_it_is_gone,
        pidfd_when_init_is_a_zombie_then_it_is_gone,
        status_when_init_listens_for_start_then_created,
        config_when_saved_then_read_again_and_written_once,
        lock_when_held_then_exclusive_and_gone_with_the_container,
        lock_when_the_holder_has_deleted_it_then_it_does_not_exist,
        remove_when_there_is_more_than_we_wrote_then_all_of_it_goes,
        list_when_several_then_in_byte_order_without_our_own_files,
        list_when_there_is_no_root_then_empty,
    };
    return unit_run("container_store", tests, ARRAY_SIZE(tests));
}
