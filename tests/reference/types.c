/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the types that tensors store, and how its rows round and read. */
#include "types.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The bits of a code, all set. */
static uint64_t mask_of(const struct reference_type_row *row)
{
    return UINT64_MAX >> (64 - row->bits);
}

static bool is_signed(const struct reference_type_row *row)
{
    return row->lowest < 0;
}

/* The ends are doubles, since the largest int32 is no binary32. (That of int64 is one too many, and there is
 * no binary32 between.) */
static uint64_t round_integer(const struct reference_type_row *row, float value)
{
    const double rounded = (double)rintf(value);

    if (isnan(value))
        return 0;
    if (rounded >= row->highest)
        return mask_of(row) >> is_signed(row);
    if (rounded < row->lowest)
        return (uint64_t)(int64_t)row->lowest & mask_of(row);
    return (uint64_t)(int64_t)rounded & mask_of(row);
}

/* Of a signed type the highest bit counts below zero. */
static int64_t integer_of(const struct reference_type_row *row, uint64_t code)
{
    const uint64_t sign = (uint64_t)is_signed(row) << (row->bits - 1);

    return (int64_t)((code ^ sign) - sign);
}

static float read_integer(const struct reference_type_row *row, uint64_t code)
{
    return (float)integer_of(row, code);
}

/* The bits of a float16, moved to where a binary32 has its own, are its value but for the exponents' bias:
 * 15 and 127. */
