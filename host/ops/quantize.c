/* SPDX-License-Identifier: Apache-2.0 */
/* clq_quantize: static quantization as it is. */
#include "base/error.h"
#include "ops/dense.h"

clq_status clq__dense_of(const struct clq_quantize_desc *desc, struct clq__dense *call)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__desc_check(desc != NULL ? desc->reserved : NULL, CLQ_COUNT(desc->reserved)));
    *call = (struct clq__dense){.x = desc->x,
                                .scales = desc->scales,
                                .zero_points = desc->zero_points,
                                .y = desc->y,
                                .x_name = "x",
                                .y_name = "y",
                                .axis = desc->axis,
                                .mode = desc->mode};
end:
    return status;
}

clq_status clq_quantize(clq_context *context, cl_command_queue queue, const struct clq_quantize_desc *desc,
                        cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__dense call;

    CLQ_TRY(clq__dense_of(desc, &call));
    CLQ_TRY(clq__dense_run(context, queue, &call, false, num_wait, wait, done));
end:
    return status;
}

clq_status clq_quantize_build(clq_context *context, const struct clq_quantize_desc *desc)
{
    clq_status status = CLQ_OK;
    struct clq__dense call;

    CLQ_TRY(clq__dense_of(desc, &call));
    CLQ_TRY(clq__dense_run(context, NULL, &call, true, 0, NULL, NULL));
end:
    return status;
}

clq_status clq_quantize_check(const struct clq_quantize_desc *desc)
{
    clq_status status = CLQ_OK;
    struct clq__dense call;
    struct clq__static_work work;

    CLQ_TRY(clq__dense_of(desc, &call));
    CLQ_TRY(clq__dense_check(&call, &work));
end:
    return status;
}
