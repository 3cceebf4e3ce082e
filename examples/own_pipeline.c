/* SPDX-License-Identifier: Apache-2.0 */
/* Inside a pipeline of one's own: the caller's context, out-of-order queue, buffers and events. A tensor is a
 * view of a cl_mem: here the right half of a matrix, quantized into int4, with the writes as its wait list.
 */
#include <clquant/clquant.h>
#include <stdio.h>

enum { ROWS = 8, COLUMNS = 64, HALF = COLUMNS / 2 };

static int fail(const char *what, cl_int code)
{
    fprintf(stderr, "%s: %s %s\n", what, clq_status_name(code), clq_error_detail());
    return 1;
}

int main(void)
{
    float x[ROWS][COLUMNS], scale = 0.5f;
    unsigned char y[ROWS][HALF / 2];
    cl_platform_id platform;
    cl_device_id device;
    cl_event written[2], quantized;
    cl_int code;
    clq_context *context = NULL;

    for (int i = 0; i < ROWS * COLUMNS; i++)
        x[i / COLUMNS][i % COLUMNS] = 0.25f * (float)(i % 23 - 11);

    /* what a pipeline has already */
    if (clq_device_find(NULL, 1, &platform, &device) != CLQ_OK)
        return fail("device", CL_DEVICE_NOT_FOUND);
    cl_context cl = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue queue = clCreateCommandQueue(cl, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_INVALID_QUEUE_PROPERTIES) /* a device without such queues */
        queue = clCreateCommandQueue(cl, device, 0, &code);
    if (code != CL_SUCCESS)
        return fail("queue", code);
    cl_mem x_buffer = clCreateBuffer(cl, CL_MEM_READ_ONLY, sizeof x, NULL, &code);
    cl_mem scale_buffer = clCreateBuffer(cl, CL_MEM_READ_ONLY, sizeof scale, NULL, &code);
    cl_mem y_buffer = clCreateBuffer(cl, CL_MEM_WRITE_ONLY, sizeof y, NULL, &code);
    if (clEnqueueWriteBuffer(queue, x_buffer, CL_FALSE, 0, sizeof x, x, 0, NULL, &written[0]) != CL_SUCCESS ||
        clEnqueueWriteBuffer(queue, scale_buffer, CL_FALSE, 0, sizeof scale, &scale, 0, NULL, &written[1]) !=
            CL_SUCCESS)
        return fail("write", CL_OUT_OF_RESOURCES);

    /* what clquant adds: a context over theirs, views of the buffers, one call */
    code = clq_context_create(&(struct clq_context_desc){.context = cl}, &context);
    if (code != CLQ_OK)
        return fail("context", code);
    const DLDevice opencl = {kDLOpenCL, 0};
    const DLTensor right_half = {.data = x_buffer,
                                 .device = opencl,
                                 .ndim = 2,
                                 .dtype = CLQ_FLOAT32,
                                 .shape = (int64_t[]){ROWS, HALF},
                                 .strides = (int64_t[]){COLUMNS, 1},
                                 .byte_offset = HALF * sizeof(float)};
    const DLTensor scales = {.data = scale_buffer, .device = opencl, .ndim = 0, .dtype = CLQ_FLOAT32};
    const DLTensor packed = {
        .data = y_buffer, .device = opencl, .ndim = 2, .dtype = CLQ_INT4, .shape = (int64_t[]){ROWS, HALF}};
    code = clq_quantize(context, queue,
                        &(struct clq_quantize_desc){.x = &right_half, .scales = &scales, .y = &packed}, 2,
                        written, &quantized);
    if (code != CLQ_OK)
        return fail("quantize", code);

    code = clEnqueueReadBuffer(queue, y_buffer, CL_TRUE, 0, sizeof y, y, 1, &quantized, NULL);
    if (code != CL_SUCCESS)
        return fail("read", code);
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < HALF / 2; i++)
            printf("%02x%c", y[row][i], i + 1 < HALF / 2 ? ' ' : '\n');

    clReleaseEvent(quantized);
    clReleaseEvent(written[0]);
    clReleaseEvent(written[1]);
    clReleaseMemObject(x_buffer);
    clReleaseMemObject(scale_buffer);
    clReleaseMemObject(y_buffer);
    clq_context_destroy(context);
    clReleaseCommandQueue(queue);
    clReleaseContext(cl);
    return 0;
}
