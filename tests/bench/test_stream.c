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

/* Blocks of whole lines, then one of shorter lines. */
static void expect(struct mix mix, size_t line_bytes, uint8_t *out)
{
    const uint8_t *in = src;

    for (size_t done = 0; done < line_bytes; done += LINE) {
        size_t line = line_bytes - done < LINE ? line_bytes - done : LINE;

        for (size_t j = 0; j < line; j++) {
            uint8_t sum = 0;
            for (size_t i = 0; i < mix.reads; i++)
                sum ^= in[i * line + j];
            for (size_t i = 0; i < mix.writes; i++)
                out[i * line + j] = sum;
        }
        in += mix.reads * line;
        out += mix.writes * line;
    }
}

static void check(struct mix mix, size_t line_bytes)
{
    size_t dst_bytes = mix.writes * line_bytes;
    struct stream_bytes bytes = {src, dst + GUARD, mix.reads * line_bytes, dst_bytes};

    memset(expected, GUARD_BYTE, dst_bytes + 2 * GUARD);
    expect(mix, line_bytes, expected + GUARD);
    for (enum isa isa = ISA_PLAIN; isa <= isa_best(); isa++) {
        for (int k = 0; k < 4; k++) {
            struct stream_way way = {isa, k & 1 ? 1024 : 0, (k & 2) != 0};

            memset(dst, GUARD_BYTE, dst_bytes + 2 * GUARD);
            stream_run(pool, &way, &bytes);
            if (memcmp(dst, expected, dst_bytes + 2 * GUARD) != 0)
                fail_msg("%s %zu:%zu, lines of %zu bytes in all, way %d", isa_name(isa), mix.reads,
                         mix.writes, line_bytes, k);
        }
    }
}

static void every_mix(void **state)
{
    static const struct mix mixes[] = {{8, 1}, {4, 1}, {2, 1}, {1, 1}, {1, 2}, {1, 4}, {1, 8}};
    static const size_t lines_bytes[] = {1, 63, 64, 65, 2047, 64 * 33, 64 * 100 + 7, 600000};

    (void)state;
    for (size_t m = 0; m < sizeof mixes / sizeof *mixes; m++)
        for (size_t i = 0; i < sizeof lines_bytes / sizeof *lines_bytes; i++)
            check(mixes[m], lines_bytes[i]);
}

/* A mix without a loop of its own still writes all of its bytes. */
static void other_mix(void **state)
{
    static const struct mix mixes[] = {{5, 1}, {3, 2}, {2, 9}, {0, 3}, {3, 0}};

    (void)state;
    for (size_t m = 0; m < sizeof mixes / sizeof *mixes; m++) {
        size_t dst_bytes = mixes[m].writes * 70001;
        struct stream_bytes bytes = {src, dst + GUARD, mixes[m].reads * 70001, dst_bytes};
        struct stream_way way = {isa_best(), 512, true};

        memset(dst, GUARD_BYTE, dst_bytes + 2 * GUARD);
        stream_run(pool, &way, &bytes);
        for (size_t i = 0; i < GUARD; i++) {
            assert_int_equal(dst[i], GUARD_BYTE);
            assert_int_equal(dst[GUARD + dst_bytes + i], GUARD_BYTE);
        }
        memset(src, 0, mixes[m].reads * 70001);
        stream_run(pool, &way, &bytes);
        for (size_t i = 0; i < dst_bytes; i++)
            assert_int_equal(dst[GUARD + i], 0);
    }
}

static void finds_a_way(void **state)
{
    struct stream_bytes bytes = {src, dst, 1 << 20, 1 << 18};
    struct stream_way way = stream_find_way(pool, &bytes);

    (void)state;
    assert_true(way.isa <= isa_best());
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
        cmocka_unit_test(finds_a_way),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
