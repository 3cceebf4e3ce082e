/* SPDX-License-Identifier: Apache-2.0 */
/* clq_group_quantize: one row of scales per group of rows. */
#include "base/error.h"
#include "ops/group.h"
#include "plan/check_indices.h"

clq_status clq__group_check(const struct clq__group *call, struct clq__static_work *work)
{
    clq_status status = CLQ_OK;
    struct clq__placement *placement = &work->placement;

    CLQ_TRY(clq__static_work_init(work, CLQ_MULTIPLY));
    CLQ_TRY(clq__view_init(&work->x, "x", call->x, CLQ__FLOATS));
    CLQ_TRY(clq__view_init(&work->scale.view, call->scales_name, call->scales, CLQ__FLOATS));
    if (call->zero_points != NULL)
        CLQ_TRY(
            clq__view_init(&work->zero_point.view, call->zero_points_name, call->zero_points, CLQ__FLOATS));
    else
        clq__view_init_absent(&work->zero_point.view, call->zero_points_name);
    CLQ_TRY(clq__view_init(&placement->indices, "group_index", call->group_index, CLQ__INDICES));
    CLQ_TRY(clq__view_init(&work->y, "y", call->y, CLQ__SET(CLQ__I8) | CLQ__SET(CLQ__I4)));
    CLQ_TRY(clq__static_check_groups(work));
    CLQ_TRY(clq__view_check_alike(&work->y, &work->x));
    CLQ_TRY(clq__view_check_output(&work->y));
    placement->report = call->report;
    placement->report_offset_bytes = call->report_offset_bytes;
end:
    return status;
}

static clq_status check_memory(const clq_context *context, const struct clq__static_work *work)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(
        clq__memory_check_all(context,
                              (const struct clq__view *[]){&work->y, &work->x, &work->scale.view,
                                                           &work->placement.indices, &work->zero_point.view},
                              1, 5));
    CLQ_TRY(clq__static_check_side_buffers(context, work, NULL, 0));
end:
    return status;
}

clq_status clq__group_run(clq_context *context, cl_command_queue queue, const struct clq__group *call,
                          bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__static_work work;

    CLQ_TRY(clq__call_check(context, queue, build_only, num_wait, wait));
    CLQ_TRY(clq__group_check(call, &work));
    CLQ_TRY(check_memory(context, &work));
    CLQ_TRY(clq__static_run(context, queue, &work, build_only, num_wait, wait, done));
end:
    return status;
}

clq_status clq__group_of(const struct clq_group_quantize_desc *desc, struct clq__group *call)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__desc_check(desc != NULL ? desc->reserved : NULL, CLQ_COUNT(desc->reserved)));
    *call = (struct clq__group){.scales_name = "scales",
                                .zero_points_name = "zero_points",
                                .x = desc->x,
                                .scales = desc->scales,
                                .group_index = desc->group_index,
                                .zero_points = desc->zero_points,
                                .y = desc->y,
                                .report = desc->report,
                                .report_offset_bytes = desc->report_offset_bytes};
end:
    return status;
}

clq_status clq_group_quantize(clq_context *context, cl_command_queue queue,
                              const struct clq_group_quantize_desc *desc, cl_uint num_wait,
                              const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__group call;

    CLQ_TRY(clq__group_of(desc, &call));
    CLQ_TRY(clq__group_run(context, queue, &call, false, num_wait, wait, done));
end:
    return status;
}

clq_status clq_group_quantize_build(clq_context *context, const struct clq_group_quantize_desc *desc)
{
    clq_status status = CLQ_OK;
    struct clq__group call;

    CLQ_TRY(clq__group_of(desc, &call));
    CLQ_TRY(clq__group_run(context, NULL, &call, true, 0, NULL, NULL));
end:
    return status;
}

clq_status clq_group_quantize_check(const struct clq_group_quantize_desc *desc)
{
    clq_status status = CLQ_OK;
    struct clq__group call;
    struct clq__static_work work;

    CLQ_TRY(clq__group_of(desc, &call));
    CLQ_TRY(clq__group_check(&call, &work));
end:
    return status;
}

clq_status clq_group_quantize_check_indices(clq_context *context, cl_command_queue queue,
                                            const struct clq_group_quantize_desc *desc, cl_uint num_wait,
                                            const cl_event *wait)
{
    clq_status status = CLQ_OK;
    struct clq__group call;
    struct clq__static_work work;

    CLQ_TRY(clq__call_check(context, queue, false, num_wait, wait));
    CLQ_TRY(clq__group_of(desc, &call));
    CLQ_TRY(clq__group_check(&call, &work));
    CLQ_TRY(check_memory(context, &work));
    CLQ_TRY(clq__indices_check_groups(queue, &work.placement, work.x.shape[0], num_wait, wait));
end:
    return status;
}
