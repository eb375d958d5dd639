/* SPDX-License-Identifier: Apache-2.0 */
/* Images come, are found, held and go; what is wrong with an archive leaves nothing. */
#include "image_lab.h"

#define INDEX_TYPE "application/vnd.oci.image.index.v1+json"

static struct lab lab;

static void layer_fill(struct lab_layer *layer, const char *name, const char *text)
{
    tar_file(&layer->plain, name, text);
    tar_end(&layer->plain);
}

static void layers_done(struct lab_layer *layers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        buf_done(&layers[i].plain);
        buf_done(&layers[i].stored);
    }
}

static int find(const char *text, struct image *ret)
{
    struct image_ref ref;
    lab.err = (struct error)ERR_INIT;
    ck_assert_int_eq(image_ref_parse(&lab.arena, text, &ref, &lab.err), 0);
    return image_find(&lab.store, &lab.arena, &ref, ret, &lab.err);
}

static int drop(const char *text)
{
    struct image_ref ref;
    lab.err = (struct error)ERR_INIT;
    ck_assert_int_eq(image_ref_parse(&lab.arena, text, &ref, &lab.err), 0);
    return image_remove(&lab.store, &ref, &lab.err);
}

static void load_docker(const char *file, const char *tag, const char *text)
{
    struct lab_layer layers[2] = { 0 };
    layer_fill(&layers[0], "base", "base");
    layer_fill(&layers[1], "f", text);
    lab_docker_archive(&lab, file, tag, layers, 2);
    layers_done(layers, 2);
    ck_assert_msg(lab_load(&lab, "docker-archive", file) == 0, "%s", lab.err.text);
}

static void refuse(const char *transport, const char *name, const char *text)
{
    ck_assert_msg(lab_load(&lab, transport, name) < 0, "passed, wanted: %s", text);
    ck_assert_msg(strstr(lab.err.text, text) != NULL, "\"%s\" is not in \"%s\"", text, lab.err.text);
    lab_check_clean(&lab);
}

START_TEST(loaded_image_is_found_by_name_and_digest)
{
    struct image image;
    lab_open(&lab);
    load_docker("a.tar", "docker.io/library/app:1", "one");
    ck_assert_uint_eq(lab.report.n_layers_new, 2);
    ck_assert_uint_gt(lab.image.size_bytes, 2000);
    ck_assert_int_eq(find("app:1", &image), 0);
    ck_assert_str_eq(image.id, lab.image.id);
    ck_assert_str_eq(image.config.cmd[0], "sh");
    ck_assert_int_eq(find(lab.image.id, &image), 0);
    ck_assert_int_eq(find("docker.io/app:1", &image), 0);
    ck_assert_int_eq(find("app:2", &image), IMAGE_NOT_FOUND);
    AUTO(buf) struct buf out = BUF_INIT;
    image_print(&image, &out);
    ck_assert_ptr_nonnull(strstr(buf_str(&out), lab.image.id));
    lab_close(&lab);
}
END_TEST

START_TEST(second_load_unpacks_nothing_again)
{
    lab_open(&lab);
    load_docker("a.tar", "app:1", "one");
    uint64_t size = lab.image.size_bytes;
    ck_assert_int_eq(lab_load(&lab, "docker-archive", "a.tar"), 0); /* the very file */
    ck_assert_uint_eq(lab.report.n_layers_new, 0);
    ck_assert_uint_eq(lab.image.size_bytes, size);
    load_docker("b.tar", "app:1", "one"); /* another file, the same layers */
    ck_assert_uint_eq(lab.report.n_layers_new, 0);
    ck_assert_uint_eq(lab.image.size_bytes, size);
    load_docker("c.tar", "app:2", "two"); /* shares the base */
    ck_assert_uint_eq(lab.report.n_layers_new, 1);
    ck_assert_uint_eq(lab_count_children(lab.store.dir, "layers"), 3);
    lab_close(&lab);
}
END_TEST

START_TEST(changed_file_is_loaded_again)
{
    struct image image;
    lab_open(&lab);
    load_docker("a.tar", "app:1", "one");
    const char *id = lab.image.id;
    load_docker("a.tar", "app:1", "two");
    ck_assert_str_ne(lab.image.id, id);
    ck_assert_int_eq(find("app:1", &image), 0);
    ck_assert_str_eq(image.id, lab.image.id);
    ck_assert_int_eq(find(id, &image), 0); /* without a name now */
    ck_assert_uint_eq(image.n_names, 0);
    lab_close(&lab);
}
END_TEST

