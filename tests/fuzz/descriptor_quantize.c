/* Any descriptor at clq_quantize: the check must answer, and rightly.
 *
 * The bytes make a call that is right and then spoil it. Whether it is right still is decided here a second
 * time, with 128-bit numbers. A call that is right must give the reference's bytes; one that is not must be
 * refused with a sentence; and every other byte of every buffer must stay as it was. With libFuzzer (clang)
 * this throws bytes; other compilers' programs replay a corpus, or take random bytes. */
#include "descriptor_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLDS(law, ...)                                                                                      \
    do {                                                                                                     \
        if (!(law)) {                                                                                        \
            fprintf(stderr, "does not hold: %s: ", #law);                                                    \
            fprintf(stderr, __VA_ARGS__);                                                                    \
            fprintf(stderr, "\n");                                                                           \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* The buffers that tensors may stand in. The fourth is a part of the first. */
enum { BUFFERS = 5, PART = 3, PART_BEGIN = 1024 };
static const size_t sizes[BUFFERS] = {4096, 1024, 256, 1024, 1};
static struct {
    cl_mem mem;
    unsigned char *image;
} buffers[BUFFERS];

static clq_context *context;
static cl_command_queue queue;

struct input {
    const uint8_t *data;
    size_t size;
};

static unsigned take(struct input *in)
{
    if (in->size == 0)
        return 0;
    in->size--;
    return *in->data++;
}

/* Small numbers, those at which sizes wrap, or any. */
static int64_t take_value(struct input *in)
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

static void start(void)
{
    const cl_buffer_region part = {PART_BEGIN, sizes[PART]};
    uint32_t state = 1;
    cl_int status = CL_SUCCESS;

    HOLDS(clq_context_create(NULL, &context) == CLQ_OK, "%s", clq_error_detail());
    queue = clCreateCommandQueue(clq_context_cl(context), clq_context_device(context), 0, &status);
    HOLDS(status == CL_SUCCESS, "queue");
    for (int b = 0; b < BUFFERS; b++) {
        if (b == PART) {
            buffers[b].image = buffers[0].image + PART_BEGIN;
            buffers[b].mem = clCreateSubBuffer(buffers[0].mem, CL_MEM_READ_WRITE,
                                               CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
            HOLDS(status == CL_SUCCESS, "part");
            continue;
        }
        buffers[b].image = malloc(sizes[b]);
        HOLDS(buffers[b].image != NULL, "memory");
        for (size_t i = 0; i < sizes[b]; i++)
            buffers[b].image[i] = (unsigned char)((state = state * 1664525 + 1013904223) >> 24);
        buffers[b].mem = clCreateBuffer(clq_context_cl(context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                        sizes[b], buffers[b].image, &status);
        HOLDS(status == CL_SUCCESS, "buffer");
    }
}

static DLDataType take_dtype(struct input *in)
{
    static const DLDataType dtypes[] = {
        {kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLBfloat, 16, 1}, {kDLInt, 8, 1},    {kDLUInt, 8, 1},
        {kDLInt, 32, 1},   {kDLInt, 4, 1},    {kDLInt, 4, 2},     {kDLInt, 4, 8},    {kDLInt, 64, 1},
        {kDLInt, 4, 4},    {kDLUInt, 4, 2},   {kDLFloat, 64, 1},  {kDLFloat, 32, 2}, {kDLInt, 4, 0},
        {kDLInt, 16, 1},   {kDLBfloat, 8, 1}, {kDLInt, 4, 16},
    };

    return dtypes[take(in) % (sizeof(dtypes) / sizeof(dtypes[0]))];
}

/* A call that is right, if its tensors fit into their buffers. */
static void make_call(struct call *c, struct input *in)
{
    static const DLDataType floats[] = {{kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLBfloat, 16, 1}};
    static const DLDataType zeros[] = {{kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLBfloat, 16, 1},
                                       {kDLInt, 8, 1},    {kDLUInt, 8, 1},   {kDLInt, 32, 1}};
    static const DLDataType outputs[] = {{kDLInt, 8, 1}, {kDLUInt, 8, 1}, {kDLInt, 32, 1},
                                         {kDLInt, 4, 1}, {kDLInt, 4, 2},  {kDLInt, 4, 8}};
    static const int places[TENSORS] = {0, 1, 2, 1};
    const unsigned types = take(in), more = take(in), counts = take(in);

    memset(c, 0, sizeof(*c));
    for (int t = 0; t < TENSORS; t++) {
        c->buffer[t] = places[t];
        c->tensor[t].device.device_type = kDLOpenCL;
        c->tensor[t].shape = c->shape[t];
    }
    c->tensor[X].dtype = floats[types % 3];
    c->tensor[SCALES].dtype = floats[types / 3 % 3];
    c->tensor[ZERO_POINTS].dtype = zeros[more % 6];
    c->tensor[Y].dtype = outputs[more / 6 % 6];
    c->tensor[Y].byte_offset = 256;
    c->tensor[X].ndim = c->tensor[Y].ndim = (int)(counts % 9);
    c->desc.mode = counts / 9 % 2;
    for (int d = 0; d < c->tensor[X].ndim; d++)
        c->shape[X][d] = c->shape[Y][d] = take(in) % 8;
    if (c->tensor[X].ndim > 0 && c->tensor[Y].dtype.bits == 4) {
        const int last = c->tensor[X].ndim - 1;

        c->shape[X][last] *= c->tensor[Y].dtype.lanes == 8 ? 8 : 2;
        c->shape[Y][last] = c->shape[X][last] / c->tensor[Y].dtype.lanes;
    }
    c->desc.axis = c->tensor[X].ndim > 0 ? (int)(take(in) % (unsigned)c->tensor[X].ndim) : 0;
    c->tensor[SCALES].ndim = c->tensor[ZERO_POINTS].ndim = 1;
    c->shape[SCALES][0] = counts & 64 && c->tensor[X].ndim > 0 ? c->shape[X][c->desc.axis] : 1;
    c->shape[ZERO_POINTS][0] = counts & 128 && c->tensor[X].ndim > 0 ? c->shape[X][c->desc.axis] : 1;
    c->absent[ZERO_POINTS] = types & 128;
}

static void spoil_tensor(struct call *c, int t, unsigned what, struct input *in)
{
    DLTensor *tensor = &c->tensor[t];
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
        c->shape[t][d] = take_value(in);
        break;
    case 4:
    case 5:
    case 6:
        if (!tensor->strides) { /* as they are, where that can be said */
            uint64_t stride = 1;

            tensor->strides = c->strides[t];
            for (int i = tensor->ndim > 0 && tensor->ndim < 9 ? tensor->ndim - 1 : 8; i >= 0; i--) {
                c->strides[t][i] = (int64_t)stride;
                stride *= (uint64_t)c->shape[t][i];
            }
        }
        c->strides[t][d] = take_value(in);
        break;
    case 7:
        tensor->byte_offset = (uint64_t)take_value(in);
        break;
    case 8:
        c->buffer[t] = (int)(take(in) % (BUFFERS + 1)) - 1;
        break;
    case 9:
        c->absent[t] = d > 0;
        break;
    case 10:
        tensor->shape = d > 6 ? NULL : c->shape[t];
        break;
    default:
        tensor->device.device_type = d > 6 ? kDLCPU : kDLOpenCL;
    }
}

static void spoil(struct call *c, struct input *in)
{
    while (in->size > 0) {
        const unsigned where = take(in);

        if (where < 220) {
            spoil_tensor(c, (int)(where % TENSORS), where / TENSORS % 12, in);
            continue;
        }
        switch (where % 3) {
        case 0:
            c->desc.axis = (int32_t)take_value(in);
            break;
        case 1:
            c->desc.mode = (uint32_t)take_value(in);
            break;
        default:
            c->desc.reserved[take(in) % 4] = (uint64_t)take_value(in);
        }
    }
}

static void finish_call(struct call *c)
{
    const DLTensor **fields[TENSORS] = {
        [X] = &c->desc.x, [SCALES] = &c->desc.scales, [ZERO_POINTS] = &c->desc.zero_points, [Y] = &c->desc.y};

    for (int t = 0; t < TENSORS; t++) {
        const int b = c->buffer[t];

        c->tensor[t].data = b < 0 ? NULL : buffers[b].mem;
        c->memory[t] = (struct memory){.present = b >= 0,
                                       .root = b == PART ? 0 : b,
                                       .begin = b == PART ? PART_BEGIN : 0,
                                       .size = b < 0 ? 0 : sizes[b],
                                       .image = b < 0 ? NULL : buffers[b].image};
        *fields[t] = c->absent[t] ? NULL : &c->tensor[t];
    }
}

/* The images of whole buffers are what the device holds. */
static void compare_buffers(const char *detail)
{
    unsigned char bytes[4096];

    for (int b = 0; b < BUFFERS; b++) {
        if (b == PART)
            continue;
        HOLDS(clEnqueueReadBuffer(queue, buffers[b].mem, CL_TRUE, 0, sizes[b], bytes, 0, NULL, NULL) ==
                  CL_SUCCESS,
              "reading back");
        HOLDS(memcmp(bytes, buffers[b].image, sizes[b]) == 0, "buffer %d after \"%s\"", b, detail);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct call c;
    clq_status status;
    bool right;

    if (!context)
        start();
    make_call(&c, &in);
    spoil(&c, &in);
    finish_call(&c);
    right = is_right(&c);
    status = clq_quantize(context, queue, &c.desc, 0, NULL, NULL);
    HOLDS(right == (status == CLQ_OK), "%s: %s", clq_status_name(status),
          status == CLQ_OK ? "" : clq_error_detail());
    if (right) {
        compute(&c);
        compare_buffers("");
    } else {
        HOLDS(status <= CLQ_ERROR_NULL && status >= CLQ_ERROR_OVERLAP, "%s", clq_status_name(status));
        HOLDS(strlen(clq_error_detail()) > 15, "\"%s\"", clq_error_detail());
    }
    if (!right && size % 16 == 0) /* reading back is most of the work */
        compare_buffers(clq_error_detail());
    return 0;
}
