/* SPDX-License-Identifier: Apache-2.0 */
/* The peer: static quantization as a person writes it by hand in C, with intrinsics where the processor has
 * them, on every processor. It answers two questions: how fast the operator could be on this machine, and
 * whether the operator's bytes are right, for it is a second writing of the same formula:
 *
 *   y = sat(rint(x * scale)) or sat(rint(x / scale)), NaN gives 0, no zero point */
#ifndef CLQUANT_BENCH_PEER_H
#define CLQUANT_BENCH_PEER_H

#include "isa.h"
#include "pool.h"

#include <stdbool.h>
#include <stdint.h>

enum peer_src { PEER_F32, PEER_F16, PEER_BF16 };
enum peer_dst { PEER_I8, PEER_U8, PEER_I32, PEER_I4 };
enum { PEER_SRC_COUNT = PEER_BF16 + 1, PEER_DST_COUNT = PEER_I4 + 1 };
enum peer_scale {
    PEER_SCALE_ONE,  /* scale[0] everywhere */
    PEER_SCALE_EACH, /* scale[column] */
    PEER_SCALE_ROW,  /* scale[row % scales] */
};

/* Where groups of rows go in y: group i is number pairs[2 * i] * batch + pairs[2 * i + 1] of the groups there. */
struct peer_places {
    const int32_t *pairs;
    size_t batch, rows; /* groups in a batch, rows in a group */
};

/* Rows of x lie row_stride elements apart, those of y are dense. int4 takes two elements a byte, so columns
 * is even. */
struct peer_work {
    const void *x;
    const float *scale;
    void *y;
    size_t rows, columns, row_stride, scales;
    enum peer_src src;
    enum peer_dst dst;
    enum peer_scale scale_kind;
    bool divide;
    const struct peer_places *places; /* NULL: the rows of y follow one another; not with PEER_SCALE_ONE */
};

struct peer_way {
    enum isa isa;
    unsigned ahead_bytes; /* prefetched that far ahead */
    bool non_temporal;    /* written past the caches */
    unsigned tile_rows;   /* rows that use a scale of one element while it is in a register; 0: 1 */
};

void peer_run(struct pool *pool, const struct peer_way *way, const struct peer_work *work);

/* The fastest way to do this work. */
struct peer_way peer_find_way(struct pool *pool, const struct peer_work *work);

size_t peer_src_bytes(enum peer_src src, size_t elements);
size_t peer_dst_bytes(enum peer_dst dst, size_t elements);

#endif
