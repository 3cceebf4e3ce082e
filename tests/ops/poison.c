/* A layer between the OpenCL loader and the driver that fills each new buffer with the byte CLQ_TEST_POISON,
 * so that a result which depends on what a buffer held before it was written shows. Fresh memory is often 0,
 * which hides it. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stdlib.h>

static cl_icd_dispatch target, wrapped;

static cl_int fill(cl_context context, cl_mem buffer, size_t size)
{
    const unsigned char poison = (unsigned char)strtoul(getenv("CLQ_TEST_POISON"), NULL, 0);
    cl_device_id device = NULL;
    cl_int code = target.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL);
    cl_command_queue queue =
        code == CL_SUCCESS ? target.clCreateCommandQueue(context, device, 0, &code) : NULL;

    if (queue == NULL)
        return code;
    code = target.clEnqueueFillBuffer(queue, buffer, &poison, 1, 0, size, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = target.clFinish(queue);
    target.clReleaseCommandQueue(queue);
    return code;
}

static cl_mem CL_API_CALL wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                              cl_int *code)
{
    cl_mem buffer = target.clCreateBuffer(context, flags, size, host, code);

    if (buffer != NULL && host == NULL && fill(context, buffer, size) != CL_SUCCESS)
        abort();
    return buffer;
}

cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *dispatch, cl_uint *num_entries_ret,
                               const cl_icd_dispatch **layer_dispatch)
{
    if (num_entries < sizeof target / sizeof(void *) || getenv("CLQ_TEST_POISON") == NULL)
        return CL_INVALID_VALUE;
    target = wrapped = *dispatch;
    wrapped.clCreateBuffer = wrap_clCreateBuffer;
    *num_entries_ret = sizeof wrapped / sizeof(void *);
    *layer_dispatch = &wrapped;
    return CL_SUCCESS;
}
