/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call npu_group_quant: what it refuses. What it computes is harness.documented.* */
#include "refused.h"

enum { X, SCALE, GROUP_INDEX, OFFSET, Y, BUFFERS };

/* Floats of 3.0, and ends beyond all rows. */
static const struct refused_tensor given[BUFFERS] = {[X] = {0x40, CLQ_FLOAT32, 2, {4, 16, 1}},
                                                     [SCALE] = {0x40, CLQ_FLOAT32, 2, {3, 16, 1}},
                                                     [GROUP_INDEX] = {0x41, CLQ_INT32, 1, {3, 1}},
                                                     [OFFSET] = {0x40, CLQ_FLOAT32, 1, {1}},
                                                     [Y] = {0x42, CLQ_INT8, 2, {4, 16, 1}}};

struct call {
    struct refused_call r;
    int dst_dtype;
};

static void to_words(struct call *c)
{
    c->dst_dtype = CLQ_NPU_QUINT4X2;
    c->r.tensors[Y].dtype = CLQ_INT32;
    c->r.shapes[Y][1] = 2;
}

static void make_call(struct call *c, int words)
{
    c->dst_dtype = CLQ_NPU_QINT8;
    refused_make(&c->r, given, BUFFERS);
    if (words)
        to_words(c);
}

static clq_status run_call(const struct call *c, cl_event *done)
{
    const DLTensor *const *a = c->r.arguments;

    return clq_npu_group_quant(c->r.context, c->r.queue, a[X], a[SCALE], a[GROUP_INDEX], a[OFFSET],
                               (enum clq_npu_dtype)c->dst_dtype, a[Y], c->r.num_wait, NULL, done);
}

#define DST      ": it must be CLQ_NPU_QINT8 (1) or CLQ_NPU_QUINT4X2 (4)"
#define OF_SCALE ": it must be that of scale, float32"
#define WORDS    ": for dst_dtype quint4x2 it must be int32 words, (kDLInt, 32, 1) or (kDLInt, 4, 8)"

REFUSES(make_call, run_call)

REFUSED(0, "no x", CLQ_ERROR_NULL, NO("x"), r->arguments[X] = NULL)
REFUSED(0, "no scale", CLQ_ERROR_NULL, NO("scale"), r->arguments[SCALE] = NULL)
REFUSED(0, "no group_index", CLQ_ERROR_NULL, NO("group_index"), r->arguments[GROUP_INDEX] = NULL)
REFUSED(0, "no y", CLQ_ERROR_NULL, NO("y"), r->arguments[Y] = NULL)
REFUSED(0, "no context", CLQ_ERROR_NULL, NO_CONTEXT, r->context = NULL)
REFUSED(0, "no queue", CLQ_ERROR_NULL, NO_QUEUE, r->queue = NULL)
REFUSED(0, "a wait list that is missing", CL_INVALID_EVENT_WAIT_LIST, NO_WAIT_LIST, r->num_wait = 1)
REFUSED(0, "dst_dtype 0", CLQ_ERROR_VALUE, "dst_dtype is 0" DST, c->dst_dtype = 0)
REFUSED(0, "dst_dtype quint8", CLQ_ERROR_VALUE, "dst_dtype is 2" DST, c->dst_dtype = CLQ_NPU_QUINT8)
REFUSED(0, "dst_dtype int32", CLQ_ERROR_VALUE, "dst_dtype is 3" DST, c->dst_dtype = CLQ_NPU_INT32)
REFUSED(0, "dst_dtype 5", CLQ_ERROR_VALUE, "dst_dtype is 5" DST, c->dst_dtype = 5)
REFUSED(0, "an offset of another float", CLQ_ERROR_TYPE, "offset.dtype is float16" OF_SCALE,
        r->tensors[OFFSET].dtype = CLQ_FLOAT16)
REFUSED(0, "an offset of int8", CLQ_ERROR_TYPE, "offset.dtype is int8" OF_SCALE,
        r->tensors[OFFSET].dtype = CLQ_INT8)
REFUSED(0, "an offset a group", CLQ_ERROR_SHAPE, "offset has 3 elements: it must have 1",
        r->shapes[OFFSET][0] = 3)
REFUSED(0, "y of uint8", CLQ_ERROR_TYPE, "y.dtype is uint8: for dst_dtype int8 it must be int8",
        r->tensors[Y].dtype = CLQ_UINT8)
