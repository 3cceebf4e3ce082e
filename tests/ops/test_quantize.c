/* SPDX-License-Identifier: Apache-2.0 */
/* Every combination of types, every axis of every rank, every tail of a row. */
#include "quantize_case.h"

static const enum reference_type floats[] = {FLOAT_TYPES};
static const enum reference_type zeros[] = {ZERO_POINT_TYPES, REFERENCE_I4 /* stands for none */};
static const struct {
    enum reference_type type;
    int lanes;
} outputs[] = {
    {REFERENCE_I8, 1}, {REFERENCE_U8, 1}, {REFERENCE_I32, 1},  {REFERENCE_I4, 1},
    {REFERENCE_I4, 2}, {REFERENCE_I4, 8}, {REFERENCE_E4M3, 1},
};

/* The mixed-radix digits of i, so that one loop runs through every combination. */
static struct quantize_types combination(size_t i)
{
    struct quantize_types types = {0};

    types.y = outputs[i % COUNT(outputs)].type;
    types.lanes = outputs[i % COUNT(outputs)].lanes;
    i /= COUNT(outputs);
    types.multiply = i % 2;
    i /= 2;
    types.x = floats[i % COUNT(floats)];
    i /= COUNT(floats);
    types.scale = floats[i % COUNT(floats)];
    i /= COUNT(floats);
    types.zero = zeros[i % COUNT(zeros)];
    return types;
}
#define COMBINATIONS (COUNT(outputs) * 2 * COUNT(floats) * COUNT(floats) * COUNT(zeros))

static void check_combinations(const char *name, struct quantize_shape shape)
{
    const int64_t zero_count = shape.zero_count;

    for (size_t i = 0; i < COMBINATIONS; i += harness_step(1, 11)) {
        const struct quantize_types types = combination(i);
        struct quantize_case c;

        shape.zero_count = types.zero == REFERENCE_I4 ? 0 : zero_count;
        c = quantize_case_of(name, &types, &shape);
        c.round_first = i / 7 % 3 == 0;
        c.seed += i;
        expect_match(&c);
    }
}

static void every_type_per_tensor(void **state)
{
    (void)state;
    check_combinations("types, per tensor", (struct quantize_shape){3, {3, 5, 8}, 99, 1, 1});
}

static void every_type_per_last_axis(void **state)
{
    (void)state;
    check_combinations("types, last axis", (struct quantize_shape){2, {5, 24}, -1, 24, 24});
}

static void every_type_per_middle_axis(void **state)
{
    (void)state;
    check_combinations("types, middle axis", (struct quantize_shape){3, {2, 5, 16}, 1, 5, 5});
}

static void every_type_one_zero_point(void **state)
{
    (void)state;
    check_combinations("types, one zero point", (struct quantize_shape){2, {3, 16}, 1, 16, 1});
}

static void every_type_one_scale(void **state)
{
    (void)state;
    check_combinations("types, one scale", (struct quantize_shape){2, {3, 16}, 1, 1, 16});
}

/* Parameters of x's rank, every dimension but the axis 1; or 0-D. */
static void give_rank(struct layout *parameter, const struct quantize_shape *shape, int64_t count)
{
    const int axis = shape->axis < 0 ? shape->axis + shape->rank : shape->axis;

    parameter->rank = shape->rank;
    for (int d = 0; d < shape->rank; d++)
        parameter->shape[d] = d == axis ? count : 1;
}

static void check_axis(const struct quantize_types *types, struct quantize_shape *shape, int64_t size)
{
    static const struct {
        bool scale_each, zero_each, has_zero;
    } counts[] = {{true, true, true},   {true, false, true},  {false, true, true},
                  {false, false, true}, {true, false, false}, {false, false, false}};

    for (size_t k = 0; k < COUNT(counts); k++) {
        struct quantize_case c;

        shape->scale_count = counts[k].scale_each ? size : 1;
        shape->zero_count = !counts[k].has_zero ? 0 : counts[k].zero_each ? size : 1;
        c = quantize_case_of("axes, 1-D parameters", types, shape);
        expect_match(&c);
        c.name = "axes, full parameters";
        give_rank(&c.scales, shape, shape->scale_count);
        give_rank(&c.zero_points, shape, shape->zero_count);
        expect_match(&c);
        c.name = "axes, 0-D parameters where there is one";
        if (shape->scale_count == 1)
            c.scales.rank = 0;
        if (shape->zero_count == 1)
            c.zero_points.rank = 0;
        expect_match(&c);
    }
}

