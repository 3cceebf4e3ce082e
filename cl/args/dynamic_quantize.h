/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of dynamic_quantize.cl, and of its mirror dequantize_rotated.cl,
 * where y is read and x is written. */
#ifndef CLQ_ARGS_DYNAMIC_QUANTIZE_H
#define CLQ_ARGS_DYNAMIC_QUANTIZE_H

#include "args/entries.h"

/* A unit is what is stored at once: one element, or the byte that holds two or four. A row is x's last
 * dimension, `inner` units. A row of y may lie in parts, as words that do not follow one another do. In dim
 * and entries, zero_point is the offset's. All zeros: nothing to do. */
struct dynamic_quantize_args {
    clq_i64 x_offset, y_offset;          /* elements of x, units of y */
    clq_i64 scale_offset, offset_offset; /* elements */
    clq_i64 smooth_offset;               /* elements of dense float32 */
    clq_i64 smooth_blocks; /* rows that share smooth scales, one behind the other; 0: each has all of them */
    struct clq_divisor by_smooth_blocks;
    clq_i64 x_stride, y_stride;          /* from unit to unit; x's from low element to low element */
    clq_i64 x_pair;                      /* from an element of a unit to its next one; 0 where it has one */
    clq_i64 inner;                       /* units in a row */
    clq_i64 y_segment, y_segment_stride; /* units in a part, and from part to part */
    struct clq_divisor by_y_segment;
    clq_i64 rows;          /* of the portable kernels below 2^31: a slice of more */
    clq_i64 rows_per_item; /* FORM item: consecutive rows that one work-item does */
    clq_u32 lane_bits;     /* FORM group: 2 to this power are the work-items that share a row */
    clq_u32 sets;          /* of these in a group */
    clq_u32 rule;          /* quantize_rule.cl: an enum clq_rule */
    clq_u32 outer;         /* dimensions in dim, innermost first */
    clq_u32 symmetric;
    clq_u32 rotate;    /* neighbours that are turned: a power of two that divides a row; 0: none */
    clq_u32 together;  /* of a row's elements so many are turned at once, a multiple of rotate and of eight */
    clq_u32 factor;    /* the bits of 1 / sqrt(rotate) */
    clq_i64 per_scale; /* dequantize_rotated.cl: elements of a row that share a scale; 0: all of them.
                         quantize_rule.cl: 1 where the two elements of a unit have scales of their own */
    clq_i64 next_scale, next_offset; /* from one of these to the next */
    struct clq_divisor by_per_scale;
    clq_u32 top;         /* dynamic_quantize.cl: the bits of what the largest value becomes */
    clq_u32 offset_sign; /* the sign bit where offsets are -bias, 0 where they are bias */
    /* enum clq_scalar; of dynamic_quantize.cl floats, both alike where there is an offset */
    clq_u32 scale_type, offset_type;
    clq_i64 least; /* quantize_rule.cl: the bits of the smallest magnitude that a scale is found from */
    struct clq_entries entries;
    struct clq_dim dim[CLQ_MOST_DIMS];
};
CLQ_SAME_SIZE(dynamic_quantize_args, 920);

#endif
