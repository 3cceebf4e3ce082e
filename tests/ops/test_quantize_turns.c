/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs past what a cache holds, all rows different: a CPU's work-item may do several of them in turn, and must mix up
 * neither their places nor their scales. (A CPU of many cores has less for each, and does so with fewer of these.) */
#include "quantize_case.h"
#include "scatter_case.h"

#include <math.h>

#define BYTES (9 << 20) /* of y; of int32 more, for as many units */

static int64_t elements_of(enum reference_type type, int64_t bytes)
{
    return bytes * 8 / reference_types[type].bits;
}

/* Scales that have no inverse, or none in the range that is promised, among others; the last one does. */
static void set_odd_scales(struct tensor *scales, int64_t count)
{
    static const double odd[] = {0x1p-120, 0x1p120, -0x1p-41, 0x1p-140, INFINITY, NAN};

    for (int64_t i = 0; i < count - 1; i += 7)
        tensor_set(scales, i, odd[i / 7 % (int64_t)COUNT(odd)]);
    tensor_set(scales, count - 1, 3.0);
}

static const struct dense_case {
    enum reference_type x, y;
    bool multiply;
    int64_t inner;
    int axis; /* -1: one scale */
    bool zero_points;
    int64_t before; /* units that y begins behind a line */
    bool odd;       /* scales without inverses among the others */
} dense_cases[] = {
    {REFERENCE_F16, REFERENCE_I8, false, 3072, 1, false, 0, false},
    {REFERENCE_F16, REFERENCE_I8, false, 3072, 1, true, 0, false},
    {REFERENCE_F16, REFERENCE_I8, false, 192, 1, false, 0,
     false}, /* joined rows, of which tiles begin anywhere */
    {REFERENCE_F16, REFERENCE_I8, false, 1472, 1, true, 0,
     false}, /* the last tile one row, beside whole ones */
    {REFERENCE_F16, REFERENCE_I8, false, 96, 1, true, 0, false}, /* joined, their scales repeated to lines */
    {REFERENCE_BF16, REFERENCE_U8, true, 80, 1, false, 0, false},
    {REFERENCE_F32, REFERENCE_I4, false, 208, 1, true, 0, false},
    {REFERENCE_F16, REFERENCE_I8, false, 100, 1, true, 3, false}, /* out of line */
    {REFERENCE_F16, REFERENCE_I32, false, 7, 1, true, 0, false},
    {REFERENCE_F16, REFERENCE_I32, false, 48, 1, true, 0,
     false}, /* and again in a line behind the last step */
    {REFERENCE_F32, REFERENCE_I32, true, 48, 1, true, 0, false},
    {REFERENCE_F16, REFERENCE_I8, false, 3, 1, true, 0, false},    /* they begin again in the last step */
    {REFERENCE_F16, REFERENCE_I4, false, 256, 1, true, 0, false},  /* joined rows */
    {REFERENCE_BF16, REFERENCE_I4, false, 4096, 1, true, 0, true}, /* nothing inverted */
    {REFERENCE_F16, REFERENCE_U8, false, 8256, 1, true, 0, false}, /* more scales than are inverted */
    {REFERENCE_F16, REFERENCE_I8, false, 256, 0, true, 0, true},   /* a scale for each row */
    {REFERENCE_BF16, REFERENCE_I8, false, 1024, 0, false, 0, true},
    {REFERENCE_F32, REFERENCE_I4, true, 2048, 0, true, 0, false},
    {REFERENCE_F16, REFERENCE_I32, true, 40064, 0, true, 0, false}, /* parts of rows */
    {REFERENCE_F16, REFERENCE_I8, false, 40128, 0, true, 0, false}, /* the last ones shorter */
    {REFERENCE_F16, REFERENCE_I8, false, 40128, 1, true, 0,
     false}, /* no parts: strands have the same scales */
    {REFERENCE_BF16, REFERENCE_U8, true, 70080, 1, true, 0, false}, /* too long for that */
    {REFERENCE_F32, REFERENCE_U8, false, 40010, 0, true, 0, false}, /* which end inside lines */
    {REFERENCE_F16, REFERENCE_I8, false, 1024, 0, true, 1, false},  /* the first row out of line */
    {REFERENCE_F16, REFERENCE_I8, false, (9 << 20) + 77, -1, false, 0, false},
    {REFERENCE_F16, REFERENCE_I8, false, (9 << 20) + 77, -1, true, 5, false},
};

