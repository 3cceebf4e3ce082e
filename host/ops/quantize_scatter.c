/* SPDX-License-Identifier: Apache-2.0 */
/* clq_quantize_scatter: quantized updates into a cache, in place or into a copy of one. */
#include "base/error.h"
#include "ops/scatter.h"
#include "plan/check_indices.h"
#include "plan/copy.h"
#include "plan/static_call.h"

static const struct clq__scatter_names names = {"input", "cache", "scales", "zero_points"};

/* Before anything is enqueued: how much workspace is needed shows only once the call is described. */
static clq_status check_memory(const clq_context *context, const struct clq__static_work *work,
                               const struct clq__view *input)
{
    clq_status status = CLQ_OK;
    struct clq__static_call described;

    CLQ_TRY(clq__scatter_check_memory(context, work, input));
    if (work->placement.workspace == NULL || work->x.elements == 0)
        goto end;
    clq__static_describe(&described, work);
    CLQ_TRY(clq__static_check_side_buffers(context, work, input, clq__static_owner_words(&described)));
end:
    return status;
}

clq_status clq__scatter_run(clq_context *context, cl_command_queue queue, const struct clq__scatter *call,
                            bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__static_work work;
    struct clq__view input;
    cl_event copied = NULL;

    CLQ_TRY(clq__call_check(context, queue, build_only, num_wait, wait));
    CLQ_TRY(clq__scatter_check(call, &work, &input));
    CLQ_TRY(check_memory(context, &work, &input));
    if (input.tensor != NULL && input.elements > 0) {
        CLQ_TRY(clq__copy(context, queue, &work.y, &input, build_only, num_wait, wait, &copied));
        num_wait = copied != NULL;
        wait = &copied;
    }
    CLQ_TRY(clq__static_run(context, queue, &work, build_only, num_wait, num_wait > 0 ? wait : NULL, done));
end:
    clq__event_release(copied);
    return status;
}

clq_status clq__scatter_of(const struct clq_quantize_scatter_desc *desc, struct clq__scatter *call)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__desc_check(desc != NULL ? desc->reserved : NULL, CLQ_COUNT(desc->reserved)));
    *call = (struct clq__scatter){.names = &names,
                                  .input = desc->input,
                                  .cache = desc->cache,
                                  .indices = desc->indices,
                                  .updates = desc->updates,
                                  .scales = desc->scales,
                                  .zero_points = desc->zero_points,
                                  .report = desc->report,
                                  .report_offset_bytes = desc->report_offset_bytes,
                                  .workspace = desc->workspace,
                                  .workspace_offset_bytes = desc->workspace_offset_bytes,
                                  .axis = desc->axis,
                                  .mode = desc->mode,
                                  .range = desc->out_of_range,
                                  .unique = desc->unique};
end:
    return status;
}

clq_status clq_quantize_scatter(clq_context *context, cl_command_queue queue,
                                const struct clq_quantize_scatter_desc *desc, cl_uint num_wait,
                                const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__scatter call;

    CLQ_TRY(clq__scatter_of(desc, &call));
    CLQ_TRY(clq__scatter_run(context, queue, &call, false, num_wait, wait, done));
end:
    return status;
}

clq_status clq_quantize_scatter_build(clq_context *context, const struct clq_quantize_scatter_desc *desc)
{
    clq_status status = CLQ_OK;
    struct clq__scatter call;

    CLQ_TRY(clq__scatter_of(desc, &call));
    CLQ_TRY(clq__scatter_run(context, NULL, &call, true, 0, NULL, NULL));
end:
    return status;
}

clq_status clq_quantize_scatter_check(const struct clq_quantize_scatter_desc *desc)
{
    clq_status status = CLQ_OK;
    struct clq__scatter call;
    struct clq__static_work work;
    struct clq__view input;

    CLQ_TRY(clq__scatter_of(desc, &call));
    CLQ_TRY(clq__scatter_check(&call, &work, &input));
end:
    return status;
}

clq_status clq_quantize_scatter_workspace(clq_context *context, const struct clq_quantize_scatter_desc *desc,
                                          size_t *size_bytes)
{
    clq_status status = CLQ_OK;
    struct clq__scatter call;
    struct clq__static_work work;
    struct clq__static_call described;
    struct clq__view input;

    CLQ_REQUIRE(size_bytes != NULL, CLQ_ERROR_NULL, "size_bytes is NULL: it must point to a size_t");
    *size_bytes = 0;
    CLQ_REQUIRE(context != NULL, CLQ_ERROR_NULL, "context is NULL: it must be a context");
    CLQ_TRY(clq__scatter_of(desc, &call));
    call.workspace = NULL; /* it is what is asked for */
    CLQ_TRY(clq__scatter_check(&call, &work, &input));
    CLQ_TRY(clq__scatter_check_memory(context, &work, &input));
    if (work.x.elements > 0) {
        clq__static_describe(&described, &work);
        *size_bytes = (size_t)clq__static_owner_words(&described) * sizeof(uint32_t);
    }
end:
    return status;
}

clq_status clq_quantize_scatter_check_indices(clq_context *context, cl_command_queue queue,
                                              const struct clq_quantize_scatter_desc *desc, cl_uint num_wait,
                                              const cl_event *wait)
{
    clq_status status = CLQ_OK;
    struct clq__scatter call;
    struct clq__static_work work;
    struct clq__view input;

    CLQ_TRY(clq__call_check(context, queue, false, num_wait, wait));
    CLQ_TRY(clq__scatter_of(desc, &call));
    CLQ_TRY(clq__scatter_check(&call, &work, &input));
    CLQ_TRY(check_memory(context, &work, &input));
    CLQ_TRY(clq__indices_check_entries(queue, &work.placement, num_wait, wait));
end:
    return status;
}
