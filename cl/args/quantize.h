/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of quantize.cl, and of its mirror dequantize.cl, where y is read and x is written. */
#ifndef CLQ_ARGS_QUANTIZE_H
#define CLQ_ARGS_QUANTIZE_H

#include "args/entries.h"
#include "args/steps.h"

/* A unit is what y holds at once: one element, or the byte that holds two or four. A row is `inner` units
 * along the innermost dimension. The portable kernels go through rows in steps; a CPU's own have tiles of up
 * to `tile` units of one row, whose scales and zero points begin again after every `period` units: that is
 * inner, or for cpu/quantize.cl, in dense rows, less: a multiple of 64, of which a tile is one. All zeros:
 * nothing to do. */
struct quantize_args {
    clq_i64 x_offset, y_offset;              /* elements of x, units of y */
    clq_i64 scale_offset, zero_point_offset; /* elements */
    clq_i64 x_stride, y_stride;              /* from unit to unit; x's from low element to low element */
    clq_i64 x_pair;         /* from an element of a unit to its next one; 0 where it has one */
    clq_i64 inner, period;  /* units in a row, and in a turn of its scales */
    clq_i64 tile;           /* units in a tile; the last one of a row may be shorter */
    clq_i64 tiles_per_row;  /* likewise */
    clq_i64 tiles;          /* of all rows; of the portable kernels those of a slice, below 2^31 */
    clq_i64 tiles_per_item; /* consecutive tiles that one work-item does, but in FORM group */
    struct clq_divisor by_tiles_per_row;
    struct clq_steps steps; /* of the portable kernels */
    clq_u32 outer;          /* dimensions in dim, innermost first: of runs, where kernels go in steps */
    clq_u32 scale_type, zero_point_type; /* enum clq_scalar; F32 where there is one per element */
    clq_u32 zero_point_sign;             /* dequantize: the sign bit where they are added or absent */
    clq_u32 zero_points_each;            /* dequantize: 1 where there is one per element */
    clq_u32 by_both; /* dequantize of NVFP4: 1 where zero points are scales too, of blocks, and multiply */
    clq_u32 round_first; /* quantize: 1 where a value is rounded before its zero point is added */
    struct clq_entries entries;
    struct clq_dim dim[CLQ_MOST_DIMS];
};
CLQ_SAME_SIZE(quantize_args, 944);

#endif
