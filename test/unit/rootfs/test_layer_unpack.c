/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers through the whole way: archive → runa-unpack → store → overlay mount. The rows of security.md 1c, and the
 * image cases of cases/reports.md, by their names. After each the host's canary is alive and nothing is left.
 */
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "image_lab.h"
#include "unpack_order.h"

static const unsigned char cap_net_raw_ep[20] = { 1, 0, 0, 2, 0, 0x20 };

static struct lab lab;

/* --- what is right --- */

START_TEST(files_keep_content_mode_owner_and_time)
{
    struct lab_layer layers[1] = { 0 };
    struct buf *tar = &layers[0].plain;
    tar_add(tar, &(struct tar_item){ .name = "./", .type = '5', .mode = 0751, .mtime = 5 });
    tar_add(tar, &(struct tar_item){ .name = "./d", .type = '5', .mode = 0500, .uid = 7, .gid = 8, .mtime = 1000 });
    tar_add(tar,
        &(struct tar_item){
            .name = "./d/f", .mode = 0640, .uid = 1000, .gid = 65535, .mtime = 1234567890, .data = "text", .len = 4 });
    tar_link(tar, "./d/s", '2', "/no/where");
    tar_add(tar, &(struct tar_item){ .name = "./d/p", .type = '6', .mode = 0622, .uid = 3 });
    tar_end(tar);
    lab_open(&lab);
    lab_must_load(&lab, layers, 1);
    autoclose int view = lab_view(&lab);
    ck_assert_str_eq(lab_read(&lab, view, "d/f"), "text");
    struct stat s = lab_stat(view, "d/f");
    ck_assert_uint_eq(s.st_mode, S_IFREG | 0640);
    ck_assert_uint_eq(s.st_uid, 1000);
    ck_assert_uint_eq(s.st_gid, 65535);
    ck_assert_int_eq(s.st_mtim.tv_sec, 1234567890);
    s = lab_stat(view, "d");
    ck_assert_uint_eq(s.st_mode, S_IFDIR | 0500);
    ck_assert_uint_eq(s.st_uid, 7);
    ck_assert_int_eq(s.st_mtim.tv_sec, 1000);
    s = lab_stat(view, ".");
    ck_assert_uint_eq(s.st_mode, S_IFDIR | 0751);
    ck_assert_int_eq(s.st_mtim.tv_sec, 5);
    s = lab_stat(view, "d/p");
    ck_assert_uint_eq(s.st_mode, S_IFIFO | 0622);
    ck_assert_uint_eq(s.st_uid, 3);
    char target[32] = "";
    ck_assert_int_eq((int)readlinkat(view, "d/s", target, sizeof(target)), 9);
    ck_assert_str_eq(target, "/no/where");
    lab_close(&lab);
}
END_TEST

START_TEST(layers_are_closed_to_other_users)
{
    struct lab_layer layers[1] = { 0 };
    tar_file(&layers[0].plain, "f", "x");
    tar_end(&layers[0].plain);
    lab_open(&lab);
    lab_must_load(&lab, layers, 1);
    ck_assert_uint_eq(lab_stat(lab.store.dir, ".").st_mode & 077, 0);
    ck_assert_uint_eq(lab_stat(lab.store.dir, "layers").st_mode & 077, 0);
    lab_close(&lab);
}
END_TEST

START_TEST(merged_usr_link_of_older_layer_is_followed)
{
    struct lab_layer layers[2] = { 0 };
    tar_dir(&layers[0].plain, "usr", 0755);
    tar_dir(&layers[0].plain, "usr/lib", 0711);
    tar_link(&layers[0].plain, "lib", '2', "usr/lib");
    tar_link(&layers[0].plain, "abs", '2', "/usr/lib");
    tar_link(&layers[0].plain, "up", '2', "../../../../usr");
    tar_end(&layers[0].plain);
    tar_file(&layers[1].plain, "lib/a", "a");
    tar_file(&layers[1].plain, "abs/b", "b");
    tar_file(&layers[1].plain, "up/lib/c", "c");
    tar_end(&layers[1].plain);
    lab_open(&lab);
    lab_must_load(&lab, layers, 2);
    autoclose int view = lab_view(&lab);
    ck_assert(S_ISLNK(lab_stat(view, "lib").st_mode));
    ck_assert_str_eq(lab_read(&lab, view, "usr/lib/a"), "a");
    ck_assert_str_eq(lab_read(&lab, view, "usr/lib/b"), "b");
    ck_assert_str_eq(lab_read(&lab, view, "usr/lib/c"), "c");
    ck_assert_uint_eq(lab_stat(view, "usr/lib").st_mode & 07777, 0711);
    lab_close(&lab);
}
END_TEST

/* Links to the host's own paths lead into the image: the canary keeps its content and the image gets the file. */
START_TEST(link_to_the_host_leads_into_the_image)
{
    struct lab_layer layers[2] = { 0 };
    lab_open(&lab);
    tar_link(&layers[0].plain, "host", '2', lab.path);
    tar_link(&layers[0].plain, "dots", '2', "../../../../../../../../../../var/tmp");
    tar_link(&layers[0].plain, "proc", '2', "/proc/self/root");
    tar_end(&layers[0].plain);
    tar_file(&layers[1].plain, "host/canary", "dead");
    tar_file(&layers[1].plain, "dots/x", "dead");
    tar_end(&layers[1].plain);
    lab_must_load(&lab, layers, 2);
    autoclose int view = lab_view(&lab);
    char inside[128];
    (void)snprintf(inside, sizeof(inside), "%.100s/canary", lab.path + 1);
    ck_assert_str_eq(lab_read(&lab, view, inside), "dead");
    ck_assert_str_eq(lab_read(&lab, view, "var/tmp/x"), "dead");
    struct stat status;
    ck_assert_int_eq(stat("/var/tmp/x", &status), -1);
    lab_close(&lab);
}
END_TEST

