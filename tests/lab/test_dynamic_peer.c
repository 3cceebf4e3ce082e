/* SPDX-License-Identifier: Apache-2.0 */
/* The dynamic peer writes the specified bytes, with every instruction set of this processor and every form,
 * whatever the length of a row, what is in it and where it goes. The bench uses it to refuse wrong results,
 * so it is itself held to a loop of one element at a time. */
#include "dynamic_peer.h"
#include "values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GUARD = 64, GUARD_BYTE = 0x5a, MOST_ELEMENTS = 3 << 19, MOST_ROWS = 3 << 13, KINDS = 14 };

static struct pool *pool;
static uint8_t *x, *q, *expected_q;
static float *scale, *offset, *expected_scale, *expected_offset;

static int rounded(float value, float lo, float hi)
{
    return isnan(value) ? 0 : value < lo ? (int)lo : value > hi ? (int)hi : (int)rintf(value);
}

static size_t place_of(const struct dynamic_work *work, size_t row)
{
    const size_t entry = work->indices ? row / work->entry_rows : 0;
    const int32_t *index = work->indices ? work->indices + entry * (work->pairs ? 2 : 1) : NULL;

    if (!index)
        return row;
    return ((work->pairs ? (size_t)index[0] : entry) * work->axis_size + (size_t)index[work->pairs ? 1 : 0]) *
               work->position_rows +
           row % work->entry_rows;
}

static void scalar_row(const struct dynamic_work *work, size_t row)
{
    const float hi = work->dst == PEER_I4 ? 7 : 127, steps = work->dst == PEER_I4 ? 15 : 255;
    const size_t place = place_of(work, row), first = row * work->columns;
    volatile float step, s, turned, back, off = 0;
    float mx = 0, mn = 0, amax = 0;
    bool found = false;

    for (size_t i = 0; i < work->columns; i++) {
        const float v = element_of(work->src, x, first + i);

        if (isnan(v))
            continue;
        mx = !found || v > mx ? v : mx;
        mn = !found || v < mn ? v : mn;
        amax = fabsf(v) > amax ? fabsf(v) : amax;
        found = true;
    }
    step = work->symmetric ? amax / hi : mx - mn;
    if (!work->symmetric)
        step = step / steps;
    s = step > 1e-12f ? step : 1e-12f;
    turned = mx / s;
    if (!work->symmetric)
        off = hi - turned;
    back = 1.0f / s;
    expected_scale[GUARD + place] = s;
    if (!work->symmetric)
        expected_offset[GUARD + place] = isnan(off) ? float_of(0x7fc00000) : -off;
    for (size_t i = 0; i < work->columns; i++) {
        volatile float v = element_of(work->src, x, first + i) * back;
        uint8_t *byte = expected_q + GUARD + peer_dst_bytes(work->dst, place * work->columns) +
                        (work->dst == PEER_I4 ? i / 2 : i);
        int value;

        if (!work->symmetric)
            v = v + off;
        value = rounded(v, -hi - 1, hi);
        if (work->dst == PEER_I8)
            *byte = (uint8_t)value;
        else
            *byte = (uint8_t)(i % 2 ? (*byte & 15) | (value & 15) << 4 : (*byte & 0xf0) | (value & 15));
    }
}

static void spoil(uint8_t *bytes, float *scales, float *offsets, size_t size_bytes, size_t places)
{
    memset(bytes, GUARD_BYTE, size_bytes + 2 * GUARD);
    memset(scales, GUARD_BYTE, (places + 2 * GUARD) * sizeof *scales);
    memset(offsets, GUARD_BYTE, (places + 2 * GUARD) * sizeof *offsets);
}

