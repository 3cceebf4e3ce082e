/* SPDX-License-Identifier: Apache-2.0 */
#include "blocks.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { VALUES = 32 };

/* What the bytes hold: d, lo where there is one, the fifth bits where codes have five, and codes. */
static const struct layout {
    int bits, steps; /* steps: d is the largest magnitude, the first extreme, or the range by this */
    bool has_lo;
} layouts[REFERENCE_TYPES] = {
    [REFERENCE_Q8_0] = {8, 127, false}, [REFERENCE_Q4_0] = {4, -8, false},
    [REFERENCE_Q4_1] = {4, 15, true},   [REFERENCE_Q5_0] = {5, -16, false},
    [REFERENCE_Q5_1] = {5, 31, true},   [REFERENCE_IQ4_NL] = {4, -127, false},
};

static const int levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

static float inverse(float d)
{
    return fabsf(d) < FLT_MIN ? 0.0f : 1.0f / d;
}

/* Of several as large the first, and +0 where there are zeros alone. */
static float first_extreme(const float *x)
{
    float m = 0.0f;

    for (int i = 0; i < VALUES; i++)
        if (fabsf(x[i]) > fabsf(m))
            m = x[i];
    return m;
}

static float least(const float *x)
{
    float lo = x[0];

    for (int i = 1; i < VALUES; i++)
        if (x[i] < lo)
            lo = x[i];
    return lo;
}

static float largest(const float *x)
{
    float hi = x[0];

    for (int i = 1; i < VALUES; i++)
        if (x[i] > hi)
            hi = x[i];
    return hi;
}

/* Cut, at most `most`; 0 of what is no number. */
static int cut(float v, int most)
{
    return isnan(v) ? 0 : v >= (float)most ? most : (int)v;
}

static int nearest_level(float v)
{
    int k = 0;

    if (v <= (float)levels[0])
        return 0;
    if (!(v < (float)levels[15]))
        return 15;
    while (v >= (float)levels[k + 1])
        k++;
    return v - (float)levels[k] < (float)levels[k + 1] - v ? k : k + 1;
}

static float quantize_levels(const float *x, int *q)
{
    const float m = first_extreme(x), inv = fabsf(m) < 1e-15f ? 0.0f : inverse(m / -127.0f);
    float a = 0.0f, b = 0.0f;

    for (int i = 0; i < VALUES; i++) {
        const float w = x[i] * x[i];

        q[i] = nearest_level(x[i] * inv);
        a = a + (w * (float)levels[q[i]]) * x[i];
        b = b + (w * (float)levels[q[i]]) * (float)levels[q[i]];
    }
    return fabsf(m) < 1e-15f || !(b > 0.0f) ? 0.0f : a / b;
}

static float quantize_range(const struct layout *layout, const float *x, int *q)
{
    const float lo = least(x), hi = largest(x);
    const float d = isinf(lo) || isinf(hi) ? INFINITY : (hi - lo) / (float)layout->steps;

    for (int i = 0; i < VALUES; i++)
        q[i] = cut((x[i] - lo) * inverse(d) + 0.5f, layout->steps);
    return d;
}

static float quantize_first(const struct layout *layout, const float *x, int *q)
{
    const float d = first_extreme(x) / (float)layout->steps;

    for (int i = 0; i < VALUES; i++)
        q[i] = cut(x[i] * inverse(d) + (float)-layout->steps + 0.5f, -2 * layout->steps - 1);
    return d;
}

static float quantize_largest(const struct layout *layout, const float *x, int *q)
{
    const float d = fabsf(first_extreme(x)) / (float)layout->steps;

    for (int i = 0; i < VALUES; i++) {
        const float v = x[i] * inverse(d);

        q[i] = isnan(v) ? 0 : (int)roundf(v);
    }
    return d;
}

static void put16(unsigned char *bytes, uint16_t word)
{
    bytes[0] = (unsigned char)(word & 255);
    bytes[1] = (unsigned char)(word >> 8);
}

static uint16_t get16(const unsigned char *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

/* Where codes begin. */
static int codes_at(const struct layout *layout)
{
    return 2 + (layout->has_lo ? 2 : 0) + (layout->bits == 5 ? 4 : 0);
}

static void put_code(const struct layout *layout, unsigned char *block, int i, int q)
{
    unsigned char *const codes = block + codes_at(layout);

    if (layout->bits == 8) {
        codes[i] = (unsigned char)q;
        return;
    }
    codes[i % 16] = (unsigned char)(codes[i % 16] | (q & 15) << (i < 16 ? 0 : 4));
    if (layout->bits == 5)
        codes[i / 8 - 4] = (unsigned char)(codes[i / 8 - 4] | (q >> 4) << i % 8);
}

static int get_code(const struct layout *layout, const unsigned char *block, int i)
{
    const unsigned char *const codes = block + codes_at(layout);
    int q;

    if (layout->bits == 8)
        return (signed char)codes[i];
    q = i < 16 ? codes[i] & 15 : codes[i - 16] >> 4;
    return layout->bits == 5 ? q | (codes[i / 8 - 4] >> i % 8 & 1) << 4 : q;
}

void reference_block_quantize(enum reference_type type, const float *values, unsigned char *block)
{
    const struct layout *layout = &layouts[type];
    float x[VALUES], d;
    int q[VALUES];

    for (int i = 0; i < VALUES; i++)
        x[i] = isnan(values[i]) ? 0.0f : values[i];
    if (type == REFERENCE_IQ4_NL)
        d = quantize_levels(x, q);
    else if (layout->has_lo)
        d = quantize_range(layout, x, q);
    else if (layout->bits == 8)
        d = quantize_largest(layout, x, q);
    else
        d = quantize_first(layout, x, q);
    memset(block, 0, (size_t)reference_types[type].block_bytes);
    put16(block, reference_narrow_f16(d));
    if (layout->has_lo)
        put16(block + 2, reference_narrow_f16(least(x)));
    for (int i = 0; i < VALUES; i++)
        put_code(layout, block, i, q[i]);
}

float reference_block_value(enum reference_type type, const unsigned char *block, int n)
{
    const struct layout *layout = &layouts[type];
    const float d = reference_widen_f16(get16(block));
    const int q = get_code(layout, block, n);

    if (type == REFERENCE_IQ4_NL)
        return (float)levels[q] * d;
    if (layout->has_lo)
        return (float)q * d + reference_widen_f16(get16(block + 2));
    return (layout->bits == 8 ? (float)q : (float)(q + layout->steps)) * d;
}
