/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each rule of finding scales: the status and the sentence of the refusal, and nothing written. */
#include "refused.h"

enum { X, SCALES, ZERO_POINTS, BUFFERS };

static const unsigned char fillings[BUFFERS] = {[X] = 0x40, [SCALES] = 0x41, [ZERO_POINTS] = 0x42};

/* A call that is right, for a row to spoil: minmax of float32 (4, 8) along the last axis, for int8. */
struct call {
    clq_context *context;
    cl_command_queue queue;
    cl_mem buffers[BUFFERS];
    int64_t x_shape[9], scales_shape[3], zero_points_shape[3];
    int64_t strides[2];
    DLTensor x, scales, zero_points;
    struct clq_find_scales_desc given;
    const struct clq_find_scales_desc *desc;
    cl_uint num_wait;
    const cl_event *wait;
};

static void make_call(struct call *c)
{
    *c = (struct call){.context = harness.context,
                       .queue = harness.queue,
                       .x_shape = {4, 8},
                       .scales_shape = {8, 1, 1},
                       .zero_points_shape = {8, 1, 1},
                       .strides = {8, 1}};
    refused_make(c->buffers, fillings, BUFFERS);
    c->x = refused_tensor(c->buffers[X], CLQ_FLOAT32, 2, c->x_shape);
    c->scales = refused_tensor(c->buffers[SCALES], CLQ_FLOAT32, 1, c->scales_shape);
    c->zero_points = refused_tensor(c->buffers[ZERO_POINTS], CLQ_INT8, 1, c->zero_points_shape);
    c->given = (struct clq_find_scales_desc){.x = &c->x,
                                             .scales = &c->scales,
                                             .zero_points = &c->zero_points,
                                             .dtype = CLQ_INT8,
                                             .axis = -1,
                                             .method = CLQ_MINMAX};
    c->desc = &c->given;
}

SPOIL_ANY
SPOIL(reserved, c->given.reserved[3] = 1)
SPOIL(method, c->given.method = 2)
SPOIL(mode, c->given.mode = 2)
SPOIL(dtype_int32, c->given.dtype = CLQ_INT32)
SPOIL(dtype_float, c->given.dtype = CLQ_FLOAT16)
SPOIL(dtype_none, c->given.dtype = CLQ_DTYPE(kDLInt, 8, 0))
SPOIL(dtype_pairs, c->given.dtype = CLQ_DTYPE(kDLInt, 8, 2))
SPOIL(no_x, c->given.x = NULL)
SPOIL(no_scales, c->given.scales = NULL)
SPOIL(no_zero_points, c->given.zero_points = NULL)
SPOIL(no_zero_points_uint8, c->given.zero_points = NULL; c->given.dtype = CLQ_UINT8;
      c->given.method = CLQ_ABSMAX)