float reference_widen_f16(uint16_t bits)
{
    const uint32_t wide = (uint32_t)(bits & 0x7fff) << 13;
    const float sign = bits & 0x8000 ? -1.0f : 1.0f;
    float value;

    if ((bits & 0x7c00) == 0x7c00)
        return bits & 1023 ? NAN : sign * INFINITY;
    memcpy(&value, &wide, sizeof(value));
    return sign * value * 0x1p112f;
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

static uint64_t round_f32(const struct reference_type_row *row, float value)
{
    uint32_t bits;

    (void)row;
    if (isnan(value))
        return 0x7fc00000;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float read_f32(const struct reference_type_row *row, uint64_t code)
{
    const uint32_t bits = (uint32_t)code;
    float value;

    (void)row;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint64_t round_f16(const struct reference_type_row *row, float value)
{
    (void)row;
    return reference_narrow_f16(value);
}

static float read_f16(const struct reference_type_row *row, uint64_t code)
{
    (void)row;
    return reference_widen_f16((uint16_t)code);
}

static uint64_t round_bf16(const struct reference_type_row *row, float value)
{
    (void)row;
    return reference_narrow_bf16(value);
}

static float read_bf16(const struct reference_type_row *row, uint64_t code)
{
    (void)row;
    return reference_widen_bf16((uint16_t)code);
}

/* A float of few bits: the highest is its sign, the lowest its fraction, and between is an exponent with this
 * bias. NaN's code, where it has one; else NaN becomes 0. */
struct small {
    int bits, fraction_bits, bias, nan;
};
static const struct small e4m3 = {8, 3, 7, 0x7f}, e5m2 = {8, 2, 15, 0x7f}, e2m1 = {4, 1, 1, 0};

/* Counts the value in units of the last place of its binade, or of the lowest one, and rounds that. */
static uint64_t round_small(const struct reference_type_row *row, const struct small *type, float value)
{
    const uint64_t sign = (uint64_t)(signbit(value) != 0) << (type->bits - 1);
    const double magnitude = fmin(fabs((double)value), row->highest);
    const int ones = 1 << type->fraction_bits;
    int exponent, units;

    if (isnan(value))
        return (uint64_t)type->nan;
    frexp(magnitude, &exponent);
    exponent = exponent - 1 > 1 - type->bias ? exponent - 1 : 1 - type->bias;
    units = (int)rint(ldexp(magnitude, type->fraction_bits - exponent));
    if (units < ones)
        return sign | (uint64_t)units;
    return sign | (uint64_t)((exponent + type->bias) * ones + (units - ones));
}

static float read_small(const struct small *type, uint64_t code)
{
    const int ones = 1 << type->fraction_bits, sign_bit = 1 << (type->bits - 1);
    const int exponent = ((int)code & (sign_bit - 1)) / ones, fraction = (int)code % ones;
    const float sign = (int)code & sign_bit ? -1.0f : 1.0f;

    if (exponent == 0)
        return sign * ldexpf((float)fraction, 1 - type->bias - type->fraction_bits);
    return sign * ldexpf((float)(ones + fraction), exponent - type->bias - type->fraction_bits);
}

static uint64_t round_e4m3(const struct reference_type_row *row, float value)
{
    return round_small(row, &e4m3, value);
}

/* No infinity: the highest exponent is one as the others, but for its last code. */
static float read_e4m3(const struct reference_type_row *row, uint64_t code)
{
    (void)row;
    return (code & 0x7f) == 0x7f ? NAN : read_small(&e4m3, code);
}

static uint64_t round_e5m2(const struct reference_type_row *row, float value)
{
    return round_small(row, &e5m2, value);
}

static float read_e5m2(const struct reference_type_row *row, uint64_t code)
{
    (void)row;
    if ((code & 0x7c) == 0x7c)
        return code & 3 ? NAN : code & 0x80 ? -INFINITY : INFINITY;
    return read_small(&e5m2, code);
}

static uint64_t round_e2m1(const struct reference_type_row *row, float value)
{
    return round_small(row, &e2m1, value);
}

/* Neither infinite nor NaN. */
static float read_e2m1(const struct reference_type_row *row, uint64_t code)
{
    (void)row;
    return read_small(&e2m1, code);
}

/* The power of two that is next to a magnitude, of two the larger one. */
static uint64_t round_e8m0(const struct reference_type_row *row, float value)
{
    int exponent;
    float fraction;

    if (isnan(value))
        return 255;
    if (fabs((double)value) <= row->lowest)
        return 0;
    if (fabs((double)value) >= row->highest)
        return 254;
    fraction = frexpf(fabsf(value), &exponent);
    return (uint64_t)(exponent + (fraction >= 0.75f ? 127 : 126));
}

static float read_e8m0(const struct reference_type_row *row, uint64_t code)
{
    (void)row;
    return code == 255 ? NAN : ldexpf(1.0f, (int)code - 127);
}

/* DLPack's codes, which are written down here a second time: signed and unsigned integers, floats and
 * bfloats, and those of 8 bits; and the library's own of blocks. */
enum {
    INT = 0,
    UINT = 1,
    FLOAT = 2,
    BFLOAT = 4,
    E4M3FN = 10,
    E5M2 = 12,
    E8M0FNU = 14,
    E2M1FN = 17,
    BLOCKS = 0x80
};

#define BF16_MAX 0x1.fep127

/* Name, code, bits, integer; lowest, highest; steps of minmax and of absmax, zero point of absmax;
 * functions. */
const struct reference_type_row reference_types[REFERENCE_TYPES] = {
    [REFERENCE_F32] = {"float32", FLOAT, 32, false, -FLT_MAX, FLT_MAX, 0, 0, 0, round_f32, read_f32},
    [REFERENCE_F16] = {"float16", FLOAT, 16, false, -65504, 65504, 0, 0, 0, round_f16, read_f16},
    [REFERENCE_BF16] = {"bfloat16", BFLOAT, 16, false, -BF16_MAX, BF16_MAX, 0, 0, 0, round_bf16, read_bf16},
    [REFERENCE_I8] = {"int8", INT, 8, true, -128, 127, 255, 127, 0, round_integer, read_integer},
    [REFERENCE_U8] = {"uint8", UINT, 8, true, 0, 255, 255, 127, 128, round_integer, read_integer},
    [REFERENCE_I32] = {"int32", INT, 32, true, -0x1p31, 0x1p31 - 1, 0, 0, 0, round_integer, read_integer},
    [REFERENCE_I4] = {"int4", INT, 4, true, -8, 7, 15, 7, 0, round_integer, read_integer},
    [REFERENCE_U4] = {"uint4", UINT, 4, true, 0, 15, 15, 7, 8, round_integer, read_integer},
    [REFERENCE_E4M3] = {"float8_e4m3fn", E4M3FN, 8, false, -448, 448, 0, 448, 0, round_e4m3, read_e4m3},
    [REFERENCE_E5M2] = {"float8_e5m2", E5M2, 8, false, -57344, 57344, 0, 57344, 0, round_e5m2, read_e5m2},
    [REFERENCE_E2M1] = {"float4_e2m1fn", E2M1FN, 4, false, -6, 6, 0, 6, 0, round_e2m1, read_e2m1},
    [REFERENCE_E8M0] = {"float8_e8m0fnu", E8M0FNU, 8, false, 0x1p-127, 0x1p127, 0, 0, 0, round_e8m0,
                        read_e8m0},
    [REFERENCE_I64] = {"int64", INT, 64, true, -0x1p63, 0x1p63, 0, 0, 0, round_integer, read_integer},
    [REFERENCE_Q8_0] = {.name = "q8_0", .dlpack_code = BLOCKS, .bits = 8, .block_bytes = 34},
    [REFERENCE_Q4_0] = {.name = "q4_0", .dlpack_code = BLOCKS + 1, .bits = 8, .block_bytes = 18},
    [REFERENCE_Q4_1] = {.name = "q4_1", .dlpack_code = BLOCKS + 2, .bits = 8, .block_bytes = 20},
    [REFERENCE_Q5_0] = {.name = "q5_0", .dlpack_code = BLOCKS + 3, .bits = 8, .block_bytes = 22},
    [REFERENCE_Q5_1] = {.name = "q5_1", .dlpack_code = BLOCKS + 4, .bits = 8, .block_bytes = 24},
    [REFERENCE_IQ4_NL] = {.name = "iq4_nl", .dlpack_code = BLOCKS + 5, .bits = 8, .block_bytes = 18},
};

uint64_t reference_round(float value, enum reference_type type)
{
    return reference_types[type].round(&reference_types[type], value);
}

float reference_read(uint64_t code, enum reference_type type)
{
    return reference_types[type].read(&reference_types[type], code);
}

int64_t reference_read_int(uint64_t code, enum reference_type type)
{
    return integer_of(&reference_types[type], code);
}
