/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the reference's types: what was written down by hand, and what holds for every row. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "reference.h"
#include "tests.h"

/* Few enough to try them all; values of a block have none by themselves. */
static bool has_codes(const struct reference_type_row *row)
{
    return row->bits <= 16 && row->block_bytes == 0;
}

/* Of each narrow type all codes: what is read rounds to the code again, the least and the largest finite
 * values are the row's, and a NaN becomes one of the type's own codes. */
TEST(every_code_comes_back)
{
    for (enum reference_type type = 0; type < REFERENCE_TYPES; type++) {
        const struct reference_type_row *row = &reference_types[type];
        double lowest = INFINITY, highest = -INFINITY;

        for (uint64_t code = 0; has_codes(row) && code >> row->bits == 0; code++) {
            const float value = reference_read(code, type);

            if (isnan(value)) {
                assert_true(isnan(reference_read(reference_round(value, type), type)));
                continue;
            }
            if (isinf(value) && row->bits <= 8) { /* saturates */
                assert_true(reference_read(reference_round(value, type), type) ==
                            copysign(row->highest, value));
                continue;
            }
            assert_int_equal(reference_round(value, type), code);
            if (row->integer)
                assert_true((double)value == (double)reference_read_int(code, type));
            if (isfinite(value)) {
                lowest = fmin(lowest, (double)value);
                highest = fmax(highest, (double)value);
            }
        }
        if (has_codes(row)) {
            assert_true(lowest == row->lowest);
            assert_true(highest == row->highest);
        }
    }
}

/* Where scales are found for a type, minmax fills its whole range and absmax the same to either side of a
 * middle. */
TEST(steps_fill_the_range)
{
    int found = 0;

    for (enum reference_type type = 0; type < REFERENCE_TYPES; type++) {
        const struct reference_type_row *row = &reference_types[type];
        const double steps = (double)row->absmax_steps, middle = (double)row->absmax_zero_point;

        if (steps == 0)
            continue;
        found++;
        assert_true(middle + steps == row->highest && middle - steps >= row->lowest);
        if (row->integer)
            assert_true((double)row->minmax_steps == row->highest - row->lowest);
    }
    assert_true(found > 0);
}

/* The nearest of the finite values, of two the even one: looked for in both directions from every value and
 * every middle of two. */
static void rounds_to_the_nearest(enum reference_type type)
{
    const uint64_t sign = UINT64_C(1) << (reference_types[type].bits - 1);
    const uint64_t top = reference_round(INFINITY, type);

    assert_true((double)reference_read(top, type) == reference_types[type].highest);
    for (uint64_t code = 0; code < top; code++) {
        const float low = reference_read(code, type), high = reference_read(code + 1, type);
        const float middle = 0.5f * (low + high), above = nextafterf(middle, INFINITY),
                    below = nextafterf(middle, 0.0f);

        assert_true(low < high);
        assert_int_equal(reference_round(middle, type), code + code % 2);
        assert_int_equal(reference_round(below, type), code);
        assert_int_equal(reference_round(above, type), code + 1);
        assert_int_equal(reference_round(-middle, type), sign | (code + code % 2));
        assert_int_equal(reference_round(-below, type), sign | code);
        assert_int_equal(reference_round(-above, type), sign | (code + 1));
    }
    assert_int_equal(reference_round(-INFINITY, type), sign | top);
    assert_int_equal(reference_round(3e38f, type), top);
    assert_int_equal(reference_round(-0x1p-149f, type), sign);
    assert_int_equal(reference_round(NAN, type), reference_round(-NAN, type));
    assert_false(reference_round(NAN, type) & sign);
}

TEST(small_floats_round_to_the_nearest)
{
    int found = 0;

    for (enum reference_type type = 0; type < REFERENCE_TYPES; type++)
        if (!reference_types[type].integer && reference_types[type].bits <= 8 && !reference_is_block(type) &&
            reference_types[type].lowest < 0) {
            rounds_to_the_nearest(type);
            found++;
        }
    assert_true(found > 0);
}

