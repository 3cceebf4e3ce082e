/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each rule of dequantization, dense, gathered, by groups and of rows: the status and the sentence of
 * the refusal, and nothing written. */
#include "refused.h"

enum { Q, SCALE, ZERO, INDICES, GROUPS, Y, REPORT, BUFFERS };

/* Indices of 0, and ends beyond all rows. */
static const unsigned char fillings[BUFFERS] = {
    [Q] = 0x11, [SCALE] = 0x3c, [ZERO] = 0x3c, [INDICES] = 0, [GROUPS] = 0x41, [Y] = 0x42, [REPORT] = 0x43};

/* A call that is right, for a row to spoil: q int8 (4, 6, 8) to y float16, one scale and one zero point. */
struct call {
    clq_context *context;
    cl_command_queue queue;
    cl_mem buffers[BUFFERS];
    int64_t q_shape[9], y_shape[9], scale_shape[3], zero_shape[3], index_shape[2], group_shape[2], strides[3];
    DLTensor q, scale, zero, indices, groups, y;
    struct clq_dequantize_desc given;
    const struct clq_dequantize_desc *desc;
    cl_uint num_wait;
    const cl_event *wait;
};

static void make_call(struct call *c)
{
    *c = (struct call){.context = harness.context,
                       .queue = harness.queue,
                       .q_shape = {4, 6, 8, 1},
                       .y_shape = {4, 6, 8, 1},
                       .scale_shape = {1, 1, 1},
                       .zero_shape = {1, 1, 1},
                       .index_shape = {4, 2},
                       .group_shape = {3, 1},
                       .strides = {48, 8, 1}};
    refused_make(c->buffers, fillings, BUFFERS);
    c->q = refused_tensor(c->buffers[Q], CLQ_INT8, 3, c->q_shape);
    c->y = refused_tensor(c->buffers[Y], CLQ_FLOAT16, 3, c->y_shape);
    c->scale = refused_tensor(c->buffers[SCALE], CLQ_FLOAT32, 1, c->scale_shape);
    c->zero = refused_tensor(c->buffers[ZERO], CLQ_INT32, 1, c->zero_shape);
    c->indices = refused_tensor(c->buffers[INDICES], CLQ_INT32, 1, c->index_shape);
    c->groups = refused_tensor(c->buffers[GROUPS], CLQ_INT32, 1, c->group_shape);
    c->given = (struct clq_dequantize_desc){
        .q = &c->q, .scales = &c->scale, .zero_points = &c->zero, .y = &c->y, .axis = -1};
    c->desc = &c->given;
}

/* The same, of entries of two positions; of rows; by three groups. */
static void gather(struct call *c)
{
    c->given.indices = &c->indices;
    c->given.report = c->buffers[REPORT];
    c->given.axis = 1;
    c->y_shape[1] = 2;
}

static void of_rows(struct call *c)
{
    c->given.mode = CLQ_DEQUANTIZE_DYNAMIC;
    c->given.offsets = c->given.zero_points;
    c->given.zero_points = NULL;
    c->scale_shape[0] = c->zero_shape[0] = 4;
    c->scale_shape[1] = c->zero_shape[1] = 6;
    c->scale.ndim = c->zero.ndim = 2;
}

static void by_groups(struct call *c)
{
    c->given.group_index = &c->groups;
    c->given.mode = CLQ_DEQUANTIZE_MULTIPLY;
    c->given.report = c->buffers[REPORT];
    c->q.ndim = c->y.ndim = c->scale.ndim = 2;
    c->scale_shape[0] = 3;
    c->scale_shape[1] = 6;
}

