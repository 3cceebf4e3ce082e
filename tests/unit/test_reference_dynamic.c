/* SPDX-License-Identifier: Apache-2.0 */
/* Pins the reference of dynamic quantization by rows that were worked out by hand, with rational numbers that
 * are rounded to binary32 after each operation. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <math.h>

#include "dynamic.h"
#include "rotate.h"
#include "tests.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LEAST        0x1.197998p-40f /* 1e-12 */
#define MOST         0x1.fffffep+127f

enum { WIDE = 8 };

struct row_case {
    const char *name;
    int bits; /* 4 or 8 */
    bool symmetric;
    int count;
    float x[WIDE];
    float scale, offset; /* offset: 0 where symmetric */
    int q[WIDE];
};

/* "x / s: n": it would give n in place of x * (1 / scale); an FMA alike. */
static const struct row_case row_cases[] = {
    /* the rows that the specification names */
    {"all 0", 4, false, 2, {0, 0}, LEAST, -7, {7, 7}},
    {"constant 3.5", 4, false, 2, {3.5f, 3.5f}, LEAST, 0x1.97742p+41f, {0, 0}},
    {"+inf and 1", 4, false, 2, {INFINITY, 1}, INFINITY, NAN, {0, 0}},
    {"-inf and 1", 4, false, 2, {-INFINITY, 1}, INFINITY, -7, {0, 7}},
    {"all +inf", 4, false, 2, {INFINITY, INFINITY}, LEAST, INFINITY, {0, 0}},
    {"the range overflows", 4, false, 2, {3e38f, -3e38f}, INFINITY, -7, {7, 7}},
    {"a NaN, -1 and 2", 4, false, 4, {NAN, -1, 2, 2}, 0x1.99999ap-3f, 3, {0, -8, 7, 7}},

    {"zeros of both signs", 4, false, 4, {0, -0.0f, -0.0f, 0}, LEAST, -7, {7, 7, 7, 7}},
    {"all NaN", 4, false, 2, {NAN, -NAN}, LEAST, -7, {0, 0}},
    {"all NaN", 8, false, 3, {NAN, -NAN, NAN}, LEAST, -127, {0, 0, 0}},
    {"all -inf", 4, false, 2, {-INFINITY, -INFINITY}, LEAST, -INFINITY, {0, 0}},
    {"-inf and +inf", 4, false, 2, {-INFINITY, INFINITY}, INFINITY, NAN, {0, 0}},
    {"NaN at either end", 4, false, 4, {NAN, 2, -1, NAN}, 0x1.99999ap-3f, 3, {0, 7, -8, 0}},
    {"a range of whole steps", 4, false, 2, {-8, 7}, 1, -0.0f, {-8, 7}},
    {"a range of whole steps", 4, false, 2, {0, 15}, 1, 8, {-8, 7}},
    {"ties to even", 4, false, 8, {0, 1, 2, 3, 4, 5, 6, 30}, 2, 8, {-8, -8, -7, -6, -6, -6, -5, 7}},
    {"a tiny range", 4, false, 2, {1000, 1001}, 0x1.111112p-4f, 0x1.d4fffep+13f, {-8, 7}},
    {"a range at the floor", 4, false, 2, {1.5e-12f, 0}, LEAST, -0x1.6p+2f, {7, 6}},
    {"x / s: -6", 4, false, 4, {-12.5f, -11.1875f, 0, 0.625f}, 0.875f, -0x1.924924p+2f, {-8, -7, 6, 7}},
    {"FMA: 5", 4, false, 4, {-12.5f, -1.875f, 0, 0.25f}, 0x1.b33334p-1f, -0x1.ad2d2ep+2f, {-8, 4, 7, 7}},
    {"subnormals", 4, false, 2, {0x1p-149f, -0x1p-149f}, LEAST, -7, {7, 7}},

    {"all 0", 8, false, 3, {0, 0, 0}, LEAST, -127, {127, 127, 127}},
    {"one element", 8, false, 1, {-1.25f}, LEAST, -0x1.2309cep+40f, {0}},
    {"-8 to 7", 8, false, 2, {-8, 7}, 0x1.e1e1e2p-5f, -8, {-128, 127}},
    {"a range at the floor", 8, false, 2, {1.5e-11f, 0}, LEAST, -0x1.cp+6f, {127, 112}},
    {"a tiny range", 8, false, 2, {1000, 1001}, 0x1.010102p-8f, 0x1.f24bfep+17f, {-128, 127}},
    {"x / s: 17", 8, false, 3, {-12.5f, -5.0625f, 0.625f}, 0x1.a5a5a6p-5f, -0x1.cb6db8p+6f, {-128, 16, 127}},
    {"FMA: -51", 8, false, 3, {-12.5f, -8.5625f, 0.625f}, 0x1.a5a5a6p-5f, -0x1.cb6db8p+6f, {-128, -52, 127}},

    {"all 0", 4, true, 2, {0, -0.0f}, LEAST, 0, {0, 0}},
    {"all NaN", 4, true, 2, {NAN, NAN}, LEAST, 0, {0, 0}},
    {"constant 3.5", 4, true, 2, {3.5f, 3.5f}, 0.5f, 0, {7, 7}},
    {"the least is the largest", 4, true, 2, {-8, 7}, 0x1.24924ap+0f, 0, {-7, 6}},
    {"a NaN, -1 and 2", 4, true, 4, {NAN, -1, 2, 0}, 0x1.24924ap-2f, 0, {0, -3, 7, 0}},
    {"an infinity", 4, true, 2, {-INFINITY, 1}, INFINITY, 0, {0, 0}},
    {"the largest number", 4, true, 2, {-MOST, MOST}, 0x1.249248p+125f, 0, {-7, 7}},
    {"a range at the floor", 4, true, 2, {1.5e-12f, -5e-13f}, LEAST, 0, {2, 0}},
    {"x / s: -4", 4, true, 2, {-12.375f, -6.1875f}, 0x1.c4924ap+0f, 0, {-7, -3}},
    {"one element", 8, true, 1, {-1.25f}, 0x1.42850ap-7f, 0, {-127}},
    {"ordinary", 8, true, 3, {-1, 0.0f, 2}, 0x1.020408p-6f, 0, {-64, 0, 127}},
    {"x / s: -64", 8, true, 3, {-11.875f, 0, -5.9375f}, 0x1.7efdfcp-4f, 0, {-127, 0, -63}},
};

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return value != value ? 0x7fc00000 : bits;
}

