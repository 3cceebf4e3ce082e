/* SPDX-License-Identifier: Apache-2.0 */
/* clq_quantize: static quantization as it is. */
#include <clquant/quantize.h>

#include "base/error.h"
#include "ops/operators.h"
#include "ops/option_rows.h"
#include "plan/belongs/parameter.h"
#include "plan/kept.h"

static clq_status check(struct clq__checked_call *checked, const void *of)
{
    clq_status status = CLQ_OK;
    const struct clq_quantize_desc *desc = of;

    checked->divide = desc->mode == CLQ_DIVIDE;
    CLQ_TRY(clq__view_init(&checked->x, checked->names->x, desc->x, CLQ__FLOATS));
    CLQ_TRY(clq__parameters_init(checked, desc->scales, desc->zero_points));
    CLQ_TRY(clq__view_init(&checked->y, checked->names->y, desc->y, CLQ__QUANTIZED));
    CLQ_TRY(clq__check_round_first(checked, desc->round_first));
    CLQ_TRY(clq__view_check_alike(&checked->y, &checked->x));
    CLQ_TRY(clq__view_check_output(&checked->y));
    CLQ_TRY(clq__parameters_check_dense(
        checked,
        &(struct clq__blocks){.axis = desc->axis, .block = desc->block, .before = desc->block_before}));
    checked->placement.workspace = (struct clq__beside){desc->workspace, desc->workspace_offset_bytes};
end:
    return status;
}

#define CLQ__DESC clq_quantize_desc
static const struct clq_option options[] = {
    CLQ__OPTION_AS(x, CLQ__IN("float32, float16 or bfloat16")),
    CLQ__OPTION_AS(scales, CLQ__IN(CLQ__SCALE_TYPES "; one, one per index of the axis, or by shape")),
    CLQ__OPTION_AS(zero_points, CLQ__MAY_BE_IN(CLQ__ZERO_POINT_TYPES "; as scales, independently")),
    CLQ__OPTION_AS(y, CLQ__OUT("of x's shape, of a quantized type")),
    CLQ__OPTION(axis),
    CLQ__OPTION(mode),
    CLQ__OPTION(block),
    CLQ__OPTION(round_first),
    CLQ__OPTION(workspace),
    CLQ__OPTION(block_before),
    CLQ__OPTION(reserved32),
    CLQ__OPTION(reserved),
};

const struct clq__operator clq__quantize = {
    CLQ__DESCRIPTOR(options),
    .check = check,
    .tensors = {CLQ__TENSOR(y), CLQ__TENSOR(x), CLQ__TENSOR(scale.view), CLQ__TENSOR(zero_point.view)},
    .outputs = 1,
    .describe = clq__static_describe,
    .cut = clq__static_cut,
};

static const struct clq__names names = {"x", "y", "scales", "zero_points", false, false};

clq_status clq_quantize(clq_context *context, cl_command_queue queue, const struct clq_quantize_desc *desc,
                        cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    return clq__operator_run(context, queue, &clq__quantize, &names, desc, num_wait, wait, done);
}

clq_status clq_quantize_build(clq_context *context, const struct clq_quantize_desc *desc)
{
    return clq__operator_build(context, &clq__quantize, &names, desc);
}

clq_status clq_quantize_check(const struct clq_quantize_desc *desc)
{
    return clq__operator_check(&clq__quantize, &names, desc);
}

clq_status clq_quantize_workspace(clq_context *context, const struct clq_quantize_desc *desc,
                                  size_t *size_bytes)
{
    return clq__operator_workspace(context, &clq__quantize, &names, desc, size_bytes);
}

clq_status clq_quantize_plan(clq_context *context, const struct clq_quantize_desc *desc, clq_plan **plan)
{
    return clq__plan_keep(context, &clq__quantize, &names, desc, plan);
}
