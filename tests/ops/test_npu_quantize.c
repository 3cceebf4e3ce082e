/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call npu_quantize: what it refuses. What it computes is harness.documented.* */
#include "harness.h"
#include "tensor.h"

#include <string.h>

struct npu_case {
    const char *name;
    bool div_mode;
    enum clq_npu_dtype dtype;
    int rank, axis;
    int64_t shape[3];
    int64_t scales; /* 1-D, unless full */
    bool has_zero_points;
    bool full;     /* scales and zero points of input's rank, every other dimension 1 */
    bool as_int32; /* quint4x2 as (kDLInt, 32, 1), as frameworks export it; else as (kDLInt, 4, 8) */
};

struct npu_tensors {
    struct tensor input, scales, zero_points, output;
};

static enum reference_type output_type(enum clq_npu_dtype dtype)
{
    switch (dtype) {
    case CLQ_NPU_QINT8:
        return REFERENCE_I8;
    case CLQ_NPU_QUINT8:
        return REFERENCE_U8;
    case CLQ_NPU_INT32:
        return REFERENCE_I32;
    default:
        return REFERENCE_I4;
    }
}

static void fill(struct tensor *tensor, struct random *random, double amplitude, double least)
{
    for (int64_t i = 0, slots = tensor_slots(tensor); i < slots; i++) {
        const double value = (2.0 * random_unit(random) - 1.0) * amplitude;

        tensor_set_slot(tensor, i, value + (value < 0 ? -least : least));
    }
}

static void make_parameter(struct tensor *tensor, enum reference_type type, const struct npu_case *c)
{
    int64_t shape[3] = {c->scales, 1, 1};
    struct layout layout;

    if (c->full) {
        shape[0] = 1;
        shape[c->axis == -2 ? c->rank - 2 : c->rank - 1] = c->scales;
    }
    layout = layout_dense(type, 1, c->full ? c->rank : 1, shape);
    tensor_init(tensor, &layout);
}

static void make_tensors(struct npu_tensors *t, const struct npu_case *c, enum reference_type x,
                         enum reference_type scale, enum reference_type zero)
{
    const enum reference_type type = output_type(c->dtype);
    struct random random = random_of(harness.seed);
    struct layout input = layout_dense(x, 1, c->rank, c->shape);
    struct layout output = layout_dense(type, type == REFERENCE_I4 ? 8 : 1, c->rank, c->shape);

    if (type == REFERENCE_I4)
        output.shape[c->rank - 1] /= 8;
    memset(t, 0, sizeof(*t));
    tensor_init(&t->input, &input);
    tensor_init(&t->output, &output);
    make_parameter(&t->scales, scale, c);
    fill(&t->input, &random, 40.0, 0.0);
    fill(&t->scales, &random, 2.0, 0.1);
    if (c->has_zero_points) {
        make_parameter(&t->zero_points, zero, c);
        fill(&t->zero_points, &random, 9.0, 0.0);
    }
    memset(t->output.image, 0x5a, t->output.size_bytes);
    assert_true(tensor_upload(&t->input, harness.queue) && tensor_upload(&t->scales, harness.queue) &&
                tensor_upload(&t->output, harness.queue));
    assert_true(!c->has_zero_points || tensor_upload(&t->zero_points, harness.queue));
    if (c->as_int32)
        t->output.dl.dtype = CLQ_INT32;
}

static void clear_tensors(struct npu_tensors *t)
{
    tensor_clear(&t->input);
    tensor_clear(&t->scales);
    tensor_clear(&t->zero_points);
    tensor_clear(&t->output);
}

/* A call that is right, and what a row changes in it: divide, int8, input (2, 3, 16), 3 scales and zero
 * points. */
struct bad_case {
    const char *name;
    clq_status status;
    const char *sentence;
    struct npu_case c;
    enum reference_type zero;
    int64_t zero_points; /* another number of them; 0: as many as scales */
    enum {
        NOTHING,
        NO_INPUT,
        NO_SCALES,
        NO_OUTPUT,
        OUTPUT_INT8,
        OUTPUT_UINT8,
        OUTPUT_BYTES,
        OUTPUT_RANK,
        ZERO_RANK,
        ZERO_TURNED,
        INPUT_DEEP,
        INPUT_NEGATIVE,
        PARAMETERS_DEEP
    } change;
};

