/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization to the queue. */
#include "base/error.h"
#include "plan/static_call.h"

clq_status clq__static_run(clq_context *context, cl_command_queue queue, const struct clq__static_work *work,
                           bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    const struct clq__traits traits = clq__traits(context);
    struct clq__static_call
        call; /* each step sets its part: clearing kilobytes would be felt by small calls */

    if (work->x.elements == 0) {
        if (!build_only)
            CLQ_TRY(clq__launch_nothing(queue, num_wait, wait, done));
        goto end;
    }
    clq__static_launches(&call, work, &traits);
    if (build_only)
        CLQ_TRY(clq__launches_build(&call.launches, context));
    else
        CLQ_TRY(clq__launches_enqueue(&call.launches, context, queue, num_wait, wait, done));
end:
    return status;
}
