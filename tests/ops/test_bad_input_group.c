/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each rule of group quantization: the status and the sentence of the refusal, and nothing
 * written. */
#include "refused.h"

enum { X, SCALE, GROUP_INDEX, OFFSET, Y, REPORT, BUFFERS };

/* Floats of 3.0, and ends beyond all rows, so that the first group has them all. */
static const unsigned char fillings[BUFFERS] = {
    [X] = 0x40, [SCALE] = 0x40, [GROUP_INDEX] = 0x41, [OFFSET] = 0x40, [Y] = 0x42, [REPORT] = 0x43};

/* A call that is right, for a row to spoil: x float32 (4, 8), scale float32 (3, 8), group_index int32 (3),
 * offset float32 (1), y int8 (4, 8). */
struct call {
    clq_context *context;
    cl_command_queue queue;
    cl_mem buffers[BUFFERS];
    int64_t x_shape[9], scale_shape[3], group_index_shape[2], offset_shape[1], y_shape[3];
    int64_t strides[2];
    DLTensor x, scale, group_index, offset, y;
    struct clq_group_quantize_desc given;
    const struct clq_group_quantize_desc *desc;
    cl_uint num_wait;
    const cl_event *wait;
};

static void make_call(struct call *c)
{
    *c = (struct call){.context = harness.context,
                       .queue = harness.queue,
                       .x_shape = {4, 8},
                       .scale_shape = {3, 8, 1},
                       .group_index_shape = {3, 1},
                       .offset_shape = {1},
                       .y_shape = {4, 8, 1},
                       .strides = {8, 1}};
    refused_make(c->buffers, fillings, BUFFERS);
    c->x = refused_tensor(c->buffers[X], CLQ_FLOAT32, 2, c->x_shape);
    c->scale = refused_tensor(c->buffers[SCALE], CLQ_FLOAT32, 2, c->scale_shape);
    c->group_index = refused_tensor(c->buffers[GROUP_INDEX], CLQ_INT32, 1, c->group_index_shape);
    c->offset = refused_tensor(c->buffers[OFFSET], CLQ_FLOAT32, 1, c->offset_shape);
    c->y = refused_tensor(c->buffers[Y], CLQ_INT8, 2, c->y_shape);
    c->given = (struct clq_group_quantize_desc){.x = &c->x,
                                                .scales = &c->scale,
                                                .group_index = &c->group_index,
                                                .zero_points = &c->offset,
                                                .y = &c->y,
                                                .report = c->buffers[REPORT]};
    c->desc = &c->given;
}

