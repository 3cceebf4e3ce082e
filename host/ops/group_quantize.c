/* clq_group_quantize: one row of scales per group of rows. */
#include <clquant/group_quantize.h>

#include "base/error.h"
#include "ops/explain.h"
#include "ops/static_quantize.h"

static clq_status check(const struct clq_group_quantize_desc *desc, struct clq__static_work *work)
{
    clq_status status = CLQ_OK;
    struct clq__placement *placement = &work->placement;

    CLQ_TRY(clq__desc_check(desc != NULL ? desc->reserved : NULL, CLQ_COUNT(desc->reserved)));
    CLQ_TRY(clq__static_work_init(work, CLQ_MULTIPLY));
    CLQ_TRY(clq__view_init(&work->x, "x", desc->x, CLQ__FLOATS));
    CLQ_TRY(clq__view_init(&work->scale.view, "scale", desc->scale, CLQ__FLOATS));
    if (desc->offset != NULL)
        CLQ_TRY(clq__view_init(&work->zero_point.view, "offset", desc->offset, CLQ__FLOATS));
    else
        clq__view_init_absent(&work->zero_point.view, "offset");
    CLQ_TRY(clq__view_init(&placement->indices, "group_index", desc->group_index, CLQ__INDICES));
    CLQ_TRY(clq__view_init(&work->y, "y", desc->y, CLQ__SET(CLQ__I8) | CLQ__SET(CLQ__I4)));
    CLQ_TRY(clq__static_check_groups(work));
    CLQ_TRY(clq__view_check_alike(&work->y, &work->x));
    CLQ_TRY(clq__view_check_output(&work->y));
    placement->report = desc->report;
    placement->report_offset_bytes = desc->report_offset_bytes;
    CLQ_TRY(clq__memory_check_all((const struct clq__view *[]){&work->y, &work->x, &work->scale.view,
                                                               &placement->indices, &work->zero_point.view},
                                  1, 5));
    CLQ_TRY(clq__static_check_side_buffers(work, NULL, 0));
end:
    return status;
}

static clq_status run(clq_context *context, cl_command_queue queue,
                      const struct clq_group_quantize_desc *desc, bool build_only, cl_uint num_wait,
                      const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__static_work work;

    CLQ_TRY(clq__call_check(context, queue, build_only, num_wait, wait));
    CLQ_TRY(check(desc, &work));
    CLQ_TRY(clq__static_run(context, queue, &work, build_only, num_wait, wait, done));
end:
    return status;
}

clq_status clq_group_quantize(clq_context *context, cl_command_queue queue,
                              const struct clq_group_quantize_desc *desc, cl_uint num_wait,
                              const cl_event *wait, cl_event *done)
{
    return run(context, queue, desc, false, num_wait, wait, done);
}

clq_status clq_group_quantize_build(clq_context *context, const struct clq_group_quantize_desc *desc)
{
    return run(context, NULL, desc, true, 0, NULL, NULL);
}

clq_status clq_group_quantize_explain(clq_context *context, cl_command_queue queue,
                                      const struct clq_group_quantize_desc *desc, cl_uint num_wait,
                                      const cl_event *wait)
{
    clq_status status = CLQ_OK;
    struct clq__static_work work;

    CLQ_TRY(clq__call_check(context, queue, false, num_wait, wait));
    CLQ_TRY(check(desc, &work));
    CLQ_TRY(clq__explain_groups(queue, &work.placement, work.x.shape[0], num_wait, wait));
end:
    return status;
}