START_TEST(hard_links_work_within_and_across_layers)
{
    struct lab_layer layers[2] = { 0 };
    tar_file(&layers[0].plain, "d/a", "a");
    tar_link(&layers[0].plain, "d/b", '1', "d/a");
    tar_link(&layers[0].plain, "d/a", '1', "d/a");
    tar_end(&layers[0].plain);
    tar_link(&layers[1].plain, "c", '1', "./d/a");
    tar_file(&layers[1].plain, "over", "x");
    tar_link(&layers[1].plain, "over", '1', "d/b");
    tar_end(&layers[1].plain);
    lab_open(&lab);
    lab_must_load(&lab, layers, 2);
    autoclose int view = lab_view(&lab);
    ck_assert_str_eq(lab_read(&lab, view, "d/a"), "a");
    ck_assert_str_eq(lab_read(&lab, view, "d/b"), "a");
    ck_assert_str_eq(lab_read(&lab, view, "c"), "a");
    ck_assert_str_eq(lab_read(&lab, view, "over"), "a");
    ck_assert_uint_eq(lab_stat(view, "c").st_nlink, 2);
    lab_close(&lab);
}
END_TEST

START_TEST(last_of_duplicate_entries_wins)
{
    struct lab_layer layers[1] = { 0 };
    struct buf *tar = &layers[0].plain;
    tar_file(tar, "f", "one");
    tar_file(tar, "f", "two");
    tar_file(tar, "file-dir", "x");
    tar_dir(tar, "file-dir", 0755);
    tar_file(tar, "file-dir/in", "in");
    tar_dir(tar, "dir-file", 0755);
    tar_file(tar, "dir-file/in", "in");
    tar_file(tar, "dir-file", "plain");
    tar_dir(tar, "dir-link", 0755);
    tar_link(tar, "dir-link", '2', "file-dir");
    tar_file(tar, "dir-link/second", "2");
    tar_file(tar, "Case", "upper");
    tar_file(tar, "case", "lower");
    tar_dir(tar, "mode", 0700);
    tar_dir(tar, "mode", 0755);
    tar_end(tar);
    lab_open(&lab);
    lab_must_load(&lab, layers, 1);
    autoclose int view = lab_view(&lab);
    ck_assert_str_eq(lab_read(&lab, view, "f"), "two");
    ck_assert_str_eq(lab_read(&lab, view, "file-dir/in"), "in");
    ck_assert_str_eq(lab_read(&lab, view, "dir-file"), "plain");
    ck_assert_str_eq(lab_read(&lab, view, "file-dir/second"), "2");
    ck_assert_str_eq(lab_read(&lab, view, "Case"), "upper");
    ck_assert_str_eq(lab_read(&lab, view, "case"), "lower");
    ck_assert_uint_eq(lab_stat(view, "mode").st_mode & 07777, 0755);
    lab_close(&lab);
}
END_TEST

/* --- whiteouts --- */

START_TEST(whiteout_hides_older_layers_only)
{
    struct lab_layer layers[2] = { 0 };
    struct buf *low = &layers[0].plain;
    struct buf *tar = &layers[1].plain;
    tar_file(low, "gone", "x");
    tar_file(low, "own", "old");
    tar_file(low, "tree/a/b", "x");
    tar_file(low, "opaque/old", "x");
    tar_file(low, "opaque/sub/old", "x");
    tar_file(low, "late/old", "x");
    tar_file(low, "half/old", "x");
    tar_end(low);
    tar_file(tar, ".wh.gone", "");
    tar_file(tar, ".wh.never-there", "");
    tar_file(tar, "own", "new");
    tar_file(tar, ".wh.own", "");
    tar_file(tar, ".wh.tree", "");
    tar_file(tar, "opaque/.wh..wh..opq", "");
    tar_file(tar, "opaque/new", "n");
    tar_file(tar, "late/new", "n");
    tar_file(tar, "late/deep/new", "n");
    tar_file(tar, "late/.wh..wh..opq", "");
    tar_dir(tar, "half", 0755);
    tar_file(tar, "half/new", "n");
    tar_file(tar, ".wh.half", "");
    tar_end(tar);
    lab_open(&lab);
    lab_must_load(&lab, layers, 2);
    autoclose int view = lab_view(&lab);
    ck_assert(!lab_has(view, "gone"));
    ck_assert_str_eq(lab_read(&lab, view, "own"), "new");
    ck_assert(!lab_has(view, "tree"));
    ck_assert(!lab_has(view, "opaque/old"));
    ck_assert(!lab_has(view, "opaque/sub"));
    ck_assert_str_eq(lab_read(&lab, view, "opaque/new"), "n");
    ck_assert(!lab_has(view, "late/old"));
    ck_assert_str_eq(lab_read(&lab, view, "late/new"), "n");
    ck_assert_str_eq(lab_read(&lab, view, "late/deep/new"), "n");
    ck_assert(!lab_has(view, "half/old"));
    ck_assert_str_eq(lab_read(&lab, view, "half/new"), "n");
    ck_assert(!lab_has(view, ".wh.gone"));
    lab_close(&lab);
}
END_TEST

