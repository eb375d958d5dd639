/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 against the vectors of FIPS 180-2, appendix B. */
#include <string.h>

#include "cleanup.h"
#include "digest.h"
#include "unit.h"

static void expect(const char *data, size_t len, const char *text)
{
    uint8_t bytes[DIGEST_BYTES];
    char got[DIGEST_TEXT_SIZE];

    digest_bytes(data, len, bytes);
    digest_text(bytes, got);
    ck_assert_str_eq(got, text);
}

START_TEST(known_texts_give_known_digests)
{
    expect("", 0, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", 3, "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
END_TEST

START_TEST(pieces_give_the_digest_of_the_whole)
{
    struct digest_state *state = digest_new();
    uint8_t bytes[DIGEST_BYTES];
    char hex[DIGEST_HEX_SIZE];
    char block[1000];

    memset(block, 'a', sizeof(block));
    for (int i = 0; i < 1000; i++)
        digest_add(state, block, sizeof(block));
    digest_add(state, "", 0);
    digest_final(state, bytes);
    state = digest_free(state);
    ck_assert_ptr_null(state);
    ck_assert_ptr_null(digest_free(NULL));
    digest_hex(bytes, hex);
    ck_assert_str_eq(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

START_TEST(only_whole_lower_case_sha256_is_valid)
{
    static const char *const bad[] = { "",
        "sha256:", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b8555",
        "sha256:E3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha256:../c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha512:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        " sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n" };

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_msg(!digest_text_is_valid(bad[i]), "%s", bad[i]);
    ck_assert(digest_text_is_valid(
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { known_texts_give_known_digests,
        pieces_give_the_digest_of_the_whole, only_whole_lower_case_sha256_is_valid };

    return unit_run("digest", tests, ARRAY_SIZE(tests));
}
