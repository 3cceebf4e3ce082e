/* SPDX-License-Identifier: Apache-2.0 */
/* The stream loops read every byte that they are given and write every byte that they are given: each byte
 * that is written is what the bytes of its block say, and nothing around is touched. */
#include "stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 64, GUARD = 64, GUARD_BYTE = 0x5a, MOST_BYTES = 5 << 20 };

static uint8_t *src, *dst, *expected;
static struct stream_way ways[STREAM_MOST_WAYS];
static size_t way_count;

struct mix {
    size_t reads, writes;
};

/* Each line out is the exclusive or of all lines in so far, of those of a thread's piece; what is less than a
 * line stays. */
static void expect(struct mix mix, size_t blocks, uint8_t *out)
{
    const size_t a_piece = (1 << 20) / LINE / (mix.reads > mix.writes ? mix.reads : mix.writes);
    const uint8_t *in = src;
    uint8_t sum[LINE] = {0};

    for (size_t block = 0; block < blocks; block++) {
        if (block % a_piece == 0)
            memset(sum, 0, LINE);
        for (size_t i = 0; i < mix.reads; i++, in += LINE)
            for (size_t j = 0; j < LINE; j++)
                sum[j] ^= in[j];
        for (size_t i = 0; i < mix.writes; i++, out += LINE)
            memcpy(out, sum, LINE);
    }
}

static void check(struct mix mix, size_t blocks)
{
    const size_t dst_bytes = mix.writes * blocks * LINE, over = blocks > 32 ? LINE - 1 : 0;
    struct stream_bytes bytes = {src, dst + GUARD, mix.reads * blocks * LINE, dst_bytes + over};

    memset(expected, GUARD_BYTE, dst_bytes + over + 2 * GUARD);
    expect(mix, blocks, expected + GUARD);
    for (size_t i = 0; i < way_count; i++) {
        memset(dst, GUARD_BYTE, dst_bytes + over + 2 * GUARD);
        stream_run(&ways[i], &bytes);
        if (memcmp(dst, expected, dst_bytes + over + 2 * GUARD) != 0)
            fail_msg("%zu:%zu, %zu blocks, way %zu", mix.reads, mix.writes, blocks, i);
    }
}

static void every_mix(void **state)
{
    static const struct mix mixes[] = {{8, 1}, {5, 1}, {2, 1}, {1, 1}, {1, 2}, {1, 4}, {1, 8}, {0, 1}};
    static const size_t blocks[] = {1, 2, 33, 100, 9375};

    (void)state;
    for (size_t m = 0; m < sizeof mixes / sizeof *mixes; m++)
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            check(mixes[m], blocks[i]);
}

/* A mix that is no whole number still writes all of its whole lines. */
static void other_mix(void **state)
{
    static const struct mix mixes[] = {{3, 2}, {2, 9}, {7, 3}, {3, 0}};

    (void)state;
    for (size_t m = 0; m < sizeof mixes / sizeof *mixes; m++) {
        const size_t dst_bytes = mixes[m].writes * 1093 * LINE;
        struct stream_bytes bytes = {src, dst + GUARD, mixes[m].reads * 1093 * LINE, dst_bytes};

        memset(dst, GUARD_BYTE, dst_bytes + 2 * GUARD);
        memset(src, 0, bytes.src_bytes);
        stream_run(&ways[way_count - 1], &bytes);
        for (size_t i = 0; i < GUARD; i++) {
            assert_int_equal(dst[i], GUARD_BYTE);
            assert_int_equal(dst[GUARD + dst_bytes + i], GUARD_BYTE);
        }
        for (size_t i = 0; i < dst_bytes; i++)
            assert_int_equal(dst[GUARD + i], 0);
    }
}

static int start(void **state)
{
    uint32_t random = 2463534242u;

    (void)state;
    way_count = stream_list_ways(ways);
    src = aligned_alloc(GUARD, MOST_BYTES);
    dst = aligned_alloc(GUARD, MOST_BYTES);
    expected = aligned_alloc(GUARD, MOST_BYTES);
    if (!pool_start() || !src || !dst || !expected)
        return -1;
    for (size_t i = 0; i < MOST_BYTES; i++) {
        random = random * 1664525u + 1013904223u;
        src[i] = (uint8_t)(random >> 24);
    }
    return 0;
}

static int stop(void **state)
{
    (void)state;
    pool_stop();
    free(src);
    free(dst);
    free(expected);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mix),
        cmocka_unit_test(other_mix),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
