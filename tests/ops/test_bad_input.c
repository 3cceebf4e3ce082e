/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each rule: the status and the sentence of the refusal, nothing written, no event made. */
#include "refused.h"

#include <stdio.h>
#include <string.h>

/* A call that is right, for a row to spoil: x float32 (4, 6), scales float32 (6), zero points int8 (6), y
 * int8 (4, 6), each 64 bytes into a buffer that ends with it. y's buffer is larger, and has x's in it as far
 * as a row wants. */
struct call {
    clq_context *context;
    cl_command_queue queue;
    DLTensor x, scales, zero_points, y;
    int64_t x_shape[9], scales_shape[9], zero_points_shape[9], y_shape[9];
    int64_t x_strides[9], scales_strides[9], zero_points_strides[9], y_strides[9];
    struct clq_quantize_desc given;
    const struct clq_quantize_desc *desc;
    cl_uint num_wait;
    const cl_event *wait;
};

enum {
    OFFSET = 64,
    Y_BYTES = 1024,
    X_BYTES = OFFSET + 4 * 6 * 4,
    SCALES_BYTES = OFFSET + 6 * 4,
    ZERO_BYTES = OFFSET + 6
};

static cl_mem x_mem, scales_mem, zero_mem, y_mem, y_part;

static DLTensor tensor_of(cl_mem mem, DLDataType dtype, int rank, int64_t *shape)
{
    return (DLTensor){.data = mem,
                      .device.device_type = kDLOpenCL,
                      .ndim = rank,
                      .dtype = dtype,
                      .shape = shape,
                      .byte_offset = OFFSET};
}

