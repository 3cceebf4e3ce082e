/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls npu_dynamic_mx_quant and npu_dynamic_block_quant: what they refuse, and the byte that
 * fills a pair. What they compute else is harness.documented.* */
#include "refused.h"

#include <math.h>
#include <string.h>

enum { INPUT, Y, SCALE, BUFFERS };
enum { MX, BLOCKS };

/* Input float16 (4, 10, 10), in blocks of 2 along axis 1, that is 5 of them; y float8 of that shape, mxscale
 * (4, 3, 10, 2). Or y int8, scale float32 (4, 5, 4) in blocks of 2 by 3. */
static const struct refused_tensor mx[BUFFERS] = {
    [INPUT] = {0x41, CLQ_FLOAT16, 3, {4, 10, 10, 1, 1, 1, 1, 1, 1}},
    [Y] = {0x42, CLQ_FLOAT8_E4M3FN, 3, {4, 10, 10, 1, 1, 1, 1, 1, 1}},
    [SCALE] = {0x43, CLQ_FLOAT8_E8M0FNU, 4, {4, 3, 10, 2, 1, 1, 1, 1, 1}}};
static const struct refused_tensor blocks[BUFFERS] = {
    [INPUT] = {0x41, CLQ_FLOAT16, 3, {4, 10, 10, 1, 1, 1, 1, 1, 1}},
    [Y] = {0x42, CLQ_INT8, 3, {4, 10, 10, 1, 1, 1, 1, 1, 1}},
    [SCALE] = {0x43, CLQ_FLOAT32, 3, {4, 5, 4, 2, 1, 1, 1, 1, 1}}};

struct call {
    struct refused_call r;
    int which, axis, scale_alg;
    int64_t block_size, rows, columns;
    const char *round_mode;
    enum clq_npu_dtype dst_type;
    float dst_type_max, max_low_bound, min_scale;
};

static void make_call(struct call *c, int which)
{
    *c = (struct call){.which = which, .axis = 1, .block_size = 2, .rows = 2, .columns = 3};
    c->dst_type = which == MX ? CLQ_NPU_FLOAT8_E4M3FN : CLQ_NPU_QINT8;
    refused_make(&c->r, which == MX ? mx : blocks, BUFFERS);
}

static clq_status run_call(const struct call *c, cl_event *done)
{
    const struct refused_call *const r = &c->r;
    const DLTensor *const *a = r->arguments;

    if (c->which == BLOCKS)
        return clq_npu_dynamic_block_quant(r->context, r->queue, a[INPUT], c->min_scale, c->round_mode,
                                           c->dst_type, c->rows, c->columns, a[Y], a[SCALE], r->num_wait,
                                           NULL, done);
    return clq_npu_dynamic_mx_quant(r->context, r->queue, a[INPUT], c->axis, c->round_mode, c->dst_type,
                                    c->block_size, c->scale_alg, c->dst_type_max, c->max_low_bound, a[Y],
                                    a[SCALE], r->num_wait, NULL, done);
}

#define OF_BLOCKS ": it must be CLQ_NPU_QINT8 (1), CLQ_NPU_FLOAT8_E5M2 (5) or CLQ_NPU_FLOAT8_E4M3FN (6)"
#define MX_ONES   ": it must be CLQ_NPU_FLOAT8_E5M2 (5), CLQ_NPU_FLOAT8_E4M3FN (6) or "
#define OF_MX     MX_ONES "CLQ_NPU_FLOAT4_E2M1FN (7)"
#define SIZES     ": it must be from 1 to 4294967295"

REFUSES(make_call, run_call)

REFUSED(BLOCKS, "no x", CLQ_ERROR_NULL, NO("x"), r->arguments[INPUT] = NULL)
REFUSED(BLOCKS, "no y of blocks", CLQ_ERROR_NULL, NO("y"), r->arguments[Y] = NULL)
REFUSED(BLOCKS, "no scale of blocks", CLQ_ERROR_NULL, NO("scale"), r->arguments[SCALE] = NULL)
REFUSED(BLOCKS, "no context for blocks", CLQ_ERROR_NULL, NO_CONTEXT, r->context = NULL)
REFUSED(BLOCKS, "blocks wait for what is missing", CL_INVALID_EVENT_WAIT_LIST, NO_WAIT_LIST, r->num_wait = 1)
REFUSED(BLOCKS, "another rounding of blocks", CLQ_ERROR_VALUE, "round_mode is \"floor\": it must be \"rint\"",
        c->round_mode = "floor")
