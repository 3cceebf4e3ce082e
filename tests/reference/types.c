/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: float16 and bfloat16 by arithmetic, rounding and saturation of the integer types. */
#include "reference.h"

#include <math.h>
#include <string.h>

/* The value of a float16 is sign * fraction * 2^exponent, in units of 2^-25 a whole number of 11 bits and zeros. */
float reference_widen_f16(uint16_t bits)
{
    const float sign = bits & 0x8000 ? -1.0f : 1.0f;
    const int exponent = (bits >> 10) & 31;
    const int64_t fraction = bits & 1023;

    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * (float)(fraction * 2) * 0x1p-25f;
    return sign * (float)((1024 + fraction) << exponent) * 0x1p-25f;
}

float reference_widen_bf16(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float value;

    memcpy(&value, &wide, sizeof(value));
    return value;
}

/* Counts the value in units of the last place of its binade (2^-24 below the normal ones) and rounds that. */
uint16_t reference_narrow_f16(float value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const double magnitude = fabs((double)value);
    double units;
    uint32_t wide;
    int exponent = -14;

    if (isnan(value))
        return 0x7e00;
    if (magnitude >= 65520.0) /* the middle of the largest float16 and what would follow it */
        return sign | 0x7c00;
    memcpy(&wide, &value, sizeof(wide));
    if (magnitude >= 0x1p-14)
        exponent = (int)(wide >> 23 & 255) - 127;
    units = rint(magnitude * (double)(1 << (15 - exponent)) / 32); /* a unit is 2^(exponent - 10) */
    /* 2048 units are the next binade; a carry out of the fraction steps the exponent by itself. */
    if (units < 1024.0)
        return sign | (uint16_t)units;
    return sign | (uint16_t)((exponent + 15) * 1024 + ((int)units - 1024));
}

/* A bfloat16 is the upper half of a binary32: of the two around the value, the nearer, or the even one. */
uint16_t reference_narrow_bf16(float value)
{
    uint32_t wide;
    uint16_t down;
    uint32_t rest;

    if (isnan(value))
        return 0x7fc0;
    memcpy(&wide, &value, sizeof(wide));
    down = (uint16_t)(wide >> 16);
    rest = wide & 0xffff;
    if (rest > 0x8000 || (rest == 0x8000 && (down & 1)))
        return (uint16_t)(down + 1);
    return down;
}

int32_t reference_round(float value, enum reference_type type)
{
    const float rounded = rintf(value);
    float lowest = 0.0f;
    float highest = 0.0f;

    if (isnan(value))
        return 0;
    switch (type) {
    case REFERENCE_I8:
        lowest = -128.0f, highest = 127.0f;
        break;
    case REFERENCE_U8:
        lowest = 0.0f, highest = 255.0f;
        break;
    case REFERENCE_I4:
        lowest = -8.0f, highest = 7.0f;
        break;
    default: /* int32: its largest value is no binary32 */
        if (rounded >= 2147483648.0f)
            return INT32_MAX;
        if (rounded < -2147483648.0f)
            return INT32_MIN;
        return (int32_t)rounded;
    }
    if (rounded > highest)
        return (int32_t)highest;
    if (rounded < lowest)
        return (int32_t)lowest;
    return (int32_t)rounded;
}