/* Every instruction set and form, with guards around the results. */
static void equals_scalar(struct dynamic_work work, size_t places)
{
    const size_t size_bytes = peer_dst_bytes(work.dst, places * work.columns);
    const size_t floats_bytes = (places + 2 * GUARD) * sizeof *scale;

    spoil(expected_q, expected_scale, expected_offset, size_bytes, places);
    for (size_t row = 0; row < work.rows; row++)
        scalar_row(&work, row);
    work.x = x;
    work.q = q + GUARD;
    work.scale = scale + GUARD;
    work.offset = work.symmetric ? NULL : offset + GUARD;
    for (enum isa isa = ISA_PLAIN; isa <= isa_best(); isa++) {
        for (int k = 0; k < 4; k++) {
            const struct dynamic_way way = {isa, k & 1 ? 512 : 0, (k & 1) != 0, (k & 2) != 0};

            spoil(q, scale, offset, size_bytes, places);
            dynamic_run(pool, &way, &work);
            if (memcmp(q, expected_q, size_bytes + 2 * GUARD) != 0)
                fail_msg("%s %d: q, src %d dst %d symmetric %d, %zu columns", isa_name(isa), k, work.src,
                         work.dst, work.symmetric, work.columns);
            if (memcmp(scale, expected_scale, floats_bytes) != 0)
                fail_msg("%s %d: scale, src %d dst %d symmetric %d, %zu columns", isa_name(isa), k, work.src,
                         work.dst, work.symmetric, work.columns);
            if (memcmp(offset, expected_offset, floats_bytes) != 0)
                fail_msg("%s %d: offset, src %d dst %d symmetric %d, %zu columns", isa_name(isa), k, work.src,
                         work.dst, work.symmetric, work.columns);
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

/* The bits of a float that a row of this kind has at element i. */
static uint32_t value_bits(int kind, size_t i, uint32_t random)
{
    const uint32_t usual = (random & 0x807fffff) | (120 + random % 9) << 23;

    switch (kind) {
    case 0: /* all of one sign */
        return usual & 0x7fffffff;
    case 1:
        return usual | 0x80000000;
    case 2: /* anything at all */
        return random;
    case 3: /* one NaN of either sign */
        return i == 1 ? 0x7fc00001 | (random & 0x80000000) : usual;
    case 4:
        return i == 2 ? 0x7f800000 | (random & 0x80000000) : usual;
    case 5: /* constant rows, beside whose offset the values vanish */
        return bits_of(3.5f);
    case 6:
        return bits_of(-1000.25f);
    case 7:
        return random & 0x80000000;
    case 8: /* a narrow range far from zero */
        return bits_of(1000.0f) + (random & 0xffff);
    case 9: /* subnormal, in float32 and in bfloat16 */
        return random & 0x807fffff;
    case 10: /* a range that overflows */
        return (random & 0x80ffffff) | 0x7e800000;
    case 11: /* NaN alone */
        return 0x7fc00000 | (random & 0x80000000);
    default:
        return usual;
    }
}

static uint16_t narrow_f16(uint32_t bits, int kind)
{
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);

    if (kind == 2)
        return (uint16_t)bits;
    if (kind == 10)
        return (uint16_t)(sign | 0x7bff);
    if ((bits & 0x7fffffff) >= 0x7f800000)
        return (uint16_t)(sign | 0x7c00 | (bits & 1));
    if ((bits & 0x7f800000) == 0)
        return (uint16_t)(sign | (bits & 0x3ff));
    return (uint16_t)(sign | (((bits >> 23 & 255) - 112) & 31) << 10 | (bits >> 13 & 0x3ff));
}

/* Rows of every kind in turn, or all of one. */
static void fill(enum peer_src src, size_t rows, size_t columns, int only)
{
    uint32_t state = 2463534242u + (uint32_t)columns;

    for (size_t row = 0; row < rows; row++) {
        const int kind = only >= 0 ? only : (int)((row * 5 + columns) % KINDS);

        for (size_t i = 0; i < columns; i++) {
            const uint32_t bits = value_bits(kind, i, next_random(&state));
            const size_t at = row * columns + i;

            if (src == PEER_F32)
                ((uint32_t *)(void *)x)[at] = bits;
            else
                ((uint16_t *)(void *)x)[at] =
                    src == PEER_F16 ? narrow_f16(bits, kind) : (uint16_t)(bits >> 16);
        }
    }
}

static struct dynamic_work work_of(int k)
{
    return (struct dynamic_work){.src = (enum peer_src)(k % PEER_SRC_COUNT),
                                 .dst = k / PEER_SRC_COUNT % 2 ? PEER_I4 : PEER_I8,
                                 .symmetric = k / PEER_SRC_COUNT / 2 % 2 != 0};
}

enum { FORMS = PEER_SRC_COUNT * 2 * 2 };

static void every_tail(void **state)
{
    static const size_t rows[] = {1, 15, 16, 17, 35};

    (void)state;
    for (size_t columns = 1; columns <= 300; columns += columns < 140 ? 1 : 13) {
        for (int k = 0; k < FORMS; k++) {
            struct dynamic_work work = work_of(k);

            work.columns = columns;
            work.rows = rows[(columns + (size_t)k) % (sizeof rows / sizeof *rows)];
            if (work.dst == PEER_I4 && columns % 2)
                continue;
            fill(work.src, work.rows, columns, -1);
            equals_scalar(work, work.rows);
        }
    }
}

/* Where no row is special, the fast loop alone decides. */
static void every_kind(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int k = 0; k < FORMS; k++) {
            struct dynamic_work work = work_of(k);

            work.columns = 128;
            work.rows = 400;
            fill(work.src, work.rows, work.columns, kind);
            equals_scalar(work, work.rows);
        }
    }
}

