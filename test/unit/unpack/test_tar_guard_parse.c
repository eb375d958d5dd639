/* SPDX-License-Identifier: Apache-2.0 */
/* What the guard lets pass and what it refuses, whole and byte by byte. */
#include "err.h"
#include "tar_guard_parse.h"
#include "tar_writer.h"
#include "unit.h"
#include "unpack_order.h"

/* The verdict must not depend on how the bytes arrive. */
static int verdict(const struct buf *tar, size_t step, struct error *err)
{
    struct tar_guard guard = TAR_GUARD_INIT;
    int rc = 0;
    for (size_t at = 0; rc == 0 && at < tar->len; at += step) {
        size_t n = tar->len - at < step ? tar->len - at : step;
        rc = tar_guard_feed(&guard, tar->data + at, n, err);
    }
    if (rc == 0)
        rc = tar_guard_end(&guard, err);
    tar_guard_done(&guard);
    return rc;
}

static void expect(struct buf *tar, const char *text)
{
    static const size_t steps[] = { 1, 7, 511, 512, 513, 1 << 20 };
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct error err = ERR_INIT;
        int rc = verdict(tar, steps[i], &err);
        if (text == NULL) {
            ck_assert_msg(rc == 0, "step %zu: refused: %s", steps[i], err.text);
        } else {
            ck_assert_msg(rc < 0, "step %zu: passed, wanted: %s", steps[i], text);
            ck_assert_msg(
                strstr(err.text, text) != NULL, "\"%s\" is not in \"%s\"", text, err.text);
        }
    }
    buf_done(tar);
}

START_TEST(plain_entries_pass)
{
    struct buf tar = BUF_INIT;
    tar_dir(&tar, "d/", 0755);
    tar_file(&tar, "d/f", "text");
    tar_link(&tar, "d/s", '2', "f");
    tar_link(&tar, "d/h", '1', "d/f");
    tar_add(&tar, &(struct tar_item){ .name = "d/p", .type = '6' });
    tar_add(&tar, &(struct tar_item){ .name = "d/c", .type = '3', .major = 1, .minor = 3 });
    tar_end(&tar);
    buf_puts(&tar, "what is behind the end is nobody's business");
    expect(&tar, NULL);
}
END_TEST

START_TEST(missing_end_marker_passes_between_entries)
{
    struct buf tar = BUF_INIT;
    tar_file(&tar, "f", "text");
    expect(&tar, NULL);
}
END_TEST

START_TEST(empty_archive_passes_empty_stream_does_not)
{
    struct buf tar = BUF_INIT;
    tar_end(&tar);
    expect(&tar, NULL);
    struct buf nothing = BUF_INIT;
    expect(&nothing, "ends within");
}
END_TEST

START_TEST(truncated_entry_is_refused)
{
    for (size_t cut = 1; cut < 1024; cut += 101) {
        struct buf tar = BUF_INIT;
        tar_file(&tar, "f", "text");
        tar.len -= cut;
        expect(&tar, "ends within");
    }
}
END_TEST

START_TEST(bad_checksum_is_refused)
{
    struct buf tar = BUF_INIT;
    tar_add(&tar, &(struct tar_item){ .name = "f", .has_bad_checksum = true });
    expect(&tar, "checksum");
}
END_TEST

START_TEST(size_that_is_no_number_is_refused)
{
    static const char *const fields[] = { "0000000000x", "-1", "1 2",
        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" };
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        struct buf tar = BUF_INIT;
        tar_add(&tar, &(struct tar_item){ .name = "f", .size_field = fields[i] });
        expect(&tar, "size that is no number");
    }
}
END_TEST

START_TEST(petabyte_is_refused)
{
    struct buf tar = BUF_INIT;
    tar_add(&tar, &(struct tar_item){ .name = "f", .size_field = "\x80\0\0\0\0\4" });
    tar.data[124] = (char)0x80;
    tar.data[129] = 4; /* 4 << 48 */
    tar_sum(tar.data);
    expect(&tar, "too large");
}
END_TEST

START_TEST(pax_size_of_header_passes_other_is_refused)
{
    struct buf same = BUF_INIT;
    tar_pax(&same, 'x', "size", "4", 1);
    tar_file(&same, "f", "text");
    expect(&same, NULL);
    static const char *const sizes[] = { "0", "5", "512", "1024", "99999999999999999999", "0x4", "",
        "-4" };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct buf tar = BUF_INIT;
        tar_pax(&tar, 'x', "size", sizes[i], strlen(sizes[i]));
        tar_file(&tar, "f", "text");
        expect(&tar, "PAX size");
    }
}
END_TEST

