/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of dynamic_quantize.cl. */
#ifndef CLQ_ARGS_DYNAMIC_QUANTIZE_H
#define CLQ_ARGS_DYNAMIC_QUANTIZE_H

#include "args/entries.h"

/* A unit is what is stored at once: one element, or of nibbles the byte that holds two. A row is x's last
 * dimension, `inner` units. A row of y may lie in parts, as words that do not follow one another do. In dim
 * and entries, zero_point is the offset's. All zeros: nothing to do. */
struct dynamic_quantize_args {
    clq_i64 x_offset, y_offset;          /* elements of x, units of y */
    clq_i64 scale_offset, offset_offset; /* elements */
    clq_i64 smooth_offset;               /* elements of dense float32 */
    clq_i64 x_stride, y_stride;          /* from unit to unit; x's from low element to low element */
    clq_i64 x_pair;                      /* nibbles: from a byte's low element to its high one; else 0 */
    clq_i64 inner;                       /* units in a row */
    clq_i64 y_part, y_part_stride;       /* units in a part, and from part to part */
    struct clq_divisor by_y_part;
    clq_i64 rows, rows_per_item; /* FORM item: consecutive rows that one work-item does */
    clq_u32 lanes;               /* FORM group: work-items that share a row, a power of two */
    clq_u32 outer;               /* dimensions in dim, innermost first */
    clq_u32 symmetric, reserved;
    struct clq_entries entries;
    struct clq_dim dim[CLQ_MOST_DIMS];
};
CLQ_SAME_SIZE(dynamic_quantize_args, 800);

#endif
