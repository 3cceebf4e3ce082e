/* SPDX-License-Identifier: Apache-2.0 */
/* A call's tensors once its operator has checked them: all that the rest of its road knows of them. */
#ifndef CLQ_PLAN_WORK_H
#define CLQ_PLAN_WORK_H

#include "base/view.h"
#include "plan/placement.h"

#include <stdbool.h>

/* What a public call names its tensors, for sentences. All others are called the same by every call. */
struct clq__names {
    const char *x, *y, *scales, *zero_points;
};

/* Scales or zero points: one element, or one per index of an axis of x; or one per row of y, and at its place:
 * then the strides of the view count. */
struct clq__parameter {
    struct clq__view view; /* view.tensor is NULL where there is none */
    int64_t stride;        /* in memory, along the axis; 0 for one element */
    int64_t row_stride;    /* of groups, from one group's scales to the next's */
    bool flatten;          /* its elements in order do not lie at one stride: they are copied out first */
};

struct clq__work {
    const struct clq__names *names;
    struct clq__view x, y;                   /* floats, and what is quantized; of clq_find_scales x alone */
    struct clq__parameter scale, zero_point; /* of dynamic rows zero_point is the offset */
    struct clq__placement placement;
    int axis;    /* of x, along which scale or zero_point differ; of clq_find_scales -1 where they do not */
    bool divide; /* by the scale; else multiply */

    /* static quantization */
    struct clq__view input; /* what y begins as, and is copied from first; absent elsewhere */
    bool of_rows;           /* scale and zero_point belong to the rows of y, its last dimension */
    bool back;              /* from y to x */
    bool add;               /* back: the zero point is added, else subtracted */

    /* dynamic quantization: the rows are x's last dimension, and scale and zero_point have y's dimensions less the last */
    struct clq__view smooth; /* absent where there is none */
    bool widen_smooth;       /* it is no dense float32 */

    /* clq_find_scales */
    enum clq__type type; /* of what x is to be quantized to */
    uint32_t method;
};

/* What most calls have: all but the tensors, which an operator's check sets. */
void clq__work_init(struct clq__work *work, const struct clq__names *names);

/* An enum clq_scale_mode. */
clq_status clq__work_check_mode(struct clq__work *work, uint32_t mode);

/* The tensor whose rows are read: its shape is what sentences speak of. */
static inline const struct clq__view *clq__work_read(const struct clq__work *work)
{
    return work->back ? &work->y : &work->x;
}

#endif