START_TEST(whiteout_through_link_stays_in_the_image)
{
    struct lab_layer layers[2] = { 0 };
    lab_open(&lab);
    tar_link(&layers[0].plain, "host", '2', lab.path);
    tar_link(&layers[0].plain, "up", '2', "../..");
    tar_file(&layers[0].plain, "f", "x");
    tar_end(&layers[0].plain);
    tar_file(&layers[1].plain, "host/.wh.canary", "");
    tar_file(&layers[1].plain, "up/.wh.f", "");
    tar_end(&layers[1].plain);
    lab_must_load(&lab, layers, 2);
    autoclose int view = lab_view(&lab);
    ck_assert(!lab_has(view, "f"));
    lab_close(&lab);
}
END_TEST

START_TEST(image_spec_1301_whiteout_of_nothing_removes_nothing)
{
    static const char *const names[] = { ".wh.", "etc/.wh..", "etc/.wh...", ".wh.etc/keep", "etc/.wh..wh.x",
        "etc/.wh..wh..opq/x" };
    lab_open(&lab);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct lab_layer layers[2] = { 0 };
        tar_file(&layers[0].plain, "etc/keep", "k");
        tar_file(&layers[0].plain, "top", "t");
        tar_end(&layers[0].plain);
        tar_file(&layers[1].plain, names[i], "");
        tar_file(&layers[1].plain, "etc/added", "");
        tar_end(&layers[1].plain);
        ck_assert_int_lt(lab_load_layers(&lab, layers, 2), 0);
        ck_assert_ptr_nonnull(strstr(lab.err.text, "whiteout"));
        lab_check_clean(&lab);
    }
    lab_close(&lab);
}
END_TEST

START_TEST(whiteout_that_is_no_empty_file_is_refused)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    tar_file(&tar, ".wh.a", "data");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "whiteout that is no empty file");
    tar_dir(&tar, ".wh.a", 0755);
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "whiteout that is no empty file");
    tar_link(&tar, "d/.wh..wh..opq", '2', "x");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "whiteout that is no empty file");
    tar_file(&tar, "f", "x");
    tar_file(&tar, "f/.wh..wh..opq", "");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "Not a directory");
    lab_close(&lab);
}
END_TEST

START_TEST(stereoscope_694_opaque_over_link_replaces_the_link)
{
    struct lab_layer layers[2] = { 0 };
    tar_file(&layers[0].plain, "target/keep.txt", "k");
    tar_link(&layers[0].plain, "link", '2', "/target");
    tar_end(&layers[0].plain);
    tar_dir(&layers[1].plain, "link/", 0755);
    tar_file(&layers[1].plain, "link/.wh..wh..opq", "");
    tar_file(&layers[1].plain, "link/new.txt", "n");
    tar_end(&layers[1].plain);
    lab_open(&lab);
    lab_must_load(&lab, layers, 2);
    autoclose int view = lab_view(&lab);
    ck_assert(S_ISDIR(lab_stat(view, "link").st_mode));
    ck_assert_uint_eq(lab_count_children(view, "link"), 1);
    ck_assert_str_eq(lab_read(&lab, view, "link/new.txt"), "n");
    ck_assert_str_eq(lab_read(&lab, view, "target/keep.txt"), "k");
    lab_close(&lab);
}
END_TEST

START_TEST(image_503_repeated_layer_counts_each_time)
{
    struct lab_layer layers[3] = { 0 };
    for (size_t i = 0; i < 3; i += 2) {
        tar_file(&layers[i].plain, "e", "here");
        tar_end(&layers[i].plain);
    }
    tar_file(&layers[1].plain, ".wh.e", "");
    tar_end(&layers[1].plain);
    lab_open(&lab);
    lab_must_load(&lab, layers, 3);
    ck_assert_uint_eq(lab.image.n_layers, 3);
    autoclose int view = lab_view(&lab);
    ck_assert_str_eq(lab_read(&lab, view, "e"), "here");
    lab_close(&lab);
}
END_TEST

/* --- devices, set-id, attributes, ids --- */

START_TEST(umoci_171_devices_are_skipped_and_counted)
{
    struct lab_layer layers[1] = { 0 };
    struct buf *tar = &layers[0].plain;
    tar_add(tar, &(struct tar_item){ .name = "d/null", .type = '3', .major = 1, .minor = 3 });
    tar_add(tar, &(struct tar_item){ .name = "d/sda", .type = '4', .major = 8, .minor = 0 });
    tar_add(tar, &(struct tar_item){ .name = "d/pipe", .type = '6' });
    tar_file(tar, "d/after", "x");
    tar_end(tar);
    lab_open(&lab);
    lab_must_load(&lab, layers, 1);
    ck_assert_uint_eq(lab.report.n_devices, 2);
    autoclose int view = lab_view(&lab);
    ck_assert(!lab_has(view, "d/null"));
    ck_assert(!lab_has(view, "d/sda"));
    ck_assert(S_ISFIFO(lab_stat(view, "d/pipe").st_mode));
    ck_assert_str_eq(lab_read(&lab, view, "d/after"), "x");
    lab_close(&lab);
}
END_TEST

