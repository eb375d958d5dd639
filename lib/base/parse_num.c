/* SPDX-License-Identifier: Apache-2.0 */
/* Text to numbers, strictly. */
#include "parse_num.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "checked.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int parse_u64(const char *s, size_t len, uint64_t max, uint64_t *ret)
{
    uint64_t value = 0;
    bool is_over = false;

    if (len == 0 || (len > 1 && s[0] == '0'))
        return -EINVAL;
    for (size_t i = 0; i < len; i++) {
        if (!is_digit(s[i]))
            return -EINVAL;
        if (checked_mul(value, UINT64_C(10), &value) ||
            checked_add(value, (uint64_t)(s[i] - '0'), &value))
            is_over = true;
    }
    if (is_over || value > max)
        return -ERANGE;
    *ret = value;
    return 0;
}

int parse_i64(const char *s, size_t len, int64_t min, int64_t max, int64_t *ret)
{
    bool is_negative = len > 0 && s[0] == '-';
    uint64_t size = 0;
    int64_t value = 0;

    if (is_negative) {
        s++;
        len--;
    }
    int r = parse_u64(s, len, UINT64_MAX, &size);
    if (r < 0)
        return r;
    if (is_negative && size == 0)
        return -EINVAL;
    if (is_negative ? checked_sub(INT64_C(0), size, &value)
                    : checked_add(UINT64_C(0), size, &value))
        return -ERANGE;
    if (value < min || value > max)
        return -ERANGE;
    *ret = value;
    return 0;
}

int parse_u32(const char *s, uint32_t max, uint32_t *ret)
{
    uint64_t value = 0;
    int r = parse_u64(s, strlen(s), max, &value);

    if (r < 0)
        return r;
    *ret = (uint32_t)value;
    return 0;
}

int parse_mode(const char *s, uint32_t *ret)
{
    uint32_t mode = 0;
    size_t len = strlen(s);

    if (len == 0 || len > 5 || strspn(s, "01234567") != len)
        return -EINVAL;
    for (size_t i = 0; i < len; i++)
        mode = mode << 3 | (uint32_t)(s[i] - '0');
    if (mode > 07777)
        return -ERANGE;
    *ret = mode;
    return 0;
}

/* The power of two of a suffix, or -EINVAL. */
static int size_shift(const char *suffix)
{
    static const char letters[] = "kmgt";

    if (suffix[0] == '\0' || strcmp(suffix, "B") == 0 || strcmp(suffix, "b") == 0)
        return 0;
    const char *letter = strchr(letters, suffix[0] | 0x20); /* lower case */
    if (!letter || *letter == '\0')
        return -EINVAL;
    const char *rest = suffix + 1;
    if (rest[0] == 'i')
        rest++;
    if (rest[0] == 'B' || (rest[0] == 'b' && rest == suffix + 1))
        rest++;
    else if (rest != suffix + 1)
        return -EINVAL; /* "Ki" */
    if (rest[0] != '\0')
        return -EINVAL;
    return 10 * ((int)(letter - letters) + 1);
}

int parse_size(const char *s, uint64_t *ret_bytes)
{
    uint64_t value = 0;
    size_t n_digits = strspn(s, "0123456789");
    int shift = size_shift(s + n_digits);

    if (shift < 0)
        return shift;
    int r = parse_u64(s, n_digits, UINT64_MAX, &value);
    if (r < 0)
        return r;
    if (value > UINT64_MAX >> shift)
        return -ERANGE;
    *ret_bytes = value << shift;
    return 0;
}
