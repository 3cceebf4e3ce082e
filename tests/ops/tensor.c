/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers with guards, and their images. */
#include "tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *type_name(enum reference_type type)
{
    return reference_types[type].name;
}

size_t type_bytes(enum reference_type type)
{
    return (size_t)reference_unit_bytes(type, 1);
}

DLDataType dtype_of(enum reference_type type, int lanes)
{
    const struct reference_type_row *row = &reference_types[type];

    return (DLDataType){(uint8_t)row->dlpack_code, (uint8_t)row->bits, (uint16_t)(lanes ? lanes : 1)};
}

static size_t layout_element_bytes(const struct layout *layout)
{
    return (size_t)reference_unit_bytes(layout->type, layout->lanes);
}

struct layout layout_dense(enum reference_type type, int lanes, int rank, const int64_t *shape)
{
    struct layout layout = {.type = type, .lanes = lanes, .rank = rank};

    for (int d = 0; d < rank; d++)
        layout.shape[d] = shape[d];
    layout.before = GUARD / (int64_t)layout_element_bytes(&layout);
    layout.behind = GUARD;
    return layout;
}

static void layout_stride(struct layout *layout)
{
    int64_t stride = 1;

    for (int d = layout->rank - 1; d >= 0; d--) {
        layout->strides[d] = stride;
        stride *= layout->shape[d];
    }
    layout->strided = true;
}

/* The bytes from the first element to the end of the last. */
static int64_t span_bytes(const struct layout *layout)
{
    struct layout walked = *layout;
    int64_t last = 0;

    if (!walked.strided)
        layout_stride(&walked);
    for (int d = 0; d < walked.rank; d++) {
        if (walked.shape[d] == 0)
            return 0;
        last += (walked.shape[d] - 1) * walked.strides[d];
    }
    if (reference_shares_bytes(walked.type, walked.lanes))
        return last / 2 + 1;
    return (last + 1) * (int64_t)layout_element_bytes(&walked);
}

void tensor_init(struct tensor *tensor, const struct layout *layout)
{
    const int64_t offset = layout->before * (int64_t)layout_element_bytes(layout);
    const int64_t size = offset + span_bytes(layout) + layout->behind;

    memset(tensor, 0, sizeof(*tensor));
    tensor->layout = *layout;
    tensor->size_bytes = size > 0 ? (size_t)size : 1;
    if (harness.roomy && tensor->size_bytes < 4096)
        tensor->size_bytes = 4096;
    tensor->image = calloc(tensor->size_bytes, 1);
    if (!tensor->image)
        abort();
    tensor->dl = (DLTensor){
        .device.device_type = kDLOpenCL,
        .ndim = layout->rank,
        .dtype = dtype_of(layout->type, layout->lanes),
        .shape = tensor->layout.shape,
        .strides = layout->strided ? tensor->layout.strides : NULL,
        .byte_offset = (uint64_t)offset,
    };
}

void tensor_clear(struct tensor *tensor)
{
    if (tensor->mem)
        clReleaseMemObject(tensor->mem);
    free(tensor->image);
    memset(tensor, 0, sizeof(*tensor));
}

struct reference_tensor tensor_reference(const struct tensor *tensor, unsigned char *image)
{
    const struct layout *layout = &tensor->layout;
    struct reference_tensor reference =
        reference_dense(layout->type, layout->lanes, layout->rank, layout->shape,
                        image ? image + tensor->dl.byte_offset : NULL);

    if (layout->strided)
        memcpy(reference.strides, layout->strides, sizeof(reference.strides));
    return reference;
}

static bool tensor_send(struct tensor *tensor, cl_command_queue queue, const unsigned char *bytes,
                        cl_event *sent)
{
    cl_context context = NULL;
    cl_int status = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL);

    if (tensor->mem && sent == NULL)
        status = harness_write(queue, tensor->mem, 0, tensor->size_bytes, bytes);
    else if (tensor->mem)
        status =
            clEnqueueWriteBuffer(queue, tensor->mem, CL_FALSE, 0, tensor->size_bytes, bytes, 0, NULL, sent);
    else if (status == CL_SUCCESS)
        tensor->mem = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, tensor->size_bytes,
                                     (void *)bytes, &status);
    tensor->dl.data = tensor->mem;
    if (status != CL_SUCCESS)
        fprintf(stderr, "a buffer of %zu bytes: %s\n", tensor->size_bytes, clq_status_name(status));
    return status == CL_SUCCESS;
}