static void make_call(struct call *c)
{
    static const int64_t strides[9] = {6, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int64_t shape[9] = {4, 6, 1, 1, 1, 1, 1, 1, 1};

    memset(c, 0, sizeof(*c));
    c->context = harness.context;
    c->queue = harness.queue;
    memcpy(c->x_shape, shape, sizeof(shape));
    memcpy(c->y_shape, shape, sizeof(shape));
    for (int d = 0; d < 9; d++)
        c->scales_shape[d] = c->zero_points_shape[d] = d ? 1 : 6;
    memcpy(c->x_strides, strides, sizeof(strides));
    memcpy(c->y_strides, strides, sizeof(strides));
    memcpy(c->scales_strides, strides + 1, 8 * sizeof(int64_t));
    memcpy(c->zero_points_strides, strides + 1, 8 * sizeof(int64_t));
    c->x = tensor_of(x_mem, CLQ_FLOAT32, 2, c->x_shape);
    c->scales = tensor_of(scales_mem, CLQ_FLOAT32, 1, c->scales_shape);
    c->zero_points = tensor_of(zero_mem, CLQ_INT8, 1, c->zero_points_shape);
    c->y = tensor_of(y_mem, CLQ_INT8, 2, c->y_shape);
    c->given = (struct clq_quantize_desc){
        .x = &c->x, .scales = &c->scales, .zero_points = &c->zero_points, .y = &c->y, .axis = 1};
    c->desc = &c->given;
}

SPOIL_ANY
SPOIL(reserved_field, c->given.reserved[2] = 1)
SPOIL(unknown_mode, c->given.mode = 2)
SPOIL(no_x, c->given.x = NULL)
SPOIL(no_scales, c->given.scales = NULL)
SPOIL(no_y, c->given.y = NULL)
SPOIL(x_without_data, c->x.data = NULL)
SPOIL(y_without_data, c->y.data = NULL)
SPOIL(x_without_shape, c->x.shape = NULL)
SPOIL(x_on_the_host, c->x.device.device_type = kDLCPU)
SPOIL(x_of_int8, c->x.dtype = CLQ_INT8)
SPOIL(x_of_pairs, c->x.dtype = CLQ_DTYPE(kDLFloat, 32, 2))
SPOIL(x_of_float64, c->x.dtype = CLQ_DTYPE(kDLFloat, 64, 1))
SPOIL(scales_of_int8, c->scales.dtype = CLQ_INT8)
SPOIL(zero_points_of_int4, c->zero_points.dtype = CLQ_INT4_BYTES)
SPOIL(zero_points_of_int64, c->zero_points.dtype = CLQ_INT64)
SPOIL(y_of_float32, c->y.dtype = CLQ_FLOAT32)
SPOIL(y_of_int64, c->y.dtype = CLQ_INT64)
SPOIL(y_of_four_nibbles, c->y.dtype = CLQ_DTYPE(kDLInt, 4, 4))
SPOIL(y_of_uint4, c->y.dtype = CLQ_DTYPE(kDLUInt, 4, 2))
SPOIL(x_of_rank_9, c->x.ndim = 9)
SPOIL(x_of_negative_rank, c->x.ndim = -1)
SPOIL(y_of_rank_1, c->y.ndim = 1)
SPOIL(scales_of_rank_3, c->scales.ndim = 3)
SPOIL(one_scale_of_rank_3, c->scales.ndim = 3; c->scales_shape[0] = 1; c->zero_points_shape[0] = 1)
SPOIL(zero_points_of_rank_3, c->zero_points.ndim = 3)
SPOIL(int4_of_rank_0, c->x.ndim = c->y.ndim = 0; c->y.dtype = CLQ_INT4; c->scales.ndim = 0;
      c->given.zero_points = NULL)
SPOIL(scales_for_rank_0, c->x.ndim = c->y.ndim = 0; c->given.zero_points = NULL)
SPOIL(negative_size, c->x_shape[0] = -4)
SPOIL(y_of_other_rows, c->y_shape[0] = 5)
SPOIL(y_of_other_columns, c->y_shape[1] = 7)
SPOIL(y_of_whole_bytes, c->y.dtype = CLQ_INT4_BYTES)
SPOIL(y_of_a_word_too_much, c->y.dtype = CLQ_INT4_WORDS; c->y_shape[1] = 1)
SPOIL(odd_int4, c->x_shape[1] = 5; c->y_shape[1] = 5; c->y.dtype = CLQ_INT4; c->given.axis = CLQ_AXIS_FIRST;
      c->scales_shape[0] = 4; c->zero_points_shape[0] = 1)
SPOIL(five_scales, c->scales_shape[0] = 5)
SPOIL(five_zero_points, c->zero_points_shape[0] = 5)
SPOIL(no_scale_at_all, c->scales_shape[0] = 0)
SPOIL(scales_along_another_axis, c->scales.ndim = 2; c->scales_shape[0] = 6; c->scales_shape[1] = 1)
SPOIL(scales_along_two_axes, c->scales.ndim = 2; c->scales_shape[0] = 2; c->scales_shape[1] = 3)
SPOIL(axis_at_the_rank, c->given.axis = 2)
SPOIL(axis_below_minus_the_rank, c->given.axis = -3)
SPOIL(axis_far_out, c->given.axis = INT32_MIN + 1)
SPOIL(x_strides_negative, c->x.strides = c->x_strides; c->x_strides[1] = -1)
SPOIL(scales_strides_negative, c->scales.strides = c->scales_strides; c->scales_strides[0] = -1)
SPOIL(y_strides_negative, c->y.strides = c->y_strides; c->y_strides[0] = -6)
SPOIL(x_offset_odd, c->x.byte_offset = 62)
SPOIL(half_offset_odd, c->scales.dtype = CLQ_FLOAT16; c->scales.byte_offset = 63)
SPOIL(word_offset_odd, c->y.dtype = CLQ_INT4_WORDS; c->x_shape[1] = 8; c->y_shape[1] = 1;
      c->y.byte_offset = 66; c->x_shape[0] = c->y_shape[0] = 2; c->given.axis = CLQ_AXIS_FIRST;
      c->scales_shape[0] = 2; c->zero_points_shape[0] = 1)
SPOIL(int4_last_stride, c->y.dtype = CLQ_INT4; c->y.strides = c->y_strides; c->y_strides[1] = 2;
      c->y_strides[0] = 12)
SPOIL(int4_odd_stride, c->y.dtype = CLQ_INT4; c->y.strides = c->y_strides; c->y_strides[0] = 7)
SPOIL(x_a_byte_short, c->x.byte_offset = 68)
SPOIL(x_far_out, c->x.byte_offset = INT64_MAX - 1023)
SPOIL(x_strides_too_far, c->x.strides = c->x_strides; c->x_strides[0] = 7)
SPOIL(scales_short, c->scales.byte_offset = 68)
SPOIL(zero_points_short, c->zero_points.byte_offset = 65)
SPOIL(y_short, c->y.byte_offset = Y_BYTES - 23)
SPOIL(shape_overflows, c->x_shape[0] = INT64_C(1) << 32; c->x_shape[1] = INT64_C(1) << 31)
SPOIL(words_overflow, c->y.dtype = CLQ_INT4_WORDS; c->y_shape[1] = INT64_C(1) << 61)
SPOIL(strides_overflow, c->x.strides = c->x_strides; c->x_strides[0] = INT64_C(1) << 62)
SPOIL(bytes_overflow, c->x.strides = c->x_strides; c->x_strides[0] = INT64_C(1) << 60)
SPOIL(offset_past_2_63, c->x.byte_offset = INT64_MAX - 31)
SPOIL(offset_overflows, c->x.byte_offset = UINT64_MAX - 3)
SPOIL(y_repeats, c->y.strides = c->y_strides; c->y_strides[0] = 0)
SPOIL(y_rows_overlap, c->y.strides = c->y_strides; c->y_strides[0] = 5)
SPOIL(y_windows, c->y.strides = c->y_strides; c->y_strides[0] = 1)
SPOIL(y_in_x, c->x.data = y_mem; c->x.byte_offset = OFFSET + 20)
SPOIL(y_is_x, c->x.data = y_mem)
SPOIL(y_in_scales, c->scales.data = y_mem; c->scales.byte_offset = OFFSET - 20)
SPOIL(y_in_zero_points, c->zero_points.data = y_mem; c->zero_points.byte_offset = OFFSET + 23)
SPOIL(y_between_x_rows, c->x.data = y_mem; c->x.strides = c->x_strides; c->x_strides[0] = 20;
      c->y.byte_offset = OFFSET + 24; c->x_shape[0] = c->y_shape[0] = 2)
SPOIL(y_in_x_through_a_part, c->x.data = y_part; c->x.byte_offset = 0; c->y.byte_offset = 512)

static const struct refused_row rows[] = {
    ROWS_OF_ANY,
    {"a reserved field", reserved_field, CLQ_ERROR_VALUE,
     "desc.reserved[2] is not 0: this library knows no such field"},
    {"an unknown mode", unknown_mode, CLQ_ERROR_VALUE,
     "mode is 2: it must be CLQ_DIVIDE (0) or CLQ_MULTIPLY (1)"},
    {"no x", no_x, CLQ_ERROR_NULL, "x is NULL: it must be a tensor"},
    {"no scales", no_scales, CLQ_ERROR_NULL, "scales is NULL: it must be a tensor"},
    {"no y", no_y, CLQ_ERROR_NULL, "y is NULL: it must be a tensor"},
    {"x without data", x_without_data, CLQ_ERROR_NULL, "x.data is NULL: it must be a cl_mem"},
    {"y without data", y_without_data, CLQ_ERROR_NULL, "y.data is NULL: it must be a cl_mem"},
    {"x without a shape", x_without_shape, CLQ_ERROR_NULL, "x.shape is NULL: it must have 2 values"},
    {"x on the host", x_on_the_host, CLQ_ERROR_VALUE,
     "x.device.device_type is 1: it must be kDLOpenCL (4), whose data is a cl_mem"},
    {"x of int8", x_of_int8, CLQ_ERROR_TYPE, "x.dtype is int8: " FLOATS},
    {"x of pairs", x_of_pairs, CLQ_ERROR_TYPE, "x.dtype is (code 2, bits 32, lanes 2): " FLOATS},
    {"x of float64", x_of_float64, CLQ_ERROR_TYPE, "x.dtype is (code 2, bits 64, lanes 1): " FLOATS},
    {"scales of int8", scales_of_int8, CLQ_ERROR_TYPE, "scales.dtype is int8: " FLOATS},
    {"zero points of int4", zero_points_of_int4, CLQ_ERROR_TYPE,
     "zero_points.dtype is int4 in bytes: it must be float32, float16, bfloat16, int8, "
     "uint8 or int32"},
    {"zero points of int64", zero_points_of_int64, CLQ_ERROR_TYPE,
     "zero_points.dtype is int64: it must be float32, float16, bfloat16, int8, "
     "uint8 or int32"},
    {"y of float32", y_of_float32, CLQ_ERROR_TYPE,
     "y.dtype is float32: it must be int8, uint8, int32 or int4"},
    {"y of int64", y_of_int64, CLQ_ERROR_TYPE, "y.dtype is int64: it must be int8, uint8, int32 or int4"},
    {"y of four nibbles", y_of_four_nibbles, CLQ_ERROR_TYPE,
     "y.dtype is (code 0, bits 4, lanes 4): it must be int8, uint8, int32 or int4"},
    {"y of uint4", y_of_uint4, CLQ_ERROR_TYPE,
     "y.dtype is (code 1, bits 4, lanes 2): it must be int8, uint8, int32 or int4"},
    {"x of rank 9", x_of_rank_9, CLQ_ERROR_RANK, "x.ndim is 9: it must be from 0 to 8"},
    {"x of rank -1", x_of_negative_rank, CLQ_ERROR_RANK, "x.ndim is -1: it must be from 0 to 8"},
    {"y of rank 1", y_of_rank_1, CLQ_ERROR_RANK, "y.ndim is 1: it must be the rank of x, 2"},
    {"scales of rank 3", scales_of_rank_3, CLQ_ERROR_RANK,
     "scales.ndim is 3: it must be 0, 1 or the rank of x, 2"},
    {"one scale of rank 3", one_scale_of_rank_3, CLQ_ERROR_RANK,
     "scales.ndim is 3: it must be 0, 1 or the rank of x, 2"},
    {"zero points of rank 3", zero_points_of_rank_3, CLQ_ERROR_RANK,
     "zero_points.ndim is 3: it must be 0, 1 or the rank of x, 2"},
    {"int4 of rank 0", int4_of_rank_0, CLQ_ERROR_RANK,
     "y.ndim is 0: an int4 tensor has at least one dimension"},
    {"scales for rank 0", scales_for_rank_0, CLQ_ERROR_RANK,
     "x.ndim is 0: scales must then have 1 element, not 6"},
    {"a negative size", negative_size, CLQ_ERROR_SHAPE, "x.shape[0] is -4: it must not be negative"},
    {"y of other rows", y_of_other_rows, CLQ_ERROR_SHAPE, "y.shape[0] is 5: it must be x.shape[0], 4"},
    {"y of other columns", y_of_other_columns, CLQ_ERROR_SHAPE, "y.shape[1] is 7: it must be x.shape[1], 6"},
    {"y of bytes with x's shape", y_of_whole_bytes, CLQ_ERROR_SHAPE,
     "y.shape[1] is 6, of 2 int4 elements each: it must be a half of x.shape[1], 6"},
    {"words that x does not fill", y_of_a_word_too_much, CLQ_ERROR_SHAPE,
     "y.shape[1] is 1, of 8 int4 elements each: it must be an eighth of x.shape[1], 6"},
    {"packed int4 of odd size", odd_int4, CLQ_ERROR_SHAPE,
     "y.shape[1] is 5: the last dimension of packed int4 must be even"},
    {"five scales for six", five_scales, CLQ_ERROR_SHAPE,
     "scales has 5 elements: axis is 1, so it must have 1, or 6 as x.shape[1]"},
    {"five zero points for six", five_zero_points, CLQ_ERROR_SHAPE,
     "zero_points has 5 elements: axis is 1, so it must have 1, or 6 as x.shape[1]"},
    {"no scale at all", no_scale_at_all, CLQ_ERROR_SHAPE,
     "scales has 0 elements: axis is 1, so it must have 1, or 6 as x.shape[1]"},
    {"scales along another axis", scales_along_another_axis, CLQ_ERROR_SHAPE,
     "scales.shape[0] is 6: axis is 1, and every other dimension must be 1"},
    {"scales along two axes", scales_along_two_axes, CLQ_ERROR_SHAPE,
     "scales.shape[0] is 2: axis is 1, and every other dimension must be 1"},
    {"an axis at the rank", axis_at_the_rank, CLQ_ERROR_AXIS,
     "axis is 2: it must be from -2 to 1, for x has 2 dimensions"},
    {"an axis below minus the rank", axis_below_minus_the_rank, CLQ_ERROR_AXIS,
     "axis is -3: it must be from -2 to 1, for x has 2 dimensions"},
    {"an axis far out", axis_far_out, CLQ_ERROR_AXIS,
     "axis is -2147483647: it must be from -2 to 1, for x has 2 dimensions"},
    {"a negative stride of x", x_strides_negative, CLQ_ERROR_LAYOUT,
     "x.strides[1] is -1: it must not be negative"},
    {"a negative stride of scales", scales_strides_negative, CLQ_ERROR_LAYOUT,
     "scales.strides[0] is -1: it must not be negative"},
    {"a negative stride of y", y_strides_negative, CLQ_ERROR_LAYOUT,
     "y.strides[0] is -6: it must not be negative"},
    {"an offset within a float32", x_offset_odd, CLQ_ERROR_LAYOUT,
     "x.byte_offset is 62: it must be a multiple of the element's 4 bytes"},
    {"an offset within a float16", half_offset_odd, CLQ_ERROR_LAYOUT,
     "scales.byte_offset is 63: it must be a multiple of the element's 2 bytes"},
    {"an offset within a word", word_offset_odd, CLQ_ERROR_LAYOUT,
     "y.byte_offset is 66: it must be a multiple of the element's 4 bytes"},
    {"packed int4 with a last stride of 2", int4_last_stride, CLQ_ERROR_LAYOUT,
     "y.strides[1] is 2: packed int4 has a last stride of 1 and even other strides"},
    {"packed int4 with an odd stride", int4_odd_stride, CLQ_ERROR_LAYOUT,
     "y.strides[0] is 7: packed int4 has a last stride of 1 and even other strides"},
    {"x past its buffer by an element", x_a_byte_short, CLQ_ERROR_SIZE,
     "x.data has 160 bytes: shape x strides + byte_offset ask for 164"},
    {"x far past its buffer", x_far_out, CLQ_ERROR_SIZE,
     "x.data has 160 bytes: shape x strides + byte_offset ask for 9223372036854774880"},
    {"x past its buffer by its strides", x_strides_too_far, CLQ_ERROR_SIZE,
     "x.data has 160 bytes: shape x strides + byte_offset ask for 172"},
    {"scales past their buffer", scales_short, CLQ_ERROR_SIZE,
     "scales.data has 88 bytes: shape x strides + byte_offset ask for 92"},
    {"zero points past their buffer", zero_points_short, CLQ_ERROR_SIZE,
     "zero_points.data has 70 bytes: shape x strides + byte_offset ask for 71"},
    {"y past its buffer by a byte", y_short, CLQ_ERROR_SIZE,
     "y.data has 1024 bytes: shape x strides + byte_offset ask for 1025"},
    {"a shape of 2^63", shape_overflows, CLQ_ERROR_OVERFLOW,
     "x has more than 2^63 elements: the product of its shape must fit into 63 bits"},
    {"2^61 words of eight", words_overflow, CLQ_ERROR_OVERFLOW,
     "y.shape[1] is 2305843009213693952 of 8 elements each: the product must fit into 63 bits"},
    {"strides past 2^63 elements", strides_overflow, CLQ_ERROR_OVERFLOW,
     "x.strides[0] is 4611686018427387904: shape x strides must fit into 63 bits"},
    {"strides past 2^63 bytes", bytes_overflow, CLQ_ERROR_OVERFLOW,
     "x ends past 2^63 bytes: shape x strides + byte_offset must fit into 63 bits"},
    {"an offset past 2^63", offset_past_2_63, CLQ_ERROR_OVERFLOW,
     "x ends past 2^63 bytes: shape x strides + byte_offset must fit into 63 bits"},
    {"an offset past 2^64", offset_overflows, CLQ_ERROR_OVERFLOW,
     "x ends past 2^63 bytes: shape x strides + byte_offset must fit into 63 bits"},
    {"y repeats a row", y_repeats, CLQ_ERROR_OVERLAP, "y.strides[0] is 0" OVERLAPS "1" SPAN},
    {"y's rows overlap", y_rows_overlap, CLQ_ERROR_OVERLAP, "y.strides[0] is 5" OVERLAPS "6" SPAN},
    {"y is a window", y_windows, CLQ_ERROR_OVERLAP, "y.strides[1] is 1" OVERLAPS "4" SPAN},
    {"y begins in x", y_in_x, CLQ_ERROR_OVERLAP, DISJOINT("y", "x")},
    {"y is x", y_is_x, CLQ_ERROR_OVERLAP, DISJOINT("y", "x")},
    {"y begins in scales", y_in_scales, CLQ_ERROR_OVERLAP, DISJOINT("y", "scales")},
    {"y's last byte is a zero point", y_in_zero_points, CLQ_ERROR_OVERLAP, DISJOINT("y", "zero_points")},
    {"y between the rows of x", y_between_x_rows, CLQ_ERROR_OVERLAP, DISJOINT("y", "x")},
    {"y in x, which is a part of its buffer", y_in_x_through_a_part, CLQ_ERROR_OVERLAP, DISJOINT("y", "x")},
};

static cl_mem new_buffer(size_t size_bytes)
{
    cl_int status;
    const cl_mem mem = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, size_bytes, NULL, &status);

    expect_cl(status, "clCreateBuffer");
    return mem;
}

