/* SPDX-License-Identifier: Apache-2.0 */
/* image: load, list, remove and show the images of this machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "command.h"
#include "err.h"
#include "image_ref_parse.h"
#include "image_store.h"
#include "strv.h"

#define ID_SHOWN 12

struct image_command {
    struct image_store store;
    struct arena arena;
    const char *name;      /* --name */
    const char *data_root; /* --data-root */
    bool is_quiet;
};

typedef int image_verb_fn(struct image_command *c, int argc, char **argv, struct error *err);

static int not_found(const char *text, struct error *err)
{
    return err_set(err, ENOENT, "image %s: not in the store (see \"runa image ls\")", text);
}

static int load(struct image_command *c, int argc, char **argv, struct error *err)
{
    if (argc > 1 && c->name != NULL)
        return err_set(err, EINVAL, "image load: --name with more than one image");
    for (int i = 0; i < argc; i++) {
        struct image_ref ref;
        struct image image;
        struct image_load_report report;
        int rc = image_ref_parse(&c->arena, argv[i], &ref, err);
        if (rc == 0)
            rc = image_load(&c->store, &c->arena, &ref, c->name, &image, &report, err);
        if (rc < 0)
            return rc;
        AUTO(buf) struct buf warnings = BUF_INIT;
        image_load_report_print(&report, &warnings);
        command_warn(&warnings);
        printf("%s\n", image.n_names > 0 && !c->is_quiet ? image.names[0] : image.id);
    }
    return 0;
}

static void row_print(const struct image *image, const char *name, struct buf *out)
{
    const char *hex = image->id + strlen("sha256:");
    buf_printf(out, "%-40s  %.*s  %-20s  %8.1f MB\n", name, ID_SHOWN, hex, image->loaded,
        (double)image->size_bytes / 1e6);
}

static int list(struct image_command *c, int argc, char **argv, struct error *err)
{
    (void)argv;
    if (argc > 0)
        return err_set(err, EINVAL, "image ls: takes no arguments");
    struct image *images;
    size_t n;
    int rc = image_list(&c->store, &c->arena, &images, &n, err);
    if (rc < 0)
        return rc;
    AUTO(buf) struct buf text = BUF_INIT;
    if (!c->is_quiet)
        buf_printf(&text, "%-40s  %-*s  %-20s  %11s\n", "NAME", ID_SHOWN, "ID", "LOADED", "SIZE");
    for (size_t i = 0; i < n; i++) {
        if (c->is_quiet) {
            buf_printf(&text, "%s\n", images[i].id);
            continue;
        }
        for (size_t k = 0; k < images[i].n_names; k++)
            row_print(&images[i], images[i].names[k], &text);
        if (images[i].n_names == 0)
            row_print(&images[i], "-", &text);
    }
    (void)fputs(buf_str(&text), stdout);
    return 0;
}

static int remove_all(struct image_command *c, int argc, char **argv, struct error *err)
{
    for (int i = 0; i < argc; i++) {
        struct image_ref ref;
        int rc = image_ref_parse(&c->arena, argv[i], &ref, err);
        if (rc == 0 && ref.transport != IMAGE_STORED)
            rc = err_set(err, EINVAL, "image rm: %s: not a name or digest", argv[i]);
        if (rc == 0)
            rc = image_remove(&c->store, &ref, err);
        if (rc == IMAGE_NOT_FOUND)
            rc = not_found(argv[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int inspect(struct image_command *c, int argc, char **argv, struct error *err)
{
    for (int i = 0; i < argc; i++) {
        struct image_ref ref;
        struct image image;
        int rc = image_ref_parse(&c->arena, argv[i], &ref, err);
        if (rc == 0 && ref.transport != IMAGE_STORED)
            rc = err_set(err, EINVAL, "image inspect: %s: not a name or digest", argv[i]);
        if (rc == 0)
            rc = image_find(&c->store, &c->arena, &ref, &image, err);
        if (rc == IMAGE_NOT_FOUND)
            rc = not_found(argv[i], err);
        if (rc < 0)
            return rc;
        AUTO(buf) struct buf text = BUF_INIT;
        image_print(&image, &text);
        (void)fputs(buf_str(&text), stdout);
    }
    return 0;
}

static const struct {
    const char *name;
    image_verb_fn *run;
    bool want_arguments;
} verbs[] = {
    { "load", load, true },
    { "ls", list, false },
    { "rm", remove_all, true },
    { "inspect", inspect, true },
};

static int verb_run(struct image_command *c, const char *verb, int argc, char **argv, struct error *err)
{
    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
        if (!str_eq(verb, verbs[i].name))
            continue;
        if (verbs[i].want_arguments && argc < 1)
            return err_set(err, EINVAL, "image %s: which one?", verb);
        int rc = image_store_open(&c->store, c->data_root, NULL, err);
        return rc < 0 ? rc : verbs[i].run(c, argc, argv, err);
    }
    return err_set(err, EINVAL, "image %s: not one of load, ls, rm, inspect", verb);
}

int cmd_image(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    struct image_command c = { .store = IMAGE_STORE_INIT, .arena = ARENA_INIT, .data_root = IMAGE_STORE_ROOT };
    struct error err = ERR_INIT;
    int first;
    int status;
    const struct arg_option table[] = {
        { "name", 'n', ARG_STRING, "NAME", "load: also under this name", &c.name },
        { "quiet", 'q', ARG_FLAG, NULL, "print ids only", &c.is_quiet },
        { "data-root", 0, ARG_STRING, "DIR", "where images are kept (" IMAGE_STORE_ROOT ")", &c.data_root },
        { 0 },
    };

    (void)context;
    if (!command_options(self, table, argc, argv, 1, -1, &first, &status))
        return status;
    char *verb = argv[first];
    /* options stand before the verb or behind it */
    argc -= first;
    argv += first;
    if (!command_options(self, table, argc, argv, 0, -1, &first, &status))
        return status;
    int rc = verb_run(&c, verb, argc - first, argv + first, &err);
    arena_done(&c.arena);
    image_store_done(&c.store);
    return rc < 0 ? command_fail(&err) : EXIT_SUCCESS;
}