static void every_axis_of_every_rank(void **state)
{
    static const int64_t sizes[CLQ_MAX_RANK] = {2, 3, 1, 4, 2, 3, 2, 8};
    static const struct quantize_types types[] = {
        {REFERENCE_F32, REFERENCE_F32, REFERENCE_I32, REFERENCE_I8, 1, false},
        {REFERENCE_F16, REFERENCE_BF16, REFERENCE_F16, REFERENCE_I4, 1, true},
        {REFERENCE_BF16, REFERENCE_F32, REFERENCE_I8, REFERENCE_I4, 8, false},
    };

    (void)state;
    for (size_t i = 0; i < (harness.small ? 1 : COUNT(types)); i++) {
        for (int rank = reference_shares_bytes(types[i].y, 1); rank <= CLQ_MAX_RANK;
             rank += harness.small ? 3 : 1) {
            struct quantize_shape shape = {.rank = rank};

            for (int d = 0; d < rank; d++) /* the last is 8, which int4 words need */
                shape.x_shape[d] = sizes[CLQ_MAX_RANK - rank + d];
            for (shape.axis = -rank; shape.axis < rank; shape.axis++)
                if (harness.share == 1 || (size_t)(shape.axis + 2 * rank) % COUNT(types) == i) /* in turn */
                    check_axis(&types[i], &shape, shape.x_shape[(shape.axis + rank) % rank]);
            if (rank == 0)
                check_axis(&types[i], &shape, 1);
        }
    }
}

static bool has_size(const struct quantize_types *types, int64_t inner)
{
    return inner % reference_unit_values(types->y, types->lanes) == 0;
}

/* Sizes around those at which loops are unrolled, cut or handed to another group. */
static int64_t next_size(int64_t n)
{
    static const int64_t around[] = {127,  128,  129,  255,  256,  257,  258,  511,  512,  513,  514,
                                     1023, 1024, 1026, 2047, 2048, 2049, 2050, 4095, 4096, 4097, 4098};

    if (n < 70)
        return n + (harness.small && n > 20 ? 7 : 1);
    for (size_t i = 0; i < COUNT(around); i++)
        if (around[i] > n && (!harness.small || around[i] < 520))
            return around[i];
    return 0;
}

static void every_tail(void **state)
{
    (void)state;
    for (int64_t n = 1; n > 0; n = next_size(n)) {
        for (size_t i = 0; i < COUNT(outputs) * 2 * COUNT(floats); i += harness_step(1, 11)) {
            const struct quantize_types types = combination(i);
            const int64_t rows = n < 200 ? 3 : 2;
            const struct quantize_shape shapes[] = {
                {2, {rows, n}, 0, 1, 1},    /* one of each */
                {2, {rows, n}, 1, n, 0},    /* a scale for each element */
                {2, {rows, n}, 1, n, n},    /* both for each element */
                {2, {rows, n}, 0, rows, 1}, /* a scale a row */
            };

            for (size_t k = 0; k < COUNT(shapes) && has_size(&types, n); k++) {
                struct quantize_case c = quantize_case_of("tails", &types, &shapes[k]);

                c.round_first = (i + k + (size_t)n) % 4 == 0;
                c.seed += (uint64_t)n;
                expect_match(&c);
            }
        }
    }
}

/* Few rows of many elements, and many of few: how the work is cut over groups must not show. */
static void rows_long_and_many(void **state)
{
    static const int64_t shapes[][2] = {{1, 100002}, {2, 65538}, {70001, 2},
                                        {9999, 10},  {300, 514}, {37, 4104}};

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(shapes); k++) {
        for (size_t i = 0; i < COUNT(outputs) * 2 * COUNT(floats); i += harness_step(1, 1)) {
            const struct quantize_types types = combination(i);
            const int64_t rows = shapes[k][0], inner = shapes[k][1];
            const struct quantize_shape shape = {
                2, {rows, inner}, (int)(i % 2), i % 2 ? inner : rows, i % 3 ? 1 : 0};
            struct quantize_case c = quantize_case_of("rows", &types, &shape);

            if (has_size(&types, inner))
                expect_match(&c);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_per_tensor),
        cmocka_unit_test(every_type_per_last_axis),
        cmocka_unit_test(every_type_per_middle_axis),
        cmocka_unit_test(every_type_one_zero_point),
        cmocka_unit_test(every_type_one_scale),
        cmocka_unit_test(every_axis_of_every_rank),
        cmocka_unit_test(every_tail),
        cmocka_unit_test(rows_long_and_many),
    };

    return HARNESS_RUN(argc, argv, "quantize", tests);
}
