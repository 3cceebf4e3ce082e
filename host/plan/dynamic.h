/* SPDX-License-Identifier: Apache-2.0 */
/* One call of dynamic quantization, checked: what its operators hand to dynamic_run.c, which does the rest
 * alike for all of them. */
#ifndef CLQ_PLAN_DYNAMIC_H
#define CLQ_PLAN_DYNAMIC_H

#include "args/dynamic_quantize.h"
#include "plan/launches.h"
#include "plan/placement.h"
#include "runtime/launch.h"

#include <clquant/dynamic_quantize.h>

/* The rows are x's last dimension. scale and offset have y's dimensions less the last. */
struct clq__dynamic_work {
    struct clq__view x, y, scale;
    struct clq__view offset; /* absent where the call is symmetric */
    struct clq__view smooth; /* absent where there is none */
    bool widen_smooth;       /* it is no dense float32 */
    struct clq__placement placement;
};

/* What the operators call their arguments. */
struct clq__dynamic_names {
    const char *x, *y, *scale, *offset;
};

struct clq__dynamic_tensors {
    const DLTensor *x, *y, *scale, *offset, *smooth;
    uint32_t symmetric;
};

/* Every rule of the tensors alone and of x, y, scale and offset as rows; those between x and y are the
 * operator's. */
clq_status clq__dynamic_check(struct clq__dynamic_work *work, const struct clq__dynamic_names *names,
                              const struct clq__dynamic_tensors *tensors);
/* Buffers, the report, and the workspace where words of it are needed. */
clq_status clq__dynamic_check_memory(const clq_context *context, const struct clq__dynamic_work *work,
                                     int64_t workspace_words);

/* The whole check of clq_dynamic_quantize, but for buffers (dynamic_quantize.c). */
clq_status clq__dynamic_quantize_check(const struct clq_dynamic_quantize_desc *desc,
                                       struct clq__dynamic_work *work);

/* Folds the layout and fills the arguments, but for what depends on the device. */
void clq__dynamic_describe(struct dynamic_quantize_args *args, const struct clq__dynamic_work *work);

/* A call between its steps. */
struct clq__dynamic_call {
    struct dynamic_quantize_args args;
    struct clq__launches launches;
};
/* From described arguments to all that is enqueued, on a device of these traits. x must have elements. */
void clq__dynamic_launches(struct clq__dynamic_call *call, const struct clq__dynamic_work *work,
                           const struct clq__traits *traits);

/* Checks the memory of what was checked, and runs it or only builds what it needs. */
clq_status clq__dynamic_run(clq_context *context, cl_command_queue queue,
                            const struct clq__dynamic_work *work, bool build_only, cl_uint num_wait,
                            const cl_event *wait, cl_event *done);

/* Rows and work-groups, from the layout in args; true for the group form. */
bool clq__dynamic_size(struct dynamic_quantize_args *args, struct clq__launch *launch,
                       struct clq__traits traits);
/* Loop rounds of a work-item that does one row. */
int64_t clq__dynamic_rounds(const struct dynamic_quantize_args *args);

#endif
