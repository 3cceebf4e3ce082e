/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dequantize: static quantization backwards, and the rows that dynamic quantization wrote. The work is
 * that of quantization, mirrored: its x, which is written, is the caller's y, and its y the caller's q. */
#include <clquant/dequantize.h>

#include "base/error.h"
#include "ops/operators.h"
#include "ops/option_rows.h"
#include "plan/belongs/parameter.h"
#include "plan/dynamic/block_scale_rule.h"
#include "plan/dynamic/block_types.h"
#include "plan/dynamic/rotate.h"
#include "plan/kept.h"

static const struct clq__names names = {"y", "q", "scales", "zero_points", false, false};
static const struct clq__names dynamic_names = {"y", "q", "scales", "offsets", false, false};

static clq_status check_choices(const struct clq_dequantize_desc *desc)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(desc->zero_points == NULL || desc->mode != CLQ_DEQUANTIZE_DYNAMIC, CLQ_ERROR_VALUE,
                "zero_points is given: with mode CLQ_DEQUANTIZE_DYNAMIC (2) there are offsets instead");
    CLQ_REQUIRE(desc->offsets == NULL || desc->mode == CLQ_DEQUANTIZE_DYNAMIC, CLQ_ERROR_VALUE,
                "offsets is given: they are for mode CLQ_DEQUANTIZE_DYNAMIC (2), and mode is %u", desc->mode);
    CLQ_REQUIRE(desc->global_scale == NULL || desc->mode == CLQ_DEQUANTIZE_DYNAMIC, CLQ_ERROR_VALUE,
                "global_scale is given: it is for mode CLQ_DEQUANTIZE_DYNAMIC (2), and mode is %u",
                desc->mode);
    CLQ_REQUIRE(desc->group_index == NULL || desc->indices == NULL, CLQ_ERROR_VALUE,
                "indices and group_index are both given: one of them must be NULL");
    CLQ_REQUIRE(desc->group_index == NULL || desc->mode == CLQ_DEQUANTIZE_MULTIPLY, CLQ_ERROR_VALUE,
                "mode is %u: with group_index it must be CLQ_DEQUANTIZE_MULTIPLY (1)", desc->mode);
    CLQ_REQUIRE(desc->group_index == NULL || desc->block == 0, CLQ_ERROR_VALUE,
                "block is %u: with group_index it must be 0", desc->block);
    CLQ_REQUIRE(desc->block_before == 0 || desc->group_index == NULL, CLQ_ERROR_VALUE,
                "block_before is %u: with group_index it must be 0", desc->block_before);
    CLQ_REQUIRE(desc->block_before == 0 || desc->indices == NULL, CLQ_ERROR_VALUE,
                "block_before is %u: with indices it must be 0", desc->block_before);
    CLQ_REQUIRE(desc->block_all == 0 || desc->mode == CLQ_DEQUANTIZE_DYNAMIC, CLQ_ERROR_VALUE,
                "block_all is %u: it is for mode CLQ_DEQUANTIZE_DYNAMIC (2), and mode is %u", desc->block_all,
                desc->mode);
    CLQ_REQUIRE(desc->rotate == 0 || desc->mode == CLQ_DEQUANTIZE_DYNAMIC, CLQ_ERROR_VALUE,
                "rotate is %u: it must be 0 where mode is %u, for rows are turned with mode "
                "CLQ_DEQUANTIZE_DYNAMIC (2) alone",
                desc->rotate, desc->mode);
end:
    return status;
}

