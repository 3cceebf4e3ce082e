/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, and bytes that make and spoil tensors. */
#include "descriptor_call.h"

#include <string.h>

enum { PART = 3, PART_BEGIN = 1024 };
static const size_t sizes[BUFFERS] = {4096, 1024, 256, 1024, 1, 2560};
static struct {
    cl_mem mem;
    unsigned char *image;
} buffers[BUFFERS];

unsigned take(struct input *in)
{
    if (in->size == 0)
        return 0;
    in->size--;
    return *in->data++;
}

int64_t take_value(struct input *in)
{
    static const int64_t edges[] = {-1,
                                    INT64_C(1) << 31,
                                    (INT64_C(1) << 31) - 1,
                                    (INT64_C(1) << 31) + 1,
                                    INT64_C(1) << 32,
                                    (INT64_C(1) << 32) - 1,
                                    (INT64_C(1) << 32) + 1,
                                    INT64_C(1) << 60,
                                    INT64_C(1) << 61,
                                    INT64_C(1) << 62,
                                    INT64_MAX,
                                    INT64_MAX - 1,
                                    INT64_MAX / 2 + 1,
                                    INT64_MAX / 4 + 1,
                                    INT64_MIN,
                                    INT32_MIN,
                                    4096,
                                    1024};
    const unsigned kind = take(in);
    uint64_t value = 0;

    if (kind < 192)
        return kind % 64;
    if (kind < 240)
        return edges[kind % (sizeof(edges) / sizeof(edges[0]))];
    for (int i = 0; i < 8; i++)
        value = value << 8 | take(in);
    return (int64_t)value;
}

/* Words that are small, and now and then -1 or far out, as int32 and as int64. */
static void fill_indices(unsigned char *image, uint32_t state)
{
    for (size_t i = 0; i + 8 <= sizes[BUFFER_INDICES]; i += 8) {
        int64_t value = (state = state * 1664525 + 1013904223) >> 28;

        value = value == 15 ? -1 : value == 14 ? INT64_MIN : value == 13 ? INT64_C(1) << 32 : value % 5;
        memcpy(image + i, &value, 8);
    }
}

static void make_buffer(int b, cl_context context, uint32_t *state)
{
    cl_int status = CL_SUCCESS;

    buffers[b].image = malloc(sizes[b]);
    HOLDS(buffers[b].image != NULL, "memory");
    for (size_t i = 0; i < sizes[b]; i++)
        buffers[b].image[i] = (unsigned char)((*state = *state * 1664525 + 1013904223) >> 24);
    if (b == BUFFER_INDICES)
        fill_indices(buffers[b].image, *state);
    buffers[b].mem = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizes[b],
                                    buffers[b].image, &status);
    HOLDS(status == CL_SUCCESS, "buffer");
}

