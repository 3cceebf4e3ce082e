/* SPDX-License-Identifier: Apache-2.0 */
/* The device, and how a kernel is built and enqueued. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

static const char source[] = {
#include "llm_kernels_cl.inc"
};

clq_status noted(clq_status status, const char *call)
{
    return status == CLQ_OK
               ? status
               : clq_error_set(status, "%s failed with %s (%d)", call, clq_status_name(status), (int)status);
}

clq_status device_build(const struct device *device, const char *text, size_t length, const char *options,
                        cl_program *program)
{
    const cl_device_id id = clq_context_device(device->context);
    char log[256] = "";
    clq_status status = CLQ_OK;

    *program = clCreateProgramWithSource(clq_context_cl(device->context), 1, &text, &length, &status);
    TRY(noted(status, "clCreateProgramWithSource"));
    status = clBuildProgram(*program, 1, &id, options, NULL, NULL);
    if (status == CLQ_OK)
        return CLQ_OK;
    clGetProgramBuildInfo(*program, id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    return clq_error_set(status, "a kernel of the example does not build: %s", log);
}

clq_status device_create(struct device *device, const char *text)
{
    static const char *const names[] = {[EMBED] = "embed",
                                        [RMS_NORM] = "rms_norm",
                                        [TURN_AND_SPLIT] = "turn_and_split",
                                        [SWIGLU] = "swiglu",
                                        [COMPARE] = "compare"};
    const int64_t one = 1;
    clq_status status = CLQ_OK;
    char options[64];

    *device = (struct device){0};
    TRY(clq_context_create(&(struct clq_context_desc){.device_text = text}, &device->context));
    TRY(clq_queue_create(device->context, 0, &device->queue));
    TRY(noted(clGetDeviceInfo(clq_context_device(device->context), CL_DEVICE_NAME, sizeof device->name - 1,
                              device->name, NULL),
              "clGetDeviceInfo"));
    snprintf(options, sizeof options, "-cl-std=CL1.2 -D GROUP=%d", GROUP);
    TRY(device_build(device, source, sizeof source, options, &device->program));
    for (int i = 0; i < NUM_KERNELS; i++) {
        device->kernels[i] = clCreateKernel(device->program, names[i], &status);
        TRY(noted(status, names[i]));
    }
    return device_tensor(device, CLQ_INT32, 1, &one, &device->zero);
}

void device_destroy(struct device *device)
{
    for (size_t i = 0; i < device->num_tensors; i++)
        clq_tensor_destroy(device->tensors[i]);
    free(device->tensors);
    for (int i = 0; i < NUM_KERNELS; i++)
        if (device->kernels[i] != NULL)
            clReleaseKernel(device->kernels[i]);
    if (device->program != NULL)
        clReleaseProgram(device->program);
    clq_queue_destroy(device->queue);
    clq_context_destroy(device->context);
}

clq_status device_tensor(struct device *device, DLDataType dtype, int rank, const int64_t *shape,
                         DLManagedTensor **tensor)
{
    DLManagedTensor **tensors = realloc(device->tensors, (device->num_tensors + 1) * sizeof *tensors);
    const cl_uchar zero = 0;
    size_t size_bytes = 0;

    if (tensors == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for another tensor");
    device->tensors = tensors;
    TRY(clq_tensor_create(device->context, dtype, rank, shape, tensor));
    tensors[device->num_tensors++] = *tensor;
    TRY(clq_tensor_size_bytes(&(*tensor)->dl_tensor, &size_bytes));
    return noted(clEnqueueFillBuffer(device->queue, (*tensor)->dl_tensor.data, &zero, sizeof zero, 0,
                                     size_bytes, 0, NULL, NULL),
                 "clEnqueueFillBuffer");
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