START_TEST(removing_collects_layers_that_nobody_uses)
{
    struct image image;
    lab_open(&lab);
    load_docker("a.tar", "app:1", "one");
    load_docker("b.tar", "app:2", "two");
    load_docker("c.tar", "also:2", "two");
    ck_assert_uint_eq(lab.image.n_names, 2);
    ck_assert_int_eq(drop("app:2"), 0); /* a name of two */
    ck_assert_int_eq(find("also:2", &image), 0);
    ck_assert_uint_eq(lab_count_children(lab.store.dir, "layers"), 3);
    ck_assert_int_eq(drop("also:2"), 0);
    ck_assert_uint_eq(lab_count_children(lab.store.dir, "layers"), 2);
    ck_assert_int_eq(drop("also:2"), IMAGE_NOT_FOUND);
    ck_assert_int_eq(find("app:1", &image), 0);
    ck_assert_int_eq(drop(image.id), 0);
    ck_assert_uint_eq(lab_count_children(lab.store.dir, "layers"), 0);
    ck_assert_uint_eq(lab_count_children(lab.store.dir, "config"), 0);
    struct image *images;
    size_t n = 1;
    ck_assert_int_eq(image_list(&lab.store, &lab.arena, &images, &n, &lab.err), 0);
    ck_assert_uint_eq(n, 0);
    lab_close(&lab);
}
END_TEST

START_TEST(held_image_stays)
{
    lab_open(&lab);
    load_docker("a.tar", "app:1", "one");
    ck_assert_int_eq(image_hold(&lab.store, &lab.image, "box", &lab.err), 0);
    ck_assert_int_eq(drop("app:1"), -EBUSY);
    ck_assert_ptr_nonnull(strstr(lab.err.text, "box"));
    ck_assert_int_eq(image_release(&lab.store, "box", &lab.err), 0);
    ck_assert_int_eq(image_release(&lab.store, "box", &lab.err), 0);
    ck_assert_int_eq(drop("app:1"), 0);
    ck_assert_int_eq(image_hold(&lab.store, &lab.image, "box", &lab.err), -ENOENT);
    lab_close(&lab);
}
END_TEST

START_TEST(hold_of_another_boot_is_over)
{
    lab_open(&lab);
    load_docker("a.tar", "app:1", "one");
    char text[200];
    (void)snprintf(text, sizeof(text), "00000000-0000-0000-0000-000000000000 %s\n", lab.image.id);
    lab_write(lab.store.dir, "holds/old", text, strlen(text));
    ck_assert_int_eq(drop("app:1"), 0);
    lab_close(&lab);
}
END_TEST

START_TEST(leftovers_in_staging_go_with_the_next_load)
{
    lab_open(&lab);
    ck_assert_int_eq(mkdirat(lab.store.dir, "staging/dead", 0700), 0);
    lab_write(lab.store.dir, "staging/dead/f", "x", 1);
    load_docker("a.tar", "app:1", "one");
    lab_close(&lab);
}
END_TEST

START_TEST(several_images_need_a_name)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    tar_file(&tar, "manifest.json",
        "[{\"Config\":\"c\",\"RepoTags\":[\"a:1\"],\"Layers\":[]},"
        "{\"Config\":\"c\",\"RepoTags\":[\"b:1\"],\"Layers\":[]}]");
    tar_file(&tar, "c",
        "{\"architecture\":\"amd64\",\"os\":\"linux\",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":"
        "[]}}");
    tar_end(&tar);
    lab_write(lab.dir, "two.tar", tar.data, tar.len);
    buf_done(&tar);
    refuse("docker-archive", "two.tar", "say which: a:1, b:1");
    refuse("docker-archive", "two.tar:c:1", "no image c:1; there is: a:1, b:1");
    lab_close(&lab);
}
END_TEST

