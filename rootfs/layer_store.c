/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: layers, unpacked into staging and published by rename. */
#include "layer_store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "alloc.h"
#include "arena.h"
#include "call.h"
#include "cleanup.h"
#include "directory.h"
#include "err.h"
#include "file.h"
#include "id_range.h"
#include "image_store.h"
#include "image_store_internal.h"
#include "kernel_const.h"
#include "mount_call.h"
#include "namespace.h"
#include "overlay_apply.h"
#include "overlay_plan.h"
#include "parse_num.h"
#include "role.h"
#include "root.h"
#include "strv.h"
#include "unpack_apply.h"

#define RANGE_OWNER  ".unpack" /* no sandbox can have this name; one load at a time, by the store's lock */
#define ARCHIVE_NAME "archive"
#define UPPER_NAME   "upper" /* as overlay_apply makes it */
#define WORK_NAME    "work"

void layer_chain(const char *below, const char *diff_id, char ret[DIGEST_HEX_SIZE])
{
    if (below == NULL) {
        (void)snprintf(ret, DIGEST_HEX_SIZE, "%s", diff_id + strlen("sha256:"));
        return;
    }
    char text[2 * DIGEST_TEXT_SIZE];
    int len = snprintf(text, sizeof(text), "sha256:%s %s", below, diff_id);
    uint8_t bytes[DIGEST_BYTES];
    digest_bytes(text, (size_t)len, bytes);
    digest_hex(bytes, ret);
}

