/* SPDX-License-Identifier: Apache-2.0 */
/* clq_move_rows: rows from places to places, as they are or converted. */
#include <clquant/move_rows.h>

#include "ops/operators.h"
#include "ops/option_rows.h"
#include "plan/kept.h"
#include "plan/moves/moves.h"

static clq_status check(struct clq__checked_call *checked, const void *of)
{
    const struct clq_move_rows_desc *desc = of;

    checked->placement.report = (struct clq__beside){desc->report, desc->report_offset_bytes};
    checked->placement.workspace = (struct clq__beside){desc->workspace, desc->workspace_offset_bytes};
    return clq__moves_check(checked, desc);
}

#define CLQ__DESC clq_move_rows_desc
static const struct clq_option options[] = {
    CLQ__OPTION_AS(src, CLQ__IN("of any type")),
    CLQ__OPTION_AS(src_indices, CLQ__MAY_BE_IN("int32 or int64, [N], [N, 2] or [N, k]")),
    CLQ__OPTION_AS(dst_indices, CLQ__MAY_BE_IN("the same; one of both is needed")),
    CLQ__OPTION_AS(dst, CLQ__OUT("src's type, or of floats another")),
    CLQ__OPTION(report),
    CLQ__OPTION(workspace),
    CLQ__OPTION_AS(axis, CLQ__ROW_axis_placed),
    CLQ__OPTION(positions),
    CLQ__OPTION_AS(src_out_of_range, CLQ__ROW_out_of_range),
    CLQ__OPTION_AS(dst_out_of_range, CLQ__ROW_out_of_range),
    CLQ__OPTION_AS(src_index_kind, CLQ__ROW_index_kind_nd),
    CLQ__OPTION_AS(dst_index_kind, CLQ__ROW_index_kind_nd),
    CLQ__OPTION(unique),
    CLQ__OPTION(reserved32),
    CLQ__OPTION_AS(input, CLQ__MAY_BE_IN("what dst begins as a copy of; else it is changed in place")),
    CLQ__OPTION(reserved),
};

const struct clq__operator clq__move_rows = {
    CLQ__DESCRIPTOR(options),
    .check = check,
    .tensors = {CLQ__TENSOR(y), CLQ__TENSOR(x), CLQ__TENSOR(source.indices), CLQ__TENSOR(placement.indices),
                CLQ__TENSOR(input)},
    .outputs = 1,
    .may_be_in_place = true,
    .describe = clq__moves_describe,
    .cut = clq__moves_cut,
};

static const struct clq__names names = {"src", "dst", "dst_indices", "input", false, false};

clq_status clq_move_rows(clq_context *context, cl_command_queue queue, const struct clq_move_rows_desc *desc,
                         cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    return clq__operator_run(context, queue, &clq__move_rows, &names, desc, num_wait, wait, done);
}

clq_status clq_move_rows_build(clq_context *context, const struct clq_move_rows_desc *desc)
{
    return clq__operator_build(context, &clq__move_rows, &names, desc);
}

clq_status clq_move_rows_check(const struct clq_move_rows_desc *desc)
{
    return clq__operator_check(&clq__move_rows, &names, desc);
}

clq_status clq_move_rows_workspace(clq_context *context, const struct clq_move_rows_desc *desc,
                                   size_t *size_bytes)
{
    return clq__operator_workspace(context, &clq__move_rows, &names, desc, size_bytes);
}

clq_status clq_move_rows_check_indices(clq_context *context, cl_command_queue queue,
                                       const struct clq_move_rows_desc *desc, cl_uint num_wait,
                                       const cl_event *wait)
{
    return clq__operator_check_indices(context, queue, &clq__move_rows, &names, desc, num_wait, wait);
}

clq_status clq_move_rows_plan(clq_context *context, const struct clq_move_rows_desc *desc, clq_plan **plan)
{
    return clq__plan_keep(context, &clq__move_rows, &names, desc, plan);
}