REFUSED(BLOCKS, "blocks of no type", CLQ_ERROR_VALUE, "dst_type is 0" OF_BLOCKS,
        c->dst_type = (enum clq_npu_dtype)0)
REFUSED(BLOCKS, "blocks of int4", CLQ_ERROR_VALUE, "dst_type is 4" OF_BLOCKS, c->dst_type = CLQ_NPU_QUINT4X2)
REFUSED(BLOCKS, "blocks of float4", CLQ_ERROR_VALUE, "dst_type is 7" OF_BLOCKS,
        c->dst_type = CLQ_NPU_FLOAT4_E2M1FN)
REFUSED(BLOCKS, "y of another type", CLQ_ERROR_TYPE,
        "y.dtype is int8: for dst_type 6 it must be float8_e4m3fn", c->dst_type = CLQ_NPU_FLOAT8_E4M3FN)
REFUSED(BLOCKS, "no row", CLQ_ERROR_VALUE, "row_block_size is 0" SIZES, c->rows = 0)
REFUSED(BLOCKS, "rows past 32 bits", CLQ_ERROR_VALUE, "row_block_size is 4294967296" SIZES,
        c->rows = INT64_C(1) << 32)
REFUSED(BLOCKS, "rows where there are none", CLQ_ERROR_VALUE,
        "row_block_size is 2: it must be 1 where x.ndim is 1",
        r->tensors[INPUT].ndim = r->tensors[Y].ndim = r->tensors[SCALE].ndim = 1)
REFUSED(BLOCKS, "no column", CLQ_ERROR_VALUE, "col_block_size is 0" SIZES, c->columns = 0)
REFUSED(BLOCKS, "a bound below 0", CLQ_ERROR_VALUE,
        "min_scale is -1: it must be 0, or a finite number above 0", c->min_scale = -1.0f)
REFUSED(BLOCKS, "a bound that is no number", CLQ_ERROR_VALUE,
        "min_scale is nan: it must be 0, or a finite number above 0", c->min_scale = NAN)
REFUSED(BLOCKS, "a bound without end", CLQ_ERROR_VALUE,
        "min_scale is inf: it must be 0, or a finite number above 0", c->min_scale = INFINITY)
REFUSED(BLOCKS, "x of whole numbers", CLQ_ERROR_TYPE,
        "x.dtype is int8: it must be float32, float16 or bfloat16", r->tensors[INPUT].dtype = CLQ_INT8)
REFUSED(BLOCKS, "fewer scales than blocks", CLQ_ERROR_SHAPE,
        "scale.shape[2] is 3: it must be 4, the blocks of 3 in y.shape[2], 10", r->shapes[SCALE][2] = 3)
REFUSED(BLOCKS, "a scale for each row", CLQ_ERROR_SHAPE,
        "scale.shape[1] is 10: it must be 5, the blocks of 2 in y.shape[1], 10", r->shapes[SCALE][1] = 10)
REFUSED(BLOCKS, "scales of 16 bits", CLQ_ERROR_TYPE, "scale.dtype is float16: it must be float32",
        r->tensors[SCALE].dtype = CLQ_FLOAT16)
REFUSED(BLOCKS, "scales of fewer dimensions", CLQ_ERROR_RANK,
        "scale.ndim is 2: with block it must be the rank of y, 3", r->tensors[SCALE].ndim = 2)
REFUSED(BLOCKS, "y of blocks is x", CLQ_ERROR_OVERLAP, SHARES("y", "x"),
        r->tensors[Y].data = r->buffers[INPUT])
REFUSED(BLOCKS, "scales of blocks are y", CLQ_ERROR_OVERLAP, SHARES("y", "scale"),
        r->tensors[SCALE].data = r->buffers[Y])

REFUSED(MX, "no input", CLQ_ERROR_NULL, NO("input"), r->arguments[INPUT] = NULL)
REFUSED(MX, "no y", CLQ_ERROR_NULL, NO("y"), r->arguments[Y] = NULL)
REFUSED(MX, "no scale", CLQ_ERROR_NULL, NO("mxscale"), r->arguments[SCALE] = NULL)
REFUSED(MX, "no context", CLQ_ERROR_NULL, NO_CONTEXT, r->context = NULL)
REFUSED(MX, "a wait list that is missing", CL_INVALID_EVENT_WAIT_LIST, NO_WAIT_LIST, r->num_wait = 1)
REFUSED(MX, "another rounding", CLQ_ERROR_VALUE, "round_mode is \"floor\": it must be \"rint\"",
        c->round_mode = "floor")
