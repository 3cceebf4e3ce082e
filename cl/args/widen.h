/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of widen.cl. */
#ifndef CLQ_ARGS_WIDEN_H
#define CLQ_ARGS_WIDEN_H

#include "args/types.h"

/* A tensor's, and two that repeat: each element of a block along two dimensions, or all of it. */
#define CLQ_WIDEN_DIMS (CLQ_MOST_DIMS + 2)

/* Element i of y, from its offset on, is the i-th of x in row-major order. Without dimensions x has one
 * element, which is repeated; so is all of x by a dimension outside of its own. A group of n = items
 * work-items does n * elements_per_item that follow one another, its item k those that are k, k + n, ... */
struct widen_args {
    clq_i64 x_offset, y_offset; /* elements */
    clq_i64 elements;           /* how many floats are written */
    clq_i64 elements_per_item;  /* that one work-item does */
    clq_u32 items, unused;      /* work-items in a group */
    clq_u32 type;               /* enum clq_scalar of x */
    clq_u32 dims;               /* innermost first; only their sizes and strides in x are read */
    clq_u32 sign;               /* the sign bit where the negative is written */
    clq_u32 invert;             /* 1 where 1 / x is written; 2: x, and 2^-149 where it is 0 */
    struct clq_dim dim[CLQ_WIDEN_DIMS];
};
CLQ_SAME_SIZE(widen_args, 616);

#endif