static void expect_float(const char *name, const char *what, float got, float expected)
{
    uint32_t bits;

    memcpy(&bits, &got, sizeof(bits));
    if (bits != bits_of(expected))
        fail_msg("%s: %s is %a (0x%08x), not %a", name, what, (double)got, bits, (double)expected);
}

/* scale and offset stand between guards, and the offset only where there is one. */
static void check_row(const struct row_case *c)
{
    const enum reference_type type = c->bits == 4 ? REFERENCE_I4 : REFERENCE_I8;
    float scale[3] = {5, 5, 5}, offset[3] = {5, 5, 5};
    unsigned char y[WIDE + 2];
    const struct reference_tensor xt =
        reference_dense(REFERENCE_F32, 1, 1, (int64_t[]){c->count}, (void *)c->x);
    const struct reference_tensor yt = reference_dense(type, 1, 1, (int64_t[]){c->count}, y + 1);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 0, NULL, &scale[1]);
    const struct reference_tensor ot = reference_dense(REFERENCE_F32, 1, 0, NULL, &offset[1]);

    memset(y, 0x99, sizeof(y));
    reference_dynamic_quantize(&(struct reference_dynamic_quantize_desc){.x = &xt,
                                                                         .axis = -1,
                                                                         .y = &yt,
                                                                         .scale = &st,
                                                                         .offset = c->symmetric ? NULL : &ot,
                                                                         .symmetric = c->symmetric});
    expect_float(c->name, "scale", scale[1], c->scale);
    expect_float(c->name, "offset", offset[1], c->symmetric ? 5 : c->offset);
    for (int64_t i = 0; i < c->count; i++)
        if (reference_load_int(&yt, &i) != c->q[i])
            fail_msg("%s: element %d is %d, not %d", c->name, (int)i, (int)reference_load_int(&yt, &i),
                     c->q[i]);
    for (int i = 0; i < 3; i += 2)
        assert_true(scale[i] == 5 && offset[i] == 5);
    assert_int_equal(y[0], 0x99);
    assert_int_equal(y[1 + c->count * c->bits / 8], 0x99);
}

