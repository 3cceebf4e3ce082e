/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls npu_dynamic_mx_quant and npu_dynamic_block_quant: what they refuse, and the byte that
 * fills a pair. What they compute else is harness.documented.* */
#include "refused.h"

#include <math.h>
#include <string.h>

enum { INPUT, Y, SCALE, BUFFERS };
static const unsigned char fillings[BUFFERS] = {[INPUT] = 0x41, [Y] = 0x42, [SCALE] = 0x43};

/* A call that is right, for a row to spoil: input float16 (4, 10, 10), in blocks of 2 along axis 1, that is
 * 5 of them; y float8 of that shape, mxscale (4, 3, 10, 2). */
struct call {
    cl_mem buffers[BUFFERS];
    DLTensor tensors[BUFFERS];
    int64_t shapes[BUFFERS][9], strides[BUFFERS][9];
    const DLTensor *arguments[BUFFERS];
    int axis, scale_alg;
    int64_t block_size;
    const char *round_mode;
    enum clq_npu_dtype dst_type;
    float dst_type_max, max_low_bound;
    bool blocks; /* npu_dynamic_block_quant: y int8, scale float32 (4, 5, 4) in blocks of 2 by 3 */
    float min_scale;
    int64_t rows, columns;
    clq_context *context;
    cl_command_queue queue;
    cl_uint num_wait;
};

static void make_bad_call(struct call *c)
{
    static const int64_t shapes[BUFFERS][9] = {[INPUT] = {4, 10, 10, 1, 1, 1, 1, 1, 1},
                                               [Y] = {4, 10, 10, 1, 1, 1, 1, 1, 1},
                                               [SCALE] = {4, 3, 10, 2, 1, 1, 1, 1, 1}};
    const int ranks[BUFFERS] = {3, 3, 4};
    const DLDataType dtypes[BUFFERS] = {CLQ_FLOAT16, CLQ_FLOAT8_E4M3FN, CLQ_FLOAT8_E8M0FNU};

    *c = (struct call){.axis = 1,
                       .block_size = 2,
                       .dst_type = CLQ_NPU_FLOAT8_E4M3FN,
                       .context = harness.context,
                       .queue = harness.queue};
    memcpy(c->shapes, shapes, sizeof(shapes));
    refused_make(c->buffers, fillings, BUFFERS);
    for (int i = 0; i < BUFFERS; i++) {
        c->tensors[i] = refused_tensor(c->buffers[i], dtypes[i], ranks[i], c->shapes[i]);
        c->arguments[i] = &c->tensors[i];
    }
}

static void make_bad_blocks(struct call *c)
{
    make_bad_call(c);
    c->blocks = true;
    c->rows = 2;
    c->columns = 3;
    c->dst_type = CLQ_NPU_QINT8;
    c->tensors[Y].dtype = CLQ_INT8;
    c->tensors[SCALE].dtype = CLQ_FLOAT32;
    c->tensors[SCALE].ndim = 3;
    c->shapes[SCALE][1] = 5;
    c->shapes[SCALE][2] = 4;
}

static clq_status run_bad_call(const struct call *c, cl_event *done)
{
    if (c->blocks)
        return clq_npu_dynamic_block_quant(c->context, c->queue, c->arguments[INPUT], c->min_scale,
                                           c->round_mode, c->dst_type, c->rows, c->columns, c->arguments[Y],
                                           c->arguments[SCALE], c->num_wait, NULL, done);
    return clq_npu_dynamic_mx_quant(c->context, c->queue, c->arguments[INPUT], c->axis, c->round_mode,
                                    c->dst_type, c->block_size, c->scale_alg, c->dst_type_max,
                                    c->max_low_bound, c->arguments[Y], c->arguments[SCALE], c->num_wait, NULL,
                                    done);
}

