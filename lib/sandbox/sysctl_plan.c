/* SPDX-License-Identifier: Apache-2.0 */
/* Sysctl keys to files, by an exact list of what belongs to a namespace. */
#include "sysctl_plan.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_const.h"
#include "oci_config.h"
#include "strv.h"

#define KEY_MAX 256

static const struct setting {
    const char *path; /* ends in '/': everything below */
    unsigned namespace;
    const char *namespace_name;
} settings[] = {
    { "fs/mqueue/", CLONE_NEWIPC, "ipc" },
    { "kernel/domainname", CLONE_NEWUTS, "uts" },
    { "kernel/msgmax", CLONE_NEWIPC, "ipc" },
    { "kernel/msgmnb", CLONE_NEWIPC, "ipc" },
    { "kernel/msgmni", CLONE_NEWIPC, "ipc" },
    { "kernel/sem", CLONE_NEWIPC, "ipc" },
    { "kernel/shm_rmid_forced", CLONE_NEWIPC, "ipc" },
    { "kernel/shmall", CLONE_NEWIPC, "ipc" },
    { "kernel/shmmax", CLONE_NEWIPC, "ipc" },
    { "kernel/shmmni", CLONE_NEWIPC, "ipc" },
    { "net/", CLONE_NEWNET, "network" },
};

static int fail(struct error *err, int code, const char *key, const char *why)
{
    AUTO(buf) struct buf text = BUF_INIT;
    size_t len = strlen(key);
    buf_put_quoted(&text, key, len > KEY_MAX ? KEY_MAX : len);
    return err_set(err, code, "linux.sysctl %s: %s", buf_str(&text), why);
}

static bool is_key_text(const char *key)
{
    for (const char *c = key; *c != '\0'; c++)
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f)
            return false;
    return key[0] != '\0' && strlen(key) <= KEY_MAX;
}

/* The first separator decides which of the two it is; with '.', a '/' stands for a dot within a name. */
static char *path_of(struct arena *arena, const char *key)
{
    char *path = arena_strdup(arena, key);
    if (path[strcspn(path, "./")] != '.')
        return path;
    for (char *c = path; *c != '\0'; c++) {
        if (*c == '.')
            *c = '/';
        else if (*c == '/')
            *c = '.';
    }
    return path;
}

/* Each part is a plain name: not empty, not "." or "..". */
static bool is_plain_path(const char *path)
{
    for (;;) {
        size_t len = strcspn(path, "/");
        if (len == 0 || (path[0] == '.' && (len == 1 || (len == 2 && path[1] == '.'))))
            return false;
        if (path[len] == '\0')
            return true;
        path += len + 1;
    }
}

static const struct setting *setting_find(const char *path)
{
    for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
        const struct setting *s = &settings[i];
        if (str_ends(s->path, "/") ? str_starts(path, s->path) : str_eq(path, s->path))
            return s;
    }
    return NULL;
}

static bool is_value_text(const char *value)
{
    for (const char *c = value; *c != '\0'; c++)
        if (((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7f)
            return false;
    return strlen(value) < SYSCTL_VALUE_MAX;
}

static int plan_one(struct arena *arena, const struct oci_pair *pair, unsigned own_namespaces,
    struct sysctl_step *ret, struct error *err)
{
    if (!is_key_text(pair->key))
        return fail(err, EINVAL, pair->key, "not the name of a setting");
    if (pair->value == NULL || !is_value_text(pair->value))
        return fail(err, EINVAL, pair->key, "the value is not one line of text");
    const char *path = path_of(arena, pair->key);
    if (!is_plain_path(path))
        return fail(err, EINVAL, pair->key, "not the name of a setting");
    if (str_eq(path, "kernel/hostname"))
        return fail(err, EINVAL, pair->key, "set by the field \"hostname\" instead");
    const struct setting *setting = setting_find(path);
    if (setting == NULL)
        return fail(
            err, EINVAL, pair->key, "does not belong to a namespace: it would change the host");
    if ((own_namespaces & setting->namespace) == 0) {
        const char *why = arena_printf(arena,
            "needs a %s namespace of the container's own: it would change the host",
            setting->namespace_name);
        return fail(err, EINVAL, pair->key, why);
    }
    *ret = (struct sysctl_step){ .path = path, .value = pair->value };
    return 0;
}

int sysctl_plan_build(struct arena *arena, const struct oci_pair *sysctl, size_t n_sysctl,
    unsigned own_namespaces, struct sysctl_plan *ret, struct error *err)
{
    struct sysctl_plan plan = { .steps = NULL, .n_steps = n_sysctl };
    if (n_sysctl > SYSCTL_STEPS_MAX)
        return err_set(err, EINVAL, "linux.sysctl: more than %d settings", SYSCTL_STEPS_MAX);
    if (n_sysctl > 0)
        plan.steps = arena_new_array(arena, n_sysctl, struct sysctl_step);
    for (size_t i = 0; i < n_sysctl; i++) {
        int r = plan_one(arena, &sysctl[i], own_namespaces, &plan.steps[i], err);
        if (r < 0)
            return r;
        for (size_t k = 0; k < i; k++)
            if (str_eq(plan.steps[k].path, plan.steps[i].path))
                return fail(err, EINVAL, sysctl[i].key, "set twice, under two spellings");
    }
    *ret = plan;
    return 0;
}

void sysctl_plan_print(const struct sysctl_plan *plan, struct buf *out)
{
    for (size_t i = 0; i < plan->n_steps; i++) {
        buf_printf(out, "sysctl %s ", plan->steps[i].path);
        buf_put_quoted(out, plan->steps[i].value, strlen(plan->steps[i].value));
        buf_putc(out, '\n');
    }
}
