/* SPDX-License-Identifier: Apache-2.0 */
/* Pins the reference by values that were worked out by hand, and by formulas that share nothing with it. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "reference.h"
#include "tests.h"

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The widening by fields: a subnormal float16 is shifted up until its leading one leaves the fraction. */
static uint32_t f16_fields(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = (half >> 10) & 31;
    uint32_t fraction = half & 0x3ff;

    if (exponent == 31)
        return sign | 0x7f800000 | fraction << 13;
    if (exponent == 0 && fraction == 0)
        return sign;
    if (exponent == 0) {
        exponent = 1;
        while (!(fraction & 0x400)) {
            fraction <<= 1;
            exponent--;
        }
        fraction &= 0x3ff;
    }
    return sign | (exponent + 112) << 23 | fraction << 13;
}

TEST(widens_every_half)
{
    for (uint32_t bits = 0; bits <= 0xffff; bits++) {
        const uint32_t fields = f16_fields((uint16_t)bits);
        const float f16 = reference_widen_f16((uint16_t)bits);

        if (isnan(of_bits(fields)))
            assert_true(isnan(f16));
        else
            assert_int_equal(bits_of(f16), fields);
        assert_int_equal(bits_of(reference_widen_bf16((uint16_t)bits)), bits << 16);
    }
}

