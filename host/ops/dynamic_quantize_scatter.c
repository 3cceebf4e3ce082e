/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dynamic_quantize_scatter: rows, their scales and their offsets into a cache. */
#include "base/error.h"
#include "ops/dynamic_scatter.h"
#include "plan/check_indices.h"

static const struct clq__dynamic_names names = {"updates", "cache", "cache_scales", "cache_offsets"};

clq_status clq__dynamic_scatter_check(const struct clq__dynamic_scatter *call, struct clq__dynamic_work *work)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__dynamic_check(work, call->names, &call->tensors));
    CLQ_TRY(clq__placement_check(&work->placement, &(struct clq__placement_rules){.indices = call->indices,
                                                                                  .cache = &work->y,
                                                                                  .pieces = &work->x,
                                                                                  .axis = call->axis,
                                                                                  .least_rank = 3,
                                                                                  .last_is_whole = true,
                                                                                  .out_of_range = call->range,
                                                                                  .unique = call->unique}));
    work->placement.report = call->report;
    work->placement.report_offset_bytes = call->report_offset_bytes;
    work->placement.workspace = call->workspace;
    work->placement.workspace_offset_bytes = call->workspace_offset_bytes;
end:
    return status;
}

/* What the call needs of a workspace, which shows only once it is described. */
static int64_t owner_words_of(const struct clq__dynamic_work *work)
{
    struct dynamic_quantize_args args;

    if (work->x.elements == 0)
        return 0;
    clq__dynamic_describe(&args, work);
    return args.entries.owner_words;
}

clq_status clq__dynamic_scatter_run(clq_context *context, cl_command_queue queue,
                                    const struct clq__dynamic_scatter *call, bool build_only,
                                    cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__dynamic_work work;

    CLQ_TRY(clq__call_check(context, queue, build_only, num_wait, wait));
    CLQ_TRY(clq__dynamic_scatter_check(call, &work));
    CLQ_TRY(clq__dynamic_run(context, queue, &work, build_only, num_wait, wait, done));
end:
    return status;
}

clq_status clq__dynamic_scatter_of(const struct clq_dynamic_quantize_scatter_desc *desc,
                                   struct clq__dynamic_scatter *call)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__desc_check(desc != NULL ? desc->reserved : NULL, CLQ_COUNT(desc->reserved)));
    *call = (struct clq__dynamic_scatter){.names = &names,
                                          .tensors = {.x = desc->updates,
                                                      .y = desc->cache,
                                                      .scale = desc->cache_scales,
                                                      .offset = desc->cache_offsets,
                                                      .smooth = desc->smooth_scales,
                                                      .symmetric = desc->symmetric},
                                          .indices = desc->indices,
                                          .report = desc->report,
                                          .report_offset_bytes = desc->report_offset_bytes,
                                          .workspace = desc->workspace,
                                          .workspace_offset_bytes = desc->workspace_offset_bytes,
                                          .axis = desc->axis,
                                          .range = desc->out_of_range,
                                          .unique = desc->unique};
end:
    return status;
}

clq_status clq_dynamic_quantize_scatter(clq_context *context, cl_command_queue queue,
                                        const struct clq_dynamic_quantize_scatter_desc *desc,
                                        cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__dynamic_scatter call;

    CLQ_TRY(clq__dynamic_scatter_of(desc, &call));
    CLQ_TRY(clq__dynamic_scatter_run(context, queue, &call, false, num_wait, wait, done));
end:
    return status;
}

clq_status clq_dynamic_quantize_scatter_build(clq_context *context,
                                              const struct clq_dynamic_quantize_scatter_desc *desc)
{
    clq_status status = CLQ_OK;
    struct clq__dynamic_scatter call;

    CLQ_TRY(clq__dynamic_scatter_of(desc, &call));
    CLQ_TRY(clq__dynamic_scatter_run(context, NULL, &call, true, 0, NULL, NULL));
end:
    return status;
}

clq_status clq_dynamic_quantize_scatter_check(const struct clq_dynamic_quantize_scatter_desc *desc)
{
    clq_status status = CLQ_OK;
    struct clq__dynamic_scatter call;
    struct clq__dynamic_work work;

    CLQ_TRY(clq__dynamic_scatter_of(desc, &call));
    CLQ_TRY(clq__dynamic_scatter_check(&call, &work));
end:
    return status;
}

clq_status clq_dynamic_quantize_scatter_workspace(clq_context *context,
                                                  const struct clq_dynamic_quantize_scatter_desc *desc,
                                                  size_t *size_bytes)
{
    clq_status status = CLQ_OK;
    struct clq__dynamic_scatter call;
    struct clq__dynamic_work work;

    CLQ_REQUIRE(size_bytes != NULL, CLQ_ERROR_NULL, "size_bytes is NULL: it must point to a size_t");
    *size_bytes = 0;
    CLQ_REQUIRE(context != NULL, CLQ_ERROR_NULL, "context is NULL: it must be a context");
    CLQ_TRY(clq__dynamic_scatter_of(desc, &call));
    call.workspace = NULL; /* it is what is asked for */
    CLQ_TRY(clq__dynamic_scatter_check(&call, &work));
    CLQ_TRY(clq__dynamic_check_memory(context, &work, 0));
    *size_bytes = (size_t)owner_words_of(&work) * sizeof(uint32_t);
end:
    return status;
}

clq_status clq_dynamic_quantize_scatter_check_indices(clq_context *context, cl_command_queue queue,
                                                      const struct clq_dynamic_quantize_scatter_desc *desc,
                                                      cl_uint num_wait, const cl_event *wait)
{
    clq_status status = CLQ_OK;
    struct clq__dynamic_scatter call;
    struct clq__dynamic_work work;

    CLQ_TRY(clq__call_check(context, queue, false, num_wait, wait));
    CLQ_TRY(clq__dynamic_scatter_of(desc, &call));
    CLQ_TRY(clq__dynamic_scatter_check(&call, &work));
    CLQ_TRY(clq__dynamic_check_memory(context, &work, owner_words_of(&work)));
    CLQ_TRY(clq__indices_check_entries(queue, &work.placement, num_wait, wait));
end:
    return status;
}