/* More rows than a thread's piece, and rows longer than one. */
static void cut_among_threads(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k += 5) {
        struct dynamic_work work = work_of(k);

        work.columns = 64;
        work.rows = MOST_ELEMENTS / 64;
        fill(work.src, work.rows, work.columns, KINDS - 1);
        equals_scalar(work, work.rows);
        work.columns = (MOST_ELEMENTS / 2) - 62;
        work.rows = 2;
        fill(work.src, work.rows, work.columns, KINDS - 1);
        equals_scalar(work, work.rows);
    }
}

/* Entries of a few rows, at places in no order, also where a thread begins inside an entry. */
static void scatters(void **state)
{
    static int32_t indices[2 * MOST_ROWS];
    enum { BATCHES = 6, AXIS = 40, POSITION = 3, LENGTH = 2, ENTRIES = BATCHES * AXIS / LENGTH };

    (void)state;
    for (int k = 0; k < FORMS; k++) {
        struct dynamic_work work = work_of(k);

        work.columns = k % 2 ? 128 : 70;
        work.indices = indices;
        work.pairs = true;
        work.axis_size = AXIS;
        work.position_rows = POSITION;
        work.entry_rows = (size_t)LENGTH * POSITION;
        work.rows = (size_t)ENTRIES * work.entry_rows;
        for (int i = 0; i < ENTRIES; i++) {
            const int at = i * 37 % ENTRIES * LENGTH;

            indices[2 * i] = at / AXIS;
            indices[2 * i + 1] = at % AXIS;
        }
        fill(work.src, work.rows, work.columns, -1);
        equals_scalar(work, (size_t)BATCHES * AXIS * POSITION);
        work.pairs = false;
        for (int i = 0; i < BATCHES; i++)
            indices[i] = i * 7 % (AXIS - 1);
        work.rows = (size_t)BATCHES * work.entry_rows;
        equals_scalar(work, (size_t)BATCHES * AXIS * POSITION);
    }
    for (size_t i = 0; i < MOST_ROWS / 4; i++)
        indices[i] = (int32_t)(i % 2);
    equals_scalar((struct dynamic_work){.rows = MOST_ROWS / 4 * 3,
                                        .columns = 64,
                                        .src = PEER_F16,
                                        .dst = PEER_I4,
                                        .indices = indices,
                                        .entry_rows = 3,
                                        .position_rows = 1,
                                        .axis_size = 4},
                  MOST_ROWS);
}

static void finds_a_way(void **state)
{
    struct dynamic_work work = {
        .x = x, .q = q, .scale = scale, .offset = offset, .rows = 1000, .columns = 128, .src = PEER_F16};

    (void)state;
    work.dst = PEER_I4;
    assert_true(dynamic_find_way(pool, &work).isa <= isa_best());
}

static int start(void **state)
{
    const size_t floats = MOST_ROWS + 2 * GUARD;

    (void)state;
    pool = pool_create();
    x = aligned_alloc(GUARD, (size_t)MOST_ELEMENTS * 4);
    q = aligned_alloc(GUARD, MOST_ELEMENTS + 2 * GUARD);
    expected_q = aligned_alloc(GUARD, MOST_ELEMENTS + 2 * GUARD);
    scale = calloc(floats, sizeof *scale);
    offset = calloc(floats, sizeof *offset);
    expected_scale = calloc(floats, sizeof *scale);
    expected_offset = calloc(floats, sizeof *offset);
    printf("instruction sets up to %s\n", isa_name(isa_best()));
    return pool && x && q && expected_q && scale && offset && expected_scale && expected_offset ? 0 : -1;
}

static int stop(void **state)
{
    void *const memory[] = {x, q, expected_q, scale, offset, expected_scale, expected_offset};

    (void)state;
    pool_destroy(pool);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        free(memory[i]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tail),        cmocka_unit_test(every_kind),  cmocka_unit_test(scatters),
        cmocka_unit_test(cut_among_threads), cmocka_unit_test(finds_a_way),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