TEST(widens_known_halves)
{
    static const struct {
        uint16_t bits;
        float value;
    } known[] = {
        {0x0000, 0.0f},       {0x0001, 0x1p-24f}, {0x03ff, 0x3ffp-24f},     {0x0400, 0x1p-14f},
        {0x3555, 0x555p-12f}, {0x3c00, 1.0f},     {0x3c01, 1025.0f / 1024}, {0xc000, -2.0f},
        {0x7bff, 65504.0f},   {0x7c00, INFINITY}, {0xfc00, -INFINITY},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        assert_true(reference_widen_f16(known[i].bits) == known[i].value);
    assert_true(signbit(reference_widen_f16(0x8000)));
    assert_true(isnan(reference_widen_f16(0x7c01)));
    assert_true(reference_widen_bf16(0x3f80) == 1.0f);
    assert_true(reference_widen_bf16(0x0001) == 0x1p-133f);
    assert_true(isnan(reference_widen_bf16(0xffc0)));
}

/* Every float16 and bfloat16 comes back; the middle of two neighbours goes to the even one, and what lies a
 * step of binary32 to either side of the middle to the nearer. */
TEST(narrows_to_nearest_even)
{
    for (uint32_t bits = 0; bits < 0x7c00; bits++) {
        const uint16_t low = (uint16_t)bits;
        const uint16_t high = (uint16_t)(bits + 1);
        const float value = reference_widen_f16(low);
        const float above = high == 0x7c00 ? 65536.0f : reference_widen_f16(high);
        const float middle = (value + above) / 2; /* exact: 12 bits */

        assert_int_equal(reference_narrow_f16(value), low);
        assert_int_equal(reference_narrow_f16(-value), low | 0x8000);
        assert_int_equal(reference_narrow_f16(middle), low & 1 ? high : low);
        assert_int_equal(reference_narrow_f16(nextafterf(middle, 0.0f)), low);
        assert_int_equal(reference_narrow_f16(nextafterf(middle, INFINITY)), high);
    }
    for (uint32_t bits = 0; bits < 0x7f80; bits++) {
        assert_int_equal(reference_narrow_bf16(of_bits(bits << 16)), bits);
        assert_int_equal(reference_narrow_bf16(of_bits(bits << 16 | 0x80000000)), bits | 0x8000);
        assert_int_equal(reference_narrow_bf16(of_bits(bits << 16 | 0x7fff)), bits);
        assert_int_equal(reference_narrow_bf16(of_bits(bits << 16 | 0x8000)), bits + (bits & 1));
        assert_int_equal(reference_narrow_bf16(of_bits(bits << 16 | 0x8001)), bits + 1);
    }
    assert_int_equal(reference_narrow_f16(INFINITY), 0x7c00);
    assert_int_equal(reference_narrow_f16(-INFINITY), 0xfc00);
    assert_int_equal(reference_narrow_f16(-NAN), 0x7e00);
    assert_int_equal(reference_narrow_bf16(-INFINITY), 0xff80);
    assert_int_equal(reference_narrow_bf16(-NAN), 0x7fc0);
    assert_int_equal(reference_narrow_bf16(of_bits(0x7f800001)), 0x7fc0);
}

TEST(rounds_and_saturates)
{
    static const struct {
        float value;
        int32_t i8, u8, i4, i32;
    } rows[] = {
        {0.0f, 0, 0, 0, 0},
        {-0.0f, 0, 0, 0, 0},
        {0.5f, 0, 0, 0, 0},
        {1.5f, 2, 2, 2, 2},
        {2.5f, 2, 2, 2, 2},
        {3.5f, 4, 4, 4, 4},
        {-0.5f, 0, 0, 0, 0},
        {-1.5f, -2, 0, -2, -2},
        {-2.5f, -2, 0, -2, -2},
        {0x1.fffffep-2f, 0, 0, 0, 0},
        {0x1.000002p-1f, 1, 1, 1, 1},
        {7.4f, 7, 7, 7, 7},
        {7.5f, 8, 8, 7, 8},
        {-8.5f, -8, 0, -8, -8},
        {-8.6f, -9, 0, -8, -9},
        {126.5f, 126, 126, 7, 126},
        {127.5f, 127, 128, 7, 128},
        {-128.5f, -128, 0, -8, -128},
        {-129.0f, -128, 0, -8, -129},
        {254.5f, 127, 254, 7, 254},
        {255.5f, 127, 255, 7, 256},
        {8388607.5f, 127, 255, 7, 8388608},
        {8388606.5f, 127, 255, 7, 8388606},
        {16777217.0f, 127, 255, 7, 16777216},
        {2147483520.0f, 127, 255, 7, 2147483520},
        {2147483648.0f, 127, 255, 7, INT32_MAX},
        {3e38f, 127, 255, 7, INT32_MAX},
        {INFINITY, 127, 255, 7, INT32_MAX},
        {-2147483648.0f, -128, 0, -8, INT32_MIN},
        {-2147483904.0f, -128, 0, -8, INT32_MIN},
        {-INFINITY, -128, 0, -8, INT32_MIN},
        {NAN, 0, 0, 0, 0},
        {-NAN, 0, 0, 0, 0},
        {0x1p-149f, 0, 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(reference_round(rows[i].value, REFERENCE_I8), (uint8_t)rows[i].i8);
        assert_int_equal(reference_round(rows[i].value, REFERENCE_U8), rows[i].u8);
        assert_int_equal(reference_round(rows[i].value, REFERENCE_I4), rows[i].i4 & 15);
        assert_int_equal(reference_round(rows[i].value, REFERENCE_I32), (uint32_t)rows[i].i32);
    }
}

/* A right call may have such a tensor; the sanitizer sees the product. */
TEST(empty_has_no_elements_beside_a_size_without_end)
{
    const struct reference_tensor tensor = {
        .type = REFERENCE_F32, .rank = 3, .shape = {3, INT64_MAX, 0}, .strides = {0, 0, 1}};

    assert_int_equal(reference_count(&tensor), 0);
}

/* Element 2j of a row is the low nibble of byte j; element k of a word is bits 4k to 4k+3. */
TEST(packs_low_nibble_first)
{
    static const unsigned char expected[4] = {0x21, 0x83, 0xf7, 0x60};
    static const int32_t values[8] = {1, 2, 3, -8, 7, -1, 0, 6};

    for (int lanes = 1; lanes <= 8; lanes *= lanes == 2 ? 4 : 2) {
        const int64_t shape[1] = {8 / lanes};
        unsigned char bytes[6] = {0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5};
        const struct reference_tensor tensor = reference_dense(REFERENCE_I4, lanes, 1, shape, bytes + 1);
        int64_t index[1] = {0};
        int steps = 0;

        assert_int_equal(reference_count(&tensor), 8);
        do
            reference_store_code(&tensor, index, (uint64_t)values[steps++]);
        while (reference_next(&tensor, index));
        assert_int_equal(steps, 8);
        assert_memory_equal(bytes + 1, expected, 4);
        assert_int_equal(bytes[0], 0xa5);
        assert_int_equal(bytes[5], 0xa5);
        for (index[0] = 0; index[0] < 8; index[0]++)
            assert_int_equal(reference_load_int(&tensor, index), values[index[0]]);
    }
}

/* A byte of two values a stride of three apart: values 0 and 1 in byte 0, 2 and 3 in byte 3. */
TEST(packs_bytes_at_strides)
{
    unsigned char bytes[4] = {0, 0, 0, 0};
    const struct reference_tensor tensor = {
        .type = REFERENCE_I4, .lanes = 2, .rank = 1, .shape = {2}, .strides = {3}, .data = bytes};
    static const unsigned char expected[4] = {0x21, 0, 0, 0x43};
    int64_t index[1] = {0};
    uint64_t value = 1;

    do
        reference_store_code(&tensor, index, value++);
    while (reference_next(&tensor, index));
    assert_memory_equal(bytes, expected, 4);
}

TEST(loads_every_type_at_odd_bytes)
{
    static const unsigned char bytes[] = {0xee, 0x00, 0x00, 0xc0, 0xff, 0xff, 0x01, 0x00, 0x01};
    const int64_t index[1] = {0};
    struct reference_tensor at = {.rank = 1, .shape = {1}, .strides = {1}, .data = (void *)(bytes + 1)};

    at.type = REFERENCE_F32; /* 0xffc00000 */
    assert_true(isnan(reference_load(&at, index)));
    at.type = REFERENCE_I32; /* 0xffc00000 = -2^22 */
    assert_true(reference_load(&at, index) == -4194304.0f);
    at.data = (void *)(bytes + 3);
    at.type = REFERENCE_I8;
    assert_true(reference_load(&at, index) == -64.0f);
    at.type = REFERENCE_U8;
    assert_true(reference_load(&at, index) == 192.0f);
    at.data = (void *)(bytes + 2);
    at.type = REFERENCE_F16; /* 0xc000 */
    assert_true(reference_load(&at, index) == -2.0f);
    at.type = REFERENCE_BF16;
    assert_true(reference_load(&at, index) == -2.0f);
    at.data = (void *)(bytes + 5);
    at.type = REFERENCE_I32; /* 0x010001ff = 16,777,727, a tie between ...726 and ...728: to the even one */
    assert_int_equal(reference_load_int(&at, index), 16777727);
    assert_true(reference_load(&at, index) == 16777728.0f);
    at.data = (void *)(bytes + 1);
    at.type = REFERENCE_I64; /* 0x010001ffffc00000: its upper half counts */
    assert_true(reference_load_int(&at, index) == 0x010001ffffc00000);
}

TEST(quantizes_by_hand)
{
    static const float four_tenths = 0.4f;
    static const float one = 1.0f;
    static const struct {
        float x, scale;
        const float *zero_point;
        bool multiply;
        enum reference_type type;
        int32_t q;
    } rows[] = {
        {1.0f, 0.5f, NULL, false, REFERENCE_I8, 2},
        {1.0f, 0.5f, NULL, true, REFERENCE_I8, 0},
        {3.0f, 0.5f, NULL, true, REFERENCE_I8, 2},
        {1.0f, 0.0f, NULL, false, REFERENCE_I8, 127},
        {-1.0f, 0.0f, NULL, false, REFERENCE_I8, -128},
        {1.0f, -0.0f, NULL, false, REFERENCE_I8, -128},
        {0.0f, 0.0f, NULL, false, REFERENCE_I8, 0},
        {INFINITY, INFINITY, NULL, false, REFERENCE_U8, 0},
        {INFINITY, 0.0f, NULL, true, REFERENCE_I8, 0},
        {INFINITY, -2.0f, NULL, true, REFERENCE_I4, -8},
        {5.0f, -1.0f, NULL, false, REFERENCE_I4, -5},
        {2.2f, 1.0f, &four_tenths, false, REFERENCE_I8, 3},   /* 2.6: added before the one rounding */
        {2.5f, 1.0f, &one, false, REFERENCE_I8, 4},           /* 3.5 to even; rounding first gives 3 */
        {0x1p-149f, 0x1p-149f, NULL, false, REFERENCE_I8, 1}, /* subnormals count */
        {0x1p-149f, 0x1p127f, NULL, true, REFERENCE_I8, 0},
        {0x1p-126f, 0x1p127f, NULL, true, REFERENCE_I8, 2},
        {0x3p-149f, 0x2p-149f, NULL, false, REFERENCE_I8, 2}, /* 1.5 */
        {2147483648.0f, 1.0f, NULL, false, REFERENCE_I32, INT32_MAX},
        {-3e9f, 1.0f, NULL, true, REFERENCE_I32, INT32_MIN},
        {1.0f, 3.0f, NULL, false, REFERENCE_I32, 0},
        {37.5f, 15.0f, NULL, false, REFERENCE_I8, 2}, /* 2.5; by the reciprocal 2.5000002, which gives 3 */
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(
            reference_read_int(reference_quantize_one(rows[i].x, rows[i].scale, rows[i].zero_point,
                                                      rows[i].multiply, false, rows[i].type),
                               rows[i].type),
            rows[i].q);
}

/* 4097 * 2049.5 = 8396801.5 is a tie between two binary32 numbers and becomes 8396802; an FMA keeps the half
 * and gives 0.5, which rounds to 0. */
TEST(rounds_the_product_before_the_sum)
{
    const float zero_point = -8396801.0f;

    assert_true(fmaf(4097.0f, 2049.5f, zero_point) == 0.5f);
    assert_int_equal(reference_quantize_one(4097.0f, 2049.5f, &zero_point, true, false, REFERENCE_I8), 1);
}

/* A tie beside an odd zero point, one beside a half,
 * and the largest float that has a half beside what cancels it. */
TEST(rounds_before_the_sum)
{
    static const struct {
        float x, zero_point;
        enum reference_type type;
        int64_t first, plain;
    } rows[] = {
        {2.5f, 1.0f, REFERENCE_I8, 3, 4},   {-2.5f, 1.0f, REFERENCE_I8, -1, -2},
        {2.5f, 2.0f, REFERENCE_U4, 4, 4},   {2.2f, 0.4f, REFERENCE_I8, 2, 3},
        {2.0f, 0.5f, REFERENCE_I8, 2, 2},   {3.0f, 0.5f, REFERENCE_I8, 4, 4},
        {2.25f, 0.25f, REFERENCE_I8, 2, 2}, {8388607.5f, -8388607.0f, REFERENCE_I8, 1, 0},
        {NAN, 3.0f, REFERENCE_I8, 0, 0},    {-INFINITY, 3.0f, REFERENCE_I4, -8, -8},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int first = 0; first < 2; first++)
            assert_int_equal(reference_read_int(reference_quantize_one(rows[i].x, 1.0f, &rows[i].zero_point,
                                                                       first, first, rows[i].type),
                                                rows[i].type),
                             first ? rows[i].first : rows[i].plain);
}

TEST(finds_the_parameter)
{
    static const float x[12] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};
    static const float three[3] = {10, 20, 5};
    static const float zero[1] = {1};
    static const int8_t per_axis1[12] = {2, 3, 2, 3, 11, 13, 8, 9, 6, 6, 23, 25};
    static const int8_t per_axis_last[12] = {2, 2, 7, 5, 4, 13, 8, 5, 19, 11, 6, 25};
    const int64_t shape[3] = {2, 3, 2};
    const int64_t flat[1] = {3};
    const int64_t full[3] = {1, 3, 1};
    int8_t y[12];
    const struct reference_tensor xt = reference_dense(REFERENCE_F32, 1, 3, shape, (void *)x);
    const struct reference_tensor yt = reference_dense(REFERENCE_I8, 1, 3, shape, y);
    const struct reference_tensor zt = reference_dense(REFERENCE_F32, 1, 0, NULL, (void *)zero);
    struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 1, flat, (void *)three);
    struct reference_quantize_desc desc = {.x = &xt, .scales = &st, .zero_points = &zt, .y = &yt, .axis = 1};

    reference_quantize(&desc);
    assert_memory_equal(y, per_axis1, 12);
    st = reference_dense(REFERENCE_F32, 1, 3, full, (void *)three);
    memset(y, 0, sizeof(y));
    reference_quantize(&desc);
    assert_memory_equal(y, per_axis1, 12);

    /* The same bytes as (4, 3), with a scale for each index of the last axis. */
    const int64_t matrix[2] = {4, 3};
    const struct reference_tensor xm = reference_dense(REFERENCE_F32, 1, 2, matrix, (void *)x);
    const struct reference_tensor ym = reference_dense(REFERENCE_I8, 1, 2, matrix, y);
    st = reference_dense(REFERENCE_F32, 1, 1, flat, (void *)three);
    desc =
        (struct reference_quantize_desc){.x = &xm, .scales = &st, .zero_points = &zt, .y = &ym, .axis = -1};
    reference_quantize(&desc);
    assert_memory_equal(y, per_axis_last, 12);
}

/* Without div_mode -2 is the second-to-last axis, and whatever is above it the last. */
TEST(npu_axis_is_the_last_but_for_minus_two)
{
    static const float x[12] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};
    static const float scales[3] = {0.5f, 0.25f, 1.0f};
    static const float one = 1.0f;
    static const int8_t last[12] = {6, 6, 31, 21, 14, 61, 36, 21, 91, 51, 28, 121};
    static const int8_t second_to_last[12] = {6, 11, 16, 21, 14, 16, 18, 21, 91, 101, 111, 121};
    const int64_t wide[2] = {4, 3};
    const int64_t tall[2] = {3, 4};
    const int64_t flat[1] = {3};
    int8_t y[12];
    struct reference_tensor xt = reference_dense(REFERENCE_F32, 1, 2, wide, (void *)x);
    struct reference_tensor yt = reference_dense(REFERENCE_I8, 1, 2, wide, y);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 1, flat, (void *)scales);
    const struct reference_tensor zt = reference_dense(REFERENCE_F32, 1, 0, NULL, (void *)&one);
    struct reference_npu_quantize_desc desc = {
        .input = &xt, .scales = &st, .zero_points = &zt, .output = &yt};

    for (desc.axis = -1; desc.axis < 2; desc.axis++) {
        memset(y, 0, sizeof(y));
        reference_npu_quantize(&desc);
        assert_memory_equal(y, last, 12);
    }
    xt = reference_dense(REFERENCE_F32, 1, 2, tall, (void *)x);
    yt = reference_dense(REFERENCE_I8, 1, 2, tall, y);
    desc.axis = -2;
    reference_npu_quantize(&desc);
    assert_memory_equal(y, second_to_last, 12);
}

