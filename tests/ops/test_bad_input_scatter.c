/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each rule of quantize-and-scatter: the status and the sentence of the refusal, and nothing
 * written. */
#include "refused_scatter.h"

enum { CACHE, INPUT, INDICES, UPDATES, SCALES, ZERO_POINTS, REPORT, WORKSPACE, BUFFERS };
enum { N = 1024 };

/* Entries all at (0, 0), and floats of 3.0. */
static const unsigned char fillings[BUFFERS] = {
    [CACHE] = 0x40,  [INPUT] = 0x41,       [INDICES] = 0,   [UPDATES] = 0x40,
    [SCALES] = 0x40, [ZERO_POINTS] = 0x02, [REPORT] = 0x42, [WORKSPACE] = 0x43};

/* A call that is right, for a row to spoil: cache int8 (8, 16, 4), indices int32 (1024, 2), updates float32
 * (1024, 1, 4), so that a table of last entries is needed. */
struct call {
    clq_context *context;
    cl_command_queue queue;
    cl_mem buffers[BUFFERS];
    int64_t cache_shape[9], input_shape[9], indices_shape[2], updates_shape[9], scales_shape[2],
        zero_points_shape[1];
    int64_t strides[3];
    DLTensor cache, input, indices, updates, scales, zero_points;
    struct clq_quantize_scatter_desc given;
    const struct clq_quantize_scatter_desc *desc;
    cl_uint num_wait;
    const cl_event *wait;
};

static void make_call(struct call *c)
{
    *c = (struct call){.context = harness.context,
                       .queue = harness.queue,
                       .cache_shape = {8, 16, 4},
                       .input_shape = {8, 16, 4},
                       .indices_shape = {N, 2},
                       .updates_shape = {N, 1, 4},
                       .scales_shape = {4, 1},
                       .zero_points_shape = {4},
                       .strides = {64, 4, 1}};
    refused_make(c->buffers, fillings, BUFFERS);
    c->cache = refused_tensor(c->buffers[CACHE], CLQ_INT8, 3, c->cache_shape);
    c->input = refused_tensor(c->buffers[INPUT], CLQ_INT8, 3, c->input_shape);
    c->indices = refused_tensor(c->buffers[INDICES], CLQ_INT32, 2, c->indices_shape);
    c->updates = refused_tensor(c->buffers[UPDATES], CLQ_FLOAT32, 3, c->updates_shape);
    c->scales = refused_tensor(c->buffers[SCALES], CLQ_FLOAT32, 1, c->scales_shape);
    c->zero_points = refused_tensor(c->buffers[ZERO_POINTS], CLQ_INT8, 1, c->zero_points_shape);
    c->given = (struct clq_quantize_scatter_desc){.input = &c->input,
                                                  .cache = &c->cache,
                                                  .indices = &c->indices,
                                                  .updates = &c->updates,
                                                  .scales = &c->scales,
                                                  .zero_points = &c->zero_points,
                                                  .axis = 1,
                                                  .report = c->buffers[REPORT],
                                                  .workspace = c->buffers[WORKSPACE]};
    c->desc = &c->given;
}

