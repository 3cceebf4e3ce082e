/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of copy.cl. */
#ifndef CLQ_ARGS_COPY_H
#define CLQ_ARGS_COPY_H

#include "args/pieces.h"

/* Offsets and strides in bytes: x is the source's, y the destination's. All zeros: nothing to do. */
struct copy_args {
    clq_i64 src_offset, dst_offset;
    struct clq_pieces pieces;
    clq_u32 outer, unused;
    struct clq_dim dim[CLQ_MOST_DIMS];
};
CLQ_SAME_SIZE(copy_args, 536);

#endif
