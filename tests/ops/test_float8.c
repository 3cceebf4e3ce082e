/* SPDX-License-Identifier: Apache-2.0 */
/* What is only said of float8: the sign of what is 0 or nearly so, the ends of the range, NaN, all codes on the way back, and
 * what is refused. */
#include "dequantize_case.h"
#include "dynamic_case.h"
#include "quantize_case.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const enum reference_type float8s[] = {SMALL_TYPES};

/* Zeros, subnormals and their ends, halves of the least steps, the ends of the types, ties there, and what has no number. */
static const double xs[] = {
    0.0,       -0.0,      0x1p-149,  -0x1p-149,    1e-40,  -1e-40, 0x1p-126, -0x1p-126, 0x1.fffffcp-127,
    -0x1p-133, 1e-30,     -1e-30,    0x1p-17,      448.0,  464.0,  -465.0,   57344.0,   -61440.0,
    -0x1p-10,  0x1.8p-16, -0x1.8p-9, 0x1.000002p0, 1.0625, 1e30,   INFINITY, -INFINITY, NAN,
    -NAN,
};
static const double scales[] = {
    1.0,   -1.0,  3.0,      0x1p-20, 1e10, -1e20, 0x1p126,  1e-40,
    -1e-3, 1e-30, 0x1p-149, FLT_MAX, 0.0,  -0.0,  INFINITY, NAN,
};
/* With those that cancel what x and scale make. */
static const double zero_points[] = {
    0.0,      -0.0, 1e-40,    -1e-40,    0x1p-149, -0x1p-149, 0x1p-126, -0x1p-126, 0x1.000002p-126,
    0x1p-133, -1.0, 1e-30,    -1e-30,    0x1p-51,  -0x1p-50,  1.0625,   -0x1p-10,  1e30,
    448.0,    3e38, INFINITY, -INFINITY, NAN,
};

/* A row for each scale and a column for each x; or turned, so that scales, and zero points, differ along a row. */
static void check_matrix(enum reference_type x, enum reference_type y, bool multiply, bool turned,
                         const double *zero, bool zero_each)
{
    const int64_t num_x = COUNT(xs), num_scales = COUNT(scales);
    const int64_t rows = turned ? num_x : num_scales, columns = turned ? num_scales : num_x;
    const struct quantize_types types = {
        .x = x, .scale = REFERENCE_F32, .zero = REFERENCE_F32, .y = y, .multiply = multiply};
    const struct quantize_shape shape = {2,
                                         {rows, columns},
                                         turned,
                                         num_scales,
                                         zero == NULL ? 0
                                         : zero_each  ? num_scales
                                                      : 1};
    struct quantize_case c = quantize_case_of("near zero", &types, &shape);
    struct quantize_tensors t;
    bool good;

    quantize_tensors_init(&t, &c);
    for (int64_t s = 0; s < num_scales; s++)
        tensor_set(&t.scales, s, scales[s]);
    for (int64_t i = 0; i < rows * columns; i++)
        tensor_set(&t.x, i, xs[turned ? i / columns : i % columns]);
    for (int64_t s = 0; zero != NULL && s < shape.zero_count; s++)
        tensor_set(&t.zero_points, s, *zero);
    good = quantize_tensors_match(&t, &c, harness.context, harness.queue);
    quantize_tensors_clear(&t);
    if (!good)
        fail_msg("zero point %a", zero ? *zero : 0.0);
}

static void signs_are_kept(void **state)
{
    static const enum reference_type floats[] = {FLOAT_TYPES};
    /* Where the optimizer compiles them, few kernels that have each type, mode and kind of parameters. */
    const size_t step = harness.desc.arithmetic == CLQ_ARITHMETIC_EXACT ? 1 : 5;

    (void)state;
    for (size_t i = 0; i < 3 * 2 * 2 * 3; i += harness_step(step, 5)) {
        const enum reference_type x = floats[i % 3], y = float8s[i / 3 % 2];
        const bool multiply = i / 6 % 2, turned = i >= 12, zero_each = i >= 24;

        check_matrix(x, y, multiply, turned, NULL, false);
        for (size_t z = 0; z < COUNT(zero_points); z++)
            check_matrix(x, y, multiply, turned, &zero_points[z], zero_each);
    }
}

/* Tiny bfloat16 and zero points that take away what these are by their scales: a quotient that is one off is left, with a
 * sign. A row has one of each, or the columns have. */
