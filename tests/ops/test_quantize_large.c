/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs past what a cache holds, and past 2^31 elements: a small x that repeats, and an int4 y of a little
 * over 1 GiB. */
#include "quantize_case.h"

#include <string.h>

enum { PERIOD = 7 };
#define ROW_BYTES (INT64_C(1) << 15)
#define ROWS      ((INT64_C(1) << 15) + 3) /* of 2^16 elements: 2^31 and three rows */

/* Makes y's buffer with marked guards, runs the call, and maps the buffer. */
static unsigned char *run(const struct clq_quantize_desc *desc, DLTensor *y, size_t size_bytes, cl_mem *mem)
{
    static const unsigned char mark = 0x5a;
    cl_event done = NULL;
    unsigned char *bytes;
    cl_int status;

    *mem = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, size_bytes, NULL, &status);
    expect_cl(status, "clCreateBuffer");
    expect_cl(clEnqueueFillBuffer(harness.queue, *mem, &mark, 1, 0, size_bytes, 0, NULL, NULL),
              "clEnqueueFillBuffer");
    y->data = *mem;
    expect_status(clq_quantize(harness.context, harness.queue, desc, 0, NULL, &done), CLQ_OK, "clq_quantize");
    expect_cl(clWaitForEvents(1, &done), "clWaitForEvents");
    clReleaseEvent(done);
    bytes =
        clEnqueueMapBuffer(harness.queue, *mem, CL_TRUE, CL_MAP_READ, 0, size_bytes, 0, NULL, NULL, &status);
    expect_cl(status, "clEnqueueMapBuffer");
    for (size_t i = 0; i < GUARD; i++)
        assert_true(bytes[i] == mark && bytes[size_bytes - 1 - i] == mark);
    return bytes;
}

