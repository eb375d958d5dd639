/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What the tests of the image store share: a store in a directory of its own, images made of layers that a
 *          test wrote, a view of the result through a real overlay mount, the canary that no archive may touch.
 *
 * The store lies on a real file system (RUNA_TEST_STORE, else /var/tmp), as tmpfs takes no idmapped mounts before Linux
 * 6.3.
 */
#pragma once
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "digest.h"
#include "directory.h"
#include "err.h"
#include "file.h"
#include "image_ref_parse.h"
#include "image_store.h"
#include "overlay_apply.h"
#include "overlay_plan.h"
#include "process.h"
#include "role.h"
#include "tar_writer.h"
#include "unit.h"

#define LAB_LAYERS_MAX 8
#define LAB_SKIPPED    77

struct lab {
    char path[64];
    int dir;
    char root[128];    /* of the store */
    char program[512]; /* runa-unpack */
    struct image_store store;
    struct arena arena;
    struct error err;
    struct image image;
    struct image_load_report report;
};

struct lab_layer {
    struct buf plain;
    struct buf stored;      /* empty: as plain */
    const char *media_type; /* NULL: …tar */
};

static inline bool lab_cannot_run(const char *name)
{
    if (geteuid() == 0)
        return false;
    printf("%s: skipped: needs root\n", name);
    return true;
}

static inline unsigned lab_count_fds(void)
{
    unsigned n = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory) != NULL)
        n++;
    (void)closedir(directory);
    return n;
}

static inline void lab_write(int dirfd, const char *path, const void *data, size_t len)
{
    autoclose int fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
    ck_assert_int_eq(file_write_all(fd, data, len), 0);
}

/* The text of a file, in the lab's arena; NULL when it is not there. */
static inline const char *lab_read(struct lab *lab, int dirfd, const char *path)
{
    autofree char *text = NULL;
    size_t len = 0;
    if (file_read(dirfd, path, 1U << 20, &text, &len) < 0)
        return NULL;
    return arena_strndup(&lab->arena, text, len);
}

