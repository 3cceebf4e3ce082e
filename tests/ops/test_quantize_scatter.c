/* SPDX-License-Identifier: Apache-2.0 */
/* Quantize and scatter against the reference: every type, policy, rank and axis; layouts; wrong indices. */
#include "scatter_case.h"

static const enum reference_type floats[] = {FLOAT_TYPES};
static const enum reference_type zeros[] = {ZERO_POINT_TYPES, REFERENCE_I4 /* stands for none */};
static const struct {
    enum reference_type type;
    int lanes;
} caches[] = {{REFERENCE_I8, 1}, {REFERENCE_U8, 1}, {REFERENCE_I4, 1},  {REFERENCE_I4, 2},
              {REFERENCE_I4, 8}, {REFERENCE_U4, 2}, {REFERENCE_E4M3, 1}};

static size_t digit(size_t *i, size_t radix)
{
    const size_t value = *i % radix;

    *i /= radix;
    return value;
}

/* The mixed-radix digits of i, so that one loop runs through every combination. */
#define COMBINATIONS (COUNT(caches) * 2 * 2 * 3 * 2 * 2 * 2 * COUNT(floats) * COUNT(floats) * COUNT(zeros))
static struct scatter_case combination(const char *name, size_t i, struct scatter_shape shape)
{
    const size_t seed = i, cache = digit(&i, COUNT(caches));
    struct scatter_types types = {.cache = caches[cache].type, .lanes = caches[cache].lanes};
    struct scatter_case c;
    bool unique, multiply, copies;
    size_t range;

    types.index = digit(&i, 2) ? REFERENCE_I64 : REFERENCE_I32;
    shape.index_rank = digit(&i, 2) ? 2 : 1;
    range = digit(&i, 3);
    unique = digit(&i, 2);
    multiply = digit(&i, 2);
    copies = digit(&i, 2);
    types.x = floats[digit(&i, COUNT(floats))];
    types.scale = floats[digit(&i, COUNT(floats))];
    types.zero = zeros[digit(&i, COUNT(zeros))];
    if (shape.index_rank == 1 && shape.entries > shape.cache[0])
        shape.entries = shape.cache[0];
    if (shape.index_rank == 2 && range == CLQ_DROP && seed / 7 % 2) {
        shape.index_rank = INDEX_SLOTS;
        shape.length = 1;
    }
    c = scatter_case_of(name, &types, &shape);
    c.range = (enum clq_range_policy)range;
    c.unique = unique;
    c.multiply = multiply;
    c.round_first = seed / 11 % 3 == 0;
    c.copies = copies;
    c.places = shape.index_rank == 1 || !unique ? PLACES_STRAY
               : range == CLQ_CLAMP             ? PLACES_VALID /* the nearest place of two may be one */
                                                : PLACES_APART;
    if (c.places == PLACES_VALID)
        c.unique = false;
    c.seed += seed;
    return c;
}

/* 73 divides no radix and neither does 577, so each value of each digit still comes. */
static void every_type_and_policy(void **state)
{
    static const struct scatter_shape shapes[] = {
        {.rank = 3, .cache = {4, 9, 8}, .axis = 1, .entries = 5, .length = 3},
        {.rank = 4, .cache = {3, 4, 5, 16}, .axis = -2, .entries = 4, .length = 1},
        {.rank = 4, .cache = {3, 6, 3, 24}, .axis = 1, .entries = 3, .length = 2},
        {.rank = 4, .cache = {3, 5, 3, 64}, .axis = 1, .entries = 7, .length = 2},
        {.rank = 4, .cache = {2, 4, 5, 128}, .axis = 2, .entries = 6, .length = 3},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = k; i < COMBINATIONS; i += harness_step(73, 577)) {
            struct scatter_case c = combination("types", i, shapes[k]);

            expect_scatter(&c);
        }
}

