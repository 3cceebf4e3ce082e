/* SPDX-License-Identifier: Apache-2.0 */
/* The device, and how a kernel is built and enqueued. */
#include "model.h"

#include <stdio.h>
#include <string.h>

static const char source[] = {
#include "llm_kernels_cl.inc"
};

clq_status noted(clq_status status, const char *call)
{
    return status == CLQ_OK
               ? status
               : clq_error_set(status, "%s failed with %s (%d)", call, clq_status_name(status), (int)status);
}

clq_status device_build(const struct device *device, const char *const texts[2], const size_t lengths[2],
                        const char *options, cl_program *program)
{
    const cl_device_id id = clq_context_device(device->context);
    const char *both[] = {texts[0], texts[1]};
    char log[256] = "";
    clq_status status = CLQ_OK;

    *program = clCreateProgramWithSource(clq_context_cl(device->context), 2, both, lengths, &status);
    TRY(noted(status, "clCreateProgramWithSource"));
    status = clBuildProgram(*program, 1, &id, options, NULL, NULL);
    if (status == CLQ_OK)
        return CLQ_OK;
    clGetProgramBuildInfo(*program, id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    return clq_error_set(status, "a kernel of the example does not build: %s", log);
}

static clq_status create_kernels(struct device *device)
{
    const struct {
        const char *name;
        cl_kernel *kernel;
    } kernels[] = {{"embed", &device->embed},
                   {"rms_norm", &device->rms_norm},
                   {"turn_and_split", &device->turn_and_split},
                   {"swiglu", &device->swiglu},
                   {"compare", &device->compare}};
    clq_status status = CLQ_OK;

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        *kernels[i].kernel = clCreateKernel(device->program, kernels[i].name, &status);
        TRY(noted(status, kernels[i].name));
    }
    return CLQ_OK;
}

clq_status device_create(struct device *device, const char *text)
{
    const char *texts[] = {"", source};
    const size_t lengths[] = {0, sizeof source};
    char options[64];

    *device = (struct device){0};
    TRY(clq_context_create(&(struct clq_context_desc){.device_text = text}, &device->context));
    TRY(clq_queue_create(device->context, 0, &device->queue));
    TRY(noted(clGetDeviceInfo(clq_context_device(device->context), CL_DEVICE_NAME, sizeof device->name - 1,
                              device->name, NULL),
              "clGetDeviceInfo"));
    snprintf(options, sizeof options, "-cl-std=CL1.2 -D GROUP=%d", GROUP);
    TRY(device_build(device, texts, lengths, options, &device->program));
    return create_kernels(device);
}

void device_destroy(struct device *device)
{
    const cl_kernel kernels[] = {device->embed, device->rms_norm, device->turn_and_split, device->swiglu,
                                 device->compare};

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i] != NULL)
            clReleaseKernel(kernels[i]);
    if (device->program != NULL)
        clReleaseProgram(device->program);
    clq_queue_destroy(device->queue);
    clq_context_destroy(device->context);
}

clq_status device_run(const struct device *device, cl_kernel kernel, size_t rows, size_t columns,
                      const struct argument *arguments, size_t count)
{
    const size_t local[] = {GROUP, 1}, global[] = {GROUP * rows, columns};

    for (size_t i = 0; i < count; i++)
        TRY(noted(clSetKernelArg(kernel, (cl_uint)i, arguments[i].size_bytes, arguments[i].value),
                  "clSetKernelArg"));
    return noted(clEnqueueNDRangeKernel(device->queue, kernel, 2, NULL, global, local, 0, NULL, NULL),
                 "clEnqueueNDRangeKernel");
}

clq_status create_zeros(const struct device *device, DLDataType dtype, int rank, const int64_t *shape,
                        DLManagedTensor **tensor)
{
    const cl_uchar zero = 0;
    size_t size_bytes = 0;

    TRY(clq_tensor_create(device->context, dtype, rank, shape, tensor));
    TRY(clq_tensor_size_bytes(&(*tensor)->dl_tensor, &size_bytes));
    return noted(clEnqueueFillBuffer(device->queue, (*tensor)->dl_tensor.data, &zero, sizeof zero, 0,
                                     size_bytes, 0, NULL, NULL),
                 "clEnqueueFillBuffer");
}

DLTensor rows_of(const DLManagedTensor *tensor, int64_t first, int64_t count, int64_t width, int64_t shape[2])
{
    DLTensor view = tensor->dl_tensor;

    shape[0] = count;
    shape[1] = width;
    view.ndim = 2;
    view.shape = shape;
    view.strides = NULL;
    view.byte_offset += (uint64_t)(first * width) * view.dtype.bits / 8;
    return view;
}
