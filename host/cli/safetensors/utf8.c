/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes are UTF-8 (RFC 3629). */
#include "utf8.h"

size_t utf8_length(const char *at, const char *end)
{
    const unsigned char *c = (const unsigned char *)at;
    const size_t left = (size_t)(end - at);
    size_t length = 0;

    if (left == 0)
        return 0;
    if (c[0] < 0x80)
        return 1;
    if (c[0] >= 0xc2 && c[0] <= 0xdf)
        length = 2;
    else if (c[0] >= 0xe0 && c[0] <= 0xef)
        length = 3;
    else if (c[0] >= 0xf0 && c[0] <= 0xf4)
        length = 4;
    if (length == 0 || left < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90)) /* longer than needed */
        return 0;
    if ((c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f)) /* a surrogate, or too large */
        return 0;
    return length;
}
