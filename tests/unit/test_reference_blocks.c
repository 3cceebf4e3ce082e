/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks by hand: where their bytes are, roundings, and what the runtimes that have them leave open. */
#include "blocks.h"
#include "tests.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { VALUES = 32, AT = 5, NO_LEAST = 0x10000 };

static uint32_t word_of(const unsigned char *bytes)
{
    return (uint32_t)(bytes[0] | bytes[1] << 8);
}

static int codes_at(enum reference_type type)
{
    const bool has_least = type == REFERENCE_Q4_1 || type == REFERENCE_Q5_1,
               has_fifth = type == REFERENCE_Q5_0 || type == REFERENCE_Q5_1;

    return 2 + 2 * has_least + 4 * has_fifth;
}

static int code_at(enum reference_type type, const unsigned char *block, int i)
{
    const int at = codes_at(type);
    int code;

    if (type == REFERENCE_Q8_0)
        return (signed char)block[at + i];
    code = i < 16 ? block[at + i] & 15 : block[at + i - 16] >> 4;
    if (at - (type == REFERENCE_Q5_1 ? 4 : 2) == 4)
        code |= (block[at - 4 + i / 8] >> i % 8 & 1) << 4;
    return code;
}

/* A block whose values are `fill` but for the one at AT: its d, its least value, and the codes of both. */
static const struct known {
    enum reference_type type;
    float fill, other;
    uint32_t d, least;
    int code, other_code;
} known[] = {
    /* the way in which values lie */
    {REFERENCE_Q8_0, 1, 127, 0x3c00, NO_LEAST, 1, 127},
    {REFERENCE_Q8_0, 2.5f, -127, 0x3c00, NO_LEAST, 3, -127}, /* a half goes away from 0 */
    {REFERENCE_Q8_0, -2.5f, 127, 0x3c00, NO_LEAST, -3, 127},
    {REFERENCE_Q8_0, 0.49999997f, 127, 0x3c00, NO_LEAST, 0, 127},
    {REFERENCE_Q4_0, 1, -8, 0x3c00, NO_LEAST, 9, 0},
    {REFERENCE_Q4_0, 1, 8, 0xbc00, NO_LEAST, 7, 0}, /* the extreme is code 0, whatever its sign */
    {REFERENCE_Q4_0, 0.5f, -8, 0x3c00, NO_LEAST, 9, 0},
    {REFERENCE_Q4_0, -0.5f, -8, 0x3c00, NO_LEAST, 8, 0},
    {REFERENCE_Q5_0, 1, -16, 0x3c00, NO_LEAST, 17, 0},
    {REFERENCE_Q5_0, -2, 16, 0xbc00, NO_LEAST, 18, 0},
    {REFERENCE_Q4_1, 2, 17, 0x3c00, 0x4000, 0, 15},
    {REFERENCE_Q4_1, 0.5f, 15, 0x3bbc, 0x3800, 0, 15},
    {REFERENCE_Q5_1, -1, 30, 0x3c00, 0xbc00, 0, 31},
    {REFERENCE_IQ4_NL, 13, -127, 0x3c00, NO_LEAST, 9, 0},
    {REFERENCE_IQ4_NL, 7, -127, 0x3c00, NO_LEAST, 9, 0}, /* the middle belongs to the upper level */
    /* zeros */
    {REFERENCE_Q8_0, 0, -0.0f, 0, NO_LEAST, 0, 0},
    {REFERENCE_Q4_0, 0, 0, 0x8000, NO_LEAST, 8, 8},
    {REFERENCE_Q4_0, -0.0f, -0.0f, 0x8000, NO_LEAST, 8, 8},
    {REFERENCE_Q5_0, 0, 0, 0x8000, NO_LEAST, 16, 16},
    {REFERENCE_Q4_1, 0, -0.0f, 0, 0, 0, 0},
    {REFERENCE_Q4_1, -0.0f, 0, 0, 0x8000, 0, 0}, /* the sign of the first */
    {REFERENCE_Q5_1, -0.0f, 0, 0, 0x8000, 0, 0},
    {REFERENCE_IQ4_NL, 0, 0, 0, NO_LEAST, 8, 8},
    {REFERENCE_IQ4_NL, 9e-16f, -9e-16f, 0, NO_LEAST, 8, 8},
    /* NaN is 0 */
    {REFERENCE_Q8_0, NAN, 127, 0x3c00, NO_LEAST, 0, 127},
    {REFERENCE_Q4_0, NAN, NAN, 0x8000, NO_LEAST, 8, 8},
    {REFERENCE_Q4_1, NAN, -15, 0x3c00, 0xcb80, 15, 0},
    {REFERENCE_IQ4_NL, NAN, -127, 0x3c00, NO_LEAST, 8, 0},
    /* infinities */
    {REFERENCE_Q8_0, 1, -INFINITY, 0x7c00, NO_LEAST, 0, 0},
    {REFERENCE_Q4_0, 1, INFINITY, 0xfc00, NO_LEAST, 8, 0},
    {REFERENCE_Q4_0, 1, -INFINITY, 0x7c00, NO_LEAST, 8, 0},
    {REFERENCE_Q5_0, 1, INFINITY, 0xfc00, NO_LEAST, 16, 0},
    {REFERENCE_Q4_1, 1, INFINITY, 0x7c00, 0x3c00, 0, 0},
    {REFERENCE_Q4_1, 1, -INFINITY, 0x7c00, 0xfc00, 0, 0},
    {REFERENCE_Q5_1, INFINITY, INFINITY, 0x7c00, 0x7c00, 0, 0},
    {REFERENCE_IQ4_NL, 1, -INFINITY, 0x7e00, NO_LEAST, 8, 15},
    /* d that is no float16 */
    {REFERENCE_Q8_0, 1e10f, 1.27e10f, 0x7c00, NO_LEAST, 100, 127},
    {REFERENCE_Q4_1, 3e38f, -3e38f, 0x7c00, 0xfc00, 0, 0},
    /* d that is subnormal */
    {REFERENCE_Q8_0, 1e-37f, 1e-37f, 0, NO_LEAST, 0, 0},
    {REFERENCE_Q4_0, 1e-38f, 1e-38f, 0x8000, NO_LEAST, 8, 8},
    {REFERENCE_Q4_0, -1e-38f, 1e-39f, 0, NO_LEAST, 8, 8},
    {REFERENCE_Q5_1, 1e-38f, -1e-38f, 0, 0x8000, 0, 0},
};

