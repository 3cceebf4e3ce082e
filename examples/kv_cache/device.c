/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the device; attention.cl. */
#include "device.h"

#include <stdio.h>
#include <string.h>

enum { GROUP = 64, RUN = 16 };

static const unsigned char source[] = {
#include "attention_cl.inc"
};

clq_status device_failed(clq_status status, const char *call)
{
    return status == CLQ_OK
               ? status
               : clq_error_set(status, "%s failed with %s (%d)", call, clq_status_name(status), (int)status);
}

static clq_status build(struct device *device)
{
    const char *text = (const char *)source;
    const size_t length = sizeof source;
    const cl_device_id id = clq_context_device(device->context);
    char log[256] = "", options[64];
    clq_status status;

    snprintf(options, sizeof options, "-cl-std=CL1.2 -DGROUP=%d -DRUN=%d", GROUP, RUN);
    device->program = clCreateProgramWithSource(clq_context_cl(device->context), 1, &text, &length, &status);
    if (status == CLQ_OK) {
        status = clBuildProgram(device->program, 1, &id, options, NULL, NULL);
        if (status != CLQ_OK) {
            clGetProgramBuildInfo(device->program, id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
            return clq_error_set(status, "attention.cl does not build: %s", log);
        }
        device->softmax = clCreateKernel(device->program, "softmax", &status);
    }
    if (status == CLQ_OK)
        device->widen = clCreateKernel(device->program, "widen", &status);
    return device_failed(status, "making the kernels");
}

clq_status device_open(struct device *device, const char *text)
{
    clq_status status = clq_context_create(&(struct clq_context_desc){.device_text = text}, &device->context);

    if (status != CLQ_OK)
        return status;
    device->queue = clCreateCommandQueue(clq_context_cl(device->context), clq_context_device(device->context),
                                         0, &status);
    if (status != CLQ_OK)
        return device_failed(status, "clCreateCommandQueue");
    clGetDeviceInfo(clq_context_device(device->context), CL_DEVICE_NAME, sizeof device->name - 1,
                    device->name, NULL);
    return build(device);
}

void device_close(struct device *device)
{
    if (device->widen != NULL)
        clReleaseKernel(device->widen);
    if (device->softmax != NULL)
        clReleaseKernel(device->softmax);
    if (device->program != NULL)
        clReleaseProgram(device->program);
    if (device->queue != NULL)
        clReleaseCommandQueue(device->queue);
    clq_context_destroy(device->context);
}

struct argument {
    size_t size_bytes;
    const void *value;
};

static clq_status launch(const struct device *device, cl_kernel kernel, const struct argument *arguments,
                         cl_uint num_arguments, const size_t global[2], cl_event *done)
{
    const size_t local[2] = {GROUP, 1};
    clq_status status = CLQ_OK;

    for (cl_uint i = 0; i < num_arguments && status == CLQ_OK; i++)
        status = clSetKernelArg(kernel, i, arguments[i].size_bytes, arguments[i].value);
    if (status == CLQ_OK)
        status = clEnqueueNDRangeKernel(device->queue, kernel, 2, NULL, global, local, 0, NULL, done);
    return device_failed(status, "clEnqueueNDRangeKernel");
}

clq_status device_softmax(const struct device *device, const DLTensor *scores, int64_t rows, int64_t count,
                          int64_t pitch, cl_event *done)
{
    const cl_uint row = (cl_uint)count;
    const cl_ulong row_pitch = (cl_ulong)pitch;
    const struct argument arguments[] = {
        {sizeof(cl_mem), &scores->data}, {sizeof row, &row}, {sizeof row_pitch, &row_pitch}};

    return launch(device, device->softmax, arguments, 3, (const size_t[]){GROUP * (size_t)rows, 1}, done);
}

clq_status device_widen(const struct device *device, const DLTensor *src, int64_t src_first,
                        int64_t src_pitch, const DLTensor *dst, int64_t dst_pitch, int64_t rows,
                        int64_t count, cl_event *done)
{
    const cl_ulong numbers[] = {(cl_ulong)src_first, (cl_ulong)src_pitch, (cl_ulong)dst_pitch,
                                (cl_ulong)count};
    const struct argument arguments[] = {
        {sizeof(cl_mem), &src->data}, {sizeof(cl_ulong), &numbers[0]}, {sizeof(cl_ulong), &numbers[1]},
        {sizeof(cl_mem), &dst->data}, {sizeof(cl_ulong), &numbers[2]}, {sizeof(cl_ulong), &numbers[3]},
    };
    const size_t groups = ((size_t)count + GROUP * RUN - 1) / (GROUP * RUN);

    return launch(device, device->widen, arguments, 6, (const size_t[]){GROUP * groups, (size_t)rows}, done);
}
