/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are turned by the Walsh-Hadamard matrix, to be quantized and on the way back, against the reference: every block,
 * lengths of one block and of many, values that are no numbers or hardly any, layouts. */
#include "dequantize_case.h"
#include "dynamic_case.h"
#include "scatter_case.h"

#include <math.h>

static const uint32_t blocks[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

static bool fits(const struct dynamic_types *types, int64_t length)
{
    return length % reference_unit_values(types->y, types->lanes) == 0;
}

static struct dynamic_case rotated(const char *name, size_t number, int64_t rows, int64_t length, uint32_t r)
{
    const struct dynamic_types types = dynamic_types_of(number % DYNAMIC_TYPES);
    struct dynamic_case c = dynamic_case_of(name, &types, 2, (int64_t[]){rows, length});

    c.rotate = r;
    c.seed += number;
    return c;
}

/* Rows of one block, of some, and of so many that no device turns them at once; with tails of less than a vector. */
static void every_block(void **state)
{
    static const int64_t times[] = {1, 2, 3, 5, 9, 17, 33, 65};

    (void)state;
    for (size_t b = 0; b < COUNT(blocks); b++)
        for (size_t t = 0; t < COUNT(times); t++)
            for (size_t i = 0; i < (size_t)harness_cases(12, 1); i++) {
                const int64_t length = blocks[b] * times[t];
                const size_t number = i * 29 + b * 7 + t;
                const struct dynamic_types types = dynamic_types_of(number % DYNAMIC_TYPES);
                struct dynamic_case c = rotated(
                    "blocks", number, length > 4000 ? 2 : 3 + (int64_t)(i % 4) * 11, length, blocks[b]);

                if (!fits(&types, length) || (harness.small && length > 300))
                    continue;
                c.x.before += (int64_t)(i % 3) * 5;
                c.y.before += (int64_t)(i % 4);
                expect_dynamic(&c);
            }
}

/* NaN, infinities, sums that overflow, subnormals, anything: alone in a block among others, and everywhere. */
static void every_kind_of_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < DYNAMIC_TYPES; i += harness_step(1, 31))
        for (int kind = 0; kind < ROW_KINDS; kind++) {
            const uint32_t r = blocks[(i + (size_t)kind) % (harness.small ? 6 : COUNT(blocks))];
            struct dynamic_case c = rotated("kinds", i, 5, r * (r < 100 ? 8 : 3), r);

            c.rows = (enum row_kind)kind;
            if (c.x.shape[1] % 8 == 0)
                expect_dynamic(&c);
        }
}

/* What is below the least normal number, and what is not far above it, beside larger ones and alone. */
static void subnormals_count(void **state)
{
    struct random random = random_of(harness.seed + 2);

    (void)state;
    for (size_t b = 0; b < COUNT(blocks) - (harness.small ? 4 : 0); b++)
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            const struct dynamic_types types = {REFERENCE_F32, REFERENCE_I4, REFERENCE_I8, 1, symmetric};
            struct dynamic_case c = dynamic_case_of("subnormals", &types, 2, (int64_t[]){4, 2 * blocks[b]});
            struct dynamic_tensors t;
            bool good;

            c.rotate = blocks[b];
            dynamic_tensors_init(&t, &c);
            dynamic_tensors_fill(&t, &c);
            for (int64_t i = 0; i < 8 * blocks[b]; i++) {
                const int most[] = {-127, -95, -30, 0};
                const double value =
                    ldexp(1 + random_unit(&random), (int)random_from(&random, -149, most[i / 2 / blocks[b]]));

                tensor_set(&t.x, i, random_bits(&random) & 1 ? -value : value);
            }
            good = dynamic_tensors_match(&t, &c, harness.context, harness.queue);
            dynamic_tensors_clear(&t, &c);
            if (!good)
                fail_msg("blocks of %u", blocks[b]);
        }
}

/* The least bit there is decides a tie, which decides the next one, and so on up to a scale: one element of a block of 32 is
 * subnormal, in x or once it is multiplied. */
static void the_least_bit_reaches_the_scale(void **state)
{
    static const double values[32] = {
        [0] = 0x1p-126, [2] = 0x1p-102, [4] = 0x1p-78, [8] = 0x1p-54, [16] = 0x1p-30};

    (void)state;
    for (int smooths = 0; smooths < 2; smooths++)
        for (int least = 0; least < 2; least++) {
            const struct dynamic_types types = {REFERENCE_F32, smooths ? REFERENCE_F32 : REFERENCE_I4,
                                                REFERENCE_I8, 1, true};
            struct dynamic_case c = dynamic_case_of("the least bit", &types, 2, (int64_t[]){2, 32});
            struct dynamic_tensors t;
            bool good;

            c.rotate = 32;
            dynamic_tensors_init(&t, &c);
            dynamic_tensors_fill(&t, &c);
            for (int64_t i = 0; i < 64; i++)
                tensor_set(&t.x, i,
                           i % 32 == 1 ? (least ? (smooths ? 0x1p-100 : 0x1p-149) : 0) : values[i % 32]);
            for (int64_t i = 0; i < 32 && smooths; i++)
                tensor_set(&t.smooth_scale, i, i == 1 ? 0x1p-49 : 1);
            good = dynamic_tensors_match(&t, &c, harness.context, harness.queue);
            dynamic_tensors_clear(&t, &c);
            if (!good)
                fail_msg("%s smooth scales", smooths ? "with" : "without");
        }
}