TEST(quantizes_rows)
{
    for (size_t i = 0; i < COUNT(row_cases); i++)
        check_row(&row_cases[i]);
}

/* The order of a row's elements, and with it where a NaN stands, changes neither scale nor offset. */
TEST(takes_elements_in_any_order)
{
    static const float x[8] = {-0.0f, 3, NAN, -7, 0, 2.5f, -NAN, 1};

    for (int first = 0; first < 8; first++) {
        struct row_case c = {"in any order", 4, false, 8, {0}, 0x1.555556p-1f, -2.5f, {0}};
        /* 10 / 15; 7 - 3 / that is 2.5, and 3 and -7 are 4.5 and -10.5 steps; -10.5 + 2.5 = -8. */
        static const int q[8] = {2, 7, 0, -8, 2, 6, 0, 4};

        for (int i = 0; i < 8; i++) {
            c.x[i] = x[(i + first) % 8];
            c.q[i] = q[(i + first) % 8];
        }
        check_row(&c);
    }
}

/* Two rows (2, 1, 4), the values of each the other way round, of float16, times (2, 1, 0.5, 1), which lie
 * apart or are bfloat16. Into rows 8 apart; scales 2 and offsets 3. */
TEST(smooths_and_strides)
{
    static const uint16_t x[8] = {0x4400, 0x4800, 0x3c00, 0xbc00,  /* 4, 8, 1, -1: seen as -1, 1, 8, 4 */
                                  0xfbff, 0x7c00, 0x0001, 0x7e00}; /* -65504, inf, 2^-24, NaN */
    static const float smooth[9] = {2, 9, 9, 1, 9, 0.5f, 9, 9, 1};
    static const uint16_t smooth_half[4] = {0x4000, 0x3f80, 0x3f00, 0x3f80}; /* bfloat16 */
    /* -2, 1, 4, 4: 6 / 15 = 0.4, and 7 - 4 / 0.4 = -3; NaN, 2^-24, inf, -65504: 0, 7 - NaN. */
    static const int8_t expected[16] = {-8, 0, 7, 7, 9, 9, 9, 9, 0, 0, 0, 0, 9, 9, 9, 9};
    int8_t got[16];

    for (int kind = 0; kind < 2; kind++) {
        float scale[6] = {5, 5, 5, 5, 5, 5}, offset[6] = {5, 5, 5, 5, 5, 5};
        unsigned char y[8];
        const struct reference_tensor xt = {.type = REFERENCE_F16,
                                            .rank = 3,
                                            .shape = {2, 1, 4},
                                            .strides = {4, 77, -1},
                                            .data = (void *)(x + 3)};
        const struct reference_tensor mt = {
            .type = REFERENCE_F32, .rank = 2, .shape = {2, 2}, .strides = {5, 3}, .data = (void *)smooth};
        const struct reference_tensor bt =
            reference_dense(REFERENCE_BF16, 1, 1, (int64_t[]){4}, (void *)smooth_half);
        const struct reference_tensor yt = {
            .type = REFERENCE_I4, .rank = 3, .shape = {2, 1, 4}, .strides = {8, 8, 1}, .data = y};
        const struct reference_tensor st = {
            .type = REFERENCE_F32, .rank = 2, .shape = {2, 1}, .strides = {2, 50}, .data = scale};
        const struct reference_tensor ot = {
            .type = REFERENCE_F32, .rank = 2, .shape = {2, 1}, .strides = {3, 50}, .data = offset};

        memset(y, 0x99, sizeof(y));
        reference_dynamic_quantize(&(struct reference_dynamic_quantize_desc){
            .x = &xt, .axis = -1, .smooth_scale = kind ? &bt : &mt, .y = &yt, .scale = &st, .offset = &ot});
        for (int i = 0; i < 16; i++) {
            const int nibble = y[i / 2] >> (i % 2 * 4) & 15;

            got[i] = (int8_t)(nibble == 9 ? 9 : nibble > 7 ? nibble - 16 : nibble);
        }
        assert_memory_equal(got, expected, 16);
        expect_float("smooth", "scale", scale[0], 0x1.99999ap-2f);
        expect_float("smooth", "offset", offset[0], 3);
        expect_float("smooth", "scale", scale[2], INFINITY);
        expect_float("smooth", "offset", offset[3], NAN);
        assert_true(scale[1] == 5 && scale[3] == 5 && offset[1] == 5 && offset[2] == 5 && offset[4] == 5);
    }
}

