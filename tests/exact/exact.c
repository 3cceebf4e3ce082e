/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a batch and looks for the first difference. */
#include "exact.h"

#include <stdlib.h>
#include <string.h>

float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static cl_mem buffer_of(size_t size_bytes, const void *bytes)
{
    cl_int status;
    const cl_mem mem = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE | (bytes ? CL_MEM_COPY_HOST_PTR : 0),
                                      size_bytes, (void *)bytes, &status);

    expect_cl(status, "clCreateBuffer");
    return mem;
}

static DLTensor tensor_over(cl_mem mem, enum reference_type type, int rank, int64_t *shape, int64_t *strides)
{
    return (DLTensor){.data = mem,
                      .device.device_type = kDLOpenCL,
                      .ndim = rank,
                      .dtype = dtype_of(type, 1),
                      .shape = shape,
                      .strides = strides};
}

/* The bytes of y: those that the device computed. */
static unsigned char *run(const struct batch *b, size_t y_bytes)
{
    int64_t shape[2] = {b->rows, b->inner}, strides[2] = {b->repeat_x ? 0 : b->inner, 1};
    int64_t scales_shape[1] = {b->scale_each ? b->inner : b->rows};
    const size_t x_bytes = (size_t)((b->repeat_x ? 1 : b->rows) * b->inner) * type_bytes(b->x_type);
    const DLTensor x = tensor_over(buffer_of(x_bytes, b->x), b->x_type, 2, shape, strides);
    const DLTensor scales = tensor_over(buffer_of((size_t)scales_shape[0] * sizeof(float), b->scales),
                                        REFERENCE_F32, 1, scales_shape, NULL);
    const DLTensor zero = tensor_over(buffer_of(sizeof(float), b->zero_point), REFERENCE_F32, 0, NULL, NULL);
    const DLTensor y = tensor_over(buffer_of(y_bytes, NULL), b->y_type, 2, shape, NULL);
    const struct clq_quantize_desc desc = {.x = &x,
                                           .scales = &scales,
                                           .zero_points = b->zero_point ? &zero : NULL,
                                           .y = &y,
                                           .axis = b->scale_each ? 1 : 0,
                                           .mode = b->multiply ? CLQ_MULTIPLY : CLQ_DIVIDE};
    unsigned char *bytes = malloc(y_bytes);

    assert_non_null(bytes);
    expect_status(clq_quantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK, "clq_quantize");
    expect_cl(clEnqueueReadBuffer(harness.queue, y.data, CL_TRUE, 0, y_bytes, bytes, 0, NULL, NULL),
              "clEnqueueReadBuffer");
    clReleaseMemObject(x.data);
    clReleaseMemObject(scales.data);
    clReleaseMemObject(zero.data);
    clReleaseMemObject(y.data);
    return bytes;
}

static float x_at(const struct batch *b, int64_t i)
{
    if (b->x_type == REFERENCE_F32)
        return ((const float *)b->x)[i];
    if (b->x_type == REFERENCE_F16)
        return reference_widen_f16(((const uint16_t *)b->x)[i]);
    return reference_widen_bf16(((const uint16_t *)b->x)[i]);
}

static int32_t y_at(const struct batch *b, const unsigned char *bytes, int64_t i)
{
    int32_t word;
    int nibble;

    switch (b->y_type) {
    case REFERENCE_I8:
        return ((const int8_t *)bytes)[i];
    case REFERENCE_U8:
        return bytes[i];
    case REFERENCE_I4:
        nibble = i % 2 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15;
        return nibble < 8 ? nibble : nibble - 16;
    default:
        memcpy(&word, bytes + 4 * i, 4);
        return word;
    }
}

void expect_exact(const struct batch *b)
{
    const int64_t count = b->rows * b->inner;
    unsigned char *bytes =
        run(b, b->y_type == REFERENCE_I4 ? (size_t)count / 2 : (size_t)count * type_bytes(b->y_type));

    for (int64_t row = 0; row < b->rows; row++) {
        for (int64_t i = 0; i < b->inner; i++) {
            const float x = x_at(b, b->repeat_x ? i : row * b->inner + i);
            const float scale = b->scales[b->scale_each ? i : row];
            const int32_t q = reference_quantize_one(x, scale, b->zero_point, b->multiply, b->y_type);
            const int32_t got = y_at(b, bytes, row * b->inner + i);

            if (got != q)
                fail_msg("%s: x %a (0x%08x) %s scale %a (0x%08x)%s%a to %s gave %d, not %d",
                         type_name(b->x_type), (double)x, bits_of(x), b->multiply ? "*" : "/", (double)scale,
                         bits_of(scale), b->zero_point ? " + " : " no zero point ",
                         b->zero_point ? (double)*b->zero_point : 0.0, type_name(b->y_type), got, q);
        }
    }
    free(bytes);
}