SPOIL_ANY
SPOIL_SCATTER
SPOIL(reserved, c->given.reserved[3] = 1)
SPOIL(mode, c->given.mode = 2)
SPOIL(no_scales, c->given.scales = NULL)
SPOIL(cache_data, c->cache.data = NULL)
SPOIL(indices_shapeless, c->indices.shape = NULL)
SPOIL(updates_host, c->updates.device.device_type = kDLCPU)
SPOIL(cache_float, c->cache.dtype = CLQ_FLOAT32)
SPOIL(cache_int32, c->cache.dtype = CLQ_INT32)
SPOIL(indices_int8, c->indices.dtype = CLQ_INT8)
SPOIL(scales_int32, c->scales.dtype = CLQ_INT32)
SPOIL(zero_points_int64, c->zero_points.dtype = CLQ_INT64)
SPOIL(input_uint8, c->input.dtype = CLQ_UINT8)
SPOIL(input_lanes, c->cache.dtype = CLQ_INT4; c->input.dtype = CLQ_INT4_BYTES; c->input_shape[2] = 2)
SPOIL(updates_flat, c->updates.ndim = 1)
SPOIL(all_flat, c->updates.ndim = c->cache.ndim = 1)
SPOIL(updates_deep, c->updates.ndim = 9)
SPOIL(updates_rank, c->updates.ndim = 2)
SPOIL(input_rank, c->input.ndim = 2)
SPOIL(axis_first, c->given.axis = CLQ_AXIS_FIRST)
SPOIL(axis_first_negative, c->given.axis = -3)
SPOIL(axis_high, c->given.axis = 3)
SPOIL(axis_far, c->given.axis = INT32_MIN + 1)
SPOIL(axis_int4, c->cache.dtype = CLQ_INT4; c->given.axis = -1)
SPOIL(updates_wide, c->updates_shape[2] = 5)
SPOIL(bytes_narrow, c->cache.dtype = CLQ_INT4_BYTES; c->cache_shape[2] = 4)
SPOIL(words_narrow, c->cache.dtype = CLQ_INT4_WORDS; c->cache_shape[2] = 1)
SPOIL(nibbles_odd, c->cache.dtype = CLQ_INT4; c->cache_shape[2] = c->updates_shape[2] = 5)
SPOIL(input_long, c->input_shape[1] = 17)
SPOIL(scales_count, c->scales_shape[0] = 3)
SPOIL(scales_square, c->scales.ndim = 2; c->scales_shape[1] = 2)
SPOIL(zero_points_count, c->zero_points_shape[0] = 5)
SPOIL(negative_size, c->cache_shape[0] = -8)
SPOIL(cache_stride, c->cache.strides = c->strides; c->strides[1] = -4)
SPOIL(cache_repeats, c->cache.strides = c->strides; c->strides[0] = 0)
SPOIL(cache_folds, c->cache.strides = c->strides; c->strides[1] = 3)
SPOIL(nibbles_stride, c->cache.dtype = CLQ_INT4; c->cache.strides = c->strides; c->strides[1] = 5;
      c->strides[0] = 128)
SPOIL(indices_offset, c->indices.byte_offset = 2)
SPOIL(wide_offset, c->indices.dtype = CLQ_INT64; c->indices.byte_offset = 4)
SPOIL(words_offset, c->cache.dtype = CLQ_INT4_WORDS; c->cache_shape[2] = 1; c->updates_shape[2] = 8;
      c->scales_shape[0] = c->zero_points_shape[0] = 1; c->cache.byte_offset = 2)
SPOIL(cache_end, c->cache.byte_offset = REFUSED_BYTES - 511)
SPOIL(input_end, c->input.byte_offset = REFUSED_BYTES - 511)
SPOIL(indices_end, c->indices.byte_offset = REFUSED_BYTES - 4096)
SPOIL(updates_end, c->updates.byte_offset = REFUSED_BYTES - 8192)
SPOIL(scales_end, c->scales.byte_offset = REFUSED_BYTES - 12)
SPOIL(zero_points_end, c->zero_points.byte_offset = REFUSED_BYTES - 3)
SPOIL(cache_huge, c->cache_shape[0] = INT64_MAX / 32)
SPOIL(cache_far, c->cache.strides = c->strides; c->strides[0] = INT64_MAX / 2)
SPOIL(indices_huge, c->indices_shape[0] = INT64_MAX)
SPOIL(cache_in_input, c->cache.data = c->buffers[INPUT])
SPOIL(cache_in_indices, c->cache.data = c->buffers[INDICES]; c->cache.byte_offset = 8191)
SPOIL(cache_in_scales, c->cache.data = c->buffers[SCALES]; c->cache.byte_offset = 15)
SPOIL(cache_in_zero_points, c->zero_points.data = c->buffers[CACHE]; c->zero_points.byte_offset = 511)
SPOIL(report_far, c->given.report_offset_bytes = UINT64_MAX - 3)
SPOIL(report_in_input, c->given.report = c->buffers[INPUT])
SPOIL(report_in_zero_points, c->given.report = c->buffers[ZERO_POINTS])
SPOIL(workspace_in_input, c->given.workspace = c->buffers[INPUT])
SPOIL(workspace_in_scales, c->given.workspace = c->buffers[SCALES])
SPOIL(empty_updates, c->updates_shape[0] = c->indices_shape[0] = 0; c->given.axis = CLQ_AXIS_FIRST)
SPOIL(empty_row, c->updates_shape[1] = 0; c->given.report_offset_bytes = 6)