SPOIL(no_input, c->arguments[INPUT] = NULL)
SPOIL(no_y, c->arguments[Y] = NULL)
SPOIL(no_scale, c->arguments[SCALE] = NULL)
SPOIL(no_context, c->context = NULL)
SPOIL(wait_missing, c->num_wait = 1)
SPOIL(mode_floor, c->round_mode = "floor")
SPOIL(type_none, c->dst_type = (enum clq_npu_dtype)0)
SPOIL(type_int8, c->dst_type = CLQ_NPU_QINT8)
SPOIL(type_far, c->dst_type = (enum clq_npu_dtype)8)
SPOIL(type_other, c->dst_type = CLQ_NPU_FLOAT8_E5M2)
SPOIL(y_bytes, c->tensors[Y].dtype = CLQ_UINT8)
SPOIL(y_words, c->dst_type = CLQ_NPU_FLOAT4_E2M1FN; c->tensors[Y].dtype = CLQ_FLOAT4_E2M1FN_WORDS)
SPOIL(y_whole, c->dst_type = CLQ_NPU_FLOAT4_E2M1FN; c->tensors[Y].dtype = CLQ_UINT8)
SPOIL(y_short, c->shapes[Y][0] = 3)
SPOIL(input_int8, c->tensors[INPUT].dtype = CLQ_INT8)
SPOIL(input_flat, c->tensors[INPUT].ndim = 0; c->tensors[Y].ndim = 0)
SPOIL(input_deep, c->tensors[INPUT].ndim = 8; c->tensors[Y].ndim = 8)
SPOIL(axis_past, c->axis = 3)
SPOIL(axis_low, c->axis = -4)
SPOIL(block_none, c->block_size = 0)
SPOIL(block_low, c->block_size = -32)
SPOIL(block_far, c->block_size = INT64_C(1) << 32)
SPOIL(block_odd, c->dst_type = CLQ_NPU_FLOAT4_E2M1FN; c->axis = 2; c->block_size = 5;
      c->tensors[Y].dtype = CLQ_FLOAT4_E2M1FN)
SPOIL(alg_two, c->scale_alg = 2)
SPOIL(alg_low, c->scale_alg = -1)
SPOIL(max_six, c->dst_type_max = 6.0f)
SPOIL(max_nan, c->dst_type_max = NAN)
SPOIL(bound_one, c->max_low_bound = 1.0f)
SPOIL(scale_flat, c->tensors[SCALE].ndim = 3)
SPOIL(scale_float, c->tensors[SCALE].dtype = CLQ_FLOAT32)
SPOIL(scale_single, c->shapes[SCALE][3] = 1)
SPOIL(scale_blocks, c->shapes[SCALE][1] = 5)
SPOIL(scale_short, c->shapes[SCALE][2] = 9)
SPOIL(scale_one_place, memcpy(c->strides[SCALE], (int64_t[]){60, 20, 2, 0}, 4 * sizeof(int64_t));
      c->tensors[SCALE].strides = c->strides[SCALE])
SPOIL(y_is_input, c->tensors[Y].data = c->buffers[INPUT])
SPOIL(scale_is_y, c->tensors[SCALE].data = c->buffers[Y])

SPOIL(type_words, c->dst_type = CLQ_NPU_QUINT4X2)
SPOIL(type_float4, c->dst_type = CLQ_NPU_FLOAT4_E2M1FN)
SPOIL(type_e4m3, c->dst_type = CLQ_NPU_FLOAT8_E4M3FN)
SPOIL(rows_none, c->rows = 0)
SPOIL(rows_far, c->rows = INT64_C(1) << 32)
SPOIL(rows_of_none, c->tensors[INPUT].ndim = c->tensors[Y].ndim = c->tensors[SCALE].ndim = 1)
SPOIL(columns_none, c->columns = 0)
SPOIL(least_low, c->min_scale = -1.0f)
SPOIL(least_nan, c->min_scale = NAN)
SPOIL(least_inf, c->min_scale = INFINITY)
SPOIL(blocks_few, c->shapes[SCALE][2] = 3)
SPOIL(blocks_many, c->shapes[SCALE][1] = 10)
SPOIL(blocks_half, c->tensors[SCALE].dtype = CLQ_FLOAT16)
SPOIL(blocks_flat, c->tensors[SCALE].ndim = 2)

