/* SPDX-License-Identifier: Apache-2.0 */
/* A call of clq_find_scales between its steps: from what was checked to what is launched. */
#ifndef CLQ_PLAN_FIND_SCALES_H
#define CLQ_PLAN_FIND_SCALES_H

#include "args/find_scales.h"
#include "args/finish_scales.h"
#include "base/view.h"
#include "plan/launches.h"
#include "runtime/launch.h"

#include <clquant/find_scales.h>

struct clq__scales_work {
    struct clq__view x, scales, zero_points;
    int axis;                                /* -1: one scale for all of x */
    int64_t scale_stride, zero_point_stride; /* in memory, along the axis */
    enum clq__type type;                     /* of what x is to be quantized to */
    uint32_t method, mode;
};

/* Every rule but those of buffers, once (find_scales.c). */
clq_status clq__scales_check(const struct clq_find_scales_desc *desc, struct clq__scales_work *work);

/* find reduces x to ranges, and finish the ranges to scales; either may have nothing to do, and has no groups
 * then. */
struct clq__scales_call {
    struct find_scales_args find_args;
    struct finish_scales_args finish_args;
    struct clq__launch find, finish; /* all but the buffers */
    int64_t ranges;                  /* how many find writes */
    bool finish_group;               /* finish takes the group form */
    int64_t finish_rounds;           /* of a work-item's loops */
    struct clq__launches launches;
};

/* Folds the layout, cuts it into work-items and fills the arguments. */
void clq__scales_describe(struct clq__scales_call *call, const struct clq__scales_work *work,
                          struct clq__traits traits);

/* The same, and then all that is enqueued, on a device of these traits. scales must have elements. (find_scales_launches.c)
 */
void clq__scales_launches(struct clq__scales_call *call, const struct clq__scales_work *work,
                          const struct clq__traits *traits);

#endif