START_TEST(smuggled_overlay_metadata_is_refused)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    tar_add(&tar, &(struct tar_item){ .name = "w", .type = '3' });
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "whiteout");
    static const char *const names[] = { "trusted.overlay.opaque", "user.overlay.opaque", "trusted.overlay.redirect",
        "user.overlay.metacopy" };
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char key[64];
        (void)snprintf(key, sizeof(key), "SCHILY.xattr.%s", names[i]);
        tar_pax(&tar, 'x', key, "y", 1);
        tar_dir(&tar, "d", 0755);
        tar_end(&tar);
        lab_must_refuse(&lab, &tar, "overlayfs would obey");
        tar_pax(&tar, 'x', key, "y", 1);
        tar_link(&tar, "s", '2', "x");
        tar_end(&tar);
        lab_must_refuse(&lab, &tar, "overlayfs would obey");
    }
    lab_close(&lab);
}
END_TEST

START_TEST(only_user_attributes_and_capabilities_are_kept)
{
    struct lab_layer layers[1] = { 0 };
    struct buf *tar = &layers[0].plain;
    struct buf pax = BUF_INIT;
    pax_record(&pax, "SCHILY.xattr.user.note", "a\0b", 3);
    pax_record(&pax, "SCHILY.xattr.security.selinux", "x", 1);
    pax_record(&pax, "SCHILY.xattr.trusted.x", "x", 1);
    pax_record(&pax, "SCHILY.xattr.system.posix_acl_access", "x", 1);
    tar_extension(tar, 'x', pax.data, pax.len);
    buf_done(&pax);
    tar_file(tar, "f", "x");
    tar_end(tar);
    lab_open(&lab);
    lab_must_load(&lab, layers, 1);
    ck_assert_uint_eq(lab.report.n_xattrs, 3);
    autoclose int view = lab_view(&lab);
    autoclose int fd = openat(view, "f", O_RDONLY | O_CLOEXEC);
    char value[16];
    ck_assert_int_eq((int)fgetxattr(fd, "user.note", value, sizeof(value)), 3);
    ck_assert_int_eq(memcmp(value, "a\0b", 3), 0);
    ck_assert_int_eq((int)fgetxattr(fd, "trusted.x", value, sizeof(value)), -1);
    lab_close(&lab);
}
END_TEST

START_TEST(storage_217_capabilities_and_set_id_stay)
{
    struct lab_layer layers[1] = { 0 };
    struct buf *tar = &layers[0].plain;
    tar_pax(tar, 'x', "SCHILY.xattr.security.capability", cap_net_raw_ep, sizeof(cap_net_raw_ep));
    tar_add(tar, &(struct tar_item){ .name = "bin/p", .mode = 04755, .data = "x", .len = 1 });
    tar_add(tar, &(struct tar_item){ .name = "bin/q", .mode = 02755, .gid = 50, .data = "x", .len = 1 });
    tar_end(tar);
    lab_open(&lab);
    lab_must_load(&lab, layers, 1);
    autoclose int view = lab_view(&lab);
    ck_assert_uint_eq(lab_stat(view, "bin/p").st_mode & 07777, 04755);
    ck_assert_uint_eq(lab_stat(view, "bin/q").st_mode & 07777, 02755);
    ck_assert_uint_eq(lab_stat(view, "bin/q").st_gid, 50);
    autoclose int fd = openat(view, "bin/p", O_RDONLY | O_CLOEXEC);
    unsigned char value[32];
    ssize_t n = fgetxattr(fd, "security.capability", value, sizeof(value));
    ck_assert_int_ge((int)n, 20); /* version 3 has the root id, 0, behind */
    ck_assert_int_eq(value[0] & 1, 1);
    ck_assert_int_eq(memcmp(value + 4, cap_net_raw_ep + 4, 16), 0);
    lab_close(&lab);
}
END_TEST

START_TEST(ids_outside_the_range_become_nobody)
{
    struct lab_layer layers[1] = { 0 };
    struct buf *tar = &layers[0].plain;
    tar_add(tar, &(struct tar_item){ .name = "a", .uid = 65536, .gid = 2000000 });
    tar_pax(tar, 'x', "uid", "4294967295", 10);
    tar_file(tar, "b", "");
    tar_pax(tar, 'x', "uid", "-1", 2);
    tar_file(tar, "c", "");
    tar_end(tar);
    lab_open(&lab);
    lab_must_load(&lab, layers, 1);
    ck_assert_uint_eq(lab.report.n_ids, 4);
    autoclose int view = lab_view(&lab);
    ck_assert_uint_eq(lab_stat(view, "a").st_uid, 65534);
    ck_assert_uint_eq(lab_stat(view, "a").st_gid, 65534);
    ck_assert_uint_eq(lab_stat(view, "b").st_uid, 65534);
    ck_assert_uint_eq(lab_stat(view, "c").st_uid, 65534);
    lab_close(&lab);
}
END_TEST

/* --- hostile names and links --- */

START_TEST(names_that_leave_the_root_are_refused)
{
    static const char *const names[] = { "..", "../x", "./../x", "a/../../x", "/x", "//x", "a/../x" };
    lab_open(&lab);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct buf tar = BUF_INIT;
        tar_file(&tar, names[i], "dead");
        tar_end(&tar);
        lab_must_refuse(&lab, &tar, names[i][0] == '/' ? "absolute" : "\"..\" in the name");
    }
    char canary[128];
    (void)snprintf(canary, sizeof(canary), "%s/canary", lab.path);
    struct buf tar = BUF_INIT;
    tar_file(&tar, canary, "dead");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "absolute");
    lab_close(&lab);
}
END_TEST

/* umoci CVE-2021-29136 */
START_TEST(root_that_is_no_directory_is_refused)
{
    static const char *const names[] = { ".", "./", "/" };
    lab_open(&lab);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct buf tar = BUF_INIT;
        tar_link(&tar, names[i], '2', lab.path);
        tar_file(&tar, "canary", "dead");
        tar_end(&tar);
        lab_must_refuse(&lab, &tar, "the root is no directory");
    }
    lab_close(&lab);
}
END_TEST

