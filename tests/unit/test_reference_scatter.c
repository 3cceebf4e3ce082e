/* SPDX-License-Identifier: Apache-2.0 */
/* Pins the reference of quantize-and-scatter by values that were worked out by hand. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "tests.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_report(struct reference_report report, uint32_t dropped, uint32_t clamped, uint32_t first)
{
    assert_int_equal(report.dropped, dropped);
    assert_int_equal(report.clamped, clamped);
    assert_int_equal(report.first, first);
    assert_int_equal(report.reserved, 0);
}

/* Short names, so that a case is a line. */
enum { DROP = REFERENCE_DROP, CLAMP = REFERENCE_CLAMP, WRAP = REFERENCE_WRAP };
enum { STARTS = 1, PAIRS = 2 };
#define MOST     INT64_MAX
#define LEAST    INT64_MIN
#define BEYOND32 4294967296

/* Where the entries of updates go. The cache is (2, size) and full of 9; element u of entry i is 10(i + 1) +
 * u. An entry of indices is a start, or with PAIRS a batch and a start. */
struct place_case {
    const char *name;
    int range, columns;
    int64_t entries, length, size;
    int64_t indices[8];
    int8_t expected[10];
    uint32_t count, lowest; /* of the entries that were dropped, or with CLAMP clamped */
};

static const struct place_case place_cases[] = {
    {"starts", DROP, STARTS, 2, 2, 4, {1, 2}, {9, 10, 11, 9, 9, 9, 20, 21}, 0, 0},
    {"fewer entries than batches", DROP, STARTS, 1, 2, 4, {2}, {9, 9, 10, 11, 9, 9, 9, 9}, 0, 0},
    {"drop at either side", DROP, STARTS, 2, 2, 4, {-1, 3}, {9, 9, 9, 9, 9, 9, 9, 9}, 2, 0},
    {"drop one", DROP, STARTS, 2, 2, 4, {0, 3}, {10, 11, 9, 9, 9, 9, 9, 9}, 1, 1},
    {"drop the extremes", DROP, STARTS, 2, 2, 4, {LEAST, MOST}, {9, 9, 9, 9, 9, 9, 9, 9}, 2, 0},
    {"2^32 is not 0", DROP, STARTS, 2, 1, 4, {1, BEYOND32}, {9, 10, 9, 9, 9, 9, 9, 9}, 1, 1},
    {"the whole axis", DROP, STARTS, 2, 3, 3, {0, 1}, {10, 11, 12, 9, 9, 9}, 1, 1},
    {"clamp starts", CLAMP, STARTS, 2, 2, 4, {-1, 3}, {10, 11, 9, 9, 9, 9, 20, 21}, 2, 0},
    {"clamp what is right", CLAMP, STARTS, 2, 2, 4, {0, 2}, {10, 11, 9, 9, 9, 9, 20, 21}, 0, 0},
    {"clamp the extremes", CLAMP, STARTS, 2, 1, 4, {MOST, LEAST}, {9, 9, 9, 10, 20, 9, 9, 9}, 2, 0},
    {"clamp the whole axis", CLAMP, STARTS, 2, 3, 3, {0, 5}, {10, 11, 12, 20, 21, 22}, 1, 1},
    {"wrap starts", WRAP, STARTS, 2, 2, 4, {-1, 7}, {11, 9, 9, 10, 21, 9, 9, 20}, 0, 0},
    {"wrap from -8 and 8", WRAP, STARTS, 2, 2, 4, {-8, 8}, {10, 11, 9, 9, 20, 21, 9, 9}, 0, 0},
    /* 2^63 is 2 modulo 3 and 3 modulo 5: its negative is 1 and 2, and 2^63 - 1 is 1 and 2 as well. */
    {"wrap modulo 3", WRAP, STARTS, 2, 2, 3, {LEAST, MOST}, {9, 10, 11, 9, 20, 21}, 0, 0},
    {"wrap modulo 4", WRAP, STARTS, 2, 2, 4, {LEAST, MOST}, {10, 11, 9, 9, 21, 9, 9, 20}, 0, 0},
    {"wrap all of 5", WRAP, STARTS, 2, 5, 5, {LEAST, MOST}, {13, 14, 10, 11, 12, 23, 24, 20, 21, 22}, 0, 0},
    {"wrap a ring of 1", WRAP, STARTS, 2, 1, 1, {LEAST, MOST}, {10, 20}, 0, 0},
    {"more than batches", DROP, PAIRS, 3, 2, 4, {1, 0, 1, 2, 0, 2}, {9, 9, 30, 31, 10, 11, 20, 21}, 0, 0},
    {"one place, twice", DROP, PAIRS, 2, 2, 4, {1, 1, 1, 1}, {9, 9, 9, 9, 9, 20, 21, 9}, 0, 0},
    {"overlap from the left", DROP, PAIRS, 2, 2, 4, {1, 0, 1, 1}, {9, 9, 9, 9, 10, 20, 21, 9}, 0, 0},
    {"overlap from the right", DROP, PAIRS, 2, 2, 4, {1, 1, 1, 0}, {9, 9, 9, 9, 20, 21, 11, 9}, 0, 0},
    {"the last is dropped", DROP, PAIRS, 2, 2, 4, {0, 2, 0, 3}, {9, 9, 10, 11, 9, 9, 9, 9}, 1, 1},
    {"drop batches", DROP, PAIRS, 4, 2, 4, {1, 2, -1, 0, 2, 0, MOST, 0}, {9, 9, 9, 9, 9, 9, 10, 11}, 3, 1},
    {"batch 2^32 is not 0", DROP, PAIRS, 2, 2, 4, {BEYOND32, 0, LEAST, 0}, {9, 9, 9, 9, 9, 9, 9, 9}, 2, 0},
    {"clamp batches", CLAMP, PAIRS, 3, 2, 4, {-1, 1, 2, -7, 0, 2}, {9, 10, 30, 31, 20, 21, 9, 9}, 2, 0},
    {"clamp both, count one", CLAMP, PAIRS, 2, 2, 4, {0, 0, MOST, LEAST}, {10, 11, 9, 9, 20, 21, 9, 9}, 1, 1},
    {"clamp onto another", CLAMP, PAIRS, 2, 2, 4, {0, 1, 0, 9}, {9, 10, 20, 21, 9, 9, 9, 9}, 1, 1},
    {"wrap drops batches", WRAP, PAIRS, 3, 2, 4, {0, 5, 2, 0, -1, -1}, {9, 10, 11, 9, 9, 9, 9, 9}, 2, 1},
    {"wrap over the first", WRAP, PAIRS, 2, 2, 4, {0, 3, 0, 0}, {20, 21, 9, 10, 9, 9, 9, 9}, 0, 0},
    {"wrap over the last", WRAP, PAIRS, 2, 2, 4, {0, 0, 0, -1}, {21, 11, 9, 20, 9, 9, 9, 9}, 0, 0},
};

