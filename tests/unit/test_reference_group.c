/* SPDX-License-Identifier: Apache-2.0 */
/* Pins the reference of group quantization by values that were worked out by hand, and by the documents'. */
#include <stdint.h>
#include <string.h>

#include "reference.h"
#include "tests.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_report(struct reference_report report, uint32_t dropped, uint32_t first)
{
    assert_int_equal(report.dropped, dropped);
    assert_int_equal(report.first, first);
    assert_int_equal(report.clamped, 0);
    assert_int_equal(report.reserved, 0);
}

/* The example that is printed for npu_group_quant: float16 rows, float32 scales and offset, an empty group.
 */
TEST(npu_group_quant_as_printed)
{
    static const float x[24] = {
        1.0029296875f, -1.2373046875f,    1.0107421875f,  -0.26806640625f, 0.5791015625f,  0.110107421875f,
        1.005859375f,  -0.9658203125f,    -1.763671875f,  1.7587890625f,   -1.3193359375f, 0.39892578125f,
        1.326171875f,  0.4853515625f,     1.955078125f,   0.9697265625f,   -0.876953125f,  -1.8828125f,
        2.177734375f,  -0.0050010681152f, 0.47216796875f, 0.560546875f,    0.82666015625f, -0.98095703125f,
    };
    static const float scale[16] = {
        -0.2710f, -0.9381f, 0.2850f,  -1.1230f, 0.5217f,  -0.7233f, -0.1730f, -0.1245f,
        -1.5433f, -0.9129f, -2.2095f, 1.7371f,  -0.8253f, 0.3973f,  0.1430f,  0.3885f,
    };
    static const int32_t group_index[4] = {1, 4, 6, 6};
    static const float offset = -1.1658f;
    static const int8_t expected[24] = {-1, 0,  -1, -1, -1, -1, -1, -1, -2, -2, -1, -1,
                                        0,  -2, -2, -1, 0,  1,  -6, -1, -2, -2, -3, -3};
    const int64_t x_shape[2] = {6, 4};
    const int64_t scale_shape[2] = {4, 4};
    const int64_t one = 1;
    uint16_t halves[24];
    int8_t y[24];
    const struct reference_tensor xt = reference_dense(REFERENCE_F16, 1, 2, x_shape, halves);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 2, scale_shape, (void *)scale);
    const struct reference_tensor gt = reference_dense(REFERENCE_I32, 1, 1, scale_shape, (void *)group_index);
    const struct reference_tensor ot = reference_dense(REFERENCE_F32, 1, 1, &one, (void *)&offset);
    const struct reference_tensor yt = reference_dense(REFERENCE_I8, 1, 2, x_shape, y);

    for (int i = 0; i < 24; i++)
        halves[i] = reference_narrow_f16(x[i]);
    assert_report(reference_npu_group_quant(&(struct reference_npu_group_quant_desc){
                      .x = &xt, .scale = &st, .group_index = &gt, .offset = &ot, .y = &yt}),
                  0, 0);
    assert_memory_equal(y, expected, 24);
}

struct search_case {
    const char *name;
    int64_t group_index[4];
    int64_t groups;
    int8_t expected[6]; /* the group of each row; -1 is a row of none */
    uint32_t dropped;
    uint32_t first;
    bool only_int64;
};

static const struct search_case search_cases[] = {
    {"one group", {6}, 1, {0, 0, 0, 0, 0, 0}, 0, 0, false},
    {"empty groups at both ends and between", {0, 2, 2, 6}, 4, {1, 1, 3, 3, 3, 3}, 0, 0, false},
    {"the last groups are empty", {3, 6, 6, 6}, 4, {0, 0, 0, 1, 1, 1}, 0, 0, false},
    {"the last row has no group", {1, 1, 5}, 3, {0, 2, 2, 2, 2, -1}, 1, 6, false},
    {"an end past the rows", {2, 9}, 2, {0, 0, 1, 1, 1, 1}, 0, 0, false},
    {"all ends at or below 0", {INT32_MIN, -1, 0}, 3, {-1, -1, -1, -1, -1, -1}, 6, 1, false},
    /* The halving looks at group 2, then 1 or 3, then perhaps 0: a scan would find group 0 for rows 0 to 4.
     */
    {"unsorted", {5, 1, 3, 0}, 4, {0, 2, 2, -1, -1, -1}, 3, 4, false},
    {"falling", {INT32_MAX, INT32_MIN}, 2, {-1, -1, -1, -1, -1, -1}, 6, 1, false},
    {"the ends of int64", {INT64_MIN, INT64_MAX}, 2, {1, 1, 1, 1, 1, 1}, 0, 0, true},
    {"2^32 is not 0", {4294967296}, 1, {0, 0, 0, 0, 0, 0}, 0, 0, true},
    {"-2^32 + 6 is not 6", {-4294967290}, 1, {-1, -1, -1, -1, -1, -1}, 6, 1, true},
};

