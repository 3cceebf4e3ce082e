/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include "on_stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BESIDE = 0x5a };

bool device_open(struct device *device, const struct clq_context_desc *desc)
{
    cl_int code = CL_SUCCESS;
    cl_uint align_bits = 0;

    *device = (struct device){.runs_kernels = true};
    if (clq_context_create(desc, &device->context) != CLQ_OK) {
        fprintf(stderr, "%s\n", clq_error_detail());
        return false;
    }
    device->cl = clq_context_cl(device->context);
    device->id = clq_context_device(device->context);
    clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof device->platform, &device->platform, NULL);
    clGetDeviceInfo(device->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits, &align_bits, NULL);
    device->align = align_bits >= 8 ? align_bits / 8 : 1;
    on_stub_install(device->platform);
    device->queue = clCreateCommandQueue(device->cl, device->id, 0, &code);
    return code == CL_SUCCESS;
}

void device_close(struct device *device)
{
    if (device->queue != NULL)
        clReleaseCommandQueue(device->queue);
    clq_context_destroy(device->context);
}

static cl_mem make_whole(const struct device *device, const struct placed_buffer *buffer)
{
    const size_t size = buffer->memory->size + 2 * buffer->before;
    unsigned char *bytes = malloc(size);
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    cl_mem made = NULL;

    if (bytes == NULL)
        return NULL;
    memset(bytes, BESIDE, size);
    memcpy(bytes + buffer->before, buffer->memory->bytes, buffer->memory->size);
    made = clCreateBuffer(device->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, bytes, &code);
    free(bytes);
    return code == CL_SUCCESS ? made : NULL;
}

static bool add(struct placed *placed, struct tensor *tensor)
{
    struct placed_buffer *buffer = &placed->buffers[placed->count];
    cl_int code = CL_SUCCESS;

    if (tensor->memory.bytes == NULL)
        return true;
    *buffer = (struct placed_buffer){.memory = &tensor->memory};
    if (rng_once_in(&placed->call->rng, 6))
        buffer->before = placed->device->align;
    buffer->whole = make_whole(placed->device, buffer);
    placed->count++;
    if (buffer->whole != NULL && buffer->before > 0)
        buffer->part = clCreateSubBuffer(buffer->whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                         &(cl_buffer_region){buffer->before, tensor->memory.size}, &code);
    return buffer->whole != NULL && code == CL_SUCCESS;
}

static cl_mem buffer_of(const struct memory *memory, uint64_t *offset_bytes, void *user)
{
    const struct placed *placed = user;

    (void)offset_bytes;
    for (int i = 0; i < placed->count; i++)
        if (placed->buffers[i].memory == memory)
            return placed->buffers[i].part != NULL ? placed->buffers[i].part : placed->buffers[i].whole;
    return NULL;
}

const void *placed_make(struct placed *placed, const struct device *device, struct call *call)
{
    bool good = true;

    placed->device = device;
    placed->call = call;
    placed->count = 0;
    for (int t = 0; t < OPERATOR_MOST_TENSORS && good; t++)
        good = add(placed, &call->tensors[t]);
    good = good && add(placed, &call->report) && add(placed, &call->workspace);
    return good ? call_bind(call, &placed->bound, buffer_of, placed) : NULL;
}

static bool is_beside(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != BESIDE)
            return false;
    return true;
}

static bool read_one(const struct placed *placed, const struct placed_buffer *buffer, char *failure,
                     size_t failure_bytes)
{
    const size_t size = buffer->memory->size, whole = size + 2 * buffer->before;
    unsigned char *bytes = malloc(whole);
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    bool good = false;

    if (bytes != NULL)
        code = clEnqueueReadBuffer(placed->device->queue, buffer->whole, CL_TRUE, 0, whole, bytes, 0, NULL,
                                   NULL);
    if (code != CL_SUCCESS) {
        snprintf(failure, failure_bytes, "reading a buffer: OpenCL answers %s", clq_status_name(code));
    } else {
        memcpy(buffer->memory->bytes, bytes + buffer->before, size);
        good = is_beside(bytes, buffer->before) && is_beside(bytes + buffer->before + size, buffer->before);
        if (!good)
            snprintf(failure, failure_bytes, "bytes beside a sub-buffer were written");
    }
    free(bytes);
    return good;
}

bool placed_read(struct placed *placed, char *failure, size_t failure_bytes)
{
    bool good = true;

    for (int i = 0; i < placed->count && good; i++)
        good = read_one(placed, &placed->buffers[i], failure, failure_bytes);
    return good;
}

void placed_clear(struct placed *placed)
{
    for (int i = 0; i < placed->count; i++) {
        if (placed->buffers[i].part != NULL)
            clReleaseMemObject(placed->buffers[i].part);
        if (placed->buffers[i].whole != NULL)
            clReleaseMemObject(placed->buffers[i].whole);
    }
    placed->count = 0;
}