/* The numbers of indices lie `apart` from one another, and what lies between them is a valid batch and start.
 */
static void run_place(const struct place_case *c, enum reference_type type, int64_t apart)
{
    static const float one = 1.0f;
    int64_t wide[24];
    int32_t narrow[24];
    float updates[10];
    int8_t cache[12];
    const struct reference_tensor it = {.type = type,
                                        .rank = c->columns,
                                        .shape = {c->entries, 2},
                                        .strides = {c->columns * apart, apart},
                                        .data = type == REFERENCE_I64 ? (void *)wide : (void *)narrow};
    const struct reference_tensor ut =
        reference_dense(REFERENCE_F32, 1, 2, (int64_t[]){c->entries, c->length}, updates);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 0, NULL, (void *)&one);
    const struct reference_tensor ct =
        reference_dense(REFERENCE_I8, 1, 2, (int64_t[]){2, c->size}, cache + 1);

    for (int i = 0; i < 24; i++) {
        wide[i] = i % apart == 0 && i / apart < 8 ? c->indices[i / apart] : 0;
        narrow[i] = (int32_t)wide[i];
    }
    for (int i = 0; i < c->entries * c->length; i++)
        updates[i] = (float)(10 * (i / c->length + 1) + i % c->length);
    memset(cache, 9, sizeof(cache));
    assert_report(reference_quantize_scatter(
                      &(struct reference_quantize_scatter_desc){.cache = &ct,
                                                                .indices = &it,
                                                                .updates = &ut,
                                                                .scales = &st,
                                                                .axis = -1,
                                                                .range = (enum reference_range)c->range}),
                  c->range == CLAMP ? 0 : c->count, c->range == CLAMP ? c->count : 0,
                  c->count ? c->lowest + 1 : 0);
    assert_memory_equal(cache + 1, c->expected, (size_t)(2 * c->size));
    assert_int_equal(cache[0], 9);
    assert_int_equal(cache[1 + 2 * c->size], 9);
}