/* x is 1 and group g has the scale g + 1, so the result names the group. The
 * entries of group_index lie two apart, and what lies between them would be a group of its own. */
static void run_search(const struct search_case *c, enum reference_type type)
{
    static const float one = 1.0f;
    static const float scale[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    int64_t wide[8];
    int32_t narrow[8];
    int8_t y[6] = {-77, -77, -77, -77, -77, -77};
    const struct reference_tensor xt = {
        .type = REFERENCE_F32, .rank = 2, .shape = {6, 1}, .data = (void *)&one};
    const struct reference_tensor st = {
        .type = REFERENCE_F32, .rank = 2, .shape = {c->groups, 1}, .strides = {1, 1}, .data = (void *)scale};
    const struct reference_tensor gt = {.type = type,
                                        .rank = 1,
                                        .shape = {c->groups},
                                        .strides = {2},
                                        .data = type == REFERENCE_I64 ? (void *)wide : (void *)narrow};
    const struct reference_tensor yt = {
        .type = REFERENCE_I8, .rank = 2, .shape = {6, 1}, .strides = {1, 1}, .data = y};

    for (int i = 0; i < 8; i++) {
        wide[i] = i % 2 ? 3 : c->group_index[i / 2];
        narrow[i] = (int32_t)wide[i];
    }
    assert_report(reference_group_quantize(&(struct reference_group_quantize_desc){
                      .x = &xt, .scale = &st, .group_index = &gt, .y = &yt}),
                  c->dropped, c->first);
    for (int row = 0; row < 6; row++)
        assert_int_equal(y[row], c->expected[row] < 0 ? -77 : c->expected[row] + 1);
}

TEST(finds_the_group)
{
    for (size_t i = 0; i < COUNT(search_cases); i++) {
        print_message("  %s\n", search_cases[i].name);
        run_search(&search_cases[i], REFERENCE_I64);
        if (!search_cases[i].only_int64)
            run_search(&search_cases[i], REFERENCE_I32);
    }
}

/* A scale per group and column, bfloat16; the offset a float16 of 0.5 that is added before the one rounding.
 * 2*3 + 0.5 = 6.5, 2*2 + 0.5 = 4.5, 2*0.5 + 0.5 = 1.5, 2*-0.5 + 0.5 = -0.5, each to the even neighbour. */
TEST(adds_the_offset_before_rounding)
{
    static const uint16_t scale[4] = {0x4040, 0x4000, 0x3f00, 0xbf00}; /* 3, 2, 0.5, -0.5 */
    static const uint16_t half = 0x3800;
    static const float x[4] = {2.0f, 2.0f, 2.0f, 2.0f};
    static const int64_t group_index[2] = {1, 2};
    static const int8_t expected[4] = {6, 4, 2, 0};
    const int64_t shape[2] = {2, 2};
    int8_t y[4] = {99, 99, 99, 99};
    const struct reference_tensor xt = reference_dense(REFERENCE_F32, 1, 2, shape, (void *)x);
    const struct reference_tensor st = reference_dense(REFERENCE_BF16, 1, 2, shape, (void *)scale);
    const struct reference_tensor gt = reference_dense(REFERENCE_I64, 1, 1, shape, (void *)group_index);
    const struct reference_tensor ot = reference_dense(REFERENCE_F16, 1, 0, NULL, (void *)&half);
    const struct reference_tensor yt = reference_dense(REFERENCE_I8, 1, 2, shape, y);

    assert_report(reference_group_quantize(&(struct reference_group_quantize_desc){
                      .x = &xt, .scale = &st, .group_index = &gt, .offset = &ot, .y = &yt}),
                  0, 0);
    assert_memory_equal(y, expected, 4);
}

/* Rows of eight int4, six bytes apart, the third of no group: its bytes and those between the rows stay. */
TEST(packs_rows_at_strides)
{
    static const float x[8] = {1.0f, 2.0f, 3.0f, -8.0f, 7.0f, -1.0f, 0.0f, 6.0f};
    static const float scale[2] = {1.0f, -1.0f}; /* the second: -1, -2, -3, 7, -7, 1, 0, -6 */
    static const int32_t group_index[2] = {1, 2};
    static const unsigned char expected[16] = {0x21, 0x83, 0xf7, 0x60, 0xa5, 0xa5, 0xef, 0x7d,
                                               0x19, 0xa0, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5};
    static const int lanes[2] = {1, 2};
    const struct reference_tensor xt = {
        .type = REFERENCE_F32, .rank = 2, .shape = {3, 8}, .strides = {0, 1}, .data = (void *)x};
    const struct reference_tensor st = {
        .type = REFERENCE_F32, .rank = 2, .shape = {2, 8}, .strides = {1, 0}, .data = (void *)scale};
    const struct reference_tensor gt = {
        .type = REFERENCE_I32, .rank = 1, .shape = {2}, .strides = {1}, .data = (void *)group_index};

    for (size_t i = 0; i < COUNT(lanes); i++) {
        unsigned char y[16];
        const struct reference_tensor yt = {.type = REFERENCE_I4,
                                            .lanes = lanes[i],
                                            .rank = 2,
                                            .shape = {3, 8 / lanes[i]},
                                            .strides = {12 / lanes[i], 1},
                                            .data = y};

        memset(y, 0xa5, sizeof(y));
        assert_report(reference_group_quantize(&(struct reference_group_quantize_desc){
                          .x = &xt, .scale = &st, .group_index = &gt, .y = &yt}),
                      1, 3);
        assert_memory_equal(y, expected, 16);
    }
}

/* quint4x2: an int32 word of eight, which is the same bytes. */
TEST(packs_words)
{
    static const float x[8] = {1.0f, 2.0f, 3.0f, -8.0f, 7.0f, -1.0f, 0.0f, 6.0f};
    static const unsigned char expected[4] = {0x21, 0x83, 0xf7, 0x60};
    static const float ones[8] = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    static const int32_t group_index = 1;
    const int64_t shape[2] = {1, 8};
    const int64_t words[2] = {1, 1};
    unsigned char y[4] = {0, 0, 0, 0};
    const struct reference_tensor xt = reference_dense(REFERENCE_F32, 1, 2, shape, (void *)x);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 2, shape, (void *)ones);
    const struct reference_tensor gt = reference_dense(REFERENCE_I32, 1, 1, words, (void *)&group_index);
    const struct reference_tensor yt = reference_dense(REFERENCE_I4, 8, 2, words, y);

    reference_npu_group_quant(
        &(struct reference_npu_group_quant_desc){.x = &xt, .scale = &st, .group_index = &gt, .y = &yt});
    assert_memory_equal(y, expected, 4);
}

/* No rows, or rows of no elements: nothing is counted, though no group has a row. */
TEST(counts_nothing_where_nothing_is_written)
{
    static const int32_t group_index[1] = {0};
    const struct reference_tensor st = {.type = REFERENCE_F32, .rank = 2, .shape = {1, 0}};
    const struct reference_tensor gt = {
        .type = REFERENCE_I32, .rank = 1, .shape = {1}, .strides = {1}, .data = (void *)group_index};
    const struct reference_tensor empty = {.type = REFERENCE_F32, .rank = 2, .shape = {4, 0}};

    assert_report(reference_group_quantize(&(struct reference_group_quantize_desc){
                      .x = &empty, .scale = &st, .group_index = &gt, .y = &empty}),
                  0, 0);
}

TESTS_MAIN("reference_group")