const struct device *device(void)
{
    static struct device made;
    const cl_buffer_region part = {PART_BEGIN, sizes[PART]};
    uint32_t state = 1;
    cl_int status = CL_SUCCESS;

    if (made.context)
        return &made;
    HOLDS(clq_context_create(NULL, &made.context) == CLQ_OK, "%s", clq_error_detail());
    made.queue =
        clCreateCommandQueue(clq_context_cl(made.context), clq_context_device(made.context), 0, &status);
    HOLDS(status == CL_SUCCESS, "queue");
    for (int b = 0; b < BUFFERS; b++)
        if (b != PART)
            make_buffer(b, clq_context_cl(made.context), &state);
    buffers[PART].image = buffers[0].image + PART_BEGIN;
    buffers[PART].mem =
        clCreateSubBuffer(buffers[0].mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
    HOLDS(status == CL_SUCCESS, "part");
    return &made;
}

cl_mem buffer_of(int buffer)
{
    return buffer < 0 ? NULL : buffers[buffer].mem;
}

struct memory memory_of(int buffer)
{
    return (struct memory){.present = buffer >= 0,
                           .root = buffer == PART ? 0 : buffer,
                           .begin = buffer == PART ? PART_BEGIN : 0,
                           .size = buffer < 0 ? 0 : sizes[buffer],
                           .image = buffer < 0 ? NULL : buffers[buffer].image};
}

void compare_buffers(const char *detail)
{
    unsigned char bytes[4096];

    for (int b = 0; b < BUFFERS; b++) {
        if (b == PART)
            continue;
        HOLDS(clEnqueueReadBuffer(device()->queue, buffers[b].mem, CL_TRUE, 0, sizes[b], bytes, 0, NULL,
                                  NULL) == CL_SUCCESS,
              "reading back");
        HOLDS(memcmp(bytes, buffers[b].image, sizes[b]) == 0, "buffer %d after \"%s\"", b, detail);
    }
}

void forget_bytes(const struct slot *slot, const struct shape *shape)
{
    HOLDS(clEnqueueReadBuffer(device()->queue, buffers[slot->buffer].mem, CL_TRUE, slot->tensor.byte_offset,
                              (size_t)shape->extent, slot->memory.image + slot->tensor.byte_offset, 0, NULL,
                              NULL) == CL_SUCCESS,
          "reading back");
}

const DLDataType parameter_dtypes[PARAMETERS] = {{kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLBfloat, 16, 1},
                                                 {kDLInt, 8, 1},    {kDLUInt, 8, 1},   {kDLInt, 32, 1}};
const DLDataType stored_dtypes[STORED] = {{kDLInt, 8, 1}, {kDLUInt, 8, 1}, {kDLInt, 32, 1},
                                          {kDLInt, 4, 1}, {kDLInt, 4, 2},  {kDLInt, 4, 8}};
const DLDataType grouped_dtypes[GROUPED] = {{kDLInt, 8, 1}, {kDLInt, 4, 1}, {kDLInt, 4, 2}, {kDLInt, 4, 8}};

int64_t values_of(DLDataType dtype)
{
    return dtype.lanes == 8 ? 8 : dtype.bits == 4 ? 2 : 1;
}

DLDataType take_dtype(struct input *in)
{
    static const DLDataType dtypes[] = {
        {kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLBfloat, 16, 1}, {kDLInt, 8, 1},    {kDLUInt, 8, 1},
        {kDLInt, 32, 1},   {kDLInt, 4, 1},    {kDLInt, 4, 2},     {kDLInt, 4, 8},    {kDLInt, 64, 1},
        {kDLInt, 4, 4},    {kDLUInt, 4, 2},   {kDLFloat, 64, 1},  {kDLFloat, 32, 2}, {kDLInt, 4, 0},
        {kDLInt, 16, 1},   {kDLBfloat, 8, 1}, {kDLInt, 4, 16},
    };

    return dtypes[take(in) % (sizeof(dtypes) / sizeof(dtypes[0]))];
}

void slot_init(struct slot *slot, int buffer)
{
    *slot = (struct slot){.buffer = buffer};
    slot->tensor.device.device_type = kDLOpenCL;
    slot->tensor.shape = slot->shape;
}

/* As they are, where that can be said. */
static void give_strides(struct slot *slot)
{
    DLTensor *tensor = &slot->tensor;
    uint64_t stride = 1;

    if (tensor->strides)
        return;
    tensor->strides = slot->strides;
    for (int i = tensor->ndim > 0 && tensor->ndim < 9 ? tensor->ndim - 1 : 8; i >= 0; i--) {
        slot->strides[i] = (int64_t)stride;
        stride *= (uint64_t)slot->shape[i];
    }
}

void slot_spoil(struct slot *slot, unsigned what, int among, struct input *in)
{
    DLTensor *tensor = &slot->tensor;
    const unsigned d = take(in) % 9;

    switch (what) {
    case 0:
        tensor->dtype = take_dtype(in);
        break;
    case 1:
        tensor->ndim = (int)take_value(in);
        break;
    case 2:
    case 3:
        slot->shape[d] = take_value(in);
        break;
    case 4:
    case 5:
    case 6:
        give_strides(slot);
        slot->strides[d] = take_value(in);
        break;
    case 7:
        tensor->byte_offset = (uint64_t)take_value(in);
        break;
    case 8:
        slot->buffer = (int)(take(in) % (unsigned)(among + 1)) - 1;
        break;
    case 9:
        slot->absent = d > 0;
        break;
    case 10:
        tensor->shape = d > 6 ? NULL : slot->shape;
        break;
    default:
        tensor->device.device_type = d > 6 ? kDLCPU : kDLOpenCL;
    }
}

const DLTensor *slot_finish(struct slot *slot)
{
    slot->tensor.data = buffer_of(slot->buffer);
    slot->memory = memory_of(slot->buffer);
    return slot->absent ? NULL : &slot->tensor;
}

void report_add(const struct slot *slot, const struct reference_report *report)
{
    uint32_t words[4];

    if (slot->buffer < 0)
        return;
    memcpy(words, slot->memory.image + slot->tensor.byte_offset, sizeof(words));
    words[0] += report->dropped;
    words[1] += report->clamped;
    if (report->first != 0 && (words[2] == 0 || report->first < words[2]))
        words[2] = report->first;
    memcpy(slot->memory.image + slot->tensor.byte_offset, words, sizeof(words));
}

void expect_answer(bool right, clq_status status)
{
    HOLDS(right == (status == CLQ_OK), "%s: %s", clq_status_name(status),
          status == CLQ_OK ? "" : clq_error_detail());
}

void expect_refused(clq_status status, bool compares)
{
    HOLDS(status <= CLQ_ERROR_NULL && status >= CLQ_ERROR_OVERLAP, "%s", clq_status_name(status));
    HOLDS(strlen(clq_error_detail()) > 15, "\"%s\"", clq_error_detail());
    if (compares)
        compare_buffers(clq_error_detail());
}
