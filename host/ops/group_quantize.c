/* SPDX-License-Identifier: Apache-2.0 */
/* clq_group_quantize: one row of scales per group of rows. */
#include <clquant/group_quantize.h>

#include "base/error.h"
#include "ops/operators.h"
#include "ops/option_rows.h"
#include "plan/belongs/parameter.h"
#include "plan/kept.h"

static clq_status check(struct clq__checked_call *checked, const void *of)
{
    clq_status status = CLQ_OK;
    const struct clq_group_quantize_desc *desc = of;
    const struct clq__names *names = checked->names;
    struct clq__placement *placement = &checked->placement;

    CLQ_TRY(clq__view_init(&checked->x, names->x, desc->x, CLQ__FLOATS));
    CLQ_TRY(clq__view_init(&checked->scale.view, names->scales, desc->scales,
                           names->documented ? CLQ__FLOATS : CLQ__SCALES));
    CLQ_TRY(clq__view_init_optional(&checked->zero_point.view, names->zero_points, desc->zero_points,
                                    CLQ__FLOATS));
    CLQ_TRY(clq__view_init(&checked->y, names->y, desc->y, CLQ__GROUPED));
    CLQ_TRY(clq__check_round_first(checked, desc->round_first));
    CLQ_TRY(clq__parameters_check_groups(checked, desc->group_index));
    CLQ_TRY(clq__view_check_alike(&checked->y, &checked->x));
    CLQ_TRY(clq__view_check_output(&checked->y));
    placement->report = (struct clq__beside){desc->report, desc->report_offset_bytes};
    placement->workspace = (struct clq__beside){desc->workspace, desc->workspace_offset_bytes};
end:
    return status;
}

#define CLQ__DESC clq_group_quantize_desc
static const struct clq_option options[] = {
    CLQ__OPTION_AS(x, CLQ__IN("float32, float16 or bfloat16, [S, H]")),
    CLQ__OPTION_AS(scales, CLQ__IN(CLQ__SCALE_TYPES "; [E, H]")),
    CLQ__OPTION(group_index),
    CLQ__OPTION_AS(zero_points, CLQ__MAY_BE_IN("float32, float16 or bfloat16, one number")),
    CLQ__OPTION_AS(y, CLQ__OUT("of x's shape")),
    CLQ__OPTION(report),
    CLQ__OPTION(round_first),
    CLQ__OPTION(reserved32),
    CLQ__OPTION(workspace),
    CLQ__OPTION(reserved),
};

const struct clq__operator clq__group_quantize = {
    CLQ__DESCRIPTOR(options),
    .check = check,
    .tensors = {CLQ__TENSOR(y), CLQ__TENSOR(x), CLQ__TENSOR(scale.view), CLQ__TENSOR(placement.indices),
                CLQ__TENSOR(zero_point.view)},
    .outputs = 1,
    .describe = clq__static_describe,
    .cut = clq__static_cut,
};

static const struct clq__names names = {"x", "y", "scales", "zero_points", false, false};

clq_status clq_group_quantize(clq_context *context, cl_command_queue queue,
                              const struct clq_group_quantize_desc *desc, cl_uint num_wait,
                              const cl_event *wait, cl_event *done)
{
    return clq__operator_run(context, queue, &clq__group_quantize, &names, desc, num_wait, wait, done);
}

clq_status clq_group_quantize_build(clq_context *context, const struct clq_group_quantize_desc *desc)
{
    return clq__operator_build(context, &clq__group_quantize, &names, desc);
}

clq_status clq_group_quantize_check(const struct clq_group_quantize_desc *desc)
{
    return clq__operator_check(&clq__group_quantize, &names, desc);
}

clq_status clq_group_quantize_check_indices(clq_context *context, cl_command_queue queue,
                                            const struct clq_group_quantize_desc *desc, cl_uint num_wait,
                                            const cl_event *wait)
{
    return clq__operator_check_indices(context, queue, &clq__group_quantize, &names, desc, num_wait, wait);
}

clq_status clq_group_quantize_workspace(clq_context *context, const struct clq_group_quantize_desc *desc,
                                        size_t *size_bytes)
{
    return clq__operator_workspace(context, &clq__group_quantize, &names, desc, size_bytes);
}

clq_status clq_group_quantize_plan(clq_context *context, const struct clq_group_quantize_desc *desc,
                                   clq_plan **plan)
{
    return clq__plan_keep(context, &clq__group_quantize, &names, desc, plan);
}
