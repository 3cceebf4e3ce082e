/* SPDX-License-Identifier: Apache-2.0 */
/* The source of the entries of an index tensor, beside where they go. */
#ifndef CLQ_ARGS_SOURCE_H
#define CLQ_ARGS_SOURCE_H

#include "args/types.h"

/* The source of entries, as struct clq_entries says where they go. NONE: where the dimensions say. A kind
 * with steps of 0 says only which entries move: their rows were gathered before. */
struct clq_source {
    clq_i64 index_offset, index_stride, index_pair; /* elements */
    clq_i64 batches, size;                          /* D0, A */
    clq_i64 x_batch, x_start;                       /* units from one batch, and position, to the next */
    struct clq_divisor by_size;
    clq_u32 kind, range, wide, unused;
};
CLQ_SAME_SIZE(clq_source, 88);

#endif