#define DIVIDE(type, axis, full)                                                                             \
    {                                                                                                        \
        "", true, type, 3, axis, {2, 3, 16}, 3, true, full, false                                            \
    }
#define MULTIPLY(type, axis, n, full)                                                                        \
    {                                                                                                        \
        "", false, type, 3, axis, {2, 3, 16}, n, true, full, false                                           \
    }

static const struct bad_case bad_cases[] = {
    {"no input", CLQ_ERROR_NULL, "input is NULL: it must be a tensor", DIVIDE(CLQ_NPU_QINT8, 1, false),
     REFERENCE_I8, 0, NO_INPUT},
    {"no scales", CLQ_ERROR_NULL, "scales is NULL: it must be a tensor", DIVIDE(CLQ_NPU_QINT8, 1, false),
     REFERENCE_I8, 0, NO_SCALES},
    {"no output", CLQ_ERROR_NULL, "output is NULL: it must be a tensor", DIVIDE(CLQ_NPU_QINT8, 1, false),
     REFERENCE_I8, 0, NO_OUTPUT},
    {"dtype 0", CLQ_ERROR_VALUE, "dtype is 0: it must be one of enum clq_npu_dtype", DIVIDE(0, 1, false),
     REFERENCE_I8, 0, NOTHING},
    {"dtype 7", CLQ_ERROR_VALUE, "dtype is 7: it must be one of enum clq_npu_dtype", DIVIDE(7, 1, false),
     REFERENCE_I8, 0, NOTHING},
    {"divide to quint4x2", CLQ_ERROR_VALUE,
     "dtype is quint4x2: with div_mode true it must be qint8, quint8, int32, float8_e5m2 or float8_e4m3fn",
     DIVIDE(CLQ_NPU_QUINT4X2, 1, false), REFERENCE_I8, 0, NOTHING},
    {"multiply to quint8", CLQ_ERROR_VALUE,
     "dtype is quint8: with div_mode false it must be qint8, quint4x2, float8_e5m2 or float8_e4m3fn",
     MULTIPLY(CLQ_NPU_QUINT8, -2, 3, false), REFERENCE_F32, 0, NOTHING},
    {"multiply to int32", CLQ_ERROR_VALUE,
     "dtype is int32: with div_mode false it must be qint8, quint4x2, float8_e5m2 or float8_e4m3fn",
     MULTIPLY(CLQ_NPU_INT32, -2, 3, false), REFERENCE_F32, 0, NOTHING},
    {"an output of another type", CLQ_ERROR_TYPE, "output.dtype is int8: for dtype quint8 it must be uint8",
     DIVIDE(CLQ_NPU_QUINT8, 1, false), REFERENCE_I8, 0, OUTPUT_INT8},
    {"quint4x2 in bytes", CLQ_ERROR_TYPE,
     "output.dtype is int4 in bytes: for dtype quint4x2 it must be int32 words, (kDLInt, 32, 1) "
     "or (kDLInt, 4, 8)",
     MULTIPLY(CLQ_NPU_QUINT4X2, -2, 3, false), REFERENCE_F32, 0, OUTPUT_BYTES},
    {"quint4x2 in uint8", CLQ_ERROR_TYPE,
     "output.dtype is uint8: for dtype quint4x2 it must be int32 words, (kDLInt, 32, 1) "
     "or (kDLInt, 4, 8)",
     MULTIPLY(CLQ_NPU_QUINT4X2, -2, 3, false), REFERENCE_F32, 0, OUTPUT_UINT8},
    {"quint4x2 of 12",
     CLQ_ERROR_SHAPE,
     "input.shape[1] is 12: for dtype quint4x2 the last dimension must be divisible by 8",
     {"", false, CLQ_NPU_QUINT4X2, 2, -1, {4, 12, 0}, 12, false, false, true},
     REFERENCE_F32,
     0,
     NOTHING},
    {"output of another rank", CLQ_ERROR_RANK, "output.ndim is 2: it must be the rank of input, 3",
     DIVIDE(CLQ_NPU_QINT8, 1, false), REFERENCE_I8, 0, OUTPUT_RANK},
    {"quint4x2 of rank 1000", CLQ_ERROR_RANK, "input.ndim is 1000: it must be from 0 to 8",
     MULTIPLY(CLQ_NPU_QUINT4X2, -2, 3, false), REFERENCE_F32, 0, INPUT_DEEP},
    {"quint4x2 of rank -1", CLQ_ERROR_RANK,
     "input.ndim is -1: for dtype quint4x2 it must have a last dimension",
     MULTIPLY(CLQ_NPU_QUINT4X2, -2, 3, false), REFERENCE_F32, 0, INPUT_NEGATIVE},
    {"multiply, scales of rank 1000", CLQ_ERROR_RANK, "scales.ndim is 1000: it must be from 0 to 8",
     MULTIPLY(CLQ_NPU_QINT8, -2, 3, false), REFERENCE_F32, 0, PARAMETERS_DEEP},
    {"divide, an axis at the rank", CLQ_ERROR_AXIS,
     "axis is 3: it must be from -3 to 2, for input has 3 dimensions", DIVIDE(CLQ_NPU_QINT8, 3, false),
     REFERENCE_I8, 0, NOTHING},
    {"divide, an axis below minus the rank", CLQ_ERROR_AXIS,
     "axis is -4: it must be from -3 to 2, for input has 3 dimensions", DIVIDE(CLQ_NPU_QINT8, -4, false),
     REFERENCE_I8, 0, NOTHING},
    {"divide, the wrong axis for the scales", CLQ_ERROR_SHAPE,
     "scales has 3 elements: axis is 2, so it must have 1, or 16 as input.shape[2]; is axis 1 meant?",
     DIVIDE(CLQ_NPU_QINT8, 2, false), REFERENCE_I8, 0, NOTHING},
    {"divide, scales of full rank", CLQ_ERROR_RANK, "scales.ndim is 3: with div_mode true it must be 1",
     DIVIDE(CLQ_NPU_QINT8, -2, true), REFERENCE_I8, 0, NOTHING},
    {"divide, zero points of rank 0", CLQ_ERROR_RANK, "zero_points.ndim is 0: it must be that of scales, 1",
     DIVIDE(CLQ_NPU_QINT8, 1, false), REFERENCE_I8, 1, ZERO_RANK},
    {"divide, one zero point for three scales", CLQ_ERROR_SHAPE,
     "zero_points.shape[0] is 1: it must be that of scales, 3", DIVIDE(CLQ_NPU_QINT8, 1, false), REFERENCE_I8,
     1, NOTHING},
    {"multiply, axis -3", CLQ_ERROR_AXIS, "axis is -3: with div_mode false it must be -2 or above",
     MULTIPLY(CLQ_NPU_QINT8, -3, 3, false), REFERENCE_F32, 0, NOTHING},
    {"multiply, an axis at the rank", CLQ_ERROR_AXIS,
     "axis is 3: with div_mode false it must be below the rank of input, 3",
     MULTIPLY(CLQ_NPU_QINT8, 3, 16, false), REFERENCE_F32, 0, NOTHING},
    {"multiply, axis -3, one scale", CLQ_ERROR_AXIS, "axis is -3: with div_mode false it must be -2 or above",
     MULTIPLY(CLQ_NPU_QINT8, -3, 1, false), REFERENCE_F32, 0, NOTHING},
    {"multiply, scales of the second to last axis", CLQ_ERROR_SHAPE,
     "scales has 3 elements: axis is 2, so it must have 1, or 16 as input.shape[2]; is axis 1 meant?",
     MULTIPLY(CLQ_NPU_QINT8, 1, 3, false), REFERENCE_F32, 0, NOTHING},
    {"multiply, zero points of another type", CLQ_ERROR_TYPE,
     "zero_points.dtype is float16: with div_mode false it must be that of scales, float32",
     MULTIPLY(CLQ_NPU_QINT8, -2, 3, false), REFERENCE_F16, 0, NOTHING},
    {"multiply, zero points of int8", CLQ_ERROR_TYPE,
     "zero_points.dtype is int8: with div_mode false it must be that of scales, float32",
     MULTIPLY(CLQ_NPU_QINT8, -2, 3, false), REFERENCE_I8, 0, NOTHING},
    {"multiply, one zero point for three scales", CLQ_ERROR_SHAPE,
     "zero_points.shape[0] is 1: it must be that of scales, 3", MULTIPLY(CLQ_NPU_QINT8, -2, 3, false),
     REFERENCE_F32, 1, NOTHING},
    {"multiply, zero points of another rank", CLQ_ERROR_RANK,
     "zero_points.ndim is 1: it must be that of scales, 3", MULTIPLY(CLQ_NPU_QINT8, -2, 3, true),
     REFERENCE_F32, 0, ZERO_TURNED},
    {"multiply, axis -2 of rank 1",
     CLQ_ERROR_AXIS,
     "axis is -2: the rank of input is 1, which has no second-to-last axis",
     {"", false, CLQ_NPU_QINT8, 1, -2, {16, 0, 0}, 16, false, false, false},
     REFERENCE_F32,
     0,
     NOTHING},
    {"multiply, axis -2 of rank 1, one scale",
     CLQ_ERROR_AXIS,
     "axis is -2: the rank of input is 1, which has no second-to-last axis",
     {"", false, CLQ_NPU_QINT8, 1, -2, {16, 0, 0}, 1, false, false, false},
     REFERENCE_F32,
     0,
     NOTHING},
    {"multiply, the default axis of rank 1",
     CLQ_ERROR_AXIS,
     "axis is 1: with div_mode false it must be below the rank of input, 1",
     {"", false, CLQ_NPU_QINT8, 1, 1, {16, 0, 0}, 16, false, false, false},
     REFERENCE_F32,
     0,
     NOTHING},
};

