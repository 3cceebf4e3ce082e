/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls npu_quant_scatter and npu_quant_scatter_: what they refuse. What they compute is
 * harness.documented.* */
#include "refused.h"

#include <stdio.h>
#include <string.h>

enum { INPUT, CACHE, INDICES, UPDATES, SCALES, ZERO_POINTS, BUFFERS };
static const unsigned char fillings[BUFFERS] = {
    [INPUT] = 0x41, [CACHE] = 0x40, [INDICES] = 0, [UPDATES] = 0x40, [SCALES] = 0x40, [ZERO_POINTS] = 0x02};

/* A call that is right, for a row to spoil: cache int8 (4, 8, 16), indices int32 (3, 2), updates float32
 * (3, 2, 16). */
struct call {
    cl_mem buffers[BUFFERS];
    DLTensor tensors[BUFFERS];
    int64_t shapes[BUFFERS][9];
    const DLTensor *arguments[BUFFERS];
    int axis, quant_axis;
    const char *reduce, *round_mode;
    int dst_type;
    clq_context *context;
    cl_command_queue queue;
    cl_uint num_wait;
};

static void make_bad_call(struct call *c)
{
    static const int64_t shapes[BUFFERS][9] = {[INPUT] = {4, 8, 16, 1, 1, 1, 1, 1, 1},
                                               [CACHE] = {4, 8, 16, 1, 1, 1, 1, 1, 1},
                                               [INDICES] = {3, 2, 1},
                                               [UPDATES] = {3, 2, 16, 1, 1, 1, 1, 1, 1},
                                               [SCALES] = {16, 1, 1},
                                               [ZERO_POINTS] = {16, 1, 1}};
    static const int ranks[BUFFERS] = {3, 3, 2, 3, 1, 1};
    const DLDataType dtypes[BUFFERS] = {CLQ_INT8, CLQ_INT8, CLQ_INT32, CLQ_FLOAT32, CLQ_FLOAT32, CLQ_INT8};

    *c = (struct call){
        .axis = -2, .quant_axis = -1, .reduce = "update", .context = harness.context, .queue = harness.queue};
    memcpy(c->shapes, shapes, sizeof(shapes));
    refused_make(c->buffers, fillings, BUFFERS);
    for (int i = 0; i < BUFFERS; i++) {
        c->tensors[i] = refused_tensor(c->buffers[i], dtypes[i], ranks[i], c->shapes[i]);
        c->arguments[i] = &c->tensors[i];
    }
}

static clq_status run_bad_call(const struct call *c, bool copies, cl_event *done)
{
    const DLTensor *const *a = c->arguments;

    return copies ? clq_npu_quant_scatter(c->context, c->queue, a[INPUT], a[INDICES], a[UPDATES], a[SCALES],
                                          a[ZERO_POINTS], c->axis, c->quant_axis, c->reduce,
                                          (enum clq_npu_dtype)c->dst_type, c->round_mode, a[CACHE],
                                          c->num_wait, NULL, done)
                  : clq_npu_quant_scatter_(c->context, c->queue, a[CACHE], a[INDICES], a[UPDATES], a[SCALES],
                                           a[ZERO_POINTS], c->axis, c->quant_axis, c->reduce,
                                           (enum clq_npu_dtype)c->dst_type, c->round_mode, c->num_wait, NULL,
                                           done);
}

/* In sentences $ stands for what the call names the cache: output, or self. */
struct bad_row {
    const char *name;
    void (*spoil)(struct call *c);
    clq_status status;
    const char *sentence;
    bool copies_only;
};

