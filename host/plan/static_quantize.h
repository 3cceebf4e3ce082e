/* SPDX-License-Identifier: Apache-2.0 */
/* One call of static quantization, checked: what the operators hand to static_quantize.c, which does the rest
 * alike for all of them. */
#ifndef CLQ_PLAN_STATIC_QUANTIZE_H
#define CLQ_PLAN_STATIC_QUANTIZE_H

#include "args/quantize.h"
#include "base/view.h"
#include "plan/placement.h"
#include "plan/side_buffers.h"
#include "runtime/launch.h"
#include "runtime/memory.h"

#include <clquant/quantize.h>
#include <stdbool.h>

/* Scales or zero points: one element, or one per index of an axis of x; or one per row of y, and at its place:
 * then the strides of the view count. */
struct clq__static_parameter {
    struct clq__view view; /* view.tensor is NULL where there is none */
    int64_t stride;        /* in memory, along the axis; 0 for one element */
    int64_t row_stride;    /* of groups, from one group's scales to the next's */
    bool flatten;          /* its elements in order do not lie at one stride: they are copied out first */
};

struct clq__static_work {
    struct clq__view x, y;
    struct clq__static_parameter scale, zero_point;
    int axis;     /* of x, along which scale or zero_point differ */
    bool of_rows; /* scale and zero_point belong to the rows of y, its last dimension */
    bool back;    /* from y to x */
    bool divide;  /* by the scale; else multiply */
    bool add;     /* back: the zero point is added, else subtracted */
    struct clq__placement placement;
};

/* The tensor whose rows are read: its shape is what sentences speak of. */
static inline const struct clq__view *clq__static_read(const struct clq__static_work *work)
{
    return work->back ? &work->y : &work->x;
}

/* What the operators' checks have in common. init sets all but the views and the layout. */
clq_status clq__static_work_init(struct clq__static_work *work, uint32_t mode);
/* From y, which is read, to x, of enum clq_dequantize_mode. */
clq_status clq__static_work_init_back(struct clq__static_work *work, uint32_t mode);
clq_status clq__static_parameters_init(struct clq__static_work *work, const char *scales_name,
                                       const DLTensor *scales, const char *zero_points_name,
                                       const DLTensor *zero_points);
/* Shapes of scales and zero points, and their strides: per index of axis of x; per index of its last dimension,
 * in any shape; a row of scales per group of rows; and as y's shape less the last dimension. */
clq_status clq__static_check_axis(struct clq__static_work *work, int axis);
clq_status clq__static_check_last(struct clq__static_work *work);
clq_status clq__static_check_groups(struct clq__static_work *work);
clq_status clq__static_check_rows(struct clq__static_work *work);
/* The report, and the words of workspace that the call needs, or 0. input may be NULL. */
clq_status clq__static_check_side_buffers(const clq_context *context, const struct clq__static_work *work,
                                          const struct clq__view *input, int64_t workspace_words);

/* Runs what was checked, or only builds what it needs. */
clq_status clq__static_run(clq_context *context, cl_command_queue queue, const struct clq__static_work *work,
                           bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done);

#endif
