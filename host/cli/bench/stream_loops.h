/* SPDX-License-Identifier: Apache-2.0 */
/* The table of stream loops that each instruction set has. */
#ifndef CLQUANT_BENCH_STREAM_LOOPS_H
#define CLQUANT_BENCH_STREAM_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* X(lines read, lines written) of a block */
#define STREAM_MIXES(X) X(8, 1) X(4, 1) X(2, 1) X(1, 1) X(1, 2) X(1, 4) X(1, 8) X(1, 0) X(0, 1)

#define STREAM_MIX_ONE(reads, writes) +1
enum { STREAM_MIX_COUNT = STREAM_MIXES(STREAM_MIX_ONE) };

/* sink: a line that takes what a loop without writes has read. */
typedef void stream_loop(const uint8_t *src, uint8_t *dst, size_t blocks, size_t ahead_bytes, uint8_t *sink);

struct stream_loops {
    stream_loop *run[STREAM_MIX_COUNT][2][2]; /* mix, prefetch, non-temporal */
};

extern const struct stream_loops stream_loops_plain, stream_loops_avx2, stream_loops_avx512;

#endif