SPOIL(no_input, c->arguments[INPUT] = NULL)
SPOIL(no_cache, c->arguments[CACHE] = NULL)
SPOIL(no_indices, c->arguments[INDICES] = NULL)
SPOIL(no_updates, c->arguments[UPDATES] = NULL)
SPOIL(no_scales, c->arguments[SCALES] = NULL)
SPOIL(no_context, c->context = NULL)
SPOIL(no_queue, c->queue = NULL)
SPOIL(wait_missing, c->num_wait = 1)
SPOIL(no_reduce, c->reduce = NULL)
SPOIL(reduce_add, c->reduce = "add")
SPOIL(reduce_longer, c->reduce = "updates")
SPOIL(round_half, c->round_mode = "round")
SPOIL(dst_uint8, c->dst_type = CLQ_NPU_QUINT8)
SPOIL(dst_above, c->dst_type = 7)
SPOIL(dst_negative, c->dst_type = -1)
SPOIL(dst_e5m2, c->dst_type = CLQ_NPU_FLOAT8_E5M2)
SPOIL(cache_e4m3, c->tensors[CACHE].dtype = CLQ_FLOAT8_E4M3FN)
SPOIL(cache_uint8, c->tensors[CACHE].dtype = CLQ_UINT8)
SPOIL(cache_int4, c->tensors[CACHE].dtype = CLQ_INT4)
SPOIL(input_uint8, c->tensors[INPUT].dtype = CLQ_UINT8)
SPOIL(updates_int8, c->tensors[UPDATES].dtype = CLQ_INT8)
SPOIL(indices_int8, c->tensors[INDICES].dtype = CLQ_INT8)
SPOIL(rank_2, c->tensors[UPDATES].ndim = c->tensors[CACHE].ndim = c->tensors[INPUT].ndim = 2; c->axis = 1)
SPOIL(rank_9, c->tensors[UPDATES].ndim = c->tensors[CACHE].ndim = c->tensors[INPUT].ndim = 9)
SPOIL(other_rank, c->tensors[CACHE].ndim = 4)
SPOIL(axis_default, c->axis = 0)
SPOIL(axis_first, c->axis = -3)
SPOIL(axis_last, c->axis = 2)
SPOIL(axis_last_negative, c->axis = -1)
SPOIL(axis_rank, c->axis = 3)
SPOIL(axis_low, c->axis = -4)
SPOIL(axis_lowest, c->axis = INT32_MIN)
SPOIL(quant_axis_default, c->quant_axis = 1)
SPOIL(quant_axis_first, c->quant_axis = 0)
SPOIL(quant_axis_rank, c->quant_axis = 3)
SPOIL(quant_axis_negative, c->quant_axis = -2)
SPOIL(quant_axis_lowest, c->quant_axis = INT32_MIN)
SPOIL(both_defaults, c->axis = 0; c->quant_axis = 1)
SPOIL(one_scale, c->shapes[SCALES][0] = 1)
SPOIL(scale_of_rank_0, c->tensors[SCALES].ndim = 0)
SPOIL(scales_of_the_axis, c->shapes[SCALES][0] = 2)
SPOIL(one_zero_point, c->shapes[ZERO_POINTS][0] = 1)
SPOIL(zero_points_square, c->tensors[ZERO_POINTS].ndim = 2; c->shapes[ZERO_POINTS][1] = 16)
SPOIL(many_scales, c->tensors[SCALES].ndim = 3; c->shapes[SCALES][0] = INT64_MAX; c->shapes[SCALES][1] = 16;
      c->shapes[SCALES][2] = 1)
SPOIL(negative_scales, c->shapes[SCALES][0] = -16)
SPOIL(deep_scales, c->tensors[SCALES].ndim = 1000)
SPOIL(many_entries, c->shapes[UPDATES][0] = c->shapes[INDICES][0] = 5)
SPOIL(many_tokens, c->shapes[UPDATES][1] = 9)
SPOIL(wide_updates, c->shapes[UPDATES][2] = c->shapes[SCALES][0] = c->shapes[ZERO_POINTS][0] = 17)
SPOIL(triples, c->shapes[INDICES][1] = 3)
SPOIL(few_indices, c->shapes[INDICES][0] = 2)
SPOIL(deep_indices, c->tensors[INDICES].ndim = 3)
SPOIL(input_long, c->shapes[INPUT][1] = 9)
SPOIL(cache_end, c->tensors[CACHE].byte_offset = REFUSED_BYTES - 511)
SPOIL(cache_is_input, c->tensors[CACHE].data = c->buffers[INPUT])
SPOIL(cache_in_updates, c->tensors[CACHE].data = c->buffers[UPDATES])

#define AXIS                                                                                                 \
    ": it must be neither the first nor the last dimension of updates; pass -2 for the second-to-last"
#define QUANT_AXIS ": it must be the last dimension of updates; pass -1"
#define DST        ": for dst_type "
#define DST_TYPES  ": it must be 0, CLQ_NPU_QINT8 (1), CLQ_NPU_FLOAT8_E5M2 (5) or CLQ_NPU_FLOAT8_E4M3FN (6)"
#define PER_INDEX  ": it must have one per index of the last axis of updates, 16"

