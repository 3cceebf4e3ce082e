/* SPDX-License-Identifier: Apache-2.0 */
/* The table of loops of dynamic quantization that each instruction set has. */
#ifndef CLQUANT_BENCH_DYNAMIC_LOOPS_H
#define CLQUANT_BENCH_DYNAMIC_LOOPS_H

#include "dynamic_peer.h"

#include <stdint.h>

/* Rows that one thread works on. */
struct dynamic_rows {
    const struct dynamic_work *work;
    size_t first, count; /* of the work's rows */
    size_t ahead_bytes;
    bool non_temporal; /* q is a whole number of aligned lines for each row */
};

typedef void dynamic_loop(const struct dynamic_rows *rows);

struct dynamic_loops {
    dynamic_loop *run[PEER_SRC_COUNT][2][2][2]; /* src, int4, symmetric, blocks of rows */
};

extern const struct dynamic_loops dynamic_loops_plain, dynamic_loops_avx2, dynamic_loops_avx512;

#endif
