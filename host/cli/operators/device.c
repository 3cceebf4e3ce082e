/* SPDX-License-Identifier: Apache-2.0 */
/* The device of a call, and whether its buffers can hold the tensors. */
#include "operator.h"

#include <string.h>

static bool is_pocl(cl_device_id device)
{
    cl_platform_id platform = NULL;
    char name[256] = "";

    clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    return strcmp(name, "Portable Computing Language") == 0;
}

/* Before a byte is read: clCreateBuffer would only say that the size is invalid. */
static bool check_size(struct operator_call *call, const char *path, const char *what, const char *name,
                       const DLTensor *view)
{
    const cl_device_id device = clq_context_device(call->context);
    char device_name[256] = "?";
    cl_ulong limit = 0;
    size_t size_bytes = 0;

    clq_tensor_size_bytes(view, &size_bytes);
    if (clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof limit, &limit, NULL) != CL_SUCCESS ||
        size_bytes <= limit)
        return true;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof device_name, device_name, NULL);
    return fail(
        call->failure, STATUS_SYSTEM,
        "%s: %s '%.200s' has %zu bytes, more than the %ju that a buffer of the device '%.200s' can have; "
        "--device chooses another (`clquant devices` lists them)%s",
        path, what, name, size_bytes, (uintmax_t)limit, device_name,
        is_pocl(device) ? "; PoCL's limit is by the machine's memory and POCL_MEMORY_LIMIT, in GiB" : "");
}

static bool check_sizes(struct operator_call *call)
{
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS; i++)
        if (call->sources[i] && !check_size(call, operator_path(call, i), "tensor", call->sources[i]->name,
                                            &call->input_views[i]))
            return false;
    for (size_t i = 0; i < call->output_count; i++)
        if (!check_size(call, call->in_text, "the output", call->outputs[i].name, operator_output(call, i)))
            return false;
    return true;
}

bool operator_open_device(struct operator_call *call)
{
    const struct clq_context_desc desc = {.device_text = call->device_text};
    clq_status status = clq_context_create(&desc, &call->context);
    cl_int code = CL_SUCCESS;

    output_file_catch_signals();
    if (status == CLQ_ERROR_DEVICE)
        return fail(call->failure, STATUS_SYSTEM, "%s; `clquant devices` lists what there is",
                    clq_error_detail());
    if (status != CLQ_OK)
        return operator_fail(call, "opening the device", status);
    if (!check_sizes(call))
        return false;
    call->queue =
        clCreateCommandQueue(clq_context_cl(call->context), clq_context_device(call->context), 0, &code);
    return code == CL_SUCCESS || operator_fail_cl(call, "clCreateCommandQueue", code);
}
