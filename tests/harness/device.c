/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENT_OFFSET = 0x5a };

bool device_of(struct device *device, clq_context *context)
{
    cl_int code = CL_SUCCESS;
    cl_uint align_bits = 0;

    *device = (struct device){.context = context};
    device->cl = clq_context_cl(context);
    device->id = clq_context_device(context);
    clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof device->platform, &device->platform, NULL);
    clGetDeviceInfo(device->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits, &align_bits, NULL);
    device->align = align_bits >= 8 ? align_bits / 8 : 1;
    device->queue = clCreateCommandQueue(device->cl, device->id, 0, &code);
    return code == CL_SUCCESS;
}

void device_close(struct device *device)
{
    if (device->queue != NULL)
        clReleaseCommandQueue(device->queue);
    clq_context_destroy(device->context);
}

static void add(struct placed *placed, struct tensor *tensor)
{
    if (tensor->memory.bytes != NULL)
        placed->buffers[placed->count++] = (struct placed_buffer){.memory = &tensor->memory};
}

/* So many of the buffers in one, a part each, or one that is the whole. */
static bool make_whole(struct placed *placed, struct placed_buffer *buffers, int count, bool parts)
{
    const size_t align = placed->device->align;
    size_t size = 0;
    unsigned char *bytes;
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    cl_mem whole = NULL;

    for (int i = 0; i < count; i++) {
        buffers[i].beside = parts ? align : 0;
        buffers[i].origin = (size + buffers[i].beside + align - 1) / align * align;
        size = buffers[i].origin + buffers[i].memory->size + buffers[i].beside;
    }
    bytes = malloc(size);
    if (bytes == NULL)
        return false;
    memset(bytes, ELEMENT_OFFSET, size);
    for (int i = 0; i < count; i++)
        memcpy(bytes + buffers[i].origin, buffers[i].memory->bytes, buffers[i].memory->size);
    whole = clCreateBuffer(placed->device->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, bytes, &code);
    free(bytes);
    for (int i = 0; i < count && code == CL_SUCCESS; i++) {
        buffers[i].whole = whole;
        if (i > 0)
            clRetainMemObject(whole);
        if (parts)
            buffers[i].part =
                clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                  &(cl_buffer_region){buffers[i].origin, buffers[i].memory->size}, &code);
    }
    return code == CL_SUCCESS;
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
    const int64_t mode = rng_below(&call->rng, 8);
    bool good = true;

    placed->device = device;
    placed->call = call;
    placed->count = 0;
    for (int t = 0; t < OPERATOR_MOST_TENSORS; t++)
        add(placed, &call->tensors[t]);
    add(placed, &call->report);
    add(placed, &call->workspace);
    if (mode == 0)
        good = make_whole(placed, placed->buffers, placed->count, true);
    for (int i = 0; i < placed->count && good && mode != 0; i++)
        good = make_whole(placed, &placed->buffers[i], 1, mode == 1);
    return good ? call_bind(call, &placed->bound, buffer_of, placed) : NULL;
}

static bool is_beside(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != ELEMENT_OFFSET)
            return false;
    return true;
}

static bool read_one(const struct placed *placed, const struct placed_buffer *buffer, char *failure,
                     size_t failure_bytes)
{
    const size_t size = buffer->memory->size, watched = size + 2 * buffer->beside;
    unsigned char *bytes = malloc(watched);
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    bool good = false;

    if (bytes != NULL)
        code = clEnqueueReadBuffer(placed->device->queue, buffer->whole, CL_TRUE,
                                   buffer->origin - buffer->beside, watched, bytes, 0, NULL, NULL);
    if (code != CL_SUCCESS) {
        snprintf(failure, failure_bytes, "reading a buffer: OpenCL answers %s", clq_status_name(code));
    } else {
        memcpy(buffer->memory->bytes, bytes + buffer->beside, size);
        good = is_beside(bytes, buffer->beside) && is_beside(bytes + buffer->beside + size, buffer->beside);
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

size_t placed_bindings(const struct operator_row *op, const void *of, struct clq_binding *bindings)
{
    const unsigned char *desc = of;
    const size_t words[] = {op->report, op->workspace};
    size_t count = 0;

    for (const struct operand *operand = op->operands; operand->name != NULL; operand++) {
        const DLTensor *tensor;

        memcpy(&tensor, desc + operand->at, sizeof tensor);
        if (tensor != NULL && tensor->data != NULL)
            bindings[count++] = (struct clq_binding){operand->at, tensor->data, tensor->byte_offset};
    }
    for (size_t i = 0; i < 2; i++) {
        struct clq_binding binding = {.field = words[i]};

        if (words[i] == 0)
            continue;
        memcpy(&binding.buffer, desc + words[i], sizeof binding.buffer);
        memcpy(&binding.offset_bytes, desc + words[i] + sizeof(cl_mem), sizeof binding.offset_bytes);
        if (binding.buffer != NULL)
            bindings[count++] = binding;
    }
    return count;
}
