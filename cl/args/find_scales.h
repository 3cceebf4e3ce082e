/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of find_scales.cl. */
#ifndef CLQ_ARGS_FIND_SCALES_H
#define CLQ_ARGS_FIND_SCALES_H

#include "args/scales.h"

/* A tensor's dimensions, two of which may be cut into blocks, but for the innermost. */
#define CLQ_FIND_DIMS (CLQ_MOST_DIMS + 1)

/* Work-items in a group of the group form, at most. */
#define CLQ_FIND_LANES 128

/* x is rows of `inner` elements. REDUCE runs: an index has `steps` tiles, each of up to `tile` elements of
 * a row, and a unit is an index. REDUCE columns: a step is a row, and a unit is a tile of up to `tile`
 * columns, each with a range of its own; of FORM group, of up to 16 bytes. The steps are cut into parts.
 * Indices of more dimensions make `batches` of all this. Unit i of batch b of part p is number (p *
 * batches + b) * units + i; its range, or that of column i, is number p * slice_ranges + b * batch_ranges
 * + i. A tile and a part of the steps are below 2^31; of the portable kernels all steps, and the batches,
 * are too. All zeros: nothing to do. */
struct find_scales_args {
    clq_i64 x_offset, x_stride; /* elements; from one to the next in a row */
    clq_i64 inner, last;        /* elements in a row, and in the last row */
    clq_i64 tile, tiles_per_row;
    struct clq_divisor by_tiles_per_row;
    clq_i64 index_stride;  /* runs: elements from one index to the next */
    clq_i64 ranges_offset; /* ranges before number 0 */
    clq_i64 slice_ranges, batch_ranges;
    clq_i64 steps, steps_per_slice, slices;
    clq_i64 units, units_per_item; /* of a batch; consecutive ones that a work-item does */
    clq_i64 batches;               /* of each part */
    struct clq_divisor by_units, by_batches;
    clq_u32 lanes;        /* FORM group: work-items that share a unit, a power of two */
    clq_u32 sets, unused; /* of lanes in a group */
    /* 1, RANGE finite: range i is all of index i, of one batch: its scale is written, and no range */
    clq_u32 direct;
    clq_u32 outer, batch_dims; /* dimensions in dim: the rows' from its beginning on, innermost first; the
                                * batches' from its end, innermost last */
    struct clq_scale_output output;
    struct clq_dim dim[CLQ_FIND_DIMS];
};
CLQ_SAME_SIZE(find_scales_args, 792);

#endif