/* CVE-2025-62518: the header says 0, PAX says more; two readers then see different entries. */
START_TEST(small_pax_size_over_zero_header_is_refused)
{
    struct buf tar = BUF_INIT;
    tar_pax(&tar, 'x', "size", "1024", 4);
    tar_file(&tar, "f", "");
    tar_file(&tar, "smuggled", "");
    tar_file(&tar, "g", "");
    expect(&tar, "PAX size");
}
END_TEST

START_TEST(nul_in_pax_value_is_refused)
{
    static const char *const keys[] = { "path", "linkpath", "uname", "mtime" };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct buf tar = BUF_INIT;
        tar_pax(&tar, 'x', keys[i], "a\0b", 3);
        tar_file(&tar, "f", "");
        expect(&tar, "NUL");
    }
    struct buf xattr = BUF_INIT;
    tar_pax(&xattr, 'x', "SCHILY.xattr.user.a", "a\0b", 3);
    tar_file(&xattr, "f", "");
    expect(&xattr, NULL);
}
END_TEST

START_TEST(global_pax_passes_as_comment_only)
{
    struct buf comment = BUF_INIT;
    tar_pax(&comment, 'g', "comment", "0123", 4);
    tar_file(&comment, "f", "");
    expect(&comment, NULL);
    struct buf path = BUF_INIT;
    tar_pax(&path, 'g', "path", "etc/passwd", 10);
    tar_file(&path, "f", "");
    expect(&path, "global");
}
END_TEST

START_TEST(malformed_pax_is_refused)
{
    static const char *const bodies[] = { "x", "99 path=a\n", "9 path=a\n!", "0 =\n",
        "11 path=abc!", "8 path\n..", "7 =abc\n", "999999999999 path=a\n", " 9 path=a\n" };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct buf tar = BUF_INIT;
        tar_extension(&tar, 'x', bodies[i], strlen(bodies[i]));
        tar_file(&tar, "f", "");
        expect(&tar, "PAX");
    }
}
END_TEST

START_TEST(huge_extension_is_refused)
{
    struct buf tar = BUF_INIT;
    char size[16];
    (void)snprintf(size, sizeof(size), "%011o", UNPACK_EXTENSION_MAX + 1);
    tar_add(&tar, &(struct tar_item){ .name = "x", .type = 'x', .size_field = size });
    expect(&tar, "too long");
}
END_TEST

START_TEST(two_names_for_one_entry_are_refused)
{
    struct buf long_then_pax = BUF_INIT;
    tar_extension(&long_then_pax, 'L', "one", 4);
    tar_pax(&long_then_pax, 'x', "path", "two", 3);
    tar_file(&long_then_pax, "f", "");
    expect(&long_then_pax, "two names");
    struct buf twice = BUF_INIT;
    tar_extension(&twice, 'L', "one", 4);
    tar_extension(&twice, 'L', "two", 4);
    tar_file(&twice, "f", "");
    expect(&twice, "two extensions");
    struct buf pax_twice = BUF_INIT;
    struct buf text = BUF_INIT;
    pax_record(&text, "path", "one", 3);
    pax_record(&text, "path", "two", 3);
    tar_extension(&pax_twice, 'x', text.data, text.len);
    tar_file(&pax_twice, "f", "");
    buf_done(&text);
    expect(&pax_twice, "two PAX names");
}
END_TEST

static void expect_entry(struct tar_guard *guard, const char *path, const char *link)
{
    struct tar_guard_entry *entry = tar_guard_take(guard);
    ck_assert_ptr_nonnull(entry);
    ck_assert_str_eq(entry->path, path);
    if (link == NULL)
        ck_assert_ptr_null(entry->link);
    else
        ck_assert_str_eq(entry->link, link);
    (void)tar_guard_entry_free(entry);
}

