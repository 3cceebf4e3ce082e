/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a user's program in C and in C++: opencl_version.sh writes its first lines, which include our
 * header and define OpenCL's version, or not. It makes a queue with the function of VERSION, which it
 * expects, and quantizes in it. */
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static cl_command_queue create_queue(clq_context *context)
{
#if VERSION >= 200
    return clCreateCommandQueueWithProperties(clq_context_cl(context), clq_context_device(context), NULL,
                                              NULL);
#else
    return clCreateCommandQueue(clq_context_cl(context), clq_context_device(context), 0, NULL);
#endif
}

static clq_status quantize(clq_context *context, cl_command_queue queue, const DLTensor *x,
                           const DLTensor *scale, const DLTensor *y)
{
    struct clq_quantize_desc desc;

    memset(&desc, 0, sizeof desc);
    desc.x = x;
    desc.scales = scale;
    desc.y = y;
    return clq_quantize(context, queue, &desc, 0, NULL, NULL);
}

int main(void)
{
    const float values[4] = {0.5f, -1.0f, 1.5f, 100.0f}, half = 0.5f;
    const signed char wanted[4] = {1, -2, 3, 127};
    const int64_t shape[1] = {4};
    signed char got[4] = {0, 0, 0, 0};
    clq_context *context = NULL;
    cl_command_queue queue = NULL;
    DLManagedTensor *x = NULL, *scale = NULL, *y = NULL;
    clq_status status = clq_context_create(NULL, &context);

    if (status == CLQ_ERROR_DEVICE)
        return 77;
    if (status == CLQ_OK)
        queue = create_queue(context);
    if (status == CLQ_OK)
        status = clq_tensor_create(context, CLQ_FLOAT32, 1, shape, &x);
    if (status == CLQ_OK)
        status = clq_tensor_create(context, CLQ_FLOAT32, 0, NULL, &scale);
    if (status == CLQ_OK)
        status = clq_tensor_create(context, CLQ_INT8, 1, shape, &y);
    if (status == CLQ_OK)
        status = clq_tensor_write(queue, &x->dl_tensor, CL_TRUE, values, sizeof values, 0, NULL, NULL);
    if (status == CLQ_OK)
        status = clq_tensor_write(queue, &scale->dl_tensor, CL_TRUE, &half, sizeof half, 0, NULL, NULL);
    if (status == CLQ_OK)
        status = quantize(context, queue, &x->dl_tensor, &scale->dl_tensor, &y->dl_tensor);
    if (status == CLQ_OK)
        status = clq_tensor_read(queue, &y->dl_tensor, CL_TRUE, got, sizeof got, 0, NULL, NULL);
    if (status != CLQ_OK)
        fprintf(stderr, "%s\n", clq_error_detail());
    clq_tensor_destroy(x);
    clq_tensor_destroy(scale);
    clq_tensor_destroy(y);
    if (queue != NULL)
        clReleaseCommandQueue(queue);
    clq_context_destroy(context);
    return status == CLQ_OK && memcmp(got, wanted, sizeof got) == 0 ? 0 : 1;
}
