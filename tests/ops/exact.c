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

cl_mem exact_buffer(size_t size_bytes, const void *bytes)
{
    cl_int status;
    const cl_mem mem = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE | (bytes ? CL_MEM_COPY_HOST_PTR : 0),
                                      size_bytes, (void *)bytes, &status);

    expect_cl(status, "clCreateBuffer");
    return mem;
}

DLTensor exact_tensor(cl_mem mem, enum reference_type type, int rank, int64_t *shape, int64_t *strides)
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
    const DLTensor x = exact_tensor(exact_buffer(x_bytes, b->x), b->x_type, 2, shape, strides);
    const DLTensor scales = exact_tensor(exact_buffer((size_t)scales_shape[0] * sizeof(float), b->scales),
                                         REFERENCE_F32, 1, scales_shape, NULL);
    const DLTensor zero =
        exact_tensor(exact_buffer(sizeof(float), b->zero_point), REFERENCE_F32, 0, NULL, NULL);
    const DLTensor y = exact_tensor(exact_buffer(y_bytes, NULL), b->y_type, 2, shape, NULL);
    const struct clq_quantize_desc desc = {.x = &x,
                                           .scales = &scales,
                                           .zero_points = b->zero_point ? &zero : NULL,
                                           .y = &y,
                                           .axis = b->scale_each ? 1 : CLQ_AXIS_FIRST,
                                           .mode = b->multiply ? CLQ_MULTIPLY : CLQ_DIVIDE,
                                           .round_first = b->round_first};
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

void expect_exact(const struct batch *b)
{
    const int64_t count = b->rows * b->inner;
    const struct reference_tensor x = reference_dense(b->x_type, 1, 1, &count, (void *)b->x);
    const struct reference_type_row *type = &reference_types[b->y_type];
    unsigned char *bytes = run(b, (size_t)(count * type->bits / 8));
    const struct reference_tensor y = reference_dense(b->y_type, 1, 1, &count, bytes);

    for (int64_t row = 0; row < b->rows; row++) {
        for (int64_t i = 0; i < b->inner; i++) {
            const int64_t y_index = row * b->inner + i, x_index = b->repeat_x ? i : y_index;
            const float value = reference_load(&x, &x_index);
            const float scale = b->scales[b->scale_each ? i : row];
            const uint64_t code =
                reference_quantize_one(value, scale, b->zero_point, b->multiply, b->round_first, b->y_type);
            const uint64_t got = reference_load_code(&y, &y_index);

            if (got != code)
                fail_msg("%s: x %a (0x%08x) %s scale %a (0x%08x)%s%a to %s gave %.9g, not %.9g",
                         type_name(b->x_type), (double)value, bits_of(value), b->multiply ? "*" : "/",
                         (double)scale, bits_of(scale), b->zero_point ? " + " : " no zero point ",
                         b->zero_point ? (double)*b->zero_point : 0.0, type->name,
                         (double)reference_read(got, b->y_type), (double)reference_read(code, b->y_type));
        }
    }
    free(bytes);
}
