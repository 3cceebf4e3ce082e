/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of static quantization without indices that the host can know, each checked once. */
#include "base/error.h"
#include "ops/dense.h"

clq_status clq__dense_check(const struct clq__dense *call, struct clq__static_work *work)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__static_work_init(work, call->mode));
    CLQ_TRY(clq__view_init(&work->x, call->x_name, call->x, CLQ__FLOATS));
    CLQ_TRY(clq__static_parameters_init(work, "scales", call->scales, "zero_points", call->zero_points));
    CLQ_TRY(clq__view_init(&work->y, call->y_name, call->y, CLQ__QUANTIZED));
    CLQ_TRY(clq__view_check_alike(&work->y, &work->x));
    CLQ_TRY(clq__view_check_output(&work->y));
    CLQ_TRY(clq__static_check_axis(work, call->axis));
end:
    return status;
}

clq_status clq__dense_run(clq_context *context, cl_command_queue queue, const struct clq__dense *call,
                          bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__static_work work;

    CLQ_TRY(clq__call_check(context, queue, build_only, num_wait, wait));
    CLQ_TRY(clq__dense_check(call, &work));
    CLQ_TRY(clq__memory_check_all(
        context, (const struct clq__view *[]){&work.y, &work.x, &work.scale.view, &work.zero_point.view}, 1,
        4));
    CLQ_TRY(clq__static_run(context, queue, &work, build_only, num_wait, wait, done));
end:
    return status;
}