SPOIL_ANY
SPOIL(reserved, c->given.reserved[0] = 1)
SPOIL(no_x, c->given.x = NULL)
SPOIL(no_scale, c->given.scales = NULL)
SPOIL(no_group_index, c->given.group_index = NULL)
SPOIL(no_y, c->given.y = NULL)
SPOIL(group_index_data, c->group_index.data = NULL)
SPOIL(y_shapeless, c->y.shape = NULL)
SPOIL(scale_host, c->scale.device.device_type = kDLCPU)
SPOIL(x_int8, c->x.dtype = CLQ_INT8)
SPOIL(scale_int8, c->scale.dtype = CLQ_INT8)
SPOIL(group_index_float, c->group_index.dtype = CLQ_FLOAT32)
SPOIL(group_index_uint8, c->group_index.dtype = CLQ_UINT8)
SPOIL(offset_int8, c->offset.dtype = CLQ_INT8)
SPOIL(offset_int32, c->offset.dtype = CLQ_INT32)
SPOIL(offset_int64, c->offset.dtype = CLQ_INT64)
SPOIL(y_uint8, c->y.dtype = CLQ_UINT8)
SPOIL(y_int32, c->y.dtype = CLQ_INT32)
SPOIL(x_flat, c->x.ndim = 1)
SPOIL(x_cube, c->x_shape[2] = 1; c->x.ndim = 3)
SPOIL(x_deep, c->x.ndim = 9)
SPOIL(scale_flat, c->scale.ndim = 1)
SPOIL(scale_cube, c->scale.ndim = 3)
SPOIL(group_index_point, c->group_index.ndim = 0)
SPOIL(group_index_square, c->group_index.ndim = 2)
SPOIL(y_cube, c->y.ndim = 3)
SPOIL(no_groups, c->scale_shape[0] = c->group_index_shape[0] = 0)
SPOIL(scale_narrow, c->scale_shape[1] = 1)
SPOIL(group_index_many, c->group_index_shape[0] = 4)
SPOIL(offset_many, c->offset_shape[0] = 8)
SPOIL(offset_empty, c->offset_shape[0] = 0)
SPOIL(y_rows, c->y_shape[0] = 5)
SPOIL(y_columns, c->y_shape[1] = 7)
SPOIL(y_bytes, c->y.dtype = CLQ_INT4_BYTES)
SPOIL(y_words, c->y.dtype = CLQ_INT4_WORDS; c->y_shape[1] = 2)
SPOIL(y_odd, c->y.dtype = CLQ_INT4; c->x_shape[1] = c->scale_shape[1] = c->y_shape[1] = 7)
SPOIL(negative_size, c->x_shape[0] = -4)
SPOIL(negative_stride, c->group_index.strides = c->strides; c->strides[0] = -1)
SPOIL(y_repeats, c->y.strides = c->strides; c->strides[0] = 0)
SPOIL(y_folds, c->y.strides = c->strides; c->strides[0] = 7)
SPOIL(x_offset, c->x.byte_offset = 3)
SPOIL(group_index_offset, c->group_index.dtype = CLQ_INT64; c->group_index.byte_offset = 4)
SPOIL(x_end, c->x.byte_offset = REFUSED_BYTES - 124)
SPOIL(scale_end, c->scale.byte_offset = REFUSED_BYTES - 92)
SPOIL(group_index_end, c->group_index.byte_offset = REFUSED_BYTES - 8)
SPOIL(offset_end, c->offset.byte_offset = REFUSED_BYTES)
SPOIL(y_end, c->y.byte_offset = REFUSED_BYTES - 31)
SPOIL(x_huge, c->x_shape[0] = INT64_MAX / 4)
SPOIL(scale_far, c->scale.strides = c->strides; c->strides[0] = INT64_MAX)
SPOIL(y_in_x, c->y.data = c->buffers[X])
SPOIL(y_in_scale, c->y.data = c->buffers[SCALE]; c->y.byte_offset = 95)
SPOIL(y_in_group_index, c->y.data = c->buffers[GROUP_INDEX])
SPOIL(y_in_offset, c->offset.data = c->buffers[Y]; c->offset.byte_offset = 28)
SPOIL(report_odd, c->given.report_offset_bytes = 2)
SPOIL(report_end, c->given.report_offset_bytes = REFUSED_BYTES - 12)
SPOIL(report_in_y, c->given.report = c->buffers[Y]; c->given.report_offset_bytes = 28)
SPOIL(report_in_x, c->given.report = c->buffers[X])
SPOIL(report_in_group_index, c->given.report = c->buffers[GROUP_INDEX])
SPOIL(report_in_offset, c->given.report = c->buffers[OFFSET])
SPOIL(no_rows, c->x_shape[0] = c->y_shape[0] = 0; c->scale_shape[1] = 7)

