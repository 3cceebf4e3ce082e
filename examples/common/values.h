/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples need beside clquant: 16-bit floats, random numbers, a clock. */
#ifndef CLQ_EXAMPLES_VALUES_H
#define CLQ_EXAMPLES_VALUES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline float float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of_bfloat16(uint16_t bits)
{
    return float_of_bits((uint32_t)bits << 16);
}

/* Exponent and fraction moved into place are the value times 2^-112, subnormals included. */
static inline float float_of_float16(uint16_t bits)
{
    const uint32_t rest = (uint32_t)(bits & 0x7fff) << 13;
    const float size = rest >= 0x0f800000 ? float_of_bits(rest | 0x7f800000) : float_of_bits(rest) * 0x1p112f;

    return bits & 0x8000 ? -size : size;
}

/* To nearest, ties to even. */
static inline uint16_t float16_of_float(float value)
{
    const uint32_t bits = bits_of_float(value), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;

    if (size > 0x7f800000)
        return (uint16_t)(sign | 0x7e00); /* NaN */
    if (size >= 0x477ff000)
        return (uint16_t)(sign | 0x7c00); /* rounds to 65536 or more: infinity */
    if (size < 0x38800000)                /* subnormal: above 0.5 a float32 has the same unit, 2^-24 */
        return (uint16_t)(sign | (bits_of_float(float_of_bits(size) + 0.5f) - 0x3f000000));
    return (uint16_t)(sign | (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13);
}

/* splitmix64: any seed will do, and the same seed gives the same numbers on every machine. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Between 0 and 1, neither included. */
static inline double random_uniform(uint64_t *state)
{
    return ((double)(random_next(state) >> 11) + 0.5) * 0x1p-53;
}

/* By the method of Box and Muller. */
static inline double random_normal(uint64_t *state)
{
    const double radius = sqrt(-2.0 * log(random_uniform(state)));

    return radius * cos(6.283185307179586 * random_uniform(state));
}

static inline double now_s(void)
{
    struct timespec now;

    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The middle of the values, which are left sorted; count is at least 1. */
static inline double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

#endif
