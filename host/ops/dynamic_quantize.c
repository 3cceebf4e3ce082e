/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dynamic_quantize: rows by scales that are found from them, without indices. */
#include <clquant/dynamic_quantize.h>

#include "base/error.h"
#include "ops/operators.h"
#include "ops/option_rows.h"
#include "plan/kept.h"

static clq_status check(struct clq__checked_call *checked, const void *of)
{
    clq_status status = CLQ_OK;
    const struct clq_dynamic_quantize_desc *desc = of;

    CLQ_TRY(
        clq__dynamic_check(checked, &(struct clq__dynamic_tensors){.x = desc->x,
                                                                   .y = desc->y,
                                                                   .scale = desc->scales,
                                                                   .offset = desc->offsets,
                                                                   .smooth = desc->smooth_scales,
                                                                   .group_index = desc->group_index,
                                                                   .top = desc->type_max,
                                                                   .symmetric = desc->symmetric,
                                                                   .rule = {desc->scale_rule, desc->least},
                                                                   .global_scale = desc->global_scale,
                                                                   .blocks = {.axis = desc->axis,
                                                                              .block = desc->block,
                                                                              .before = desc->block_before,
                                                                              .all = desc->block_all},
                                                                   .rotate = desc->rotate}));
    CLQ_TRY(clq__view_check_alike(&checked->y, &checked->x));
    checked->placement.workspace = (struct clq__beside){desc->workspace, desc->workspace_offset_bytes};
end:
    return status;
}

#define CLQ__DESC clq_dynamic_quantize_desc
static const struct clq_option options[] = {
    CLQ__OPTION_AS(x, CLQ__IN("float32, float16 or bfloat16, rank 1 to 8")),
    CLQ__OPTION(smooth_scales),
    CLQ__OPTION_AS(y, CLQ__OUT("of x's shape, of a type of caches, or of blocks")),
    CLQ__OPTION_AS(scales,
                   CLQ__MAY_BE_OUT("one for each row, or block of it; absent where blocks carry them")),
    CLQ__OPTION_AS(offsets, CLQ__MAY_BE_OUT("the same; absent where symmetric")),
    CLQ__OPTION(symmetric),
    CLQ__OPTION(rotate),
    CLQ__OPTION_AS(axis, CLQ__ROW_axis_shared),
    CLQ__OPTION(block),
    CLQ__OPTION(block_all),
    CLQ__OPTION(type_max),
    CLQ__OPTION_AS(group_index, CLQ__ROW_groups),
    CLQ__OPTION(workspace),
    CLQ__OPTION(block_before),
    CLQ__OPTION(scale_rule),
    CLQ__OPTION(global_scale),
    CLQ__OPTION(least),
    CLQ__OPTION(reserved32),
    CLQ__OPTION(reserved),
};

const struct clq__operator clq__dynamic_quantize = {
    CLQ__DESCRIPTOR(options),
    .check = check,
    .tensors = {CLQ__TENSOR(y), CLQ__TENSOR(scale.view), CLQ__TENSOR(zero_point.view), CLQ__TENSOR(x),
                CLQ__TENSOR(smooth), CLQ__TENSOR(placement.indices), CLQ__TENSOR(global_scale)},
    .outputs = 3,
    .describe = clq__dynamic_describe,
    .cut = clq__dynamic_cut,
};

static const struct clq__names names = {"x", "y", "scales", "offsets", false, false};

clq_status clq_dynamic_quantize(clq_context *context, cl_command_queue queue,
                                const struct clq_dynamic_quantize_desc *desc, cl_uint num_wait,
                                const cl_event *wait, cl_event *done)
{
    return clq__operator_run(context, queue, &clq__dynamic_quantize, &names, desc, num_wait, wait, done);
}

clq_status clq_dynamic_quantize_build(clq_context *context, const struct clq_dynamic_quantize_desc *desc)
{
    return clq__operator_build(context, &clq__dynamic_quantize, &names, desc);
}

clq_status clq_dynamic_quantize_check(const struct clq_dynamic_quantize_desc *desc)
{
    return clq__operator_check(&clq__dynamic_quantize, &names, desc);
}

clq_status clq_dynamic_quantize_workspace(clq_context *context, const struct clq_dynamic_quantize_desc *desc,
                                          size_t *size_bytes)
{
    return clq__operator_workspace(context, &clq__dynamic_quantize, &names, desc, size_bytes);
}

clq_status clq_dynamic_quantize_plan(clq_context *context, const struct clq_dynamic_quantize_desc *desc,
                                     clq_plan **plan)
{
    return clq__plan_keep(context, &clq__dynamic_quantize, &names, desc, plan);
}
