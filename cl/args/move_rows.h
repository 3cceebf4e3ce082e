/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of move_rows.cl and convert_rows.cl. */
#ifndef CLQ_ARGS_MOVE_ROWS_H
#define CLQ_ARGS_MOVE_ROWS_H

#include "args/entries.h"
#include "args/pieces.h"
#include "args/source.h"

/* Offsets, strides and steps in units, bytes or elements: x is the source's, y the destination's. For the
 * entries count, length, positions and rows hold for both sides, whatever the kind. All zeros: nothing to do.
 */
struct move_rows_args {
    clq_i64 src_offset, dst_offset;
    clq_i64 src_stride, dst_stride; /* from unit to unit: of bytes 1 */
    struct clq_pieces pieces;
    clq_u32 outer, unused;
    struct clq_entries entries;
    struct clq_source source;
    struct clq_dim dim[CLQ_MOST_DIMS];
};
CLQ_SAME_SIZE(move_rows_args, 872);

#endif
