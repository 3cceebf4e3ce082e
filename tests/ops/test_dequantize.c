/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dequantize against the reference: every type, axis and layout, gathered and by groups. */
#include "dequantize_case.h"

static const enum reference_type floats[] = {FLOAT_TYPES};
static const enum reference_type zeros[] = {REFERENCE_F32, REFERENCE_I4,  REFERENCE_I8,  REFERENCE_U8,
                                            REFERENCE_I32, REFERENCE_F16, REFERENCE_BF16};
static const struct {
    enum reference_type type;
    int lanes;
} stored[] = {{REFERENCE_I8, 1}, {REFERENCE_U8, 1}, {REFERENCE_I32, 1},
              {REFERENCE_I4, 1}, {REFERENCE_I4, 2}, {REFERENCE_I4, 8}};

/* Most of a share's time is a compiler's: it has half of the kernels, in which a type of q, a type of y and what undoes the
 * scale still come in every pair. */
static enum clq_dequantize_mode mode_of(enum clq_dequantize_mode mode, enum reference_type q, size_t y)
{
    if (harness.share == 1)
        return mode;
    if (((size_t)q + y) % 2 == 1)
        return CLQ_DEQUANTIZE_MULTIPLY;
    return mode == CLQ_DEQUANTIZE_MULTIPLY ? CLQ_DEQUANTIZE_DIVIDE : mode;
}

/* Taken apart digit by digit, so that a run through the numbers with a stride meets all pairs. */
enum { COMBINATIONS = 6 * 3 * 3 * 3 * 7 * 2 * RESULTS_COUNT };
static struct dequantize_case combination(const char *name, size_t number,
                                          const struct dequantize_shape *shape)
{
    const size_t q = number % COUNT(stored), y = number / 6 % 3, mode = number / 18 % 3,
                 scale = number / 54 % 3, zero = number / 162 % 7, index = number / 1134 % 2;
    const struct dequantize_types types = {
        .q = stored[q].type,
        .lanes = stored[q].lanes,
        .scale = floats[scale],
        .zero = zeros[zero],
        .index = index ? REFERENCE_I64 : REFERENCE_I32,
        .y = floats[y],
        .mode = shape->groups > 0 ? CLQ_DEQUANTIZE_MULTIPLY
                                  : mode_of((enum clq_dequantize_mode)mode, stored[q].type, y)};
    struct dequantize_case c = dequantize_case_of(name, &types, shape);

    c.results = (enum results)(number / 2268 % RESULTS_COUNT);
    c.range = shape->slots ? CLQ_DROP : (enum clq_range_policy)(number / 7 % 3);
    c.places = number % 5 == 0 ? PLACES_STRAY : number % 5 == 1 ? PLACES_SAME : PLACES_VALID;
    c.seed += number;
    return c;
}

/* int4 has no axis of starts on the last dimension, nor have rows. */
static bool last_is_whole(const struct dequantize_case *c)
{
    return reference_shares_bytes(c->q.type, 1) || c->mode == CLQ_DEQUANTIZE_DYNAMIC;
}

static void every_type_dense(void **state)
{
    static const struct dequantize_shape shapes[] = {
        {.rank = 2, .q = {7, 136}, .axis = -1},
        {.rank = 2, .q = {9, 72}, .axis = 0},
        {.rank = 3, .q = {3, 5, 16}, .axis = 1, .one_scale = true},
        {.rank = 3, .q = {3, 5, 24}, .axis = -1, .one_zero = true},
        {.rank = 2, .q = {3, 1032}, .axis = 0, .one_scale = true, .one_zero = true},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = k; i < COMBINATIONS; i += harness_step(61, 631)) {
            struct dequantize_case c = combination("types", i, &shapes[k]);

            expect_dequantize(&c);
        }
}

static void every_type_gathered(void **state)
{
    static const struct dequantize_shape shapes[] = {
        {.rank = 3, .q = {4, 9, 8}, .axis = 1, .entries = 5, .length = 3, .index_rank = 2},
        {.rank = 4, .q = {3, 4, 5, 16}, .axis = -2, .entries = 3, .length = 1, .index_rank = 1},
        {.rank = 4, .q = {3, 6, 3, 136}, .axis = 1, .entries = 9, .length = 2, .index_rank = 2},
        {.rank = 4,
         .q = {3, 6, 3, 136},
         .axis = 1,
         .entries = 9,
         .length = 1,
         .index_rank = 1,
         .slots = true},
        {.rank = 3,
         .q = {2, 5, 64},
         .axis = 1,
         .entries = 2,
         .length = 5,
         .index_rank = 1,
         .one_scale = true},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = k; i < COMBINATIONS; i += harness_step(59, 631)) {
            struct dequantize_case c = combination("gathered", i, &shapes[k]);

            expect_dequantize(&c);
        }
}