static const struct bad_row bad_rows[] = {
    {"no input", no_input, CLQ_ERROR_NULL, "input is NULL: it must be a tensor", true},
    {"no cache", no_cache, CLQ_ERROR_NULL, "$ is NULL: it must be a tensor", false},
    {"no indices", no_indices, CLQ_ERROR_NULL, "indices is NULL: it must be a tensor", false},
    {"no updates", no_updates, CLQ_ERROR_NULL, "updates is NULL: it must be a tensor", false},
    {"no scales", no_scales, CLQ_ERROR_NULL, "quant_scales is NULL: it must be a tensor", false},
    {"no context", no_context, CLQ_ERROR_NULL, "context is NULL: it must be a context", false},
    {"no queue", no_queue, CLQ_ERROR_NULL, "queue is NULL: it must be a command queue", false},
    {"a wait list that is missing", wait_missing, CL_INVALID_EVENT_WAIT_LIST,
     "num_wait is 1 and wait is NULL: a wait list has both or neither", false},
    {"no reduce", no_reduce, CLQ_ERROR_NULL, "reduce is NULL: it must be \"update\"", false},
    {"reduce is add", reduce_add, CLQ_ERROR_VALUE, "reduce is \"add\": it must be \"update\"", false},
    {"reduce is longer", reduce_longer, CLQ_ERROR_VALUE, "reduce is \"updates\": it must be \"update\"",
     false},
    {"a cache of uint8", cache_uint8, CLQ_ERROR_TYPE, "$.dtype is uint8" DST "int8 it must be int8", false},
    {"a cache of int4", cache_int4, CLQ_ERROR_TYPE, "$.dtype is int4" DST "int8 it must be int8", false},
    {"a cache of float8 for int8", cache_e4m3, CLQ_ERROR_TYPE,
     "$.dtype is float8_e4m3fn" DST "int8 it must be int8", false},
    {"a cache of int8 for float8", dst_e5m2, CLQ_ERROR_TYPE,
     "$.dtype is int8" DST "float8_e5m2 it must be float8_e5m2", false},
    {"round_mode is round", round_half, CLQ_ERROR_VALUE, "round_mode is \"round\": it must be \"rint\"",
     false},
    {"dst_type is quint8", dst_uint8, CLQ_ERROR_VALUE, "dst_type is 2" DST_TYPES, false},
    {"dst_type past the last", dst_above, CLQ_ERROR_VALUE, "dst_type is 7" DST_TYPES, false},
    {"dst_type below 0", dst_negative, CLQ_ERROR_VALUE, "dst_type is -1" DST_TYPES, false},
    {"an input of uint8", input_uint8, CLQ_ERROR_TYPE, "input.dtype is uint8: it must be int8", true},
    {"updates of int8", updates_int8, CLQ_ERROR_TYPE,
     "updates.dtype is int8: it must be float32, float16 or bfloat16", false},
    {"indices of int8", indices_int8, CLQ_ERROR_TYPE, "indices.dtype is int8: it must be int32 or int64",
     false},
    {"rank 2", rank_2, CLQ_ERROR_RANK, "updates.ndim is 2: it must be from 3 to 8", false},
    {"rank 9", rank_9, CLQ_ERROR_RANK, "updates.ndim is 9: it must be from 3 to 8", false},
    {"a cache of another rank", other_rank, CLQ_ERROR_RANK, "updates.ndim is 3: it must be the rank of $, 4",
     false},
    {"the documented default of axis", axis_default, CLQ_ERROR_AXIS, "axis is 0" AXIS, false},
    {"axis minus the rank", axis_first, CLQ_ERROR_AXIS, "axis is -3" AXIS, false},
    {"axis the last", axis_last, CLQ_ERROR_AXIS, "axis is 2" AXIS, false},
    {"axis -1", axis_last_negative, CLQ_ERROR_AXIS, "axis is -1" AXIS, false},
    {"axis at the rank", axis_rank, CLQ_ERROR_AXIS, "axis is 3" AXIS, false},
    {"axis below minus the rank", axis_low, CLQ_ERROR_AXIS, "axis is -4" AXIS, false},
    {"axis far below", axis_lowest, CLQ_ERROR_AXIS, "axis is -2147483648" AXIS, false},
    {"the documented default of quant_axis", quant_axis_default, CLQ_ERROR_AXIS, "quant_axis is 1" QUANT_AXIS,
     false},
    {"quant_axis 0", quant_axis_first, CLQ_ERROR_AXIS, "quant_axis is 0" QUANT_AXIS, false},
    {"quant_axis at the rank", quant_axis_rank, CLQ_ERROR_AXIS, "quant_axis is 3" QUANT_AXIS, false},
    {"quant_axis -2", quant_axis_negative, CLQ_ERROR_AXIS, "quant_axis is -2" QUANT_AXIS, false},
    {"quant_axis far below", quant_axis_lowest, CLQ_ERROR_AXIS, "quant_axis is -2147483648" QUANT_AXIS,
     false},
    {"both documented defaults", both_defaults, CLQ_ERROR_AXIS, "axis is 0" AXIS, false},
    {"one scale for all", one_scale, CLQ_ERROR_SHAPE, "quant_scales has 1 elements" PER_INDEX, false},
    {"a scale of rank 0", scale_of_rank_0, CLQ_ERROR_SHAPE, "quant_scales has 1 elements" PER_INDEX, false},
    {"scales of another axis", scales_of_the_axis, CLQ_ERROR_SHAPE, "quant_scales has 2 elements" PER_INDEX,
     false},
    {"one zero point for all", one_zero_point, CLQ_ERROR_SHAPE, "quant_zero_points has 1 elements" PER_INDEX,
     false},
    {"zero points that count to too many", zero_points_square, CLQ_ERROR_SHAPE,
     "quant_zero_points has 256 elements" PER_INDEX, false},
    {"scales without number", many_scales, CLQ_ERROR_OVERFLOW,
     "quant_scales has more than 2^63 elements: the product of its shape must fit into 63 bits", false},
    {"scales of a negative size", negative_scales, CLQ_ERROR_SHAPE,
     "quant_scales.shape[0] is -16: it must not be negative", false},
    {"scales of rank 1000", deep_scales, CLQ_ERROR_RANK, "quant_scales.ndim is 1000: it must be from 0 to 8",
     false},
    {"more entries than batches", many_entries, CLQ_ERROR_SHAPE,
     "updates.shape[0] is 5: it must be at most $.shape[0], 4", false},
    {"more tokens than the cache has", many_tokens, CLQ_ERROR_SHAPE,
     "updates.shape[1] is 9: it must be at most $.shape[1], 8", false},
    {"updates wider than the cache", wide_updates, CLQ_ERROR_SHAPE,
     "updates.shape[2] is 17: it must be $.shape[2], 16, for axis is 1, where alone an entry may be shorter "
     "than the cache",
     false},
    {"indices of triples", triples, CLQ_ERROR_SHAPE,
     "indices.shape[1] is 3: it must be 2, a batch and a start", false},
    {"fewer indices", few_indices, CLQ_ERROR_SHAPE, "indices.shape[0] is 2: it must be updates.shape[0], 3",
     false},
    {"indices of rank 3", deep_indices, CLQ_ERROR_RANK, "indices.ndim is 3: it must be 1 or 2", false},
    {"input of another size", input_long, CLQ_ERROR_SHAPE,
     "input.shape[1] is 9: it must be output.shape[1], 8", true},
    {"a cache past its buffer", cache_end, CLQ_ERROR_SIZE,
     "$.data has 65536 bytes: shape x strides + byte_offset ask for 65537", false},
    {"the output is the input", cache_is_input, CLQ_ERROR_OVERLAP,
     "output shares bytes of its buffer with input: their byte ranges must be disjoint", true},
    {"the cache is the updates", cache_in_updates, CLQ_ERROR_OVERLAP,
     "$ shares bytes of its buffer with updates: their byte ranges must be disjoint", false},
};