static bool fits_int32(const struct place_case *c)
{
    for (size_t i = 0; i < COUNT(c->indices); i++)
        if (c->indices[i] != (int32_t)c->indices[i])
            return false;
    return true;
}

TEST(places_every_entry)
{
    for (size_t i = 0; i < COUNT(place_cases); i++) {
        print_message("  %s\n", place_cases[i].name);
        for (int64_t apart = 1; apart <= 3; apart++) {
            run_place(&place_cases[i], REFERENCE_I64, apart);
            if (fits_int32(&place_cases[i]))
                run_place(&place_cases[i], REFERENCE_I32, apart);
        }
    }
}

/* The ends of int32 as starts of a ring of 3: -2^31 is 1 and 2^31 - 1 is 1 modulo 3. */
TEST(wraps_the_ends_of_int32)
{
    static const float updates[4] = {10.0f, 11.0f, 20.0f, 21.0f};
    static const float one = 1.0f;
    static const int32_t indices[2] = {INT32_MIN, INT32_MAX};
    static const int8_t expected[6] = {9, 10, 11, 9, 20, 21};
    int8_t cache[6] = {9, 9, 9, 9, 9, 9};
    const struct reference_tensor it = reference_dense(REFERENCE_I32, 1, 1, (int64_t[]){2}, (void *)indices);
    const struct reference_tensor ut =
        reference_dense(REFERENCE_F32, 1, 2, (int64_t[]){2, 2}, (void *)updates);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 0, NULL, (void *)&one);
    const struct reference_tensor ct = reference_dense(REFERENCE_I8, 1, 2, (int64_t[]){2, 3}, cache);

    assert_report(
        reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
            .cache = &ct, .indices = &it, .updates = &ut, .scales = &st, .axis = 1, .range = REFERENCE_WRAP}),
        0, 0, 0);
    assert_memory_equal(cache, expected, 6);
}

/* A cache (1, 2, 3, 2) that is a slice of a bigger one: heads 10 bytes apart, rows 3. One row a head comes
 * from updates that lie the other way round, float16; (1, 2), (3, 4) divided by (0.5, 0.25), which lie two
 * apart in the shape (2, 1), plus the zero points (1, -1). */
TEST(writes_into_a_slice)
{
    static const uint16_t updates[4] = {0x3c00, 0x4200, 0x4000, 0x4400}; /* 1, 3, 2, 4 */
    static const float scales[3] = {0.5f, 1e9f, 0.25f};
    static const int8_t zero_points[2] = {1, -1};
    static const int64_t index = 1;
    static const int8_t expected[20] = {0, 0, 0, 3, 7, 0, 0, 0, 0, 0, 0, 0, 0, 7, 15, 0, 0, 0, 0, 0};
    int8_t cache[20] = {0};
    const struct reference_tensor ut = {.type = REFERENCE_F16,
                                        .rank = 4,
                                        .shape = {1, 2, 1, 2},
                                        .strides = {100, 1, 50, 2},
                                        .data = (void *)updates};
    const struct reference_tensor it = reference_dense(REFERENCE_I64, 1, 1, (int64_t[]){1}, (void *)&index);
    const struct reference_tensor st = {
        .type = REFERENCE_F32, .rank = 2, .shape = {2, 1}, .strides = {2, 0}, .data = (void *)scales};
    const struct reference_tensor zt =
        reference_dense(REFERENCE_I8, 1, 1, (int64_t[]){2}, (void *)zero_points);
    const struct reference_tensor ct = {
        .type = REFERENCE_I8, .rank = 4, .shape = {1, 2, 3, 2}, .strides = {20, 10, 3, 1}, .data = cache};

    assert_report(
        reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
            .cache = &ct, .indices = &it, .updates = &ut, .scales = &st, .zero_points = &zt, .axis = -2}),
        0, 0, 0);
    assert_memory_equal(cache, expected, 20);
}

