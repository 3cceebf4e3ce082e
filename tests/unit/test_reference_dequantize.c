/* SPDX-License-Identifier: Apache-2.0 */
/* Pins the reference of dequantization by values that were worked out by hand. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "dequantize.h"
#include "tests.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One value: each step is rounded, the zero point is taken off as it is. */
TEST(one_value)
{
    static const struct {
        float q, scale, zero_point;
        enum reference_undo mode;
        float expected;
    } rows[] = {
        {5, 0.5f, 2, REFERENCE_UNDO_DIVIDE, 1.5f},
        {5, 0.5f, 2, REFERENCE_UNDO_MULTIPLY, 6},
        {5, 0.5f, 2, REFERENCE_UNDO_DYNAMIC, 3.5f},
        {7, 0.1f, 0.4f, REFERENCE_UNDO_DIVIDE, 0x1.51eb86p-1f}, /* 6.6 and 0.66, each to the nearest */
        {1, 3, 0, REFERENCE_UNDO_MULTIPLY, 0x1.555556p-2f},
        {0, 0x1p-126f, -0.5f, REFERENCE_UNDO_DIVIDE, 0x1p-127f},
        {0, 0x1p100f, 0x1p-149f, REFERENCE_UNDO_DIVIDE, -0x1p-49f}, /* a subnormal zero point counts */
        {-3, 0x1p-149f, -2.5f, REFERENCE_UNDO_DIVIDE, -0.0f},       /* a tie, to even */
        {-3, 0x1p-149f, -1.5f, REFERENCE_UNDO_DIVIDE, -0x1p-148f},
        {16777216, 1, -1, REFERENCE_UNDO_DIVIDE, 16777216}, /* 2^24 + 1 is no float */
        {2, 0, 2, REFERENCE_UNDO_MULTIPLY, NAN},
        {3, 0, 2, REFERENCE_UNDO_MULTIPLY, INFINITY},
        {3, -0.0f, 2, REFERENCE_UNDO_MULTIPLY, -INFINITY},
        {2, INFINITY, 2, REFERENCE_UNDO_DIVIDE, NAN},
        {0, 1, -0.0f, REFERENCE_UNDO_DYNAMIC, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const float got =
            reference_dequantize_one(rows[i].q, rows[i].scale, &rows[i].zero_point, rows[i].mode);

        if (isnan(rows[i].expected) ? !isnan(got) : memcmp(&got, &rows[i].expected, sizeof(got)) != 0)
            fail_msg("row %zu gave %a, not %a", i, (double)got, (double)rows[i].expected);
    }
    assert_true(reference_dequantize_one(5, 0.5f, NULL, REFERENCE_UNDO_DYNAMIC) == 2.5f);
    assert_true(reference_dequantize_one(5, 0.5f, NULL, REFERENCE_UNDO_MULTIPLY) == 10);
}

/* int4 per column to float16: what does not fit is infinite, every NaN is the same. */
TEST(per_column)
{
    static const uint8_t q[4] = {0x81, 0x70, 0x2f, 0x00}; /* 1 -8 0 7, -1 2 0 0 */
    static const float scale[4] = {0.5f, 10000, -NAN, 0x1p-25f};
    static const uint16_t expected[8] = {0x3800, 0xfc00, 0x7e00, 0x0004, 0xb800, 0x74e2, 0x7e00, 0x0000};
    const int64_t q_shape[2] = {2, 2}, y_shape[2] = {2, 4}, columns = 4;
    uint16_t y[8];
    const struct reference_tensor qt = reference_dense(REFERENCE_I4, 2, 2, q_shape, (void *)q);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 1, &columns, (void *)scale);
    const struct reference_tensor yt = reference_dense(REFERENCE_F16, 1, 2, y_shape, y);

    /* 7 * 2^-25 is 3.5 units of the smallest float16: the even one is 4 */
    reference_dequantize(&(struct reference_dequantize_desc){.q = &qt, .scale = &st, .y = &yt, .axis = -1});
    assert_memory_equal(y, expected, sizeof(expected));
}

/* Rows of a cache with scales and offsets of their own: a ring, and an entry that is dropped. */
TEST(gathered)
{
    static const int8_t q[8] = {1, 2, 3, 4, 5, 6, 7, 8}; /* two batches of two positions of two */
    static const float scale[4] = {1, 10, 100, 1000}, offset[4] = {0, 1, 0, 1};
    static const int64_t indices[6] = {1, -1, 7, 0, 0, 0}; /* pairs */
    static const float expected[12] = {8000, 9000, 500, 600, -1, -1, -1, -1, 1, 2, 40, 50};
    const int64_t q_shape[3] = {2, 2, 2}, row_shape[2] = {2, 2}, index_shape[2] = {3, 2},
                  y_shape[3] = {3, 2, 2};
    float y[12];
    const struct reference_tensor qt = reference_dense(REFERENCE_I8, 1, 3, q_shape, (void *)q);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 2, row_shape, (void *)scale);
    const struct reference_tensor ot = reference_dense(REFERENCE_F32, 1, 2, row_shape, (void *)offset);
    const struct reference_tensor it = reference_dense(REFERENCE_I64, 1, 2, index_shape, (void *)indices);
    const struct reference_tensor yt = reference_dense(REFERENCE_F32, 1, 3, y_shape, y);
    struct reference_report report;

    for (size_t i = 0; i < COUNT(y); i++)
        y[i] = -1;
    report = reference_dequantize(&(struct reference_dequantize_desc){.q = &qt,
                                                                      .scale = &st,
                                                                      .zero_points = &ot,
                                                                      .indices = &it,
                                                                      .y = &yt,
                                                                      .axis = 1,
                                                                      .mode = REFERENCE_UNDO_DYNAMIC,
                                                                      .range = REFERENCE_WRAP});
    assert_memory_equal(y, expected, sizeof(expected));
    assert_int_equal(report.dropped, 1);
    assert_int_equal(report.first, 2);
}

/* Two groups of rows, and a row of none. */
TEST(by_groups)
{
    static const int8_t q[6] = {1, 2, 3, 4, 5, 6};
    static const float scale[4] = {0.5f, 1, 2, 4}, zero_point = 1;
    static const int32_t ends[2] = {1, 2};
    static const float expected[6] = {0, 1, 1, 0.75f, -1, -1};
    const int64_t q_shape[2] = {3, 2}, scale_shape[2] = {2, 2}, two = 2, one = 1;
    float y[6] = {-1, -1, -1, -1, -1, -1};
    const struct reference_tensor qt = reference_dense(REFERENCE_I8, 1, 2, q_shape, (void *)q);
    const struct reference_tensor st = reference_dense(REFERENCE_F32, 1, 2, scale_shape, (void *)scale);
    const struct reference_tensor zt = reference_dense(REFERENCE_F32, 1, 1, &one, (void *)&zero_point);
    const struct reference_tensor gt = reference_dense(REFERENCE_I32, 1, 1, &two, (void *)ends);
    const struct reference_tensor yt = reference_dense(REFERENCE_F32, 1, 2, q_shape, y);
    const struct reference_report report =
        reference_dequantize(&(struct reference_dequantize_desc){.q = &qt,
                                                                 .scale = &st,
                                                                 .zero_points = &zt,
                                                                 .group_index = &gt,
                                                                 .y = &yt,
                                                                 .mode = REFERENCE_UNDO_MULTIPLY});

    assert_memory_equal(y, expected, sizeof(expected));
    assert_int_equal(report.dropped, 1);
    assert_int_equal(report.first, 3);
}

TESTS_MAIN("reference of dequantization")