/* Written down from the tables of the OCP's page. */
TEST(float8_by_hand)
{
    assert_true(reference_read(0x7e, REFERENCE_E4M3) == 448.0f);
    assert_true(reference_read(0x08, REFERENCE_E4M3) == 0x1p-6f);
    assert_true(reference_read(0x07, REFERENCE_E4M3) == 0x1.cp-7f);
    assert_true(reference_read(0x81, REFERENCE_E4M3) == -0x1p-9f);
    assert_true(isnan(reference_read(0x7f, REFERENCE_E4M3)) && isnan(reference_read(0xff, REFERENCE_E4M3)));
    assert_true(reference_read(0x7b, REFERENCE_E5M2) == 57344.0f);
    assert_true(reference_read(0x04, REFERENCE_E5M2) == 0x1p-14f);
    assert_true(reference_read(0x83, REFERENCE_E5M2) == -0x1.8p-15f);
    assert_true(reference_read(0x01, REFERENCE_E5M2) == 0x1p-16f);
    assert_true(reference_read(0x7c, REFERENCE_E5M2) == INFINITY &&
                reference_read(0xfc, REFERENCE_E5M2) == -INFINITY);
    for (uint64_t code = 0x7d; code <= 0x7f; code++)
        assert_true(isnan(reference_read(code, REFERENCE_E5M2)) &&
                    isnan(reference_read(0x80 | code, REFERENCE_E5M2)));
    assert_true(signbit(reference_read(0x80, REFERENCE_E4M3)) &&
                reference_read(0x80, REFERENCE_E4M3) == 0.0f);
}

/* Written down for e4m3fn, e5m2 and e2m1fn. */
TEST(small_floats_by_hand)
{
    static const struct {
        double x;
        uint64_t e4m3, e5m2, e2m1;
    } known[] = {
        {0.0, 0x00, 0x00, 0},      {-0.0, 0x80, 0x80, 8},        {-1e-40, 0x80, 0x80, 8},
        {1.0, 0x38, 0x3c, 2},      {-1.0625, 0xb8, 0xbc, 10},    {1.1875, 0x3a, 0x3d, 2},
        {0x1p-9, 0x01, 0x18, 0},   {0x1p-10, 0x00, 0x14, 0},     {0x1.8p-9, 0x02, 0x1a, 0},
        {-0x1p-17, 0x80, 0x80, 8}, {0x1.000002p-17, 0x00, 1, 0}, {448, 0x7e, 0x5f, 7},
        {464, 0x7e, 0x5f, 7},      {-1e9, 0xfe, 0xfb, 15},       {61440, 0x7e, 0x7b, 7},
        {INFINITY, 0x7e, 0x7b, 7}, {-INFINITY, 0xfe, 0xfb, 15},  {NAN, 0x7f, 0x7f, 0},
        {-NAN, 0x7f, 0x7f, 0},     {0.25, 0x28, 0x34, 0},        {0.75, 0x34, 0x3a, 2},
        {-1.25, 0xba, 0xbd, 10},   {1.75, 0x3e, 0x3f, 4},        {2.5, 0x42, 0x41, 4},
        {3.5, 0x46, 0x43, 6},      {-5, 0xca, 0xc5, 14},         {0.2500001, 0x28, 0x34, 1},
        {5.000001, 0x4a, 0x45, 7}, {0.5, 0x30, 0x38, 1},         {1.5, 0x3c, 0x3e, 3},
        {2, 0x40, 0x40, 4},        {3, 0x44, 0x42, 5},           {4, 0x48, 0x44, 6},
        {6, 0x4c, 0x46, 7},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        assert_int_equal(reference_round((float)known[i].x, REFERENCE_E4M3), known[i].e4m3);
        assert_int_equal(reference_round((float)known[i].x, REFERENCE_E5M2), known[i].e5m2);
        assert_int_equal(reference_round((float)known[i].x, REFERENCE_E2M1), known[i].e2m1);
    }
}