START_TEST(hostile_hard_links_are_refused)
{
    lab_open(&lab);
    char canary[128];
    (void)snprintf(canary, sizeof(canary), "%s/canary", lab.path);
    const struct {
        const char *target;
        const char *text;
    } cases[] = {
        { canary, "absolute" },
        { "../../../canary", "\"..\"" },
        { "out/canary", "No such file" },
        { "link", "not a regular file" },
        { "dir", "not a regular file" },
        { "fifo", "not a regular file" },
        { "missing", "No such file" },
        { ".", "not a file" },
        { ".wh.x", "not a file" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct buf tar = BUF_INIT;
        tar_link(&tar, "out", '2', lab.path);
        tar_link(&tar, "link", '2', canary);
        tar_dir(&tar, "dir", 0755);
        tar_add(&tar, &(struct tar_item){ .name = "fifo", .type = '6' });
        tar_link(&tar, "h", '1', cases[i].target);
        tar_add(&tar, &(struct tar_item){ .name = "h", .data = "dead", .len = 4 });
        tar_end(&tar);
        lab_must_refuse(&lab, &tar, cases[i].text);
    }
    lab_close(&lab);
}
END_TEST

START_TEST(links_with_data_are_refused)
{
    lab_open(&lab);
    for (const char *type = "12"; *type != '\0'; type++) {
        struct buf tar = BUF_INIT;
        tar_file(&tar, "f", "x");
        tar_add(&tar, &(struct tar_item){ .name = "l", .type = *type, .link = "f", .data = "dead", .len = 4 });
        tar_end(&tar);
        lab_must_refuse(&lab, &tar, "a body where only files");
    }
    lab_close(&lab);
}
END_TEST

START_TEST(long_and_deep_names_are_refused)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    char text[5000] = { 0 };
    memset(text, 'a', 256);
    tar_pax(&tar, 'x', "path", text, 256);
    tar_file(&tar, "f", "");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "longer than 255");
    for (size_t i = 0; i < 4998; i += 2)
        memcpy(text + i, "a/", 2);
    tar_pax(&tar, 'x', "path", text, 4200);
    tar_file(&tar, "f", "");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "longer than 4096");
    tar_pax(&tar, 'x', "path", text, 1000);
    tar_file(&tar, "f", "");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "directories deep");
    lab_close(&lab);
}
END_TEST

/* Each link starts a new name of the allowed depth at the end of the last one. */
START_TEST(depth_through_links_is_limited_too)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    char text[600] = { 0 };
    for (size_t i = 0; i < 400; i += 2)
        memcpy(text + i, "a/", 2);
    tar_pax(&tar, 'x', "path", text, 200);
    tar_dir(&tar, "d", 0755);
    tar_pax(&tar, 'x', "path", text, 400);
    tar_dir(&tar, "d", 0755);
    tar_pax(&tar, 'x', "linkpath", text, 400);
    tar_link(&tar, "l", '2', "x");
    memmove(text + 2, text, 400);
    memcpy(text, "l/", 2);
    tar_pax(&tar, 'x', "path", text, 150);
    tar_dir(&tar, "d", 0755);
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "directories deep");
    lab_close(&lab);
}
END_TEST

/* --- what is between the lines of the format --- */

START_TEST(ambiguous_tars_are_refused)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    tar_pax(&tar, 'x', "path", "etc/passwd\0.txt", 15);
    tar_file(&tar, "f", "");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "NUL");
    tar_pax(&tar, 'x', "linkpath", "a\0b", 3);
    tar_link(&tar, "l", '2', "x");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "NUL");
    tar_pax(&tar, 'x', "size", "1024", 4);
    tar_file(&tar, "f", "");
    tar_file(&tar, "g", "");
    tar_file(&tar, "h", "");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "PAX size");
    tar_pax(&tar, 'g', "path", "x", 1);
    tar_file(&tar, "f", "");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "global PAX");
    tar_extension(&tar, 'L', "long", 5);
    tar_pax(&tar, 'x', "path", "other", 5);
    tar_file(&tar, "f", "");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "two names");
    tar_add(&tar, &(struct tar_item){ .name = "vol", .type = 'V' });
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "unknown type");
    lab_close(&lab);
}
END_TEST

START_TEST(names_are_kept_byte_for_byte)
{
    static const char composed[] = "\xc3\xa9";    /* é */
    static const char decomposed[] = "e\xcc\x81"; /* the same to look at */
    struct lab_layer layers[1] = { 0 };
    struct buf *tar = &layers[0].plain;
    tar_file(tar, composed, "raw");
    tar_pax(tar, 'x', "path", decomposed, strlen(decomposed));
    tar_file(tar, "f", "pax");
    tar_file(tar, "latin\xe9", "raw latin");
    tar_file(tar, "new\nline\x1b[0m", "control");
    tar_end(tar);
    lab_open(&lab);
    lab_must_load(&lab, layers, 1);
    autoclose int view = lab_view(&lab);
    ck_assert_str_eq(lab_read(&lab, view, composed), "raw");
    ck_assert_str_eq(lab_read(&lab, view, decomposed), "pax");
    ck_assert_str_eq(lab_read(&lab, view, "latin\xe9"), "raw latin");
    ck_assert_str_eq(lab_read(&lab, view, "new\nline\x1b[0m"), "control");
    lab_close(&lab);
}
END_TEST

