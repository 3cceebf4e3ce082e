/* The device of a call. */
#include "operator.h"

bool operator_open_device(struct operator_call *call)
{
    const struct clq_context_desc desc = {.device_text = call->device_text};
    clq_status status = clq_context_create(&desc, &call->context);
    cl_int code = CL_SUCCESS;

    if (status == CLQ_ERROR_DEVICE)
        return fail(call->failure, STATUS_SYSTEM, "%s; `clquant devices` lists what there is",
                    clq_error_detail());
    if (status != CLQ_OK)
        return operator_fail(call, "opening the device", status);
    call->queue =
        clCreateCommandQueue(clq_context_cl(call->context), clq_context_device(call->context), 0, &code);
    return code == CL_SUCCESS || operator_fail_cl(call, "clCreateCommandQueue", code);
}