static void expect_dense(const struct dense_case *d, int64_t rows, uint64_t seed, bool bits)
{
    const int64_t scales = d->axis < 0 ? 1 : d->axis == 0 ? rows : d->inner;
    const struct quantize_types types = {d->x, REFERENCE_F32, REFERENCE_F32, d->y, 1, d->multiply};
    const struct quantize_shape shape = {
        2, {rows, d->inner}, d->axis == 0 ? 0 : 1, scales, d->zero_points ? scales : 0};
    struct quantize_case c = quantize_case_of("rows in turn", &types, &shape);
    struct quantize_tensors t;

    c.values = bits ? VALUES_BITS : VALUES_SPREAD;
    c.seed = seed;
    c.y.before = d->before;
    quantize_tensors_init(&t, &c);
    quantize_tensors_fill(&t, &c);
    if (d->odd)
        set_odd_scales(&t.scales, scales);
    if (!quantize_tensors_match(&t, &c, harness.context, harness.queue))
        fail_msg("%lld rows of %lld", (long long)rows, (long long)d->inner);
    quantize_tensors_clear(&t);
}

static void dense_rows(void **state)
{
    (void)state;
    if (harness.small)
        skip();
    for (size_t i = 0; i < COUNT(dense_cases); i += harness_step(1, 1)) {
        const struct dense_case *d = &dense_cases[i];
        const int64_t bytes = d->y == REFERENCE_I32 ? 17 << 20 : BYTES;
        const int64_t rows = d->inner > BYTES ? 1 : elements_of(d->y, bytes) / d->inner + 3;

        expect_dense(d, rows, harness.seed + i, d->odd || i % 2);
    }
}

/* Rows of any length with a row of scales, as many as just have these repeated to whole lines: the tensor ends anywhere in a
 * tile, a line and a turn of the scales. */
static void short_rows(void **state)
{
    static const enum reference_type from[] = {FLOAT_TYPES}, to[] = {QUANTIZED_TYPES};
    struct random random = random_of(harness.seed);

    (void)state;
    if (harness.small)
        skip();
    for (int i = 0; i < harness_cases(3 * COUNT(to), 1); i++) {
        const bool pairs = reference_shares_bytes(to[(size_t)i % COUNT(to)], 1);
        const struct dense_case d = {.x = from[random_below(&random, 3)],
                                     .y = to[(size_t)i % COUNT(to)],
                                     .multiply = random_below(&random, 2),
                                     .inner = (random_below(&random, 300) + 1) * (pairs ? 2 : 1),
                                     .axis = 1,
                                     .zero_points = random_below(&random, 2),
                                     .before = random_below(&random, 3) ? 0 : random_below(&random, 70)};
        const int64_t rows = ((pairs ? 8 : 4) << 20) / d.inner + 1 + random_below(&random, 300);

        expect_dense(&d, rows, random_bits(&random), false);
    }
}