REFUSED(0, "y of int4", CLQ_ERROR_TYPE, "y.dtype is int4 in words: for dst_dtype int8 it must be int8",
        r->tensors[Y].dtype = CLQ_INT4_WORDS;
        r->shapes[Y][1] = 2)
REFUSED(0, "y of words", CLQ_ERROR_TYPE, "y.dtype is int32: for dst_dtype int8 it must be int8",
        r->tensors[Y].dtype = CLQ_INT32)
REFUSED(1, "quint4x2 in int8", CLQ_ERROR_TYPE, "y.dtype is int8" WORDS, r->tensors[Y].dtype = CLQ_INT8)
REFUSED(1, "quint4x2 in bytes", CLQ_ERROR_TYPE, "y.dtype is int4 in bytes" WORDS,
        r->tensors[Y].dtype = CLQ_INT4_BYTES)
REFUSED(1, "quint4x2 of 12", CLQ_ERROR_SHAPE,
        "x.shape[1] is 12: for dst_dtype quint4x2 the last dimension must be divisible by 8",
        r->shapes[X][1] = r->shapes[SCALE][1] = 12;
        r->shapes[Y][1] = 1)
REFUSED(1, "quint4x2, as many words as x", CLQ_ERROR_SHAPE,
        "y.shape[1] is 16, of 8 int4 elements each: it must be an eighth of x.shape[1], 16",
        r->shapes[Y][1] = 16)
REFUSED(1, "quint4x2 of rank 1000", CLQ_ERROR_RANK, "x.ndim is 1000: it must be from 0 to 8",
        r->tensors[X].ndim = 1000)
REFUSED(1, "quint4x2 of rank 0", CLQ_ERROR_RANK, "x.ndim is 0: with group_index it must be 2",
        r->tensors[X].ndim = 0)
REFUSED(1, "quint4x2 without a shape", CLQ_ERROR_NULL, "x.shape is NULL: it must have 2 values",
        r->tensors[X].shape = NULL)
REFUSED(0, "x of rank 1", CLQ_ERROR_RANK, "x.ndim is 1: with group_index it must be 2",
        r->tensors[X].ndim = 1)
REFUSED(0, "x of rank 3", CLQ_ERROR_RANK, "x.ndim is 3: with group_index it must be 2",
        r->tensors[X].ndim = 3)
REFUSED(0, "scale of rank 1", CLQ_ERROR_RANK, "scale.ndim is 1: with group_index it must be 2",
        r->tensors[SCALE].ndim = 1)
REFUSED(0, "a scale a group", CLQ_ERROR_SHAPE, "scale.shape[1] is 1: it must be x.shape[1], 16",
        r->shapes[SCALE][1] = 1)
REFUSED(0, "no group", CLQ_ERROR_SHAPE, "scale.shape[0] is 0: there must be at least one group",
        r->shapes[SCALE][0] = r->shapes[GROUP_INDEX][0] = 0)
REFUSED(0, "fewer ends than groups", CLQ_ERROR_SHAPE,
        "group_index.shape[0] is 2: it must be scale.shape[0], 3", r->shapes[GROUP_INDEX][0] = 2)
REFUSED(0, "group_index of rank 2", CLQ_ERROR_RANK, "group_index.ndim is 2: it must be 1",
        r->tensors[GROUP_INDEX].ndim = 2)
REFUSED(0, "group_index of floats", CLQ_ERROR_TYPE, "group_index.dtype is float32: it must be int32 or int64",
        r->tensors[GROUP_INDEX].dtype = CLQ_FLOAT32)
REFUSED(0, "x of int8", CLQ_ERROR_TYPE, "x.dtype is int8: it must be float32, float16 or bfloat16",
        r->tensors[X].dtype = CLQ_INT8)
REFUSED(0, "y is x", CLQ_ERROR_OVERLAP, SHARES("y", "x"), r->tensors[Y].data = r->buffers[X])
REFUSED(0, "y past its buffer", CLQ_ERROR_SIZE,
        "y.data has 65536 bytes: shape x strides + byte_offset ask for 65537",
        r->tensors[Y].byte_offset = REFUSED_BYTES - 63)

TEST(the_call_itself_is_right)
{
    for (int words = 0; words < 2; words++) {
        struct call c;

        make_call(&c, words);
        expect_status(run_call(&c, NULL), CLQ_OK, "the call");
        expect_cl(clFinish(harness.queue), "clFinish");
        assert_false(refused_untouched(&c.r, Y));
        refused_clear(&c.r);
    }
}

HARNESS_MAIN("npu_group_quant")