SPOIL(x_data, c->x.data = NULL)
SPOIL(scales_data, c->scales.data = NULL)
SPOIL(zero_points_shapeless, c->zero_points.shape = NULL)
SPOIL(scales_host, c->scales.device.device_type = kDLCPU)
SPOIL(x_int8, c->x.dtype = CLQ_INT8)
SPOIL(scales_half, c->scales.dtype = CLQ_FLOAT16)
SPOIL(zero_points_uint8, c->zero_points.dtype = CLQ_UINT8)
SPOIL(zero_points_int8, c->given.dtype = CLQ_UINT8)
SPOIL(zero_points_uint8_int4, c->given.dtype = CLQ_INT4_WORDS; c->zero_points.dtype = CLQ_UINT8)
SPOIL(zero_points_half, c->zero_points.dtype = CLQ_FLOAT16)
SPOIL(x_deep, c->x.ndim = 9)
SPOIL(scales_cube, c->scales.ndim = 3)
SPOIL(zero_points_cube, c->zero_points.ndim = 3)
SPOIL(one_scale_cube, c->scales.ndim = 3; c->scales_shape[0] = c->zero_points_shape[0] = 1)
SPOIL(one_zero_point_cube, c->zero_points.ndim = 3; c->scales_shape[0] = c->zero_points_shape[0] = 1)
SPOIL(x_point, c->x.ndim = 0)
SPOIL(scales_few, c->scales_shape[0] = 7; c->zero_points_shape[0] = 7)
SPOIL(scales_none, c->scales_shape[0] = 0; c->zero_points_shape[0] = 0)
SPOIL(scales_across, c->scales.ndim = 2; c->scales_shape[0] = 8; c->scales_shape[1] = 1)
SPOIL(zero_points_across, c->zero_points.ndim = 2)
SPOIL(zero_points_few, c->zero_points_shape[0] = 1)
SPOIL(zero_points_many, c->scales_shape[0] = 1)
SPOIL(axis_high, c->given.axis = 2)
SPOIL(axis_low, c->given.axis = -3)
SPOIL(negative_size, c->x_shape[0] = -4)
SPOIL(negative_stride, c->x.strides = c->strides; c->strides[0] = -1)
SPOIL(scales_repeat, c->scales.strides = c->strides; c->strides[0] = 0)
SPOIL(zero_points_repeat, c->zero_points.strides = c->strides; c->strides[0] = 0)
SPOIL(x_offset, c->x.byte_offset = 2)
SPOIL(scales_offset, c->scales.byte_offset = 6)
SPOIL(zero_points_offset, c->zero_points.dtype = CLQ_INT32; c->zero_points.byte_offset = 1)
SPOIL(x_end, c->x.byte_offset = REFUSED_BYTES - 124)
SPOIL(scales_end, c->scales.byte_offset = REFUSED_BYTES - 28)
SPOIL(zero_points_end, c->zero_points.byte_offset = REFUSED_BYTES - 7)
SPOIL(x_huge, c->x_shape[0] = INT64_MAX / 4)
SPOIL(scales_in_x, c->scales.data = c->buffers[X]; c->scales.byte_offset = 124)
SPOIL(zero_points_in_x, c->zero_points.data = c->buffers[X]; c->zero_points.byte_offset = 127)
SPOIL(zero_points_in_scales, c->zero_points.data = c->buffers[SCALES]; c->zero_points.byte_offset = 31)
SPOIL(empty_x_scales_end, c->x_shape[0] = 0; c->scales.byte_offset = REFUSED_BYTES - 28)