static const struct refused_row bad_blocks[] = {
    {"no x", no_input, CLQ_ERROR_NULL, "x is NULL: it must be a tensor"},
    {"no y of blocks", no_y, CLQ_ERROR_NULL, "y is NULL: it must be a tensor"},
    {"no scale of blocks", no_scale, CLQ_ERROR_NULL, "scale is NULL: it must be a tensor"},
    {"no context for blocks", no_context, CLQ_ERROR_NULL, "context is NULL: it must be a context"},
    {"blocks wait for what is missing", wait_missing, CL_INVALID_EVENT_WAIT_LIST,
     "num_wait is 1 and wait is NULL: a wait list has both or neither"},
    {"another rounding of blocks", mode_floor, CLQ_ERROR_VALUE,
     "round_mode is \"floor\": it must be \"rint\""},
    {"blocks of no type", type_none, CLQ_ERROR_VALUE,
     "dst_type is 0: it must be CLQ_NPU_QINT8 (1), CLQ_NPU_FLOAT8_E5M2 (5) or CLQ_NPU_FLOAT8_E4M3FN (6)"},
    {"blocks of int4", type_words, CLQ_ERROR_VALUE,
     "dst_type is 4: it must be CLQ_NPU_QINT8 (1), CLQ_NPU_FLOAT8_E5M2 (5) or CLQ_NPU_FLOAT8_E4M3FN (6)"},
    {"blocks of float4", type_float4, CLQ_ERROR_VALUE,
     "dst_type is 7: it must be CLQ_NPU_QINT8 (1), CLQ_NPU_FLOAT8_E5M2 (5) or CLQ_NPU_FLOAT8_E4M3FN (6)"},
    {"y of another type", type_e4m3, CLQ_ERROR_TYPE,
     "y.dtype is int8: for dst_type 6 it must be float8_e4m3fn"},
    {"no row", rows_none, CLQ_ERROR_VALUE, "row_block_size is 0: it must be from 1 to 4294967295"},
    {"rows past 32 bits", rows_far, CLQ_ERROR_VALUE,
     "row_block_size is 4294967296: it must be from 1 to 4294967295"},
    {"rows where there are none", rows_of_none, CLQ_ERROR_VALUE,
     "row_block_size is 2: it must be 1 where x.ndim is 1"},
    {"no column", columns_none, CLQ_ERROR_VALUE, "col_block_size is 0: it must be from 1 to 4294967295"},
    {"a bound below 0", least_low, CLQ_ERROR_VALUE,
     "min_scale is -1: it must be 0, or a finite number above 0"},
    {"a bound that is no number", least_nan, CLQ_ERROR_VALUE,
     "min_scale is nan: it must be 0, or a finite number above 0"},
    {"a bound without end", least_inf, CLQ_ERROR_VALUE,
     "min_scale is inf: it must be 0, or a finite number above 0"},
    {"x of whole numbers", input_int8, CLQ_ERROR_TYPE,
     "x.dtype is int8: it must be float32, float16 or bfloat16"},
    {"fewer scales than blocks", blocks_few, CLQ_ERROR_SHAPE,
     "scale.shape[2] is 3: it must be 4, the blocks of 3 in y.shape[2], 10"},
    {"a scale for each row", blocks_many, CLQ_ERROR_SHAPE,
     "scale.shape[1] is 10: it must be 5, the blocks of 2 in y.shape[1], 10"},
    {"scales of 16 bits", blocks_half, CLQ_ERROR_TYPE, "scale.dtype is float16: it must be float32"},
    {"scales of fewer dimensions", blocks_flat, CLQ_ERROR_RANK,
     "scale.ndim is 2: with block it must be the rank of y, 3"},
    {"y of blocks is x", y_is_input, CLQ_ERROR_OVERLAP,
     "y shares bytes of its buffer with x: their byte ranges must be disjoint"},
    {"scales of blocks are y", scale_is_y, CLQ_ERROR_OVERLAP,
     "y shares bytes of its buffer with scale: their byte ranges must be disjoint"},
};

