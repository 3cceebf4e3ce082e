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

static struct pool *pool;
static uint8_t *src, *dst, *expected;

struct mix {
    size_t reads, writes;
};

/* Blocks of whole lines; what is over stays. */
static void expect(struct mix mix, size_t line_bytes, uint8_t *out)
{
    const uint8_t *in = src;

    for (size_t done = 0; done + LINE <= line_bytes; done += LINE) {
        for (size_t j = 0; j < LINE; j++) {
            uint8_t sum = 0;
            for (size_t i = 0; i < mix.reads; i++)
                sum ^= in[i * LINE + j];
            for (size_t i = 0; i < mix.writes; i++)
                out[i * LINE + j] = sum;
        }
        in += mix.reads * LINE;
        out += mix.writes * LINE;
    }
}

static void check(struct mix mix, size_t lines)
{
    const size_t dst_bytes = mix.writes * lines * LINE, over = LINE - 1;
    struct stream_bytes bytes = {src, dst + GUARD, mix.reads * lines * LINE, dst_bytes + over};

    memset(expected, GUARD_BYTE, dst_bytes + over + 2 * GUARD);
    expect(mix, lines * LINE, expected + GUARD);
    for (size_t set = 0; set < stream_sets(); set++) {
        for (int k = 0; k < 4; k++) {
            struct stream_way way = {set, k & 1 ? 1024 : 0, (k & 2) != 0};

            memset(dst, GUARD_BYTE, dst_bytes + over + 2 * GUARD);
            stream_run(pool, &way, &bytes);
            if (memcmp(dst, expected, dst_bytes + over + 2 * GUARD) != 0)
                fail_msg("%s %zu:%zu, %zu lines, way %d", stream_set_name(set), mix.reads, mix.writes, lines,
                         k);
        }
    }
}

static void every_mix(void **state)
{
    static const struct mix mixes[] = {{8, 1}, {4, 1}, {2, 1}, {1, 1}, {1, 2}, {1, 4}, {1, 8}};
    static const size_t lines[] = {1, 2, 31, 32, 33, 100, 9375};

    (void)state;
    for (size_t m = 0; m < sizeof mixes / sizeof *mixes; m++)
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            check(mixes[m], lines[i]);
}

/* A mix without a loop of its own still writes all of its whole lines. */
static void other_mix(void **state)
{
    static const struct mix mixes[] = {{5, 1}, {3, 2}, {2, 9}, {0, 3}, {3, 0}};

    (void)state;
    for (size_t m = 0; m < sizeof mixes / sizeof *mixes; m++) {
        const size_t dst_bytes = mixes[m].writes * 1093 * LINE;
        struct stream_bytes bytes = {src, dst + GUARD, mixes[m].reads * 1093 * LINE, dst_bytes};
        struct stream_way way = {stream_sets() - 1, 512, true};

        memset(dst, GUARD_BYTE, dst_bytes + 2 * GUARD);
        memset(src, 0, bytes.src_bytes);
        stream_run(pool, &way, &bytes);
        for (size_t i = 0; i < GUARD; i++) {
            assert_int_equal(dst[i], GUARD_BYTE);
            assert_int_equal(dst[GUARD + dst_bytes + i], GUARD_BYTE);
        }
        for (size_t i = 0; i < dst_bytes; i++)
            assert_int_equal(dst[GUARD + i], 0);
    }
}

static void lists_ways(void **state)
{
    struct stream_way ways[STREAM_MOST_WAYS];
    const size_t count = stream_list_ways(ways);

    (void)state;
    assert_int_equal(count, stream_sets() * 10);
    assert_int_equal(ways[count - 1].set, stream_sets() - 1);
}

static int start(void **state)
{
    uint32_t random = 2463534242u;

    (void)state;
    pool = pool_create();
    src = aligned_alloc(GUARD, MOST_BYTES);
    dst = aligned_alloc(GUARD, MOST_BYTES);
    expected = aligned_alloc(GUARD, MOST_BYTES);
    if (!pool || !src || !dst || !expected)
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
    pool_destroy(pool);
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
        cmocka_unit_test(lists_ways),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