START_TEST(oci_layout_and_archive_load)
{
    struct lab_layer layers[1] = { 0 };
    struct image image;
    layer_fill(&layers[0], "f", "x");
    lab_open(&lab);
    (void)close(lab_layout(&lab, "box", "v1", layers, 1));
    ck_assert_msg(lab_load(&lab, "oci", "box:v1") == 0, "%s", lab.err.text);
    ck_assert_int_eq(find("box:v1", &image), 0);
    ck_assert_msg(lab_load(&lab, "oci", "box") == 0, "%s", lab.err.text);
    refuse("oci", "box:v2", "no image \"v2\"; there is: v1");
    char program[] = "/bin/tar", create[] = "-cf", file[] = "box.tar", change[] = "-C", box[] = "box", dot[] = ".";
    char *const argv[] = { program, create, file, change, box, dot, NULL };
    char *const envp[] = { NULL };
    int status = 0;
    struct process_run run = PROCESS_RUN_INIT;
    run.path = program;
    run.argv = argv;
    run.envp = envp;
    run.dirfd = lab.dir;
    if (process_run(&run, &status) == 0) {
        ck_assert_int_eq(drop("box:v1"), 0);
        ck_assert_msg(lab_load(&lab, "oci-archive", "box.tar:v1") == 0, "%s", lab.err.text);
        ck_assert_int_eq(find("box:v1", &image), 0);
        autoclose int view = lab_view(&lab);
        ck_assert_str_eq(lab_read(&lab, view, "f"), "x");
    }
    layers_done(layers, 1);
    lab_close(&lab);
}
END_TEST

/* The index becomes a blob that a new index.json leads to (case image-864, nested). */
START_TEST(nested_index_is_followed_to_a_limit)
{
    struct lab_layer layers[1] = { 0 };
    layer_fill(&layers[0], "f", "x");
    lab_open(&lab);
    autoclose int blobs = lab_layout(&lab, "box", "v1", layers, 1);
    layers_done(layers, 1);
    for (unsigned depth = 1; depth < 6; depth++) {
        struct buf old = BUF_INIT;
        struct buf index = BUF_INIT;
        autofree char *text = NULL;
        size_t len = 0;
        ck_assert_int_eq(file_read(lab.dir, "box/index.json", 1U << 20, &text, &len), 0);
        buf_add(&old, text, len);
        buf_puts(&index, "{\"schemaVersion\":2,\"manifests\":[");
        lab_blob(blobs, &old, INDEX_TYPE, "", &index);
        buf_puts(&index, "]}");
        lab_write(lab.dir, "box/index.json", index.data, index.len);
        buf_done(&old);
        buf_done(&index);
        if (depth <= 3)
            ck_assert_msg(lab_load(&lab, "oci", "box") == 0, "depth %u: %s", depth, lab.err.text);
    }
    refuse("oci", "box", "deep");
    lab_close(&lab);
}
END_TEST

START_TEST(index_that_contains_itself_ends)
{
    lab_open(&lab);
    struct lab_layer layers[1] = { 0 };
    layer_fill(&layers[0], "f", "x");
    autoclose int blobs = lab_layout(&lab, "box", "v1", layers, 1);
    layers_done(layers, 1);
    static const char digest[] = "0000000000000000000000000000000000000000000000000000000000000000";
    char text[512];
    (void)snprintf(text, sizeof(text),
        "{\"schemaVersion\":2,\"manifests\":[{\"mediaType\":\"" INDEX_TYPE "\",\"digest\":\"sha256:%s\",\"size\":%d}]}",
        digest, 200);
    lab_write(lab.dir, "box/index.json", text, strlen(text));
    lab_write(blobs, digest, text, strlen(text));
    refuse("oci", "box", "bytes, not 200");
    lab_close(&lab);
}
END_TEST

/* Every blob of a layout, changed in one byte or cut by one, is noticed. */
START_TEST(changed_and_cut_blobs_are_refused)
{
    struct lab_layer layers[1] = { 0 };
    layer_fill(&layers[0], "f", "x");
    lab_open(&lab);
    autoclose int blobs = lab_layout(&lab, "box", "v1", layers, 1);
    layers_done(layers, 1);
    struct directory listing;
    struct directory_entry entry;
    ck_assert_int_eq(directory_open(&listing, blobs, "."), 0);
    while (directory_next(&listing, &entry) == 0) {
        autofree char *text = NULL;
        size_t len = 0;
        char name[DIGEST_HEX_SIZE];
        (void)snprintf(name, sizeof(name), "%.64s", entry.name);
        ck_assert_int_eq(file_read(blobs, name, 1U << 20, &text, &len), 0);
        text[len - 1] ^= 1;
        lab_write(blobs, name, text, len);
        ck_assert_int_lt(lab_load(&lab, "oci", "box"), 0);
        ck_assert_msg(strstr(lab.err.text, name) != NULL, "%s", lab.err.text);
        lab_check_clean(&lab);
        text[len - 1] ^= 1;
        lab_write(blobs, name, text, len - 1);
        ck_assert_int_lt(lab_load(&lab, "oci", "box"), 0);
        lab_write(blobs, name, text, len);
    }
    directory_done(&listing);
    ck_assert_msg(lab_load(&lab, "oci", "box") == 0, "%s", lab.err.text);
    lab_close(&lab);
}
END_TEST

