/* SPDX-License-Identifier: Apache-2.0 */
/* The fence between the processes. */
#include <signal.h>
#include <sys/wait.h>

#include "cleanup.h"
#include "role.h"
#include "unit.h"

static int status_of_require(unsigned mask)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        (void)close(STDERR_FILENO);
        role_require(mask);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

START_TEST(role_of_the_mask_passes)
{
    role_set(ROLE_INIT);
    ck_assert_str_eq(role_name(), "init");
    ck_assert_int_eq(status_of_require(ROLE_INIT), 0);
    ck_assert_int_eq(status_of_require(ROLE_PARENT | ROLE_INIT), 0);
}
END_TEST

START_TEST(other_role_aborts)
{
    role_set(ROLE_PARENT);
    int status = status_of_require(ROLE_INIT | ROLE_WORKER);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGABRT);
}
END_TEST

START_TEST(each_role_has_its_name)
{
    static const struct {
        enum role role;
        const char *name;
    } cases[] = { { ROLE_PARENT, "parent" }, { ROLE_RELAY, "relay" }, { ROLE_INIT, "init" },
        { ROLE_WORKER, "worker" }, { ROLE_UNPACK, "unpack" } };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        role_set(cases[i].role);
        ck_assert_str_eq(role_name(), cases[i].name);
    }
}
END_TEST

START_TEST(process_begins_as_parent)
{
    ck_assert_str_eq(role_name(), "parent");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { role_of_the_mask_passes, other_role_aborts,
        each_role_has_its_name, process_begins_as_parent };

    return unit_run("role", tests, ARRAY_SIZE(tests));
}
