/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of copy.cl. */
#ifndef CLQ_ARGS_COPY_H
#define CLQ_ARGS_COPY_H

#include "args/types.h"

#define CLQ_COPY_DIMS 9

/* Offsets and strides in bytes: x is the source's, y the destination's. A work-item copies one piece of a
 * row, or, where a row is one piece, some rows. */
struct copy_args {
    clq_i64 src_offset, dst_offset;
    clq_i64 row_bytes, piece_bytes, pieces; /* of a row */
    clq_i64 rows, rows_per_item;
    clq_u32 outer, reserved;
    struct clq_dim dim[CLQ_COPY_DIMS];
};
CLQ_SAME_SIZE(copy_args, 568);

#endif