START_TEST(members_that_are_no_files_are_refused)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    tar_add(&tar, &(struct tar_item){ .name = "manifest.json", .type = '6' });
    tar_end(&tar);
    lab_write(lab.dir, "fifo.tar", tar.data, tar.len);
    refuse("docker-archive", "fifo.tar", "not a regular file");
    buf_reset(&tar);
    tar_link(&tar, "manifest.json", '2', "/etc/passwd");
    tar_end(&tar);
    lab_write(lab.dir, "link.tar", tar.data, tar.len);
    refuse("docker-archive", "link.tar", "manifest.json: open: No such file");
    buf_reset(&tar);
    tar_file(&tar, "other", "x");
    tar_end(&tar);
    lab_write(lab.dir, "none.tar", tar.data, tar.len);
    refuse("docker-archive", "none.tar", "manifest.json: open: No such file");
    buf_done(&tar);
    ck_assert_int_eq(mkdirat(lab.dir, "empty", 0755), 0);
    refuse("oci", "empty", "oci-layout: open");
    refuse("oci", "missing", "open the directory");
    refuse("docker-archive", "missing", "open the file");
    refuse("docker-archive", "empty", "read the archive");
    lab_close(&lab);
}
END_TEST

/* A config path like "../../x" stays within the archive; link members are followed within it. */
START_TEST(paths_of_the_manifest_stay_in_the_archive)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    tar_file(&tar, "manifest.json", "[{\"Config\":\"../../../../../../etc/passwd\",\"Layers\":[]}]");
    tar_end(&tar);
    lab_write(lab.dir, "up.tar", tar.data, tar.len);
    refuse("docker-archive", "up.tar", "etc/passwd: open: No such file");
    buf_done(&tar);
    lab_close(&lab);
}
END_TEST

START_TEST(image_of_another_platform_is_refused)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    tar_file(&tar, "manifest.json", "[{\"Config\":\"c\",\"Layers\":[]}]");
    tar_file(&tar, "c",
        "{\"architecture\":\"sparc\",\"os\":\"linux\",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":"
        "[]}}");
    tar_end(&tar);
    lab_write(lab.dir, "sparc.tar", tar.data, tar.len);
    refuse("docker-archive", "sparc.tar", "linux/sparc");
    buf_done(&tar);
    lab_close(&lab);
}
END_TEST

START_TEST(number_of_layers_must_agree)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    tar_file(&tar, "manifest.json", "[{\"Config\":\"c\",\"Layers\":[\"c\"]}]");
    tar_file(&tar, "c",
        "{\"architecture\":\"amd64\",\"os\":\"linux\",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":"
        "[]}}");
    tar_end(&tar);
    lab_write(lab.dir, "n.tar", tar.data, tar.len);
    refuse("docker-archive", "n.tar", "1 layers, but the configuration lists 0");
    buf_done(&tar);
    lab_close(&lab);
}
END_TEST

START_TEST(store_open_to_others_is_refused)
{
    struct image_store store = IMAGE_STORE_INIT;
    lab_open(&lab);
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/open", lab.path);
    ck_assert_int_eq(mkdir(path, 0755), 0);
    ck_assert_int_eq(image_store_open(&store, path, NULL, &lab.err), -EPERM);
    ck_assert_int_eq(image_store_open(&store, "relative", NULL, &lab.err), -EINVAL);
    lab_close(&lab);
}
END_TEST

START_TEST(damaged_index_is_refused_with_its_place)
{
    struct image image;
    lab_open(&lab);
    static const char *const texts[] = { "", "{}", "[]", "{\"images\":[{}]}",
        "{\"images\":[{\"id\":\"sha256:1\",\"names\":[],\"size\":1}]}" };
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        lab_write(lab.store.dir, "images.json", texts[i], strlen(texts[i]));
        ck_assert_int_lt(find("app:1", &image), 0);
        ck_assert_ptr_nonnull(strstr(lab.err.text, "images.json:"));
    }
    lab_close(&lab);
}
END_TEST

