/* SPDX-License-Identifier: Apache-2.0 */
/* Every combination of types, every axis of every rank, other strides, tails, and how the work is cut. */
#include "scales_case.h"

static const enum reference_type floats[] = {FLOAT_TYPES};
static const enum reference_type targets[] = {SCALED_TYPES};
enum { TARGETS = COUNT(targets) };

/* Zero points of a target: REFERENCE_I4 stands for none, where that is allowed. */
static enum reference_type zero_type(enum reference_type target, bool minmax, int which)
{
    const bool is_unsigned = reference_types[target].lowest == 0;
    const enum reference_type byte = is_unsigned ? REFERENCE_U8 : REFERENCE_I8;

    switch (which % 4) {
    case 0:
        return byte;
    case 1:
        return REFERENCE_I32;
    case 2:
        return REFERENCE_F32;
    default:
        return minmax || is_unsigned ? byte : REFERENCE_I4;
    }
}

enum { COMBINATIONS = 3 * TARGETS * 2 * 2 * 4 };

static struct scales_types combination(int i)
{
    struct scales_types types = {.x = floats[i % 3], .type = targets[i / 3 % TARGETS]};

    types.minmax = i / 3 / TARGETS % 2;
    types.multiply = i / 6 / TARGETS % 2;
    types.zero = zero_type(types.type, types.minmax, i / 12 / TARGETS);
    return types;
}

static void every_type(void **state)
{
    static const int64_t shape[] = {3, 5, 8};

    (void)state;
    for (int values = 0; values < SCALES_KINDS; values++) {
        for (int i = 0; i < COMBINATIONS; i += (int)harness_step(1, 7)) {
            const struct scales_types types = combination(i);

            const int axis = (i + values) % 4;
            struct scales_case c = scales_case_of("types", &types, 3, shape, axis == 3 ? NO_AXIS : axis);

            c.values = (enum scales_values)values;
            c.seed += (uint64_t)i;
            expect_scales(&c);
        }
    }
}

static void give_rank(struct layout *parameter, const struct scales_case *c)
{
    const int axis = c->axis == NO_AXIS ? 0 : (c->axis + c->x.rank) % c->x.rank;
    const int64_t count = parameter->shape[0];

    parameter->rank = c->x.rank;
    for (int d = 0; d < c->x.rank; d++)
        parameter->shape[d] = d == axis ? count : 1;
}

static void every_axis_of_every_rank(void **state)
{
    static const int64_t sizes[CLQ_MAX_RANK] = {2, 3, 1, 4, 2, 3, 2, 5};
    const struct scales_types types = {REFERENCE_F16, REFERENCE_U8, REFERENCE_U8, true, false};

    (void)state;
    for (int rank = 1; rank <= CLQ_MAX_RANK; rank += harness.small ? 3 : 1) {
        for (int axis = -rank; axis <= rank; axis++) {
            struct scales_case c = scales_case_of("axes, 1-D scales", &types, rank,
                                                  sizes + CLQ_MAX_RANK - rank, axis == rank ? NO_AXIS : axis);

            expect_scales(&c);
            c.name = "axes, full scales";
            give_rank(&c.scales, &c);
            expect_scales(&c);
            c.name = "axes, full zero points";
            give_rank(&c.zero_points, &c);
            expect_scales(&c);
            if (axis < rank)
                continue;
            c.name = "axes, 0-D";
            c.scales.rank = c.zero_points.rank = 0;
            expect_scales(&c);
        }
    }
}

static void a_number_alone(void **state)
{
    const struct scales_types types = {REFERENCE_F32, REFERENCE_I8, REFERENCE_I8, true, true};
    struct scales_case c = scales_case_of("rank 0", &types, 0, NULL, NO_AXIS);

    (void)state;
    expect_scales(&c);
    c.scales.rank = c.zero_points.rank = 0;
    expect_scales(&c);
}

enum order {
    EVERY_THIRD,
    ROWS_APART,
    TRANSPOSED,
    FIRST_REPEATED,
    MIDDLE_REPEATED,
    ALL_REPEATED,
    WINDOWS,
    ORDERS
};

static void lay_out(struct layout *x, enum order order)
{
    int64_t *strides = x->strides;

    layout_stride(x);
    switch (order) {
    case EVERY_THIRD:
        strides[0] *= 3, strides[1] *= 3, strides[2] *= 3;
        break;
    case ROWS_APART:
        strides[1] += 3, strides[0] = x->shape[1] * strides[1] + 5;
        break;
    case TRANSPOSED:
        strides[0] = 1, strides[2] = x->shape[0], strides[1] = x->shape[0] * x->shape[2] + 1;
        break;
    case FIRST_REPEATED:
        strides[0] = 0;
        break;
    case MIDDLE_REPEATED:
        strides[1] = 0;
        break;
    case ALL_REPEATED:
        strides[0] = strides[1] = strides[2] = 0;
        break;
    default: /* elements that several indices share */
        strides[0] = 2, strides[1] = strides[2] = 1;
    }
}