static const struct refused_row rows[] = {
    ROWS_OF_ANY,
    {"a field of the future", reserved, CLQ_ERROR_VALUE,
     "desc.reserved[0] is not 0: this library knows no such field"},
    {"no x", no_x, CLQ_ERROR_NULL, "x is NULL: it must be a tensor"},
    {"no scale", no_scale, CLQ_ERROR_NULL, "scales is NULL: it must be a tensor"},
    {"no group_index", no_group_index, CLQ_ERROR_NULL, "group_index is NULL: it must be a tensor"},
    {"no y", no_y, CLQ_ERROR_NULL, "y is NULL: it must be a tensor"},
    {"group_index without data", group_index_data, CLQ_ERROR_NULL,
     "group_index.data is NULL: it must be a cl_mem"},
    {"y without a shape", y_shapeless, CLQ_ERROR_NULL, "y.shape is NULL: it must have 2 values"},
    {"scale on the host", scale_host, CLQ_ERROR_VALUE,
     "scales.device.device_type is 1: it must be kDLOpenCL (4), whose data is a cl_mem"},
    {"x of int8", x_int8, CLQ_ERROR_TYPE, "x.dtype is int8: " FLOATS},
    {"scale of int8", scale_int8, CLQ_ERROR_TYPE, "scales.dtype is int8: " FLOATS},
    {"group_index of floats", group_index_float, CLQ_ERROR_TYPE,
     "group_index.dtype is float32: it must be int32 or int64"},
    {"group_index of uint8", group_index_uint8, CLQ_ERROR_TYPE,
     "group_index.dtype is uint8: it must be int32 or int64"},
    {"offset of int8", offset_int8, CLQ_ERROR_TYPE, "zero_points.dtype is int8: " FLOATS},
    {"offset of int32", offset_int32, CLQ_ERROR_TYPE, "zero_points.dtype is int32: " FLOATS},
    {"offset of int64", offset_int64, CLQ_ERROR_TYPE, "zero_points.dtype is int64: " FLOATS},
    {"y of uint8", y_uint8, CLQ_ERROR_TYPE, "y.dtype is uint8: it must be int8 or int4"},
    {"y of int32", y_int32, CLQ_ERROR_TYPE, "y.dtype is int32: it must be int8 or int4"},
    {"x of rank 1", x_flat, CLQ_ERROR_RANK, "x.ndim is 1: it must be 2"},
    {"x of rank 3", x_cube, CLQ_ERROR_RANK, "x.ndim is 3: it must be 2"},
    {"x of rank 9", x_deep, CLQ_ERROR_RANK, "x.ndim is 9: it must be from 0 to 8"},
    {"scale of rank 1", scale_flat, CLQ_ERROR_RANK, "scales.ndim is 1: it must be 2"},
    {"scale of rank 3", scale_cube, CLQ_ERROR_RANK, "scales.ndim is 3: it must be 2"},
    {"group_index of rank 0", group_index_point, CLQ_ERROR_RANK, "group_index.ndim is 0: it must be 1"},
    {"group_index of rank 2", group_index_square, CLQ_ERROR_RANK, "group_index.ndim is 2: it must be 1"},
    {"y of rank 3", y_cube, CLQ_ERROR_RANK, "y.ndim is 3: it must be the rank of x, 2"},
    {"no group", no_groups, CLQ_ERROR_SHAPE, "scales.shape[0] is 0: there must be at least one group"},
    {"a scale a group", scale_narrow, CLQ_ERROR_SHAPE, "scales.shape[1] is 1: it must be x.shape[1], 8"},
    {"more ends than groups", group_index_many, CLQ_ERROR_SHAPE,
     "group_index.shape[0] is 4: it must be scales.shape[0], 3"},
    {"an offset an element", offset_many, CLQ_ERROR_SHAPE, "zero_points has 8 elements: it must have 1"},
    {"an offset of no element", offset_empty, CLQ_ERROR_SHAPE, "zero_points has 0 elements: it must have 1"},
    {"y of other rows", y_rows, CLQ_ERROR_SHAPE, "y.shape[0] is 5: it must be x.shape[0], 4"},
    {"y of other columns", y_columns, CLQ_ERROR_SHAPE, "y.shape[1] is 7: it must be x.shape[1], 8"},
    {"bytes of two, as many as x", y_bytes, CLQ_ERROR_SHAPE,
     "y.shape[1] is 8, of 2 int4 elements each: it must be a half of x.shape[1], 8"},
    {"a word too much", y_words, CLQ_ERROR_SHAPE,
     "y.shape[1] is 2, of 8 int4 elements each: it must be an eighth of x.shape[1], 8"},
    {"packed int4 of odd size", y_odd, CLQ_ERROR_SHAPE,
     "y.shape[1] is 7: the last dimension of packed int4 must be even"},
    {"a negative size", negative_size, CLQ_ERROR_SHAPE, "x.shape[0] is -4: it must not be negative"},
    {"a negative stride", negative_stride, CLQ_ERROR_LAYOUT,
     "group_index.strides[0] is -1: it must not be negative"},
    {"rows in one place", y_repeats, CLQ_ERROR_OVERLAP, "y.strides[0] is 0" OVERLAPS "1" SPAN},
    {"rows that overlap", y_folds, CLQ_ERROR_OVERLAP, "y.strides[0] is 7" OVERLAPS "8" SPAN},
    {"an offset within a float32", x_offset, CLQ_ERROR_LAYOUT,
     "x.byte_offset is 3: it must be a multiple of the element's 4 bytes"},
    {"an offset within an int64", group_index_offset, CLQ_ERROR_LAYOUT,
     "group_index.byte_offset is 4: it must be a multiple of the element's 8 bytes"},
    {"x past its buffer", x_end, CLQ_ERROR_SIZE, SHORT("x") "65540"},
    {"scale past its buffer", scale_end, CLQ_ERROR_SIZE, SHORT("scales") "65540"},
    {"group_index past its buffer", group_index_end, CLQ_ERROR_SIZE, SHORT("group_index") "65540"},
    {"offset past its buffer", offset_end, CLQ_ERROR_SIZE, SHORT("zero_points") "65540"},
    {"y past its buffer", y_end, CLQ_ERROR_SIZE, SHORT("y") "65537"},
    {"x of 2^64", x_huge, CLQ_ERROR_OVERFLOW,
     "x has more than 2^63 elements: the product of its shape must fit into 63 bits"},
    {"scale that reaches past 2^63", scale_far, CLQ_ERROR_OVERFLOW,
     "scales.strides[0] is 9223372036854775807: shape x strides must fit into 63 bits"},
    {"y in x", y_in_x, CLQ_ERROR_OVERLAP, DISJOINT("y", "x")},
    {"y in scale", y_in_scale, CLQ_ERROR_OVERLAP, DISJOINT("y", "scales")},
    {"y in group_index", y_in_group_index, CLQ_ERROR_OVERLAP, DISJOINT("y", "group_index")},
    {"offset in y", y_in_offset, CLQ_ERROR_OVERLAP, DISJOINT("y", "zero_points")},
    {"report at an odd place", report_odd, CLQ_ERROR_LAYOUT,
     "report_offset_bytes is 2: it must be a multiple of 4"},
    {"report past the end", report_end, CLQ_ERROR_SIZE, SHORT("report") "65540"},
    {"report in y", report_in_y, CLQ_ERROR_OVERLAP, DISJOINT("report", "y")},
    {"report in x", report_in_x, CLQ_ERROR_OVERLAP, DISJOINT("report", "x")},
    {"report in group_index", report_in_group_index, CLQ_ERROR_OVERLAP, DISJOINT("report", "group_index")},
    {"report in offset", report_in_offset, CLQ_ERROR_OVERLAP, DISJOINT("report", "zero_points")},
    {"no rows, and too few scales", no_rows, CLQ_ERROR_SHAPE,
     "scales.shape[1] is 7: it must be x.shape[1], 8"},
};

