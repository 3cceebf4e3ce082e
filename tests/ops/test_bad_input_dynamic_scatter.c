/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each rule of dynamic quantization into caches: the status and the sentence of the refusal, and
 * nothing written. (What the tensors' own rules are: test_bad_input_scatter.c and test_bad_input_dynamic.c.) */
#include "refused_scatter.h"

enum { CACHE, SCALES, OFFSETS, INDICES, UPDATES, SMOOTH, REPORT, WORKSPACE, BUFFERS };
enum { N = 1024 };

/* Entries all at (0, 0), and floats of 3.0. */
static const unsigned char fillings[BUFFERS] = {
    [CACHE] = 0x41,   [SCALES] = 0x42, [OFFSETS] = 0x43, [INDICES] = 0,
    [UPDATES] = 0x40, [SMOOTH] = 0x40, [REPORT] = 0x44,  [WORKSPACE] = 0x45};

/* A call that is right, for a row to spoil: cache int8 (8, 16, 2, 4), cache_scale and cache_offset (8, 16, 2),
 * indices int32 (1024, 2), updates float32 (1024, 1, 2, 4), so that a table of last entries is needed. */
struct call {
    clq_context *context;
    cl_command_queue queue;
    cl_mem buffers[BUFFERS];
    int64_t cache_shape[9], scale_shape[9], offset_shape[9], indices_shape[2], updates_shape[9],
        smooth_shape[2], strides[4];
    DLTensor cache, scale, offset, indices, updates, smooth_scale;
    struct clq_dynamic_quantize_scatter_desc given;
    const struct clq_dynamic_quantize_scatter_desc *desc;
    cl_uint num_wait;
    const cl_event *wait;
};

static void make_call(struct call *c)
{
    *c = (struct call){.context = harness.context,
                       .queue = harness.queue,
                       .cache_shape = {8, 16, 2, 4},
                       .scale_shape = {8, 16, 2, 1},
                       .offset_shape = {8, 16, 2, 1},
                       .indices_shape = {N, 2},
                       .updates_shape = {N, 1, 2, 4},
                       .smooth_shape = {4, 1},
                       .strides = {32, 2, 1, 1}};
    refused_make(c->buffers, fillings, BUFFERS);
    c->cache = refused_tensor(c->buffers[CACHE], CLQ_INT8, 4, c->cache_shape);
    c->scale = refused_tensor(c->buffers[SCALES], CLQ_FLOAT32, 3, c->scale_shape);
    c->offset = refused_tensor(c->buffers[OFFSETS], CLQ_FLOAT32, 3, c->offset_shape);
    c->indices = refused_tensor(c->buffers[INDICES], CLQ_INT32, 2, c->indices_shape);
    c->updates = refused_tensor(c->buffers[UPDATES], CLQ_FLOAT32, 4, c->updates_shape);
    c->smooth_scale = refused_tensor(c->buffers[SMOOTH], CLQ_FLOAT32, 1, c->smooth_shape);
    c->given = (struct clq_dynamic_quantize_scatter_desc){.cache = &c->cache,
                                                          .cache_scales = &c->scale,
                                                          .cache_offsets = &c->offset,
                                                          .indices = &c->indices,
                                                          .updates = &c->updates,
                                                          .smooth_scales = &c->smooth_scale,
                                                          .axis = 1,
                                                          .report = c->buffers[REPORT],
                                                          .workspace = c->buffers[WORKSPACE]};
    c->desc = &c->given;
}

SPOIL_ANY
SPOIL_SCATTER
SPOIL(reserved, c->given.reserved[0] = 1)
SPOIL(symmetric, c->given.symmetric = 2; c->given.cache_offsets = NULL)
SPOIL(symmetric_offset, c->given.symmetric = 1)
SPOIL(no_scale, c->given.cache_scales = NULL)
SPOIL(no_offset, c->given.cache_offsets = NULL)
SPOIL(cache_uint8, c->cache.dtype = CLQ_UINT8)
SPOIL(cache_int32, c->cache.dtype = CLQ_INT32)
SPOIL(scale_half, c->scale.dtype = CLQ_FLOAT16)
SPOIL(offset_int32, c->offset.dtype = CLQ_INT32)
SPOIL(rank_two, c->cache.ndim = c->updates.ndim = 2; c->scale.ndim = c->offset.ndim = 1;
      c->cache_shape[1] = c->updates_shape[1] = 4)
SPOIL(cache_rank, c->cache.ndim = 3)
SPOIL(scale_rank, c->scale.ndim = 4)
SPOIL(offset_rank, c->offset.ndim = 2)
SPOIL(axis_first, c->given.axis = CLQ_AXIS_FIRST)
SPOIL(axis_last, c->given.axis = -1)
SPOIL(axis_high, c->given.axis = 4)
SPOIL(axis_low, c->given.axis = -4)
SPOIL(updates_heads, c->updates_shape[2] = 3)
SPOIL(updates_wide, c->updates_shape[3] = 5)
SPOIL(row_empty, c->updates_shape[3] = c->cache_shape[3] = c->smooth_shape[0] = 0)
SPOIL(scale_batches, c->scale_shape[0] = 9)
SPOIL(scale_axis, c->scale_shape[1] = 1)
SPOIL(offset_heads, c->offset_shape[2] = 1)
SPOIL(smooth_count, c->smooth_shape[0] = 8)
SPOIL(nibbles_odd, c->cache.dtype = CLQ_INT4; c->cache_shape[3] = c->updates_shape[3] = 5)
SPOIL(cache_folds, c->cache.strides = c->strides; c->strides[2] = 3)
SPOIL(scale_repeats, c->scale.strides = c->strides; c->strides[1] = 0)
SPOIL(offset_folds, c->offset.strides = c->strides; c->strides[0] = 31)
SPOIL(cache_end, c->cache.byte_offset = REFUSED_BYTES - 1023)
SPOIL(scale_end, c->scale.byte_offset = REFUSED_BYTES - 1020)
SPOIL(offset_end, c->offset.byte_offset = REFUSED_BYTES - 1020)
SPOIL(updates_end, c->updates.byte_offset = REFUSED_BYTES - 32764)
SPOIL(cache_in_indices, c->cache.data = c->buffers[INDICES])
SPOIL(scale_in_cache, c->scale.data = c->buffers[CACHE]; c->scale.byte_offset = 1020)
SPOIL(scale_in_indices, c->scale.data = c->buffers[INDICES])
SPOIL(scale_in_updates, c->scale.data = c->buffers[UPDATES])
SPOIL(offset_in_cache, c->offset.data = c->buffers[CACHE])
SPOIL(offset_in_scale, c->offset.data = c->buffers[SCALES]; c->offset.byte_offset = 1020)
SPOIL(offset_in_smooth, c->offset.data = c->buffers[SMOOTH])
SPOIL(report_in_scale, c->given.report = c->buffers[SCALES])
SPOIL(report_in_offset, c->given.report = c->buffers[OFFSETS])
SPOIL(report_in_updates, c->given.report = c->buffers[UPDATES])
SPOIL(workspace_in_scale, c->given.workspace = c->buffers[SCALES])
SPOIL(workspace_in_offset, c->given.workspace = c->buffers[OFFSETS])
SPOIL(workspace_in_smooth, c->given.workspace = c->buffers[SMOOTH])
SPOIL(empty_updates, c->updates_shape[0] = c->indices_shape[0] = 0; c->given.axis = -1)

#define NEITHER                                                                                              \
    ": it must be from 1 to 2 or from -3 to -2, any of the 4 dimensions of cache but the first and the last"

static const struct refused_row rows[] = {
    ROWS_OF_ANY,
    ROWS_OF_SCATTER,
    {"a field of the future", reserved, CLQ_ERROR_VALUE,
     "desc.reserved[0] is not 0: this library knows no such field"},
    {"symmetric is 2", symmetric, CLQ_ERROR_VALUE, "symmetric is 2: it must be 0 or 1"},
    {"an offset of what has none", symmetric_offset, CLQ_ERROR_VALUE,
     "cache_offsets is given: it must be NULL where symmetric is 1"},
    {"no scale", no_scale, CLQ_ERROR_NULL, "cache_scales is NULL: it must be a tensor"},
    {"no offset", no_offset, CLQ_ERROR_NULL, "cache_offsets is NULL: it must be a tensor"},
    {"cache of uint8", cache_uint8, CLQ_ERROR_TYPE, "cache.dtype is uint8: it must be int8 or int4"},
    {"cache of int32", cache_int32, CLQ_ERROR_TYPE, "cache.dtype is int32: it must be int8 or int4"},
    {"scales of float16", scale_half, CLQ_ERROR_TYPE, "cache_scales.dtype is float16: it must be float32"},
    {"offsets of int32", offset_int32, CLQ_ERROR_TYPE, "cache_offsets.dtype is int32: it must be float32"},
    {"rank 2", rank_two, CLQ_ERROR_RANK, "cache.ndim is 2: it must be from 3 to 8"},
    {"cache of another rank", cache_rank, CLQ_ERROR_RANK,
     "cache.ndim is 3: it must be the rank of updates, 4"},
    {"scales of the cache's rank", scale_rank, CLQ_ERROR_RANK,
     "cache_scales.ndim is 4: it must be 3, that of cache less its last dimension"},
    {"offsets of another rank", offset_rank, CLQ_ERROR_RANK,
     "cache_offsets.ndim is 2: it must be 3, that of cache less its last dimension"},
    {"axis 0", axis_first, CLQ_ERROR_AXIS, "axis is 0 (CLQ_AXIS_FIRST)" NEITHER},
    {"axis last", axis_last, CLQ_ERROR_AXIS, "axis is -1" NEITHER},
    {"axis at the rank", axis_high, CLQ_ERROR_AXIS, "axis is 4" NEITHER},
    {"axis minus the rank", axis_low, CLQ_ERROR_AXIS, "axis is -4" NEITHER},
    {"more heads than the cache", updates_heads, CLQ_ERROR_SHAPE,
     "updates.shape[2] is 3: it must be cache.shape[2], 2, for axis is 1, where alone an entry may be "
     "shorter than the cache"},
    {"rows longer than the cache's", updates_wide, CLQ_ERROR_SHAPE,
     "cache.shape[3] is 4: it must be updates.shape[3], 5"},
    {"rows of nothing", row_empty, CLQ_ERROR_SHAPE,
     "updates.shape[3] is 0: a row must have at least one element"},
    {"scales of more batches", scale_batches, CLQ_ERROR_SHAPE,
     "cache_scales.shape[0] is 9: it must be cache.shape[0], 8"},
    {"scales of one position", scale_axis, CLQ_ERROR_SHAPE,
     "cache_scales.shape[1] is 1: it must be cache.shape[1], 16"},
    {"offsets of one head", offset_heads, CLQ_ERROR_SHAPE,
     "cache_offsets.shape[2] is 1: it must be cache.shape[2], 2"},
    {"smooth scales of two heads", smooth_count, CLQ_ERROR_SHAPE,
     "smooth_scales has 8 elements: it must have one per element of a row, 4 as updates.shape[3]"},
    {"packed int4 of odd size", nibbles_odd, CLQ_ERROR_SHAPE,
     "cache.shape[3] is 5: the last dimension of packed int4 must be even"},
    {"heads of the cache that overlap", cache_folds, CLQ_ERROR_OVERLAP,
     "cache.strides[1] is 2" OVERLAPS "4" SPAN},
    {"scales in one place", scale_repeats, CLQ_ERROR_OVERLAP,
     "cache_scales.strides[1] is 0" OVERLAPS "1" SPAN},
    {"offsets that overlap", offset_folds, CLQ_ERROR_OVERLAP,
     "cache_offsets.strides[0] is 31" OVERLAPS "32" SPAN},
    {"cache past its buffer", cache_end, CLQ_ERROR_SIZE, SHORT("cache") "65537"},
    {"scales past their buffer", scale_end, CLQ_ERROR_SIZE, SHORT("cache_scales") "65540"},
    {"offsets past their buffer", offset_end, CLQ_ERROR_SIZE, SHORT("cache_offsets") "65540"},
    {"updates past their buffer", updates_end, CLQ_ERROR_SIZE, SHORT("updates") "65540"},
    {"cache in the indices", cache_in_indices, CLQ_ERROR_OVERLAP, DISJOINT("cache", "indices")},
    {"scales in the cache", scale_in_cache, CLQ_ERROR_OVERLAP, DISJOINT("cache", "cache_scales")},
    {"scales in the indices", scale_in_indices, CLQ_ERROR_OVERLAP, DISJOINT("cache_scales", "indices")},
    {"scales in the updates", scale_in_updates, CLQ_ERROR_OVERLAP, DISJOINT("cache_scales", "updates")},
    {"offsets in the cache", offset_in_cache, CLQ_ERROR_OVERLAP, DISJOINT("cache", "cache_offsets")},
    {"offsets in the scales", offset_in_scale, CLQ_ERROR_OVERLAP, DISJOINT("cache_scales", "cache_offsets")},
    {"offsets in the smooth scale", offset_in_smooth, CLQ_ERROR_OVERLAP,
     DISJOINT("cache_offsets", "smooth_scales")},
    {"report in the scales", report_in_scale, CLQ_ERROR_OVERLAP, DISJOINT("report", "cache_scales")},
    {"report in the offsets", report_in_offset, CLQ_ERROR_OVERLAP, DISJOINT("report", "cache_offsets")},
    {"report in the updates", report_in_updates, CLQ_ERROR_OVERLAP, DISJOINT("report", "updates")},
    {"workspace in the scales", workspace_in_scale, CLQ_ERROR_OVERLAP, DISJOINT("workspace", "cache_scales")},
    {"workspace in the offsets", workspace_in_offset, CLQ_ERROR_OVERLAP,
     DISJOINT("workspace", "cache_offsets")},
    {"workspace in the smooth scale", workspace_in_smooth, CLQ_ERROR_OVERLAP,
     DISJOINT("workspace", "smooth_scales")},
    {"no entries, and a wrong axis", empty_updates, CLQ_ERROR_AXIS, "axis is -1" NEITHER},
};

static void refuses(void **state)
{
    const struct refused_row *row = *state;
    cl_event done = NULL;
    struct call c;
    size_t bytes = 1;

    make_call(&c);
    row->spoil(&c);
    refused_expect(clq_dynamic_quantize_scatter(c.context, c.queue, c.desc, c.num_wait, c.wait, &done),
                   row->status, row->sentence, row->name);
    refused_expect_check(clq_dynamic_quantize_scatter_check(c.desc), row);
    refused_expect(clq_dynamic_quantize_scatter_check_indices(c.context, c.queue, c.desc, c.num_wait, c.wait),
                   row->status, row->sentence, "clq_dynamic_quantize_scatter_check_indices");
    /* These two have no queue and no wait list. */
    if (c.queue && !c.num_wait && !c.wait) {
        refused_expect(clq_dynamic_quantize_scatter_build(c.context, c.desc), row->status, row->sentence,
                       "clq_dynamic_quantize_scatter_build");
        if (!refused_for_its_workspace(row))
            refused_expect(clq_dynamic_quantize_scatter_workspace(c.context, c.desc, &bytes), row->status,
                           row->sentence, "clq_dynamic_quantize_scatter_workspace");
    }
    refused_expect_nothing(&done, c.buffers, fillings, BUFFERS);
    refused_release(c.buffers, BUFFERS);
}

static void the_call_itself_is_right(void **state)
{
    struct call c;
    size_t bytes = 0;

    (void)state;
    make_call(&c);
    expect_status(clq_dynamic_quantize_scatter(c.context, c.queue, c.desc, 0, NULL, NULL), CLQ_OK,
                  "the call");
    expect_cl(clFinish(harness.queue), "clFinish");
    for (int i = CACHE; i <= OFFSETS; i++)
        assert_false(refused_untouched(c.buffers[i], fillings[i]));
    assert_false(refused_untouched(c.buffers[WORKSPACE], fillings[WORKSPACE]));
    assert_true(refused_untouched(c.buffers[REPORT], fillings[REPORT]));
    expect_status(clq_dynamic_quantize_scatter_check_indices(c.context, c.queue, c.desc, 0, NULL), CLQ_OK,
                  "check_indices");
    expect_status(clq_dynamic_quantize_scatter_workspace(c.context, c.desc, &bytes), CLQ_OK, "workspace");
    assert_true(bytes > 0);
    refused_expect(clq_dynamic_quantize_scatter_workspace(c.context, c.desc, NULL), CLQ_ERROR_NULL,
                   "size_bytes is NULL: it must point to a size_t", "no size_bytes");
    refused_release(c.buffers, BUFFERS);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[COUNT(rows) + 1];

    tests[0] = (struct CMUnitTest)cmocka_unit_test(the_call_itself_is_right);
    refused_tests(tests + 1, rows, COUNT(rows), refuses);
    return HARNESS_RUN(argc, argv, "bad_input_dynamic_scatter", tests);
}
