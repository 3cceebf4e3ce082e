/* SPDX-License-Identifier: Apache-2.0 */
/* The peer writes the specified bytes, with every instruction set of this processor, whatever the length of a
 * row. The bench uses it to refuse wrong results, so it is itself held to a loop of one element at a time. */
#include "values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 130, ROWS = 3, GUARD = 64, GUARD_BYTE = 0x5a, RANDOM_COUNT = 1 << 16 };

/* NaN, infinities, both zeros, ties, ends of the ranges, subnormals, and what a scale of 1 leaves as it is.
 */
static const float specials[] = {
    NAN,     -NAN,     INFINITY,       -INFINITY,   0.0f,         -0.0f,         0.5f,
    -0.5f,   1.5f,     2.5f,           -2.5f,       3.49999976f,  126.5f,        127.5f,
    -127.5f, -128.5f,  -129.0f,        254.5f,      255.5f,       256.0f,        6.5f,
    7.5f,    -7.5f,    -8.5f,          -9.0f,       1e-45f,       -1e-45f,       1e-39f,
    3.4e38f, -3.4e38f, 8388607.5f,     8388609.0f,  -8388607.5f,  2147483520.0f, 2147483648.0f,
    3e9f,    -3e9f,    -2147483648.0f, 0.49999997f, -0.49999997f, 16777217.0f,   1.0f,
};

static const float scales[] = {1.0f, 0.5f,   3.0f,   -0.1f, 0.0f,  -0.0f, INFINITY, -INFINITY,
                               NAN,  1e-45f, 1e-38f, 1e38f, 0.01f, 7.0f,  -2.0f,    0.33333334f};

static int64_t quantized(float x, float scale, bool divide, double lo, double hi)
{
    volatile float v = divide ? x / scale : x * scale;

    if (isnan(v))
        return 0;
    v = rintf(v);
    return v < lo ? (int64_t)lo : v > hi ? (int64_t)hi : (int64_t)v;
}

static void write_one(enum peer_dst dst, uint8_t *y, size_t i, float x, float scale, bool divide)
{
    static const double lo[] = {-128, 0, -2147483648.0, -8}, hi[] = {127, 255, 2147483647.0, 7};
    int64_t q = quantized(x, scale, divide, lo[dst], hi[dst]);
    int32_t wide = (int32_t)q;

    if (dst == PEER_I4)
        y[i / 2] = (uint8_t)(i % 2 ? (y[i / 2] & 15) | (q & 15) << 4 : q & 15);
    else if (dst == PEER_I32)
        memcpy(y + 4 * i, &wide, 4);
    else
        y[i] = (uint8_t)q;
}

/* The same work by the scalar loop. */
static void scalar_run(const struct peer_work *work, uint8_t *y)
{
    for (size_t row = 0; row < work->rows; row++) {
        for (size_t i = 0; i < work->columns; i++) {
            size_t s = work->scale_kind == PEER_SCALE_ONE    ? 0
                       : work->scale_kind == PEER_SCALE_EACH ? i
                                                             : row % work->scales;
            write_one(work->dst, y, row * work->columns + i,
                      element_of(work->src, work->x, row * work->row_stride + i), work->scale[s],
                      work->divide);
        }
    }
}

static struct pool *pool;
static uint8_t *ours, *expected;

/* Every instruction set and way to store, with a guard around the result. */
static void equals_scalar(struct peer_work work)
{
    size_t size_bytes = peer_dst_bytes(work.dst, work.rows * work.columns);

    memset(expected, GUARD_BYTE, size_bytes + 2 * GUARD);
    scalar_run(&work, expected + GUARD);
    work.y = ours + GUARD;
    for (enum isa isa = ISA_PLAIN; isa <= isa_best(); isa++) {
        for (unsigned ahead = 0; ahead <= 512; ahead += 512) {
            struct peer_way way = {isa, ahead, ahead > 0, ahead > 0 ? 4 : 1};

            memset(ours, GUARD_BYTE, size_bytes + 2 * GUARD);
            peer_run(pool, &way, &work);
            if (memcmp(ours, expected, size_bytes + 2 * GUARD) != 0)
                fail_msg("%s src %d dst %d %s scale kind %d, %zu columns", isa_name(isa), work.src, work.dst,
                         work.divide ? "divide" : "multiply", work.scale_kind, work.columns);
        }
    }
}

