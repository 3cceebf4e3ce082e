/* The scalar arguments of copy.cl. */
#ifndef CLQ_ARGS_COPY_H
#define CLQ_ARGS_COPY_H

#include "args/types.h"

#define CLQ_COPY_DIMS 9

/* Offsets and strides in bytes: x is the source's, y the destination's. */
struct copy_args {
    clq_i64 src_offset, dst_offset;
    clq_i64 row_bytes, rows, rows_per_item;
    clq_u32 outer, reserved;
    struct clq_dim dim[CLQ_COPY_DIMS];
};
CLQ_SAME_SIZE(copy_args, 408);

#endif