TEST(integers_are_read_exactly)
{
    assert_true(reference_read_int(0x8000000000000000, REFERENCE_I64) == INT64_MIN);
    assert_true(reference_read_int(0x7fffffffffffffff, REFERENCE_I64) == INT64_MAX);
    assert_true(reference_read_int(0xffffffff, REFERENCE_I64) == UINT32_MAX);
    assert_true(reference_read_int(0xffffffff, REFERENCE_I32) == -1);
    assert_true(reference_read_int(16777217, REFERENCE_I32) == 16777217);
    assert_true(reference_read_int(0x80, REFERENCE_I8) == -128);
    assert_true(reference_read_int(0x80, REFERENCE_U8) == 128);
    assert_true(reference_read_int(0xf, REFERENCE_I4) == -1);
    assert_true(reference_read_int(0xf, REFERENCE_U4) == 15);
    assert_true(reference_round(3e19f, REFERENCE_I64) == INT64_MAX);
    assert_true(reference_round(-3e19f, REFERENCE_I64) == (uint64_t)INT64_MIN);
}

TEST(units_by_hand)
{
    static const struct {
        enum reference_type type;
        int lanes, bytes, values;
        bool shares;
    } units[] = {
        {REFERENCE_F32, 1, 4, 1, false},     {REFERENCE_F32, 0, 4, 1, false},
        {REFERENCE_BF16, 1, 2, 1, false},    {REFERENCE_U8, 1, 1, 1, false},
        {REFERENCE_I64, 1, 8, 1, false},     {REFERENCE_I4, 1, 1, 2, true},
        {REFERENCE_I4, 0, 1, 2, true},       {REFERENCE_I4, 2, 1, 2, false},
        {REFERENCE_I4, 8, 4, 8, false},      {REFERENCE_U4, 1, 1, 2, true},
        {REFERENCE_Q8_0, 32, 34, 32, false}, {REFERENCE_IQ4_NL, 32, 18, 32, false},
    };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        assert_int_equal(reference_shares_bytes(units[i].type, units[i].lanes), units[i].shares);
        assert_int_equal(reference_unit_bytes(units[i].type, units[i].lanes), units[i].bytes);
        assert_int_equal(reference_unit_values(units[i].type, units[i].lanes), units[i].values);
    }
}

/* A code is stored at an odd byte and loaded again; of all that is given only its bits count,
 * and only they change. */
TEST(stores_codes_of_every_type)
{
    const uint64_t given = 0x9abcdef12345678b, other = ~given;
    const int64_t first = 0, second = 1;

    for (enum reference_type type = 0; type < REFERENCE_TYPES; type++) {
        const int bits = reference_types[type].bits;
        const uint64_t code = given & UINT64_MAX >> (64 - bits);
        unsigned char bytes[18], expected[18];
        const struct reference_tensor tensor = reference_dense(type, 1, 1, (int64_t[]){2}, bytes + 1);

        memset(bytes, 0x5a, sizeof(bytes));
        memset(expected, 0x5a, sizeof(expected));
        reference_store_code(&tensor, &second, given);
        assert_true(reference_load_code(&tensor, &second) == code);
        if (bits < 8)
            expected[1] = (unsigned char)((0x5a & ~((1 << 2 * bits) - (1 << bits))) | (int)code << bits);
        for (int i = 0; i < bits / 8; i++)
            expected[1 + bits / 8 + i] = (unsigned char)(code >> 8 * i);
        assert_memory_equal(bytes, expected, sizeof(bytes));
        reference_store_code(&tensor, &first, other);
        assert_true(reference_load_code(&tensor, &first) == (other & UINT64_MAX >> (64 - bits)));
        assert_true(reference_load_code(&tensor, &second) == code);
    }
}

TESTS_MAIN("reference types")
