/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of finish_scales.cl. */
#ifndef CLQ_ARGS_FINISH_SCALES_H
#define CLQ_ARGS_FINISH_SCALES_H

#include "args/scales.h"

/* Work-items in a group of the group form, at most. */
#define CLQ_FINISH_LANES 128

/* The ranges of index i are numbers p * part_ranges + i * index_ranges + j, for p below parts and j below
 * span. All zeros: nothing to do. */
struct finish_scales_args {
    clq_i64 indices, indices_per_item;
    clq_i64 parts, part_ranges, index_ranges, span;
    clq_u32 lanes, reserved; /* FORM group: work-items that share an index, a power of two */
    struct clq_scale_output output;
};
CLQ_SAME_SIZE(finish_scales_args, 120);

#endif