/* One infinity, or two, among blocks that have none. */
static void infinities(void **state)
{
    const struct dynamic_types types = {REFERENCE_F32, REFERENCE_I4, REFERENCE_I8, 1, true};

    (void)state;
    for (int64_t at = 0; at < 64; at += harness.small ? 7 : 1)
        for (int other = 0; other < 3; other++) {
            struct dynamic_case c = dynamic_case_of("infinities", &types, 2, (int64_t[]){1, 64});
            struct dynamic_tensors t;
            bool good;

            c.rotate = 16;
            c.rows = ROW_ORDINARY;
            dynamic_tensors_init(&t, &c);
            dynamic_tensors_fill(&t, &c);
            tensor_set(&t.x, at, INFINITY);
            if (other > 0)
                tensor_set(&t.x, at ^ 5, other == 1 ? INFINITY : -INFINITY);
            good = dynamic_tensors_match(&t, &c, harness.context, harness.queue);
            dynamic_tensors_clear(&t, &c);
            if (!good)
                fail_msg("an infinity at %lld", (long long)at);
        }
}

/* Any strides and offsets, smooth scales among them. */
static void any_layout(void **state)
{
    struct random random = random_of(harness.seed);

    (void)state;
    for (int i = 0; i < harness_cases(400, 8); i++) {
        const struct dynamic_types types = dynamic_types_of((size_t)random_below(&random, DYNAMIC_TYPES));
        const uint32_t r = blocks[random_below(&random, harness.small ? 5 : 9)];
        const int rank = (int)random_from(&random, 1, 4);
        int64_t shape[4];
        struct dynamic_case c;

        for (int d = 0; d < rank; d++)
            shape[d] = random_from(&random, 1, 4);
        shape[rank - 1] = r * random_from(&random, 1, r < 64 ? 9 : 3);
        if (!fits(&types, shape[rank - 1]))
            continue;
        c = dynamic_case_of("layouts", &types, rank, shape);
        c.rotate = r;
        c.seed = random_bits(&random);
        dynamic_case_stride(&c, &random);
        expect_dynamic(&c);
    }
}

/* So many rows that few work-items of a group share each of them. */
static void rows_that_share_groups(void **state)
{
    static const struct {
        int64_t rows, length;
        uint32_t r;
    } cases[] = {{1200, 128, 128}, {5000, 32, 32}, {600, 256, 64}};

    (void)state;
    if (harness.small)
        skip();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct dynamic_case c = rotated("sharing", 1, cases[i].rows, cases[i].length, cases[i].r);

        expect_dynamic(&c);
    }
}

/* So many rows that a CPU does some together and stores them past its caches. */
static void many_rows(void **state)
{
    static const struct {
        int64_t rows, length;
        uint32_t r;
    } cases[] = {{70000, 128, 128}, {100000, 96, 32}, {9000, 1024, 128}, {2000, 4160, 64}, {70001, 130, 2}};

    (void)state;
    if (harness.small || harness.share > 1)
        skip();
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t k = 0; k < 2; k++) {
            struct dynamic_case c = rotated("many rows", 1 + 3 * (k + i) + 12 * (i % 2), cases[i].rows,
                                            cases[i].length, cases[i].r);

            if (c.y.shape[1] * reference_unit_values(c.y.type, 1) % 8 != 0 && c.y.type == REFERENCE_I4)
                continue;
            c.rows = k ? ROW_MIXED : ROW_ORDINARY;
            expect_dynamic(&c);
        }
}