SPOIL_ANY
SPOIL(reserved, c->given.reserved[3] = 1)
SPOIL(zero, c->given.reserved32 = 1)
SPOIL(mode, c->given.mode = 3)
SPOIL(range, c->given.out_of_range = 3)
SPOIL(range_gathered, gather(c); c->given.out_of_range = 3)
SPOIL(no_q, c->given.q = NULL)
SPOIL(no_scale, c->given.scales = NULL)
SPOIL(no_y, c->given.y = NULL)
SPOIL(q_data, c->q.data = NULL)
SPOIL(y_host, c->y.device.device_type = kDLCPU)
SPOIL(q_float, c->q.dtype = CLQ_FLOAT16)
SPOIL(y_int8, c->y.dtype = CLQ_INT8)
SPOIL(scale_int8, c->scale.dtype = CLQ_INT8)
SPOIL(zero_int64, c->zero.dtype = CLQ_INT64)
SPOIL(q_rank, c->q.ndim = 4)
SPOIL(y_columns, c->y_shape[2] = 7)
SPOIL(y_bytes, c->q.dtype = CLQ_INT4_BYTES)
SPOIL(y_repeats, c->y.strides = c->strides; c->strides[1] = 0)
SPOIL(q_negative, c->q.strides = c->strides; c->strides[1] = -8)
SPOIL(scale_many, c->scale_shape[0] = 7)
SPOIL(zero_many, c->zero_shape[0] = 6)
SPOIL(zero_rank, c->zero.ndim = 2)
SPOIL(axis_high, c->scale_shape[0] = 8; c->given.axis = 3)
SPOIL(q_end, c->q.byte_offset = REFUSED_BYTES - 191)
SPOIL(y_end, c->y.byte_offset = REFUSED_BYTES - 382)
SPOIL(y_in_q, c->y.data = c->buffers[Q])
SPOIL(y_in_scale, c->y.data = c->buffers[SCALE])
SPOIL(y_in_zero, c->zero.data = c->buffers[Y]; c->zero.byte_offset = 380)
SPOIL(both, gather(c); c->given.group_index = &c->groups)
SPOIL(index_float, gather(c); c->indices.dtype = CLQ_FLOAT32)
SPOIL(index_point, gather(c); c->indices.ndim = 0)
SPOIL(index_many, gather(c); c->index_shape[0] = 5)
SPOIL(index_threes, gather(c); c->indices.ndim = 2; c->index_shape[1] = 3)
SPOIL(index_past_batches, gather(c); c->index_shape[0] = c->y_shape[0] = 5)
SPOIL(gather_axis, gather(c); c->given.axis = CLQ_AXIS_FIRST)
SPOIL(gather_length, gather(c); c->y_shape[1] = 7)
SPOIL(gather_columns, gather(c); c->y_shape[2] = 9)
SPOIL(gather_flat, gather(c); c->q.ndim = c->y.ndim = 1)
SPOIL(gather_int4, gather(c); c->q.dtype = CLQ_INT4_BYTES; c->y_shape[2] = 16; c->given.axis = 2)
SPOIL(gather_scales, gather(c); c->scale_shape[0] = 6)
SPOIL(gather_in_indices, gather(c); c->indices.data = c->buffers[Y]; c->indices.byte_offset = 124)
SPOIL(report_odd, gather(c); c->given.report_offset_bytes = 6)
SPOIL(report_end, gather(c); c->given.report_offset_bytes = REFUSED_BYTES - 12)
SPOIL(report_in_y, gather(c); c->given.report = c->buffers[Y])
SPOIL(rows_scale, of_rows(c); c->scale_shape[1] = 5)
SPOIL(rows_scale_rank, of_rows(c); c->scale.ndim = 3)
SPOIL(rows_offset, of_rows(c); c->zero_shape[0] = 5)
SPOIL(rows_point, of_rows(c); c->q.ndim = c->y.ndim = 0)
SPOIL(rows_last_axis, gather(c); of_rows(c); c->given.axis = -1)
SPOIL(rows_rank_2, gather(c); of_rows(c); c->q.ndim = c->y.ndim = 2; c->scale.ndim = c->zero.ndim = 1)
SPOIL(groups_divide, by_groups(c); c->given.mode = CLQ_DEQUANTIZE_DIVIDE)
SPOIL(groups_rank, by_groups(c); c->q.ndim = c->y.ndim = 3)
SPOIL(groups_scale, by_groups(c); c->scale_shape[1] = 1)
SPOIL(groups_ends, by_groups(c); c->group_shape[0] = 4)
SPOIL(groups_zero, by_groups(c); c->zero_shape[0] = 6)
SPOIL(groups_index, by_groups(c); c->groups.dtype = CLQ_UINT8)

