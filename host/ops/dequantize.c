/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dequantize: static quantization backwards, and the rows that dynamic quantization wrote. */
#include "ops/dequantize.h"

#include "base/error.h"
#include "plan/check_indices.h"

static clq_status run(clq_context *context, cl_command_queue queue, const struct clq_dequantize_desc *desc,
                      bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__static_work work;

    CLQ_TRY(clq__call_check(context, queue, build_only, num_wait, wait));
    CLQ_TRY(clq__dequantize_check(desc, &work));
    CLQ_TRY(clq__dequantize_check_memory(context, &work));
    CLQ_TRY(clq__static_run(context, queue, &work, build_only, num_wait, wait, done));
end:
    return status;
}

clq_status clq_dequantize(clq_context *context, cl_command_queue queue,
                          const struct clq_dequantize_desc *desc, cl_uint num_wait, const cl_event *wait,
                          cl_event *done)
{
    return run(context, queue, desc, false, num_wait, wait, done);
}

clq_status clq_dequantize_build(clq_context *context, const struct clq_dequantize_desc *desc)
{
    return run(context, NULL, desc, true, 0, NULL, NULL);
}

clq_status clq_dequantize_check(const struct clq_dequantize_desc *desc)
{
    struct clq__static_work work;

    return clq__dequantize_check(desc, &work);
}

clq_status clq_dequantize_check_indices(clq_context *context, cl_command_queue queue,
                                        const struct clq_dequantize_desc *desc, cl_uint num_wait,
                                        const cl_event *wait)
{
    clq_status status = CLQ_OK;
    struct clq__static_work work;

    CLQ_TRY(clq__call_check(context, queue, false, num_wait, wait));
    CLQ_TRY(clq__dequantize_check(desc, &work));
    CLQ_TRY(clq__dequantize_check_memory(context, &work));
    CLQ_REQUIRE(work.placement.kind != CLQ_ENTRY_NONE, CLQ_ERROR_NULL,
                "indices and group_index are NULL: there is nothing to read back");
    if (work.placement.kind == CLQ_ENTRY_GROUPS)
        CLQ_TRY(clq__indices_check_groups(queue, &work.placement, work.x.shape[0], num_wait, wait));
    else
        CLQ_TRY(clq__indices_check_entries(queue, &work.placement, num_wait, wait));
end:
    return status;
}
