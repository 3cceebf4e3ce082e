/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dynamic_quantize: rows by scales that are found from them, without indices. */
#include <clquant/dynamic_quantize.h>

#include "base/error.h"
#include "ops/operators.h"
#include "plan/kept.h"

static clq_status check(struct clq__work *work, const void *of)
{
    clq_status status = CLQ_OK;
    const struct clq_dynamic_quantize_desc *desc = of;

    CLQ_TRY(clq__dynamic_check(work, &(struct clq__dynamic_tensors){.x = desc->x,
                                                                    .y = desc->y,
                                                                    .scale = desc->scales,
                                                                    .offset = desc->offsets,
                                                                    .smooth = desc->smooth_scales,
                                                                    .group_index = desc->group_index,
                                                                    .top = desc->type_max,
                                                                    .symmetric = desc->symmetric,
                                                                    .rule = desc->scale_rule,
                                                                    .global_scale = desc->global_scale,
                                                                    .blocks = {.axis = desc->axis,
                                                                               .block = desc->block,
                                                                               .before = desc->block_before,
                                                                               .all = desc->block_all},
                                                                    .rotate = desc->rotate}));
    CLQ_TRY(clq__view_check_alike(&work->y, &work->x));
    work->placement.workspace = (struct clq__beside){desc->workspace, desc->workspace_offset_bytes};
end:
    return status;
}

#define FIELD(name) offsetof(struct clq_dynamic_quantize_desc, name)

const struct clq__operator clq__dynamic_quantize = {
    CLQ__DESCRIPTOR(clq_dynamic_quantize_desc),
    .fields = CLQ__FIELDS((FIELD(x), FIELD(smooth_scales), FIELD(y), FIELD(scales), FIELD(offsets),
                           FIELD(group_index), FIELD(global_scale)),
                          (FIELD(workspace))),
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