static void every_axis_of_every_rank(void **state)
{
    static const int64_t sizes[CLQ_MAX_RANK] = {3, 2, 3, 2, 4, 2, 5, 8};
    size_t i = 0;

    (void)state;
    for (int rank = 2; rank <= CLQ_MAX_RANK; rank += harness.small ? 3 : 1) {
        struct scatter_shape shape = {.rank = rank, .entries = 3};

        for (int d = 0; d < rank; d++)
            shape.cache[d] = sizes[CLQ_MAX_RANK - rank + d];
        shape.cache[0] = 3;
        for (int axis = 1; axis < rank; axis++)
            for (int64_t length = 1; length <= shape.cache[axis]; length++)
                for (int k = 0; k < harness_cases(24, 1); k++) {
                    struct scatter_case c;

                    shape.axis = k % 2 ? axis : axis - rank;
                    shape.length = length;
                    i += 101;
                    while (axis == rank - 1 && reference_shares_bytes(caches[i % COUNT(caches)].type, 1))
                        i++;
                    c = combination("axes", i % COMBINATIONS, shape);
                    expect_scatter(&c);
                }
    }
}

/* The cache a slice of a larger one, updates and indices with gaps or repeated, scales of any shape. */
static void any_layout(void **state)
{
    struct random random = random_of(harness.seed);
    const int cases = harness_cases(2400, 60);

    (void)state;
    for (int i = 0; i < cases; i++) {
        struct scatter_shape shape = {.rank = (int)random_from(&random, 2, 5)};
        struct scatter_case c;
        size_t number = (size_t)random_below(&random, COMBINATIONS);
        const int last = shape.rank - 1;

        for (int d = 0; d < shape.rank; d++)
            shape.cache[d] = random_from(&random, 1, 6);
        shape.cache[last] = random_from(&random, 1, 5) * (shape.rank == 2 ? 4 : 8);
        shape.axis = (int)random_from(&random, 1, last);
        if (reference_shares_bytes(caches[number % COUNT(caches)].type, 1)) {
            if (shape.rank == 2) /* int4 has no axis there */
                number -= number % COUNT(caches);
            else if (shape.axis == last)
                shape.axis--;
        }
        shape.length = random_from(&random, 1, shape.cache[shape.axis]);
        shape.entries = random_from(&random, 1, 9);
        c = combination("layouts", number, shape);
        c.seed = random_bits(&random);
        c.borrows = random_below(&random, 2);
        c.reports = random_below(&random, 4) > 0;
        scatter_case_stride(&c, &random);
        expect_scatter(&c);
    }
}

/* Sizes of rows at which loops are cut, at odd starts in the cache. */
static void every_tail(void **state)
{
    static const int64_t sizes[] = {1,  2,  3,  7,   8,   15,  16,  17,  31,  32,  33,   63,   64,
                                    65, 66, 96, 127, 128, 130, 255, 256, 264, 513, 1024, 2050, 4104};

    (void)state;
    for (size_t k = 0; k < COUNT(sizes) - (harness.small ? 8 : 0); k++)
        for (size_t i = 0; i < (size_t)harness_cases(60, 2); i++) {
            const struct scatter_shape shape = {
                .rank = 3, .cache = {3, 5, sizes[k]}, .axis = 1, .entries = 3, .length = 2};
            const size_t number = (i * 997 + k) % COMBINATIONS, cache = number % COUNT(caches);
            struct scatter_case c;

            if (sizes[k] % reference_unit_values(caches[cache].type, caches[cache].lanes) != 0)
                continue;
            c = combination("tails", number, shape);
            c.cache.before += (int64_t)(i % 5);
            expect_scatter(&c);
        }
}

/* The ends of the index type and off by one: nothing outside the cache is touched. */
static void hostile_indices(void **state)
{
    static const struct scatter_shape shapes[] = {
        {.rank = 3, .cache = {4, 7, 8}, .axis = 1, .entries = 4, .length = 2},
        {.rank = 3, .cache = {4, 7, 8}, .axis = 1, .entries = 4, .length = 7},
        {.rank = 3, .cache = {1, 1, 8}, .axis = 1, .entries = 30, .length = 1},
        {.rank = 4, .cache = {2, 3, 5, 16}, .axis = 2, .entries = 40, .length = 3},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = k; i < COMBINATIONS; i += harness_step(89, 1409)) {
            struct scatter_case c = combination("hostile", i, shapes[k]);

            c.places = PLACES_HOSTILE;
            c.unique = false;
            expect_scatter(&c);
        }
}