REFUSED(MX, "no type", CLQ_ERROR_VALUE, "dst_type is 0" OF_MX, c->dst_type = (enum clq_npu_dtype)0)
REFUSED(MX, "a type of whole numbers", CLQ_ERROR_VALUE, "dst_type is 1" OF_MX, c->dst_type = CLQ_NPU_QINT8)
REFUSED(MX, "a type past the last", CLQ_ERROR_VALUE, "dst_type is 8" OF_MX,
        c->dst_type = (enum clq_npu_dtype)8)
REFUSED(MX, "y of another float8", CLQ_ERROR_TYPE,
        "y.dtype is float8_e4m3fn: for dst_type 5 it must be float8_e5m2", c->dst_type = CLQ_NPU_FLOAT8_E5M2)
REFUSED(MX, "bytes for float8", CLQ_ERROR_TYPE, "y.dtype is uint8: for dst_type 6 it must be float8_e4m3fn",
        r->tensors[Y].dtype = CLQ_UINT8)
REFUSED(MX, "words of float4", CLQ_ERROR_TYPE,
        "y.dtype is float4_e2m1fn in words: for dst_type 7 it must be float4_e2m1fn, two in a byte, or uint8",
        c->dst_type = CLQ_NPU_FLOAT4_E2M1FN;
        r->tensors[Y].dtype = CLQ_FLOAT4_E2M1FN_WORDS)
REFUSED(MX, "a byte for each float4", CLQ_ERROR_SHAPE,
        "y.shape[2] is 10, of 2 float4_e2m1fn elements each: it must be a half of input.shape[2], 10",
        c->dst_type = CLQ_NPU_FLOAT4_E2M1FN;
        r->tensors[Y].dtype = CLQ_UINT8)
REFUSED(MX, "a y that is shorter", CLQ_ERROR_SHAPE, "mxscale.shape[0] is 4: it must be y.shape[0], 3",
        r->shapes[Y][0] = 3)
REFUSED(MX, "an input of whole numbers", CLQ_ERROR_TYPE,
        "input.dtype is int8: it must be float32, float16 or bfloat16", r->tensors[INPUT].dtype = CLQ_INT8)
REFUSED(MX, "an input of no dimension", CLQ_ERROR_RANK,
        "input.ndim is 0: it must be from 1 to 7, for mxscale has one dimension more",
        r->tensors[INPUT].ndim = 0;
        r->tensors[Y].ndim = 0)
REFUSED(MX, "an input of eight dimensions", CLQ_ERROR_RANK,
        "input.ndim is 8: it must be from 1 to 7, for mxscale has one dimension more",
        r->tensors[INPUT].ndim = 8;
        r->tensors[Y].ndim = 8)
REFUSED(MX, "an axis past the rank", CLQ_ERROR_AXIS,
        "axis is 3: it must be from -3 to 2, for input has 3 dimensions", c->axis = 3)
REFUSED(MX, "an axis before the first", CLQ_ERROR_AXIS,
        "axis is -4: it must be from -3 to 2, for input has 3 dimensions", c->axis = -4)
REFUSED(MX, "no block", CLQ_ERROR_VALUE, "block_size is 0" SIZES, c->block_size = 0)
REFUSED(MX, "a block below 0", CLQ_ERROR_VALUE, "block_size is -32" SIZES, c->block_size = -32)
REFUSED(MX, "a block past 32 bits", CLQ_ERROR_VALUE, "block_size is 4294967296" SIZES,
        c->block_size = INT64_C(1) << 32)
REFUSED(MX, "a byte of two blocks", CLQ_ERROR_VALUE,
        "block_size is 5: along the last dimension of float4_e2m1fn it must be a multiple of 2",
        c->dst_type = CLQ_NPU_FLOAT4_E2M1FN;
        c->axis = 2; c->block_size = 5; r->tensors[Y].dtype = CLQ_FLOAT4_E2M1FN)
