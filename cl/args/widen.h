/* The scalar arguments of widen.cl. */
#ifndef CLQ_ARGS_WIDEN_H
#define CLQ_ARGS_WIDEN_H

#include "args/types.h"

struct widen_args {
    clq_i64 x_offset, x_stride; /* elements of x; a stride of 0 repeats the one element */
    clq_i64 y_offset;           /* floats */
    clq_i64 elements;           /* how many floats are written */
    clq_i64 elements_per_item;  /* consecutive ones that one work-item does */
    clq_u32 type;               /* enum clq_scalar of x */
    clq_u32 reserved;
};
CLQ_SAME_SIZE(widen_args, 48);

#endif
