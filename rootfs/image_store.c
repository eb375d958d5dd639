/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: images by name, holds on them, removal. */
#include "image_store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "arena.h"
#include "buf.h"
#include "call.h"
#include "cleanup.h"
#include "digest.h"
#include "directory.h"
#include "err.h"
#include "file.h"
#include "image_ref_parse.h"
#include "image_store_internal.h"
#include "json_write.h"
#include "layer_store.h"
#include "role.h"

#define BOOT_ID_SIZE   64
#define HOLD_BYTES_MAX 256

/* --- the directory --- */

/* Every directory on the way that is missing is made; only the last one has to be ours alone. */
static int directories_make(const char *path, struct error *err)
{
    char part[4096];
    size_t len = strlen(path);
    if (len == 0 || len >= sizeof(part) || path[0] != '/')
        return err_set(err, EINVAL, "data directory \"%s\": not an absolute path", path);
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        int rc = kernel_mkdirat(AT_FDCWD, part, path[i] == '\0' ? 0700 : 0755);
        if (rc < 0 && rc != -EEXIST)
            return err_sys(err, rc, "data directory %s: make", part);
    }
    return 0;
}

static int directory_check(int fd, const char *path, struct error *err)
{
    struct stat status;
    int rc = kernel_fstat(fd, &status);
    if (rc < 0)
        return err_sys(err, rc, "data directory %s", path);
    if (status.st_uid != 0 || (status.st_mode & 077) != 0)
        return err_set(err, EPERM,
            "data directory %s: it must be root's own and closed to others (mode 0700)", path);
    return 0;
}

int image_store_open(
    struct image_store *ret, const char *root, const char *unpack_path, struct error *err)
{
    role_require(ROLE_PARENT);
    int rc = directories_make(root, err);
    if (rc < 0)
        return rc;
    autoclose int dir = kernel_open(root, O_RDONLY | O_DIRECTORY, 0);
    if (dir < 0)
        return err_sys(err, dir, "data directory %s: open", root);
    rc = directory_check(dir, root, err);
    if (rc < 0)
        return rc;
    static const char *const parts[] = { STORE_CONFIG, STORE_LAYERS, STORE_HOLDS, STORE_STAGING };
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        rc = kernel_mkdirat(dir, parts[i], 0700);
        if (rc < 0 && rc != -EEXIST)
            return err_sys(err, rc, "data directory %s: make %s", root, parts[i]);
    }
    *ret =
        (struct image_store){ .dir = take_fd(&dir), .unpack_fd = -1, .unpack_path = unpack_path };
    return 0;
}

void image_store_done(struct image_store *store)
{
    if (store == NULL)
        return;
    cleanup_close(&store->dir);
    cleanup_close(&store->unpack_fd);
    *store = (struct image_store)IMAGE_STORE_INIT;
}

int store_lock(const struct image_store *store, bool is_exclusive, struct error *err)
{
    autoclose int fd =
        kernel_openat(store->dir, STORE_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW, STORE_FILE_MODE);
    int rc = fd < 0 ? fd : kernel_flock(fd, is_exclusive ? LOCK_EX : LOCK_SH);
    return rc < 0 ? err_sys(err, rc, "%s: lock the image store", STORE_LOCK) : take_fd(&fd);
}

/* --- finding --- */

static const char *hex_of(const char *digest)
{
    return digest + strlen("sha256:");
}

