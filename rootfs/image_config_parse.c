/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: the image's configuration as a struct. */
#include "image_config_parse.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "digest.h"
#include "err.h"
#include "image_document.h"
#include "image_manifest_parse.h"
#include "json.h"
#include "strv.h"

/* NAME=value with a name; of two entries for one name the last counts, as in Go's and Docker's reading. */
static int env_check(
    const struct image_document *d, const struct json *object, struct image_config *config)
{
    struct strv env = STRV_INIT;
    for (size_t i = 0; i < config->n_env; i++) {
        char *equals = strchr(config->env[i], '=');
        if (equals == NULL || equals == config->env[i])
            return image_document_fail(
                d, json_get(object, "Env"), "Env", "an entry that is not NAME=value");
        const char *name =
            arena_strndup(d->arena, config->env[i], (size_t)(equals - config->env[i]));
        env_set(d->arena, &env, name, equals + 1);
    }
    config->env = env.items;
    config->n_env = env.n;
    return 0;
}

static int paths_check(
    const struct image_document *d, const struct json *object, const struct image_config *config)
{
    for (size_t i = 0; i < config->n_volumes; i++)
        if (config->volumes[i][0] != '/')
            return image_document_fail(
                d, json_get(object, "Volumes"), "Volumes", "a path that is not absolute");
    if (config->working_dir != NULL && config->working_dir[0] != '\0' &&
        config->working_dir[0] != '/')
        return image_document_fail(
            d, json_get(object, "WorkingDir"), "WorkingDir", "not an absolute path");
    return 0;
}

static int labels_parse(
    const struct image_document *d, const struct json *object, struct image_config *config)
{
    const struct json *map;
    int rc = image_document_object(d, object, "Labels", &map);
    if (rc < 0 || map == NULL)
        return rc;
    if (map->list.n > IMAGE_LABELS_MAX)
        return image_document_fail(d, map, "Labels", "too many items");
    config->labels = arena_new_array(d->arena, map->list.n + 1, struct image_label);
    for (const struct json *item = map->list.first; item != NULL; item = item->next) {
        if (item->type != JSON_STRING)
            return image_document_fail(d, item, "Labels", "a value that is not a string");
        config->labels[config->n_labels++] =
            (struct image_label){ .key = item->key, .value = item->string.text };
    }
    return 0;
}

static int run_parse(
    const struct image_document *d, const struct json *object, struct image_config *config)
{
    int rc = image_document_string(d, object, "User", false, &config->user);
    if (rc == 0)
        rc = image_document_string(d, object, "WorkingDir", false, &config->working_dir);
    if (rc == 0)
        rc = image_document_string(d, object, "StopSignal", false, &config->stop_signal);
    if (rc == 0)
        rc = image_document_strings(d, object, "Env", IMAGE_ENV_MAX, &config->env, &config->n_env);
    if (rc == 0)
        rc = image_document_strings(
            d, object, "Entrypoint", IMAGE_ARGS_MAX, &config->entrypoint, &config->n_entrypoint);
    if (rc == 0)
        rc = image_document_strings(d, object, "Cmd", IMAGE_ARGS_MAX, &config->cmd, &config->n_cmd);
    if (rc == 0)
        rc = image_document_keys(
            d, object, "Volumes", IMAGE_VOLUMES_MAX, &config->volumes, &config->n_volumes);
    if (rc == 0)
        rc = image_document_keys(d, object, "ExposedPorts", IMAGE_VOLUMES_MAX,
            &config->exposed_ports, &config->n_exposed_ports);
    if (rc == 0)
        rc = labels_parse(d, object, config);
    if (rc == 0)
        rc = env_check(d, object, config);
    return rc == 0 ? paths_check(d, object, config) : rc;
}

static int layers_parse(const struct image_document *d, struct image_config *config)
{
    const struct json *rootfs;
    int rc = image_document_object(d, d->root, "rootfs", &rootfs);
    if (rc < 0)
        return rc;
    if (rootfs == NULL)
        return image_document_fail(d, NULL, "rootfs", "missing");
    const char *type = NULL;
    rc = image_document_string(d, rootfs, "type", true, &type);
    if (rc == 0 && strcmp(type, "layers") != 0)
        rc = image_document_fail(d, rootfs, "rootfs.type", "not \"layers\"");
    if (rc == 0)
        rc = image_document_strings(
            d, rootfs, "diff_ids", IMAGE_LAYERS_MAX, &config->diff_ids, &config->n_diff_ids);
    for (size_t i = 0; rc == 0 && i < config->n_diff_ids; i++)
        if (!digest_text_is_valid(config->diff_ids[i]))
            rc = image_document_fail(d, rootfs, "rootfs.diff_ids", "not a digest sha256:HEX");
    return rc;
}

/* One text must not be read as two kinds of document. */
static int kind_check(const struct image_document *d)
{
    if (d->root->type != JSON_OBJECT)
        return image_document_fail(d, NULL, "configuration", "not an object");
    static const char *const foreign[] = { "manifests", "layers", "fsLayers", "schemaVersion" };
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
        if (json_get(d->root, foreign[i]) != NULL)
            return image_document_fail(
                d, NULL, foreign[i], "has no place in an image's configuration");
    return 0;
}

int image_config_parse(struct arena *arena, const char *name, const char *text, size_t len,
    struct image_config *ret, struct error *err)
{
    struct image_document d;
    int rc = image_document_open(&d, arena, name, text, len, IMAGE_CONFIG_BYTES_MAX, err);
    if (rc == 0)
        rc = kind_check(&d);
    if (rc < 0)
        return rc;
    struct image_config config = { 0 };
    rc = image_document_string(&d, d.root, "architecture", true, &config.architecture);
    if (rc == 0)
        rc = image_document_string(&d, d.root, "os", true, &config.os);
    if (rc == 0)
        rc = image_document_string(&d, d.root, "variant", false, &config.variant);
    if (rc == 0)
        rc = image_document_string(&d, d.root, "created", false, &config.created);
    if (rc == 0)
        rc = layers_parse(&d, &config);
    const struct json *run = NULL;
    if (rc == 0)
        rc = image_document_object(&d, d.root, "config", &run);
    if (rc == 0 && run != NULL)
        rc = run_parse(&d, run, &config);
    if (rc == 0)
        *ret = config;
    return rc;
}

static void list_print(const char *what, char *const *items, size_t n, struct buf *out)
{
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "%s ", what);
        buf_put_quoted(out, items[i], strlen(items[i]));
        buf_putc(out, '\n');
    }
}

static void string_print(const char *what, const char *value, struct buf *out)
{
    if (value == NULL)
        return;
    buf_printf(out, "%s ", what);
    buf_put_quoted(out, value, strlen(value));
    buf_putc(out, '\n');
}

void image_config_print(const struct image_config *config, struct buf *out)
{
    string_print("os", config->os, out);
    string_print("architecture", config->architecture, out);
    string_print("variant", config->variant, out);
    string_print("user", config->user, out);
    string_print("working-dir", config->working_dir, out);
    string_print("stop-signal", config->stop_signal, out);
    list_print("env", config->env, config->n_env, out);
    list_print("entrypoint", config->entrypoint, config->n_entrypoint, out);
    list_print("cmd", config->cmd, config->n_cmd, out);
    list_print("volume", config->volumes, config->n_volumes, out);
    list_print("port", config->exposed_ports, config->n_exposed_ports, out);
    list_print("layer", config->diff_ids, config->n_diff_ids, out);
}