START_TEST(pax_path_that_is_not_utf8_is_refused_not_changed)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    tar_pax(&tar, 'x', "path", "a\xff\xfe", 3);
    tar_file(&tar, "f", "");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "");
    lab_close(&lab);
}
END_TEST

START_TEST(message_about_a_hostile_name_is_harmless)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    tar_file(&tar, "\x1b]0;title\x07\n/..", "");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "\"..\"");
    for (const char *c = lab.err.text; *c != '\0'; c++)
        ck_assert(*c >= ' ' && *c <= '~');
    lab_close(&lab);
}
END_TEST

/* --- damage and bombs --- */

START_TEST(other_formats_are_refused)
{
    static const struct {
        const char *bytes;
        size_t len;
    } magics[] = {
        { "Rar!\x1a\x07\x01\x00", 8 },
        { "PK\x03\x04", 4 },
        { "7z\xbc\xaf\x27\x1c", 6 },
        { "\xfd"
          "7zXZ",
            5 },
        { "BZh9", 4 },
        { "070701", 6 },
        { "!<arch>\n", 8 },
        { "#!/bin/sh\n", 10 },
    };
    lab_open(&lab);
    for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
        struct buf tar = BUF_INIT;
        buf_add(&tar, magics[i].bytes, magics[i].len);
        while (tar.len < 40000)
            buf_putc(&tar, (char)(tar.len * 7));
        lab_must_refuse(&lab, &tar, "tar");
    }
    lab_close(&lab);
}
END_TEST

START_TEST(truncated_and_damaged_layers_are_refused_or_harmless)
{
    lab_open(&lab);
    struct buf whole = BUF_INIT;
    tar_file(&whole, "a/b", "some text in the file");
    tar_pax(&whole, 'x', "path", "long/name", 9);
    tar_link(&whole, "l", '2', "a/b");
    tar_link(&whole, "h", '1', "a/b");
    tar_end(&whole);
    for (size_t len = 100; len < 2 * TAR_WRITER_BLOCK; len += 150) {
        struct buf tar = BUF_INIT;
        buf_add(&tar, whole.data, len);
        if (len % TAR_WRITER_BLOCK != 0)
            lab_must_refuse(&lab, &tar, "");
        buf_done(&tar);
    }
    unsigned seed = 1;
    for (unsigned i = 0; i < 25; i++) {
        struct lab_layer layers[1] = { 0 };
        buf_add(&layers[0].plain, whole.data, whole.len);
        for (unsigned k = 0; k < 3; k++) {
            seed = seed * 1103515245 + 12345;
            layers[0].plain.data[seed / 65536 % whole.len] ^= (char)(1 + seed % 255);
        }
        (void)lab_load_layers(&lab, layers, 1); /* either way */
        lab_check_clean(&lab);
    }
    buf_done(&whole);
    lab_close(&lab);
}
END_TEST

START_TEST(sizes_beyond_reason_are_refused)
{
    lab_open(&lab);
    struct buf tar = BUF_INIT;
    tar_add(&tar, &(struct tar_item){ .name = "f", .size_field = "77777777777" });
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "ends within");
    tar_pax(&tar, 'x', "size", "1125899906842624", 16);
    tar_add(&tar, &(struct tar_item){ .name = "f" });
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "too large");
    struct buf pax = BUF_INIT;
    pax_record(&pax, "GNU.sparse.numblocks", "1", 1);
    pax_record(&pax, "GNU.sparse.name", "sparse", 6);
    pax_record(&pax, "GNU.sparse.size", "9223372036854775807", 19);
    pax_record(&pax, "GNU.sparse.map", "0,0", 3);
    tar_extension(&tar, 'x', pax.data, pax.len);
    buf_done(&pax);
    tar_file(&tar, "f", "");
    tar_end(&tar);
    lab_must_refuse(&lab, &tar, "too large");
    lab_close(&lab);
}
END_TEST

START_TEST(gzip_bomb_is_refused)
{
    struct lab_layer layers[1] = { 0 };
    struct buf zeros = { .max = 64U << 20 };
    for (unsigned i = 0; i < 256; i++) {
        static const char zero[65536];
        buf_add(&zeros, zero, sizeof(zero));
    }
    struct buf once = BUF_INIT;
    if (!lab_filter("/usr/bin/gzip", "-9", &zeros, &once)) {
        buf_done(&zeros);
        return;
    }
    buf_done(&zeros);
    lab_open(&lab);
    tar_add(&layers[0].plain, &(struct tar_item){ .name = "zeros", .size_field = "7777777777" });
    struct buf head = BUF_INIT;
    ck_assert(lab_filter("/usr/bin/gzip", "-9", &layers[0].plain, &head));
    buf_add(&layers[0].stored, head.data, head.len);
    for (unsigned i = 0; i < 64; i++) /* members back to back: 1 GiB of zeros from 1 MiB */
        buf_add(&layers[0].stored, once.data, once.len);
    buf_done(&head);
    buf_done(&once);
    ck_assert_int_lt(lab_load_layers(&lab, layers, 1), 0);
    ck_assert_msg(strstr(lab.err.text, "times its size") != NULL, "%s", lab.err.text);
    lab_close(&lab);
}
END_TEST

/* --- compression (case rir-405) --- */