int layer_open(const struct image_store *store, const char *chain)
{
    autoclose int layers =
        kernel_openat(store->dir, STORE_LAYERS, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    autoclose int dir =
        layers < 0 ? layers : kernel_openat(layers, chain, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    return dir < 0 ? dir : kernel_openat(dir, STORE_LAYER_FS, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
}

/* --- the plain size of a layer, in a file beside it --- */

static int size_write(int place, uint64_t n_bytes, struct error *err)
{
    char text[32];
    int len = snprintf(text, sizeof(text), "%llu\n", (unsigned long long)n_bytes);
    int rc = file_replace(place, STORE_LAYER_SIZE, text, (size_t)len, STORE_FILE_MODE, 0);
    return rc < 0 ? err_sys(err, rc, "staging: note the layer's size") : 0;
}

static int size_read(
    const struct image_store *store, const char *chain, uint64_t *ret, struct error *err)
{
    char path[sizeof(STORE_LAYERS) + DIGEST_HEX_SIZE + sizeof(STORE_LAYER_SIZE) + 2];
    char text[32];
    (void)snprintf(path, sizeof(path), STORE_LAYERS "/%s/" STORE_LAYER_SIZE, chain);
    ssize_t n = file_read_line(store->dir, path, text, sizeof(text));
    int rc = n < 0 ? (int)n : parse_u64(text, (size_t)n, INT64_MAX, ret);
    return rc < 0 ? err_sys(err, rc, "layer %s: read its size", chain) : 0;
}

/* --- session --- */

static int staging_make(struct layer_session *session, struct error *err)
{
    autoclose int all =
        kernel_openat(session->store->dir, STORE_STAGING, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    if (all < 0)
        return err_sys(err, all, "%s: open", STORE_STAGING);
    uint64_t random;
    ssize_t n = kernel_getrandom(&random, sizeof(random));
    if (n != (ssize_t)sizeof(random))
        return err_sys(err, n < 0 ? (int)n : -EIO, "random name");
    (void)snprintf(session->name, sizeof(session->name), "%016llx", (unsigned long long)random);
    int rc = kernel_mkdirat(all, session->name, 0700);
    if (rc == 0)
        session->staging =
            kernel_openat(all, session->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (rc < 0 || session->staging < 0)
        return err_sys(err, rc < 0 ? rc : session->staging, "%s: make a directory", STORE_STAGING);
    return 0;
}

static int session_fill(struct layer_session *session, struct error *err)
{
    int rc = procfs_open_host(&session->procfs);
    if (rc < 0)
        return err_sys(err, rc, "procfs");
    rc = id_range_take(session->store->dir, RANGE_OWNER, &session->first_id, err);
    if (rc < 0)
        return rc;
    id_range_map(session->first_id, session->map);
    session->userns = namespace_new_user(&session->procfs, session->map, session->map);
    if (session->userns < 0)
        return err_sys(err, session->userns, "user namespace for unpacking");
    return staging_make(session, err);
}

int layer_session_open(struct image_store *store, struct layer_session **ret, struct error *err)
{
    role_require(ROLE_PARENT);
    struct layer_session *session = xcalloc(1, sizeof(*session));
    session->store = store;
    session->procfs = (struct procfs)PROCFS_INIT;
    session->staging = -1;
    session->userns = -1;
    int rc = session_fill(session, err);
    if (rc < 0)
        session = layer_session_free(session);
    else
        *ret = session;
    return rc;
}

struct layer_session *layer_session_free(struct layer_session *session)
{
    if (session == NULL)
        return NULL;
    for (size_t i = 0; i < session->n_layers; i++)
        cleanup_close(&session->layers[i].fd);
    cleanup_close(&session->staging);
    if (session->name[0] != '\0') {
        autoclose int all =
            kernel_openat(session->store->dir, STORE_STAGING, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
        if (all >= 0)
            (void)directory_remove(all, session->name); /* what stays is swept at the next load */
    }
    struct error ignored = ERR_INIT;
    if (session->first_id != 0)
        (void)id_range_release(session->store->dir, RANGE_OWNER, &ignored);
    cleanup_close(&session->userns);
    procfs_done(&session->procfs);
    free(session);
    return NULL;
}

/* --- unpacking --- */

static int program_open(struct image_store *store, struct error *err)
{
    if (store->unpack_fd >= 0)
        return 0;
    char path[4096];
    if (store->unpack_path != NULL) {
        (void)snprintf(path, sizeof(path), "%s", store->unpack_path);
    } else {
        int rc = kernel_readlinkat(AT_FDCWD, "/proc/self/exe", path, sizeof(path));
        char *slash = rc < 0 ? NULL : strrchr(path, '/');
        size_t room = slash == NULL ? 0 : sizeof(path) - (size_t)(slash + 1 - path);
        if (room < sizeof(STORE_UNPACK_PROGRAM))
            return err_sys(err, rc < 0 ? rc : -ENAMETOOLONG, "find %s", STORE_UNPACK_PROGRAM);
        memcpy(slash + 1, STORE_UNPACK_PROGRAM, sizeof(STORE_UNPACK_PROGRAM));
    }
    store->unpack_fd = kernel_open(path, O_PATH, 0);
    return store->unpack_fd < 0 ? err_sys(err, store->unpack_fd, "%s: open", path) : 0;
}

static int tree_unpack(struct layer_session *session, int file_fd, int tree_fd, bool is_layer,
    struct unpack_result *ret, struct error *err)
{
    int rc = program_open(session->store, err);
    if (rc < 0)
        return rc;
    const struct unpack_task task = {
        .program_fd = session->store->unpack_fd,
        .in_fd = file_fd,
        .tree_fd = tree_fd,
        .is_layer = is_layer,
        .map = session->map,
        .procfs = &session->procfs,
        .timeout_ms = LAYER_STAGING_MS,
    };
    return unpack_apply(&task, ret, err);
}

/* The tree that a layer is applied to: an overlay of those below with a new upper in directory. */
static int tree_make(struct layer_session *session, const char *name, int directory, size_t n_below,
    int *ret, struct error *err)
{
    struct arena arena = ARENA_INIT;
    char **names = arena_new_array(&arena, n_below + 1, char *);
    int *fds = arena_new_array(&arena, n_below + 1, int);
    for (size_t i = 0; i < n_below; i++) {
        names[i] = session->layers[i].chain;
        fds[i] = session->layers[i].fd;
    }
    struct overlay_plan plan;
    int rc = overlay_plan_build(&arena, names, n_below, name, &session->first_id, true, &plan, err);
    if (rc == 0)
        rc = overlay_apply(&plan, fds, directory, session->userns, ret, err);
    arena_done(&arena);
    return rc;
}

static int place_make(const struct layer_session *session, const char *name, struct error *err)
{
    int rc = kernel_mkdirat(session->staging, name, 0700);
    int fd =
        rc < 0 ? rc : kernel_openat(session->staging, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    return fd < 0 ? err_sys(err, fd, "staging: make a directory") : fd;
}

int layer_session_archive(
    struct layer_session *session, int file_fd, struct root *ret, struct error *err)
{
    autoclose int place = place_make(session, ARCHIVE_NAME, err);
    if (place < 0)
        return place;
    autoclose int tree = -1;
    struct unpack_result result;
    int rc = tree_make(session, ARCHIVE_NAME, place, 0, &tree, err);
    if (rc == 0)
        rc = tree_unpack(session, file_fd, tree, false, &result, err);
    if (rc < 0)
        return rc;
    rc = root_open(ret, place, UPPER_NAME);
    return rc < 0 ? err_sys(err, rc, "staging: open the archive") : 0;
}

static int result_check(const struct unpack_result *result, const char *stored_digest,
    uint64_t stored_bytes, const char *diff_id, struct error *err)
{
    if (stored_digest != NULL && strcmp(stored_digest, result->stored_digest) != 0)
        return err_set(err, EBADMSG, "digest of the stored bytes is %s, not %s",
            result->stored_digest, stored_digest);
    if (stored_digest != NULL && stored_bytes != result->stored_bytes)
        return err_set(err, EBADMSG, "%s has %llu bytes, not %llu", stored_digest,
            (unsigned long long)result->stored_bytes, (unsigned long long)stored_bytes);
    if (strcmp(diff_id, result->plain_digest) != 0)
        return err_set(
            err, EBADMSG, "digest of the plain layer is %s, not %s", result->plain_digest, diff_id);
    return 0;
}

static void report_add(struct image_load_report *report, const struct unpack_report *one)
{
    report->n_layers_new++;
    report->n_devices += one->n_devices;
    report->n_xattrs += one->n_xattrs;
    report->n_ids += one->n_ids;
}

static int layer_make(struct layer_session *session, int file_fd, const char *stored_digest,
    uint64_t stored_bytes, const char *diff_id, struct image_load_report *report, struct error *err)
{
    struct layer_session_layer *layer = &session->layers[session->n_layers];
    char number[16];
    (void)snprintf(number, sizeof(number), "%u", (unsigned)session->n_layers);
    autoclose int place = place_make(session, number, err);
    if (place < 0)
        return place;
    autoclose int tree = -1;
    struct unpack_result result;
    int rc = tree_make(session, layer->chain, place, session->n_layers, &tree, err);
    if (rc == 0)
        rc = tree_unpack(session, file_fd, tree, true, &result, err);
    if (rc == 0)
        rc = result_check(&result, stored_digest, stored_bytes, diff_id, err);
    if (rc < 0)
        return rc;
    report_add(report, &result.report);
    session->plain_bytes += result.plain_bytes;
    rc = size_write(place, result.plain_bytes, err);
    if (rc < 0)
        return rc;
    layer->is_new = true;
    layer->fd = kernel_openat(place, UPPER_NAME, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    return layer->fd < 0 ? err_sys(err, layer->fd, "staging: open the layer") : 0;
}

int layer_session_add(struct layer_session *session, int file_fd, const char *stored_digest,
    uint64_t stored_bytes, const char *diff_id, struct image_load_report *report, struct error *err)
{
    role_require(ROLE_PARENT);
    if (session->n_layers == IMAGE_LAYERS_MAX)
        return err_set(err, E2BIG, "more than %d layers", IMAGE_LAYERS_MAX);
    struct layer_session_layer *layer = &session->layers[session->n_layers];
    const char *below = session->n_layers > 0 ? layer[-1].chain : NULL;
    *layer = (struct layer_session_layer){ .fd = -1 };
    layer_chain(below, diff_id, layer->chain);
    layer->fd = layer_open(session->store, layer->chain);
    uint64_t n_bytes = 0;
    int rc;
    if (layer->fd == -ENOENT)
        rc = layer_make(session, file_fd, stored_digest, stored_bytes, diff_id, report, err);
    else if (layer->fd < 0)
        rc = err_sys(err, layer->fd, "layer %s: open", layer->chain);
    else
        rc = size_read(session->store, layer->chain, &n_bytes, err);
    session->plain_bytes += n_bytes;
    session->n_layers++; /* also on failure: its descriptor is to be closed */
    return rc < 0 ? err_in(err, "layer %zu (%s)", session->n_layers, diff_id) : 0;
}

/* --- publishing --- */

static int layer_publish(struct layer_session *session, size_t i, int layers, struct error *err)
{
    char number[16];
    (void)snprintf(number, sizeof(number), "%u", (unsigned)i);
    autoclose int place =
        kernel_openat(session->staging, number, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    int rc = place < 0 ? place : directory_remove(place, WORK_NAME);
    if (rc == 0)
        rc = kernel_renameat2(place, UPPER_NAME, place, STORE_LAYER_FS, RENAME_NOREPLACE);
    if (rc == 0)
        rc = kernel_renameat2(
            session->staging, number, layers, session->layers[i].chain, RENAME_NOREPLACE);
    return rc < 0 ? err_sys(err, rc, "layer %s: publish", session->layers[i].chain) : 0;
}

int layer_session_publish(struct layer_session *session, struct error *err)
{
    role_require(ROLE_PARENT);
    /* The archive goes first: what is deleted in time is never written to disk. */
    int rc = directory_remove(session->staging, ARCHIVE_NAME);
    if (rc == 0)
        rc = kernel_syncfs(session->staging);
    if (rc < 0)
        return err_sys(err, rc, "write layers to disk");
    autoclose int layers =
        kernel_openat(session->store->dir, STORE_LAYERS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (layers < 0)
        return err_sys(err, layers, "%s: open", STORE_LAYERS);
    for (size_t i = 0; rc == 0 && i < session->n_layers; i++)
        if (session->layers[i].is_new)
            rc = layer_publish(session, i, layers, err);
    if (rc < 0)
        return rc;
    rc = kernel_fsync(layers);
    return rc < 0 ? err_sys(err, rc, "%s: write to disk", STORE_LAYERS) : 0;
}

/* --- collecting --- */

static int children_remove(const struct image_store *store, const char *directory,
    const struct strv *keep, struct error *err)
{
    autoclose int fd = kernel_openat(store->dir, directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    struct directory listing = { .fd = -1 };
    int rc = fd < 0 ? fd : directory_open(&listing, fd, ".");
    struct directory_entry entry;
    while (rc == 0 && (rc = directory_next(&listing, &entry)) == 0)
        if (keep == NULL || !strv_has(keep, entry.name))
            rc = directory_remove(fd, entry.name);
    directory_done(&listing);
    return rc < 0 ? err_sys(err, rc, "%s: remove what is not used", directory) : 0;
}

int layer_staging_sweep(struct image_store *store, struct error *err)
{
    role_require(ROLE_PARENT);
    return children_remove(store, STORE_STAGING, NULL, err);
}

int layer_collect(struct image_store *store, const struct strv *used, struct error *err)
{
    role_require(ROLE_PARENT);
    return children_remove(store, STORE_LAYERS, used, err);
}