static void every_type_by_groups(void **state)
{
    static const struct dequantize_shape shapes[] = {
        {.rank = 2, .q = {9, 72}, .groups = 4},
        {.rank = 2, .q = {40, 8}, .groups = 1},
        {.rank = 2, .q = {5, 136}, .groups = 17},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = k; i < COMBINATIONS; i += harness_step(109, 997)) {
            struct dequantize_case c = combination("groups", i, &shapes[k]);

            expect_dequantize(&c);
        }
}

static void every_axis_of_every_rank(void **state)
{
    static const int64_t sizes[CLQ_MAX_RANK] = {3, 2, 3, 2, 4, 2, 5, 8};
    size_t i = 0;

    (void)state;
    for (int rank = 1; rank <= CLQ_MAX_RANK; rank += harness.small ? 3 : 1)
        for (int axis = 0; axis < rank; axis++)
            for (int k = 0; k < harness_cases(40, 3); k++) {
                struct dequantize_shape shape = {.rank = rank, .axis = k % 2 ? axis : axis - rank};
                struct dequantize_case c;

                for (int d = 0; d < rank; d++)
                    shape.q[d] = sizes[CLQ_MAX_RANK - rank + d];
                if (k % 3 == 2 && axis > 0) {
                    shape.index_rank = k % 4 < 2 ? 1 : 2;
                    shape.entries = shape.q[0];
                    shape.length = k % shape.q[axis] + 1;
                    shape.slots = shape.index_rank == 1 && shape.length == 1;
                }
                i += 101;
                c = combination("axes", i % COMBINATIONS, &shape);
                if (c.has_indices && ((last_is_whole(&c) && axis == rank - 1) ||
                                      (c.mode == CLQ_DEQUANTIZE_DYNAMIC && rank < 3)))
                    continue;
                expect_dequantize(&c);
            }
}

/* q a slice of a larger tensor, y with gaps, scales anywhere. */
static void any_layout(void **state)
{
    struct random random = random_of(harness.seed);
    const int cases = harness_cases(2000, 60);

    (void)state;
    for (int i = 0; i < cases; i++) {
        struct dequantize_shape shape = {.rank = (int)random_from(&random, 1, 5)};
        const int last = shape.rank - 1;
        const int kind = (int)random_below(&random, 4);
        struct dequantize_case c;

        for (int d = 0; d < shape.rank; d++)
            shape.q[d] = random_from(&random, 1, 6);
        shape.q[last] = random_from(&random, 1, 5) * 8;
        shape.axis = (int)random_below(&random, shape.rank);
        shape.one_scale = random_below(&random, 4) == 0;
        shape.one_zero = random_below(&random, 4) == 0;
        if (kind == 0 && shape.rank == 2) {
            shape.groups = random_from(&random, 1, 6);
        } else if (kind < 3 && shape.rank > 2) {
            shape.axis = (int)random_from(&random, 1, last - 1);
            shape.index_rank = (int)random_from(&random, 1, 2);
            shape.entries = random_from(&random, 1, shape.index_rank == 1 ? shape.q[0] : 9);
            shape.length = random_from(&random, 1, shape.q[shape.axis]);
            shape.slots = shape.index_rank == 1 && shape.length == 1;
        }
        c = combination("layouts", (size_t)random_below(&random, COMBINATIONS), &shape);
        c.seed = random_bits(&random);
        c.reports = c.reports && random_below(&random, 4) > 0;
        dequantize_case_stride(&c, &random);
        expect_dequantize(&c);
    }
}

/* Sizes of rows at which loops are cut, at odd places in y and q. */
static void every_tail(void **state)
{
    static const int64_t sizes[] = {1,  2,  3,   7,   8,   15,  16,  17,  31,  32,  33,  63,  64,   65,
                                    66, 96, 127, 128, 130, 192, 255, 256, 264, 511, 512, 514, 1024, 4104};

    (void)state;
    for (size_t k = 0; k < COUNT(sizes) - (harness.small ? 8 : 0); k++)
        for (size_t i = 0; i < (size_t)harness_cases(40, 3); i++) {
            const struct dequantize_shape shape = {.rank = 2, .q = {3, sizes[k]}, .axis = (int)(i % 2)};
            struct dequantize_case c = combination("tails", (i * 997 + k) % COMBINATIONS, &shape);

            if (sizes[k] % reference_unit_values(c.q.type, c.q.lanes) != 0)
                continue;
            c.q.before += (int64_t)(i % 5);
            c.y.before += (int64_t)(i / 2 % 5);
            expect_dequantize(&c);
        }
}

