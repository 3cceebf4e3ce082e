/* SPDX-License-Identifier: Apache-2.0 */
#include "values.h"

#include <math.h>
#include <string.h>

uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float widen_f16(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    float size = exponent == 31  ? (fraction ? NAN : INFINITY)
                 : exponent == 0 ? ldexpf((float)fraction, -24)
                                 : ldexpf((float)(1024 + fraction), exponent - 25);
    return h & 0x8000 ? -size : size;
}

float element_of(enum peer_src src, const void *array, size_t i)
{
    if (src == PEER_F32)
        return ((const float *)array)[i];
    return src == PEER_F16 ? widen_f16(((const uint16_t *)array)[i])
                           : float_of((uint32_t)((const uint16_t *)array)[i] << 16);
}