/* Of eight dimensions the axis is the second: positions 3 and 0 of a ring of 4, two elements each.
 * Multiplied, into uint8: 3 * 100 = 300, 5 * 0.5 = 2.5, -1 * 100, 7 * 0.5 = 3.5. */
TEST(scatters_rank_eight)
{
    static const float updates[4] = {3.0f, 5.0f, -1.0f, 7.0f};
    static const float scales[2] = {100.0f, 0.5f};
    static const int32_t index[2] = {0, -1};
    static const unsigned char expected[8] = {0, 4, 9, 9, 9, 9, 255, 2};
    unsigned char cache[8];
    const struct reference_tensor it = reference_dense(REFERENCE_I32, 1, 2, (int64_t[]){1, 2}, (void *)index);
    const struct reference_tensor ut =
        reference_dense(REFERENCE_F32, 1, 8, (int64_t[]){1, 2, 1, 1, 1, 1, 1, 2}, (void *)updates);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 1, (int64_t[]){2}, (void *)scales);
    const struct reference_tensor ct =
        reference_dense(REFERENCE_U8, 1, 8, (int64_t[]){1, 4, 1, 1, 1, 1, 1, 2}, cache);
    struct reference_quantize_scatter_desc desc = {.cache = &ct,
                                                   .indices = &it,
                                                   .updates = &ut,
                                                   .scales = &st,
                                                   .multiply = true,
                                                   .range = REFERENCE_WRAP};

    for (desc.axis = -7; desc.axis <= 1; desc.axis += 8) {
        memset(cache, 9, sizeof(cache));
        assert_report(reference_quantize_scatter(&desc), 0, 0, 0);
        assert_memory_equal(cache, expected, 8);
    }
}

/* Where axis is the last, the scale goes by the index in updates and not by the place in the cache: 6 / 1 and
 * 6 / 2 to positions 3 and 0. */
TEST(takes_the_scale_of_updates)
{
    static const float updates[2] = {6.0f, 6.0f};
    static const float scales[2] = {1.0f, 2.0f};
    static const int32_t index = 3;
    static const int8_t expected[4] = {3, 9, 9, 6};
    int8_t cache[4] = {9, 9, 9, 9};
    const struct reference_tensor it = reference_dense(REFERENCE_I32, 1, 1, (int64_t[]){1}, (void *)&index);
    const struct reference_tensor ut =
        reference_dense(REFERENCE_F32, 1, 3, (int64_t[]){1, 1, 2}, (void *)updates);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 1, (int64_t[]){2}, (void *)scales);
    const struct reference_tensor ct = reference_dense(REFERENCE_I8, 1, 3, (int64_t[]){1, 1, 4}, cache);

    reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
        .cache = &ct, .indices = &it, .updates = &ut, .scales = &st, .axis = 2, .range = REFERENCE_WRAP});
    assert_memory_equal(cache, expected, 4);
}

/* Six scales in the shape (3, 2), stored column by column, count row by row: 1, 2, 3, 4, 5, 6. */
TEST(ignores_the_shape_of_scales)
{
    static const float update = 60.0f;
    static const float scales[6] = {1.0f, 3.0f, 5.0f, 2.0f, 4.0f, 6.0f};
    static const int32_t index = 0;
    static const int8_t expected[6] = {60, 30, 20, 15, 12, 10};
    int8_t cache[6] = {0};
    const struct reference_tensor it = reference_dense(REFERENCE_I32, 1, 1, (int64_t[]){1}, (void *)&index);
    const struct reference_tensor ut = {
        .type = REFERENCE_F32, .rank = 3, .shape = {1, 1, 6}, .data = (void *)&update};
    const struct reference_tensor st = {
        .type = REFERENCE_F32, .rank = 2, .shape = {3, 2}, .strides = {1, 3}, .data = (void *)scales};
    const struct reference_tensor ct = reference_dense(REFERENCE_I8, 1, 3, (int64_t[]){1, 1, 6}, cache);

    reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
        .cache = &ct, .indices = &it, .updates = &ut, .scales = &st, .axis = 1});
    assert_memory_equal(cache, expected, 6);
}

