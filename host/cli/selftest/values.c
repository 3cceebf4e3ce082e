/* SPDX-License-Identifier: Apache-2.0 */
/* What inputs are filled with. */
#include "selftest.h"

#include <string.h>

/* As binary32: zeros, ties, ends of the ranges and their neighbours, subnormals, infinities, NaN. */
static const uint32_t special[SPECIAL_VALUES] = {
    0x00000000, 0x80000000, 0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x3fc00000, 0x40200000,
    0xc0200000, 0x40f00000, 0xc1080000, 0x42fe0000, 0x42ff0000, 0xc3008000, 0x437f8000, 0x4b000001,
    0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x007fffff,
    0x00000001, 0x80000001, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x3eaaaaab, 0x33800000,
};

/* The same ideas where they are not the narrowed values above: subnormals, the largest, a signalling NaN. */
static const uint16_t special_f16[] = {0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x7c01};
static const uint16_t special_bf16[] = {0x0001, 0x8001, 0x007f, 0x0080, 0x7f7f, 0xff7f, 0x7f81};

#define COUNT(table) (sizeof(table) / sizeof *(table))

uint64_t random_bits(struct selftest *test)
{
    uint64_t z = test->random += 0x9e3779b97f4a7c15; /* splitmix64 */

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

int random_below(struct selftest *test, int limit)
{
    return (int)(random_bits(test) % (uint64_t)limit);
}

static float random_unit(struct selftest *test)
{
    return (float)(random_bits(test) >> 40) / (float)(1 << 24);
}

static void put_float(unsigned char *at, enum reference_type type, float value)
{
    reference_put_code(reference_round(value, type), type, at);
}

static void put_special(unsigned char *at, enum reference_type type, int64_t i)
{
    const size_t n = (size_t)i % SPECIAL_VALUES;
    float value = 0;

    memcpy(&value, &special[n], sizeof value);
    if (type == REFERENCE_F32)
        memcpy(at, &special[n], sizeof special[n]); /* as bits: a signalling NaN stays one */
    else if (type == REFERENCE_F16 && n < COUNT(special_f16))
        memcpy(at, &special_f16[n], sizeof special_f16[n]);
    else if (type == REFERENCE_BF16 && n < COUNT(special_bf16))
        memcpy(at, &special_bf16[n], sizeof special_bf16[n]);
    else
        put_float(at, type, value);
}

/* An integer type's zero points stay small, so that not every result is at the end of its range. */
static void put_integer(struct selftest *test, unsigned char *at, enum reference_type type)
{
    const int value = random_below(test, 41) - (reference_types[type].lowest < 0 ? 20 : 0);

    reference_put_code((uint64_t)value, type, at);
}

static void put_random(struct selftest *test, unsigned char *at, enum reference_type type, enum values values)
{
    const int kind = random_below(test, 16);
    const uint64_t bits = random_bits(test);

    if (kind == 0 && values != VALUES_ZERO_POINTS && values != VALUES_TAME)
        memcpy(at, &bits, (size_t)reference_unit_bytes(type, 1));
    else if (values == VALUES_SCALES)
        put_float(at, type, kind < 8 ? 1.0f / (float)(1 << kind) : 0.05f + 3.0f * random_unit(test));
    else if (kind < 5)
        put_float(at, type, (float)random_below(test, 600) - 299.5f);
    else
        put_float(at, type, (values == VALUES_ZERO_POINTS ? 40.0f : 600.0f) * (random_unit(test) - 0.5f));
}

void probe_fill(struct selftest *test, struct probe *probe, enum values values)
{
    const struct reference_tensor *tensor = &probe->host;
    const int64_t size = reference_unit_bytes(tensor->type, 1);
    int64_t index[REFERENCE_MAX_RANK] = {0};

    if (reference_count(tensor) == 0)
        return;
    do {
        unsigned char *at = tensor->data;

        for (int d = 0; d < tensor->rank; d++)
            at += index[d] * tensor->strides[d] * size;
        if (reference_types[tensor->type].integer)
            put_integer(test, at, tensor->type);
        else if (values == VALUES_SPECIAL)
            put_special(at, tensor->type, index[0]);
        else
            put_random(test, at, tensor->type, values);
    } while (reference_next(tensor, index));
}

void probe_put_index(struct probe *probe, int64_t row, int64_t column, int64_t value)
{
    const struct reference_tensor *tensor = &probe->host;
    const int64_t at = row * tensor->strides[0] + (tensor->rank > 1 ? column * tensor->strides[1] : 0);
    const int32_t narrow = (int32_t)value;

    if (tensor->type == REFERENCE_I64)
        memcpy((unsigned char *)tensor->data + at * (int64_t)sizeof value, &value, sizeof value);
    else
        memcpy((unsigned char *)tensor->data + at * (int64_t)sizeof narrow, &narrow, sizeof narrow);
}

int spread_type(enum reference_type y, bool multiply)
{
    static const int types[][2] = {[REFERENCE_I8] = {REFERENCE_F32, REFERENCE_BF16},
                                   [REFERENCE_U8] = {NO_TYPE, REFERENCE_F16},
                                   [REFERENCE_I32] = {REFERENCE_BF16, NO_TYPE},
                                   [REFERENCE_I4] = {REFERENCE_F16, REFERENCE_F32}};

    return types[y][multiply];
}
