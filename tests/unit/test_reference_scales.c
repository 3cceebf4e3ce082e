/* SPDX-License-Identifier: Apache-2.0 */
/* Pins the reference of finding scales by values that were worked out by hand. */
#include <stdint.h>

#include <float.h>
#include <math.h>

#include "reference.h"
#include "tests.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct row {
    const char *name;
    float x[4];
    enum reference_type type;
    bool minmax, multiply;
    float scale;
    int zero_point;
};

#define I8 REFERENCE_I8
#define U8 REFERENCE_U8
#define I4 REFERENCE_I4
enum { ABSMAX, MINMAX };
enum { DIVIDE, MULTIPLY };

static const struct row rows[] = {
    {"absmax, int8", {1, -254, 3, 0}, I8, ABSMAX, DIVIDE, 2.0f, 0},
    {"absmax, uint8", {1, -254, 3, 0}, U8, ABSMAX, DIVIDE, 2.0f, 128},
    {"absmax, int4", {1, -7, 3.5f, 0}, I4, ABSMAX, DIVIDE, 1.0f, 0},
    {"absmax, int8, multiply", {1, -254, 3, 0}, I8, ABSMAX, MULTIPLY, 0.5f, 0},
    {"absmax, uint8, multiply", {63.5f, 0, 0, 0}, U8, ABSMAX, MULTIPLY, 2.0f, 128},
    {"absmax, int4, multiply", {-28, 0, 1, 0}, I4, ABSMAX, MULTIPLY, 0.25f, 0},
    {"minmax, int8", {-55, 0, 200, 1}, I8, MINMAX, DIVIDE, 1.0f, -73},
    {"minmax, uint8", {-55, 0, 200, 1}, U8, MINMAX, DIVIDE, 1.0f, 55},
    {"minmax, int4", {-5, 0, 10, 1}, I4, MINMAX, DIVIDE, 1.0f, -3},
    {"minmax, uint8, multiply", {-110, 0, 400, 1}, U8, MINMAX, MULTIPLY, 0.5f, 55},
    {"minmax, all above 0", {255, 3, 4, 5}, I8, MINMAX, DIVIDE, 1.0f, -128},
    {"minmax, all below 0", {-255, -3, -4, -5}, I8, MINMAX, DIVIDE, 1.0f, 127},
    {"minmax, a tie of the zero point", {-2.5f, 252.5f, 0, 0}, U8, MINMAX, DIVIDE, 1.0f, 2},
    {"minmax, the next tie", {-3.5f, 251.5f, 0, 0}, U8, MINMAX, DIVIDE, 1.0f, 4},
    {"absmax, zeros", {0, -0.0f, 0, 0}, I8, ABSMAX, DIVIDE, 0x1p-100f, 0},
    {"absmax, zeros, multiply", {-0.0f, -0.0f, -0.0f, -0.0f}, I8, ABSMAX, MULTIPLY, 0x1p100f, 0},
    {"minmax, zeros", {0, 0, 0, 0}, I8, MINMAX, DIVIDE, 0x1p-100f, -128},
    {"minmax, zeros, uint8, multiply", {0, -0.0f, 0, 0}, U8, MINMAX, MULTIPLY, 0x1p100f, 0},
    {"all NaN", {NAN, NAN, -NAN, NAN}, U8, ABSMAX, DIVIDE, 0x1p-100f, 128},
    {"NaN and infinities count as 0", {NAN, INFINITY, -INFINITY, -127}, I8, ABSMAX, DIVIDE, 1.0f, 0},
    {"minmax, NaN and infinities", {NAN, INFINITY, -INFINITY, -255}, U8, MINMAX, DIVIDE, 1.0f, 255},
    {"the least scale", {0x1p-101f * 127, 0, 0, 0}, I8, ABSMAX, DIVIDE, 0x1p-100f, 0},
    {"just above the least scale", {0x1p-99f * 127, 0, 0, 0}, I8, ABSMAX, DIVIDE, 0x1p-99f, 0},
    {"the largest scale", {0x1p-101f * 127, 0, 0, 0}, I8, ABSMAX, MULTIPLY, 0x1p100f, 0},
    {"just below the largest scale", {0x1p-99f * 127, 0, 0, 0}, I8, ABSMAX, MULTIPLY, 0x1p99f, 0},
    {"subnormals", {0x1p-149f, -0x1p-127f, 0, 0}, U8, MINMAX, MULTIPLY, 0x1p100f, 0},
    {"a range that overflows", {FLT_MAX, -FLT_MAX, 0, 0}, U8, MINMAX, DIVIDE, 0x1.010100p+121f, 128},
    {"a quotient that is rounded", {1, 0, 0, 0}, I8, ABSMAX, DIVIDE, 0x1.020408p-7f, 0},
    {"a range that is rounded", {1, -0x1p-30f, 0, 0}, U8, MINMAX, DIVIDE, 0x1.010102p-8f, 0},
};