REFUSED(MX, "the third rule", CLQ_ERROR_VALUE, "scale_alg is 2: it must be 0 or 1", c->scale_alg = 2)
REFUSED(MX, "a rule below the first", CLQ_ERROR_VALUE, "scale_alg is -1: it must be 0 or 1",
        c->scale_alg = -1)
REFUSED(MX, "a largest value", CLQ_ERROR_VALUE, "dst_type_max is 6: it must be 0", c->dst_type_max = 6.0f)
REFUSED(MX, "a largest value that is none", CLQ_ERROR_VALUE, "dst_type_max is nan: it must be 0",
        c->dst_type_max = NAN)
REFUSED(MX, "a least value", CLQ_ERROR_VALUE, "max_low_bound is 1: it must be 0", c->max_low_bound = 1.0f)
REFUSED(MX, "scales that are no pairs", CLQ_ERROR_RANK,
        "mxscale.ndim is 3: it must be 4, that of y and a dimension of 2", r->tensors[SCALE].ndim = 3)
REFUSED(MX, "scales of floats", CLQ_ERROR_TYPE, "mxscale.dtype is float32: it must be float8_e8m0fnu",
        r->tensors[SCALE].dtype = CLQ_FLOAT32)
REFUSED(MX, "pairs of one", CLQ_ERROR_SHAPE, "mxscale.shape[3] is 1: it must be 2", r->shapes[SCALE][3] = 1)
REFUSED(MX, "a pair for each block", CLQ_ERROR_SHAPE,
        "mxscale.shape[1] is 5: it must be 3, the pairs of blocks of 2 in y.shape[1], 10",
        r->shapes[SCALE][1] = 5)
REFUSED(MX, "fewer scales than rows", CLQ_ERROR_SHAPE, "mxscale.shape[2] is 9: it must be y.shape[2], 10",
        r->shapes[SCALE][2] = 9)
REFUSED(MX, "both scales of a pair in one place", CLQ_ERROR_OVERLAP, "mxscale.strides[3] is 0: ",
        memcpy(r->strides[SCALE], (int64_t[]){60, 20, 2, 0}, 4 * sizeof(int64_t));
        r->tensors[SCALE].strides = r->strides[SCALE])
REFUSED(MX, "y is the input", CLQ_ERROR_OVERLAP, SHARES("y", "input"), r->tensors[Y].data = r->buffers[INPUT])
REFUSED(MX, "the scales are y", CLQ_ERROR_OVERLAP, SHARES("y", "mxscale"),
        r->tensors[SCALE].data = r->buffers[Y])

TEST(the_call_of_blocks_is_right)
{
    struct call c;

    make_call(&c, BLOCKS);
    expect_status(run_call(&c, NULL), CLQ_OK, "the call");
    expect_cl(clFinish(harness.queue), "clFinish");
    assert_false(refused_untouched(&c.r, Y));
    assert_false(refused_untouched(&c.r, SCALE));
    assert_true(refused_untouched(&c.r, INPUT));
    refused_clear(&c.r);
}

/* Five blocks: the third pair is one of them and a byte 0. All of input is 2.626953125, so that a scale is
 * 2^(1 - 8). Pairs have gaps between them, which keep their bytes. */
TEST(fills_the_last_pair)
{
    enum { ROW = 40, BATCH = 130 };
    unsigned char found[4 * BATCH];
    struct call c;

    make_call(&c, MX);
    memcpy(c.r.strides[SCALE], (int64_t[]){BATCH, ROW, 3, 1}, 4 * sizeof(int64_t));
    c.r.tensors[SCALE].strides = c.r.strides[SCALE];
    expect_status(run_call(&c, NULL), CLQ_OK, "the call");
    expect_cl(
        clEnqueueReadBuffer(c.r.queue, c.r.buffers[SCALE], CL_TRUE, 0, sizeof found, found, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    for (int i = 0; i < 4 * BATCH; i++) {
        const int in_batch = i % BATCH, pair = in_batch / ROW, column = in_batch % ROW / 3,
                  second = in_batch % ROW % 3;
        const bool is_scale = pair < 3 && column < 10 && second < 2;

        assert_int_equal(found[i], !is_scale ? mx[SCALE].filling : pair == 2 && second == 1 ? 0 : 127 - 7);
    }
    assert_false(refused_untouched(&c.r, Y));
    assert_true(refused_untouched(&c.r, INPUT));
    refused_clear(&c.r);
}

HARNESS_MAIN("npu_dynamic_blocks")