/* The source of the rows of y. */
static clq_status check_placement(const struct clq_dequantize_desc *desc, struct clq__checked_call *checked)
{
    clq_status status = CLQ_OK;
    const bool dynamic = desc->mode == CLQ_DEQUANTIZE_DYNAMIC;
    const struct clq__placement_rules entries = {
        .indices = desc->indices,
        .side = "",
        .axis = desc->axis,
        .least_rank = dynamic ? 3 : 2,
        .last_is_whole = dynamic || clq__view_shares_bytes(&checked->y),
        .out_of_range = desc->out_of_range,
        .index_kind = desc->index_kind,
        .unique = 1, /* places may be read together */
    };

    if (desc->indices == NULL) {
        CLQ_REQUIRE(desc->index_kind != CLQ_SLOTS, CLQ_ERROR_VALUE,
                    "index_kind is CLQ_SLOTS (1): it must be CLQ_INDICES_BY_SHAPE (0) where indices is NULL");
        CLQ_TRY(clq__view_check_alike(&checked->y, &checked->x));
        goto end;
    }
    clq__placement_insert(&checked->y, &checked->x, &entries);
    CLQ_TRY(clq__placement_check(checked, &entries));
end:
    return status;
}

static clq_status check_parameters(const struct clq_dequantize_desc *desc, struct clq__checked_call *checked)
{
    clq_status status = CLQ_OK;
    const struct clq__blocks blocks = {
        .axis = desc->axis, .block = desc->block, .before = desc->block_before, .all = desc->block_all};

    if (desc->mode == CLQ_DEQUANTIZE_DYNAMIC) {
        if (clq__view_has_blocks(&checked->y))
            CLQ_TRY(clq__block_type_check(
                checked,
                &(struct clq__carried){.scales = desc->scales, .offsets = desc->offsets, .blocks = &blocks}));
        else
            CLQ_TRY(clq__parameters_check_dynamic(checked, &blocks));
        CLQ_TRY(clq__rotate_check(checked, desc->rotate, &checked->x));
        clq__global_scale_take(checked);
    } else if (desc->indices != NULL) {
        CLQ_TRY(clq__parameters_check_placed(checked, desc->block));
    } else if (desc->group_index != NULL) {
        CLQ_TRY(clq__parameters_check_groups(checked, desc->group_index));
    } else {
        CLQ_TRY(clq__parameters_check_dense(checked, &blocks));
    }
end:
    return status;
}

static clq_status check(struct clq__checked_call *checked, const void *of)
{
    clq_status status = CLQ_OK;
    const struct clq_dequantize_desc *desc = of;
    struct clq__placement *placement = &checked->placement;
    const bool dynamic = desc->mode == CLQ_DEQUANTIZE_DYNAMIC, documented = checked->names->documented;

    CLQ_TRY(check_choices(desc));
    if (!documented)
        checked->names = dynamic ? &dynamic_names : &names;
    checked->back = true;
    checked->divide = desc->mode == CLQ_DEQUANTIZE_MULTIPLY;
    checked->add = dynamic || documented; /* npu_anti_quant's offset is added */
    CLQ_TRY(clq__view_init(&checked->y, checked->names->y, desc->q,
                           dynamic ? CLQ__QUANTIZED | CLQ__BLOCKS : CLQ__QUANTIZED));
    if (!clq__view_has_blocks(&checked->y))
        CLQ_TRY(clq__parameters_init(checked, desc->scales, dynamic ? desc->offsets : desc->zero_points));
    CLQ_TRY(clq__global_scale_check(checked, desc->global_scale));
    CLQ_TRY(clq__view_init(&checked->x, checked->names->x, desc->y, CLQ__FLOATS));
    CLQ_TRY(clq__view_check_output(&checked->x)); /* as it is: a position may be inserted */
    CLQ_TRY(check_placement(desc, checked));
    CLQ_TRY(check_parameters(desc, checked));
    if (placement->kind != CLQ_ENTRY_NONE)
        placement->report = (struct clq__beside){desc->report, desc->report_offset_bytes};
    placement->workspace = (struct clq__beside){desc->workspace, desc->workspace_offset_bytes};
end:
    return status;
}

/* Whole rows, and not tiles of them: turned ones, and those that lie in blocks. */
static bool by_rows(const struct clq__checked_call *checked)
{
    return checked->rotate > 0 || clq__view_has_blocks(&checked->y);
}