static const struct refused_row rows[] = {
    ROWS_OF_ANY,
    {"a field of the future", reserved, CLQ_ERROR_VALUE,
     "desc.reserved[3] is not 0: this library knows no such field"},
    {"zero is one", zero, CLQ_ERROR_VALUE, "desc.reserved32 is 1, not 0: this library knows no such field"},
    {"a mode of the future", mode, CLQ_ERROR_VALUE, "mode is 3: it must be CLQ_DEQUANTIZE_DIVIDE (0), "},
    {"a policy of the future", range, CLQ_ERROR_VALUE,
     "out_of_range is 3: it must be CLQ_DROP (0), CLQ_CLAMP (1) or CLQ_WRAP (2)"},
    {"a policy of the future, gathered", range_gathered, CLQ_ERROR_VALUE,
     "out_of_range is 3: it must be CLQ_DROP (0), CLQ_CLAMP (1) or CLQ_WRAP (2)"},
    {"no q", no_q, CLQ_ERROR_NULL, "q is NULL: it must be a tensor"},
    {"no scale", no_scale, CLQ_ERROR_NULL, "scales is NULL: it must be a tensor"},
    {"no y", no_y, CLQ_ERROR_NULL, "y is NULL: it must be a tensor"},
    {"q without data", q_data, CLQ_ERROR_NULL, "q.data is NULL: it must be a cl_mem"},
    {"y on the host", y_host, CLQ_ERROR_VALUE,
     "y.device.device_type is 1: it must be kDLOpenCL (4), whose data is a cl_mem"},
    {"q of floats", q_float, CLQ_ERROR_TYPE, "q.dtype is float16: it must be int8, uint8, int32 or int4"},
    {"y of int8", y_int8, CLQ_ERROR_TYPE, "y.dtype is int8: " FLOATS},
    {"scale of int8", scale_int8, CLQ_ERROR_TYPE, "scales.dtype is int8: " FLOATS},
    {"zero points of int64", zero_int64, CLQ_ERROR_TYPE, "zero_points.dtype is int64: it must be "},
    {"q of another rank", q_rank, CLQ_ERROR_RANK, "q.ndim is 4: it must be the rank of y, 3"},
    {"y of other columns", y_columns, CLQ_ERROR_SHAPE, "q.shape[2] is 8: it must be y.shape[2], 7"},
    {"bytes of two, as many as y", y_bytes, CLQ_ERROR_SHAPE,
     "q.shape[2] is 8, of 2 int4 elements each: it must be a half of y.shape[2], 8"},
    {"y in one place", y_repeats, CLQ_ERROR_OVERLAP,
     "y.strides[1] is 0: an output must not overlap itself, "},
    {"a negative stride", q_negative, CLQ_ERROR_LAYOUT, "q.strides[1] is -8: it must not be negative"},
    {"scales of no axis", scale_many, CLQ_ERROR_SHAPE,
     "scales has 7 elements: axis is 2, so it must have 1, or 8 as q.shape[2]"},
    {"zero points of another axis", zero_many, CLQ_ERROR_SHAPE,
     "zero_points has 6 elements: axis is 2, so it must have 1, or 8 as q.shape[2]; is axis 1 meant?"},
    {"zero points of rank 2", zero_rank, CLQ_ERROR_RANK,
     "zero_points.ndim is 2: it must be 0, 1 or the rank of q, 3"},
    {"an axis past the rank", axis_high, CLQ_ERROR_AXIS,
     "axis is 3: it must be from -3 to 2, for q has 3 dimensions"},
    {"q past its buffer", q_end, CLQ_ERROR_SIZE, SHORT("q") "65537"},
    {"y past its buffer", y_end, CLQ_ERROR_SIZE, SHORT("y") "65538"},
    {"y in q", y_in_q, CLQ_ERROR_OVERLAP, DISJOINT("y", "q")},
    {"y in scale", y_in_scale, CLQ_ERROR_OVERLAP, DISJOINT("y", "scales")},
    {"zero points in y", y_in_zero, CLQ_ERROR_OVERLAP, DISJOINT("y", "zero_points")},
    {"indices and groups", both, CLQ_ERROR_VALUE,
     "indices and group_index are both given: one of them must be NULL"},
    {"indices of floats", index_float, CLQ_ERROR_TYPE, "indices.dtype is float32: it must be int32 or int64"},
    {"indices of rank 0", index_point, CLQ_ERROR_RANK, "indices.ndim is 0: it must be 1 or 2"},
    {"more indices than entries", index_many, CLQ_ERROR_SHAPE,
     "indices.shape[0] is 5: it must be y.shape[0], 4"},
    {"indices of three", index_threes, CLQ_ERROR_SHAPE,
     "indices.shape[1] is 3: it must be 2, a batch and a start"},
    {"more starts than batches", index_past_batches, CLQ_ERROR_SHAPE,
     "indices.shape[0] is 5: with 1-D indices it must be at most q.shape[0], 4"},
    {"starts on the first axis", gather_axis, CLQ_ERROR_AXIS,
     "axis is 0 (CLQ_AXIS_FIRST): it must be from 1 to 2 or from -2 to -1, "},
    {"entries longer than q", gather_length, CLQ_ERROR_SHAPE,
     "y.shape[1] is 7: it must be at most q.shape[1], 6"},
    {"entries of other columns", gather_columns, CLQ_ERROR_SHAPE,
     "y.shape[2] is 9: it must be q.shape[2], 8, for axis is 1, where alone an entry may be shorter than the "
     "cache"},
    {"entries of rank 1", gather_flat, CLQ_ERROR_RANK, "q.ndim is 1: it must be from 2 to 8"},
    {"starts between nibbles", gather_int4, CLQ_ERROR_AXIS, "axis is 2: it must be 1 or -2, "},
    {"scales of the wrong axis", gather_scales, CLQ_ERROR_SHAPE,
     "scales has 6 elements: with indices it must have 1, or 8 as q.shape[2], the last dimension"},
    {"indices in y", gather_in_indices, CLQ_ERROR_OVERLAP, DISJOINT("y", "indices")},
    {"report at an odd place", report_odd, CLQ_ERROR_LAYOUT,
     "report_offset_bytes is 6: it must be a multiple of 4"},
    {"report past the end", report_end, CLQ_ERROR_SIZE, SHORT("report") "65540"},
    {"report in y", report_in_y, CLQ_ERROR_OVERLAP, DISJOINT("report", "y")},
    {"too few scales of rows", rows_scale, CLQ_ERROR_SHAPE, "scales.shape[1] is 5: it must be q.shape[1], 6"},
    {"scales of elements", rows_scale_rank, CLQ_ERROR_RANK,
     "scales.ndim is 3: it must be 2, that of q less its last dimension"},
    {"too many offsets of rows", rows_offset, CLQ_ERROR_SHAPE,
     "offsets.shape[0] is 5: it must be q.shape[0], 4"},
    {"no rows in rank 0", rows_point, CLQ_ERROR_RANK, "q.ndim is 0: it must have a dimension for its rows"},
    {"starts within rows", rows_last_axis, CLQ_ERROR_AXIS, "axis is -1: it must be 1 or -2, "},
    {"gathered rows of rank 2", rows_rank_2, CLQ_ERROR_RANK, "q.ndim is 2: it must be from 3 to 8"},
    {"groups that were divided", groups_divide, CLQ_ERROR_VALUE,
     "mode is 0: with group_index it must be CLQ_DEQUANTIZE_MULTIPLY (1)"},
    {"groups of rank 3", groups_rank, CLQ_ERROR_RANK, "q.ndim is 3: it must be 2"},
    {"a scale a group", groups_scale, CLQ_ERROR_SHAPE, "scales.shape[1] is 1: it must be q.shape[1], 6"},
    {"more ends than groups", groups_ends, CLQ_ERROR_SHAPE,
     "group_index.shape[0] is 4: it must be scales.shape[0], 3"},
    {"a zero point an element", groups_zero, CLQ_ERROR_SHAPE, "zero_points has 6 elements: it must have 1"},
    {"ends of uint8", groups_index, CLQ_ERROR_TYPE, "group_index.dtype is uint8: it must be int32 or int64"},
};