START_TEST(entries_are_called_byte_for_byte)
{
    struct buf tar = BUF_INIT;
    struct buf text = BUF_INIT;
    tar_file(&tar, "plain", "body");
    tar_link(&tar, "s", '2', "e\xcc\x81");
    tar_pax(&tar, 'x', "path", "e\xcc\x81", 3);
    tar_file(&tar, "f", "");
    tar_pax(&tar, 'x', "linkpath", "target", 6);
    tar_link(&tar, "h", '1', "other");
    tar_extension(&tar, 'L', "long", 5);
    tar_extension(&tar, 'K', "long target", 12);
    tar_link(&tar, "x", '2', "y");
    pax_record(&text, "path", "GNUSparseFile.0/real", 20);
    pax_record(&text, "GNU.sparse.name", "real", 4);
    tar_extension(&tar, 'x', text.data, text.len);
    tar_file(&tar, "f", "");
    tar_end(&tar);
    struct tar_guard guard = TAR_GUARD_INIT;
    struct error err = ERR_INIT;
    ck_assert_int_eq(tar_guard_feed(&guard, tar.data, tar.len, &err), 0);
    expect_entry(&guard, "plain", NULL);
    expect_entry(&guard, "s", "e\xcc\x81");
    expect_entry(&guard, "e\xcc\x81", NULL);
    expect_entry(&guard, "h", "target");
    expect_entry(&guard, "long", "long target");
    expect_entry(&guard, "real", NULL);
    ck_assert_ptr_null(tar_guard_take(&guard));
    tar_guard_done(&guard);
    buf_done(&tar);
    buf_done(&text);
}
END_TEST

START_TEST(prefix_is_part_of_a_ustar_name)
{
    struct buf tar = BUF_INIT;
    tar_file(&tar, "name", "");
    memcpy(tar.data + 345, "some/prefix", 11);
    tar_sum(tar.data);
    tar_file(&tar, "name", "");
    memcpy(tar.data + 512 + 345, "not one", 7); /* times, in a GNU header */
    memcpy(tar.data + 512 + 257, "ustar  ", 8);
    tar_sum(tar.data + 512);
    tar_end(&tar);
    struct tar_guard guard = TAR_GUARD_INIT;
    struct error err = ERR_INIT;
    ck_assert_int_eq(tar_guard_feed(&guard, tar.data, tar.len, &err), 0);
    expect_entry(&guard, "some/prefix/name", NULL);
    expect_entry(&guard, "name", NULL);
    tar_guard_done(&guard);
    buf_done(&tar);
}
END_TEST

START_TEST(nul_within_long_name_is_refused)
{
    struct buf tar = BUF_INIT;
    tar_extension(&tar, 'L', "one\0two", 7);
    tar_file(&tar, "f", "");
    expect(&tar, "NUL within");
}
END_TEST

START_TEST(body_of_link_is_refused)
{
    static const char types[] = "12346";
    for (const char *type = types; *type != '\0'; type++) {
        struct buf tar = BUF_INIT;
        tar_add(&tar, &(struct tar_item){
                          .name = "f", .type = *type, .link = "g", .data = "body", .len = 4 });
        expect(&tar, "a body where only files");
    }
}
END_TEST

START_TEST(unknown_types_are_refused)
{
    static const char types[] = "8VMADNX\x01";
    for (const char *type = types; *type != '\0'; type++) {
        struct buf tar = BUF_INIT;
        tar_add(&tar, &(struct tar_item){ .name = "f", .type = *type });
        expect(&tar, "unknown type");
    }
}
END_TEST

START_TEST(extension_without_entry_is_refused)
{
    struct buf tar = BUF_INIT;
    tar_pax(&tar, 'x', "path", "a", 1);
    struct buf cut = BUF_INIT;
    buf_add(&cut, tar.data, tar.len);
    tar_end(&tar);
    expect(&tar, "without its entry");
    expect(&cut, "ends within");
}
END_TEST

START_TEST(entry_behind_one_zero_block_is_refused)
{
    static const char zero[TAR_WRITER_BLOCK];
    struct buf tar = BUF_INIT;
    tar_file(&tar, "f", "");
    buf_add(&tar, zero, sizeof(zero));
    tar_file(&tar, "g", "");
    expect(&tar, "behind the end");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { plain_entries_pass, missing_end_marker_passes_between_entries,
        empty_archive_passes_empty_stream_does_not, truncated_entry_is_refused,
        bad_checksum_is_refused, size_that_is_no_number_is_refused, petabyte_is_refused,
        pax_size_of_header_passes_other_is_refused, small_pax_size_over_zero_header_is_refused,
        nul_in_pax_value_is_refused, global_pax_passes_as_comment_only, malformed_pax_is_refused,
        huge_extension_is_refused, two_names_for_one_entry_are_refused,
        entries_are_called_byte_for_byte, prefix_is_part_of_a_ustar_name,
        nul_within_long_name_is_refused, body_of_link_is_refused, unknown_types_are_refused,
        extension_without_entry_is_refused, entry_behind_one_zero_block_is_refused };
    return unit_run("tar_guard_parse", tests, sizeof(tests) / sizeof(tests[0]));
}