static void every_layout(void **state)
{
    static const int64_t shapes[][3] = {{4, 6, 40}, {37, 9, 5}, {3, 70, 2}, {20, 1, 33}, {1, 18, 130}};

    (void)state;
    for (size_t s = 0; s < COUNT(shapes); s++) {
        for (int order = 0; order < ORDERS; order++) {
            for (int axis = 0; axis < 4; axis++) {
                const struct scales_types types = combination(7 * (int)s + 11 * order + axis);
                struct scales_case c =
                    scales_case_of("layouts", &types, 3, shapes[s], axis == 3 ? NO_AXIS : axis);

                lay_out(&c.x, (enum order)order);
                c.x.before = 1 + order; /* no vector begins at a multiple of its size */
                layout_stride(&c.scales);
                c.scales.strides[0] = 1 + order % 3;
                if (c.has_zero_points) {
                    layout_stride(&c.zero_points);
                    c.zero_points.strides[0] = 1 + order % 2 * 4;
                }
                c.values = order % 2 ? SCALES_NARROW : SCALES_SPREAD;
                expect_scales(&c);
            }
        }
    }
}

/* Sizes around those at which vectors end, stretches begin and rows are laid side by side. */
static const int64_t around[] = {1,   2,   3,   4,   5,   7,    8,    9,    15,   16,   17,   31,   32,
                                 33,  47,  63,  64,  65,  79,   127,  128,  129,  255,  256,  257,  511,
                                 512, 513, 520, 767, 769, 1023, 1025, 2047, 2048, 2049, 2063, 4097, 8193};

/* Of the three types of x a size takes all, or one in turn where only a share of them is wanted. */
static void every_tail(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(around) && (!harness.small || around[k] < 140); k++) {
        for (int i = 0; i < harness_cases(3, 3); i++) {
            const int64_t n = around[k];
            const struct {
                int rank;
                int64_t shape[3];
                int axis;
            } shapes[] = {
                {1, {n}, NO_AXIS}, {1, {n}, 0},
                {2, {3, n}, 0},    {2, {3, n}, 1},
                {2, {70, n}, 1},   {2, {n, 70}, 1},
                {2, {n, 3}, 1},    {2, {n, 3}, 0},
                {3, {2, 3, n}, 1}, {3, {33, 2, n}, 1},
                {3, {n, 2, 6}, 1}, {3, {17, n, 3}, 1},
                {3, {3, n, 2}, 2}, {3, {n, 5, 1}, NO_AXIS},
            };

            for (size_t s = 0; s < COUNT(shapes); s++) {
                const struct scales_types types = combination((i + (int)k) % 3 + 3 * (int)(k + 5 * s));
                struct scales_case c =
                    scales_case_of("tails", &types, shapes[s].rank, shapes[s].shape, shapes[s].axis);

                c.values = s % 2 ? SCALES_NARROW : SCALES_BITS;
                c.seed += k;
                expect_scales(&c);
            }
        }
    }
}

/* The one value that decides stands in each place of a row, a part or a column in turn. */
static void every_place_counts(void **state)
{
    static const struct {
        int rank;
        int64_t shape[3];
        int axis;
    } shapes[] = {
        {1, {1200}, NO_AXIS}, {2, {6, 200}, 0},   {2, {6, 200}, 1},   {2, {90, 13}, 1},
        {2, {90, 13}, 0},     {3, {5, 4, 50}, 1}, {3, {40, 4, 7}, 1}, {2, {1, 1100}, 1},
    };

    (void)state;
    for (size_t s = 0; s < COUNT(shapes); s++) {
        const struct scales_types types = {floats[s % 3], REFERENCE_I8, REFERENCE_I8, true, false};
        struct scales_case c =
            scales_case_of("places", &types, shapes[s].rank, shapes[s].shape, shapes[s].axis);
        struct scales_tensors t;
        int64_t count = 1;

        for (int d = 0; d < c.x.rank; d++)
            count *= c.x.shape[d];
        scales_tensors_init(&t, &c);
        for (int64_t i = 0; i < count; i += (int64_t)harness_step(5, 61)) {
            bool good;

            tensor_set(&t.x, i, i % 2 ? 3.0 : -5.0);
            good = scales_tensors_match(&t, &c, harness.context, harness.queue);
            tensor_set(&t.x, i, 0.0);
            if (!good)
                fail_msg("place %lld", (long long)i);
        }
        scales_tensors_clear(&t);
    }
}

/* Few rows of many elements, and many of few: how the work is cut over groups must not show. */
static void rows_long_and_many(void **state)
{
    static const int64_t shapes[][3] = {{1, 1, 2500003}, {1, 3, 700001}, {70001, 2, 3},  {9999, 10, 3},
                                        {300, 514, 6},   {37, 3, 4104},  {2, 40000, 5},  {1, 200000, 3},
                                        {3, 5000, 60},   {700, 1, 1300}, {50000, 1, 40}, {60000, 1, 1}};

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(shapes); k++) {
        for (int i = 0; i < harness_cases(3, 1); i++) {
            for (int axis = 0; axis < 4; axis++) {
                const struct scales_types types = combination((i + (int)k) % 3 + 3 * (int)(k + (size_t)axis));
                struct scales_case c =
                    scales_case_of("rows", &types, 3, shapes[k], axis == 3 ? NO_AXIS : axis);

                c.values = SCALES_NARROW;
                c.seed += k;
                expect_scales(&c);
            }
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),         cmocka_unit_test(every_axis_of_every_rank),
        cmocka_unit_test(a_number_alone),     cmocka_unit_test(every_layout),
        cmocka_unit_test(every_tail),         cmocka_unit_test(every_place_counts),
        cmocka_unit_test(rows_long_and_many),
    };

    return HARNESS_RUN(argc, argv, "find scales", tests);
}