/* Rows of eight int4, four bytes each and eight apart in every container: rows 2 and 0 of a ring of 3. */
TEST(packs_int4_rows)
{
    static const float updates[16] = {1.0f, 2.0f,  3.0f,  -8.0f, 7.0f,  -1.0f, 0.0f, 6.0f,
                                      9.0f, -9.0f, -2.0f, 4.0f,  -7.0f, 5.0f,  1.0f, -6.0f};
    static const float one = 1.0f;
    static const int64_t index = -1;
    static const unsigned char expected[24] = {0x87, 0x4e, 0x59, 0xa1, 0xa5, 0xa5, 0xa5, 0xa5,
                                               0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
                                               0x21, 0x83, 0xf7, 0x60, 0xa5, 0xa5, 0xa5, 0xa5};
    const struct reference_tensor it = reference_dense(REFERENCE_I64, 1, 1, (int64_t[]){1}, (void *)&index);
    const struct reference_tensor ut =
        reference_dense(REFERENCE_F32, 1, 3, (int64_t[]){1, 2, 8}, (void *)updates);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 1, (int64_t[]){1}, (void *)&one);

    for (int lanes = 1; lanes <= 8; lanes *= lanes == 2 ? 4 : 2) {
        unsigned char cache[24];
        const struct reference_tensor ct = {.type = REFERENCE_I4,
                                            .lanes = lanes,
                                            .rank = 3,
                                            .shape = {1, 3, 8 / lanes},
                                            .strides = {48 / lanes, 16 / lanes, 1},
                                            .data = cache};

        memset(cache, 0xa5, sizeof(cache));
        reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
            .cache = &ct, .indices = &it, .updates = &ut, .scales = &st, .axis = 1, .range = REFERENCE_WRAP});
        assert_memory_equal(cache, expected, 24);
    }
}

/* Updates of no elements, and a cache of no batches: the first says nothing, and in the second every entry is
 * out of range under each policy. */
TEST(reports_what_is_empty)
{
    static const float update = 1.0f;
    static const int32_t indices[4] = {0, 0, 5, 5};
    int8_t byte = 9;
    const struct reference_tensor it =
        reference_dense(REFERENCE_I32, 1, 2, (int64_t[]){2, 2}, (void *)indices);
    const struct reference_tensor ut = {
        .type = REFERENCE_F32, .rank = 2, .shape = {2, 1}, .data = (void *)&update};
    const struct reference_tensor none = {.type = REFERENCE_F32, .rank = 2, .shape = {2, 0}};
    const struct reference_tensor ct = reference_dense(REFERENCE_I8, 1, 2, (int64_t[]){0, 4}, &byte);
    struct reference_quantize_scatter_desc desc = {
        .cache = &ct, .indices = &it, .scales = &ut, .updates = &ut, .axis = 1};

    for (desc.range = REFERENCE_DROP; desc.range <= REFERENCE_WRAP; desc.range++) {
        desc.updates = &ut;
        assert_report(reference_quantize_scatter(&desc), 2, 0, 1);
        desc.updates = &none;
        assert_report(reference_quantize_scatter(&desc), 0, 0, 0);
    }
    assert_int_equal(byte, 9);
}

/* Slots of a cache (2, 3, 1) of nines: the last of two at 4 wins, -1 goes nowhere without a word, 6, -2 and
 * 2^33 are dropped. */
TEST(places_slots)
{
    static const float updates[7] = {1, 2, 3, 4, 5, 6, 7}, one = 1.0f;
    static const int64_t indices[7] = {4, 6, -1, 4, -2, 0, INT64_C(1) << 33};
    static const int8_t expected[6] = {6, 9, 9, 9, 4, 9};
    int8_t cache[6];
    const struct reference_tensor ct = reference_dense(REFERENCE_I8, 1, 3, (int64_t[]){2, 3, 1}, cache);
    const struct reference_tensor ut =
        reference_dense(REFERENCE_F32, 1, 3, (int64_t[]){7, 1, 1}, (void *)updates);
    const struct reference_tensor it = reference_dense(REFERENCE_I64, 1, 1, (int64_t[]){7}, (void *)indices);
    const struct reference_tensor st = {.type = REFERENCE_F32, .data = (void *)&one};

    memset(cache, 9, sizeof(cache));
    assert_report(reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
                      .cache = &ct, .indices = &it, .updates = &ut, .scales = &st, .axis = 1, .slots = true}),
                  3, 0, 2);
    assert_memory_equal(cache, expected, sizeof(cache));
}