static void refuses(void **state)
{
    const struct refused_row *row = *state;
    cl_event done = NULL;
    struct call c;

    make_call(&c);
    row->spoil(&c);
    refused_expect(clq_dequantize(c.context, c.queue, c.desc, c.num_wait, c.wait, &done), row->status,
                   row->sentence, row->name);
    refused_expect_check(clq_dequantize_check(c.desc), row);
    refused_expect(clq_dequantize_check_indices(c.context, c.queue, c.desc, c.num_wait, c.wait), row->status,
                   row->sentence, row->name);
    if (c.queue && !c.num_wait && !c.wait)
        refused_expect(clq_dequantize_build(c.context, c.desc), row->status, row->sentence, row->name);
    refused_expect_nothing(&done, c.buffers, fillings, BUFFERS);
    refused_release(c.buffers, BUFFERS);
}

/* The call that the rows spoil, in each of its ways. */
static void accepts(void **state)
{
    void (*const ways[])(struct call *) = {NULL, gather, of_rows, by_groups};

    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        cl_event done = NULL;
        struct call c;

        make_call(&c);
        if (ways[i])
            ways[i](&c);
        expect_status(clq_dequantize(c.context, c.queue, c.desc, 0, NULL, &done), CLQ_OK, "the call");
        expect_cl(clWaitForEvents(1, &done), "its event");
        clReleaseEvent(done);
        assert_false(refused_untouched(c.buffers[Y], fillings[Y]));
        refused_release(c.buffers, BUFFERS);
    }
}

