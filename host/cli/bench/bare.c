/* SPDX-License-Identifier: Apache-2.0 */
#include "bare.h"

#include "args/dynamic_quantize.h"
#include "args/quantize.h"

struct bare bare_of(bool dynamic)
{
    return (struct bare){.name = dynamic ? "bare_dynamic_quantize" : "bare_quantize",
                         .args_bytes =
                             dynamic ? sizeof(struct dynamic_quantize_args) : sizeof(struct quantize_args),
                         .num_buffers = dynamic ? 8 : 7};
}

cl_int bare_enqueue(struct bench *bench, const struct bare *bare)
{
    static const union {
        struct quantize_args quantize;
        struct dynamic_quantize_args dynamic;
    } args;
    const size_t one = 1;
    cl_int code = CL_SUCCESS;

    for (cl_uint i = 0; i < bare->num_buffers && code == CL_SUCCESS; i++)
        code = clSetKernelArg(bare->kernel, i, sizeof(cl_mem), &bare->buffers[i]);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(bare->kernel, bare->num_buffers, bare->args_bytes, &args);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(bench->queue, bare->kernel, 1, NULL, &one, &one, 0, NULL, NULL);
    return code;
}

bool bare_begin(struct bench *bench, struct bare *bare)
{
    if (!device_kernel(bench, bare->name, 1, 1, bare->args_bytes / 8, &bare->kernel))
        return false;
    if (bare_enqueue(bench, bare) == CL_SUCCESS)
        return true;
    for (cl_uint i = 0; i < bare->num_buffers; i++)
        if (!bare->buffers[i])
            bare->buffers[i] = bare->buffers[0];
    return true;
}

void bare_end(struct bare *bare)
{
    if (bare->kernel)
        clReleaseKernel(bare->kernel);
}

bool gate_close(struct bench *bench, cl_event *gate)
{
    cl_int code = CL_SUCCESS;

    *gate = clCreateUserEvent(clq_context_cl(bench->context), &code);
    if (code == CL_SUCCESS)
        code = clEnqueueBarrierWithWaitList(bench->queue, 1, gate, NULL);
    return device_check(bench, "holding the queue back", code);
}

bool gate_open(struct bench *bench, cl_event gate)
{
    cl_event done = NULL;
    cl_int code = clEnqueueMarkerWithWaitList(bench->queue, 0, NULL, &done);

    clSetUserEventStatus(gate, CL_COMPLETE);
    clReleaseEvent(gate);
    return device_check(bench, "clEnqueueMarkerWithWaitList", code) && device_wait(bench, done);
}