static const struct scattered_case {
    enum reference_type x, cache;
    int64_t entries, length, heads, columns;
    enum places places;
    bool multiply, unique;
    enum clq_range_policy range;
    int64_t gap; /* elements behind each position of the cache */
} scattered_cases[] = {
    {REFERENCE_F16, REFERENCE_I8, 9100, 1, 8, 128, PLACES_APART, false, true, CLQ_DROP, 0},
    {REFERENCE_F16, REFERENCE_I8, 9100, 1, 8, 128, PLACES_VALID, false, false, CLQ_DROP, 0},
    {REFERENCE_F16, REFERENCE_I8, 9100, 1, 8, 128, PLACES_STRAY, true, false, CLQ_DROP, 0},
    {REFERENCE_BF16, REFERENCE_I4, 4600, 1, 1, 4096, PLACES_APART, false, true, CLQ_DROP, 0},
    {REFERENCE_F32, REFERENCE_U8, 36500, 1, 1, 256, PLACES_VALID, false, false, CLQ_DROP, 0},
    {REFERENCE_F16, REFERENCE_I8, 600, 16, 2, 512, PLACES_STRAY, false, false, CLQ_DROP,
     0}, /* several positions */
    {REFERENCE_F16, REFERENCE_I8, 1900, 5, 2, 512, PLACES_VALID, false, false, CLQ_DROP,
     0}, /* fewer than what is placed at once */
    {REFERENCE_F16, REFERENCE_I8, 9100, 1, 8, 128, PLACES_RARE, false, true, CLQ_DROP,
     0}, /* some stretches row by row */
    {REFERENCE_F16, REFERENCE_U8, 9100, 1, 8, 128, PLACES_RARE, true, false, CLQ_DROP, 0},
    {REFERENCE_BF16, REFERENCE_I4, 4600, 1, 1, 4096, PLACES_RARE, false, false, CLQ_CLAMP, 0},
    {REFERENCE_F16, REFERENCE_I8, 9100, 1, 8, 128, PLACES_RARE, false, false, CLQ_WRAP, 0},
    {REFERENCE_F16, REFERENCE_I8, 9100, 1, 9, 111, PLACES_APART, false, true, CLQ_DROP, 0}, /* out of line */
    {REFERENCE_F16, REFERENCE_I8, 13000, 1, 8, 96, PLACES_STRAY, false, false, CLQ_DROP,
     0}, /* scales repeated */
    {REFERENCE_F32, REFERENCE_I4, 13000, 3, 8, 112, PLACES_VALID, false, false, CLQ_DROP, 0},
    {REFERENCE_BF16, REFERENCE_U8, 40000, 1, 3, 80, PLACES_APART, true, true, CLQ_DROP, 0},
    {REFERENCE_F16, REFERENCE_I8, 9100, 1, 1, 1024, PLACES_APART, false, true, CLQ_DROP,
     32}, /* none begins a line */
};

static void scattered_rows(void **state)
{
    (void)state;
    if (harness.small)
        skip();
    for (size_t i = 0; i < COUNT(scattered_cases); i += harness_step(1, 1)) {
        const struct scattered_case *s = &scattered_cases[i];
        const struct scatter_types types = {.x = s->x,
                                            .scale = REFERENCE_F32,
                                            .zero = i % 2 ? REFERENCE_F32 : REFERENCE_I4,
                                            .index = i % 2 ? REFERENCE_I32 : REFERENCE_I64,
                                            .cache = s->cache,
                                            .lanes = 1};
        const struct scatter_shape shape = {.rank = 4,
                                            .cache = {3, s->entries * s->length / 2, s->heads, s->columns},
                                            .axis = 1,
                                            .entries = s->entries,
                                            .length = s->length,
                                            .index_rank = 2};
        struct scatter_case c = scatter_case_of("rows in turn", &types, &shape);

        if (s->gap > 0) {
            layout_stride(&c.cache);
            c.cache.strides[1] += s->gap;
            c.cache.strides[0] = c.cache.strides[1] * c.cache.shape[1];
        }

        c.multiply = s->multiply;
        c.unique = s->unique;
        c.places = s->places;
        c.range = s->range;
        c.seed = harness.seed + i;
        expect_scatter(&c);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dense_rows), cmocka_unit_test(short_rows),
                                       cmocka_unit_test(scattered_rows)};

    return HARNESS_RUN(argc, argv, "quantize turns", tests);
}