static void release(cl_mem mem, void *bytes)
{
    expect_cl(clEnqueueUnmapMemObject(harness.queue, mem, bytes, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    expect_cl(clFinish(harness.queue), "clFinish");
    clReleaseMemObject(mem);
}

/* A row that every row of x repeats, and a scale for each row: the rows of y repeat with the scales. */
static void rows_past_2_31(void **state)
{
    const size_t size_bytes = (size_t)(ROWS * ROW_BYTES) + 2 * GUARD;
    const struct quantize_types types = {.x = REFERENCE_F16, .scale = REFERENCE_F32, .y = REFERENCE_I4};
    const struct quantize_shape period = {2, {PERIOD, 2 * ROW_BYTES}, 0, PERIOD, 0};
    struct quantize_case c = quantize_case_of("a period of rows", &types, &period);
    struct quantize_tensors t;
    struct tensor scales;
    int64_t shape[2] = {ROWS, 2 * ROW_BYTES}, strides[2] = {0, 1};
    struct layout scales_layout = layout_dense(REFERENCE_F32, 1, 1, shape);
    DLTensor x, y;
    unsigned char *bytes;
    cl_mem mem;

    (void)state;
    if (harness.small || !buffer_fits(size_bytes))
        skip();
    layout_stride(&c.x);
    c.x.strides[0] = 0;
    quantize_tensors_init(&t, &c);
    quantize_tensors_fill(&t, &c);
    quantize_tensors_expect(&t, &c, t.y.image);
    tensor_init(&scales, &scales_layout);
    for (int64_t row = 0; row < ROWS; row++)
        memcpy(scales.image + scales.dl.byte_offset + 4 * row,
               t.scales.image + t.scales.dl.byte_offset + 4 * (row % PERIOD), 4);
    assert_true(tensor_upload(&t.x, harness.queue) && tensor_upload(&scales, harness.queue));
    x = t.x.dl;
    x.shape = shape;
    x.strides = strides;
    y = t.y.dl;
    y.shape = shape;
    y.byte_offset = GUARD;
    bytes = run(&(struct clq_quantize_desc){.x = &x, .scales = &scales.dl, .y = &y, .axis = CLQ_AXIS_FIRST},
                &y, size_bytes, &mem);
    for (int64_t row = 0; row < ROWS; row++)
        if (memcmp(bytes + GUARD + row * ROW_BYTES, t.y.image + t.y.dl.byte_offset + row % PERIOD * ROW_BYTES,
                   ROW_BYTES) != 0)
            fail_msg("row %lld of %lld differs", (long long)row, (long long)ROWS);
    release(mem, bytes);
    tensor_clear(&scales);
    quantize_tensors_clear(&t);
}

/* One element that repeats over a single dimension of more than 2^31. */
static void one_dimension_past_2_31(void **state)
{
    int64_t shape[1] = {ROWS * 2 * ROW_BYTES}, stride[1] = {0}, one[1] = {1};
    const size_t size_bytes = (size_t)shape[0] / 2 + 2 * GUARD;
    const struct layout layout = layout_dense(REFERENCE_F32, 1, 1, one);
    struct tensor x, scale;
    DLTensor y = {
        .device.device_type = kDLOpenCL, .ndim = 1, .dtype = CLQ_INT4, .shape = shape, .byte_offset = GUARD};
    unsigned char *bytes;
    cl_mem mem;

    (void)state;
    if (harness.small || !buffer_fits(size_bytes))
        skip();
    tensor_init(&x, &layout);
    tensor_init(&scale, &layout);
    tensor_set(&x, 0, -5.0);
    tensor_set(&scale, 0, 2.0); /* -2.5: -2, 0xe */
    assert_true(tensor_upload(&x, harness.queue) && tensor_upload(&scale, harness.queue));
    x.dl.shape = shape;
    x.dl.strides = stride;
    bytes = run(&(struct clq_quantize_desc){.x = &x.dl, .scales = &scale.dl, .y = &y}, &y, size_bytes, &mem);
    assert_int_equal(bytes[GUARD], 0xee);
    if (memcmp(bytes + GUARD, bytes + GUARD + 1, (size_t)shape[0] / 2 - 1) != 0)
        fail_msg("some element differs");
    release(mem, bytes);
    tensor_clear(&x);
    tensor_clear(&scale);
}

/* Compares every row of y with the one that the reference computed, and what stands between them with the
 * mark. */
static void expect_rows(const unsigned char *bytes, int64_t rows, size_t stride_bytes,
                        const struct tensor *row)
{
    const size_t row_bytes = row->size_bytes - 2 * GUARD;

    for (int64_t r = 0; r < rows; r++) {
        const unsigned char *at = bytes + GUARD + (size_t)r * stride_bytes;

        if (memcmp(at, row->image + GUARD, row_bytes) != 0)
            fail_msg("row %lld of %lld differs", (long long)r, (long long)rows);
        for (size_t i = row_bytes; i < stride_bytes && r < rows - 1; i++)
            assert_int_equal(at[i], 0x5a);
    }
}

/* One row that repeats, into rows that begin everywhere in a line of the cache, until y has 9 MiB. */
static void check_past_caches(const struct quantize_types *types, int64_t inner, int64_t gap, int parameters)
{
    const int64_t per_element = parameters > 0 ? inner : 1;
    const struct quantize_shape shape = {2, {1, inner}, 1, per_element, parameters > 1 ? inner : 0};
    struct quantize_case c = quantize_case_of("past the caches", types, &shape);
    struct quantize_tensors t;
    int64_t strides[2] = {inner + gap, 1}, repeat[2] = {0, 1}, long_shape[2];
    struct clq_quantize_desc desc;
    size_t stride_bytes, size_bytes;
    unsigned char *bytes;
    DLTensor x, y;
    cl_mem mem;

    quantize_tensors_init(&t, &c);
    quantize_tensors_fill(&t, &c);
    quantize_tensors_expect(&t, &c, t.y.image);
    assert_true(tensor_upload(&t.x, harness.queue) && tensor_upload(&t.scales, harness.queue));
    assert_true(!c.has_zero_points || tensor_upload(&t.zero_points, harness.queue));
    desc = quantize_desc_of(&t, &c);
    stride_bytes = (size_t)strides[0] * type_bytes(types->y) / (size_t)reference_unit_values(types->y, 1);
    long_shape[0] = (int64_t)((9u << 20) / stride_bytes);
    long_shape[1] = inner;
    size_bytes = (size_t)(long_shape[0] - 1) * stride_bytes + t.y.size_bytes;
    x = t.x.dl;
    x.shape = long_shape;
    x.strides = repeat;
    y = t.y.dl;
    y.shape = long_shape;
    y.strides = strides;
    desc.x = &x;
    desc.y = &y;
    bytes = run(&desc, &y, size_bytes, &mem);
    expect_rows(bytes, long_shape[0], stride_bytes, &t.y);
    release(mem, bytes);
    quantize_tensors_clear(&t);
}

/* Where an output is larger than a cache its stores may pass it by: whole lines of some rows, the ends of
 * all. */
static void outputs_past_the_caches(void **state)
{
    static const enum reference_type xs[] = {FLOAT_TYPES};
    static const enum reference_type ys[] = {QUANTIZED_TYPES};
    static const int64_t inners[] = {302, 4096, 5002, 40010}, gaps[] = {0, 2, 78};

    (void)state;
    if (harness.small)
        skip();
    for (size_t i = 0; i < 3 * COUNT(ys) * 2 * 3; i++) {
        const struct quantize_types types = {
            .x = xs[i % 3], .y = ys[i / 3 % COUNT(ys)], .multiply = i / 3 / COUNT(ys) % 2};

        for (size_t k = 0; k < COUNT(inners); k++) { /* packed int4 wants even strides */
            const int64_t gap = gaps[(i + k) % 3], odd = !reference_shares_bytes(types.y, 1) && gap > 0;

            check_past_caches(&types, inners[k], gap + odd, (int)(i / 6 / COUNT(ys)));
        }
    }
}

/* The same for short rows that share their scales, in and out of line. */
static void short_rows_past_the_caches(void **state)
{
    static const struct {
        struct quantize_types types;
        int64_t columns, before;
        bool zero_points;
    } cases[] = {
        {{REFERENCE_F16, REFERENCE_F32, REFERENCE_F32, REFERENCE_I8, 1, false}, 128, 0, false},
        {{REFERENCE_F16, REFERENCE_F32, REFERENCE_F32, REFERENCE_I8, 1, false}, 192, 1, true},
        {{REFERENCE_F32, REFERENCE_F32, REFERENCE_F32, REFERENCE_I4, 1, true}, 384, 0, true},
        {{REFERENCE_BF16, REFERENCE_F32, REFERENCE_F32, REFERENCE_I32, 1, false}, 64, 0, false},
        {{REFERENCE_BF16, REFERENCE_F32, REFERENCE_F32, REFERENCE_I32, 1, false}, 320, 3, false},
    };

    (void)state;
    if (harness.small)
        skip();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const size_t eighths = (size_t)reference_types[cases[i].types.y].bits;
        const int64_t rows = (int64_t)((9u << 20) * 8 / eighths) / cases[i].columns;
        const struct quantize_shape shape = {
            2, {rows, cases[i].columns}, 1, cases[i].columns, cases[i].zero_points ? cases[i].columns : 0};
        struct quantize_case c = quantize_case_of("short rows past the caches", &cases[i].types, &shape);

        c.y.before = cases[i].before;
        expect_match(&c);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_past_the_caches), cmocka_unit_test(short_rows_past_the_caches),
        cmocka_unit_test(rows_past_2_31), cmocka_unit_test(one_dimension_past_2_31)};

    return HARNESS_RUN(argc, argv, "quantize large", tests);
}