static void quotients_cancel(void **state)
{
    enum { MANY = 256 };
    struct random random = random_of(harness.seed);

    (void)state;
    for (int each = 0; each < 2; each++) {
        const struct quantize_types types = {
            .x = REFERENCE_BF16, .scale = REFERENCE_F32, .zero = REFERENCE_F32, .y = float8s[each]};
        const struct quantize_shape shape = {2, {MANY, MANY}, each, MANY, MANY};
        const struct quantize_case c = quantize_case_of("cancelled", &types, &shape);
        struct quantize_tensors t;

        quantize_tensors_init(&t, &c);
        for (int64_t k = 0; k < MANY; k++) {
            const float x =
                ldexpf((float)random_from(&random, 128, 255), (int)random_from(&random, -137, -125));
            const float scale = ldexpf(1.0f + (float)random_unit(&random), (int)random_from(&random, -30, 5));

            tensor_set(&t.scales, k, (double)scale);
            tensor_set(&t.zero_points, k, (double)-(x / scale));
            for (int64_t i = 0; i < MANY; i++)
                tensor_set(&t.x, each ? i * MANY + k : k * MANY + i, (double)x);
        }
        assert_true(quantize_tensors_match(&t, &c, harness.context, harness.queue));
        quantize_tensors_clear(&t);
    }
}

/* Written down: x by a scale of 1, e4m3fn and e5m2; without a zero point, and with one of 0, which takes -0 alone. */
static void codes_by_hand(void **state)
{
    static const struct {
        double x;
        unsigned char codes[2], codes_beside_0[2];
    } known[] = {
        {0.0, {0x00, 0x00}, {0x00, 0x00}},
        {-0.0, {0x80, 0x80}, {0x00, 0x00}},
        {-1e-40, {0x80, 0x80}, {0x80, 0x80}},
        {1.0, {0x38, 0x3c}, {0x38, 0x3c}},
        {-1.0625, {0xb8, 0xbc}, {0xb8, 0xbc}},
        {1.1875, {0x3a, 0x3d}, {0x3a, 0x3d}},
        {0x1p-9, {0x01, 0x18}, {0x01, 0x18}},
        {0x1p-10, {0x00, 0x14}, {0x00, 0x14}},
        {0x1.8p-9, {0x02, 0x1a}, {0x02, 0x1a}},
        {-0x1p-17, {0x80, 0x80}, {0x80, 0x80}},
        {0x1.000002p-17, {0x00, 0x01}, {0x00, 0x01}},
        {448, {0x7e, 0x5f}, {0x7e, 0x5f}},
        {464, {0x7e, 0x5f}, {0x7e, 0x5f}},
        {-1e9, {0xfe, 0xfb}, {0xfe, 0xfb}},
        {61440, {0x7e, 0x7b}, {0x7e, 0x7b}},
        {INFINITY, {0x7e, 0x7b}, {0x7e, 0x7b}},
        {-INFINITY, {0xfe, 0xfb}, {0xfe, 0xfb}},
        {NAN, {0x7f, 0x7f}, {0x7f, 0x7f}},
        {-NAN, {0x7f, 0x7f}, {0x7f, 0x7f}},
    };
    enum { KNOWN = COUNT(known) };

    (void)state;
    for (size_t i = 0; i < 2 * 2; i++) {
        const bool beside_0 = i / 2;
        const struct quantize_types types = {
            .x = REFERENCE_F32, .scale = REFERENCE_F32, .zero = REFERENCE_I8, .y = float8s[i % 2]};
        const struct quantize_shape shape = {1, {KNOWN}, 0, 1, beside_0};
        const struct quantize_case c = quantize_case_of("by hand", &types, &shape);
        struct quantize_tensors t;

        quantize_tensors_init(&t, &c);
        tensor_set(&t.scales, 0, 1);
        for (int64_t k = 0; k < KNOWN; k++)
            tensor_set(&t.x, k, known[k].x);
        if (beside_0)
            tensor_set(&t.zero_points, 0, 0);
        assert_true(quantize_tensors_match(&t, &c, harness.context, harness.queue));
        for (size_t k = 0; k < KNOWN; k++) /* the image is the reference's, and the buffer's too by now */
            assert_int_equal(t.y.image[t.y.dl.byte_offset + k],
                             (beside_0 ? known[k].codes_beside_0 : known[k].codes)[i % 2]);
        quantize_tensors_clear(&t);
    }
}

/* Few kernels, for each of these is compiled. */
static const struct dynamic_types rows[] = {{REFERENCE_F16, REFERENCE_I4, REFERENCE_E4M3, 1, true},
                                            {REFERENCE_F32, REFERENCE_F32, REFERENCE_E4M3, 1, true},
                                            {REFERENCE_BF16, REFERENCE_I4, REFERENCE_E5M2, 1, true},
                                            {REFERENCE_F32, REFERENCE_I4, REFERENCE_E5M2, 1, true}};