/* Into a cache: every policy, in words and bytes of nibbles too. */
static void scattered(void **state)
{
    static const struct scatter_shape shapes[] = {
        {.rank = 3, .cache = {4, 9, 64}, .axis = 1, .entries = 5, .length = 3, .index_rank = 2},
        {.rank = 4, .cache = {3, 4, 5, 128}, .axis = -2, .entries = 3, .length = 1, .index_rank = 1},
        {.rank = 4, .cache = {3, 6, 2, 32}, .axis = 1, .entries = 9, .length = 1, .index_rank = INDEX_SLOTS},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = k; i < DYNAMIC_TYPES; i += harness_step(2, 31)) {
            const struct dynamic_types dynamic = dynamic_types_of(i);
            const struct scatter_types types = {.x = dynamic.x,
                                                .scale = dynamic.smooth,
                                                .index = i % 2 ? REFERENCE_I64 : REFERENCE_I32,
                                                .cache = dynamic.y,
                                                .lanes = dynamic.lanes,
                                                .dynamic = true,
                                                .symmetric = dynamic.symmetric};
            struct scatter_case c = scatter_case_of("rotated", &types, &shapes[k]);

            c.rotate = k == 2 ? 8 : 32;
            c.places = PLACES_STRAY;
            c.range = k == 2 ? CLQ_DROP : (enum clq_range_policy)(i / 3 % 3);
            c.seed += i;
            expect_scatter(&c);
        }
}

static const struct {
    enum reference_type type;
    int lanes;
} stored[] = {{REFERENCE_I8, 1}, {REFERENCE_U8, 1}, {REFERENCE_I32, 1}, {REFERENCE_I4, 1},
              {REFERENCE_I4, 2}, {REFERENCE_I4, 8}, {REFERENCE_U4, 1}};

/* The way back, dense and gathered, of results of every size. */
static void back(void **state)
{
    static const enum reference_type floats[] = {FLOAT_TYPES};
    static const enum reference_type zeros[] = {REFERENCE_F32, REFERENCE_I4, REFERENCE_BF16, REFERENCE_I8};
    struct random random = random_of(harness.seed + 1);

    (void)state;
    for (size_t i = 0; i < (size_t)harness_cases(1200, 24); i++) {
        const size_t q = i % COUNT(stored);
        const uint32_t r = blocks[random_below(&random, harness.small ? 6 : COUNT(blocks))];
        const int64_t length = r * random_from(&random, 1, r < 64 ? 20 : r < 512 ? 3 : 5);
        const struct dequantize_types types = {.q = stored[q].type,
                                               .lanes = stored[q].lanes,
                                               .scale = floats[random_below(&random, 3)],
                                               .zero = zeros[random_below(&random, 4)],
                                               .index = i % 2 ? REFERENCE_I64 : REFERENCE_I32,
                                               .y = floats[i / 7 % 3],
                                               .mode = CLQ_DEQUANTIZE_DYNAMIC};
        struct dequantize_shape shape = {.rank = 3, .q = {3, 4, length}, .axis = 1};
        struct dequantize_case c;

        if (length % reference_unit_values(types.q, types.lanes) != 0)
            continue;
        if (i % 3 > 0) {
            shape.index_rank = 1 + (int)(i % 2);
            shape.entries = shape.index_rank == 1 ? 3 : 5;
            shape.length = random_from(&random, 1, 3);
            shape.slots = shape.index_rank == 1 && shape.length == 1;
        }
        c = dequantize_case_of("back", &types, &shape);
        c.rotate = r;
        c.results = (enum results)(i % RESULTS_COUNT);
        c.places = i % 5 == 0 ? PLACES_STRAY : PLACES_VALID;
        c.range = shape.slots ? CLQ_DROP : (enum clq_range_policy)(i / 2 % 3);
        c.seed = random_bits(&random);
        if (i % 4 == 0)
            dequantize_case_stride(&c, &random);
        expect_dequantize(&c);
    }
}

/* Past the caches of a CPU, and rows of more than one part. */
static void back_past_the_caches(void **state)
{
    static const struct dequantize_shape shapes[] = {
        {.rank = 2, .q = {40000, 128}}, {.rank = 2, .q = {1300, 4224}}, {.rank = 2, .q = {60000, 96}}};

    (void)state;
    if (harness.small || harness.share > 1)
        skip();
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = 0; i < 2; i++) {
            const struct dequantize_types types = {.q = i ? REFERENCE_I4 : REFERENCE_I8,
                                                   .scale = REFERENCE_F32,
                                                   .zero = REFERENCE_F32,
                                                   .y = k == 1 ? REFERENCE_BF16 : REFERENCE_F16,
                                                   .mode = CLQ_DEQUANTIZE_DYNAMIC};
            struct dequantize_case c = dequantize_case_of("past the caches", &types, &shapes[k]);

            c.rotate = 32;
            expect_dequantize(&c);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block),
        cmocka_unit_test(every_kind_of_row),
        cmocka_unit_test(subnormals_count),
        cmocka_unit_test(the_least_bit_reaches_the_scale),
        cmocka_unit_test(infinities),
        cmocka_unit_test(any_layout),
        cmocka_unit_test(rows_that_share_groups),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(scattered),
        cmocka_unit_test(back),
        cmocka_unit_test(back_past_the_caches),
    };

    return HARNESS_RUN(argc, argv, "rotate", tests);
}
