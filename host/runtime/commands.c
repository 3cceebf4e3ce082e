/* SPDX-License-Identifier: Apache-2.0 */
/* Commands beside kernels, what waits for them, and buffers that live as long as they do. */
#include "base/error.h"
#include "runtime/context.h"
#include "runtime/launch.h"

clq_status clq__launch_nothing(cl_command_queue queue, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;

    if (done != NULL || num_wait > 0)
        CLQ_TRY_CL(clEnqueueMarkerWithWaitList(queue, num_wait, wait, done));
end:
    return status;
}

clq_status clq__clear(cl_command_queue queue, cl_mem buffer, size_t offset_bytes, size_t size_bytes,
                      cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    const cl_uint zero = 0;

    CLQ_TRY_CL(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, offset_bytes, size_bytes, num_wait,
                                   wait, done));
end:
    return status;
}

clq_status clq__copy_bytes(cl_command_queue queue, cl_mem src, size_t src_offset_bytes, cl_mem dst,
                           size_t dst_offset_bytes, size_t size_bytes, cl_uint num_wait, const cl_event *wait,
                           cl_event *done)
{
    clq_status status = CLQ_OK;

    CLQ_TRY_CL(clEnqueueCopyBuffer(queue, src, dst, src_offset_bytes, dst_offset_bytes, size_bytes, num_wait,
                                   wait, done));
end:
    return status;
}

clq_status clq__await(cl_uint num_wait, const cl_event *wait)
{
    clq_status status = CLQ_OK;

    if (num_wait > 0)
        CLQ_TRY_CL(clWaitForEvents(num_wait, wait));
end:
    return status;
}

clq_status clq__await_transfer(cl_event moved, cl_event *done)
{
    clq_status status = CLQ_OK;

    CLQ_TRY_CL(clWaitForEvents(1, &moved));
    if (done != NULL) {
        *done = moved;
        moved = NULL;
    }
end:
    clq__event_release(moved);
    return status;
}

clq_status clq__read(cl_command_queue queue, cl_mem buffer, size_t offset_bytes, void *host,
                     size_t size_bytes, cl_uint num_wait, const cl_event *wait)
{
    clq_status status = CLQ_OK;
    cl_event moved = NULL;

    CLQ_TRY(clq__await(num_wait, wait));
    if (size_bytes == 0)
        goto end;
    CLQ_TRY_CL(
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset_bytes, size_bytes, host, num_wait, wait, &moved));
    CLQ_TRY(clq__await_transfer(moved, NULL));
end:
    return status;
}

clq_status clq__scratch_create(clq_context *context, size_t size_bytes, cl_mem *buffer)
{
    clq_status status = CLQ_OK;

    *buffer = clCreateBuffer(context->cl, clq__device_buffer_flags(&context->device, size_bytes), size_bytes,
                             NULL, &status);
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

void clq__event_end(cl_event event)
{
    clWaitForEvents(1, &event);
    clReleaseEvent(event);
}