static bool describe(struct clq__plan *plan)
{
    if (!by_rows(&plan->checked))
        return clq__static_describe(plan);
    if (plan->checked.x.elements == 0)
        return false;
    clq__rows_describe(&plan->of_dynamic.rows, &plan->checked);
    return true;
}

static void cut(struct clq__plan *plan, const struct clq__traits *traits)
{
    if (by_rows(&plan->checked))
        plan->rounds = clq__rows_cut(&plan->of_dynamic.rows, &plan->checked, &plan->launches, traits);
    else
        clq__static_cut(plan, traits);
}

#define CLQ__DESC clq_dequantize_desc
static const struct clq_option options[] = {
    CLQ__OPTION_AS(q, CLQ__IN("of a quantized type, or of blocks")),
    CLQ__OPTION_AS(scales,
                   CLQ__MAY_BE_IN(CLQ__SCALE_TYPES "; one, one per index, by shape; per group, or per row")),
    CLQ__OPTION_AS(zero_points, CLQ__MAY_BE_IN(CLQ__ZERO_POINT_TYPES "; as scales, independently")),
    CLQ__OPTION_AS(offsets, CLQ__MAY_BE_IN("of dynamic mode: scales' type, one for each scale")),
    CLQ__OPTION_AS(indices, CLQ__MAY_BE_IN("int32 or int64, [N] or [N, 2]")),
    CLQ__OPTION_AS(group_index, CLQ__MAY_BE_IN("int32 or int64, [E]: mode multiply by groups of rows")),
    CLQ__OPTION_AS(y, CLQ__OUT("float32, float16 or bfloat16, of q's shape, or of the entries")),
    CLQ__OPTION(report),
    CLQ__OPTION_AS(axis, CLQ__ROW_axis_back),
    CLQ__OPTION_AS(mode, CLQ__ROW_mode_back),
    CLQ__OPTION(out_of_range),
    CLQ__OPTION(index_kind),
    CLQ__OPTION_AS(block, CLQ__ROW_block_back),
    CLQ__OPTION(block_all),
    CLQ__OPTION(rotate),
    CLQ__OPTION(block_before),
    CLQ__OPTION(workspace),
    CLQ__OPTION(global_scale),
    CLQ__OPTION(reserved),
};

const struct clq__operator clq__dequantize = {
    CLQ__DESCRIPTOR(options),
    .check = check,
    .tensors = {CLQ__TENSOR(x), CLQ__TENSOR(y), CLQ__TENSOR(scale.view), CLQ__TENSOR(zero_point.view),
                CLQ__TENSOR(placement.indices)},
    .outputs = 1,
    .describe = describe,
    .cut = cut,
};

clq_status clq_dequantize(clq_context *context, cl_command_queue queue,
                          const struct clq_dequantize_desc *desc, cl_uint num_wait, const cl_event *wait,
                          cl_event *done)
{
    return clq__operator_run(context, queue, &clq__dequantize, &names, desc, num_wait, wait, done);
}

clq_status clq_dequantize_build(clq_context *context, const struct clq_dequantize_desc *desc)
{
    return clq__operator_build(context, &clq__dequantize, &names, desc);
}

clq_status clq_dequantize_check(const struct clq_dequantize_desc *desc)
{
    return clq__operator_check(&clq__dequantize, &names, desc);
}

clq_status clq_dequantize_check_indices(clq_context *context, cl_command_queue queue,
                                        const struct clq_dequantize_desc *desc, cl_uint num_wait,
                                        const cl_event *wait)
{
    return clq__operator_check_indices(context, queue, &clq__dequantize, &names, desc, num_wait, wait);
}

clq_status clq_dequantize_workspace(clq_context *context, const struct clq_dequantize_desc *desc,
                                    size_t *size_bytes)
{
    return clq__operator_workspace(context, &clq__dequantize, &names, desc, size_bytes);
}

clq_status clq_dequantize_plan(clq_context *context, const struct clq_dequantize_desc *desc, clq_plan **plan)
{
    return clq__plan_keep(context, &clq__dequantize, &names, desc, plan);
}
