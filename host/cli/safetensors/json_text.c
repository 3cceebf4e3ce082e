/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes -> UTF-8. cJSON ends a string at a NUL; here the length says where it ends. */
#include "json_text.h"

#include <stdint.h>
#include <string.h>

/* The four hexadecimal digits. */
static uint32_t unit_of(const char *digits)
{
    uint32_t unit = 0;

    for (int i = 0; i < 4; i++) {
        const char c = digits[i];

        unit = unit << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return unit;
}

static char *put_character(char *to, uint32_t c)
{
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const int bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    if (bytes == 1)
        *to++ = (char)c;
    else
        for (int i = bytes - 1; i >= 0; i--)
            *to++ = (char)(unsigned char)((i == bytes - 1 ? first[bytes] : 0x80) |
                                          ((c >> (6 * i)) & (i == bytes - 1 ? 0xff : 0x3f)));
    return to;
}

/* Puts what the escape behind a backslash spells; returns what follows the escape. */
static const char *put_escape(const char *at, char **to)
{
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    const char *letter = strchr(letters, *at);
    uint32_t c = 0;

    if (*at != 'u') {
        *(*to)++ = letter ? meanings[letter - letters] : *at;
        return at + 1;
    }
    c = unit_of(at + 1);
    at += 5;
    if (c >= 0xd800 && c < 0xdc00) { /* the second half follows as an escape of its own */
        c = 0x10000 + ((c - 0xd800) << 10) + (unit_of(at + 2) - 0xdc00);
        at += 6;
    }
    *to = put_character(*to, c);
    return at;
}

size_t json_text(const char *string, size_t string_bytes, char *to)
{
    const char *at = string + 1;
    const char *const end = string + string_bytes - 1;
    char *const begin = to;

    while (at < end)
        if (*at == '\\')
            at = put_escape(at + 1, &to);
        else
            *to++ = *at++;
    *to = '\0';
    return (size_t)(to - begin);
}
