/* SPDX-License-Identifier: Apache-2.0 */
/* clq_quantize_scatter: quantized updates into a cache, in place or into a copy of one. */
#include <clquant/quantize_scatter.h>

#include "base/error.h"
#include "ops/operators.h"
#include "ops/option_rows.h"
#include "plan/belongs/parameter.h"
#include "plan/kept.h"

/* The axis is the cache's, which is known by now. */
static struct clq__placement_rules entries_of(const struct clq_quantize_scatter_desc *desc,
                                              const struct clq__checked_call *checked)
{
    return (struct clq__placement_rules){.indices = desc->indices,
                                         .side = "",
                                         .axis = desc->axis,
                                         .least_rank = 2,
                                         .last_is_whole = clq__view_shares_bytes(&checked->y),
                                         .out_of_range = desc->out_of_range,
                                         .index_kind = desc->index_kind,
                                         .unique = desc->unique};
}

static clq_status check(struct clq__checked_call *checked, const void *of)
{
    clq_status status = CLQ_OK;
    const struct clq_quantize_scatter_desc *desc = of;
    struct clq__placement *placement = &checked->placement;
    struct clq__placement_rules entries;

    checked->divide = desc->mode == CLQ_DIVIDE;
    CLQ_TRY(clq__view_init(&checked->y, checked->names->y, desc->cache, CLQ__CACHES));
    CLQ_TRY(clq__check_round_first(checked, desc->round_first));
    CLQ_TRY(clq__view_init(&checked->x, checked->names->x, desc->updates, CLQ__FLOATS));
    entries = entries_of(desc, checked);
    clq__placement_insert(&checked->y, &checked->x, &entries);
    CLQ_TRY(clq__parameters_init(checked, desc->scales, desc->zero_points));
    CLQ_TRY(clq__placement_check(checked, &entries));
    CLQ_TRY(clq__view_check_output(&checked->y));
    CLQ_TRY(clq__parameters_check_placed(checked, desc->block));
    CLQ_TRY(clq__check_input(checked, desc->input));
    placement->report = (struct clq__beside){desc->report, desc->report_offset_bytes};
    placement->workspace = (struct clq__beside){desc->workspace, desc->workspace_offset_bytes};
end:
    return status;
}

#define CLQ__DESC clq_quantize_scatter_desc
static const struct clq_option options[] = {
    CLQ__OPTION_AS(input, CLQ__MAY_BE_IN("what cache begins as a copy of; else it is changed in place")),
    CLQ__OPTION_AS(cache, CLQ__OUT("of a type of caches, rank 2 to 8")),
    CLQ__OPTION(indices),
    CLQ__OPTION_AS(updates, CLQ__IN("float32, float16 or bfloat16, cache's shape but N and U")),
    CLQ__OPTION_AS(scales, CLQ__IN(CLQ__SCALE_TYPES "; one, one per index of the last axis, or by shape")),
    CLQ__OPTION_AS(zero_points, CLQ__MAY_BE_IN(CLQ__ZERO_POINT_TYPES "; as scales, independently")),
    CLQ__OPTION(report),
    CLQ__OPTION(workspace),
    CLQ__OPTION_AS(axis, CLQ__ROW_axis_placed),
    CLQ__OPTION(mode),
    CLQ__OPTION(out_of_range),
    CLQ__OPTION(unique),
    CLQ__OPTION(index_kind),
    CLQ__OPTION_AS(block, CLQ__ROW_block_placed),
    CLQ__OPTION(round_first),
    CLQ__OPTION(reserved32),
    CLQ__OPTION(reserved),
};

const struct clq__operator clq__quantize_scatter = {
    CLQ__DESCRIPTOR(options),
    .check = check,
    .tensors = {CLQ__TENSOR(y), CLQ__TENSOR(input), CLQ__TENSOR(x), CLQ__TENSOR(placement.indices),
                CLQ__TENSOR(scale.view), CLQ__TENSOR(zero_point.view)},
    .outputs = 1,
    .describe = clq__static_describe,
    .cut = clq__static_cut,
};

static const struct clq__names names = {"updates", "cache", "scales", "zero_points", false, false};

clq_status clq_quantize_scatter(clq_context *context, cl_command_queue queue,
                                const struct clq_quantize_scatter_desc *desc, cl_uint num_wait,
                                const cl_event *wait, cl_event *done)
{
    return clq__operator_run(context, queue, &clq__quantize_scatter, &names, desc, num_wait, wait, done);
}

clq_status clq_quantize_scatter_build(clq_context *context, const struct clq_quantize_scatter_desc *desc)
{
    return clq__operator_build(context, &clq__quantize_scatter, &names, desc);
}

clq_status clq_quantize_scatter_check(const struct clq_quantize_scatter_desc *desc)
{
    return clq__operator_check(&clq__quantize_scatter, &names, desc);
}

clq_status clq_quantize_scatter_workspace(clq_context *context, const struct clq_quantize_scatter_desc *desc,
                                          size_t *size_bytes)
{
    return clq__operator_workspace(context, &clq__quantize_scatter, &names, desc, size_bytes);
}

clq_status clq_quantize_scatter_check_indices(clq_context *context, cl_command_queue queue,
                                              const struct clq_quantize_scatter_desc *desc, cl_uint num_wait,
                                              const cl_event *wait)
{
    return clq__operator_check_indices(context, queue, &clq__quantize_scatter, &names, desc, num_wait, wait);
}

clq_status clq_quantize_scatter_plan(clq_context *context, const struct clq_quantize_scatter_desc *desc,
                                     clq_plan **plan)
{
    return clq__plan_keep(context, &clq__quantize_scatter, &names, desc, plan);
}