START_TEST(rir_405_compression_is_told_by_magic)
{
    static const char *const types[][3] = {
        { "application/vnd.oci.image.layer.v1.tar+gzip", "application/vnd.oci.image.layer.v1.tar+zstd",
            "application/vnd.oci.image.layer.v1.tar" },
        { "application/vnd.oci.image.layer.v1.tar+gzip", "application/vnd.oci.image.layer.v1.tar+gzip",
            "application/vnd.oci.image.layer.v1.tar+gzip" },
        { "application/vnd.docker.image.rootfs.diff.tar.gzip", "application/vnd.docker.image.rootfs.diff.tar.zstd",
            "application/vnd.docker.image.rootfs.diff.tar" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        struct lab_layer layers[3] = { 0 };
        static const char *const names[] = { "gzip", "zstd", "plain" };
        for (size_t k = 0; k < 3; k++) {
            tar_file(&layers[k].plain, names[k], names[k]);
            tar_end(&layers[k].plain);
            layers[k].media_type = types[i][k];
        }
        struct buf half[2] = { BUF_INIT, BUF_INIT }; /* two members back to back */
        buf_add(&half[0], layers[0].plain.data, 700);
        buf_add(&half[1], layers[0].plain.data + 700, layers[0].plain.len - 700);
        bool can = lab_filter("/usr/bin/gzip", "-c", &half[0], &layers[0].stored) &&
                   lab_filter("/usr/bin/gzip", "-c", &half[1], &layers[0].stored) &&
                   lab_filter("/usr/bin/zstd", "-c", &layers[1].plain, &layers[1].stored);
        buf_done(&half[0]);
        buf_done(&half[1]);
        if (can) {
            lab_open(&lab);
            (void)close(lab_layout(&lab, "layout", "t", layers, 3));
            ck_assert_msg(lab_load(&lab, "oci", "layout:t") == 0, "%s", lab.err.text);
            autoclose int view = lab_view(&lab);
            for (size_t k = 0; k < 3; k++)
                ck_assert_str_eq(lab_read(&lab, view, names[k]), names[k]);
            lab_close(&lab);
        }
        for (size_t k = 0; k < 3; k++) {
            buf_done(&layers[k].plain);
            buf_done(&layers[k].stored);
        }
    }
}
END_TEST

static void flip_and_refuse(bool is_compressed)
{
    struct lab_layer layers[1] = { 0 };
    tar_file(&layers[0].plain, "f", "text");
    tar_end(&layers[0].plain);
    if (is_compressed && !lab_filter("/usr/bin/gzip", "-c", &layers[0].plain, &layers[0].stored))
        return;
    lab_open(&lab);
    char digest[DIGEST_TEXT_SIZE];
    lab_digest(lab_stored(&layers[0]), digest);
    autoclose int blobs = lab_layout(&lab, "layout", "t", layers, 1);
    struct buf *stored = is_compressed ? &layers[0].stored : &layers[0].plain;
    stored->data[is_compressed ? 5 : 513] ^= 1; /* the member's time; the file's text: no reader would mind */
    lab_write(blobs, digest + 7, stored->data, stored->len);
    ck_assert_int_lt(lab_load(&lab, "oci", "layout"), 0);
    ck_assert_msg(strstr(lab.err.text, digest) != NULL, "%s", lab.err.text);
    ck_assert_ptr_nonnull(strstr(lab.err.text, "digest"));
    ck_assert_uint_eq(lab_count_children(lab.store.dir, "layers"), 0);
    buf_done(&layers[0].plain);
    buf_done(&layers[0].stored);
    lab_close(&lab);
}

START_TEST(rir_405_flipped_byte_is_refused_with_the_digest)
{
    flip_and_refuse(false);
    flip_and_refuse(true);
}
END_TEST

START_TEST(plain_digest_that_is_not_the_configurations_is_refused)
{
    struct lab_layer told[1] = { 0 };
    tar_file(&told[0].plain, "f", "told");
    tar_end(&told[0].plain);
    tar_file(&told[0].stored, "f", "real");
    tar_end(&told[0].stored);
    lab_open(&lab);
    char digest[DIGEST_TEXT_SIZE];
    lab_digest(&told[0].plain, digest);
    ck_assert_int_lt(lab_load_layers(&lab, told, 1), 0);
    ck_assert_msg(strstr(lab.err.text, "digest of the plain layer") != NULL, "%s", lab.err.text);
    ck_assert_ptr_nonnull(strstr(lab.err.text, digest));
    lab_close(&lab);
}
END_TEST

START_TEST(truncated_gzip_ends_with_an_error)
{
    struct lab_layer layers[1] = { 0 };
    for (unsigned i = 0; i < 200; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "file%u", i * 7919);
        tar_file(&layers[0].plain, name, name);
    }
    tar_end(&layers[0].plain);
    if (!lab_filter("/usr/bin/gzip", "-c", &layers[0].plain, &layers[0].stored))
        return;
    lab_open(&lab);
    layers[0].stored.len /= 2;
    ck_assert_int_lt(lab_load_layers(&lab, layers, 1), 0);
    ck_assert_msg(strstr(lab.err.text, "truncated") != NULL, "%s", lab.err.text);
    lab_close(&lab);
}
END_TEST

START_TEST(compression_within_compression_is_refused)
{
    struct lab_layer layers[1] = { 0 };
    struct buf once = BUF_INIT;
    tar_file(&layers[0].plain, "f", "x");
    tar_end(&layers[0].plain);
    if (!lab_filter("/usr/bin/gzip", "-c", &layers[0].plain, &once))
        return;
    ck_assert(lab_filter("/usr/bin/gzip", "-c", &once, &layers[0].stored));
    buf_done(&once);
    lab_open(&lab);
    ck_assert_int_lt(lab_load_layers(&lab, layers, 1), 0);
    lab_close(&lab);
}
END_TEST