int store_config_read(
    const struct image_store *store, struct arena *arena, struct image *image, struct error *err)
{
    autoclose int configs =
        kernel_openat(store->dir, STORE_CONFIG, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    autofree char *text = NULL;
    size_t len = 0;
    int rc = configs < 0
                 ? configs
                 : file_read(configs, hex_of(image->id), IMAGE_CONFIG_BYTES_MAX, &text, &len);
    if (rc < 0)
        return err_sys(err, rc, "image %s: read its configuration", image->id);
    uint8_t bytes[DIGEST_BYTES];
    char digest[DIGEST_TEXT_SIZE];
    digest_bytes(text, len, bytes);
    digest_text(bytes, digest);
    if (strcmp(digest, image->id) != 0)
        return err_set(
            err, EBADMSG, "image %s: its configuration has the digest %s", image->id, digest);
    image->config_text = arena_strndup(arena, text, len);
    image->config_len = len;
    return image_config_parse(arena, image->id, image->config_text, len, &image->config, err);
}

int image_find(struct image_store *store, struct arena *arena, const struct image_ref *ref,
    struct image *ret, struct error *err)
{
    autoclose int lock = store_lock(store, false, err);
    if (lock < 0)
        return lock;
    struct store_index index;
    int rc = store_index_read(store, arena, &index, err);
    if (rc < 0)
        return rc;
    struct store_entry *entry = store_index_find(&index, ref->name, ref->digest);
    if (entry == NULL)
        return IMAGE_NOT_FOUND;
    rc = store_config_read(store, arena, &entry->image, err);
    if (rc == 0)
        *ret = entry->image;
    return rc;
}

int image_list(struct image_store *store, struct arena *arena, struct image **ret, size_t *ret_n,
    struct error *err)
{
    autoclose int lock = store_lock(store, false, err);
    if (lock < 0)
        return lock;
    struct store_index index;
    int rc = store_index_read(store, arena, &index, err);
    if (rc < 0)
        return rc;
    struct image *images = arena_new_array(arena, index.n + 1, struct image);
    for (size_t i = 0; i < index.n; i++)
        images[i] = index.entries[i].image;
    *ret = images;
    *ret_n = index.n;
    return 0;
}

void image_print(const struct image *image, struct buf *out)
{
    struct json_writer w = JSON_WRITER_INIT(out, 2);
    const struct image_config *config = &image->config;
    json_begin(&w, NULL, '{');
    json_put_str(&w, "id", image->id);
    json_put_strs(&w, "names", image->names, image->n_names);
    json_put_u64(&w, "size", image->size_bytes);
    json_put_str(&w, "loaded", image->loaded);
    json_put_str(&w, "source", image->source);
    json_put_str(&w, "os", config->os);
    json_put_str(&w, "architecture", config->architecture);
    json_put_str(&w, "user", config->user != NULL ? config->user : "");
    json_put_str(&w, "workingDir", config->working_dir != NULL ? config->working_dir : "");
    json_put_str(&w, "stopSignal", config->stop_signal != NULL ? config->stop_signal : "");
    json_put_strs(&w, "env", config->env, config->n_env);
    json_put_strs(&w, "entrypoint", config->entrypoint, config->n_entrypoint);
    json_put_strs(&w, "cmd", config->cmd, config->n_cmd);
    json_put_strs(&w, "volumes", config->volumes, config->n_volumes);
    json_put_strs(&w, "exposedPorts", config->exposed_ports, config->n_exposed_ports);
    json_begin(&w, "labels", '{');
    for (size_t i = 0; i < config->n_labels; i++)
        json_put_str(&w, config->labels[i].key, config->labels[i].value);
    json_end(&w, '}');
    json_put_strs(&w, "diffIds", config->diff_ids, config->n_diff_ids);
    json_put_strs(&w, "layers", image->layers, image->n_layers);
    json_end(&w, '}');
    buf_putc(out, '\n');
}

/* --- holds: "BOOT_ID DIGEST" in a file named after the owner --- */

static int boot_id_read(char ret[BOOT_ID_SIZE], struct error *err)
{
    ssize_t n = file_read_line(AT_FDCWD, "/proc/sys/kernel/random/boot_id", ret, BOOT_ID_SIZE);
    return n <= 0 ? err_sys(err, n < 0 ? (int)n : -EIO, "read the boot id") : 0;
}

static int holds_open(const struct image_store *store, struct error *err)
{
    int fd = kernel_openat(store->dir, STORE_HOLDS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    return fd < 0 ? err_sys(err, fd, "%s: open", STORE_HOLDS) : fd;
}

int image_hold(
    struct image_store *store, const struct image *image, const char *owner, struct error *err)
{
    role_require(ROLE_PARENT);
    autoclose int lock = store_lock(store, true, err);
    if (lock < 0)
        return lock;
    struct arena arena = ARENA_INIT;
    struct store_index index;
    int rc = store_index_read(store, &arena, &index, err);
    if (rc == 0 && store_index_find(&index, NULL, image->id) == NULL)
        rc = err_set(err, ENOENT, "image %s: it was removed", image->id);
    arena_done(&arena);
    autoclose int holds = rc < 0 ? rc : holds_open(store, err);
    char boot_id[BOOT_ID_SIZE];
    if (holds < 0 || boot_id_read(boot_id, err) < 0)
        return -err->code;
    AUTO(buf) struct buf text = BUF_INIT;
    buf_printf(&text, "%s %s\n", boot_id, image->id);
    rc = file_replace(holds, owner, text.data, text.len, STORE_FILE_MODE, 0);
    return rc < 0 ? err_sys(err, rc, "hold image %s", image->id) : 0;
}

int image_release(struct image_store *store, const char *owner, struct error *err)
{
    role_require(ROLE_PARENT);
    autoclose int holds = holds_open(store, err);
    if (holds < 0)
        return holds;
    int rc = kernel_unlinkat(holds, owner, 0);
    return rc < 0 && rc != -ENOENT ? err_sys(err, rc, "release the image of %s", owner) : 0;
}

static bool hold_is_on(int holds, const char *owner, const char *boot_id, const char *id)
{
    char line[HOLD_BYTES_MAX];
    ssize_t n = file_read_line(holds, owner, line, sizeof(line));
    if (n < 0)
        return n != -ENOENT; /* what cannot be read may hold anything */
    char *blank = strchr(line, ' ');
    if (blank == NULL)
        return false;
    *blank = '\0';
    return strcmp(line, boot_id) == 0 && strcmp(blank + 1, id) == 0;
}

static int holds_check(const struct image_store *store, const char *id, struct error *err)
{
    autoclose int holds = holds_open(store, err);
    char boot_id[BOOT_ID_SIZE];
    if (holds < 0 || boot_id_read(boot_id, err) < 0)
        return -err->code;
    struct directory listing = { .fd = -1 };
    int rc = directory_open(&listing, holds, ".");
    struct directory_entry entry;
    while (rc == 0 && (rc = directory_next(&listing, &entry)) == 0)
        if (entry.name[0] != '.' && hold_is_on(holds, entry.name, boot_id, id))
            rc = err_set(err, EBUSY, "image %s: sandbox %s runs on it", id, entry.name);
    directory_done(&listing);
    if (rc < 0 && err->code == 0)
        return err_sys(err, rc, "%s: read", STORE_HOLDS);
    return rc < 0 ? rc : 0;
}

/* --- removing --- */

static void name_remove(struct image *image, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < image->n_names; i++)
        if (strcmp(image->names[i], name) != 0)
            image->names[n++] = image->names[i];
    image->n_names = n;
}

static int config_remove(const struct image_store *store, const char *id, struct error *err)
{
    autoclose int configs =
        kernel_openat(store->dir, STORE_CONFIG, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    int rc = configs < 0 ? configs : kernel_unlinkat(configs, hex_of(id), 0);
    return rc < 0 && rc != -ENOENT ? err_sys(err, rc, "image %s: remove its configuration", id) : 0;
}

static int unused_collect(struct image_store *store, struct arena *arena,
    const struct store_index *index, struct error *err)
{
    struct strv used = STRV_INIT;
    for (size_t i = 0; i < index->n; i++)
        for (size_t k = 0; k < index->entries[i].image.n_layers; k++)
            strv_add(arena, &used, index->entries[i].image.layers[k]);
    return layer_collect(store, &used, err);
}

static int entry_remove(struct image_store *store, struct arena *arena, struct store_index *index,
    struct store_entry *entry, struct error *err)
{
    const char *id = entry->image.id;
    int rc = holds_check(store, id, err);
    if (rc < 0)
        return rc;
    *entry = index->entries[--index->n];
    rc = store_index_write(store, index, err);
    if (rc == 0)
        rc = config_remove(store, id, err);
    return rc == 0 ? unused_collect(store, arena, index, err) : rc;
}

static int reference_remove(
    struct image_store *store, struct arena *arena, const struct image_ref *ref, struct error *err)
{
    struct store_index index;
    int rc = store_index_read(store, arena, &index, err);
    if (rc < 0)
        return rc;
    struct store_entry *entry = store_index_find(&index, ref->name, ref->digest);
    if (entry == NULL)
        return IMAGE_NOT_FOUND;
    if (ref->name == NULL || entry->image.n_names == 1)
        return entry_remove(store, arena, &index, entry, err);
    name_remove(&entry->image, ref->name);
    return store_index_write(store, &index, err);
}

int image_remove(struct image_store *store, const struct image_ref *ref, struct error *err)
{
    role_require(ROLE_PARENT);
    autoclose int lock = store_lock(store, true, err);
    if (lock < 0)
        return lock;
    struct arena arena = ARENA_INIT;
    int rc = reference_remove(store, &arena, ref, err);
    arena_done(&arena);
    return rc;
}

int image_layers_open(
    struct image_store *store, const struct image *image, int *ret_fds, struct error *err)
{
    for (size_t i = 0; i < image->n_layers; i++) {
        ret_fds[i] = layer_open(store, image->layers[i]);
        if (ret_fds[i] >= 0)
            continue;
        int code = ret_fds[i];
        while (i-- > 0)
            (void)close(take_fd(&ret_fds[i]));
        return err_sys(err, code, "image %s: open a layer", image->id);
    }
    return 0;
}
