/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of values.cl. */
#ifndef CLQ_ARGS_VALUES_H
#define CLQ_ARGS_VALUES_H

#include "args/types.h"

/* Floats that lie ready at once. */
#define CLQ_VALUES_SLICE 1024

/* x is rows of `inner` elements, and a row is parts of up to `part`, a multiple of rotate. Part p of row r is
 * number r * parts + p. y is dense. All zeros: nothing to do. */
struct values_args {
    clq_i64 x_offset, x_stride; /* elements; from one to the next in a row */
    clq_i64 smooth_offset;      /* elements of dense float32 */
    clq_i64 smooth_stride;      /* from an element of a row to the next: 1, or 0 where rows have one each */
    clq_i64
        smooth_rows; /* consecutive rows that have one each, and the next rows the same; 0: a row has all */
    struct clq_divisor by_smooth_rows;
    clq_i64 y_offset;
    clq_i64 inner, slice, slices;
    struct clq_divisor by_slices;
    clq_i64 units;          /* parts of all rows */
    clq_i64 units_per_item; /* FORM item: consecutive ones that one work-item does */
    clq_u32 lanes, unused;  /* FORM group: work-items in a group, which share a part */
    clq_u32 smooth;         /* 1: x is multiplied by smooth */
    clq_u32 rotate;         /* neighbours that are turned: a power of two; 0: none */
    clq_u32 factor;         /* the bits of 1 / sqrt(rotate) */
    clq_u32 outer;          /* dimensions in dim, innermost first: those of rows in x */
    struct clq_dim dim[CLQ_MOST_DIMS];
};
CLQ_SAME_SIZE(values_args, 592);

#endif
