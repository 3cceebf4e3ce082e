/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization to the queue. */
#include "base/error.h"
#include "plan/dynamic.h"

clq_status clq__dynamic_run(clq_context *context, cl_command_queue queue,
                            const struct clq__dynamic_work *work, bool build_only, cl_uint num_wait,
                            const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    const struct clq__traits traits = clq__traits(context);
    struct clq__dynamic_call call;

    if (work->x.elements == 0) {
        CLQ_TRY(clq__dynamic_check_memory(context, work, 0));
        if (!build_only)
            CLQ_TRY(clq__launch_nothing(queue, num_wait, wait, done));
        goto end;
    }
    clq__dynamic_describe(&call.args, work);
    CLQ_TRY(clq__dynamic_check_memory(context, work, call.args.entries.owner_words));
    clq__dynamic_launches(&call, work, &traits);
    CLQ_TRY(clq__rounds_check(context, clq__dynamic_rounds(&call.args), work->x.name));
    if (build_only)
        CLQ_TRY(clq__launches_build(&call.launches, context));
    else
        CLQ_TRY(clq__launches_enqueue(&call.launches, context, queue, num_wait, wait, done));
end:
    return status;
}
