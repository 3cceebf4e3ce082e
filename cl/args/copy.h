/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of copy.cl. */
#ifndef CLQ_ARGS_COPY_H
#define CLQ_ARGS_COPY_H

#include "args/types.h"

/* Offsets and strides in bytes: x is the source's, y the destination's. Piece i of row r is number r * pieces
 * + i. FORM item: a work-item copies one piece, or, where a row is one piece, some rows. All zeros:
 * nothing to do. */
struct copy_args {
    clq_i64 src_offset, dst_offset;
    clq_i64 row_bytes, piece_bytes, pieces; /* of a row; a piece is below 2^31 bytes */
    struct clq_divisor by_pieces;
    clq_i64 rows, rows_per_item;
    clq_u32 lanes; /* FORM group: work-items that share a piece, a power of two */
    clq_u32 sets;  /* of lanes in a group */
    clq_u32 outer, unused;
    struct clq_dim dim[CLQ_MOST_DIMS];
};
CLQ_SAME_SIZE(copy_args, 536);

#endif
