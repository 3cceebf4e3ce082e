/* SPDX-License-Identifier: Apache-2.0 */
/* The peer of dynamic quantization: what a person writes by hand in C, dense or scattered. As peer.h it says
 * how fast the operator could be on this machine, and whether its bytes are right:
 *
 *   asymmetric   scale = max((mx - mn) / (2^n - 1), 1e-12), offset = -(hi - mx / scale)
 *                q = sat(rint(x * (1 / scale) + (hi - mx / scale)))
 *   symmetric    scale = max(amax / hi, 1e-12), q = sat(rint(x * (1 / scale)))
 *
 * of n bits, up to hi, for each row; NaN does not count for the range and gives 0. */
#ifndef CLQUANT_BENCH_DYNAMIC_PEER_H
#define CLQUANT_BENCH_DYNAMIC_PEER_H

#include "peer.h"

#include <stdint.h>

/* Rows are dense. Row r of x goes to row r of q, or where indices are given, to its entry's place: entry i is
 * `entry_rows` rows and begins at row (batch * axis_size + start) * position_rows, where (batch, start) is
 * indices[i] for pairs, else (i, indices[i]). Every place is valid. */
struct dynamic_work {
    const void *x;
    void *q;
    float *scale, *offset; /* one for each row of q; offset is not used where symmetric */
    size_t rows, columns;  /* columns is even for int4 */
    enum peer_src src;
    enum peer_dst dst; /* PEER_I8 or PEER_I4 */
    bool symmetric;

    const int32_t *indices; /* NULL: dense */
    bool pairs;
    size_t entry_rows, position_rows, axis_size;
};

struct dynamic_way {
    enum isa isa;
    unsigned ahead_bytes; /* prefetched that far ahead */
    bool non_temporal;    /* q is written past the caches */
    bool blocks;          /* the ranges of several rows are found together */
};

void dynamic_run(struct pool *pool, const struct dynamic_way *way, const struct dynamic_work *work);

/* The fastest way to do this work. */
struct dynamic_way dynamic_find_way(struct pool *pool, const struct dynamic_work *work);

#endif