/* Two loads at once: one after the other, both whole. */
START_TEST(loads_at_once_wait_for_each_other)
{
    struct image image;
    lab_open(&lab);
    for (int i = 0; i < 4; i++) {
        struct lab_layer layers[1] = { 0 };
        char name[16], tag[16];
        (void)snprintf(name, sizeof(name), "p%d.tar", i);
        (void)snprintf(tag, sizeof(tag), "app:%d", i);
        layer_fill(&layers[0], "f", tag);
        lab_docker_archive(&lab, name, tag, layers, 1);
        layers_done(layers, 1);
        if (fork() == 0)
            _exit(lab_load(&lab, "docker-archive", name) == 0 ? 0 : 1);
    }
    for (int i = 0; i < 4; i++) {
        int status = 1;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    for (int i = 0; i < 4; i++) {
        char tag[16];
        (void)snprintf(tag, sizeof(tag), "app:%d", i);
        ck_assert_int_eq(find(tag, &image), 0);
    }
    lab_close(&lab);
}
END_TEST

/* Programs in the unpacker's place that do not do what it does. */
START_TEST(unpacker_that_misbehaves_is_an_error)
{
    static const char *const programs[] = { "/bin/true", "/bin/false", "/bin/cat", "/etc/passwd", "/nonexistent" };
    lab_open(&lab);
    for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
        struct lab_layer layers[1] = { 0 };
        layer_fill(&layers[0], "f", "x");
        image_store_done(&lab.store);
        ck_assert_int_eq(image_store_open(&lab.store, lab.root, programs[i], &lab.err), 0);
        ck_assert_int_lt(lab_load_layers(&lab, layers, 1), 0);
        ck_assert_int_ne(lab.err.text[0], '\0');
        lab_check_clean(&lab);
    }
    lab_close(&lab);
}
END_TEST

#ifdef RUNA_FAULT_TABLE
static void load_and_drop(struct lab *l)
{
    if (lab_load(l, "oci", "box") == 0)
        ck_assert_int_eq(drop(l->image.id), 0);
}

/* Each kernel call of the parent fails once: an error or success, and nothing left either way. */
START_TEST(each_failing_call_of_a_load_leaves_nothing)
{
    struct lab_layer layers[1] = { 0 };
    layer_fill(&layers[0], "f", "x");
    lab_open(&lab);
    (void)close(lab_layout(&lab, "box", "v1", layers, 1));
    layers_done(layers, 1);
    load_and_drop(&lab); /* opens the program */
    unsigned n_fds = lab_count_fds();
    unsigned n_calls = lab_count_calls(&lab, load_and_drop);
    ck_assert_uint_gt(n_calls, 100);
    for (unsigned n = 1; n <= n_calls; n++) {
        char fault[32];
        (void)snprintf(fault, sizeof(fault), "%u:EIO", n);
        lab_fault(fault, NULL);
        int rc = lab_load(&lab, "oci", "box");
        lab_fault(NULL, NULL);
        ck_assert_msg(lab_count_fds() == n_fds, "call %u: fd left: %s", n, lab.err.text);
        ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
        ck_assert_int_eq(errno, ECHILD);
        if (rc < 0)
            ck_assert_int_ne(lab.err.text[0], '\0');
        else
            ck_assert_int_eq(drop(lab.image.id), 0);
    }
    ck_assert_int_eq(lab_load(&lab, "oci", "box"), 0); /* sweeps what an undo could not remove */
    lab_close(&lab);
}
END_TEST
#endif

int main(void)
{
    if (lab_cannot_run("image_store"))
        return LAB_SKIPPED;
    const TTest *const tests[] = {
        loaded_image_is_found_by_name_and_digest,
        second_load_unpacks_nothing_again,
        changed_file_is_loaded_again,
        removing_collects_layers_that_nobody_uses,
        held_image_stays,
        hold_of_another_boot_is_over,
        leftovers_in_staging_go_with_the_next_load,
        several_images_need_a_name,
        oci_layout_and_archive_load,
        nested_index_is_followed_to_a_limit,
        index_that_contains_itself_ends,
        changed_and_cut_blobs_are_refused,
        members_that_are_no_files_are_refused,
        paths_of_the_manifest_stay_in_the_archive,
        image_of_another_platform_is_refused,
        number_of_layers_must_agree,
        store_open_to_others_is_refused,
        damaged_index_is_refused_with_its_place,
        loads_at_once_wait_for_each_other,
        unpacker_that_misbehaves_is_an_error,
#ifdef RUNA_FAULT_TABLE
        each_failing_call_of_a_load_leaves_nothing,
#endif
    };
    return unit_run("image_store", tests, sizeof(tests) / sizeof(tests[0]));
}