static void named(char *sentence, size_t size, const char *pattern, const char *cache)
{
    size_t at = 0;

    for (; *pattern && at + 8 < size; pattern++)
        at += (size_t)snprintf(sentence + at, size - at, "%.*s", *pattern == '$' ? 8 : 1,
                               *pattern == '$' ? cache : pattern);
}

static void refuses(void **state)
{
    const struct bad_row *row = *state;

    for (int copies = row->copies_only; copies < 2; copies++) {
        char sentence[512] = "";
        cl_event done = NULL;
        struct call c;

        named(sentence, sizeof(sentence), row->sentence, copies ? "output" : "self");
        make_bad_call(&c);
        row->spoil(&c);
        refused_expect(run_bad_call(&c, copies, &done), row->status, sentence, row->name);
        refused_expect_nothing(&done, c.buffers, fillings, BUFFERS);
        refused_release(c.buffers, BUFFERS);
    }
}

TEST(the_call_itself_is_right)
{
    for (int copies = 0; copies < 2; copies++) {
        struct call c;

        make_bad_call(&c);
        expect_status(run_bad_call(&c, copies, NULL), CLQ_OK, "the call");
        expect_cl(clFinish(harness.queue), "clFinish");
        assert_false(refused_untouched(c.buffers[CACHE], fillings[CACHE]));
        assert_true(refused_untouched(c.buffers[INPUT], fillings[INPUT]));
        refused_release(c.buffers, BUFFERS);
    }
}

TEST_OF_ROWS(refuses, bad_rows, name)

HARNESS_MAIN("npu_quant_scatter")