TEST(known_blocks)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct known *k = &known[i];
        unsigned char block[34];
        float values[VALUES];

        for (int v = 0; v < VALUES; v++)
            values[v] = v == AT ? k->other : k->fill;
        reference_block_quantize(k->type, values, block);
        if (word_of(block) != k->d && !(k->type == REFERENCE_IQ4_NL && k->d == 0x3c00))
            fail_msg("row %zu: d is %04x", i, word_of(block));
        if (k->least != NO_LEAST && word_of(block + 2) != k->least)
            fail_msg("row %zu: the least value is %04x", i, word_of(block + 2));
        for (int v = 0; v < VALUES; v++)
            if (code_at(k->type, block, v) != (v == AT ? k->other_code : k->code))
                fail_msg("row %zu: code %d is %d", i, v, code_at(k->type, block, v));
    }
}

/* A block's bytes, one by one, and what they come back as. */
TEST(bytes_by_hand)
{
    float values[VALUES];
    unsigned char q8[34], q5[24], levels[18];

    for (int i = 0; i < VALUES; i++)
        values[i] = (float)i;
    values[0] = 127;
    reference_block_quantize(REFERENCE_Q8_0, values, q8);
    assert_memory_equal(q8, ((unsigned char[]){0x00, 0x3c, 127, 1, 2, 3}), 6);
    values[0] = 0;
    reference_block_quantize(REFERENCE_Q5_1, values, q5);
    /* d 1, least 0, the fifth bits of the upper half, and then 16 + j beside j */
    assert_memory_equal(q5, ((unsigned char[]){0x00, 0x3c, 0, 0, 0, 0, 0xff, 0xff, 0x00, 0x11, 0x22}), 11);
    for (int i = 0; i < VALUES; i++)
        assert_true(reference_block_value(REFERENCE_Q5_1, q5, i) == (float)i);
    memset(levels, 0x80, sizeof levels);
    levels[0] = 0x00;
    levels[1] = 0x40;
    assert_true(reference_block_value(REFERENCE_IQ4_NL, levels, 3) == -254.0f);
    assert_true(reference_block_value(REFERENCE_IQ4_NL, levels, 19) == 2.0f);
    assert_true(reference_block_value(REFERENCE_Q8_0, (unsigned char[34]){0, 0xc0, 0x80}, 0) == 256.0f);
    assert_true(reference_block_value(REFERENCE_Q4_0, (unsigned char[18]){0, 0xc0, 0x80}, 0) == 16.0f);
    assert_true(reference_block_value(REFERENCE_Q4_0, (unsigned char[18]){0, 0xc0, 0x80}, 16) == 0.0f);
}

TESTS_MAIN("reference_blocks")