/* --- sparse files (case libarchive-2125) --- */

enum { SPARSE_BYTES = 64 << 20, SPARSE_BLOCK = 4096 };

static void sparse_make(int dir, const char *name)
{
    static const off_t offsets[] = { 0, 20 << 20, SPARSE_BYTES - SPARSE_BLOCK };
    autoclose int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    ck_assert_int_ge(fd, 0);
    char block[SPARSE_BLOCK];
    for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
        memset(block, 'a' + (int)i, sizeof(block));
        ck_assert_int_eq((int)pwrite(fd, block, sizeof(block), offsets[i]), SPARSE_BLOCK);
    }
}

static void sparse_digest(int dir, const char *name, char ret[DIGEST_TEXT_SIZE])
{
    autoclose int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    struct digest_state *state = digest_new();
    static char chunk[1 << 20];
    uint8_t bytes[DIGEST_BYTES];
    for (ssize_t n; (n = read(fd, chunk, sizeof(chunk))) > 0;)
        digest_add(state, chunk, (size_t)n);
    digest_final(state, bytes);
    digest_free(state);
    digest_text(bytes, ret);
}

static bool tar_run(struct lab *l, const char *format, char *name)
{
    char directory[128], format_option[64], program[] = "/bin/tar", sparse[] = "--sparse", create[] = "-cf",
                                            file[] = "l.tar", change[] = "-C";
    (void)snprintf(directory, sizeof(directory), "%s", l->path);
    (void)snprintf(format_option, sizeof(format_option), "--format=%s", format);
    char *const argv[] = { program, sparse, format_option, change, directory, create, file, name, NULL };
    char *const envp[] = { NULL };
    char output[512];
    int status = 0;
    struct process_run run = PROCESS_RUN_INIT;
    run.path = program;
    run.argv = argv;
    run.envp = envp;
    run.dirfd = l->dir;
    run.output = output;
    run.output_size = sizeof(output);
    if (process_run(&run, &status) < 0)
        return false;
    ck_assert_msg(status == 0, "%s", output);
    return true;
}

START_TEST(libarchive_2125_sparse_files_are_whole)
{
    static const char *const formats[] = { "gnu", "pax" };
    char name[256];
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        memset(name, 'n', 180);
        memcpy(name + 170, "\xc3\xbc\xe2\x82\xac", 6);
        name[90] = '_';
        lab_open(&lab);
        sparse_make(lab.dir, name);
        char wanted[DIGEST_TEXT_SIZE], got[DIGEST_TEXT_SIZE];
        sparse_digest(lab.dir, name, wanted);
        if (tar_run(&lab, formats[i], name)) {
            struct lab_layer layers[1] = { 0 };
            autofree char *bytes = NULL;
            size_t len = 0;
            ck_assert_int_eq(file_read(lab.dir, "l.tar", 1U << 20, &bytes, &len), 0);
            ck_assert_uint_lt(len, 1U << 18); /* it is sparse */
            buf_add(&layers[0].plain, bytes, len);
            lab_must_load(&lab, layers, 1);
            autoclose int view = lab_view(&lab);
            ck_assert_int_eq(lab_stat(view, name).st_size, SPARSE_BYTES);
            sparse_digest(view, name, got);
            ck_assert_str_eq(got, wanted);
            ck_assert_int_lt(lab_stat(view, name).st_blocks, SPARSE_BYTES / 512 / 4);
        }
        lab_close(&lab);
    }
}
END_TEST

int main(void)
{
    if (lab_cannot_run("layer_unpack"))
        return LAB_SKIPPED;
    const TTest *const tests[] = { files_keep_content_mode_owner_and_time, layers_are_closed_to_other_users,
        merged_usr_link_of_older_layer_is_followed, link_to_the_host_leads_into_the_image,
        hard_links_work_within_and_across_layers, last_of_duplicate_entries_wins, whiteout_hides_older_layers_only,
        whiteout_through_link_stays_in_the_image, image_spec_1301_whiteout_of_nothing_removes_nothing,
        whiteout_that_is_no_empty_file_is_refused, stereoscope_694_opaque_over_link_replaces_the_link,
        image_503_repeated_layer_counts_each_time, umoci_171_devices_are_skipped_and_counted,
        smuggled_overlay_metadata_is_refused, only_user_attributes_and_capabilities_are_kept,
        storage_217_capabilities_and_set_id_stay, ids_outside_the_range_become_nobody,
        names_that_leave_the_root_are_refused, root_that_is_no_directory_is_refused, hostile_hard_links_are_refused,
        links_with_data_are_refused, long_and_deep_names_are_refused, depth_through_links_is_limited_too,
        ambiguous_tars_are_refused, names_are_kept_byte_for_byte, pax_path_that_is_not_utf8_is_refused_not_changed,
        message_about_a_hostile_name_is_harmless, other_formats_are_refused,
        truncated_and_damaged_layers_are_refused_or_harmless, sizes_beyond_reason_are_refused, gzip_bomb_is_refused,
        rir_405_compression_is_told_by_magic, rir_405_flipped_byte_is_refused_with_the_digest,
        plain_digest_that_is_not_the_configurations_is_refused, truncated_gzip_ends_with_an_error,
        compression_within_compression_is_refused, libarchive_2125_sparse_files_are_whole };
    return unit_run("layer_unpack", tests, sizeof(tests) / sizeof(tests[0]));
}
