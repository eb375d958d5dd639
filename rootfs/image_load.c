/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: an image from its archive or layout into the store. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "image_store.h"

#include "arena.h"
#include "buf.h"
#include "call.h"
#include "cleanup.h"
#include "digest.h"
#include "err.h"
#include "file.h"
#include "image_manifest_parse.h"
#include "image_ref_parse.h"
#include "image_store_internal.h"
#include "layer_store.h"
#include "role.h"
#include "root.h"

struct load {
    struct image_store *store;
    struct arena *arena;
    const struct image_ref *ref;
    const char *name; /* asked for, or NULL */
    struct image_load_report *report;
    struct layer_session *session;
    struct root root; /* of the archive's contents or the layout */
    struct strv names;
    struct image image;
    char stamp[STORE_STAMP_SIZE];
    const char *config_digest; /* what leads to it says */
};

/* One layer's blob, before it is known to be wanted. */
struct load_layer {
    const char *path;
    const char *digest; /* of the stored bytes; NULL: nobody said */
    uint64_t size_bytes;
};

/* --- files of the archive --- */

static int member_open(const struct load *load, const char *path, struct error *err)
{
    autoclose int fd = root_resolve(&load->root, path, O_RDONLY | O_NONBLOCK);
    struct stat status;
    int rc = fd < 0 ? fd : kernel_fstat(fd, &status);
    if (rc < 0)
        return err_sys(err, rc, "%s: open", path);
    if (!S_ISREG(status.st_mode))
        return err_set(err, EINVAL, "%s: not a regular file", path);
    return take_fd(&fd);
}

static int member_read(const struct load *load, const char *path, size_t max, const char **ret,
    size_t *ret_len, struct error *err)
{
    autoclose int fd = member_open(load, path, err);
    if (fd < 0)
        return fd;
    autofree char *text = NULL;
    size_t len = 0;
    int rc = file_read_fd(fd, max, &text, &len);
    if (rc < 0)
        return err_sys(err, rc, "%s: read", path);
    *ret = arena_strndup(load->arena, text, len);
    *ret_len = len;
    return 0;
}

static int digest_check(const char *text, size_t len, const char *digest, struct error *err)
{
    uint8_t bytes[DIGEST_BYTES];
    char real[DIGEST_TEXT_SIZE];
    digest_bytes(text, len, bytes);
    digest_text(bytes, real);
    if (strcmp(real, digest) != 0)
        return err_set(err, EBADMSG, "%s: the digest of its bytes is %s", digest, real);
    return 0;
}

static char *blob_path(const struct load *load, const char *digest)
{
    return arena_printf(load->arena, "blobs/sha256/%s", digest + strlen("sha256:"));
}

static int blob_read(const struct load *load, const struct image_descriptor *blob, size_t max,
    const char **ret, size_t *ret_len, struct error *err)
{
    int rc = member_read(load, blob_path(load, blob->digest), max, ret, ret_len, err);
    if (rc < 0)
        return rc;
    if (*ret_len != blob->size_bytes)
        return err_set(err, EBADMSG, "%s: it has %zu bytes, not %llu", blob->digest, *ret_len,
            (unsigned long long)blob->size_bytes);
    return digest_check(*ret, *ret_len, blob->digest, err);
}

/* --- configuration and layers --- */

static int config_take(struct load *load, const char *text, size_t len, struct error *err)
{
    uint8_t bytes[DIGEST_BYTES];
    char *id = arena_alloc(load->arena, DIGEST_TEXT_SIZE);
    digest_bytes(text, len, bytes);
    digest_text(bytes, id);
    if (load->config_digest != NULL && strcmp(load->config_digest, id) != 0)
        return err_set(
            err, EBADMSG, "configuration: its digest is %s, not %s", id, load->config_digest);
    load->image.id = id;
    load->image.config_text = text;
    load->image.config_len = len;
    int rc =
        image_config_parse(load->arena, "image configuration", text, len, &load->image.config, err);
    if (rc < 0)
        return rc;
    struct image_platform machine;
    rc = image_platform_parse(load->arena, NULL, &machine, err);
    if (rc < 0)
        return rc;
    const struct image_config *config = &load->image.config;
    if (strcmp(config->os, machine.os) != 0 ||
        strcmp(config->architecture, machine.architecture) != 0)
        return err_set(err, ENOEXEC, "the image is for %.32s/%.32s, this machine is %s/%s",
            config->os, config->architecture, machine.os, machine.architecture);
    return 0;
}