#define ANY_BUT_FIRST                                                                                        \
    ": it must be from 1 to 2 or from -2 to -1, any of the 3 dimensions of cache but the first"

static const struct refused_row rows[] = {
    ROWS_OF_ANY,
    ROWS_OF_SCATTER,
    {"a field of the future", reserved, CLQ_ERROR_VALUE,
     "desc.reserved[3] is not 0: this library knows no such field"},
    {"no such mode", mode, CLQ_ERROR_VALUE, "mode is 2: it must be CLQ_DIVIDE (0) or CLQ_MULTIPLY (1)"},
    {"no scales", no_scales, CLQ_ERROR_NULL, "scales is NULL: it must be a tensor"},
    {"cache without data", cache_data, CLQ_ERROR_NULL, "cache.data is NULL: it must be a cl_mem"},
    {"indices without a shape", indices_shapeless, CLQ_ERROR_NULL,
     "indices.shape is NULL: it must have 2 values"},
    {"updates on the host", updates_host, CLQ_ERROR_VALUE,
     "updates.device.device_type is 1: it must be kDLOpenCL (4), whose data is a cl_mem"},
    {"cache of floats", cache_float, CLQ_ERROR_TYPE,
     "cache.dtype is float32: it must be int8, uint8 or int4"},
    {"cache of int32", cache_int32, CLQ_ERROR_TYPE, "cache.dtype is int32: it must be int8, uint8 or int4"},
    {"indices of int8", indices_int8, CLQ_ERROR_TYPE, "indices.dtype is int8: it must be int32 or int64"},
    {"scales of int32", scales_int32, CLQ_ERROR_TYPE, "scales.dtype is int32: " FLOATS},
    {"zero points of int64", zero_points_int64, CLQ_ERROR_TYPE,
     "zero_points.dtype is int64: it must be float32, float16, bfloat16, int8, "
     "uint8 or int32"},
    {"input of another type", input_uint8, CLQ_ERROR_TYPE, "input.dtype is uint8: it must be int8"},
    {"input in other containers", input_lanes, CLQ_ERROR_TYPE,
     "input.dtype has 2 lanes: it must have those of cache, 1"},
    {"updates of rank 1", updates_flat, CLQ_ERROR_RANK, "updates.ndim is 1: it must be the rank of cache, 3"},
    {"rows without places", all_flat, CLQ_ERROR_RANK, "cache.ndim is 1: it must be from 2 to 8"},
    {"updates of rank 9", updates_deep, CLQ_ERROR_RANK, "updates.ndim is 9: it must be from 0 to 8"},
    {"updates of another rank", updates_rank, CLQ_ERROR_RANK,
     "updates.ndim is 2: it must be the rank of cache, 3"},
    {"input of another rank", input_rank, CLQ_ERROR_RANK, "input.ndim is 2: it must be the rank of cache, 3"},
    {"axis 0", axis_first, CLQ_ERROR_AXIS, "axis is 0 (CLQ_AXIS_FIRST)" ANY_BUT_FIRST},
    {"axis minus the rank", axis_first_negative, CLQ_ERROR_AXIS, "axis is -3" ANY_BUT_FIRST},
    {"axis at the rank", axis_high, CLQ_ERROR_AXIS, "axis is 3" ANY_BUT_FIRST},
    {"axis far out", axis_far, CLQ_ERROR_AXIS, "axis is -2147483647" ANY_BUT_FIRST},
    {"axis last for int4", axis_int4, CLQ_ERROR_AXIS,
     "axis is -1: it must be 1 or -2, any of the 3 dimensions of cache but the first "
     "and the last"},
    {"updates wider than the cache", updates_wide, CLQ_ERROR_SHAPE,
     "updates.shape[2] is 5: it must be cache.shape[2], 4, for axis is 1, where alone an entry may be "
     "shorter than the cache"},
    {"bytes of two, as many as updates", bytes_narrow, CLQ_ERROR_SHAPE,
     "cache.shape[2] is 4, of 2 int4 elements each: it must be a half of updates.shape[2], 4"},
    {"a word of eight for four", words_narrow, CLQ_ERROR_SHAPE,
     "cache.shape[2] is 1, of 8 int4 elements each: it must be an eighth of updates.shape[2], 4"},
    {"packed int4 of odd size", nibbles_odd, CLQ_ERROR_SHAPE,
     "cache.shape[2] is 5: the last dimension of packed int4 must be even"},
    {"input of another size", input_long, CLQ_ERROR_SHAPE,
     "input.shape[1] is 17: it must be cache.shape[1], 16"},
    {"too few scales", scales_count, CLQ_ERROR_SHAPE,
     "scales has 3 elements: with indices it must have 1, or 4 as updates.shape[2], the last dimension"},
    {"scales that count to too many", scales_square, CLQ_ERROR_SHAPE,
     "scales has 8 elements: with indices it must have 1, or 4 as updates.shape[2], the last dimension"},
    {"too many zero points", zero_points_count, CLQ_ERROR_SHAPE,
     "zero_points has 5 elements: with indices it must have 1, or 4 as updates.shape[2], the last dimension"},
    {"a negative size", negative_size, CLQ_ERROR_SHAPE, "cache.shape[0] is -8: it must not be negative"},
    {"a negative stride", cache_stride, CLQ_ERROR_LAYOUT, "cache.strides[1] is -4: it must not be negative"},
    {"batches in one place", cache_repeats, CLQ_ERROR_OVERLAP, "cache.strides[0] is 0" OVERLAPS "1" SPAN},
    {"positions that overlap", cache_folds, CLQ_ERROR_OVERLAP, "cache.strides[1] is 3" OVERLAPS "4" SPAN},
    {"packed int4 with an odd stride", nibbles_stride, CLQ_ERROR_LAYOUT,
     "cache.strides[1] is 5: packed int4 has a last stride of 1 and even other strides"},
    {"an offset within an int32", indices_offset, CLQ_ERROR_LAYOUT,
     "indices.byte_offset is 2: it must be a multiple of the element's 4 bytes"},
    {"an offset within an int64", wide_offset, CLQ_ERROR_LAYOUT,
     "indices.byte_offset is 4: it must be a multiple of the element's 8 bytes"},
    {"an offset within a word", words_offset, CLQ_ERROR_LAYOUT,
     "cache.byte_offset is 2: it must be a multiple of the element's 4 bytes"},
    {"cache past its buffer", cache_end, CLQ_ERROR_SIZE, SHORT("cache") "65537"},
    {"input past its buffer", input_end, CLQ_ERROR_SIZE, SHORT("input") "65537"},
    {"indices past their buffer", indices_end, CLQ_ERROR_SIZE, SHORT("indices") "69632"},
    {"updates past their buffer", updates_end, CLQ_ERROR_SIZE, SHORT("updates") "73728"},
    {"scales past their buffer", scales_end, CLQ_ERROR_SIZE, SHORT("scales") "65540"},
    {"zero points past their buffer", zero_points_end, CLQ_ERROR_SIZE, SHORT("zero_points") "65537"},
    {"a cache of 2^64", cache_huge, CLQ_ERROR_OVERFLOW,
     "cache has more than 2^63 elements: the product of its shape must fit into 63 bits"},
    {"a cache that reaches past 2^63", cache_far, CLQ_ERROR_OVERFLOW,
     "cache.strides[0] is 4611686018427387903: shape x strides must fit into 63 bits"},
    {"entries without number", indices_huge, CLQ_ERROR_OVERFLOW,
     "indices has more than 2^63 elements: the product of its shape must fit into 63 bits"},
    {"cache in the input", cache_in_input, CLQ_ERROR_OVERLAP, DISJOINT("cache", "input")},
    {"cache in the indices", cache_in_indices, CLQ_ERROR_OVERLAP, DISJOINT("cache", "indices")},
    {"cache in the scales", cache_in_scales, CLQ_ERROR_OVERLAP, DISJOINT("cache", "scales")},
    {"zero points in the cache", cache_in_zero_points, CLQ_ERROR_OVERLAP, DISJOINT("cache", "zero_points")},
    {"report far out", report_far, CLQ_ERROR_OVERFLOW,
     "report ends past 2^63 bytes: shape x strides + byte_offset must fit into 63 bits"},
    {"report in the input", report_in_input, CLQ_ERROR_OVERLAP, DISJOINT("report", "input")},
    {"report in the zero points", report_in_zero_points, CLQ_ERROR_OVERLAP,
     DISJOINT("report", "zero_points")},
    {"workspace in the input", workspace_in_input, CLQ_ERROR_OVERLAP, DISJOINT("workspace", "input")},
    {"workspace in the scales", workspace_in_scales, CLQ_ERROR_OVERLAP, DISJOINT("workspace", "scales")},
    {"no entries, and a wrong axis", empty_updates, CLQ_ERROR_AXIS,
     "axis is 0 (CLQ_AXIS_FIRST)" ANY_BUT_FIRST},
    {"empty entries, and a wrong report", empty_row, CLQ_ERROR_LAYOUT,
     "report_offset_bytes is 6: it must be a multiple of 4"},
};

