/* SPDX-License-Identifier: Apache-2.0 */
/* Values that have rules of their own: NaN, infinities, zeros, subnormals, ties and their neighbours, the
 * ends of the ranges. Every x meets every scale, in every type, with zero points that matter. */
#include "quantize_case.h"

#include <math.h>
#include <string.h>

static const double xs[] = {
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    6.5,
    7.5,
    -8.5,
    -9.0,
    126.5,
    127.5,
    -128.5,
    -129.5,
    254.5,
    255.5,
    256.0,
    0x1.fffffep-2,
    0x1.000002p-1,
    0x1.7ffffep+0,
    0x1.800002p+0,
    1.0,
    -1.0,
    3.0,
    0.1,
    -0.3,
    65504.0,
    -65504.0,
    8388607.5,
    8388608.0,
    16777215.0,
    2147483520.0,
    2147483648.0,
    2147483904.0,
    -2147483648.0,
    -2147483904.0,
    0x1p-149,
    -0x1p-149,
    0x3p-149,
    0x1.fffffcp-127,
    0x1p-126,
    0x1p-24,
    0x1p-14,
    0x1p-133,
    0x1.fffffep+127,
    -0x1.fffffep+127,
    3e38,
    INFINITY,
    -INFINITY,
    NAN,
    -NAN,
};

static const double scales[] = {
    1.0,
    -1.0,
    0.5,
    2.0,
    3.0,
    -0.1,
    0.0,
    -0.0,
    0x1p-149,
    -0x1p-149,
    0x5p-149,
    0x1.fffffcp-127,
    0x1p-126,
    0x1p-130,
    0x1p-24,
    0x1p-14,
    0x1p-133,
    1e-30,
    1e30,
    0x1p126,
    0x1p127,
    0x1.fffffep+127,
    -0x1.fffffep+127,
    65504.0,
    INFINITY,
    -INFINITY,
    NAN,
    0x1.fffffep+0,
    0x1.000002p+0,
    7.0,
    10.0,
    1.0 / 3.0,
};

static const double zero_points[] = {
    0.0,   -0.0,  0.4,           0.5,       -0.5,       1.0,          -128.0,
    127.0, 255.0, 0x1.fffffep-2, 8388608.0, 16777217.0, 2147483647.0, -2147483648.0,
    1e-40, 3e38,  INFINITY,      -INFINITY, NAN,
};

static const enum reference_type floats[] = {FLOAT_TYPES};
static const enum reference_type outputs[] = {QUANTIZED_TYPES};
enum { OUTPUTS = COUNT(outputs) };

/* A row for each scale and a column for each x, so that the scale is one a row; or the other way round, so
 * that it is one an element. */
static void check_matrix(const struct quantize_types *types, const double *zero, bool transposed,
                         bool round_first)
{
    const int64_t num_x = COUNT(xs), num_scales = COUNT(scales);
    const int64_t rows = transposed ? num_x : num_scales, inner = transposed ? num_scales : num_x;
    const struct quantize_shape shape = {2, {rows, inner}, transposed, num_scales, zero ? 1 : 0};
    struct quantize_case c = quantize_case_of("values", types, &shape);
    struct quantize_tensors t;
    bool good;

    c.round_first = round_first;
    quantize_tensors_init(&t, &c);
    for (int64_t s = 0; s < num_scales; s++)
        tensor_set(&t.scales, s, scales[s]);
    for (int64_t i = 0; i < rows * inner; i++)
        tensor_set(&t.x, i, xs[transposed ? i / inner : i % inner]);
    if (zero)
        tensor_set(&t.zero_points, 0, *zero);
    good = quantize_tensors_match(&t, &c, harness.context, harness.queue);
    quantize_tensors_clear(&t);
    if (!good)
        fail_msg("zero point %a", zero ? *zero : 0.0);
}

_Static_assert(COUNT(xs) % 2 == 0 && COUNT(scales) % 2 == 0, "int4 needs an even number");

static void every_value_meets_every_scale(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3 * 3 * OUTPUTS * 2 * 2; i += harness_step(1, 7)) {
        const struct quantize_types types = {.x = floats[i % 3],
                                             .scale = floats[i / 3 % 3],
                                             .y = outputs[i / 9 % OUTPUTS],
                                             .multiply = i / 9 / OUTPUTS % 2};

        check_matrix(&types, NULL, i / 18 / OUTPUTS % 2, false);
    }
}