static int layers_add(
    struct load *load, const struct load_layer *layers, size_t n_layers, struct error *err)
{
    const struct image_config *config = &load->image.config;
    if (n_layers != config->n_diff_ids)
        return err_set(err, EINVAL, "%zu layers, but the configuration lists %zu", n_layers,
            config->n_diff_ids);
    for (size_t i = 0; i < n_layers; i++) {
        autoclose int fd = member_open(load, layers[i].path, err);
        if (fd < 0)
            return fd;
        int rc = layer_session_add(load->session, fd, layers[i].digest, layers[i].size_bytes,
            config->diff_ids[i], load->report, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* --- docker-archive --- */

/* "HEX.json", "blobs/sha256/HEX", "HEX/layer.tar": the first form and the second promise a digest. */
static const char *path_digest(const struct load *load, const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/');
    const char *hex = slash != NULL ? slash + 1 : path;
    if (slash != NULL && suffix[0] != '\0')
        return NULL;
    if (strlen(hex) != DIGEST_HEX_SIZE - 1 + strlen(suffix) || !str_ends(hex, suffix))
        return NULL;
    char *digest = arena_printf(load->arena, "sha256:%.*s", DIGEST_HEX_SIZE - 1, hex);
    return digest_text_is_valid(digest) ? digest : NULL;
}

static int docker_choose(const struct load *load, const struct image_docker_list *list,
    const struct image_docker_entry **ret, struct error *err)
{
    AUTO(buf) struct buf names = BUF_INIT;
    for (size_t i = 0; i < list->n_entries; i++) {
        const struct image_docker_entry *entry = &list->entries[i];
        bool is_it = load->ref->name == NULL && list->n_entries == 1;
        for (size_t k = 0; k < entry->n_names; k++) {
            is_it =
                is_it || (load->ref->name != NULL && strcmp(entry->names[k], load->ref->name) == 0);
            buf_printf(&names, "%s%s", names.len > 0 ? ", " : "", entry->names[k]);
        }
        if (is_it) {
            *ret = entry;
            return 0;
        }
    }
    if (load->ref->name == NULL)
        return err_set(err, EINVAL, "more than one image; say which: %.600s", buf_str(&names));
    return err_set(err, ENOENT, "no image %s; there is: %.600s", load->ref->name, buf_str(&names));
}

static int docker_load(struct load *load, struct error *err)
{
    const char *text = NULL;
    size_t len = 0;
    int rc = member_read(load, "manifest.json", IMAGE_MANIFEST_BYTES_MAX, &text, &len, err);
    struct image_docker_list list;
    if (rc == 0)
        rc = image_docker_parse(load->arena, "manifest.json", text, len, &list, err);
    const struct image_docker_entry *entry = NULL;
    if (rc == 0)
        rc = docker_choose(load, &list, &entry, err);
    if (rc == 0)
        rc = member_read(load, entry->config_path, IMAGE_CONFIG_BYTES_MAX, &text, &len, err);
    if (rc < 0)
        return rc;
    load->config_digest = path_digest(load, entry->config_path, ".json");
    if (load->config_digest == NULL && str_starts(entry->config_path, "blobs/sha256/"))
        load->config_digest = path_digest(load, entry->config_path, "");
    rc = config_take(load, text, len, err);
    if (rc < 0)
        return rc;
    struct load_layer *layers =
        arena_new_array(load->arena, entry->n_layers + 1, struct load_layer);
    for (size_t i = 0; i < entry->n_layers; i++)
        layers[i].path = entry->layer_paths[i];
    for (size_t i = 0; i < entry->n_names; i++)
        strv_add(load->arena, &load->names, entry->names[i]);
    return layers_add(load, layers, entry->n_layers, err);
}

/* --- OCI layout --- */

/* Puts the manifests of an index, and of those that it leads to, into one list. */
static int index_flatten(const struct load *load, const struct image_index *index, unsigned depth,
    struct image_index *ret, struct error *err)
{
    if (depth > IMAGE_NESTING_MAX)
        return err_set(err, ELOOP, "indexes more than %d deep", IMAGE_NESTING_MAX);
    for (size_t i = 0; i < index->n_manifests; i++) {
        const struct image_descriptor *entry = &index->manifests[i];
        if (entry->media != IMAGE_MEDIA_INDEX) {
            if (ret->n_manifests == IMAGE_MANIFESTS_MAX)
                return err_set(err, E2BIG, "more than %d manifests", IMAGE_MANIFESTS_MAX);
            ret->manifests[ret->n_manifests++] = *entry;
            continue;
        }
        const char *text;
        size_t len;
        struct image_index nested;
        int rc = blob_read(load, entry, IMAGE_MANIFEST_BYTES_MAX, &text, &len, err);
        if (rc == 0)
            rc = image_index_parse(
                load->arena, entry->digest, text, len, entry->media_type, &nested, err);
        if (rc == 0)
            rc = index_flatten(load, &nested, depth + 1, ret, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* Of the top index: the entries that bear the tag, or all when none is asked for. */
static int index_tagged(const struct load *load, const struct image_index *index,
    struct image_index *ret, struct error *err)
{
    ret->manifests = arena_new_array(load->arena, index->n_manifests + 1, struct image_descriptor);
    for (size_t i = 0; i < index->n_manifests; i++) {
        const struct image_descriptor *entry = &index->manifests[i];
        if (load->ref->name == NULL ||
            (entry->ref_name != NULL && strcmp(entry->ref_name, load->ref->name) == 0))
            ret->manifests[ret->n_manifests++] = *entry;
    }
    if (ret->n_manifests > 0)
        return 0;
    AUTO(buf) struct buf names = BUF_INIT;
    for (size_t i = 0; i < index->n_manifests; i++)
        if (index->manifests[i].ref_name != NULL)
            buf_printf(&names, "%s%s", names.len > 0 ? ", " : "", index->manifests[i].ref_name);
    return err_set(err, ENOENT, "no image \"%.128s\"; there is: %.600s",
        load->ref->name != NULL ? load->ref->name : "",
        names.len > 0 ? buf_str(&names) : "none with a name");
}

static int manifest_find(struct load *load, const struct image_descriptor **ret, struct error *err)
{
    const char *text = NULL;
    size_t len = 0;
    struct image_index index;
    struct image_index tagged = { 0 };
    int rc = member_read(load, "oci-layout", IMAGE_MANIFEST_BYTES_MAX, &text, &len, err);
    if (rc == 0)
        rc = image_layout_check(load->arena, text, len, err);
    if (rc == 0)
        rc = member_read(load, "index.json", IMAGE_MANIFEST_BYTES_MAX, &text, &len, err);
    if (rc == 0)
        rc = image_index_parse(load->arena, "index.json", text, len, NULL, &index, err);
    if (rc == 0)
        rc = index_tagged(load, &index, &tagged, err);
    struct image_index *flat = arena_new(load->arena, struct image_index);
    flat->manifests = arena_new_array(load->arena, IMAGE_MANIFESTS_MAX, struct image_descriptor);
    if (rc == 0)
        rc = index_flatten(load, &tagged, 1, flat, err);
    struct image_platform machine;
    if (rc == 0)
        rc = image_platform_parse(load->arena, NULL, &machine, err);
    return rc == 0 ? image_index_choose(flat, &machine, ret, err) : rc;
}

/* A tag is no name: the folder or file gives the rest, if that makes one. */
static void oci_name(struct load *load, const struct image_descriptor *manifest)
{
    struct error ignored = ERR_INIT;
    const char *tag = manifest->ref_name != NULL ? manifest->ref_name : load->ref->name;
    const char *name;
    if (load->name != NULL || tag == NULL)
        return;
    if (strpbrk(tag, "/:") != NULL) {
        if (image_name_parse(load->arena, tag, &name, &ignored) == 0)
            strv_add(load->arena, &load->names, name);
        return;
    }
    const char *slash = strrchr(load->ref->path, '/');
    char *base = arena_strdup(load->arena, slash != NULL ? slash + 1 : load->ref->path);
    if (str_ends(base, ".tar"))
        base[strlen(base) - strlen(".tar")] = '\0';
    if (image_name_parse(
            load->arena, arena_printf(load->arena, "%s:%s", base, tag), &name, &ignored) == 0)
        strv_add(load->arena, &load->names, name);
}

static int oci_load(struct load *load, struct error *err)
{
    const struct image_descriptor *chosen = NULL;
    int rc = manifest_find(load, &chosen, err);
    const char *text = NULL;
    size_t len = 0;
    struct image_manifest manifest;
    if (rc == 0)
        rc = blob_read(load, chosen, IMAGE_MANIFEST_BYTES_MAX, &text, &len, err);
    if (rc == 0)
        rc = image_manifest_parse(
            load->arena, chosen->digest, text, len, chosen->media_type, &manifest, err);
    if (rc == 0)
        rc = blob_read(load, &manifest.config, IMAGE_CONFIG_BYTES_MAX, &text, &len, err);
    if (rc < 0)
        return rc;
    load->config_digest = manifest.config.digest;
    rc = config_take(load, text, len, err);
    if (rc < 0)
        return rc;
    oci_name(load, chosen);
    struct load_layer *layers =
        arena_new_array(load->arena, manifest.n_layers + 1, struct load_layer);
    for (size_t i = 0; i < manifest.n_layers; i++)
        layers[i] = (struct load_layer){
            .path = blob_path(load, manifest.layers[i].digest),
            .digest = manifest.layers[i].digest,
            .size_bytes = manifest.layers[i].size_bytes,
        };
    return layers_add(load, layers, manifest.n_layers, err);
}

/* --- into the index --- */

static void now_text(char ret[32])
{
    time_t now = time(NULL);
    struct tm utc;
    (void)gmtime_r(&now, &utc);
    (void)strftime(ret, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* A name means one image: it is taken from any other that has it. */
static void name_give(
    struct load *load, struct store_index *index, struct image *image, const char *name)
{
    for (size_t i = 0; i < index->n; i++) {
        struct image *other = &index->entries[i].image;
        size_t n = 0;
        for (size_t k = 0; k < other->n_names; k++)
            if (strcmp(other->names[k], name) != 0)
                other->names[n++] = other->names[k];
        other->n_names = n;
    }
    if (image->n_names >= STORE_NAMES_MAX)
        return;
    char **names = arena_new_array(load->arena, image->n_names + 2, char *);
    for (size_t i = 0; i < image->n_names; i++)
        names[i] = image->names[i];
    names[image->n_names++] = arena_strdup(load->arena, name);
    image->names = names;
}

static int config_write(const struct load *load, struct error *err)
{
    autoclose int configs =
        kernel_openat(load->store->dir, STORE_CONFIG, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    int rc = configs < 0 ? configs
                         : file_replace(configs, load->image.id + strlen("sha256:"),
                               load->image.config_text, load->image.config_len, STORE_FILE_MODE, 1);
    return rc < 0 ? err_sys(err, rc, "image %s: keep its configuration", load->image.id) : 0;
}

static void image_fill(struct load *load)
{
    struct image *image = &load->image;
    const struct layer_session *session = load->session;
    image->layers = arena_new_array(load->arena, session->n_layers + 1, char *);
    image->n_layers = session->n_layers;
    for (size_t i = 0; i < session->n_layers; i++)
        image->layers[i] = arena_strdup(load->arena, session->layers[i].chain);
    char *loaded = arena_alloc(load->arena, 32);
    now_text(loaded);
    image->loaded = loaded;
    image->size_bytes = session->plain_bytes;
    image->source = arena_printf(load->arena, "%s:%s%s%s",
        image_transport_name(load->ref->transport), load->ref->path,
        load->ref->name != NULL ? ":" : "", load->ref->name != NULL ? load->ref->name : "");
}

static int index_add(struct load *load, struct error *err)
{
    struct store_index index;
    int rc = store_index_read(load->store, load->arena, &index, err);
    if (rc < 0)
        return rc;
    struct store_entry *entry = store_index_find(&index, NULL, load->image.id);
    if (entry == NULL) {
        if (index.n == STORE_IMAGES_MAX)
            return err_set(err, ENOSPC, "more than %d images", STORE_IMAGES_MAX);
        entry = &index.entries[index.n++]; /* the array has room for one more */
        entry->image = load->image;
    }
    entry->stamp = load->stamp;
    for (size_t i = 0; i < load->names.n; i++)
        name_give(load, &index, &entry->image, load->names.items[i]);
    if (load->name != NULL)
        name_give(load, &index, &entry->image, load->name);
    rc = store_index_write(load->store, &index, err);
    if (rc < 0)
        return rc;
    const struct image_config config = load->image.config;
    const char *text = load->image.config_text;
    size_t len = load->image.config_len;
    load->image = entry->image;
    load->image.config = config;
    load->image.config_text = text;
    load->image.config_len = len;
    return 0;
}

/* --- the whole --- */

static int source_open(struct load *load, int *ret_file, struct error *err)
{
    if (load->ref->transport == IMAGE_OCI_LAYOUT) {
        int rc = root_open(&load->root, AT_FDCWD, load->ref->path);
        return rc < 0 ? err_sys(err, rc, "open the directory") : 0;
    }
    struct stat status;
    autoclose int file = kernel_open(load->ref->path, O_RDONLY, 0);
    int rc = file < 0 ? file : kernel_fstat(file, &status);
    if (rc < 0)
        return err_sys(err, rc, "open the file");
    if (S_ISREG(status.st_mode))
        (void)snprintf(load->stamp, sizeof(load->stamp), "%llu:%llu:%llu:%lld.%09ld:%lld.%09ld",
            (unsigned long long)status.st_dev, (unsigned long long)status.st_ino,
            (unsigned long long)status.st_size, (long long)status.st_mtim.tv_sec,
            status.st_mtim.tv_nsec, (long long)status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
    *ret_file = take_fd(&file);
    return 0;
}

/* The very file was loaded before, and has not changed since (its ctime says so). */
static int stamp_find(struct load *load, struct error *err)
{
    struct store_index index;
    int rc = store_index_read(load->store, load->arena, &index, err);
    if (rc < 0 || load->stamp[0] == '\0' || load->name != NULL || load->ref->name != NULL)
        return rc < 0 ? rc : IMAGE_NOT_FOUND;
    for (size_t i = 0; i < index.n; i++) {
        struct store_entry *entry = &index.entries[i];
        if (strcmp(entry->stamp, load->stamp) != 0)
            continue;
        rc = store_config_read(load->store, load->arena, &entry->image, err);
        if (rc == 0)
            load->image = entry->image;
        return rc;
    }
    return IMAGE_NOT_FOUND;
}

static int load_new(struct load *load, int file, struct error *err)
{
    int rc = layer_staging_sweep(load->store, err);
    if (rc == 0)
        rc = layer_session_open(load->store, &load->session, err);
    if (rc == 0 && load->ref->transport != IMAGE_OCI_LAYOUT)
        rc = layer_session_archive(load->session, file, &load->root, err);
    if (rc == 0)
        rc = load->ref->transport == IMAGE_DOCKER_ARCHIVE ? docker_load(load, err)
                                                          : oci_load(load, err);
    if (rc == 0)
        rc = layer_session_publish(load->session, err);
    if (rc < 0)
        return rc;
    image_fill(load);
    rc = config_write(load, err);
    return rc == 0 ? index_add(load, err) : rc;
}

static int load_all(struct load *load, struct error *err)
{
    autoclose int file = -1;
    int rc = source_open(load, &file, err);
    if (rc < 0)
        return rc;
    autoclose int lock = store_lock(load->store, true, err);
    if (lock < 0)
        return lock;
    rc = stamp_find(load, err);
    return rc == IMAGE_NOT_FOUND ? load_new(load, file, err) : rc;
}

int image_load(struct image_store *store, struct arena *arena, const struct image_ref *ref,
    const char *name, struct image *ret, struct image_load_report *ret_report, struct error *err)
{
    role_require(ROLE_PARENT);
    if (ref->transport == IMAGE_STORED)
        return err_set(
            err, EINVAL, "load: not docker-archive:FILE, oci:DIRECTORY or oci-archive:FILE");
    struct image_load_report report = { 0 };
    struct load load = {
        .store = store, .arena = arena, .ref = ref, .report = &report, .root = ROOT_INIT
    };
    int rc = name != NULL ? image_name_parse(arena, name, &load.name, err) : 0;
    if (rc == 0)
        rc = load_all(&load, err);
    root_done(&load.root);
    load.session = layer_session_free(load.session);
    if (rc < 0)
        return err_in(err, "image %s:%s", image_transport_name(ref->transport), ref->path);
    *ret = load.image;
    *ret_report = report;
    return 0;
}

void image_load_report_print(const struct image_load_report *report, struct buf *out)
{
    if (report->n_devices > 0)
        buf_printf(out, "%" PRIu64 " device nodes of the image were not made: a sandbox has its own /dev\n",
            report->n_devices);
    if (report->n_xattrs > 0)
        buf_printf(out, "%" PRIu64 " extended attributes of the image were dropped\n", report->n_xattrs);
    if (report->n_ids > 0)
        buf_printf(out, "%" PRIu64 " owners outside 0 to 65535 were made nobody's\n", report->n_ids);
}