static void refuses(void **state)
{
    const struct refused_row *row = *state;
    cl_event done = NULL;
    struct call c;

    make_call(&c);
    row->spoil(&c);
    refused_expect(clq_group_quantize(c.context, c.queue, c.desc, c.num_wait, c.wait, &done), row->status,
                   row->sentence, row->name);
    refused_expect_check(clq_group_quantize_check(c.desc), row);
    refused_expect(clq_group_quantize_check_indices(c.context, c.queue, c.desc, c.num_wait, c.wait),
                   row->status, row->sentence, "clq_group_quantize_check_indices");
    if (c.queue && !c.num_wait && !c.wait)
        refused_expect(clq_group_quantize_build(c.context, c.desc), row->status, row->sentence,
                       "clq_group_quantize_build");
    refused_expect_nothing(&done, c.buffers, fillings, BUFFERS);
    refused_release(c.buffers, BUFFERS);
}

/* Else no row would say anything. */
static void the_call_itself_is_right(void **state)
{
    struct call c;

    (void)state;
    make_call(&c);
    expect_status(clq_group_quantize(c.context, c.queue, c.desc, 0, NULL, NULL), CLQ_OK, "the call");
    expect_cl(clFinish(harness.queue), "clFinish");
    assert_false(refused_untouched(c.buffers[Y], fillings[Y]));
    assert_true(refused_untouched(c.buffers[REPORT], fillings[REPORT]));
    refused_release(c.buffers, BUFFERS);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[COUNT(rows) + 1];

    tests[0] = (struct CMUnitTest)cmocka_unit_test(the_call_itself_is_right);
    refused_tests(tests + 1, rows, COUNT(rows), refuses);
    return HARNESS_RUN(argc, argv, "bad_input_group", tests);
}