/* Into any type of float, rounded once; whatever NaN it is, the canonical one is stored. */
TEST(stores_floats)
{
    static const uint32_t other_nan = 0xff812345;
    static const float third = 1.0f / 3.0f;
    static const struct {
        enum reference_type type;
        uint32_t third, infinity, nan; /* as they are stored */
    } cases[] = {{REFERENCE_F32, 0x3eaaaaab, 0xff800000, 0x7fc00000},
                 {REFERENCE_F16, 0x3555, 0xfc00, 0x7e00},
                 {REFERENCE_BF16, 0x3eab, 0xff80, 0x7fc0}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t size = cases[i].type == REFERENCE_F32 ? 4 : 2;
        const uint32_t expected[3] = {cases[i].third, cases[i].infinity, cases[i].nan};
        unsigned char bytes[3 * 4 + 2];
        const struct reference_tensor tensor =
            reference_dense(cases[i].type, 1, 1, (int64_t[]){3}, bytes + 1);
        float values[3] = {third, -INFINITY, 0};

        memcpy(&values[2], &other_nan, sizeof(other_nan));
        memset(bytes, 0xa5, sizeof(bytes));
        for (int64_t k = 0; k < 3; k++) {
            reference_store(&tensor, &k, values[k]);
            assert_memory_equal(bytes + 1 + (size_t)k * size, &expected[k], size);
        }
        assert_int_equal(bytes[0], 0xa5);
        assert_int_equal(bytes[1 + 3 * size], 0xa5);
    }
}

TESTS_MAIN("reference")