static const struct refused_row rows[] = {
    ROWS_OF_ANY,
    {"a field of the future", reserved, CLQ_ERROR_VALUE,
     "desc.reserved[3] is not 0: this library knows no such field"},
    {"an unknown method", method, CLQ_ERROR_VALUE,
     "method is 2: it must be CLQ_ABSMAX (0) or CLQ_MINMAX (1)"},
    {"an unknown mode", mode, CLQ_ERROR_VALUE, "mode is 2: it must be CLQ_DIVIDE (0) or CLQ_MULTIPLY (1)"},
    {"for int32", dtype_int32, CLQ_ERROR_TYPE, "dtype is int32: it must be int8, uint8 or int4"},
    {"for float16", dtype_float, CLQ_ERROR_TYPE, "dtype is float16: it must be int8, uint8 or int4"},
    {"for int8 of no lane", dtype_none, CLQ_ERROR_TYPE,
     "dtype is (code 0, bits 8, lanes 0): it must be int8, uint8 or int4"},
    {"for pairs of int8", dtype_pairs, CLQ_ERROR_TYPE,
     "dtype is (code 0, bits 8, lanes 2): it must be int8, uint8 or int4"},
    {"no x", no_x, CLQ_ERROR_NULL, "x is NULL: it must be a tensor"},
    {"no scales", no_scales, CLQ_ERROR_NULL, "scales is NULL: it must be a tensor"},
    {"no zero points for minmax", no_zero_points, CLQ_ERROR_NULL,
     "zero_points is NULL: minmax has a zero point for each scale"},
    {"no zero points for uint8", no_zero_points_uint8, CLQ_ERROR_NULL,
     "zero_points is NULL: absmax has the zero point 128 for uint8"},
    {"x without data", x_data, CLQ_ERROR_NULL, "x.data is NULL: it must be a cl_mem"},
    {"scales without data", scales_data, CLQ_ERROR_NULL, "scales.data is NULL: it must be a cl_mem"},
    {"zero points without a shape", zero_points_shapeless, CLQ_ERROR_NULL,
     "zero_points.shape is NULL: it must have 1 values"},
    {"scales on the host", scales_host, CLQ_ERROR_VALUE,
     "scales.device.device_type is 1: it must be kDLOpenCL (4), whose data is a cl_mem"},
    {"x of int8", x_int8, CLQ_ERROR_TYPE, "x.dtype is int8: " FLOATS},
    {"scales of float16", scales_half, CLQ_ERROR_TYPE, "scales.dtype is float16: it must be float32"},
    {"uint8 zero points for int8", zero_points_uint8, CLQ_ERROR_TYPE,
     "zero_points.dtype is uint8: it must be float32, int8 or int32"},
    {"int8 zero points for uint8", zero_points_int8, CLQ_ERROR_TYPE,
     "zero_points.dtype is int8: it must be float32, uint8 or int32"},
    {"uint8 zero points for int4", zero_points_uint8_int4, CLQ_ERROR_TYPE,
     "zero_points.dtype is uint8: it must be float32, int8 or int32"},
    {"zero points of float16", zero_points_half, CLQ_ERROR_TYPE,
     "zero_points.dtype is float16: it must be float32, int8 or int32"},
    {"x of rank 9", x_deep, CLQ_ERROR_RANK, "x.ndim is 9: it must be from 0 to 8"},
    {"scales of rank 3", scales_cube, CLQ_ERROR_RANK,
     "scales.ndim is 3: it must be 0, 1 or the rank of x, 2"},
    {"zero points of rank 3", zero_points_cube, CLQ_ERROR_RANK,
     "zero_points.ndim is 3: it must be 0, 1 or the rank of x, 2"},
    {"one scale of rank 3", one_scale_cube, CLQ_ERROR_RANK,
     "scales.ndim is 3: it must be 0, 1 or the rank of x, 2"},
    {"one zero point of rank 3", one_zero_point_cube, CLQ_ERROR_RANK,
     "zero_points.ndim is 3: it must be 0, 1 or the rank of x, 2"},
    {"scales of a number alone", x_point, CLQ_ERROR_RANK,
     "x.ndim is 0: scales must then have 1 element, not 8"},
    {"too few scales", scales_few, CLQ_ERROR_SHAPE,
     "scales has 7 elements: axis is 1, so it must have 1, or 8 as x.shape[1]"},
    {"no scales along an axis", scales_none, CLQ_ERROR_SHAPE,
     "scales has 0 elements: axis is 1, so it must have 1, or 8 as x.shape[1]"},
    {"scales along another axis", scales_across, CLQ_ERROR_SHAPE,
     "scales.shape[0] is 8: axis is 1, and every other dimension must be 1"},
    {"zero points along another axis", zero_points_across, CLQ_ERROR_SHAPE,
     "zero_points.shape[0] is 8: axis is 1, and every other dimension must be 1"},
    {"one zero point for all scales", zero_points_few, CLQ_ERROR_SHAPE,
     "zero_points has 1 elements: it must have as many as scales, 8"},
    {"zero points for one scale", zero_points_many, CLQ_ERROR_SHAPE,
     "zero_points has 8 elements: it must have as many as scales, 1"},
    {"an axis at the rank", axis_high, CLQ_ERROR_AXIS,
     "axis is 2: it must be from -2 to 1, for x has 2 dimensions"},
    {"an axis below minus the rank", axis_low, CLQ_ERROR_AXIS,
     "axis is -3: it must be from -2 to 1, for x has 2 dimensions"},
    {"a negative size", negative_size, CLQ_ERROR_SHAPE, "x.shape[0] is -4: it must not be negative"},
    {"a negative stride", negative_stride, CLQ_ERROR_LAYOUT, "x.strides[0] is -1: it must not be negative"},
    {"scales in one place", scales_repeat, CLQ_ERROR_OVERLAP, "scales.strides[0] is 0" OVERLAPS "1" SPAN},
    {"zero points in one place", zero_points_repeat, CLQ_ERROR_OVERLAP,
     "zero_points.strides[0] is 0" OVERLAPS "1" SPAN},
    {"an offset within x's float32", x_offset, CLQ_ERROR_LAYOUT,
     "x.byte_offset is 2: it must be a multiple of the element's 4 bytes"},
    {"an offset within a scale", scales_offset, CLQ_ERROR_LAYOUT,
     "scales.byte_offset is 6: it must be a multiple of the element's 4 bytes"},
    {"an offset within a zero point", zero_points_offset, CLQ_ERROR_LAYOUT,
     "zero_points.byte_offset is 1: it must be a multiple of the element's 4 bytes"},
    {"x past its buffer", x_end, CLQ_ERROR_SIZE, SHORT("x") "65540"},
    {"scales past their buffer", scales_end, CLQ_ERROR_SIZE, SHORT("scales") "65540"},
    {"zero points past their buffer", zero_points_end, CLQ_ERROR_SIZE, SHORT("zero_points") "65537"},
    {"x of 2^64", x_huge, CLQ_ERROR_OVERFLOW,
     "x has more than 2^63 elements: the product of its shape must fit into 63 bits"},
    {"scales in x", scales_in_x, CLQ_ERROR_OVERLAP, DISJOINT("scales", "x")},
    {"zero points in x", zero_points_in_x, CLQ_ERROR_OVERLAP, DISJOINT("zero_points", "x")},
    {"zero points in scales", zero_points_in_scales, CLQ_ERROR_OVERLAP, DISJOINT("scales", "zero_points")},
    {"scales of nothing past their buffer", empty_x_scales_end, CLQ_ERROR_SIZE, SHORT("scales") "65540"},
};

