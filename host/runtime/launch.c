/* Enqueueing kernels. */
#include "runtime/launch.h"

#include "base/error.h"
#include "runtime/program.h"

struct clq__traits clq__traits(const clq_context *context)
{
    return (struct clq__traits){.group_form = context->device.group_form,
                                .max_group_items = context->device.max_group_items,
                                .compute_units = context->device.compute_units};
}

void clq__variant_end(struct clq__variant *variant, const clq_context *context)
{
    clq__variant_append(variant, context->device_plugs);
}

clq_status clq__build_variant(clq_context *context, const struct clq__variant *variant)
{
    clq_status status = CLQ_OK;
    struct clq__program *program = NULL;
    cl_kernel kernel = NULL;

    CLQ_TRY(clq__kernel_take(context, variant, &program, &kernel));
    clq__kernel_give(context, program, kernel);
end:
    return status;
}

clq_status clq__launch(clq_context *context, cl_command_queue queue, const struct clq__launch *launch,
                       cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__program *program = NULL;
    cl_kernel kernel = NULL;
    const size_t global = launch->groups * launch->local;

    CLQ_TRY(clq__kernel_take(context, &launch->variant, &program, &kernel));
    for (cl_uint i = 0; i < launch->num_buffers; i++)
        CLQ_TRY_CL(clSetKernelArg(kernel, i, sizeof(cl_mem), &launch->buffers[i]));
    CLQ_TRY_CL(clSetKernelArg(kernel, launch->num_buffers, launch->args_bytes, launch->args));
    CLQ_TRY_CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &launch->local, num_wait, wait, done));
    clq__program_keep(context, program);
end:
    if (kernel != NULL)
        clq__kernel_give(context, program, kernel);
    return status;
}

clq_status clq__wait_check(cl_uint num_wait, const cl_event *wait)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE((num_wait > 0) == (wait != NULL), CL_INVALID_EVENT_WAIT_LIST,
                "num_wait is %u and wait is %s: a wait list has both or neither", num_wait,
                wait != NULL ? "not NULL" : "NULL");
end:
    return status;
}

clq_status clq__launch_nothing(cl_command_queue queue, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;

    if (done != NULL)
        CLQ_TRY_CL(clEnqueueMarkerWithWaitList(queue, num_wait, wait, done));
end:
    return status;
}

clq_status clq__scratch_create(clq_context *context, size_t size_bytes, cl_mem *buffer)
{
    clq_status status = CLQ_OK;

    *buffer = clCreateBuffer(context->cl, CL_MEM_READ_WRITE, size_bytes, NULL, &status);
    CLQ_REQUIRE(*buffer != NULL, status, "clCreateBuffer of %zu bytes for a temporary failed with %s (%d)",
                size_bytes, clq_status_name(status), (int)status);
    status = CLQ_OK;
end:
    return status;
}

void clq__scratch_release(cl_mem buffer)
{
    if (buffer != NULL)
        clReleaseMemObject(buffer);
}

void clq__event_release(cl_event event)
{
    if (event != NULL)
        clReleaseEvent(event);
}
