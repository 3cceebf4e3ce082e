/* SPDX-License-Identifier: Apache-2.0 */
/* One small quantization against the reference. */
#include "call.h"

#include "on_stub.h"
#include "reference.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROWS 3
#define COLS 64

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fill(float *x, float *scales, int8_t *wanted)
{
    for (int i = 0; i < ROWS * COLS; i++)
        x[i] = 0.75f * (float)(i % 41) - 15.0f;
    for (int i = 0; i < COLS; i++)
        scales[i] = 0.0625f * (float)(i + 1);
    for (int i = 0; i < ROWS * COLS; i++)
        wanted[i] = (int8_t)reference_quantize_one(x[i], scales[i % COLS], NULL, false, false, REFERENCE_I8);
}

static clq_status quantize(clq_context *context, cl_command_queue queue, double *end)
{
    DLManagedTensor *x = NULL, *scales = NULL, *y = NULL;
    float host_x[ROWS * COLS], host_scales[COLS];
    int8_t wanted[ROWS * COLS], host_y[ROWS * COLS];
    cl_event done = NULL;
    clq_status status;

    fill(host_x, host_scales, wanted);
    if ((status = clq_tensor_create(context, CLQ_FLOAT32, 2, (int64_t[]){ROWS, COLS}, &x)) ||
        (status = clq_tensor_create(context, CLQ_FLOAT32, 1, (int64_t[]){COLS}, &scales)) ||
        (status = clq_tensor_create(context, CLQ_INT8, 2, (int64_t[]){ROWS, COLS}, &y)) ||
        (status = clq_tensor_write(queue, &x->dl_tensor, CL_TRUE, host_x, sizeof host_x, 0, NULL, NULL)) ||
        (status = clq_tensor_write(queue, &scales->dl_tensor, CL_TRUE, host_scales, sizeof host_scales, 0,
                                   NULL, NULL)))
        goto end;
    status =
        clq_quantize(context, queue,
                     &(struct clq_quantize_desc){
                         .x = &x->dl_tensor, .scales = &scales->dl_tensor, .y = &y->dl_tensor, .axis = -1},
                     0, NULL, &done);
    if (status != CLQ_OK || (status = clWaitForEvents(1, &done)) != CL_SUCCESS)
        goto end;
    *end = now();
    status = clq_tensor_read(queue, &y->dl_tensor, CL_TRUE, host_y, sizeof host_y, 0, NULL, NULL);
    if (status == CLQ_OK && memcmp(host_y, wanted, sizeof wanted) != 0)
        status = CLQ_ERROR_VALUE;
end:
    if (done != NULL)
        clReleaseEvent(done);
    for (int i = 0; i < 3; i++) {
        DLManagedTensor *tensor = i == 0 ? x : i == 1 ? scales : y;

        clq_tensor_destroy(tensor);
    }
    return status;
}

clq_status call_in(clq_context *context, struct call_result *result)
{
    double end = 0.0;
    cl_platform_id platform = NULL;
    cl_command_queue queue = NULL;
    cl_int code = CL_SUCCESS;
    clq_status status;

    *result = (struct call_result){0};
    clGetDeviceInfo(clq_context_device(context), CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    on_stub_install(platform);
    snprintf(result->cache_dir, sizeof result->cache_dir, "%s", clq_context_cache_dir(context));
    queue = clCreateCommandQueue(clq_context_cl(context), clq_context_device(context), 0, &code);
    status = queue != NULL ? quantize(context, queue, &end) : code;
    clq_context_count(context, &result->built, &result->from_cache);
    result->seconds = end;
    if (queue != NULL)
        clReleaseCommandQueue(queue);
    return status;
}

clq_status single_call(const struct clq_context_desc *desc, struct call_result *result)
{
    const double start = now();
    clq_context *context = NULL;
    clq_status status = clq_context_create(desc, &context);

    *result = (struct call_result){0};
    if (status != CLQ_OK)
        return status;
    status = call_in(context, result);
    result->seconds -= start;
    clq_context_destroy(context);
    return status;
}
