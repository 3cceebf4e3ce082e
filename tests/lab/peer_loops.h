/* SPDX-License-Identifier: Apache-2.0 */
/* The table of peer loops that each instruction set has. */
#ifndef CLQUANT_BENCH_PEER_LOOPS_H
#define CLQUANT_BENCH_PEER_LOOPS_H

#include "peer.h"

#include <stdint.h>

/* A few rows, side by side. */
struct peer_tile {
    const void *x;
    const float *scale; /* one for all, or one for each column */
    uint8_t *y;
    size_t rows, columns;
    size_t x_stride, y_stride_bytes; /* from row to row */
    size_t ahead_bytes;
    bool last; /* of this thread's piece: what was written past the caches is ordered */
};

typedef void peer_loop(const struct peer_tile *tile);

struct peer_loops {
    peer_loop *run[PEER_SRC_COUNT][PEER_DST_COUNT][2][2][2]; /* src, dst, divide, scale each, non-temporal */
};

extern const struct peer_loops peer_loops_plain, peer_loops_avx2, peer_loops_avx512;

#endif
