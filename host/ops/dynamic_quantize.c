/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dynamic_quantize: rows by scales that are found from them, without indices. */
#include <clquant/dynamic_quantize.h>

#include "base/error.h"
#include "plan/dynamic.h"

static const struct clq__dynamic_names names = {"x", "y", "scales", "offsets"};

clq_status clq__dynamic_quantize_check(const struct clq_dynamic_quantize_desc *desc,
                                       struct clq__dynamic_work *work)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__desc_check(desc != NULL ? desc->reserved : NULL, CLQ_COUNT(desc->reserved)));
    CLQ_TRY(clq__reserved_check(desc->reserved32));
    CLQ_TRY(clq__dynamic_check(work, &names,
                               &(struct clq__dynamic_tensors){.x = desc->x,
                                                              .y = desc->y,
                                                              .scale = desc->scales,
                                                              .offset = desc->offsets,
                                                              .smooth = desc->smooth_scales,
                                                              .symmetric = desc->symmetric}));
    CLQ_TRY(clq__view_check_alike(&work->y, &work->x));
end:
    return status;
}

static clq_status run(clq_context *context, cl_command_queue queue,
                      const struct clq_dynamic_quantize_desc *desc, bool build_only, cl_uint num_wait,
                      const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__dynamic_work work;

    CLQ_TRY(clq__call_check(context, queue, build_only, num_wait, wait));
    CLQ_TRY(clq__dynamic_quantize_check(desc, &work));
    CLQ_TRY(clq__dynamic_run(context, queue, &work, build_only, num_wait, wait, done));
end:
    return status;
}

clq_status clq_dynamic_quantize(clq_context *context, cl_command_queue queue,
                                const struct clq_dynamic_quantize_desc *desc, cl_uint num_wait,
                                const cl_event *wait, cl_event *done)
{
    return run(context, queue, desc, false, num_wait, wait, done);
}

clq_status clq_dynamic_quantize_build(clq_context *context, const struct clq_dynamic_quantize_desc *desc)
{
    return run(context, NULL, desc, true, 0, NULL, NULL);
}

clq_status clq_dynamic_quantize_check(const struct clq_dynamic_quantize_desc *desc)
{
    struct clq__dynamic_work work;

    return clq__dynamic_quantize_check(desc, &work);
}