/* Which entry is wrong, and that there may be none to look at. */
static void checks_indices(void **state)
{
    static const int32_t starts[4] = {0, 4, 5, -1}, ends[3] = {1, 3, 3};
    struct call c;

    (void)state;
    make_call(&c);
    refused_expect(clq_dequantize_check_indices(c.context, c.queue, c.desc, 0, NULL), CLQ_ERROR_NULL,
                   "indices and group_index are NULL: there is nothing to read back", "dense");
    gather(&c);
    expect_cl(harness_write(c.queue, c.buffers[INDICES], 0, sizeof(starts), starts), "clEnqueueWriteBuffer");
    refused_expect(clq_dequantize_check_indices(c.context, c.queue, c.desc, 0, NULL), CLQ_ERROR_INDEX,
                   "indices[2] has start 5: it must be from 0 to 4, ", "gathered");
    refused_release(c.buffers, BUFFERS);
    make_call(&c);
    by_groups(&c);
    expect_cl(harness_write(c.queue, c.buffers[GROUPS], 0, sizeof(ends), ends), "clEnqueueWriteBuffer");
    refused_expect(clq_dequantize_check_indices(c.context, c.queue, c.desc, 0, NULL), CLQ_ERROR_INDEX,
                   "group_index[2] is 3: the last entry must be 4, the number of rows", "by groups");
    refused_release(c.buffers, BUFFERS);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[COUNT(rows) + 2];

    refused_tests(tests, rows, COUNT(rows), refuses);
    tests[COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(accepts);
    tests[COUNT(rows) + 1] = (struct CMUnitTest)cmocka_unit_test(checks_indices);
    return HARNESS_RUN(argc, argv, "bad input of dequantization", tests);
}