/* The documents' cache (24, 4096, 128) and updates (24, 1, 128), with scales and zero points (1, 1, 128), all
 * but the cache bfloat16: batch i gets rint(1.5 / 0.5 + 0.75) = 4 in row 178i, and the last is dropped, being
 * at 4096. input keeps its bytes; in place the same happens to it. */
TEST(npu_quant_scatter_of_the_documents)
{
    static const uint16_t values[3] = {0x3fc0, 0x3f00, 0x3f40}; /* 1.5, 0.5, 0.75 */
    const int64_t shape[3] = {24, 4096, 128};
    const size_t size = (size_t)(24 * 4096 * 128);
    int8_t *input = malloc(size);
    int8_t *output = malloc(size);
    int32_t indices[24];
    const struct reference_tensor in = reference_dense(REFERENCE_I8, 1, 3, shape, input);
    const struct reference_tensor out = reference_dense(REFERENCE_I8, 1, 3, shape, output);
    const struct reference_tensor it = reference_dense(REFERENCE_I32, 1, 1, shape, indices);
    const struct reference_tensor ut = {
        .type = REFERENCE_BF16, .rank = 3, .shape = {24, 1, 128}, .data = (void *)&values[0]};
    const struct reference_tensor st = {
        .type = REFERENCE_BF16, .rank = 3, .shape = {1, 1, 128}, .data = (void *)&values[1]};
    const struct reference_tensor zt = {
        .type = REFERENCE_BF16, .rank = 3, .shape = {1, 1, 128}, .data = (void *)&values[2]};
    struct reference_npu_quant_scatter_desc desc = {.self = &out,
                                                    .indices = &it,
                                                    .updates = &ut,
                                                    .quant_scales = &st,
                                                    .quant_zero_points = &zt,
                                                    .axis = -2};

    assert_non_null(input);
    assert_non_null(output);
    for (int i = 0; i < 24; i++)
        indices[i] = i == 23 ? 4096 : 178 * i;
    memset(input, -3, size);
    memset(output, 55, size);
    assert_report(reference_npu_quant_scatter(&in, &desc), 1, 0, 24);
    for (size_t at = 0; at < size; at++) {
        const int batch = (int)(at / (4096 * 128));
        const int row = (int)(at / 128 % 4096);

        if (input[at] != -3 || output[at] != (batch < 23 && row == 178 * batch ? 4 : -3))
            fail_msg("byte %zu: input %d, output %d", at, input[at], output[at]);
    }
    desc.self = &in;
    assert_report(reference_npu_quant_scatter_(&desc), 1, 0, 24);
    assert_memory_equal(input, output, size);
    free(input);
    free(output);
}

/* The documents' other shapes: updates (1, 11, 1, 32) as large as the cache, one pair of indices. Value (h,
 * c) is 2h - c, divided by 1, without zero points. */
TEST(npu_quant_scatter_replaces_all)
{
    static const float one = 1.0f;
    static const int32_t indices[2] = {0, 0};
    const int64_t shape[4] = {1, 11, 1, 32};
    uint16_t updates[11 * 32];
    int8_t cache[11 * 32];
    const struct reference_tensor ct = reference_dense(REFERENCE_I8, 1, 4, shape, cache);
    const struct reference_tensor ut = reference_dense(REFERENCE_BF16, 1, 4, shape, updates);
    const struct reference_tensor it =
        reference_dense(REFERENCE_I32, 1, 2, (int64_t[]){1, 2}, (void *)indices);
    const struct reference_tensor st = {
        .type = REFERENCE_F32, .rank = 4, .shape = {1, 1, 1, 32}, .data = (void *)&one};

    for (int i = 0; i < 11 * 32; i++)
        updates[i] = reference_narrow_bf16((float)(2 * (i / 32) - i % 32));
    memset(cache, 99, sizeof(cache));
    assert_report(reference_npu_quant_scatter_(&(struct reference_npu_quant_scatter_desc){
                      .self = &ct, .indices = &it, .updates = &ut, .quant_scales = &st, .axis = -2}),
                  0, 0, 0);
    for (int i = 0; i < 11 * 32; i++)
        assert_int_equal(cache[i], 2 * (i / 32) - i % 32);
}

TESTS_MAIN("reference_scatter")