/* Rows of one element, and one row of very many, past what a driver lets a work-item do, and past what goes
 * through the caches: 8 MiB of float16. */
static void rows_short_and_long(void **state)
{
    static const struct dequantize_shape shapes[] = {
        {.rank = 2, .q = {100000, 1}, .axis = 0},
        {.rank = 2, .q = {1, 200000}, .axis = 1},
        {.rank = 1, .q = {9000006}, .one_scale = true, .one_zero = true},
        {.rank = 2, .q = {35000, 128}, .axis = 0},
        {.rank = 2, .q = {45002, 100}, .axis = 1},
        {.rank = 2, .q = {640, 9002}, .axis = 0},
    };
    static const enum reference_type sources[] = {REFERENCE_I8, REFERENCE_I4};
    const size_t step = harness.share > 1 ? 3 : 1; /* both sources and both modes, if not all four pairs */

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = 0; i < 4; i += step) {
            const struct dequantize_types types = {.q = sources[i % 2],
                                                   .scale = REFERENCE_F32,
                                                   .zero = REFERENCE_F32,
                                                   .y = REFERENCE_F16,
                                                   .mode = i < 2 ? CLQ_DEQUANTIZE_DIVIDE
                                                                 : CLQ_DEQUANTIZE_DYNAMIC};
            struct dequantize_case c = dequantize_case_of("rows short and long", &types, &shapes[k]);

            if (shapes[k].q[shapes[k].rank - 1] % reference_unit_values(types.q, 1) != 0)
                continue;
            c.y.before += (int64_t)(i + k) % 3;
            expect_dequantize(&c);
        }
}

/* The ends of the index type and off by one: nothing outside of q is read. */
static void hostile_indices(void **state)
{
    static const struct dequantize_shape shapes[] = {
        {.rank = 3, .q = {4, 7, 8}, .axis = 1, .entries = 4, .length = 2, .index_rank = 1},
        {.rank = 3, .q = {4, 7, 8}, .axis = 1, .entries = 40, .length = 7, .index_rank = 2},
        {.rank = 3, .q = {1, 1, 8}, .axis = 1, .entries = 30, .length = 1, .index_rank = 2},
        {.rank = 3, .q = {0, 5, 8}, .axis = 1, .entries = 6, .length = 2, .index_rank = 2},
        {.rank = 3, .q = {4, 7, 8}, .axis = 1, .entries = 40, .length = 1, .index_rank = 1, .slots = true},
        {.rank = 3, .q = {0, 5, 8}, .axis = 1, .entries = 6, .length = 1, .index_rank = 1, .slots = true},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = k; i < COMBINATIONS; i += harness_step(179, 1409)) {
            struct dequantize_case c = combination("hostile", i, &shapes[k]);

            c.places = PLACES_HOSTILE;
            expect_dequantize(&c);
        }
}

static void empty(void **state)
{
    static const struct dequantize_shape shapes[] = {
        {.rank = 2, .q = {0, 8}, .axis = 1},
        {.rank = 2, .q = {8, 0}, .axis = 0},
        {.rank = 3, .q = {4, 3, 0}, .axis = 1, .entries = 2, .length = 2, .index_rank = 2},
        {.rank = 3, .q = {4, 3, 8}, .axis = 1, .entries = 0, .length = 2, .index_rank = 2},
        {.rank = 3, .q = {4, 3, 8}, .axis = 1, .entries = 4, .length = 0, .index_rank = 1},
        {.rank = 2, .q = {0, 8}, .groups = 3},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = k; i < COMBINATIONS; i += 1201) {
            struct dequantize_case c = combination("empty", i, &shapes[k]);

            expect_dequantize(&c);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_dense),
        cmocka_unit_test(every_type_gathered),
        cmocka_unit_test(every_type_by_groups),
        cmocka_unit_test(every_axis_of_every_rank),
        cmocka_unit_test(any_layout),
        cmocka_unit_test(every_tail),
        cmocka_unit_test(rows_short_and_long),
        cmocka_unit_test(hostile_indices),
        cmocka_unit_test(empty),
    };

    return HARNESS_RUN(argc, argv, "dequantize", tests);
}