static void refuses(void **state)
{
    const struct refused_row *row = *state;
    cl_event done = NULL;
    struct call c;
    size_t bytes = 1;

    make_call(&c);
    row->spoil(&c);
    refused_expect(clq_quantize_scatter(c.context, c.queue, c.desc, c.num_wait, c.wait, &done), row->status,
                   row->sentence, row->name);
    refused_expect_check(clq_quantize_scatter_check(c.desc), row);
    refused_expect(clq_quantize_scatter_check_indices(c.context, c.queue, c.desc, c.num_wait, c.wait),
                   row->status, row->sentence, "clq_quantize_scatter_check_indices");
    /* These two have no queue and no wait list. */
    if (c.queue && !c.num_wait && !c.wait) {
        refused_expect(clq_quantize_scatter_build(c.context, c.desc), row->status, row->sentence,
                       "clq_quantize_scatter_build");
        if (!refused_for_its_workspace(row))
            refused_expect(clq_quantize_scatter_workspace(c.context, c.desc, &bytes), row->status,
                           row->sentence, "clq_quantize_scatter_workspace");
    }
    refused_expect_nothing(&done, c.buffers, fillings, BUFFERS);
    refused_release(c.buffers, BUFFERS);
}

/* In place and out of place; else no row would say anything. */
static void the_call_itself_is_right(void **state)
{
    struct call c;

    (void)state;
    for (int copies = 0; copies < 2; copies++) {
        make_call(&c);
        c.given.input = copies ? &c.input : NULL;
        expect_status(clq_quantize_scatter(c.context, c.queue, c.desc, 0, NULL, NULL), CLQ_OK, "the call");
        expect_cl(clFinish(harness.queue), "clFinish");
        assert_false(refused_untouched(c.buffers[CACHE], fillings[CACHE]));
        assert_true(refused_untouched(c.buffers[INPUT], fillings[INPUT]));
        assert_false(refused_untouched(c.buffers[WORKSPACE], fillings[WORKSPACE]));
        expect_status(clq_quantize_scatter_check_indices(c.context, c.queue, c.desc, 0, NULL), CLQ_OK,
                      "check_indices");
        refused_release(c.buffers, BUFFERS);
    }
}

static void the_workspace_has_to_be_said_somewhere(void **state)
{
    struct call c;

    (void)state;
    make_call(&c);
    refused_expect(clq_quantize_scatter_workspace(c.context, c.desc, NULL), CLQ_ERROR_NULL,
                   "size_bytes is NULL: it must point to a size_t", "no size_bytes");
    refused_release(c.buffers, BUFFERS);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[COUNT(rows) + 2];

    tests[0] = (struct CMUnitTest)cmocka_unit_test(the_call_itself_is_right);
    tests[1] = (struct CMUnitTest)cmocka_unit_test(the_workspace_has_to_be_said_somewhere);
    refused_tests(tests + 2, rows, COUNT(rows), refuses);
    return HARNESS_RUN(argc, argv, "bad_input_scatter", tests);
}
