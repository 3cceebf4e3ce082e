/* SPDX-License-Identifier: Apache-2.0 */
/* The stream loops, compiled once for each instruction set. */
#include "stream_loops.h"

#include "line.h"

/* Lines that an iteration moves: a few per cent faster than a line at a time on an EPYC 9005. */
enum { LINES_AT_ONCE = 32 };

SIMD_INLINE line read_block(const uint8_t *src, size_t ahead_bytes, int reads, int prefetch)
{
    line sum = line_zero();

    for (int i = 0; i < reads; i++, src += LINE_BYTES) {
        if (prefetch)
            __builtin_prefetch(src + ahead_bytes);
        sum = line_xor(sum, line_load(src));
    }
    return sum;
}

SIMD_INLINE void write_block(uint8_t *dst, line sum, int writes, int non_temporal)
{
    for (int i = 0; i < writes; i++, dst += LINE_BYTES) {
        if (non_temporal)
            line_stream(dst, sum);
        else
            line_store(dst, sum);
    }
}

SIMD_INLINE void stream(const uint8_t *src, uint8_t *dst, size_t blocks, size_t ahead_bytes, uint8_t *sink,
                        int reads, int writes, int prefetch, int non_temporal)
{
    const size_t src_step = (size_t)reads * LINE_BYTES, dst_step = (size_t)writes * LINE_BYTES;
    const size_t at_once = LINES_AT_ONCE / (size_t)(reads > writes ? reads : writes);
    line sum, all = line_zero();
    size_t block = 0;

    for (; block + at_once <= blocks; block += at_once) {
#pragma GCC unroll 32
        for (size_t i = 0; i < at_once; i++, src += src_step, dst += dst_step) {
            sum = read_block(src, ahead_bytes, reads, prefetch);
            write_block(dst, sum, writes, non_temporal);
            all = writes ? all : line_xor(all, sum);
        }
    }
    for (; block < blocks; block++, src += src_step, dst += dst_step) {
        sum = read_block(src, ahead_bytes, reads, prefetch);
        write_block(dst, sum, writes, non_temporal);
        all = writes ? all : line_xor(all, sum);
    }
    if (writes == 0)
        line_store(sink, all);
    if (non_temporal)
        line_fence();
}

#define LOOP(reads, writes, prefetch, non_temporal)                                                          \
    static void loop_##reads##_##writes##_##prefetch##_##non_temporal(                                       \
        const uint8_t *src, uint8_t *dst, size_t blocks, size_t ahead_bytes, uint8_t *sink)                  \
    {                                                                                                        \
        stream(src, dst, blocks, ahead_bytes, sink, reads, writes, prefetch, non_temporal);                  \
    }
#define LOOPS(reads, writes)                                                                                 \
    LOOP(reads, writes, 0, 0)                                                                                \
    LOOP(reads, writes, 0, 1)                                                                                \
    LOOP(reads, writes, 1, 0)                                                                                \
    LOOP(reads, writes, 1, 1)
STREAM_MIXES(LOOPS)

#define ROW(reads, writes)                                                                                   \
    {{loop_##reads##_##writes##_0_0, loop_##reads##_##writes##_0_1},                                         \
     {loop_##reads##_##writes##_1_0, loop_##reads##_##writes##_1_1}},

const struct stream_loops SIMD_NAME(stream_loops) = {{STREAM_MIXES(ROW)}};