static const struct refused_row bad_rows[] = {
    {"no input", no_input, CLQ_ERROR_NULL, "input is NULL: it must be a tensor"},
    {"no y", no_y, CLQ_ERROR_NULL, "y is NULL: it must be a tensor"},
    {"no scale", no_scale, CLQ_ERROR_NULL, "mxscale is NULL: it must be a tensor"},
    {"no context", no_context, CLQ_ERROR_NULL, "context is NULL: it must be a context"},
    {"a wait list that is missing", wait_missing, CL_INVALID_EVENT_WAIT_LIST,
     "num_wait is 1 and wait is NULL: a wait list has both or neither"},
    {"another rounding", mode_floor, CLQ_ERROR_VALUE, "round_mode is \"floor\": it must be \"rint\""},
    {"no type", type_none, CLQ_ERROR_VALUE,
     "dst_type is 0: it must be CLQ_NPU_FLOAT8_E5M2 (5), CLQ_NPU_FLOAT8_E4M3FN (6) or CLQ_NPU_FLOAT4_E2M1FN "
     "(7)"},
    {"a type of whole numbers", type_int8, CLQ_ERROR_VALUE,
     "dst_type is 1: it must be CLQ_NPU_FLOAT8_E5M2 (5), CLQ_NPU_FLOAT8_E4M3FN (6) or CLQ_NPU_FLOAT4_E2M1FN "
     "(7)"},
    {"a type past the last", type_far, CLQ_ERROR_VALUE,
     "dst_type is 8: it must be CLQ_NPU_FLOAT8_E5M2 (5), CLQ_NPU_FLOAT8_E4M3FN (6) or CLQ_NPU_FLOAT4_E2M1FN "
     "(7)"},
    {"y of another float8", type_other, CLQ_ERROR_TYPE,
     "y.dtype is float8_e4m3fn: for dst_type 5 it must be float8_e5m2"},
    {"bytes for float8", y_bytes, CLQ_ERROR_TYPE,
     "y.dtype is uint8: for dst_type 6 it must be float8_e4m3fn"},
    {"words of float4", y_words, CLQ_ERROR_TYPE,
     "y.dtype is float4_e2m1fn in words: for dst_type 7 it must be float4_e2m1fn, two in a byte, or uint8"},
    {"a byte for each float4", y_whole, CLQ_ERROR_SHAPE,
     "y.shape[2] is 10, of 2 float4_e2m1fn elements each: it must be a half of input.shape[2], 10"},
    {"a y that is shorter", y_short, CLQ_ERROR_SHAPE, "mxscale.shape[0] is 4: it must be y.shape[0], 3"},
    {"an input of whole numbers", input_int8, CLQ_ERROR_TYPE,
     "input.dtype is int8: it must be float32, float16 or bfloat16"},
    {"an input of no dimension", input_flat, CLQ_ERROR_RANK,
     "input.ndim is 0: it must be from 1 to 7, for mxscale has one dimension more"},
    {"an input of eight dimensions", input_deep, CLQ_ERROR_RANK,
     "input.ndim is 8: it must be from 1 to 7, for mxscale has one dimension more"},
    {"an axis past the rank", axis_past, CLQ_ERROR_AXIS,
     "axis is 3: it must be from -3 to 2, for input has 3 dimensions"},
    {"an axis before the first", axis_low, CLQ_ERROR_AXIS,
     "axis is -4: it must be from -3 to 2, for input has 3 dimensions"},
    {"no block", block_none, CLQ_ERROR_VALUE, "block_size is 0: it must be from 1 to 4294967295"},
    {"a block below 0", block_low, CLQ_ERROR_VALUE, "block_size is -32: it must be from 1 to 4294967295"},
    {"a block past 32 bits", block_far, CLQ_ERROR_VALUE,
     "block_size is 4294967296: it must be from 1 to 4294967295"},
    {"a byte of two blocks", block_odd, CLQ_ERROR_VALUE,
     "block_size is 5: along the last dimension of float4_e2m1fn it must be a multiple of 2"},
    {"the third rule", alg_two, CLQ_ERROR_VALUE, "scale_alg is 2: it must be 0 or 1"},
    {"a rule below the first", alg_low, CLQ_ERROR_VALUE, "scale_alg is -1: it must be 0 or 1"},
    {"a largest value", max_six, CLQ_ERROR_VALUE, "dst_type_max is 6: it must be 0"},
    {"a largest value that is none", max_nan, CLQ_ERROR_VALUE, "dst_type_max is nan: it must be 0"},
    {"a least value", bound_one, CLQ_ERROR_VALUE, "max_low_bound is 1: it must be 0"},
    {"scales that are no pairs", scale_flat, CLQ_ERROR_RANK,
     "mxscale.ndim is 3: it must be 4, that of y and a dimension of 2"},
    {"scales of floats", scale_float, CLQ_ERROR_TYPE, "mxscale.dtype is float32: it must be float8_e8m0fnu"},
    {"pairs of one", scale_single, CLQ_ERROR_SHAPE, "mxscale.shape[3] is 1: it must be 2"},
    {"a pair for each block", scale_blocks, CLQ_ERROR_SHAPE,
     "mxscale.shape[1] is 5: it must be 3, the pairs of blocks of 2 in y.shape[1], 10"},
    {"fewer scales than rows", scale_short, CLQ_ERROR_SHAPE,
     "mxscale.shape[2] is 9: it must be y.shape[2], 10"},
    {"both scales of a pair in one place", scale_one_place, CLQ_ERROR_OVERLAP, "mxscale.strides[3] is 0: "},
    {"y is the input", y_is_input, CLQ_ERROR_OVERLAP,
     "y shares bytes of its buffer with input: their byte ranges must be disjoint"},
    {"the scales are y", scale_is_y, CLQ_ERROR_OVERLAP,
     "y shares bytes of its buffer with mxscale: their byte ranges must be disjoint"},
};