static void change(struct npu_tensors *t, const struct bad_case *bad)
{
    if (bad->zero_points)
        t->zero_points.layout.shape[0] = bad->zero_points;
    switch (bad->change) {
    case OUTPUT_INT8:
        t->output.dl.dtype = CLQ_INT8;
        break;
    case OUTPUT_UINT8:
        t->output.dl.dtype = CLQ_UINT8;
        break;
    case OUTPUT_BYTES:
        t->output.dl.dtype = CLQ_INT4_BYTES;
        break;
    case OUTPUT_RANK:
        t->output.dl.ndim--;
        break;
    case ZERO_RANK:
        t->zero_points.dl.ndim = 0;
        break;
    case INPUT_DEEP:
        t->input.dl.ndim = 1000;
        break;
    case INPUT_NEGATIVE:
        t->input.dl.ndim = -1;
        break;
    case PARAMETERS_DEEP:
        t->scales.dl.ndim = t->zero_points.dl.ndim = 1000;
        break;
    case ZERO_TURNED:
        t->zero_points.dl.ndim = 1;
        t->zero_points.layout.shape[0] = 3;
        break;
    default:
        break;
    }
}

static void refuses(void **state)
{
    const struct bad_case *bad = *state;
    const struct npu_case *c = &bad->c;
    const cl_event sentinel = (cl_event)&bad;
    cl_event done = sentinel;
    struct npu_tensors t;

    make_tensors(&t, c, REFERENCE_F32, REFERENCE_F32, bad->zero);
    change(&t, bad);
    expect_status(
        clq_npu_quantize(harness.context, harness.queue, bad->change == NO_INPUT ? NULL : &t.input.dl,
                         bad->change == NO_SCALES ? NULL : &t.scales.dl,
                         c->has_zero_points ? &t.zero_points.dl : NULL, c->dtype, c->axis, c->div_mode,
                         bad->change == NO_OUTPUT ? NULL : &t.output.dl, 0, NULL, &done),
        bad->status, bad->name);
    assert_string_equal(clq_error_detail(), bad->sentence);
    assert_true(done == sentinel || done == NULL);
    expect_cl(clFinish(harness.queue), "clFinish");
    assert_true(tensor_holds(&t.output, harness.queue, t.output.image, "output of a refused call"));
    clear_tensors(&t);
}

TEST_OF_ROWS(refuses, bad_cases, name)

HARNESS_MAIN("npu_quantize")