static void make_buffers(void)
{
    const cl_buffer_region half = {512, 512};
    cl_int status;

    x_mem = new_buffer(X_BYTES);
    scales_mem = new_buffer(SCALES_BYTES);
    zero_mem = new_buffer(ZERO_BYTES);
    y_mem = new_buffer(Y_BYTES);
    y_part = clCreateSubBuffer(y_mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &status);
    expect_cl(status, "clCreateSubBuffer");
}

static void release_buffers(void)
{
    clReleaseMemObject(y_part);
    clReleaseMemObject(y_mem);
    clReleaseMemObject(x_mem);
    clReleaseMemObject(scales_mem);
    clReleaseMemObject(zero_mem);
}

static void refuses(void **state)
{
    const struct refused_row *row = *state;
    unsigned char filled[Y_BYTES], got[Y_BYTES];
    const cl_event sentinel = (cl_event)&filled;
    cl_event done = sentinel;
    struct call c;
    clq_status status;

    make_buffers();
    memset(filled, 0x5a, sizeof(filled));
    expect_cl(harness_write(harness.queue, y_mem, 0, Y_BYTES, filled), "write");
    make_call(&c);
    row->spoil(&c);
    status = clq_quantize(c.context, c.queue, c.desc, c.num_wait, c.wait, &done);
    expect_status(status, row->status, row->name);
    assert_string_equal(clq_error_detail(), row->sentence);
    assert_true(done == sentinel || done == NULL);
    refused_expect_check(clq_quantize_check(c.desc), row);
    /* Building asks for no queue and waits for nothing; every other rule is the same. */
    if (c.queue && !c.num_wait && !c.wait)
        expect_status(clq_quantize_build(c.context, c.desc), row->status, "clq_quantize_build");
    expect_cl(clFinish(harness.queue), "clFinish");
    expect_cl(clEnqueueReadBuffer(harness.queue, y_mem, CL_TRUE, 0, Y_BYTES, got, 0, NULL, NULL), "read");
    assert_memory_equal(got, filled, Y_BYTES);
    release_buffers();
}

/* The call that the rows spoil is right, and stays right after refusals. */
static void the_call_itself_is_right(void **state)
{
    struct call c;

    (void)state;
    make_buffers();
    make_call(&c);
    expect_status(clq_quantize(c.context, c.queue, c.desc, 0, NULL, NULL), CLQ_OK, "the call");
    expect_cl(clFinish(harness.queue), "clFinish");
    release_buffers();
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[COUNT(rows) + 2];

    tests[0] = (struct CMUnitTest)cmocka_unit_test(the_call_itself_is_right);
    refused_tests(tests + 1, rows, COUNT(rows), refuses);
    tests[COUNT(rows) + 1] = (struct CMUnitTest)cmocka_unit_test(the_call_itself_is_right);
    return HARNESS_RUN(argc, argv, "bad input", tests);
}
