/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 decoding, strict, and safe forms of characters. */
#include "utf8.h"

#include <string.h>

static bool is_tail(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

size_t utf8_decode(const char *s, size_t len, uint32_t *ret)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 }; /* below: an overlong form */
    const unsigned char *u = (const unsigned char *)s;
    size_t n = 0;
    uint32_t c = 0;

    if (u[0] < 0x80) {
        *ret = u[0];
        return 1;
    }
    if (u[0] >= 0xc2 && u[0] <= 0xdf) {
        n = 2;
        c = u[0] & 0x1fU;
    } else if ((u[0] & 0xf0) == 0xe0) {
        n = 3;
        c = u[0] & 0x0fU;
    } else if (u[0] >= 0xf0 && u[0] <= 0xf4) {
        n = 4;
        c = u[0] & 0x07U;
    }
    if (n == 0 || n > len)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if (!is_tail(u[i]))
            return 0;
        c = c << 6 | (u[i] & 0x3fU);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *ret = c;
    return n;
}

bool utf8_is_hidden(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x061c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static size_t put_hex(char *ret, char kind, uint32_t value, unsigned n_digits)
{
    static const char digits[] = "0123456789abcdef";

    ret[0] = '\\';
    ret[1] = kind;
    for (unsigned i = 0; i < n_digits; i++)
        ret[2 + i] = digits[value >> (4 * (n_digits - 1 - i)) & 0xf];
    return 2 + n_digits;
}

size_t utf8_take_safe(const char **s, size_t *len, char ret[UTF8_SAFE_SIZE])
{
    const char *at = *s;
    uint32_t c = 0;
    size_t n = utf8_decode(at, *len, &c);
    size_t taken = n ? n : 1;

    *s += taken;
    *len -= taken;
    if (n == 0 || (n == 1 && utf8_is_hidden(c)))
        return put_hex(ret, 'x', (unsigned char)at[0], 2);
    if (utf8_is_hidden(c))
        return put_hex(ret, 'u', c, 4);
    memcpy(ret, at, n);
    return n;
}
