/* SPDX-License-Identifier: Apache-2.0 */
#include "rule.h"

#include <math.h>
#include <string.h>

/* Of a type: the exponent of its largest value, and the bits of its fraction. */
static int largest_exponent(enum reference_type type)
{
    return type == REFERENCE_E4M3 ? 8 : type == REFERENCE_E5M2 ? 15 : 2;
}

static int fraction_bits(enum reference_type type)
{
    return type == REFERENCE_E4M3 ? 3 : type == REFERENCE_E5M2 ? 2 : 1;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static float by_global(float value, const float *global)
{
    return global == NULL ? value : *global == 0.0f ? 0.0f : value / *global;
}

static uint64_t nvfp4_code(float magnitude, const float *global)
{
    const float b = by_global(magnitude / 6.0f, global);

    return reference_round(b < 0x1p-6f ? 0x1p-6f : b, REFERENCE_E4M3);
}

static uint64_t rceil_code(enum reference_type type, float magnitude)
{
    const float g = magnitude / (float)reference_types[type].highest;
    const int exponent = (int)(bits_of(g) >> 23);
    const uint32_t fraction = bits_of(g) & 0x7fffff;

    if (exponent == 0)
        return fraction > 1u << 22;
    return (uint64_t)clamp(exponent + (fraction != 0), 0, 254);
}

uint64_t reference_rule_code(struct reference_rule how, enum reference_type type,
                             struct reference_block_range range, const float *global)
{
    const int rule = how.rule;
    const float magnitude = fmaxf(range.magnitude, how.least);
    const uint32_t bits = bits_of(magnitude), rounded = (bits + (1u << (22 - fraction_bits(type)))) &
                                                        ~((1u << (23 - fraction_bits(type))) - 1);
    int exponent = (int)((rule == REFERENCE_MX_EVEN ? rounded : bits) >> 23) - 127;

    if (rule == REFERENCE_NVFP4)
        return nvfp4_code(magnitude, global);
    if (range.has_nan)
        return 255;
    if (rule == REFERENCE_MX_RCEIL)
        return rceil_code(type, magnitude);
    if (rule == REFERENCE_MX_CEIL && (bits & 0x7fffff) != 0)
        exponent++;
    return (uint64_t)(clamp(exponent - largest_exponent(type), -127, 128) + 127);
}

uint64_t reference_rule_value(int rule, enum reference_type type, uint64_t code, const float *global, float x)
{
    const float scale = code == 0 && rule != REFERENCE_MX_RCEIL ? 0x1p-126f : ldexpf(1.0f, (int)code - 127);
    float u;

    if (rule == REFERENCE_NVFP4) {
        u = reference_read(code, REFERENCE_E4M3);
        return reference_round(x * (by_global(1.0f, global) / u), type);
    }
    if (code == 255)
        return reference_round(isnan(x) ? x : copysignf(0.0f, x), type);
    if (rule == REFERENCE_MX_RCEIL)
        return reference_round(code == 0 ? x : x * ldexpf(1.0f, 127 - (int)code), type);
    return reference_round(x / scale, type);
}