static inline void lab_open(struct lab *lab)
{
    const char *place = getenv("RUNA_TEST_STORE");
    *lab = (struct lab){ .dir = -1, .store = IMAGE_STORE_INIT };
    role_set(ROLE_PARENT);
    (void)snprintf(lab->path, sizeof(lab->path), "%.32s/runa-lab.XXXXXX", place != NULL ? place : "/var/tmp");
    ck_assert_ptr_nonnull(mkdtemp(lab->path));
    lab->dir = open(lab->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    lab_write(lab->dir, "canary", "alive", 5);
    (void)snprintf(lab->root, sizeof(lab->root), "%s/store", lab->path);
    ssize_t n = readlink("/proc/self/exe", lab->program, sizeof(lab->program) - 16);
    ck_assert_int_gt((int)n, 0);
    while (n > 0 && lab->program[n - 1] != '/')
        n--;
    (void)snprintf(lab->program + n, 16, "runa-unpack");
    struct stat status;
    ck_assert_msg(stat(lab->program, &status) == 0, "%s: build it first", lab->program);
    ck_assert_msg(image_store_open(&lab->store, lab->root, lab->program, &lab->err) == 0, "%s", lab->err.text);
}

static inline unsigned lab_count_children(int dirfd, const char *path)
{
    unsigned n = 0;
    struct directory listing;
    struct directory_entry entry;
    ck_assert_int_eq(directory_open(&listing, dirfd, path), 0);
    while (directory_next(&listing, &entry) == 0)
        n++;
    directory_done(&listing);
    return n;
}

/* Nothing left in staging, no id range taken, no child, and nothing outside the store changed. */
static inline void lab_check_clean(struct lab *lab)
{
    ck_assert_str_eq(lab_read(lab, lab->dir, "canary"), "alive");
    ck_assert_uint_eq(lab_count_children(lab->store.dir, "staging"), 0);
    const char *ids = lab_read(lab, lab->store.dir, "ids");
    if (ids != NULL)
        ck_assert_ptr_null(strstr(ids, "unpack"));
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}

static inline void lab_close(struct lab *lab)
{
    lab_check_clean(lab);
    image_store_done(&lab->store);
    arena_done(&lab->arena);
    ck_assert_int_eq(directory_remove(lab->dir, "store"), 0);
    struct directory listing;
    struct directory_entry entry;
    ck_assert_int_eq(directory_open(&listing, lab->dir, "."), 0);
    while (directory_next(&listing, &entry) == 0)
        ck_assert_int_eq(directory_remove(lab->dir, entry.name), 0);
    directory_done(&listing);
    (void)close(lab->dir);
    ck_assert_int_eq(rmdir(lab->path), 0);
}

#ifdef RUNA_FAULT_TABLE
#include "fault.h"

static inline void lab_fault(const char *fault, const char *log)
{
    ck_assert_int_eq(fault != NULL ? setenv("RUNA_FAULT", fault, 1) : unsetenv("RUNA_FAULT"), 0);
    ck_assert_int_eq(log != NULL ? setenv("RUNA_FAULT_LOG", log, 1) : unsetenv("RUNA_FAULT_LOG"), 0);
    kernel_fault_reset();
}

/* How many kernel calls run() makes when nothing fails. */
static inline unsigned lab_count_calls(struct lab *lab, void (*run)(struct lab *lab))
{
    char log[128];
    unsigned n = 0;
    (void)snprintf(log, sizeof(log), "%s/calls", lab->path);
    lab_fault("1000000", log);
    run(lab);
    lab_fault(NULL, NULL);
    autofree char *text = NULL;
    size_t len = 0;
    ck_assert_int_eq(file_read(lab->dir, "calls", 8U << 20, &text, &len), 0);
    for (size_t i = 0; i < len; i++)
        n += text[i] == '\n';
    return n;
}
#endif

/* --- images --- */

static inline const struct buf *lab_stored(const struct lab_layer *layer)
{
    return layer->stored.len > 0 ? &layer->stored : &layer->plain;
}

static inline void lab_digest(const struct buf *bytes, char ret[DIGEST_TEXT_SIZE])
{
    uint8_t raw[DIGEST_BYTES];
    digest_bytes(bytes->data, bytes->len, raw);
    digest_text(raw, ret);
}

static inline void lab_config(const struct lab_layer *layers, size_t n, struct buf *out)
{
    buf_puts(out, "{\"architecture\":\""
#if defined(__aarch64__)
                  "arm64"
#else
                  "amd64"
#endif
                  "\",\"os\":\"linux\",\"config\":{\"Cmd\":[\"sh\"]},\"rootfs\":{\"type\":"
                  "\"layers\",\"diff_ids\":[");
    for (size_t i = 0; i < n; i++) {
        char digest[DIGEST_TEXT_SIZE];
        lab_digest(&layers[i].plain, digest);
        buf_printf(out, "%s\"%s\"", i > 0 ? "," : "", digest);
    }
    buf_puts(out, "]}}");
}

/* LAB/NAME as docker save writes it. */
static inline void lab_docker_archive(
    struct lab *lab, const char *name, const char *tag, const struct lab_layer *layers, size_t n)
{
    AUTO(buf) struct buf config = BUF_INIT;
    AUTO(buf) struct buf manifest = BUF_INIT;
    AUTO(buf) struct buf tar = { .max = 256U << 20 };
    char digest[DIGEST_TEXT_SIZE];
    lab_config(layers, n, &config);
    lab_digest(&config, digest);
    buf_printf(&manifest, "[{\"Config\":\"%s.json\",\"RepoTags\":[\"%s\"],\"Layers\":[", digest + 7, tag);
    for (size_t i = 0; i < n; i++) {
        char path[32];
        (void)snprintf(path, sizeof(path), "%u/layer.tar", (unsigned)i);
        buf_printf(&manifest, "%s\"%s\"", i > 0 ? "," : "", path);
        const struct buf *stored = lab_stored(&layers[i]);
        tar_add(&tar, &(struct tar_item){ .name = path, .data = stored->data, .len = stored->len });
    }
    buf_puts(&manifest, "]}]");
    char config_name[DIGEST_HEX_SIZE + 8];
    (void)snprintf(config_name, sizeof(config_name), "%s.json", digest + 7);
    tar_file(&tar, config_name, buf_str(&config));
    tar_file(&tar, "manifest.json", buf_str(&manifest));
    tar_end(&tar);
    ck_assert(buf_ok(&tar));
    lab_write(lab->dir, name, tar.data, tar.len);
}

static inline void lab_blob(
    int blobs, const struct buf *bytes, const char *media_type, const char *more, struct buf *descriptor)
{
    char digest[DIGEST_TEXT_SIZE];
    lab_digest(bytes, digest);
    lab_write(blobs, digest + 7, bytes->data, bytes->len);
    buf_printf(
        descriptor, "{\"mediaType\":\"%s\",\"digest\":\"%s\",\"size\":%zu%s}", media_type, digest, bytes->len, more);
}

/* LAB/NAME as an OCI layout with one manifest of the given tag. Returns the fd of its blobs. */
static inline int lab_layout(
    struct lab *lab, const char *name, const char *tag, const struct lab_layer *layers, size_t n)
{
    static const char type[] = "application/vnd.oci.image.layer.v1.tar";
    AUTO(buf) struct buf config = BUF_INIT;
    AUTO(buf) struct buf manifest = BUF_INIT;
    AUTO(buf) struct buf index = BUF_INIT;
    char path[128];
    ck_assert_int_eq(mkdirat(lab->dir, name, 0755), 0);
    (void)snprintf(path, sizeof(path), "%s/blobs", name);
    ck_assert_int_eq(mkdirat(lab->dir, path, 0755), 0);
    (void)snprintf(path, sizeof(path), "%s/blobs/sha256", name);
    ck_assert_int_eq(mkdirat(lab->dir, path, 0755), 0);
    int blobs = openat(lab->dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    lab_config(layers, n, &config);
    buf_puts(&manifest, "{\"schemaVersion\":2,\"config\":");
    lab_blob(blobs, &config, "application/vnd.oci.image.config.v1+json", "", &manifest);
    buf_puts(&manifest, ",\"layers\":[");
    for (size_t i = 0; i < n; i++) {
        buf_puts(&manifest, i > 0 ? "," : "");
        lab_blob(
            blobs, lab_stored(&layers[i]), layers[i].media_type != NULL ? layers[i].media_type : type, "", &manifest);
    }
    buf_puts(&manifest, "]}");
    char more[128];
    (void)snprintf(more, sizeof(more), ",\"annotations\":{\"org.opencontainers.image.ref.name\":\"%s\"}", tag);
    buf_puts(&index, "{\"schemaVersion\":2,\"manifests\":[");
    lab_blob(blobs, &manifest, "application/vnd.oci.image.manifest.v1+json", more, &index);
    buf_puts(&index, "]}");
    (void)snprintf(path, sizeof(path), "%s/index.json", name);
    lab_write(lab->dir, path, index.data, index.len);
    (void)snprintf(path, sizeof(path), "%s/oci-layout", name);
    lab_write(lab->dir, path, "{\"imageLayoutVersion\":\"1.0.0\"}", 30);
    return blobs;
}

/* transport: "docker-archive", … ; name below the lab's directory. */
static inline int lab_load(struct lab *lab, const char *transport, const char *name)
{
    struct image_ref ref;
    char text[256];
    (void)snprintf(text, sizeof(text), "%s:%s/%s", transport, lab->path, name);
    lab->err = (struct error)ERR_INIT;
    ck_assert_int_eq(image_ref_parse(&lab->arena, text, &ref, &lab->err), 0);
    return image_load(&lab->store, &lab->arena, &ref, NULL, &lab->image, &lab->report, &lab->err);
}

/* Layers → docker archive → store. Frees the layers' bytes. */
static inline int lab_load_layers(struct lab *lab, struct lab_layer *layers, size_t n)
{
    static unsigned number;
    char name[32];
    (void)snprintf(name, sizeof(name), "image%u.tar", number++);
    lab_docker_archive(lab, name, "app:1", layers, n);
    for (size_t i = 0; i < n; i++) {
        buf_done(&layers[i].plain);
        buf_done(&layers[i].stored);
    }
    return lab_load(lab, "docker-archive", name);
}

static inline void lab_must_load(struct lab *lab, struct lab_layer *layers, size_t n)
{
    ck_assert_msg(lab_load_layers(lab, layers, n) == 0, "%s", lab->err.text);
}

/* One layer that has to be refused with a text that contains this. */
static inline void lab_must_refuse(struct lab *lab, struct buf *layer, const char *text)
{
    struct lab_layer layers[] = { { .plain = *layer } };
    *layer = (struct buf)BUF_INIT;
    unsigned n_layers = lab_count_children(lab->store.dir, "layers");
    unsigned n_fds = lab_count_fds() + (lab->store.unpack_fd < 0); /* opened once, kept */
    ck_assert_msg(lab_load_layers(lab, layers, 1) < 0, "passed, wanted: %s", text);
    ck_assert_msg(strstr(lab->err.text, text) != NULL, "\"%s\" is not in \"%s\"", text, lab->err.text);
    ck_assert_uint_eq(lab_count_children(lab->store.dir, "layers"), n_layers);
    ck_assert_uint_eq(lab_count_fds(), n_fds);
    lab_check_clean(lab);
}

/* The image as an overlay mount, read-only, ids as on disk. */
static inline int lab_view(struct lab *lab)
{
    struct overlay_plan plan;
    int fds[64];
    int mount_fd = -1;
    ck_assert_uint_le(lab->image.n_layers, 64);
    ck_assert_int_eq(image_layers_open(&lab->store, &lab->image, fds, &lab->err), 0);
    int rc =
        overlay_plan_build(&lab->arena, lab->image.layers, lab->image.n_layers, NULL, NULL, false, &plan, &lab->err);
    if (rc == 0)
        rc = overlay_apply(&plan, fds, -1, -1, &mount_fd, &lab->err);
    for (size_t i = 0; i < lab->image.n_layers; i++)
        (void)close(fds[i]);
    ck_assert_msg(rc == 0, "%s", lab->err.text);
    return mount_fd;
}

static inline bool lab_has(int dirfd, const char *path)
{
    struct stat status;
    return fstatat(dirfd, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static inline struct stat lab_stat(int dirfd, const char *path)
{
    struct stat status;
    ck_assert_msg(fstatat(dirfd, path, &status, AT_SYMLINK_NOFOLLOW) == 0, "%s: %s", path, strerror(errno));
    return status;
}

/* input through a program of the host (gzip, zstd): its output appended to out. False when there is no such program. */
static inline bool lab_filter(const char *program, const char *option, const struct buf *input, struct buf *out)
{
    size_t size = input->len + (1U << 16);
    autofree char *output = malloc(size);
    size_t n = 0;
    int status = 0;
    char name[64], argument[64];
    (void)snprintf(name, sizeof(name), "%s", program);
    (void)snprintf(argument, sizeof(argument), "%s", option);
    char *const argv[] = { name, argument, NULL };
    char *const envp[] = { NULL };
    struct process_run run = PROCESS_RUN_INIT;
    run.path = program;
    run.argv = argv;
    run.envp = envp;
    run.input = input->data;
    run.n_input = input->len;
    run.output = output;
    run.output_size = size;
    run.ret_n_output = &n;
    if (process_run(&run, &status) < 0)
        return false;
    ck_assert_int_eq(status, 0);
    buf_add(out, output, n);
    return true;
}
