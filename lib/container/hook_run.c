/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks. */
#include "hook_run.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "alloc.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "oci_state.h"
#include "process.h"
#include "role.h"

#define HOOK_OUTPUT_BYTES 1024
#define HOOK_PATH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static int timeout_ms(const struct oci_hook *hook)
{
    if (!hook->has_timeout)
        return -1;
    return hook->timeout > INT_MAX / 1000 ? INT_MAX : (int)hook->timeout * 1000;
}

static int one_run(const struct oci_hook *hook, const char *name, const struct buf *state, struct error *err)
{
    /* Without an environment of its own: the search path of whoever called the runtime, and nothing else of
     * anybody's. */
    const char *path_value = getenv("PATH");
    autofree char *path_entry = xasprintf("PATH=%s", path_value ? path_value : HOOK_PATH_DEFAULT);
    char *const own_env[] = { path_entry, NULL };
    char *fallback_argv[] = { NULL, NULL };
    char output[HOOK_OUTPUT_BYTES];
    struct process_run run = PROCESS_RUN_INIT;
    size_t n_output = 0;
    int status;

    autofree char *path = xstrdup(hook->path);
    fallback_argv[0] = path;
    run.path = hook->path;
    run.argv = hook->n_args > 0 ? hook->args : fallback_argv;
    run.envp = hook->n_env > 0 ? hook->env : own_env;
    run.input = buf_str(state);
    run.n_input = state->len;
    run.output = output;
    run.output_size = sizeof(output);
    run.ret_n_output = &n_output;
    run.timeout_ms = timeout_ms(hook);
    int r = process_run(&run, &status);
    if (r == -ETIMEDOUT)
        return err_set(err, ETIMEDOUT, "hook %s %s: still running after %lld s (its timeout): killed", name, hook->path,
            (long long)hook->timeout);
    if (r < 0)
        return err_sys(err, r, "hook %s %s: cannot run", name, hook->path);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    AUTO(buf) struct buf quoted = BUF_INIT;
    buf_put_quoted(&quoted, output, n_output);
    return err_set(err, ECANCELED, "hook %s %s: exit status %d, output %s", name, hook->path,
        process_exit_code(status), buf_str(&quoted));
}

int hook_run(const struct oci_config *config, enum oci_hook_point point, const struct oci_state *state,
    struct error *err)
{
    role_require(ROLE_PARENT | ROLE_INIT);
    const struct oci_hook_list *list = &config->hooks[point];
    AUTO(buf) struct buf text = BUF_INIT;

    if (list->n_items == 0)
        return 0;
    oci_state_write(state, &text);
    for (size_t i = 0; i < list->n_items; i++) {
        if (one_run(&list->items[i], oci_hook_point_name(point), &text, err) < 0)
            return -err->code;
    }
    return 0;
}

void hook_run_all(const struct oci_config *config, enum oci_hook_point point, const struct oci_state *state,
    struct buf *failures)
{
    role_require(ROLE_PARENT);
    const struct oci_hook_list *list = &config->hooks[point];
    AUTO(buf) struct buf text = BUF_INIT;

    if (list->n_items == 0)
        return;
    oci_state_write(state, &text);
    for (size_t i = 0; i < list->n_items; i++) {
        struct error err = ERR_INIT;
        if (one_run(&list->items[i], oci_hook_point_name(point), &text, &err) < 0)
            buf_printf(failures, "%s\n", err.text);
    }
}