/* A cache without batches: every entry of a pair is dropped, whatever the policy. */
static void no_batches(void **state)
{
    (void)state;
    for (size_t i = 0; i < COMBINATIONS; i += harness_step(211, 3001)) {
        const struct scatter_shape shape = {
            .rank = 3, .cache = {0, 5, 8}, .axis = 1, .entries = 3, .length = 2};
        struct scatter_case c = combination("no batches", i, shape);

        c.places = PLACES_STRAY;
        expect_scatter(&c);
    }
}

/* Nothing of it is looked at, its strides neither. */
static void a_cache_of_no_batches_has_any_strides(void **state)
{
    const struct scatter_shape shape = {
        .rank = 3, .cache = {0, 5, 16}, .axis = 1, .entries = 3, .length = 2, .index_rank = 2};
    const struct scatter_types types = {
        .zero = REFERENCE_I4, .index = REFERENCE_I32, .cache = REFERENCE_I4, .lanes = 8};
    struct scatter_case c = scatter_case_of("no batches, any strides", &types, &shape);

    (void)state;
    layout_stride(&c.cache);
    c.cache.strides[0] = c.cache.strides[1] = c.cache.strides[2] = INT64_MAX;
    c.places = PLACES_STRAY;
    expect_scatter(&c);
}

/* Rows of one element, and one row of very many: a driver's limit on the rounds of a work-item's loops must
 * not show, in the copy either. */
static void rows_short_and_long(void **state)
{
    static const struct scatter_types types = {
        .zero = REFERENCE_I4, .index = REFERENCE_I32, .cache = REFERENCE_I8};
    static const struct scatter_shape shapes[] = {
        {.rank = 3, .cache = {2, 40000, 3}, .axis = 1, .entries = 2, .length = 39000, .index_rank = 1},
        {.rank = 3, .cache = {4, 2, 60000}, .axis = 1, .entries = 4, .length = 1, .index_rank = 1},
        {.rank = 3, .cache = {2, 3, 100000}, .axis = 1, .entries = 2, .length = 1, .index_rank = 1},
        {.rank = 2, .cache = {1, 70000}, .axis = 1, .entries = 3, .length = 20000, .index_rank = 2},
        {.rank = 3, .cache = {4, 128, 1}, .axis = 1, .entries = 512, .length = 1, .index_rank = 2},
    };

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(shapes); k++) {
        struct scatter_case c = scatter_case_of("rows short and long", &types, &shapes[k]);

        c.copies = true;
        c.places = k == COUNT(shapes) - 1 ? PLACES_APART : PLACES_VALID;
        expect_scatter(&c);
        layout_stride(&c.input);
        layout_stride(&c.updates);
        c.input.strides[0] += 5;
        expect_scatter(&c);
        if (c.cache.shape[1] > 2) {
            layout_stride(&c.cache);
            c.cache.strides[0] = 1; /* the batches innermost: rows of one element */
            for (int d = c.cache.rank - 1, span = (int)c.cache.shape[0]; d > 0; d--) {
                c.cache.strides[d] = span;
                span *= (int)c.cache.shape[d];
            }
            expect_scatter(&c);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_policy),
        cmocka_unit_test(every_axis_of_every_rank),
        cmocka_unit_test(any_layout),
        cmocka_unit_test(every_tail),
        cmocka_unit_test(hostile_indices),
        cmocka_unit_test(no_batches),
        cmocka_unit_test(a_cache_of_no_batches_has_any_strides),
        cmocka_unit_test(rows_short_and_long),
    };

    return HARNESS_RUN(argc, argv, "quantize_scatter", tests);
}