/* No row has no scale; where what shares one is no row, one is there all the same. */
TEST(finds_scales_of_nothing)
{
    static const int64_t shape[] = {0, 4}, one[] = {1};
    float guard = 5, scale = 5, offset = 5;
    int8_t byte = 9;
    const struct reference_tensor xt = reference_dense(REFERENCE_F32, 1, 2, shape, &guard);
    const struct reference_tensor yt = reference_dense(REFERENCE_I8, 1, 2, shape, &byte);
    const struct reference_tensor of_rows = reference_dense(REFERENCE_F32, 1, 1, shape, &guard);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 1, one, &scale);
    const struct reference_tensor ot = reference_dense(REFERENCE_F32, 1, 1, one, &offset);

    reference_dynamic_quantize(&(struct reference_dynamic_quantize_desc){
        .x = &xt, .axis = -1, .y = &yt, .scale = &of_rows, .offset = &of_rows});
    assert_true(guard == 5);
    reference_dynamic_quantize(&(struct reference_dynamic_quantize_desc){
        .x = &xt, .all = true, .y = &yt, .scale = &st, .offset = &ot});
    assert_true(scale == 1e-12f && offset == -127);
    assert_int_equal(byte, 9);
}

/* The rows [a, a + 15]: scale 1, offset a + 8, and q is -8 and 7. A cache (2, 3, 2), two entries a call. */
struct place_case {
    const char *name;
    enum reference_range range;
    int columns;
    int64_t length;
    int64_t indices[4];
    float from[6]; /* what a row of the cache begins with; -1: it keeps what it has */
    uint32_t dropped, clamped, first;
};
static const struct place_case place_cases[] = {
    {"starts", REFERENCE_DROP, 1, 1, {2, 0}, {-1, -1, 100, 200, -1, -1}, 0, 0, 0},
    {"two rows an entry", REFERENCE_DROP, 1, 2, {1, 0}, {-1, 100, 101, 200, 201, -1}, 0, 0, 0},
    {"drop", REFERENCE_DROP, 1, 2, {2, 1}, {-1, -1, -1, -1, 200, 201}, 1, 0, 1},
    {"drop a batch", REFERENCE_DROP, 2, 1, {1, 1, 2, 0}, {-1, -1, -1, -1, 100, -1}, 1, 0, 2},
    {"clamp", REFERENCE_CLAMP, 2, 2, {-5, 9, 1, 0}, {-1, 100, 101, 200, 201, -1}, 0, 1, 1},
    {"wrap", REFERENCE_WRAP, 2, 2, {1, -1, 0, 5}, {201, -1, 200, 101, -1, 100}, 0, 0, 0},
    {"the last wins", REFERENCE_DROP, 2, 2, {0, 0, 0, 1}, {100, 200, 201, -1, -1, -1}, 0, 0, 0},
    {"the last wins at the seam", REFERENCE_WRAP, 2, 2, {0, 0, 0, -1}, {201, 101, 200, -1, -1, -1}, 0, 0, 0},
};