/* Before the value is rounded, or behind it. */
static void every_zero_point_is_added(void **state)
{
    static const enum reference_type types_of_zero[] = {ZERO_POINT_TYPES};

    (void)state;
    for (size_t z = 0; z < COUNT(zero_points); z += harness.small ? 4 : 1) {
        for (size_t i = 0; i < COUNT(types_of_zero) * OUTPUTS * 2; i += harness_step(1, 7)) {
            const struct quantize_types types = {.x = floats[z % 3],
                                                 .scale = REFERENCE_F32,
                                                 .zero = types_of_zero[i % COUNT(types_of_zero)],
                                                 .y = outputs[i / COUNT(types_of_zero) % OUTPUTS],
                                                 .multiply = i / COUNT(types_of_zero) / OUTPUTS};

            check_matrix(&types, &zero_points[z], z % 2, (z / 2 + i) % 2);
        }
    }
}

/* Halves of the scale and the binary32 numbers beside them, for every odd half in and around the range. */
static void ties_and_their_neighbours(void **state)
{
    static const float some_scales[] = {1.0f, 0.25f, 3.0f, 0.1f, -7.0f, 0x1.fffffep-3f, 1e-30f, 1e30f};
    const int64_t halves = harness.small ? 40 : 600;

    (void)state;
    for (size_t i = 0; i < COUNT(some_scales) * OUTPUTS * 2; i += harness_step(1, 5)) {
        const struct quantize_types types = {.y = outputs[i % OUTPUTS], .multiply = i / OUTPUTS % 2};
        const struct quantize_shape shape = {2, {halves, 6}, 0, 1, 0};
        const float scale = some_scales[i / OUTPUTS / 2];
        struct quantize_case c = quantize_case_of("ties", &types, &shape);
        struct quantize_tensors t;
        bool good;

        quantize_tensors_init(&t, &c);
        tensor_set(&t.scales, 0, scale);
        for (int64_t k = 0; k < halves; k++) {
            const float half = (float)(k - halves / 2) + 0.5f;
            const float tie = types.multiply ? half / scale : half * scale;
            float above = tie, below = tie;

            tensor_set(&t.x, 6 * k, tie);
            for (int step = 1; step < 3; step++) {
                above = nextafterf(above, INFINITY);
                below = nextafterf(below, -INFINITY);
                tensor_set(&t.x, 6 * k + step, above);
                tensor_set(&t.x, 6 * k + 2 + step, below);
            }
            tensor_set(&t.x, 6 * k + 5, -tie);
        }
        good = quantize_tensors_match(&t, &c, harness.context, harness.queue);
        quantize_tensors_clear(&t);
        if (!good)
            fail_msg("scale %a", (double)scale);
    }
}

/* Any bits at all, in x, scales and zero points. */
static void any_bits(void **state)
{
    static const enum reference_type zeros[] = {FLOAT_TYPES, REFERENCE_I32};
    const int64_t rows = harness.small ? 4 : 100, inner = harness.small ? 30 : 250;

    (void)state;
    for (size_t i = 0; i < 3 * OUTPUTS * 2 * 3 * COUNT(zeros); i += harness_step(1, 13)) {
        const struct quantize_types types = {.x = floats[i % 3],
                                             .y = outputs[i / 3 % OUTPUTS],
                                             .multiply = i / 3 / OUTPUTS % 2,
                                             .scale = floats[i / 6 / OUTPUTS % 3],
                                             .zero = zeros[i / 18 / OUTPUTS % COUNT(zeros)]};
        const struct quantize_shape shape = {
            2, {rows, inner}, (int)(i % 2), i % 2 ? inner : rows, i % 3 ? 0 : 1};
        struct quantize_case c = quantize_case_of("any bits", &types, &shape);

        c.values = VALUES_BITS;
        c.seed += i;
        expect_match(&c);
    }
}

/* Small halves by powers of two, with halves as zero points: most results are ties. */
static void most_are_ties(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3 * OUTPUTS * 2; i++) {
        const struct quantize_types types = {.x = floats[i % 3],
                                             .y = outputs[i / 3 % OUTPUTS],
                                             .multiply = i / 3 / OUTPUTS % 2,
                                             .zero = REFERENCE_F16};
        const struct quantize_shape shape = {2, {30, 40}, 1, 40, i % 2 ? 40 : 0};
        struct quantize_case c = quantize_case_of("mostly ties", &types, &shape);

        c.values = VALUES_TIES;
        c.seed += i;
        expect_match(&c);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_meets_every_scale),
        cmocka_unit_test(every_zero_point_is_added),
        cmocka_unit_test(ties_and_their_neighbours),
        cmocka_unit_test(any_bits),
        cmocka_unit_test(most_are_ties),
    };

    return HARNESS_RUN(argc, argv, "quantize values", tests);
}