static void refuses(void **state)
{
    const struct refused_row *row = *state;
    cl_event done = NULL;
    struct call c;

    make_call(&c);
    row->spoil(&c);
    refused_expect(clq_find_scales(c.context, c.queue, c.desc, c.num_wait, c.wait, &done), row->status,
                   row->sentence, row->name);
    refused_expect_check(clq_find_scales_check(c.desc), row);
    if (c.queue && !c.num_wait && !c.wait)
        refused_expect(clq_find_scales_build(c.context, c.desc), row->status, row->sentence,
                       "clq_find_scales_build");
    refused_expect_nothing(&done, c.buffers, fillings, BUFFERS);
    refused_release(c.buffers, BUFFERS);
}

/* Else no row would say anything. A type that is left zero is int8. */
static void the_call_itself_is_right(void **state)
{
    struct call c;

    (void)state;
    make_call(&c);
    c.given.dtype = (DLDataType){0, 0, 0};
    expect_status(clq_find_scales(c.context, c.queue, c.desc, 0, NULL, NULL), CLQ_OK, "the call");
    expect_cl(clFinish(harness.queue), "clFinish");
    assert_false(refused_untouched(c.buffers[SCALES], fillings[SCALES]));
    assert_false(refused_untouched(c.buffers[ZERO_POINTS], fillings[ZERO_POINTS]));
    assert_true(refused_untouched(c.buffers[X], fillings[X]));
    refused_release(c.buffers, BUFFERS);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[COUNT(rows) + 1];

    tests[0] = (struct CMUnitTest)cmocka_unit_test(the_call_itself_is_right);
    refused_tests(tests + 1, rows, COUNT(rows), refuses);
    return HARNESS_RUN(argc, argv, "bad_input_scales", tests);
}