TEST(scatters_all_three)
{
    for (size_t i = 0; i < COUNT(place_cases); i++) {
        const struct place_case *c = &place_cases[i];
        float updates[8], scale[7], offset[7];
        int8_t cache[12];
        const struct reference_tensor ut =
            reference_dense(REFERENCE_F32, 1, 3, (int64_t[]){2, c->length, 2}, updates);
        const struct reference_tensor it =
            reference_dense(REFERENCE_I64, 1, c->columns, (int64_t[]){2, 2}, (void *)c->indices);
        const struct reference_tensor ct = reference_dense(REFERENCE_I4, 1, 3, (int64_t[]){2, 3, 2}, cache);
        const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 2, (int64_t[]){2, 3}, scale);
        const struct reference_tensor ot = reference_dense(REFERENCE_F32, 1, 2, (int64_t[]){2, 3}, offset);
        struct reference_report report;

        for (int64_t k = 0; k < 4 * c->length; k++)
            updates[k] = (float)(100 * (k / (2 * c->length) + 1) + k / 2 % c->length + k % 2 * 15);
        for (int k = 0; k < 7; k++)
            scale[k] = offset[k] = 5;
        memset(cache, 0x33, sizeof(cache));
        report = reference_dynamic_quantize_scatter(
            &(struct reference_dynamic_quantize_scatter_desc){.cache = &ct,
                                                              .cache_scale = &st,
                                                              .cache_offset = &ot,
                                                              .indices = &it,
                                                              .updates = &ut,
                                                              .axis = -2,
                                                              .range = c->range});
        assert_int_equal(report.dropped, c->dropped);
        assert_int_equal(report.clamped, c->clamped);
        assert_int_equal(report.first, c->first);
        for (int k = 0; k < 6; k++) {
            expect_float(c->name, "scale", scale[k], c->from[k] < 0 ? 5 : 1);
            expect_float(c->name, "offset", offset[k], c->from[k] < 0 ? 5 : c->from[k] + 8);
            assert_int_equal(cache[k], c->from[k] < 0 ? 0x33 : 0x78);
        }
        assert_true(scale[6] == 5 && offset[6] == 5);
        assert_int_equal(cache[6], 0x33);
    }
}

/* Per token and head, symmetric int8: one entry of two positions with two heads; no offset. The heads lie
 * outside the positions in scale, and inside them in the cache. */
TEST(scatters_heads)
{
    static const float updates[12] = {127, 0, 1, 254, 2, -3, 0, -381, 6, 508, 8, -508};
    static const int32_t index = 1;
    static const int8_t expected[18] = {5, 5, 5, 5, 5, 5, 127, 0, 1, 127, 1, -2, 0, -127, 2, 127, 2, -127};
    static const float scales[6] = {5, 1, 3, 5, 2, 4};
    float scale[6] = {5, 5, 5, 5, 5, 5};
    int8_t cache[18];
    const struct reference_tensor ut =
        reference_dense(REFERENCE_F32, 1, 4, (int64_t[]){1, 2, 2, 3}, (void *)updates);
    const struct reference_tensor it = reference_dense(REFERENCE_I32, 1, 1, (int64_t[]){1}, (void *)&index);
    const struct reference_tensor ct = reference_dense(REFERENCE_I8, 1, 4, (int64_t[]){1, 3, 2, 3}, cache);
    const struct reference_tensor st = {
        .type = REFERENCE_F32, .rank = 3, .shape = {1, 3, 2}, .strides = {6, 1, 3}, .data = scale};

    memset(cache, 5, sizeof(cache));
    reference_dynamic_quantize_scatter(&(struct reference_dynamic_quantize_scatter_desc){
        .cache = &ct, .cache_scale = &st, .indices = &it, .updates = &ut, .axis = 1, .symmetric = true});
    assert_memory_equal(cache, expected, sizeof(cache));
    assert_memory_equal(scale, scales, sizeof(scale));
}