static void gives(void **state)
{
    const struct row *row = *state;
    const int64_t four = 4, one = 1;
    float scale = -1.0f;
    int32_t zero_point = 77777;
    const struct reference_tensor x = reference_dense(REFERENCE_F32, 1, 1, &four, (void *)row->x);
    const struct reference_tensor s = reference_dense(REFERENCE_F32, 1, 1, &one, &scale);
    const struct reference_tensor z = reference_dense(REFERENCE_I32, 1, 1, &one, &zero_point);

    reference_find_scales(&(struct reference_find_scales_desc){.x = &x,
                                                               .scales = &s,
                                                               .zero_points = &z,
                                                               .type = row->type,
                                                               .minmax = row->minmax,
                                                               .multiply = row->multiply});
    if (scale != row->scale)
        print_error("%s: %a, not %a\n", row->name, (double)scale, (double)row->scale);
    assert_true(scale == row->scale);
    assert_int_equal(zero_point, row->zero_point);
}

/* Each index of the axis alone, with zero points as floats and bytes. */
TEST(along_each_axis)
{
    static const float values[2][3] = {{127, -254, 0}, {-12.7f, 508, 63.5f}};
    static const float of_rows[2] = {2, 4}, of_columns[3] = {1, 4, 0.5f};
    const int64_t shape[] = {2, 3};
    const struct reference_tensor x = reference_dense(REFERENCE_F32, 1, 2, shape, (void *)values);

    for (int axis = -2; axis < 2; axis++) {
        const float *expected = axis % 2 == 0 ? of_rows : of_columns;
        const int64_t count = shape[(axis + 2) % 2];
        float scales[4] = {-1, -1, -1, -1}, floats[4] = {9, 9, 9, 9};
        uint8_t bytes[4] = {9, 9, 9, 9};
        const struct reference_tensor s = reference_dense(REFERENCE_F32, 1, 1, &count, scales);
        const struct reference_tensor f = reference_dense(REFERENCE_F32, 1, 1, &count, floats);
        const struct reference_tensor b = reference_dense(REFERENCE_U8, 1, 1, &count, bytes);
        struct reference_find_scales_desc desc = {
            .x = &x, .scales = &s, .zero_points = &f, .type = U8, .axis = axis};

        reference_find_scales(&desc);
        desc.zero_points = &b;
        reference_find_scales(&desc);
        for (int64_t i = 0; i < 4; i++) {
            assert_true(scales[i] == (i < count ? expected[i] : -1.0f));
            assert_true(floats[i] == (i < count ? 128.0f : 9.0f));
            assert_int_equal(bytes[i], i < count ? 128 : 9);
        }
    }
}

/* No value: the scale of zeros. */
TEST(of_nothing)
{
    const int64_t shape[] = {2, 0}, two = 2;
    float scales[2] = {0, 0};
    const struct reference_tensor x = reference_dense(REFERENCE_F16, 1, 2, shape, NULL);
    const struct reference_tensor s = reference_dense(REFERENCE_F32, 1, 1, &two, scales);

    reference_find_scales(&(struct reference_find_scales_desc){.x = &x, .scales = &s, .type = I8, .axis = 0});
    assert_true(scales[0] == 0x1p-100f && scales[1] == 0x1p-100f);
}

TEST_OF_ROWS(gives, rows, name)

TESTS_MAIN("reference_scales")