static void refuse(struct call *c, const struct refused_row *bad)
{
    cl_event done = NULL;

    bad->spoil(c);
    refused_expect(run_bad_call(c, &done), bad->status, bad->sentence, bad->name);
    refused_expect_nothing(&done, c->buffers, fillings, BUFFERS);
    refused_release(c->buffers, BUFFERS);
}

static void refuses(void **state)
{
    struct call c;

    make_bad_call(&c);
    refuse(&c, *state);
}

static void refuses_blocks(void **state)
{
    struct call c;

    make_bad_blocks(&c);
    refuse(&c, *state);
}

TEST(the_call_of_blocks_is_right)
{
    struct call c;

    make_bad_blocks(&c);
    expect_status(run_bad_call(&c, NULL), CLQ_OK, "the call");
    expect_cl(clFinish(harness.queue), "clFinish");
    assert_false(refused_untouched(c.buffers[Y], fillings[Y]));
    assert_false(refused_untouched(c.buffers[SCALE], fillings[SCALE]));
    assert_true(refused_untouched(c.buffers[INPUT], fillings[INPUT]));
    refused_release(c.buffers, BUFFERS);
}

/* Five blocks: the third pair is one of them and a byte 0. All of input is 2.626953125, so that a scale is
 * 2^(1 - 8). Pairs have gaps between them, which keep their bytes. */
TEST(fills_the_last_pair)
{
    enum { ROW = 40, BATCH = 130 };
    unsigned char found[4 * BATCH];
    struct call c;

    make_bad_call(&c);
    memcpy(c.strides[SCALE], (int64_t[]){BATCH, ROW, 3, 1}, 4 * sizeof(int64_t));
    c.tensors[SCALE].strides = c.strides[SCALE];
    expect_status(run_bad_call(&c, NULL), CLQ_OK, "the call");
    expect_cl(clEnqueueReadBuffer(c.queue, c.buffers[SCALE], CL_TRUE, 0, sizeof found, found, 0, NULL, NULL),
              "clEnqueueReadBuffer");
    for (int i = 0; i < 4 * BATCH; i++) {
        const int in_batch = i % BATCH, pair = in_batch / ROW, column = in_batch % ROW / 3,
                  second = in_batch % ROW % 3;
        const bool is_scale = pair < 3 && column < 10 && second < 2;

        assert_int_equal(found[i], !is_scale ? fillings[SCALE] : pair == 2 && second == 1 ? 0 : 127 - 7);
    }
    assert_false(refused_untouched(c.buffers[Y], fillings[Y]));
    assert_true(refused_untouched(c.buffers[INPUT], fillings[INPUT]));
    refused_release(c.buffers, BUFFERS);
}

TEST_OF_ROWS(refuses, bad_rows, name)
TEST_OF_ROWS(refuses_blocks, bad_blocks, name)

HARNESS_MAIN("npu_dynamic_blocks")