bool tensor_upload(struct tensor *tensor, cl_command_queue queue)
{
    return tensor_send(tensor, queue, tensor->image, NULL);
}

bool tensor_fill(struct tensor *tensor, cl_command_queue queue, int filling)
{
    unsigned char *bytes = malloc(tensor->size_bytes);
    bool good;

    if (!bytes)
        abort();
    memset(bytes, filling, tensor->size_bytes);
    good = tensor_send(tensor, queue, bytes, NULL);
    free(bytes);
    return good;
}

static bool tensor_fetch(const struct tensor *tensor, cl_command_queue queue, unsigned char *bytes,
                         const cl_event *after, cl_event *fetched, const char *what)
{
    const cl_int status = clEnqueueReadBuffer(queue, tensor->mem, fetched == NULL, 0, tensor->size_bytes,
                                              bytes, after ? 1 : 0, after, fetched);

    if (status != CL_SUCCESS)
        fprintf(stderr, "%s: reading back: %s\n", what, clq_status_name(status));
    return status == CL_SUCCESS;
}

static bool tensor_equal(const struct tensor *tensor, const unsigned char *bytes, const unsigned char *image,
                         const char *what)
{
    size_t at = 0;

    if (memcmp(bytes, image, tensor->size_bytes) == 0)
        return true;
    while (bytes[at] == image[at])
        at++;
    fprintf(stderr, "%s: byte %zu of %zu (the first element is at %zu) is 0x%02x, not 0x%02x\n", what, at,
            tensor->size_bytes, (size_t)tensor->dl.byte_offset, bytes[at], image[at]);
    return false;
}

bool tensor_holds(const struct tensor *tensor, cl_command_queue queue, const unsigned char *image,
                  const char *what)
{
    unsigned char *bytes = malloc(tensor->size_bytes);
    bool same;

    if (!bytes)
        abort();
    same = tensor_fetch(tensor, queue, bytes, NULL, NULL, what) && tensor_equal(tensor, bytes, image, what);
    free(bytes);
    return same;
}

int64_t tensor_slots(const struct tensor *tensor)
{
    const size_t bytes = type_bytes(tensor->layout.type);
    const size_t first = tensor->dl.byte_offset % bytes;

    return tensor->size_bytes < first ? 0 : (int64_t)((tensor->size_bytes - first) / bytes);
}

/* Integers are cut, not rounded, and of those that share a byte it is the byte that is set. A NaN of float32
 * keeps its bits. */
static void set(unsigned char *at, enum reference_type type, double value)
{
    const enum reference_type stored = reference_shares_bytes(type, 1) ? REFERENCE_I8 : type;
    const struct reference_type_row *row = &reference_types[stored];
    const double cut = value < row->lowest ? row->lowest : value > row->highest ? row->highest : value;
    const float wide = (float)value;

    if (stored == REFERENCE_F32)
        memcpy(at, &wide, sizeof(wide));
    else if (row->integer && value == value)
        reference_put_code((uint64_t)(int64_t)cut, stored, at);
    else
        reference_put_code(row->round(row, wide), stored, at);
}

void tensor_set_slot(struct tensor *tensor, int64_t slot, double value)
{
    const size_t bytes = type_bytes(tensor->layout.type);

    set(tensor->image + tensor->dl.byte_offset % bytes + (size_t)slot * bytes, tensor->layout.type, value);
}

void tensor_set(struct tensor *tensor, int64_t position, double value)
{
    const struct layout *layout = &tensor->layout;
    int64_t at = layout->strided ? 0 : position;

    for (int d = layout->rank - 1; layout->strided && d >= 0; d--) {
        at += position % layout->shape[d] * layout->strides[d];
        position /= layout->shape[d];
    }
    set(tensor->image + tensor->dl.byte_offset + (size_t)at * type_bytes(layout->type), layout->type, value);
}

bool buffer_fits(size_t size_bytes)
{
    cl_ulong most = 0;

    expect_cl(clGetDeviceInfo(harness.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most), &most, NULL),
              "clGetDeviceInfo");
    if (most >= size_bytes)
        return true;
    print_message("the device's largest buffer has %llu bytes, and this test needs %zu\n",
                  (unsigned long long)most, size_bytes);
    return false;
}
