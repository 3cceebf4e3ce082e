/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dynamic_quantize_scatter: rows, their scales and their offsets into a cache. */
#include <clquant/dynamic_quantize_scatter.h>

#include "base/dtype.h"
#include "base/error.h"
#include "ops/operators.h"
#include "ops/option_rows.h"
#include "plan/kept.h"

static clq_status check(struct clq__checked_call *checked, const void *of)
{
    clq_status status = CLQ_OK;
    const struct clq_dynamic_quantize_scatter_desc *desc = of;
    struct clq__placement *placement = &checked->placement;
    const struct clq__placement_rules entries = {.indices = desc->indices,
                                                 .side = "",
                                                 .axis = desc->axis,
                                                 .least_rank = 3,
                                                 .last_is_whole = true,
                                                 .out_of_range = desc->out_of_range,
                                                 .index_kind = desc->index_kind,
                                                 .unique = desc->unique};

    CLQ_TRY(
        clq__dynamic_check(checked, &(struct clq__dynamic_tensors){.x = desc->updates,
                                                                   .y = desc->cache,
                                                                   .scale = desc->cache_scales,
                                                                   .offset = desc->cache_offsets,
                                                                   .smooth = desc->smooth_scales,
                                                                   .symmetric = desc->symmetric,
                                                                   .rule = {desc->scale_rule, desc->least},
                                                                   .global_scale = desc->global_scale,
                                                                   .blocks = {.block = desc->block},
                                                                   .rotate = desc->rotate,
                                                                   .entries = &entries}));
    CLQ_REQUIRE(
        !checked->cuts_gaps, CLQ_ERROR_VALUE,
        "block is %u: along the last dimension of %s it must be a multiple of 8, for its words do not "
        "follow one another",
        desc->block, clq__type_name(checked->y.type));
    CLQ_TRY(clq__placement_check(checked, &entries));
    placement->report = (struct clq__beside){desc->report, desc->report_offset_bytes};
    placement->workspace = (struct clq__beside){desc->workspace, desc->workspace_offset_bytes};
end:
    return status;
}

#define CLQ__DESC clq_dynamic_quantize_scatter_desc
static const struct clq_option options[] = {
    CLQ__OPTION_AS(cache, CLQ__OUT("of a type of caches, or of blocks, rank 3 to 8")),
    CLQ__OPTION_AS(cache_scales,
                   CLQ__MAY_BE_OUT("float32, float16 or bfloat16, or as scale_rule says; one per row of "
                                   "cache, or per block of it; absent where blocks carry them")),
    CLQ__OPTION_AS(cache_offsets, CLQ__MAY_BE_OUT("the same; absent where symmetric")),
    CLQ__OPTION(indices),
    CLQ__OPTION_AS(updates, CLQ__IN("float32, float16 or bfloat16, cache's shape but N and U")),
    CLQ__OPTION(smooth_scales),
    CLQ__OPTION(report),
    CLQ__OPTION(workspace),
    CLQ__OPTION_AS(axis, CLQ__ROW_axis_placed),
    CLQ__OPTION(symmetric),
    CLQ__OPTION(out_of_range),
    CLQ__OPTION(unique),
    CLQ__OPTION(index_kind),
    CLQ__OPTION(rotate),
    CLQ__OPTION_AS(block, CLQ__ROW_block_placed),
    CLQ__OPTION(scale_rule),
    CLQ__OPTION(global_scale),
    CLQ__OPTION(least),
    CLQ__OPTION(reserved32),
    CLQ__OPTION(reserved),
};

const struct clq__operator clq__dynamic_quantize_scatter = {
    CLQ__DESCRIPTOR(options),
    .check = check,
    .tensors = {CLQ__TENSOR(y), CLQ__TENSOR(scale.view), CLQ__TENSOR(zero_point.view), CLQ__TENSOR(x),
                CLQ__TENSOR(smooth), CLQ__TENSOR(placement.indices), CLQ__TENSOR(global_scale)},
    .outputs = 3,
    .describe = clq__dynamic_describe,
    .cut = clq__dynamic_cut,
};

static const struct clq__names names = {"updates", "cache", "cache_scales", "cache_offsets", false, false};

clq_status clq_dynamic_quantize_scatter(clq_context *context, cl_command_queue queue,
                                        const struct clq_dynamic_quantize_scatter_desc *desc,
                                        cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    return clq__operator_run(context, queue, &clq__dynamic_quantize_scatter, &names, desc, num_wait, wait,
                             done);
}

clq_status clq_dynamic_quantize_scatter_build(clq_context *context,
                                              const struct clq_dynamic_quantize_scatter_desc *desc)
{
    return clq__operator_build(context, &clq__dynamic_quantize_scatter, &names, desc);
}

clq_status clq_dynamic_quantize_scatter_check(const struct clq_dynamic_quantize_scatter_desc *desc)
{
    return clq__operator_check(&clq__dynamic_quantize_scatter, &names, desc);
}

clq_status clq_dynamic_quantize_scatter_workspace(clq_context *context,
                                                  const struct clq_dynamic_quantize_scatter_desc *desc,
                                                  size_t *size_bytes)
{
    return clq__operator_workspace(context, &clq__dynamic_quantize_scatter, &names, desc, size_bytes);
}

clq_status clq_dynamic_quantize_scatter_check_indices(clq_context *context, cl_command_queue queue,
                                                      const struct clq_dynamic_quantize_scatter_desc *desc,
                                                      cl_uint num_wait, const cl_event *wait)
{
    return clq__operator_check_indices(context, queue, &clq__dynamic_quantize_scatter, &names, desc, num_wait,
                                       wait);
}

clq_status clq_dynamic_quantize_scatter_plan(clq_context *context,
                                             const struct clq_dynamic_quantize_scatter_desc *desc,
                                             clq_plan **plan)
{
    return clq__plan_keep(context, &clq__dynamic_quantize_scatter, &names, desc, plan);
}