/* The documented call: x (2, 1, 8) of bfloat16 into var (2, 3, 1, 8), seen as nibbles and as words; scale and
 * offset are (2, 3), or (2, 3, 1). The second index lies outside. */
TEST(documented_call)
{
    static const int32_t indices[2] = {2, 3};
    uint16_t x[16];
    const struct reference_tensor xt = reference_dense(REFERENCE_BF16, 1, 3, (int64_t[]){2, 1, 8}, x);
    const struct reference_tensor it = reference_dense(REFERENCE_I32, 1, 1, (int64_t[]){2}, (void *)indices);

    for (int i = 0; i < 16; i++) /* 0, 2, .., 12, 15 */
        x[i] = reference_narrow_bf16(i % 8 == 7 ? 15.0f : (float)(i % 8 * 2));
    for (int words = 0; words < 2; words++) {
        float scale[6] = {5, 5, 5, 5, 5, 5}, offset[6] = {5, 5, 5, 5, 5, 5};
        unsigned char var[24];
        const struct reference_tensor vt =
            reference_dense(REFERENCE_I4, words ? 8 : 1, 4, (int64_t[]){2, 3, 1, words ? 1 : 8}, var);
        const struct reference_tensor st =
            reference_dense(REFERENCE_F32, 1, words ? 3 : 2, (int64_t[]){2, 3, 1}, scale);
        const struct reference_tensor ot =
            reference_dense(REFERENCE_F32, 1, words ? 2 : 3, (int64_t[]){2, 3, 1}, offset);
        struct reference_report report;

        memset(var, 0x33, sizeof(var));
        report = reference_dynamic_quant_update_scatter_v2(
            &(struct reference_dynamic_quant_update_scatter_v2_desc){
                .x = &xt, .indices = &it, .var = &vt, .var_scale = &st, .var_offset = &ot});
        assert_int_equal(report.dropped, 1);
        assert_int_equal(report.clamped, 0);
        assert_int_equal(report.first, 2);
        for (int k = 0; k < 6; k++) {
            expect_float("documented", "scale", scale[k], k == 2 ? 1 : 5);
            expect_float("documented", "offset", offset[k], k == 2 ? 8 : 5);
        }
        /* -8 -6 -4 -2 0 2 4 7 */
        for (int k = 0; k < 24; k++)
            assert_int_equal(var[k], k == 8 ? 0xa8 : k == 9 ? 0xec : k == 10 ? 0x20 : k == 11 ? 0x74 : 0x33);
    }
}

/* Worked out by hand. Of two the factor is 0x1.6a09e6p-1, whose product with 3 is rounded. The fourth shows
 * the order: what the ones leave of 2^25 depends on which of them are added up first. */
TEST(turned)
{
    static const struct {
        int64_t r;
        float x[8], y[8];
    } cases[] = {
        {0, {1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8}},
        {2,
         {1, 2, 0, 0, 4, 4, -1, 1},
         {0x1.0f876c00p+1f, -0x1.6a09e6p-1f, 0, 0, 0x1.6a09e6p+2f, 0, 0, -0x1.6a09e6p+0f}},
        {8,
         {2, 0, 0, 0, 0, 0, 0, 2},
         {0x1.6a09e6p+0f, 0, 0, 0x1.6a09e6p+0f, 0, 0x1.6a09e6p+0f, 0x1.6a09e6p+0f, 0}},
        {4, {0x1p25f, 1, 1, 1, 1, 2, 3, 4}, {0x1p24f, 0x1p24f, 0x1p24f - 1, 0x1p24f, 5, -1, -2, 0}},
        {4, {INFINITY, 1, 1, 1, 0, 0, 0, 4}, {INFINITY, INFINITY, INFINITY, INFINITY, 2, -2, -2, 2}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        float v[8];

        memcpy(v, cases[i].x, sizeof v);
        reference_rotate(v, 8, cases[i].r);
        for (int k = 0; k < 8; k++)
            assert_true(v[k] == cases[i].y[k]);
    }
}

TESTS_MAIN("reference_dynamic")
