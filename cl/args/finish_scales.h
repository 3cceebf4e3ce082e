/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of finish_scales.cl. */
#ifndef CLQ_ARGS_FINISH_SCALES_H
#define CLQ_ARGS_FINISH_SCALES_H

#include "args/scales.h"

/* Work-items in a group of the group form, at most. */
#define CLQ_FINISH_LANES 128

/* The ranges of index i of batch b are numbers p * slice_ranges + b * batch_ranges + i * index_ranges + j,
 * for p below parts and j below span; that index is number b * indices + i. All zeros: nothing to do. */
struct finish_scales_args {
    clq_i64 indices, batches, indices_per_item;
    struct clq_divisor by_indices;
    clq_i64 ranges_offset; /* ranges before number 0 */
    clq_i64 slices, slice_ranges, batch_ranges, index_ranges, span;
    clq_u32 lanes;        /* FORM group: work-items that share an index, a power of two */
    clq_u32 sets, unused; /* of lanes in a group */
    clq_u32 batch_dims;   /* dimensions in dim, innermost first */
    struct clq_scale_output output;
    struct clq_dim dim[CLQ_MOST_DIMS];
};
CLQ_SAME_SIZE(finish_scales_args, 640);

#endif
