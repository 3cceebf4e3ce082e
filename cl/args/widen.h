/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar arguments of widen.cl. */
#ifndef CLQ_ARGS_WIDEN_H
#define CLQ_ARGS_WIDEN_H

#include "args/types.h"

#define CLQ_WIDEN_DIMS 9 /* a tensor's, and one that repeats it */

/* Element i of y is the i-th of x in row-major order. Without dimensions x has one element, which is
 * repeated. */
struct widen_args {
    clq_i64 x_offset;          /* elements */
    clq_i64 elements;          /* how many floats are written */
    clq_i64 elements_per_item; /* consecutive ones that one work-item does */
    clq_u32 type;              /* enum clq_scalar of x */
    clq_u32 dims;              /* innermost first; only their sizes and strides in x are read */
    struct clq_dim dim[CLQ_WIDEN_DIMS];
};
CLQ_SAME_SIZE(widen_args, 536);

#endif