/* Groups of rows to other places: what the dense peer writes of them, and nothing beside. */
static void rows_have_places(void **state)
{
    enum { COLUMNS = 128, GROUPS = 5, ROWS_A_GROUP = 6, BATCH = 4, PLACES = 2 * BATCH };
    static const int32_t pairs[2 * GROUPS] = {1, 3, 0, 0, 1, 0, 0, 3, 0, 2};
    static float x[GROUPS * ROWS_A_GROUP * COLUMNS];
    static uint8_t dense[sizeof x / 4], found[PLACES * ROWS_A_GROUP * COLUMNS + 64], wanted[sizeof found];
    const size_t group = ROWS_A_GROUP * COLUMNS;
    const struct peer_places places = {.pairs = pairs, .batch = BATCH, .rows = ROWS_A_GROUP};
    uint8_t *y = found + (64 - (uintptr_t)found % 64) % 64;

    (void)state;
    for (size_t i = 0; i < sizeof x / 4; i++)
        x[i] = (float)(i * 37 % 1021) * 0.25f - 120.0f;
    for (enum isa isa = ISA_PLAIN; isa <= isa_best(); isa++) {
        for (unsigned tile_rows = 1; tile_rows <= 4; tile_rows++) {
            const struct peer_way way = {isa, 512, tile_rows % 2 == 0, tile_rows};
            struct peer_work work = {.x = x,
                                     .scale = x,
                                     .y = dense,
                                     .rows = GROUPS * ROWS_A_GROUP,
                                     .columns = COLUMNS,
                                     .row_stride = COLUMNS,
                                     .scales = COLUMNS,
                                     .src = PEER_F32,
                                     .dst = PEER_I8,
                                     .scale_kind = PEER_SCALE_EACH};

            peer_run(pool, &way, &work);
            memset(found, GUARD_BYTE, sizeof found);
            memset(wanted, GUARD_BYTE, sizeof wanted);
            for (size_t i = 0; i < GROUPS; i++)
                memcpy(wanted + (y - found) + (size_t)(pairs[2 * i] * BATCH + pairs[2 * i + 1]) * group,
                       dense + i * group, group);
            work.y = y;
            work.places = &places;
            peer_run(pool, &way, &work);
            assert_memory_equal(found, wanted, sizeof found);
        }
    }
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Fills x of any type: every other element special, the rest random bits. */
static void fill(enum peer_src src, void *x, size_t count, size_t turn)
{
    uint32_t state = 2463534242u + (uint32_t)turn;

    for (size_t i = 0; i < count; i++) {
        uint32_t random = next_random(&state);
        uint32_t bits = i % 2 ? random : bits_of(specials[(i / 2 + turn) % (sizeof specials / 4)]);

        if (src == PEER_F32)
            ((uint32_t *)x)[i] = bits;
        else
            ((uint16_t *)x)[i] = (uint16_t)(src == PEER_BF16 ? bits >> 16 : random);
    }
}

static void every_tail(void **state)
{
    static uint32_t x[ROWS * (LONGEST + 7)];
    static float scale[LONGEST];

    (void)state;
    for (size_t i = 0; i < LONGEST; i++)
        scale[i] = scales[i % (sizeof scales / sizeof *scales)];
    for (size_t columns = 0; columns <= LONGEST; columns++) {
        for (int k = 0; k < PEER_SRC_COUNT * PEER_DST_COUNT * 2 * 3; k++) {
            struct peer_work work = {.x = x, .scale = scale, .rows = ROWS, .columns = columns, .scales = 2};

            work.src = (enum peer_src)(k % PEER_SRC_COUNT);
            work.dst = (enum peer_dst)(k / PEER_SRC_COUNT % PEER_DST_COUNT);
            work.divide = k / (PEER_SRC_COUNT * PEER_DST_COUNT) % 2;
            work.scale_kind = (enum peer_scale)(k / (PEER_SRC_COUNT * PEER_DST_COUNT * 2));
            work.row_stride = columns + (k % 2 ? 7 : 0);
            if (work.dst == PEER_I4 && columns % 2)
                continue;
            fill(work.src, x, ROWS * work.row_stride, columns);
            equals_scalar(work);
        }
    }
}

/* All 65,536 float16 and bfloat16, and as many float32, against every scale. */
static void every_half(void **state)
{
    static uint32_t x[RANDOM_COUNT];

    (void)state;
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        for (int k = 0; k < PEER_SRC_COUNT * PEER_DST_COUNT * 2; k++) {
            struct peer_work work = {.x = x, .scale = &scales[s], .rows = 1, .columns = RANDOM_COUNT};

            work.src = (enum peer_src)(k % PEER_SRC_COUNT);
            work.dst = (enum peer_dst)(k / PEER_SRC_COUNT % PEER_DST_COUNT);
            work.divide = k / (PEER_SRC_COUNT * PEER_DST_COUNT) % 2;
            work.row_stride = work.columns;
            if (work.src == PEER_F32)
                fill(work.src, x, RANDOM_COUNT, s);
            else
                for (size_t i = 0; i < RANDOM_COUNT; i++)
                    ((uint16_t *)x)[i] = (uint16_t)i;
            equals_scalar(work);
        }
    }
}

/* Rows longer than a thread's piece of work, and many short ones. */
static void cut_among_threads(void **state)
{
    enum { LONG = (1 << 20) + 130, SHORT = 34 };
    uint32_t *x = malloc((size_t)2 * LONG * sizeof *x);
    float *scale = malloc((size_t)LONG * sizeof *scale);

    (void)state;
    assert_non_null(x);
    assert_non_null(scale);
    fill(PEER_F32, x, 2 * LONG, 1);
    for (size_t i = 0; i < LONG; i++)
        scale[i] = 1.0f + (float)(i % 100);
    for (int kind = PEER_SCALE_ONE; kind <= PEER_SCALE_ROW; kind++) {
        struct peer_work work = {.x = x,
                                 .scale = scale,
                                 .scale_kind = (enum peer_scale)kind,
                                 .divide = true,
                                 .rows = 2,
                                 .columns = LONG,
                                 .row_stride = LONG,
                                 .scales = 2,
                                 .dst = PEER_I4};

        equals_scalar(work);
        work.rows = LONG / 20;
        work.columns = SHORT;
        work.row_stride = 40;
        work.scales = 1000;
        equals_scalar(work);
    }
    free(x);
    free(scale);
}

static int start(void **state)
{
    const size_t most_bytes = (size_t)4 * (1 << 20);

    (void)state;
    pool = pool_create();
    ours = aligned_alloc(GUARD, most_bytes);
    expected = aligned_alloc(GUARD, most_bytes);
    printf("instruction sets up to %s\n", isa_name(isa_best()));
    return pool && ours && expected ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    pool_destroy(pool);
    free(ours);
    free(expected);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_places),
        cmocka_unit_test(every_tail),
        cmocka_unit_test(every_half),
        cmocka_unit_test(cut_among_threads),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