static void every_kind_of_row(void **state)
{
    static const int64_t shapes[][2] = {{9, 40}, {131, 128}, {520, 64}, {37, 264}, {25, 1032}, {11, 77}};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int kind = 0; kind <= ROW_MIXED; kind++)
            for (size_t k = 0; k < (harness.small ? 1 : COUNT(shapes)); k++) {
                struct dynamic_case c = dynamic_case_of("float8 rows", &rows[i], 2, shapes[k]);

                c.rows = (enum row_kind)kind;
                c.seed += i;
                expect_dynamic(&c);
            }
}

/* A value that is nothing beside its row keeps its sign, one that is subnormal too. */
static void rows_keep_signs(void **state)
{
    static const double row[] = {448.0, -0.0, -1e-40, 1e-40, -0x1p-149, -1e-30, 0.0, 1.0};
    static const unsigned char codes[] = {0x7e, 0x80, 0x80, 0x00, 0x80, 0x80, 0x00, 0x38};
    const int64_t shape[] = {1, COUNT(row)};
    const struct dynamic_types types = {REFERENCE_F32, REFERENCE_I4, REFERENCE_E4M3, 1, true};
    const struct dynamic_case c = dynamic_case_of("signs", &types, 2, shape);
    struct dynamic_tensors t;

    (void)state;
    dynamic_tensors_init(&t, &c);
    for (size_t i = 0; i < COUNT(row); i++)
        tensor_set(&t.x, (int64_t)i, row[i]);
    assert_true(dynamic_tensors_match(&t, &c, harness.context, harness.queue));
    assert_memory_equal(t.y.image + t.y.dl.byte_offset, codes, COUNT(row));
    dynamic_tensors_clear(&t, &c);
}

/* All codes, whole and gathered, with a zero point and with none: -0 stays, infinities and NaN are written on. */
static void come_back(void **state)
{
    static const struct dequantize_shape shapes[] = {
        {.rank = 2, .q = {9, 136}, .axis = 1},
        {.rank = 3, .q = {3, 5, 264}, .axis = 0},
        {.rank = 2, .q = {3, 600}, .axis = 0, .one_scale = true, .one_zero = true},
        {.rank = 3, .q = {4, 6, 64}, .axis = 1, .index_rank = 2, .entries = 7, .length = 2}};
    static const enum reference_type floats[] = {FLOAT_TYPES};

    (void)state;
    for (size_t i = 0; i < 2 * 3 * 3 * 2 * COUNT(shapes) * RESULTS_COUNT; i += harness_step(1, 7)) {
        const struct dequantize_types types = {.q = float8s[i % 2],
                                               .scale = floats[i % 3],
                                               .zero = i / 6 % 2 ? REFERENCE_I4 : REFERENCE_F32,
                                               .index = REFERENCE_I32,
                                               .y = floats[i / 2 % 3],
                                               .mode = (enum clq_dequantize_mode)(i / 12 % 3)};
        struct dequantize_case c = dequantize_case_of("float8", &types, &shapes[i / 36 % COUNT(shapes)]);

        c.results = (enum results)(i / 36 / COUNT(shapes));
        c.seed += i;
        expect_dequantize(&c);
    }
}

static void asymmetric_rows_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(float8s); i++) {
        const struct dynamic_types types = {REFERENCE_F16, REFERENCE_I4, float8s[i], 1, false};
        const struct dynamic_case c = dynamic_case_of("asymmetric", &types, 2, (int64_t[]){2, 8});
        struct clq_dynamic_quantize_desc desc;
        struct dynamic_tensors t;
        char sentence[128];

        dynamic_tensors_init(&t, &c);
        desc = dynamic_desc_of(&t, &c);
        snprintf(sentence, sizeof(sentence),
                 "symmetric is 0: it must be 1 where y.dtype is %s, which has no offset",
                 type_name(float8s[i]));
        assert_int_equal(clq_dynamic_quantize_check(&desc), CLQ_ERROR_VALUE);
        assert_string_equal(clq_error_detail(), sentence);
        dynamic_tensors_clear(&t, &c);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_are_kept),
        cmocka_unit_test(quotients_cancel),
        cmocka_unit_test(codes_by_hand),
        cmocka_unit_test(every_kind_of_row),
        cmocka_unit_test(rows_keep_signs),
        cmocka_unit_test(come_back),
        cmocka_unit_test(asymmetric_rows_are_refused),
    };

    return HARNESS_RUN(argc, argv, "float8", tests);
}
